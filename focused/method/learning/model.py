"""A topic's model: plain numbers that score text units without any estimator. Importing it loads no scikit-learn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from focused.method.learning.calibration import Calibration


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TopicModel:
    """A linear page classifier, calibrated for every kind of text unit. Arrays have shape (n_terms,).

    With f the count of a term, tf = f (or 1 + ln f), x = tf * term weight, the decision on a text unit is
    intercept + (x / ||x||) . coef. Calibrations turn decisions into relevances.
    """

    sublinear_tf: bool
    """Term frequency is 1 + ln(count) instead of the count."""
    term_weights: NDArray[np.float64]
    """Factors of the term frequencies, before a row is L2-normalised: idf, ln(N/n)."""
    coef: NDArray[np.float64]
    intercept: float
    topic_vector: NDArray[np.float64]
    """Mean of the positives' weighted rows, L2-normalised: its product with a row is their cosine."""
    calibrations: dict[str, Calibration]
    """One a kind of unit, see `focused.method.learning.calibration.KINDS`."""

    def relevance(self, kind: str, decisions: ArrayLike, n_known: ArrayLike) -> NDArray[np.float64]:
        """Return the relevance of units of one kind, in [0, 1]; see `Calibration.relevance`."""
        return self.calibrations[kind].relevance(decisions, n_known)

    def threshold(self, kind: str) -> float:
        """Return the relevance from which on a unit of this kind is relevant."""
        return self.calibrations[kind].threshold


def empty_model() -> TopicModel:
    """Return the model of a topic that has not been trained: it knows no term."""
    none = np.zeros(0)
    return TopicModel(
        sublinear_tf=False, term_weights=none, coef=none, intercept=0.0, topic_vector=none, calibrations={}
    )
