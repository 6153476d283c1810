from __future__ import annotations

import numpy as np
import pytest

from focused.method.scoring.link_scores import LinkScores, WrongScoresError, checked
from focused.method.scoring.reasons import reason_kind

BY_PAGE = reason_kind("page")
HALVES, PAGES = np.full(2, 0.5), np.full(2, BY_PAGE)


def test_scores_that_are_what_they_must_be_come_back_as_they_are():
    found = LinkScores(HALVES, PAGES)
    assert checked(found, "mine", 2, "http://h.org/") is found
    none = LinkScores(np.zeros(0), np.zeros(0, dtype=np.int64))
    assert checked(none, "mine", 0, "http://h.org/") is none


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (None, "LinkScores from score(). Got NoneType None on http://h.org/."),
        (HALVES, "LinkScores from score(). Got ndarray array([0.5, 0.5]) on"),
        (LinkScores([0.5, 0.5], PAGES), "an array of numbers as scores. Got list [0.5, 0.5] on"),  # type: ignore[arg-type]
        (LinkScores(np.array(["a", "b"]), PAGES), "an array of numbers as scores. Got ndarray array(['a', 'b']"),  # type: ignore[arg-type]
        (LinkScores(HALVES, np.full(2, "mine")), "an array of numbers of reason_kind() as reasons. Got ndarray array(['mine'"),
        (LinkScores(HALVES, np.full(2, 1000)), "Got the reason 1000, which reason_kind() did not give, on"),
        (LinkScores(HALVES, np.array([-1, 0])), "Got the reason -1, which reason_kind() did not give, on"),
        (LinkScores(np.array([0.5, np.nan]), PAGES), "a score from 0 to 1 and a reason for each link of a page. Got nan on"),
        (LinkScores(HALVES[:1], PAGES[:1]), "Got 1 scores and 1 reasons of 2 on"),
    ],
)  # fmt: skip
def test_what_a_strategy_must_not_return_is_refused_in_one_line(found, message):
    with pytest.raises(WrongScoresError) as refused:
        checked(found, "mine", 2, "http://h.org/")
    said = str(refused.value)
    assert said.startswith("Strategy mine must return ")
    assert message in said
    assert "\n" not in said
