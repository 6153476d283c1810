"""The incremental SVM: trained on support vectors, mistakes and unclear documents only [P15, Alg. 1]."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from focused.method.learning.estimators.base import check_counts
from focused.method.learning.two_step.batch_svm import LabeledSVM
from focused.method.learning.two_step.informative_examples import least_clear, strongest, word_shares
from focused.method.text.vocabulary import total_frequencies

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray
    from scipy import sparse

logger = logging.getLogger(__name__)


class IncrementalSVM(LabeledSVM):
    """Linear SVM that is retrained on the few examples that matter, and takes in new ones later [P15, Alg. 1].

    SVM_0 is trained on a part of T, the positives and the reliable negatives. Each round judges all of T. FALSE are the
    documents that the SVM gets wrong. DARK are the mu % of the rest with the lowest Q: documents that hold only a small
    share of any of their words. The next SVM is trained on the support vectors AV of the last one, FALSE and DARK.
    `partial_fit` takes new examples without the old set, because AV and DARK were kept.

    Departures (docs/method/): linear SVMs, whose classes weigh the same (D18) by their numbers in T and not
    in the part trained on (D23); DARK leaves out empty documents (D24); a stop if FALSE never becomes empty
    (D25); a bound on what is kept (D26).

    Parameters
    ----------
    mu : float, default=10.0
        Percentage of the rightly classified documents that are DARK, in [0, 100].
    start_share : float, default=0.2
        Share of P and of the negatives that SVM_0 is trained on, drawn by `random_state`, in (0, 1]; P15 names none
        (docs/method/, D82).
    patience : int, default=2
        Stop when FALSE is unchanged for this many rounds.
    max_rounds : int, default=20
        Stop after this many SVMs.
    max_examples : int, default=5000
        Most examples kept for `partial_fit`, at least 2; beyond that, half of each class.
    C : float, default=1.0
        Penalty of each SVM.
    reliable, too_few, unlabeled_are_negative
        See `TwoClassLearner`; P15's own experiments use complete labels.
    random_state : int, RandomState instance or None, default=None
        Seed of SVM_0's sample and of the SVM solver.

    Attributes
    ----------
    term_weights_ : ndarray of shape (n_terms,)
        idf of the documents given to `fit`; `partial_fit` leaves it.
    n_iter_ : int
        Number of SVMs of the last `fit` or `partial_fit`, SVM_0 included.
    termination_condition_ : {"none_false", "false_unchanged", "max_rounds"}
        Why the rounds ended.
    n_trained_on_, n_support_, n_false_, n_dark_ : ndarray of shape (n_iter_,)
        For each SVM: its training examples, the support vectors among them, |FALSE|, and |DARK|.
    round_coefs_ : ndarray of shape (n_iter_, n_terms)
    round_intercepts_ : ndarray of shape (n_iter_,)
    examples_ : CSR matrix of shape (n_examples, n_terms)
        Counts of AV and DARK of the last SVM, from which `partial_fit` continues.
    example_labels_ : ndarray of shape (n_examples,)
    n_dropped_ : int
        Examples of AV and DARK that `max_examples` left out.
    n_examples_seen_ : ndarray of shape (2,)
        Negative and positive examples so far.
    term_totals_ : ndarray of shape (n_terms,)
        N(T_i) over all examples so far.
    """

    def __init__(
        self,
        *,
        mu: float = 10.0,
        start_share: float = 0.2,
        patience: int = 2,
        max_rounds: int = 20,
        max_examples: int = 5000,
        C: float = 1.0,
        reliable: str = "1-dnfii",
        too_few: str = "lowest",
        unlabeled_are_negative: bool = False,
        sublinear_tf: bool = False,
        random_state: Any = None,
    ) -> None:
        self.mu = mu
        self.start_share = start_share
        self.patience = patience
        self.max_rounds = max_rounds
        self.max_examples = max_examples
        self.C = C
        self.reliable = reliable
        self.too_few = too_few
        self.unlabeled_are_negative = unlabeled_are_negative
        self.sublinear_tf = sublinear_tf
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> IncrementalSVM:
        """Train on term counts `X` of shape (n_documents, n_terms) and two labels `y`, the larger positive."""
        self._check_parameters()
        counts, positive = self._training_set(X, y)
        self.term_totals_ = total_frequencies(counts)
        rng = check_random_state(self.random_state)
        start = np.zeros(len(positive), dtype=bool)
        for members in (np.flatnonzero(positive), np.flatnonzero(~positive)):
            start[rng.choice(members, int(np.ceil(self.start_share * len(members))), replace=False)] = True
        self._run(counts, positive, start)
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> IncrementalSVM:
        """Continue training with new documents and verdicts about them.

        The first SVM is trained on the new documents and the kept AV and DARK [P15, Sect. 1]; the rounds continue on these
        alone. Verdicts are the labels of `fit`, where the smaller now means negative; one of the two is enough. Before `fit`,
        this is `fit`. `classes` belongs to scikit-learn's interface and is ignored.
        """
        if not hasattr(self, "coef_"):
            return self.fit(X, y)
        self._check_parameters()
        n_kept = len(self.example_labels_)
        counts, positive = self._with_verdicts(X, y)
        self.term_totals_ = self.term_totals_ + total_frequencies(counts[n_kept:])
        self._run(counts, positive, np.ones(len(positive), dtype=bool))
        return self

    def staged_decision_function(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """Yield the decisions of SVM_0, SVM_1, ..., each of shape (n_documents,)."""
        check_is_fitted(self)
        rows = self._rows(check_counts(self, X))
        for coef, intercept in zip(self.round_coefs_, self.round_intercepts_, strict=True):
            yield np.asarray(rows @ coef + intercept)

    def _run(self, counts: sparse.csr_matrix, positive: NDArray[np.bool_], trained: NDArray[np.bool_]) -> None:
        """Train SVM_0 on the flagged examples, run the rounds and set the fitted attributes."""
        rows, q = self._rows(counts), word_shares(counts, self.term_totals_)
        svms: list[tuple[NDArray[np.float64], float]] = []
        sizes: list[tuple[int, int, int, int]] = []
        last_wrong = np.empty(0, dtype=bool)
        n_unchanged = 0
        while True:
            coef, intercept = self._train(rows[trained], positive[trained])
            decisions = rows @ coef + intercept
            wrong = (decisions > 0) != positive
            margins = np.where(positive, decisions, -decisions)
            # Squared hinge loss: the dual coefficient is a multiple of 1 - margin, and 0 beyond the margin.
            support = trained & (margins < 1)
            dark = least_clear(q, ~wrong, self.mu)
            svms.append((coef, intercept))
            sizes.append((int(trained.sum()), int(support.sum()), int(wrong.sum()), int(dark.sum())))
            n_unchanged = n_unchanged + 1 if np.array_equal(wrong, last_wrong) else 0
            last_wrong = wrong
            reason = self._reason(wrong, n_unchanged, len(svms))
            if reason:
                break
            trained = support | wrong | dark
        self.termination_condition_ = reason
        self.n_iter_ = len(svms)
        self.n_trained_on_, self.n_support_, self.n_false_, self.n_dark_ = np.array(sizes).T
        self.round_coefs_ = np.vstack([coef for coef, _ in svms])
        self.round_intercepts_ = np.array([intercept for _, intercept in svms])
        self.coef_, self.intercept_ = coef[np.newaxis, :], np.array([intercept])
        kept = np.flatnonzero(support | dark)
        chosen = kept[strongest(margins[kept], positive[kept], self.max_examples)]
        self.n_dropped_ = len(kept) - len(chosen)
        self._keep(counts[chosen], positive[chosen])
        logger.debug("Incremental SVM: %d rounds, stopped by %s", self.n_iter_, reason)

    def _reason(self, wrong: NDArray[np.bool_], n_unchanged: int, n_svms: int) -> str:
        if not wrong.any():
            return "none_false"
        if n_unchanged >= self.patience:
            return "false_unchanged"
        return "max_rounds" if n_svms >= self.max_rounds else ""

    def _check_parameters(self) -> None:
        if not 0 <= self.mu <= 100:
            raise ValueError(f"mu must be a percentage in [0, 100]. Got {self.mu}.")
        if not 0 < self.start_share <= 1:
            raise ValueError(f"start_share must be in (0, 1]. Got {self.start_share}.")
        for name, least in (("patience", 1), ("max_rounds", 1), ("max_examples", 2)):
            if getattr(self, name) < least:
                raise ValueError(f"{name} must be at least {least}. Got {getattr(self, name)}.")
