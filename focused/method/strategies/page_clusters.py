"""The link contexts of a page in clusters, each link judged by its cluster [P15, Sect. 4]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from focused.method.page.limits import MAX_UNIT_TERMS
from focused.method.strategies.cluster_merging import agglomerate
from focused.method.strategies.link_counts import context_counts, context_units
from focused.utils.setting import TOPIC, Setting

if TYPE_CHECKING:
    from focused.method.page.page import Page
    from focused.method.strategies.link_counts import TermColumns

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

# Terms of all units together: where hundreds of links share one long text, their products would take half a second.
_MAX_ENTRIES = 60_000

CLUSTER_LAMBDA = Setting(
    "FOCUSED_CLUSTER_LAMBDA",
    3.0,
    "The larger, the more contexts are merged; lambda [P15, eq. 2].",
    least=0.01,
    most=1000,
    set_by=TOPIC,
)
CLUSTER_MAX_UNITS = Setting(
    "FOCUSED_CLUSTER_MAX_UNITS",
    200,
    "Different contexts of a page that are clustered, the first in document order, with at most 60,000 terms together; time "
    "grows with the square. Links beyond are judged by their own context and counted (`focused/page/cut_clusters_count`).",
    least=1,
    most=5000,
    set_by=TOPIC,
)

CUT = "clusters"
"""Under this a page counts the links that were not clustered."""


class PageContexts(NamedTuple):
    """The link contexts of a page. Units are the different ones that hold a known term."""

    #: The product of each link's own context with the direction, shape (n_links,).
    values: Floats
    #: The links whose contexts are among the units, and the unit of each.
    links: Integers
    unit_of: Integers
    #: Counts of the units, a CSR matrix of shape (n_units, n_terms).
    counts: Any
    #: Links with known terms that limits left out of the units.
    n_cut: int


@dataclass(frozen=True)
class LinkDirection:
    """A direction in the space of weighted terms that link contexts are compared with.

    Weights and direction have shape (n_terms,); `max_terms` bounds the terms of a page's link contexts.
    """

    columns: TermColumns
    weights: Floats
    direction: Floats
    sublinear: bool
    other_anchors: bool = False
    max_terms: int = MAX_UNIT_TERMS.default

    def __post_init__(self) -> None:
        product = self.columns.product(self.weights, self.direction, sublinear=self.sublinear)
        object.__setattr__(self, "_product", product)

    def of_links(self, page: Page, *, lambda_: float | None, max_units: int) -> Floats:
        """Return the product of each link's cluster with the direction, shape (n_links,).

        It is of vectors of length 1, and 0 for a link without a known term. Units are the different contexts that hold a
        known term: the same text twice says no more than once. They are merged by `lambda_`, that of [P15, eq. 2]; None: each
        link is judged by its own context. What goes beyond the first `max_units` of them, in document order, or beyond 60,000
        terms of all together, is not clustered: each such link is judged by its own context, and counted in the page's cuts.
        """
        contexts = self.contexts(page, max_units)
        if lambda_ is None or len(contexts.links) + contexts.n_cut < 2:
            return contexts.values
        page.cuts[CUT] += contexts.n_cut
        if len(contexts.links):
            clusters = self._of_clusters(self.rows(contexts.counts), lambda_)
            contexts.values[contexts.links] = clusters[contexts.unit_of]
        return contexts.values

    def contexts(self, page: Page, max_units: int) -> PageContexts:
        """Return the link contexts of a page, the different ones as units; `max_units` as of `of_links`."""
        known = self.columns.known(page)
        units = context_units(page, known, other_anchors=self.other_anchors, max_terms=self.max_terms)
        products = self._product(known, units)  # type: ignore[attr-defined]
        contexts = slice(units.link_rows.stop, None)
        values: Floats = products.cosines()[0][contexts].copy()
        links = np.flatnonzero(products.n_known[contexts])
        # Twice as many links are looked at: menus and lists repeat themselves.
        looked_at = links[: 2 * max_units]
        looked_at = looked_at[products.n_known[contexts][looked_at].cumsum() <= _MAX_ENTRIES]
        if len(looked_at) < min(2, len(links)):
            looked_at = looked_at[:0]
        unit_of, counts = _different(context_counts(known, units, looked_at, self.columns.n_terms))
        n_units = min(counts.shape[0], max_units)
        kept = unit_of < n_units
        return PageContexts(
            values, looked_at[kept], unit_of[kept], counts[:n_units], n_cut=len(links) - int(kept.sum())
        )

    def rows(self, counts: Any) -> Any:
        """Return counts as weighted rows of length 1."""
        # Late: it takes scikit-learn along, for which commands that do not crawl should not wait.
        from focused.method.text.weighting import weighted_rows

        return weighted_rows(counts, self.weights, sublinear=self.sublinear)

    def _of_clusters(self, rows: Any, lambda_: float) -> Floats:
        """Return for each unit the product of its cluster's sum, of length 1 again (D51), with the direction."""
        similarities = (rows @ rows.T).toarray()
        cluster_of = np.arange(rows.shape[0])
        for kept, joined in agglomerate(similarities, lambda_).tolist():
            cluster_of[cluster_of == joined] = kept
        n = len(cluster_of)
        sums = np.bincount(cluster_of, rows @ self.direction, n)
        # The square length of a sum is the sum of all products of its parts.
        squares = np.bincount(
            cluster_of, np.where(cluster_of == cluster_of[:, np.newaxis], similarities, 0.0).sum(axis=1), n
        )
        found: Floats = (sums / np.sqrt(np.maximum(squares, 1e-300)))[cluster_of]
        return found


def _different(counts: Any) -> tuple[Integers, Any]:
    """Return for each row the number of the first one like it, and the different rows."""
    counts.sort_indices()
    numbers: dict[tuple[bytes, bytes], int] = {}
    unit_of = np.empty(counts.shape[0], dtype=np.int64)
    first: list[int] = []
    bounds = counts.indptr.tolist()
    for row in range(counts.shape[0]):
        stretch = slice(bounds[row], bounds[row + 1])
        key = counts.indices[stretch].tobytes(), counts.data[stretch].tobytes()
        unit_of[row] = numbers.setdefault(key, len(numbers))
        if unit_of[row] == len(first):
            first.append(row)
    return unit_of, counts[first]
