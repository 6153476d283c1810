"""Measures drift: how far the pages of a crawl lie from those that its model was trained on, for its stats and its log."""

from __future__ import annotations

import logging
import math
from collections import deque
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from focused.method.topic.counted import relevance_of_counts

if TYPE_CHECKING:
    from collections.abc import Callable

    from focused.method.topic import Topic, TopicExamples
    from focused.retraining.interface import PageCounts

logger = logging.getLogger(__name__)

_LEAST_SHARE = 0.001
LEAST_PAGES = 10
"""With fewer pages nothing is said."""
_MOST, _SOME = 0.5, 0.2
_LEAST_CHANGE, _LEAST_ERROR = 3.0, 1e-3
"""A smaller change, in standard errors, is not reported: one is looked for after every training, so some come by chance."""


def example_relevance(topic: Topic, examples: TopicExamples) -> npt.NDArray[np.float64]:
    """Return the relevance that a model gives the pages it was trained on first, shape (n_pages,), in [0, 1]."""
    return relevance_of_counts(topic, examples.terms, examples.pages, "page")


def deciles(relevances: npt.ArrayLike) -> list[float]:
    """Return the nine values that divide relevances into tenths; an empty list if there are none."""
    values = np.asarray(relevances, dtype=np.float64)
    return np.quantile(values, np.arange(1, 10) / 10).round(4).tolist() if len(values) else []


def drift(training: npt.ArrayLike, window: npt.ArrayLike) -> float:
    """Return the population stability index of a crawl's latest relevances against the training pages'.

    PSI = sum_b (q_b - p_b) ln(q_b / p_b), p and q the shares of training pages and of the window in ten bins of equal
    width; shares are at least 0.001. By custom less than 0.1 is no change and more than 0.25 a large one. A focused crawl
    has more relevant pages than its training had. So the change of the index matters, not its value.
    """
    edges = np.linspace(0, 1, 11)
    shares = []
    for values in (training, window):
        counts = np.histogram(np.asarray(values, dtype=np.float64), edges)[0]
        shares.append(np.maximum(counts / max(counts.sum(), 1), _LEAST_SHARE))
    return float(((shares[1] - shares[0]) * np.log(shares[1] / shares[0])).sum())


def in_words(n_pages: int, like: float, change: float) -> str:
    """Say how like the examples the latest pages are.

    Parameters
    ----------
    n_pages : int
        How many they are.
    like : float
        Share of them that is as relevant as the examples are, but for the least relevant tenth of those, or as the threshold
        asks, in [0, 1].
    change : float
        By how many standard errors their relevance differs from that of the pages before.

    Examples
    --------
    >>> in_words(100, 0.8, -0.5), in_words(100, 0.8, -4.0)
    ('The last 100 pages look like the examples', 'The last 100 pages look less and less like the examples')
    """
    if abs(change) >= _LEAST_CHANGE:
        return f"The last {n_pages} pages look {'less and less' if change < 0 else 'more and more'} like the examples"
    if like >= _MOST:
        return f"The last {n_pages} pages look like the examples"
    return f"{'Some' if like >= _SOME else 'Few'} of the last {n_pages} pages look like the examples"


def mean_shift(before: tuple[int, float, float], window: npt.ArrayLike) -> float:
    """Return by how many standard errors the mean of the latest relevances differs from that of those before.

    ``before``: their number, sum, and sum of squares. 0 where either are fewer than ten.

    >>> mean_shift((100, 50.0, 50.0), [0.0] * 25)
    -10.0
    """
    values = np.asarray(window, dtype=np.float64)
    n, total, squares = before
    if n < LEAST_PAGES or len(values) < LEAST_PAGES:
        return 0.0
    variance = max(squares / n - (total / n) ** 2, 0.0) / n + values.var() / len(values)
    difference = float(values.mean() - total / n)
    return difference / max(math.sqrt(variance), _LEAST_ERROR)


def words_alone_in_words(n_pages: int, change: float) -> str:
    """Say how relevant they are for a topic that was made from words: there are no examples that they could be like.

    >>> words_alone_in_words(100, 0.4), words_alone_in_words(100, -4.0)
    ('', 'The last 100 pages are less and less relevant')
    """
    if abs(change) < _LEAST_CHANGE:
        return ""
    return f"The last {n_pages} pages are {'less and less' if change < 0 else 'more and more'} relevant"


class DriftReport:
    """Compares the relevance of the last pages with that of the training pages; ``set_stat`` adds ``focused/``.

    Relevances of two models cannot be compared. So pages are compared with the training pages by the model that judged both,
    and they are forgotten when another model takes over. A model gives its own examples a higher relevance than pages like
    them, so a page that it calls relevant counts as one that looks like the examples, too.
    """

    def __init__(self, set_stat: Callable[[str, Any], None], window_pages: int, counts: PageCounts) -> None:
        self._set = set_stat
        self._counts = counts
        self._window: deque[float] = deque(maxlen=window_pages)
        #: Of the pages that left the window: number, sum and sum of squares of their relevances.
        self._before = (0, 0.0, 0.0)
        self._training = np.zeros(0)
        #: From which relevance on a page looks like the examples; None: there are none.
        self._like_from: float | None = None
        # Of the model that judges from now on, where pages of the one before are still to be shown.
        self._next: tuple[npt.NDArray[np.float64], float | None] | None = None

    def add_page(self, relevance: float) -> None:
        """Add a judged page."""
        if len(self._window) == self._window.maxlen:
            (n, total, squares), left = self._before, self._window[0]
            self._before = (n + 1, total + left, squares + left * left)
        self._window.append(relevance)

    def trained(self, topic: Topic, examples: TopicExamples | None) -> None:
        """Compare with the relevances that a model gives the training pages from now on."""
        training = np.zeros(0) if examples is None else example_relevance(topic, examples)
        positive = training if examples is None else training[examples.positive]
        least = min(float(np.quantile(positive, 0.1)), topic.threshold("page")) if len(positive) else None
        self._next = training, least
        if not self._window:
            self._begin_anew()

    def _begin_anew(self) -> None:
        if self._next is not None:
            (self._training, self._like_from), self._next = self._next, None
            self._window.clear()
            self._before = 0, 0.0, 0.0

    def show(self) -> None:
        """Write stats and a line of the log, if there is enough to compare; then begin with the pages of a new model."""
        self._show()
        self._begin_anew()

    def _show(self) -> None:
        if len(self._window) < LEAST_PAGES or not len(self._training):
            return
        found = drift(self._training, self._window)
        self._set("drift/scores", round(found, 4))
        self._set("drift/window_deciles", deciles(self._window))
        self._set("drift/training_deciles", deciles(self._training))
        n, changed = len(self._window), mean_shift(self._before, self._window)
        if self._like_from is not None:
            like = float(np.mean(np.asarray(self._window) >= self._like_from))
            words = in_words(n, like, changed)
            line = f"{words}: {round(like * n)} of them"
        else:
            line = words = words_alone_in_words(n, changed)
        self._set("drift/in_words", words)
        if line:
            logger.info("%s; of the whole crawl judged relevant %.3f", line, self._counts.rate)
