"""What a crawl says of a training: how many of the examples a version still knows, and a warning where it has lost them."""

from __future__ import annotations

import logging
from types import SimpleNamespace

import pytest

from focused.retraining.stats import AttemptReport
from focused.retraining.versions import Attempt


def report() -> AttemptReport:
    nothing = SimpleNamespace(count=lambda *_: None, show=lambda *_: None)
    return AttemptReport(nothing, nothing, has_verdicts=False, is_paused=False)


def attempt(version: int, recall: float | None, n_pages: int = 80) -> Attempt:
    return Attempt(
        version=version, at="", accepted=True, n_pages=n_pages, n_unlabeled=54, n_drawn=16, recall=recall
    )  # fmt: skip


@pytest.mark.parametrize(("recall", "n_pages", "warns"), [(0.2, 80, 1), (0.2, 40, 0), (0.3, 160, 0), (None, 160, 0)])
def test_a_version_that_has_lost_the_examples_is_used_with_one_warning(caplog, recall, n_pages, warns):
    caplog.set_level(logging.INFO)
    one = report()
    for version in (2, 3):
        one.ended(attempt(version, recall, n_pages), is_used=True, n_pages=n_pages)
    said = [record.getMessage() for record in caplog.records]
    assert sum("most pages like them are missed" in each for each in said) == warns
    assert ("of the examples, kept apart, it calls 20% relevant" in said[-1]) == (recall == 0.2)
