"""Term frequencies of a page whose sections have different weights [L16, Sect. 3.2]."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from focused.method.page.sections import SectionWeights
from focused.method.text.vocabulary import canonical

if TYPE_CHECKING:
    from scipy import sparse


def field_frequencies(
    headline: Any, keywords: Any, anchor: Any, body: Any, weights: SectionWeights | None = None
) -> sparse.csr_matrix:
    """Return the weighted sum of the term counts of four sections [L16, eq. 3].

    Parameters
    ----------
    headline, keywords, anchor, body : sparse matrices of shape (n_documents, n_terms)
        Term counts of each section. A term must be counted in one section only.
    weights : SectionWeights, optional
        alpha > beta > lambda > epsilon >= 1.

    Returns
    -------
    CSR matrix of shape (n_documents, n_terms)

    Raises
    ------
    ValueError
        If the weights are not in that order, or the sections not of one shape.
    """
    weights = SectionWeights() if weights is None else weights
    alpha, beta, lambda_, epsilon = weights
    if not alpha > beta > lambda_ > epsilon >= 1:
        raise ValueError(f"Field weights must be headline > keywords > anchor > body >= 1. Got {tuple(weights)}.")
    sections = [canonical(section) for section in (headline, keywords, anchor, body)]
    shapes = [section.shape for section in sections]
    if len(set(shapes)) > 1:
        raise ValueError(f"The counts of all four sections must be of one shape. Got {shapes}.")
    return canonical(sum(weight * section for weight, section in zip(weights, sections, strict=True)))
