"""A C-SVM with a radial kernel and probabilities, that judges all texts of a page in one product [I18, Table 2]."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy.special import expit

if TYPE_CHECKING:
    from focused.method.strategies.training_links import Flags, Rows

Floats = npt.NDArray[np.float64]

# Rows judged at once: each takes a number for every support vector.
_AT_ONCE = 1000


class RbfClassifier:
    """Probabilities of a calibrated C-SVM with a radial kernel on tf-idf rows.

    scikit-learn trains it; a crawl judges by the same formula without it, for on a few dozen short texts its checks take
    longer than the kernel. `splits` holds rows to train on and rows to judge, to fit the probabilities on held-out decisions;
    the kernel is exp(-gamma |x - y|^2), and gamma = 0 means 1 / n_terms.
    """

    def __init__(
        self, counts: Any, labels: Flags, splits: list[tuple[Rows, Rows]], *, C: float, gamma: float, tolerance: float
    ) -> None:
        from sklearn.calibration import CalibratedClassifierCV
        from sklearn.svm import SVC
        from sklearn.utils.class_weight import compute_sample_weight

        from focused.method.text.vocabulary import document_frequencies
        from focused.method.text.weighting import inverse_document_frequency

        self.gamma = gamma or 1 / counts.shape[1]
        self.idf = inverse_document_frequency(document_frequencies(counts), counts.shape[0])
        rows = self.rows(counts)
        # The kernel of all pairs at once: of sparse rows the solver would compute it anew in every fold, ten times slower.
        kernel = np.exp(-self.gamma * _square_distances(rows, _square_lengths(rows), rows.T.toarray()))
        svm = SVC(C=C, kernel="precomputed", tol=tolerance)
        # One SVM of all texts, and one sigmoid of decisions on held-out ones: as LIBSVM's own probabilities.
        model = CalibratedClassifierCV(svm, method="sigmoid", cv=splits, ensemble=False)
        model.fit(kernel, labels, sample_weight=compute_sample_weight("balanced", labels))
        (fitted,) = model.calibrated_classifiers_
        self._take(rows, fitted.estimator, fitted.calibrators[0])

    def _take(self, rows: Any, svm: Any, sigmoid: Any) -> None:
        vectors = rows[svm.support_]
        # Half the memory, and as exact as anybody needs: distances are sums of squares of tf-idf weights.
        self._support = np.ascontiguousarray(vectors.T.toarray(), dtype=np.float32)
        self._support_squares = _square_lengths(vectors)
        self._weights = np.asarray(svm.dual_coef_).ravel()
        self._intercept = float(svm.intercept_[0])
        self._slope, self._offset = -float(sigmoid.a_), -float(sigmoid.b_)

    def rows(self, counts: Any) -> Any:
        """Return texts as tf-idf rows, of any length (docs/method/, D54)."""
        rows = counts.astype(np.float64)
        rows.data *= self.idf[rows.indices]
        return rows

    def probabilities(self, counts: Any) -> Floats:
        """Return the probability in [0, 1] that each text is relevant, from counts of shape (n_texts, n_terms)."""
        rows = self.rows(counts)
        found = np.empty(rows.shape[0])
        for first in range(0, rows.shape[0], _AT_ONCE):
            some = rows[first : first + _AT_ONCE]
            distances = _square_distances(some.astype(np.float32), self._support_squares, self._support)
            decisions = np.exp(-self.gamma * distances) @ self._weights + self._intercept
            found[first : first + _AT_ONCE] = expit(self._slope * decisions + self._offset)
        return found


def _square_lengths(rows: Any) -> Floats:
    return np.asarray(rows.multiply(rows).sum(axis=1), dtype=np.float64).ravel()


def _square_distances(rows: Any, squares: Floats, columns: npt.NDArray[Any]) -> Floats:
    """Return the square distances of rows from vectors, given as columns with their square lengths."""
    found: Floats = np.maximum(_square_lengths(rows)[:, np.newaxis] + squares - 2 * (rows @ columns), 0.0)
    return found
