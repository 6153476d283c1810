"""Naive Bayes over weighted terms, as a linear classifier [L16, Sect. 3]."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from focused.method.learning.estimators.base import check_examples
from focused.method.learning.two_step.training_negatives import TwoClassLearner
from focused.method.text.itfidf import information_gain, itfidf, mutual_information
from focused.method.text.vocabulary import document_frequencies, total_frequencies
from focused.method.text.weighting import inverse_document_frequency

if TYPE_CHECKING:
    from numpy.typing import NDArray

WEIGHTINGS = ("itfidf", "tfidf")


class NaiveBayes(TwoClassLearner):
    """Multinomial naive Bayes whose counts are ITFIDF weights [L16, Sect. 3].

    Terms are pruned by mutual information, weighed by tf idf IG / |tf idf|, and summed up for each class:

        P(t|C) = (1 + sum of w_td over d in C) / (|V| + sum of all w_sd over d in C)       [L16, eq. 10]
        ln P(C|d) = ln P(C) + sum of w_td ln P(t|C) + constant                             [L16, eq. 9]

    w_td is the tfc weight of t in d times IG_t, so the log-odds of the classes are linear in tfc rows, with
    coefficients IG_t (ln P(t|P) - ln P(t|N)). Equations 8 to 10 are illegible in our copy of the paper; this is our
    reading. The classes are P and the reliable negatives.

    Parameters
    ----------
    weighting : {"itfidf", "tfidf"}, default="itfidf"
        "tfidf" leaves the information gain out.
    term_share : float, default=1.0
        Share of the terms to keep, those with the highest mutual information, in (0, 1]; all ties at the limit are kept. The
        default prunes none (docs/method/, D28): the measure favours rare terms, and a smaller share ranks no better.
    prior : float or None, default=0.5
        P(C) of the positive class, in (0, 1). None: the share of positives among the training documents, as printed.
        That share tells how many pages were gathered, not how common relevant pages are (docs/method/, D27), unless the
        training set is a random draw.
    reliable, too_few, unlabeled_are_negative
        See `TwoClassLearner`.
    random_state : int, RandomState instance or None, default=None
        Seed of the search for reliable negatives, if it draws.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_terms)
        0 for terms that were pruned.
    intercept_ : ndarray of shape (1,)
        ln P(P) - ln P(N).
    term_weights_ : ndarray of shape (n_terms,)
        idf, 0 for terms that were pruned.
    term_gains_ : ndarray of shape (n_terms,)
        IG of each term; 1 with `weighting="tfidf"`.
    term_log_prob_ : ndarray of shape (2, n_terms)
        ln P(t|C) of the negative and the positive class; -infinity for pruned terms.
    mutual_information_ : ndarray of shape (n_terms,)
    kept_terms_ : ndarray of int
        Columns that were not pruned.
    """

    def __init__(
        self,
        *,
        weighting: str = "itfidf",
        term_share: float = 1.0,
        prior: float | None = 0.5,
        reliable: str = "1-dnfc",
        too_few: str = "lowest",
        unlabeled_are_negative: bool = False,
        sublinear_tf: bool = False,
        random_state: Any = None,
    ) -> None:
        self.weighting = weighting
        self.term_share = term_share
        self.prior = prior
        self.reliable = reliable
        self.too_few = too_few
        self.unlabeled_are_negative = unlabeled_are_negative
        self.sublinear_tf = sublinear_tf
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> NaiveBayes:
        """Learn the terms of both classes from `X` of shape (n_documents, n_terms) and two labels `y`, the larger positive.

        X are term counts, or frequencies weighted by section (`research.fields`).
        """
        self._check_parameters()
        counts, positive, self.classes_ = check_examples(self, X, y)
        used = self._training_flags(counts, positive)
        documents, is_positive = counts[used], positive[used]
        self.mutual_information_ = mutual_information(documents, is_positive)
        self.kept_terms_ = most_informative(self.mutual_information_, self.term_share)
        kept = np.zeros(counts.shape[1], dtype=bool)
        kept[self.kept_terms_] = True

        idf = inverse_document_frequency(document_frequencies(counts), counts.shape[0])
        self.term_weights_ = np.where(kept, idf, 0.0)
        self.term_gains_ = information_gain(documents) if self.weighting == "itfidf" else np.ones(len(idf))
        weights = itfidf(documents, self.term_weights_, self.term_gains_, sublinear=self.sublinear_tf)
        masses = np.vstack([total_frequencies(weights[members]) for members in (~is_positive, is_positive)])
        with np.errstate(divide="ignore"):
            in_class = np.log(np.where(kept, 1.0 + masses, 0.0))
        self.term_log_prob_ = in_class - np.log(max(kept.sum(), 1) + masses.sum(axis=1, keepdims=True))
        difference = np.zeros(len(idf))
        difference[kept] = self.term_log_prob_[1, kept] - self.term_log_prob_[0, kept]
        self.coef_ = (self.term_gains_ * difference)[np.newaxis, :]
        share = is_positive.mean() if self.prior is None else self.prior
        self.intercept_ = np.array([np.log(share) - np.log1p(-share)])
        return self

    def _check_parameters(self) -> None:
        if self.weighting not in WEIGHTINGS:
            raise ValueError(f"weighting must be one of {', '.join(WEIGHTINGS)}. Got {self.weighting!r}.")
        if not 0 < self.term_share <= 1:
            raise ValueError(f"term_share must be in (0, 1]. Got {self.term_share}.")
        if self.prior is not None and not 0 < self.prior < 1:
            raise ValueError(f"prior must be None or lie between 0 and 1. Got {self.prior}.")


def most_informative(mutual_information: NDArray[np.float64], share: float) -> NDArray[np.intp]:
    """Return the columns of the `share` of all held terms with the highest mutual information, and ties."""
    held = mutual_information[np.isfinite(mutual_information)]
    if not len(held):
        return np.empty(0, dtype=np.intp)
    cut = np.sort(held)[::-1][int(np.ceil(share * len(held))) - 1]
    return np.flatnonzero(mutual_information >= cut)
