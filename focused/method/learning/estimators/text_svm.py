"""SVMs on rows of length 1: linear ones with balanced classes, and LIBSVM's defaults, which are linear there, too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.svm import SVC, LinearSVC

if TYPE_CHECKING:
    from numpy.typing import NDArray

KERNELS = ("linear", "libsvm")


class TextSVM(NamedTuple):
    """A trained SVM as the numbers that judge: rows @ coef + intercept."""

    coef: NDArray[np.float64]
    intercept: float


def check_kernel(kernel: str) -> None:
    """Raise ValueError for an unknown name."""
    if kernel not in KERNELS:
        raise ValueError(f"kernel must be one of {', '.join(KERNELS)}. Got {kernel!r}.")


def train_svm(rows: Any, labels: Any, *, kernel: str, C: float, random_state: Any = None) -> TextSVM:
    """Train an SVM on rows of length 1, shape (n_documents, n_terms), and flags of the positives.

    "linear": squared hinge loss, balanced classes (docs/method/, D18). "libsvm": C-SVC with a radial kernel, gamma =
    1 / n_terms and classes as they are [P13, Sect. 6.1.2]. With |x| = |y| = 1 that kernel is exp(-2 gamma) exp(2 gamma x.y).
    The constant is lost in the intercept; up to terms of gamma^2, what is left is the linear kernel with 2 gamma C for C.
    """
    if kernel == "linear":
        svm = LinearSVC(C=C, class_weight="balanced", random_state=random_state, max_iter=10_000).fit(rows, labels)
        return TextSVM(svm.coef_[0], float(svm.intercept_[0]))
    # So small a C bounds most examples: the solver must be exact in what is left of the decisions.
    svm = SVC(kernel="linear", C=2 * C / rows.shape[1], tol=1e-8).fit(rows, labels)
    coef = svm.coef_.toarray() if hasattr(svm.coef_, "toarray") else svm.coef_
    return TextSVM(np.asarray(coef, dtype=np.float64)[0], float(svm.intercept_[0]))
