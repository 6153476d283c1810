"""Kinds of reasons, and words that come from strangers' pages."""

from __future__ import annotations

import csv
from io import StringIO

import pytest

from focused.method.scoring.link_meta import read_evidence, write_evidence
from focused.method.scoring.reasons import MAX_REASON_CHARS, REASONS, in_words, kind_of, plain, quoted, reason_kind

HOSTILE = '=HYPERLINK("http://x")\r\n\x00\x1b]0;\u202eevil\u2028,;\t"' + "A" * 500


def test_a_kind_has_one_number():
    number = reason_kind("declared here")
    assert reason_kind("declared here") == number
    assert REASONS[number] == "declared here"


@pytest.mark.parametrize("kind", ["", "Anchor", "a,b", "a  b", "a" * 25, "7 wonders", "é", "a\nb"])
def test_what_is_no_kind_is_refused(kind):
    with pytest.raises(ValueError, match=r"A kind of reason must be words of small letters, 24 characters at most\."):
        reason_kind(kind)


def test_a_kind_of_another_package_comes_back_from_a_request():
    meta = {"focused_link_reason": "kind of a package", "focused_link_score": 0.5}
    evidence = read_evidence(meta)
    assert evidence.admitted
    write_evidence(meta, evidence)
    assert meta["focused_link_reason"] == "kind of a package"


def test_words_of_strangers_stay_on_one_line_and_short():
    reason = in_words(["anchor " + quoted(HOSTILE), "page 0.87", *["folder /" + plain(HOSTILE)] * 9])
    assert reason.isprintable()
    assert len(reason) <= MAX_REASON_CHARS
    assert kind_of(reason) == "anchor"
    assert reason.count('"') == 2
    written = StringIO()
    csv.writer(written).writerow([reason, 1])
    assert next(csv.reader([written.getvalue()])) == [reason, "1"]


def test_parts_that_do_not_fit_are_left_out_whole():
    assert in_words(["page 0.50", "anchor " + quoted("x" * 200, 200)]) == "page 0.50"
    assert len(in_words(["x" * 500])) == MAX_REASON_CHARS
    assert in_words([]) == ""
