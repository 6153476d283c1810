"""The result of training a topic: its model, the columns that the model reads, and its figures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from focused.method.learning.model import TopicModel
from focused.method.text.vocabulary import canonical
from focused.method.text.weighting import weighted_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy import sparse

    from focused.method.learning.metrics import ThresholdFigures

N_STRONGEST = 20
"""Number of the strongest terms for and against a topic that are named."""


@dataclass(frozen=True, slots=True)
class TrainingFigures:
    """How a topic was trained, and its cross-validated figures: for its manifest and its user."""

    n_positive: int
    """Positive pages with at least one known word."""
    n_unlabeled: int
    n_terms: int
    n_links: int
    """Links among the training pages that anchors and contexts were calibrated on."""
    n_folds: int
    n_reliable_negatives: int | None
    """None if the learner uses none; so are the next three."""
    lambda_: float | None
    """1-DNFC's lambda."""
    n_iterations: int | None
    termination: str | None
    prior: float
    """Share of relevant pages among the unlabelled, in (0, 1)."""
    prior_is_assumed: bool
    """True if U is a general background: then the prior is an assumption, not an estimate."""
    prior_low: float
    prior_high: float
    precision: float
    """Cross-validated, for pages at their threshold; each with a 95 % interval."""
    precision_low: float
    precision_high: float
    recall: float
    recall_low: float
    recall_high: float
    f1: float
    f1_low: float
    f1_high: float
    at_thresholds: tuple[ThresholdFigures, ...] = ()
    """The figures at other thresholds of the page's relevance."""
    brier: float | None = None
    """Expected squared error of a page's held-out relevance; see `brier_score`."""
    most_common: float | None = None
    """Share of U above which terms were no positive features (docs/method/, D80), 1 if all count; None with other methods."""


@dataclass(frozen=True, slots=True)
class KeywordFigures:
    """How a topic was made from words. Without examples its quality is unknown."""

    n_unlabeled: int
    n_with_keywords: int
    """Unlabelled pages that hold at least one of the words."""
    n_terms: int
    n_links: int
    """Links among the unlabelled pages that anchors and contexts were calibrated on."""
    prior: float
    """Assumed share of relevant pages in a crawl, in (0, 1)."""
    share: float
    """Share of the unlabelled pages that is taken as relevant, in (0, 1)."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TrainedModel(TopicModel):
    """A model together with what it was trained on; its arrays of shape (n_terms,) follow `term_indices`."""

    learner: str
    n_columns: int
    """Columns of the counts it was trained on."""
    term_indices: NDArray[np.int64]
    """Sorted columns of the vocabulary."""
    positive_terms: tuple[tuple[int, float], ...]
    """Column and coefficient of the strongest terms for the topic, strongest first."""
    negative_terms: tuple[tuple[int, float], ...]
    """Column and coefficient of the strongest terms against it, strongest first."""
    figures: TrainingFigures | KeywordFigures
    left_out: tuple[int, ...] = ()
    """Rows of positive pages, in the counts it was trained on, that hold no known word: nothing was learnt from them."""
    held_out_log_odds: NDArray[np.float64] | None = None
    """Log-odds of the relevance of each page it was trained on, by a model that had not seen the page, as
    `Calibration.log_odds` has them; shape (n_pages,), NaN of pages that were left out. None of a model from words."""

    def rows(self, counts: Any) -> sparse.csr_matrix:
        """Return the weighted, L2-normalised rows of text units, shape (n_units, n_terms).

        Parameters
        ----------
        counts : sparse matrix of shape (n_units, n_columns)
            Term counts in the columns the model was trained on.

        Raises
        ------
        ValueError
            If `counts` has another number of columns.
        """
        if counts.shape[1] != self.n_columns:
            raise ValueError(f"counts must have the model's {self.n_columns} columns. Got {counts.shape[1]}.")
        known = canonical(counts)[:, self.term_indices]
        return weighted_rows(known, self.term_weights, sublinear=self.sublinear_tf)

    def decisions(self, counts: Any) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return for each unit its decision and the number of distinct known terms it holds."""
        rows = self.rows(counts)
        return rows @ self.coef + self.intercept, np.diff(rows.indptr).astype(np.int64)


def strongest_terms(
    terms: NDArray[np.int64], coef: NDArray[np.float64]
) -> tuple[tuple[tuple[int, float], ...], tuple[tuple[int, float], ...]]:
    """Return column and coefficient of the strongest terms for a topic, and of those against it.

    >>> strongest_terms(np.array([3, 5, 8]), np.array([0.1, -0.2, 0.4]))
    (((8, 0.4), (3, 0.1)), ((5, -0.2),))
    """
    order = np.argsort(-coef, kind="stable")
    first, last = order[:N_STRONGEST], order[::-1][:N_STRONGEST]
    positive = tuple((int(terms[i]), float(coef[i])) for i in first if coef[i] > 0)
    return positive, tuple((int(terms[i]), float(coef[i])) for i in last if coef[i] < 0)
