"""Diagnose example pages: several topics at once, copies, pages about something else.

All measures are cosines of tfc rows. Any two pages of a site have something in common (navigation, style): comparing with the
unlabelled pages removes that. The limits were set on ten topics of HyperPhysics and ten groups of 20 Newsgroups, alone and in
pairs (docs/results/keywords-and-warnings.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from focused.method.text.vocabulary import canonical, document_frequencies, select_terms
from focused.method.text.weighting import inverse_document_frequency, tfc

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import ArrayLike, NDArray

NEAR_DUPLICATE = 0.95
"""Cosine from which two pages are copies of each other; different pages of one template stay below 0.94."""

# A page with fewer words resembles any other of its kind, an index for instance.
_MIN_TERMS = 10
# Of more positives than this a sample is compared: a thousand have a million pairs.
_MAX_COMPARED = 1000
_MIN_PAGES = 8
# A group has at least this share of the positives, and four pages: one odd page is an outlier, not a topic.
_MIN_SHARE, _MIN_GROUP = 0.2, 4
# Pages of a general background have less in common with a topic than pages of the topic's surroundings.
_GROUP_LEVEL = {"unlabeled": 0.0, "background": 0.15}
_OUTLIER_LEVEL = {"unlabeled": 0.0, "background": 0.1}
_N_TERMS = 5


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The findings about the positives; numbers are positions among the positives."""

    duplicates: tuple[NDArray[np.int64], ...] = ()
    """Groups of near-duplicates, each of two or more pages."""
    groups: tuple[NDArray[np.int64], ...] = ()
    """The two groups of the positives, the larger first; empty if they are about one thing."""
    group_terms: tuple[tuple[int, ...], ...] = ()
    """For each group the columns of its distinguishing terms."""
    outliers: NDArray[np.int64] | tuple[()] = ()
    """Pages that resemble the other positives no more than they resemble any page, the worst first."""


def diagnose(counts: Any, positive: ArrayLike, *, is_background: bool = False, random_state: int = 0) -> Diagnosis:
    """Look for problems among the positives.

    Parameters
    ----------
    counts : sparse matrix of shape (n_pages, n_terms)
        Term counts of all training pages.
    positive : array-like of bool of shape (n_pages,)
        Which of them are positive.
    is_background : bool
        Whether the unlabelled pages are a general background. Topics of one site can then hardly be told apart.
    random_state : int
        Seed of the sample that is examined if there are more than a thousand positives.
    """
    is_positive = np.asarray(positive, dtype=bool)
    known = canonical(counts)
    columns = select_terms(known, is_positive)
    matrix = known[:, columns]
    rows = tfc(matrix, inverse_document_frequency(document_frequencies(matrix), matrix.shape[0]), sublinear=True)
    positives, unlabeled = rows[is_positive], rows[~is_positive]
    chosen = np.arange(positives.shape[0])
    if len(chosen) > _MAX_COMPARED:
        chosen = np.sort(np.random.default_rng(random_state).choice(chosen, _MAX_COMPARED, replace=False))
        positives = positives[chosen]
    duplicates = near_duplicates(positives)
    # Copies count once: one page of each group of copies is compared with the rest.
    singles = np.setdiff1d(np.arange(len(chosen)), [page for group in duplicates for page in group[1:]])
    level = "background" if is_background else "unlabeled"
    groups = two_groups(positives[singles], unlabeled, level=_GROUP_LEVEL[level])
    found = () if groups is None else tuple(chosen[singles[group]] for group in groups)
    terms = () if groups is None else _telling_terms(positives[singles], groups, columns)
    strays = outliers(positives, unlabeled, level=_OUTLIER_LEVEL[level])
    return Diagnosis(tuple(chosen[group] for group in duplicates), found, terms, chosen[strays])


def near_duplicates(rows: sparse.csr_matrix) -> list[NDArray[np.int64]]:
    """Return the groups of nearly equal rows, in order.

    Parameters
    ----------
    rows : CSR matrix of shape (n_pages, n_terms)
        L2-normalised. Rows of fewer than ten terms hold too little text to be duplicates.
    """
    alike = sparse.csr_matrix(rows @ rows.T)
    alike.data = (alike.data >= NEAR_DUPLICATE).astype(np.float64)
    says_enough = (np.diff(rows.indptr) >= _MIN_TERMS).astype(np.float64)
    alike = sparse.diags(says_enough) @ alike @ sparse.diags(says_enough)
    alike.eliminate_zeros()
    _, group_of = connected_components(alike, directed=False)
    groups = [np.flatnonzero(group_of == group) for group in np.flatnonzero(np.bincount(group_of) > 1)]
    return sorted(groups, key=lambda group: int(group[0]))


def two_groups(
    positive: sparse.csr_matrix, unlabeled: sparse.csr_matrix, *, level: float = 0.0
) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """Return the two groups of the positives, the larger first, or None if they are about one thing.

    The groups are two topics if the mean cosine between pages of different groups is below `level`, on a scale from 0 (that
    of a positive and any page) to 1 (that of pages of the same group).

    Parameters
    ----------
    positive, unlabeled : CSR matrices of shape (n_positive, n_terms), (n_unlabeled, n_terms)
        L2-normalised rows.
    level : float
        Upper limit on that scale, less one over the number of positives, because few pages give a poor estimate.
    """
    n = positive.shape[0]
    if n < _MIN_PAGES or not unlabeled.shape[0]:
        return None
    similarity = _similarities(positive)
    is_first = _split(similarity)
    sizes = int(is_first.sum()), int((~is_first).sum())
    if min(sizes) < max(_MIN_GROUP, _MIN_SHARE * n):
        return None
    same = is_first[:, None] == is_first[None, :]
    np.fill_diagonal(same, False)
    within, between = similarity[same].mean(), similarity[np.ix_(is_first, ~is_first)].mean()
    anyhow = _to_mean(positive, unlabeled).mean()
    if within <= anyhow or (between - anyhow) / (within - anyhow) >= level - 1 / n:
        return None
    first, second = np.flatnonzero(is_first), np.flatnonzero(~is_first)
    return (first, second) if sizes[0] >= sizes[1] else (second, first)


def outliers(positive: sparse.csr_matrix, unlabeled: sparse.csr_matrix, *, level: float = 0.0) -> NDArray[np.int64]:
    """Return the positives that resemble the other positives no more than any page, the worst first.

    Parameters
    ----------
    positive, unlabeled : CSR matrices of shape (n_positive, n_terms), (n_unlabeled, n_terms)
        L2-normalised rows.
    level : float
        An outlier's mean cosine with the other positives, less that with the unlabelled pages, is at most this share of the
        positives' median.
    """
    n = positive.shape[0]
    if n < _MIN_PAGES or not unlabeled.shape[0]:
        return np.empty(0, dtype=np.int64)
    more = _similarities(positive).sum(axis=1) / (n - 1) - _to_mean(positive, unlabeled)
    middle = float(np.median(more))
    if middle <= 0:  # the positives have nothing in common, so none is an outlier
        return np.empty(0, dtype=np.int64)
    order = np.argsort(more, kind="stable")
    return np.asarray(order[more[order] <= level * middle], dtype=np.int64)


def _similarities(rows: sparse.csr_matrix) -> NDArray[np.float64]:
    """Return the cosine of each pair of rows, with 0 on the diagonal."""
    similarity: NDArray[np.float64] = (rows @ rows.T).toarray()
    np.fill_diagonal(similarity, 0.0)
    return similarity


def _to_mean(rows: sparse.csr_matrix, reference: sparse.csr_matrix) -> NDArray[np.float64]:
    """Return the mean cosine of each row with the rows of `reference`."""
    return np.asarray(rows @ np.asarray(reference.mean(axis=0)).ravel(), dtype=np.float64)


def _split(similarity: NDArray[np.float64], rounds: int = 30) -> NDArray[np.bool_]:
    """Split pages in two by the main direction of their similarities; then move each page to the group it resembles most."""
    n = len(similarity)
    means = similarity.mean(axis=0)
    centred = similarity - means[:, None] - means[None, :] + similarity.mean()
    is_first = np.asarray(np.linalg.eigh(centred)[1][:, -1] > 0)
    for _ in range(rounds):
        n_first = int(is_first.sum())
        if not 1 < n_first < n - 1:
            break
        # A page is compared with one page fewer in its own group: not with itself.
        to_first = similarity @ is_first / (n_first - is_first)
        to_second = similarity @ ~is_first / (n - n_first - ~is_first)
        moved = to_first > to_second
        if (moved == is_first).all():
            break
        is_first = moved
    return is_first


def _telling_terms(
    rows: sparse.csr_matrix, groups: tuple[NDArray[np.int64], ...], columns: NDArray[np.int64]
) -> tuple[tuple[int, ...], ...]:
    first, second = (np.asarray(rows[group].mean(axis=0)).ravel() for group in groups)
    strongest = (np.argsort(-by, kind="stable")[:_N_TERMS] for by in (first - second, second - first))
    return tuple(tuple(int(column) for column in columns[places]) for places in strongest)
