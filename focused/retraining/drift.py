"""Drift: how far the pages of a crawl lie from those that its model was trained on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy import sparse

from focused.method.topic.counted import relevance_of_counts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from focused.method.topic import Topic, TopicExamples
    from focused.retraining.judged_pages import TermCounts

Floats = npt.NDArray[np.float64]
_LEAST_SHARE = 0.001


def example_relevance(topic: Topic, examples: TopicExamples) -> Floats:
    """Return the relevance that a model gives the pages it was trained on, shape (n_pages,), in [0, 1].

    Parameters
    ----------
    topic : Topic
    examples : TopicExamples
        The topic's, or those that it was trained from first.
    """
    return relevance_of_counts(topic, examples.terms, examples.pages, "page")


def relevance_of(model: Topic, texts: Sequence[TermCounts]) -> Floats:
    """Return the relevance that a model gives pages by their terms, shape (n_pages,), in [0, 1]."""
    column = {term: number for number, term in enumerate(model.terms)}
    rows = [[(column[term], float(n)) for term, n in text.items() if term in column] for text in texts]
    ends = np.concatenate([[0], np.cumsum([len(row) for row in rows], dtype=np.int64)])
    numbers, counts = [number for row in rows for number, _ in row], [n for row in rows for _, n in row]
    matrix = sparse.csr_matrix((counts, numbers, ends), shape=(len(rows), len(column)), dtype=np.float64)
    return relevance_of_counts(model, model.terms, matrix, "page")


def deciles(relevances: npt.ArrayLike) -> list[float]:
    """Return the nine values that divide relevances into tenths; none of nothing."""
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
