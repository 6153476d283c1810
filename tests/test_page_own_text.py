"""The text of a page that is its own: link lists do not count."""

from __future__ import annotations

import hand_made
import numpy as np
import pytest

from focused.method.page.own_text import MIN_TERMS, OWN, WHOLE
from focused.method.page.reader import PageReader
from focused.method.page.text_units import page_units
from focused.method.text.analyzer import TERMS, Analyzer
from focused.method.topic.judge import Judge

TEXT = " ".join(f"sentence{chr(97 + number)}" for number in range(24))
MENU = "<ul>" + "".join(f'<li><a href="/{word}">{word}</a></li>' for word in ("galaxy", "nebula", "comet")) + "</ul>"


def page(body: str) -> object:
    return PageReader(Analyzer("en")).read(f"<title>Entry</title><body>{body}</body>".encode(), "http://h.org/")


def words(page: object, text: str) -> set[str]:
    return {TERMS.term(number) for number in page.judged_terms(text).tolist()}


def test_links_of_a_list_do_not_belong_to_the_page_and_links_in_a_sentence_do():
    read = page(f'<p>{TEXT} and a <a href="/planet">planet</a>.</p>{MENU}')
    assert words(read, WHOLE) - words(read, OWN) == {"galaxi", "nebula", "comet"}
    assert {"planet", "entri", "title: entri"} <= words(read, OWN)


def test_text_beside_links_of_a_list_stays():
    read = page(f'<p>{TEXT}</p><p>Nearby: <a href="/a">galaxy cluster</a> <a href="/b">nebula cloud</a></p>')
    assert "nearbi" in words(read, OWN)
    assert not {"galaxi", "nebula"} & words(read, OWN)


@pytest.mark.parametrize(("n_terms", "is_whole"), [(MIN_TERMS - 4, True), (MIN_TERMS + 4, False)])
def test_a_page_with_little_text_of_its_own_is_judged_by_all_of_it(n_terms, is_whole):
    read = page(f"<p>{' '.join(TEXT.split()[:n_terms])}</p>{MENU}")
    assert ("galaxi" in words(read, OWN)) == is_whole


def test_every_term_is_in_the_whole_text_and_own_stretches_are_ascending_and_disjoint():
    read = page(f"{MENU}<p>{TEXT}</p>{MENU}<div><a href='/x'>one<a href='/y'>two <p>three</a></div>")
    assert read.judged_terms(WHOLE).tolist() == read.terms.tolist()
    first, last = read.stretches(OWN)
    assert (first < last).all()
    assert (first[1:] > last[:-1]).all()
    assert read.n_words == len(read.terms[: read.n_words])


def test_a_page_without_links_or_without_text_is_its_own_text():
    for body in (f"<p>{TEXT}</p>", "", "<a href='/'></a>"):
        read = page(body)
        assert read.judged_terms(OWN).tolist() == read.terms.tolist()


def test_a_topic_judges_by_the_text_it_was_learnt_from_and_its_blocks_and_links_keep_theirs():
    read = page(f"<p>{TEXT} {hand_made.FOOD}</p><ul>{hand_made.STARS}" + "".join(
        f'<li><a href="/{number}">{hand_made.STARS}</a></li>' for number in range(3)) + "</ul>")  # fmt: skip
    found = {}
    for text in (OWN, WHOLE):
        topic = hand_made.topic()
        topic.manifest["page_text"] = text
        found[text] = Judge(topic).judge(read, ("block", "anchor", "context"))
    assert found[OWN].page < found[WHOLE].page
    for kind in ("blocks", "anchors", "contexts"):
        np.testing.assert_array_equal(getattr(found[OWN], kind), getattr(found[WHOLE], kind))
    del topic.manifest["page_text"]  # a topic of a version that knew only whole pages
    assert Judge(topic).judge(read).page == found[WHOLE].page


def test_units_of_a_page_begin_with_its_own_text():
    read = page(f"{MENU}<p>{TEXT}</p>{MENU}")
    units = page_units(read, page_text=OWN)
    stretches = [(s, e) for s, e, row in zip(units.start, units.end, units.row, strict=True) if row == 0]
    assert np.concatenate([read.terms[s:e] for s, e in stretches]).tolist() == read.judged_terms(OWN).tolist()
