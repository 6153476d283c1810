"""Term frequencies of a page whose sections have different weights [L16, Sect. 3.2]."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from focused.method.text.vocabulary import canonical

if TYPE_CHECKING:
    from scipy import sparse


class FieldWeights(NamedTuple):
    """The weight of one occurrence of a term in a section; L16 prints no values (docs/method/, D11)."""

    headline: float = 4.0
    """alpha; titles and headings, the Subject line of a message."""
    keywords: float = 3.0
    """beta; the keywords a page or message gives itself."""
    anchor: float = 2.0
    """lambda; texts of links."""
    body: float = 1.0
    """epsilon; everything else."""


def field_frequencies(
    headline: Any, keywords: Any, anchor: Any, body: Any, weights: FieldWeights | None = None
) -> sparse.csr_matrix:
    """Return the weighted sum of the term counts of four sections [L16, eq. 3].

    Parameters
    ----------
    headline, keywords, anchor, body : sparse matrices of shape (n_documents, n_terms)
        Term counts of each section. A term must be counted in one section only.
    weights : FieldWeights, optional
        alpha > beta > lambda > epsilon >= 1.

    Returns
    -------
    CSR matrix of shape (n_documents, n_terms)

    Raises
    ------
    ValueError
        If the weights are not in that order, or the sections not of one shape.
    """
    weights = FieldWeights() if weights is None else weights
    alpha, beta, lambda_, epsilon = weights
    if not alpha > beta > lambda_ > epsilon >= 1:
        raise ValueError(f"Field weights must be headline > keywords > anchor > body >= 1. Got {tuple(weights)}.")
    sections = [canonical(section) for section in (headline, keywords, anchor, body)]
    shapes = [section.shape for section in sections]
    if len(set(shapes)) > 1:
        raise ValueError(f"The counts of all four sections must be of one shape. Got {shapes}.")
    return canonical(sum(weight * section for weight, section in zip(weights, sections, strict=True)))
