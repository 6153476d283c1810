"""Calibrate a model on pages whose relevance nobody knows and everybody has to assume."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from scipy.special import expit, logit

from focused.method.learning.calibration import Calibration, CalibrationExamples
from focused.method.learning.held_out import Units, short_texts
from focused.method.learning.unit_calibration import calibrate_links
from focused.method.text.vocabulary import canonical
from focused.method.text.weighting import weighted_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from focused.method.learning.training_set import LinkExamples

PRIOR = 0.05
"""Assumed share of relevant pages in a crawl where it cannot be estimated."""
AT_MEDIAN = 0.01
"""Relevance of the median page; from there the log-odds rise linearly to relevance 1/2 at the border."""


@dataclass(frozen=True, eq=False)
class AssumedRelevance:
    """Pages with assumed relevances, and the direction that decides on any text.

    ``counts`` of shape (n_pages, n_terms), ``idf`` and ``coef`` of shape (n_terms,), ``decisions`` and ``relevance`` of
    shape (n_pages,), the latter in [0, 1].
    """

    counts: sparse.csr_matrix
    idf: NDArray[np.float64]
    coef: NDArray[np.float64]
    decisions: NDArray[np.float64]
    relevance: NDArray[np.float64]

    @property
    def pages(self) -> CalibrationExamples:
        """The pages themselves."""
        n_known = np.diff(self.counts.indptr).astype(np.float64)
        return CalibrationExamples(self.decisions, n_known, self.relevance, np.ones(len(self.relevance)))

    def short(self, pages: NDArray[np.int64], rng: np.random.Generator) -> CalibrationExamples:
        """Return short texts drawn from pages, each as relevant as its page."""
        units = short_texts(self.counts, pages, rng)
        return self._decided(units, self.relevance[units.pages])

    def calibrations(
        self,
        page: Calibration,
        block: Calibration,
        short: CalibrationExamples,
        links: LinkExamples | None,
        terms: NDArray[np.int64],
    ) -> dict[str, Calibration]:
        """Return the calibrations by kind: those of pages and blocks, as given, and those of anchor texts and contexts.

        A link is as relevant as its target. ``terms`` are the columns of the links' counts that the direction knows.
        """
        found = {"page": page, "block": block}
        for kind in ("anchor", "context"):
            examples = None
            if links is not None:
                counts = canonical(sparse.csr_matrix(links.anchor_counts if kind == "anchor" else links.context_counts))
                units = Units(counts[:, terms], np.asarray(links.source_rows))
                examples = self._decided(units, self.relevance[links.target_rows])
            found[kind] = calibrate_links(kind, page, examples, short)
        return found

    def _decided(self, units: Units, labels: NDArray[np.float64]) -> CalibrationExamples:
        decisions = weighted_rows(units.counts, self.idf, sublinear=True) @ self.coef
        return CalibrationExamples(np.asarray(decisions), units.n_known, labels, np.ones(len(labels)))


def assumed_relevance(decisions: NDArray[np.float64], share: float) -> NDArray[np.float64]:
    """Return the relevance of pages if this share of them is relevant, in [0, 1].

    It is 1/2 at the border of that share and 0.01 at the median; log-odds are linear.
    """
    middle, border = np.quantile(decisions, [0.5, 1 - share])
    if border <= middle:  # most pages share no term with the words, so their decisions are equal
        above = decisions[decisions > middle]
        border = above.min() if len(above) else middle + 1.0
    return np.asarray(expit(logit(AT_MEDIAN) * (border - decisions) / (border - middle)))
