"""The SVM classifiers of P13 and P15 with any kernel: the project's own are linear, and add up to one vector (D18)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import common  # noqa: F401 - the project is not installed
import numpy as np
from sklearn.svm import SVC, OneClassSVM

from focused.method.learning.estimators.weightings import judged_term_weights, training_rows
from focused.method.learning.two_step.informative_examples import least_clear, word_shares
from focused.method.text.vocabulary import total_frequencies
from focused.method.text.weighting import weighted_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy import sparse

KERNELS = {"linear": "linear", "libsvm": "RBF, LIBSVM's defaults", "scale": "RBF, gamma by variance"}
"""What is compared. LIBSVM's defaults: gamma = 1 / n_terms, classes as they are; P13 names LIBSVM. The others have
balanced classes. By variance: gamma = 1 / (n_terms times the variance of the entries of the rows), about 1 on rows of length
1. C is 1 everywhere."""
_EXACT = 1e-6
"""Tolerance of the solver: with LIBSVM's gamma the kernel differs from a constant by less than its usual 0.001."""
MAX_ROUNDS, _PATIENCE = 20, 2


class Machine(NamedTuple):
    """A trained SVM."""

    decide: Callable[[Any], NDArray[np.float64]]
    """From rows to decisions, shape (n_rows,)."""
    support: NDArray[np.bool_]
    """Which of the rows that it was trained on are support vectors."""


Train = Callable[[Any, "NDArray[np.bool_]"], Machine]


def gamma_of(kernel: str, rows: sparse.csr_matrix) -> float | None:
    """Return gamma of a kernel for some rows; None for the linear one."""
    n_terms = rows.shape[1]
    if kernel == "linear":
        return None
    return 1 / n_terms if kernel == "libsvm" else 1 / (n_terms * float(rows.power(2).mean() - rows.mean() ** 2))


def gram(left: sparse.csr_matrix, right: sparse.csr_matrix, gamma: float | None) -> NDArray[np.float64]:
    """Return the kernel of each pair of rows, shape (n_left, n_right)."""
    products = (left @ right.T).toarray()
    if gamma is None:
        return products
    lengths = [np.asarray(rows.power(2).sum(axis=1)).ravel() for rows in (left, right)]
    return np.exp(-gamma * np.maximum(lengths[0][:, np.newaxis] + lengths[1] - 2 * products, 0))


def trainer(kernel: str, class_weight: Any = "balanced") -> Train:
    """Return what trains a C-SVC of a kernel; LIBSVM's defaults weigh no class."""

    def train(rows: sparse.csr_matrix, labels: NDArray[np.bool_]) -> Machine:
        gamma = gamma_of(kernel, rows)
        weights = None if kernel == "libsvm" else class_weight
        svm = SVC(kernel="precomputed", class_weight=weights, tol=_EXACT).fit(gram(rows, rows, gamma), labels)
        vectors, multipliers, intercept = rows[svm.support_], svm.dual_coef_.ravel(), float(svm.intercept_[0])
        support = np.zeros(len(labels), dtype=bool)
        support[svm.support_] = True
        return Machine(lambda judged: gram(judged, vectors, gamma) @ multipliers + intercept, support)

    return train


def one_class(
    kernel: str, weighting: str, counts: sparse.csr_matrix, positive: NDArray[np.bool_]
) -> Callable[[Any], NDArray[np.float64]]:
    """Train OCS on P [P13, fig. 9, table 1]; return what judges counts."""
    weights = judged_term_weights(weighting, counts, positive, np.ones(len(positive), dtype=bool))
    rows = weighted_rows(counts, weights)
    rows = training_rows(weighting, counts, rows, positive, weights, sublinear=False)[positive]
    gamma = gamma_of(kernel, rows)
    svm = OneClassSVM(kernel="precomputed", tol=_EXACT).fit(gram(rows, rows, gamma))
    vectors, multipliers, intercept = rows[svm.support_], svm.dual_coef_.ravel(), float(svm.intercept_[0])
    return lambda judged: gram(weighted_rows(judged, weights), vectors, gamma) @ multipliers + intercept


def voting(
    train: Train, weighting: str, counts: sparse.csr_matrix, positive: NDArray[np.bool_], reliable: NDArray[np.intp],
    *, last: bool,
) -> Callable[[Any], NDArray[np.float64]]:  # fmt: skip
    """Train the SVMs of WVC on P and reliable negatives [P13, alg. 3]; return what judges counts.

    ``last``: the last SVM decides (PEBL), not the vote weighted by recalls.
    """
    negative = np.zeros(len(positive), dtype=bool)
    negative[reliable] = True
    weights = judged_term_weights(weighting, counts, positive, positive | negative)
    rows = weighted_rows(counts, weights)
    machines: list[Machine] = []
    recalls: list[float] = []
    for _ in range(MAX_ROUNDS):
        known = positive | negative
        of_known = training_rows(weighting, counts[known], rows[known], positive[known], weights, sublinear=False)
        machines.append(train(of_known, positive[known]))
        decisions = machines[-1].decide(rows)
        recalls.append(float(np.mean(decisions[positive] > 0)))
        new = ~known & (decisions <= 0)
        if not new.any():
            break
        negative |= new
    votes = np.eye(len(machines))[-1] if last else np.array(recalls) if any(recalls) else np.ones(len(machines))

    def decide(judged: Any) -> NDArray[np.float64]:
        of_judged = weighted_rows(judged, weights)
        return sum(
            vote * machine.decide(of_judged) for vote, machine in zip(votes / votes.sum(), machines, strict=True)
        )

    return decide


class Incremental(NamedTuple):
    """The SVMs of P15's alg. 1."""

    machines: list[Machine]
    sizes: list[int]
    """Documents that each was trained on."""


def incremental(
    train: Train, counts: sparse.csr_matrix, rows: sparse.csr_matrix, positive: NDArray[np.bool_],
    start: NDArray[np.bool_], mu: float,
) -> Incremental:  # fmt: skip
    """Train the incremental SVM on all of T, beginning with flagged documents [P15, alg. 1]."""
    q = word_shares(counts, total_frequencies(counts))
    found = Incremental([], [])
    trained, last_wrong, n_unchanged = start, np.empty(0, dtype=bool), 0
    while True:
        machine = train(rows[trained], positive[trained])
        found.machines.append(machine)
        found.sizes.append(int(trained.sum()))
        wrong = (machine.decide(rows) > 0) != positive
        n_unchanged = n_unchanged + 1 if np.array_equal(wrong, last_wrong) else 0
        last_wrong = wrong
        if not wrong.any() or n_unchanged >= _PATIENCE or len(found.machines) == MAX_ROUNDS:
            return found
        support = np.zeros(len(positive), dtype=bool)
        support[np.flatnonzero(trained)[machine.support]] = True
        trained = support | wrong | least_clear(q, ~wrong, mu)
