"""The loss that a fit of the model of links minimises."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy.special import expit

if TYPE_CHECKING:
    from scipy import sparse

Floats = npt.NDArray[np.float64]


class Loss:
    """Log-loss against soft outcomes in [0, 1], plus a quadratic penalty towards the prior weights.

    Features are dense ones and a CSR matrix of terms, a row an outcome; prior and penalty have shape (n_dense + n_terms,).
    """

    def __init__(
        self, dense: Floats, terms: sparse.csr_matrix, outcomes: Floats, prior: Floats, penalty: Floats
    ) -> None:
        # By column: sums without a linear algebra library, whose threads would wait for work while others need the processor.
        self._dense = np.ascontiguousarray(dense.T)
        self._terms = terms
        self._transposed = terms.T.tocsr()
        self._outcomes = outcomes
        self._prior = prior
        self._penalty = penalty

    def log_odds(self, weights: Floats) -> Floats:
        """Return the log-odds of all outcomes."""
        n_dense = len(self._dense)
        found: Floats = np.einsum("ji,j->i", self._dense, weights[:n_dense]) + self._terms @ weights[n_dense:]
        return found

    def __call__(self, weights: Floats) -> tuple[float, Floats]:
        """Return the loss and its gradient."""
        z, y = self.log_odds(weights), self._outcomes
        error, off = expit(z) - y, weights - self._prior
        towards = self._penalty * off
        value = (np.logaddexp(0, z) - y * z).sum() + (towards * off).sum() / 2
        gradient: Floats = self._over_outcomes(self._dense, self._transposed, error) + towards
        return float(value), gradient

    def curvature(self, weights: Floats) -> Floats:
        """Return the second derivative by each weight."""
        p = expit(self.log_odds(weights))
        squares = self._transposed.copy()
        squares.data **= 2
        found: Floats = self._over_outcomes(self._dense**2, squares, p * (1 - p)) + self._penalty
        return found

    def _over_outcomes(self, dense: Floats, terms: sparse.csr_matrix, values: Floats) -> Floats:
        return np.concatenate((np.einsum("ji,i->j", dense, values), terms @ values))

    def means(self, weights: Floats) -> tuple[float, float]:
        """Return the mean log-loss in nats, without penalty; and that of the mean outcome."""
        z, y = self.log_odds(weights), self._outcomes
        mean = float(np.clip(y.mean(), 1e-6, 1 - 1e-6))
        of_mean = -(y * np.log(mean) + (1 - y) * np.log(1 - mean)).mean()
        return float((np.logaddexp(0, z) - y * z).mean()), float(of_mean)
