"""Moves the model's relevances of pages by the verdicts of people on pages like them.

The model itself learns from verdicts only when it is trained again. Until then a Gaussian process stands on its decisions: its
mean is the model's decision, its covariance the cosine of two pages' words. A verdict moves pages that are like the judged
one, and makes them more certain; of pages unlike all judged ones nothing new is known.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse import linalg  # noqa: F401 - makes sparse.linalg known
from scipy.special import logit

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

SAID = 2.0
"""The decision that a verdict stands for, in log odds from the threshold: relevance 0.88 where the threshold is 0.5."""
DOUBT = 0.3
"""Variance of a verdict, as a share of that of a decision: verdicts on pages alike need not agree."""
MAX_SAID = 400
"""Verdicts that are taken into account, the latest: with so many the next page takes a tenth of a second."""
SPREAD = 1.5
"""Standard deviation of a decision that nothing was said of, in log odds."""


class Belief:
    """The decisions on some pages, in log odds above the threshold, and how uncertain they are; both of shape (n_pages,).

    Parameters
    ----------
    relevance, threshold : ndarray of shape (n_pages,)
        In [0, 1], as the model judged.
    terms : iterable of mappings, of length n_pages
        Term counts of each page; empty where they were left out.
    """

    def __init__(self, relevance: Floats, threshold: Floats, terms: Iterable[Mapping[str, int]]) -> None:
        self._prior = decision(relevance, threshold)
        self._words = weighted(terms)
        self._rows: list[int] = []
        self._said: list[float] = []
        #: Cosine of each page with each judged one, and the same divided by their covariance.
        self._alike = np.zeros((len(relevance), 0))
        self._solved: Floats = np.zeros((0, len(relevance)))
        self.mean = self._prior.copy()
        self.spread = np.full(len(relevance), SPREAD)

    def learn(self, rows: Sequence[int], relevant: Sequence[bool]) -> None:
        """Take verdicts on pages in: the numbers of their rows, and what was said."""
        if not len(rows) or not self._words.nnz:
            return
        new = np.asarray((self._words @ self._words[list(rows)].T).todense())
        self._alike = np.hstack([self._alike, new])[:, -MAX_SAID:]
        self._rows = [*self._rows, *rows][-MAX_SAID:]
        self._said = [*self._said, *(SAID if each else -SAID for each in relevant)][-MAX_SAID:]
        said, prior = np.array(self._said), self._prior[self._rows]
        # A page that the model was surer of than a verdict is says nothing new.
        surprise = np.where(said > 0, np.maximum(said - prior, 0), np.minimum(said - prior, 0))
        among = self._alike[self._rows] + DOUBT * np.eye(len(self._rows))
        self._solved = np.asarray(np.linalg.solve(among, self._alike.T), dtype=np.float64)
        self.mean = self._prior + surprise @ self._solved
        left = 1 - (self._alike * self._solved.T).sum(axis=1)
        self.spread = SPREAD * np.sqrt(np.maximum(left, 0.0))

    def unknown_like(self, chosen: Flags) -> Floats:
        """Return how much a verdict on each page tells of the chosen ones: the sum of their covariances, at least 1e-3."""
        among = self._words @ np.asarray(self._words[chosen].sum(axis=0)).ravel()
        if self._rows:
            among = among - self._solved.T @ self._alike[chosen].sum(axis=0)
        found: Floats = np.maximum(among, 1e-3)
        return found


def decision(relevance: Floats, threshold: Floats) -> Floats:
    """Return how far relevances stand above their thresholds, in log odds; at most 12 above or below."""
    found: Floats = np.clip(logit(relevance) - logit(threshold), -12.0, 12.0)
    return found


def weighted(terms: Iterable[Mapping[str, int]]) -> sparse.csr_matrix:
    """Return the pages' words, weighted by tf-idf, each row of length 1 (or 0 without words); shape (n_pages, n_terms)."""
    numbers: dict[str, int] = {}
    # One page's counts at a time, and each array once: as objects those of 4,000 pages would take 100 MB.
    cols, counts, ends = array("i"), array("f"), array("i", [0])
    for each in terms:
        cols.extend([numbers.setdefault(term, len(numbers)) for term in each])
        counts.extend(each.values())
        ends.append(len(cols))
    column_of, n_pages = np.asarray(cols, dtype=np.int32), len(ends) - 1
    found_in = np.bincount(column_of, minlength=len(numbers))
    is_kept = found_in > 1  # a word of one page makes it like no other
    new_number = (np.cumsum(is_kept) - 1).astype(np.int32)
    del numbers
    kept = is_kept[column_of]
    column_of = column_of[kept]
    values = 1 + np.log(np.asarray(counts)[kept], dtype=np.float32)
    values *= np.log(n_pages / found_in).astype(np.float32)[column_of]
    ends_kept = np.append(0, np.cumsum(kept))[np.asarray(ends)].astype(np.int32)
    del cols, counts, kept
    n_columns = max(int(is_kept.sum()), 1)
    found = sparse.csr_matrix((values, new_number[column_of], ends_kept), shape=(n_pages, n_columns))
    found.sort_indices()
    length = sparse.linalg.norm(found, axis=1)
    found.data *= np.repeat((1 / np.where(length > 0, length, 1.0)).astype(np.float32), np.diff(ends_kept))
    return found
