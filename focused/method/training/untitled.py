"""Leaves the words of titles out where the examples have none: examples may be plain texts, and pages of a web have titles.

A title's words are terms of their own. Where only the unlabelled pages have titles, any word in a title speaks against the
topic, the topic's own words most of all (docs/method/, D97).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from focused.method.text.analyzer import TITLE_PREFIX

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt
    from scipy import sparse

MOST_OF_OWN = 0.5
"""Titles, and words of furniture (D93), are left out if the share of positives that have them is less than this part of the
share of the other pages."""


def unusable_titles(
    counts: sparse.csr_matrix, positive: npt.NDArray[np.bool_], terms: Sequence[str]
) -> npt.NDArray[np.bool_]:
    """Return which columns are words of titles that cannot be learnt from; none if titles are as usual among the positives.

    Parameters
    ----------
    counts : csr_matrix of shape (n_pages, n_terms)
    positive : ndarray of bool, shape (n_pages,)
    terms : sequence of str, length n_terms

    Returns
    -------
    ndarray of bool, shape (n_terms,)
    """
    is_title = np.fromiter((term.startswith(TITLE_PREFIX) for term in terms), dtype=np.bool_, count=len(terms))
    if not is_title.any() or positive.all() or not positive.any():
        return np.zeros(len(terms), dtype=np.bool_)
    has_title = np.asarray(counts @ is_title.astype(np.float64)).ravel() > 0
    if has_title[positive].mean() < MOST_OF_OWN * has_title[~positive].mean():
        return is_title
    return np.zeros(len(terms), dtype=np.bool_)


def without_columns(counts: sparse.csr_matrix, columns: npt.NDArray[np.bool_]) -> sparse.csr_matrix:
    """Return counts in which some columns are empty; shape as before."""
    rest = counts.copy()
    rest.data[columns[rest.indices]] = 0
    rest.eliminate_zeros()
    return rest
