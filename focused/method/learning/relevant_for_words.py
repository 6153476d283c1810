"""Estimates how many of a crawl's pages are relevant to a topic from words (docs/method/, D98)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy.special import expit, logit

from focused.method.learning.sides import log_odds_needed
from focused.method.learning.two_groups import size_of_upper_group
from focused.method.learning.word_classes import word_classes

if TYPE_CHECKING:
    from focused.method.learning.calibration import Calibration

Floats = npt.NDArray[np.float64]

_LEAST_RELEVANCE = 1e-4
_LEAST_PAGES = 40
"""The groups of fewer pages say little of those that come next."""


def size_of_group_for_words(relevances: npt.ArrayLike, holds: npt.ArrayLike) -> int | None:
    """Return how many pages form the upper of two groups; None: there are no two groups.

    Two things speak of each page: the model, and which of the words stand together (`word_classes`). What is split is the sum
    of their log-odds, each with the standard deviation 1.

    Parameters
    ----------
    relevances : array-like of shape (n_pages,)
        By the model, in [0, 1]. A page with 0, as in another language, is none of the topic's.
    holds : array-like of bool of shape (n_pages, n_words)
        Which words each page holds.
    """
    found = np.asarray(relevances, dtype=np.float64)
    is_known = found > 0
    if not is_known.any():
        return None
    by_model = logit(np.clip(found[is_known], _LEAST_RELEVANCE, 1 - _LEAST_RELEVANCE))
    by_words = word_classes(np.asarray(holds)[is_known]).log_odds
    return size_of_upper_group(_standardised(by_model) + _standardised(by_words))


def n_relevant_for_words(relevances: npt.ArrayLike, threshold: float, holds: npt.ArrayLike) -> int | None:
    """Return how many pages of a crawl that has ended are relevant: the upper group; None: there are no groups.

    Of words nobody knows how frequent their topic is in a web, so the threshold of their model, in (0, 1), is a guess. Where
    it calls more pages relevant, the number lies halfway between the two, in logarithms: a web may be about nothing else.
    Other parameters as of `size_of_group_for_words`.
    """
    n_upper = size_of_group_for_words(relevances, holds)
    if n_upper is None:
        return None
    n_called = int((np.asarray(relevances) >= threshold).sum())
    return n_upper if n_called <= n_upper else round(float(np.sqrt(n_called * n_upper)))


def with_border_for_words(page: Calibration, relevances: npt.ArrayLike, holds: npt.ArrayLike) -> Calibration:
    """Return the calibration of pages, moved down while a crawl goes on if it calls more relevant than the upper group holds.

    As many then reach the threshold as `n_relevant_for_words` says. All relevances move in log-odds by the same, those above
    1/2 somewhat less. It is never moved up: before a crawl has found its topic, the upper group is the best of what is
    irrelevant. ``relevances`` are those by ``page``. Of fewer pages than 40, or without groups, the calibration stays.
    """
    found = np.asarray(relevances, dtype=np.float64)
    n_called = int((found >= page.threshold).sum())
    n_relevant = n_relevant_for_words(found, page.threshold, holds) if len(found) >= _LEAST_PAGES else None
    if n_relevant is None or n_relevant >= n_called:
        return page
    last = np.clip(np.sort(found)[::-1][n_relevant - 1 : n_relevant + 1], _LEAST_RELEVANCE, 1 - _LEAST_RELEVANCE)
    moved = log_odds_needed(page, page.threshold) - log_odds_needed(page, float(expit(logit(last).mean())))
    return replace(page, offset=page.offset + moved)


def _standardised(values: Floats) -> Floats:
    found: Floats = (values - values.mean()) / max(float(values.std()), 1e-9)
    return found
