"""One trial of the comparison of learners: a topic of a corpus, examples drawn with a seed, every learner fitted to them."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import numpy as np
from corpora import TEXT_CORPORA, TOPICS, WEBS, Corpus
from corpus_documents import FIELDS
from research.fields import field_frequencies
from research.km2 import km2_prior
from research.tice import tice_prior
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import average_precision_score, f1_score, precision_recall_curve, precision_score, recall_score
from sklearn.svm import LinearSVC

from focused.method.learning import training
from focused.method.learning.estimators.against_unlabeled import AgainstUnlabeled
from focused.method.learning.estimators.biased_svm import BiasedSVM, WeightedLogistic
from focused.method.learning.estimators.class_prior import estimate_prior
from focused.method.learning.estimators.elkan_noto import ElkanNoto
from focused.method.learning.estimators.mixture_proportion import elkan_noto_prior
from focused.method.learning.estimators.nnpu import NonNegativePU
from focused.method.learning.estimators.one_class import OneClass
from focused.method.learning.estimators.plain_svm import PlainSVM
from focused.method.learning.estimators.screened_svm import ScreenedSVM
from focused.method.learning.estimators.weightings import WEIGHTINGS
from focused.method.learning.training_set import LinkExamples
from focused.method.learning.two_step.batch_svm import BatchSVM
from focused.method.learning.two_step.incremental_svm import IncrementalSVM
from focused.method.learning.two_step.iterated_svm import IteratedSVM
from focused.method.learning.two_step.naive_bayes import NaiveBayes
from focused.method.learning.two_step.psoc import PSOC
from focused.method.learning.two_step.wvc import WVC
from focused.method.text.vocabulary import select_terms

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray
    from scipy import sparse

SHARE_OF_CLASS = 0.3
"""Of a class of a text corpus this share of the training documents is P, the rest of the training set is U."""
N_POSITIVE = (30, 10)
N_UNLABELED = 1500
N_BINS = 10


class SupervisedSVM(PlainSVM):
    """The upper bound: a linear SVM trained on all labels."""

    def fit(self, X: Any, y: Any) -> SupervisedSVM:
        """Fit as `PlainSVM` does, but with classes as they are."""
        with patch("focused.method.learning.estimators.plain_svm.LinearSVC", _unbalanced):
            super().fit(X, y)
        return self


def _unbalanced(**options: Any) -> LinearSVC:
    return LinearSVC(**{**options, "class_weight": None})


SUPERVISED = "supervised SVM"
DEFAULT = "screened SVM"
_S: dict[str, Any] = {"sublinear_tf": True}
_TWO_STEP: dict[str, Any] = {**_S, "too_few": "lowest"}
LEARNERS: dict[tuple[str, str], Callable[[], Any]] = {
    **{(SUPERVISED, w): (lambda w=w: SupervisedSVM(weighting=w, **_S)) for w in WEIGHTINGS},
    ("supervised SVM, balanced", "tfc"): lambda: PlainSVM(**_S),
    (DEFAULT, "tfidf"): lambda: ScreenedSVM(**_S),
    ("logistic regression, P against U", "tfc"): lambda: AgainstUnlabeled(**_S),
    **{("SVM, P against U", w): (lambda w=w: PlainSVM(weighting=w, **_S)) for w in WEIGHTINGS},
    **{("WVC", w): (lambda w=w: WVC(weighting=w, **_TWO_STEP)) for w in WEIGHTINGS},
    **{
        (f"WVC, {method}", "tfc"): (lambda method=method: WVC(weighting="tfc", reliable=method, **_TWO_STEP))
        for method in ("1-dnf", "1-dnfii", "spy", "rocchio", "knn")
    },
    **{
        ("PEBL", w): (lambda w=w: IteratedSVM(weighting=w, reliable="1-dnf", guard=None, **_TWO_STEP))
        for w in WEIGHTINGS
    },
    ("iterated SVM", "tfc"): lambda: IteratedSVM(weighting="tfc", **_TWO_STEP),
    ("PSOC", "tfc"): lambda: PSOC(weighting="tfc", reliable="1-dnfii", **_TWO_STEP),
    **{("one-class SVM", w): (lambda w=w: OneClass(weighting=w, **_S)) for w in ("tfc", "tfipndf")},
    ("incremental SVM", "tfc"): lambda: IncrementalSVM(**_TWO_STEP),
    ("batch SVM, 1-dnfii", "tfc"): lambda: BatchSVM(**_TWO_STEP),
    ("naive Bayes", "itfidf"): lambda: NaiveBayes(**_TWO_STEP),
    ("naive Bayes", "tfidf"): lambda: NaiveBayes(weighting="tfidf", **_TWO_STEP),
    ("Elkan-Noto", "tfc"): lambda: ElkanNoto(c_estimator="fitted", **_S),
    ("nnPU", "tfc"): lambda: NonNegativePU(loss="logistic", balanced=True, C=5.0, **_S),
    ("biased SVM", "tfc"): lambda: BiasedSVM(**_S),
    ("weighted logistic regression", "tfc"): lambda: WeightedLogistic(**_S),
}
"""What is compared. Two-step learners take the likeliest negatives where their method finds too few (D14)."""


@dataclass(frozen=True)
class Trial:
    """A topic, the number of positives (0: a share of its class) and a seed."""

    corpus: str
    topic: str
    n_positive: int
    seed: int


def trials(seeds: range) -> list[Trial]:
    """Return all trials, those of one corpus side by side."""
    texts = [Trial(name, topic, 0, seed) for name in TEXT_CORPORA for topic in TOPICS[name] for seed in seeds]
    webs = [
        Trial(name, topic, n, seed) for name in WEBS for n in N_POSITIVE for topic in TOPICS[name] for seed in seeds
    ]
    return texts + webs


@dataclass(frozen=True)
class Examples:
    """Rows of the corpus: P and U together, which of them are P, and those that are judged."""

    training: NDArray[np.int64]
    positive: NDArray[np.bool_]
    test: NDArray[np.int64]


def draw(corpus: Corpus, trial: Trial) -> Examples:
    """Draw the examples of a trial: the same for every learner, and on any machine."""
    rng = np.random.default_rng([trial.seed, *trial.topic.encode()])
    relevant = corpus.labels[trial.topic]
    if trial.corpus in TEXT_CORPORA:
        known = np.flatnonzero(~corpus.is_test)
        of_class = known[relevant[known]]
        positive = rng.choice(of_class, round(SHARE_OF_CLASS * len(of_class)), replace=False)
        unlabeled, test = np.setdiff1d(known, positive), np.flatnonzero(corpus.is_test)
    else:
        positive = rng.choice(np.flatnonzero(relevant), trial.n_positive, replace=False)
        rest = np.setdiff1d(np.arange(len(relevant)), positive)
        unlabeled = rng.choice(rest, N_UNLABELED, replace=False)
        test = np.setdiff1d(rest, unlabeled)
    together = np.concatenate([positive, unlabeled])
    return Examples(together, np.arange(len(together)) < len(positive), test)


def best_f1(truth: NDArray[np.bool_], decisions: NDArray[np.float64]) -> float:
    """Return F1 at the threshold that the labels themselves would choose."""
    precision, recall, _ = precision_recall_curve(truth, decisions)
    return float((2 * precision * recall / np.maximum(precision + recall, 1e-12)).max())


def run_learner(
    corpus: Corpus, trial: Trial, name: tuple[str, str], make: Callable[[], Any] | None = None
) -> dict[str, Any]:
    """Fit one learner to a trial and judge its test documents; a learner that refuses says why.

    ``make``: makes a learner that is none of `LEARNERS`.
    """
    examples = draw(corpus, trial)
    relevant = corpus.labels[trial.topic]
    terms = select_terms(corpus.counts[examples.training], examples.positive)
    counts = weighted_fields(corpus, terms) if name[0] == "naive Bayes" else corpus.counts[:, terms]
    truth, told = relevant[examples.test], examples.positive
    hidden = np.flatnonzero(relevant[examples.training] & ~told)
    if name[0].startswith("supervised"):
        told = relevant[examples.training]
    learner = (make or LEARNERS[name])()
    if "random_state" in learner.get_params():
        learner.set_params(random_state=trial.seed)
    train = counts[examples.training]
    start = time.process_time()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            learner.fit(train, told)
    except ValueError as error:
        return {"failed": str(error)}
    seconds = time.process_time() - start
    decisions = learner.decision_function(counts[examples.test])
    accepted = decisions > 0
    found = {
        "precision": precision_score(truth, accepted, zero_division=0),
        "recall": recall_score(truth, accepted),
        "f1": f1_score(truth, accepted),
        "ap": average_precision_score(truth, decisions),
        "best_f1": best_f1(truth, decisions),
        "seconds": seconds,
    }
    reliable = getattr(learner, "reliable_negatives_", None)
    if reliable is not None:
        found["err"] = float(np.isin(hidden, reliable).mean())
        found["reliable_share"] = len(reliable) / int((~told).sum())
    return {key: float(value) for key, value in found.items()}


def weighted_fields(corpus: Corpus, terms: NDArray[np.int64] | slice) -> sparse.csr_matrix:
    """Return term frequencies with headline, keywords and anchor text weighted as L16 does."""
    fields = [corpus.fields[part][:, terms] for part in FIELDS]
    body = (corpus.counts[:, terms] - sum(fields[1:], fields[0])).maximum(0).tocsr()
    body.eliminate_zeros()
    return field_frequencies(*fields, body)


# What `scrapy train` makes of it ---------------------------------------------------------------------------------------


def run_topic(corpus: Corpus, trial: Trial) -> dict[str, Any]:
    """Train a topic as ``scrapy train`` does, and judge pages, anchor texts and contexts it has not seen."""
    examples = draw(corpus, trial)
    relevant = corpus.labels[trial.topic]
    heard: list[tuple[NDArray[np.float64], NDArray[np.float64]]] = []

    def listen(positive: NDArray[np.float64], unlabeled: NDArray[np.float64]) -> Any:
        heard.append((positive, unlabeled))
        return estimate_prior(positive, unlabeled)

    start = time.process_time()
    with patch.object(training, "estimate_prior", listen):
        model = training.train_topic(
            corpus.counts[examples.training],
            examples.positive,
            link_examples=_links_among(corpus, examples),
            random_state=trial.seed,
        )
    seconds = time.process_time() - start
    truth = relevant[examples.test]
    decisions, n_known = model.decisions(corpus.counts[examples.test])
    relevance = model.relevance("page", decisions, n_known)
    accepted = relevance >= model.threshold("page")
    found: dict[str, Any] = {
        "precision": float(precision_score(truth, accepted, zero_division=0)),
        "recall": float(recall_score(truth, accepted)),
        "f1": float(f1_score(truth, accepted)),
        "best_f1": best_f1(truth, decisions),
        "seconds": seconds,
        "kinds": {"page": reliability(truth, relevance, decisions, n_known)},
        "priors": _priors(*heard[0], float(relevant[examples.training][~examples.positive].mean())),
    }
    if corpus.anchor_counts is not None and corpus.context_counts is not None:
        trained_on = np.zeros(len(relevant), dtype=bool)
        trained_on[examples.training] = True
        unseen = np.flatnonzero(~trained_on[corpus.link_sources] & ~trained_on[corpus.link_targets])
        truth = relevant[corpus.link_targets[unseen]]
        for kind, counts in (("anchor", corpus.anchor_counts), ("context", corpus.context_counts)):
            decisions, n_known = model.decisions(counts[unseen])
            found["kinds"][kind] = reliability(truth, model.relevance(kind, decisions, n_known), decisions, n_known)
    return found


def _links_among(corpus: Corpus, examples: Examples) -> LinkExamples | None:
    if corpus.anchor_counts is None or corpus.context_counts is None:
        return None
    row = np.full(corpus.counts.shape[0], -1, dtype=np.int64)
    row[examples.training] = np.arange(len(examples.training))
    kept = np.flatnonzero((row[corpus.link_sources] >= 0) & (row[corpus.link_targets] >= 0))
    sources, targets = row[corpus.link_sources[kept]], row[corpus.link_targets[kept]]
    return LinkExamples(sources, targets, corpus.anchor_counts[kept], corpus.context_counts[kept])


def _priors(positive: NDArray[np.float64], unlabeled: NDArray[np.float64], truth: float) -> dict[str, float]:
    return {
        "truth": truth,
        "ours": estimate_prior(positive, unlabeled).prior,
        "Elkan-Noto, e1": elkan_noto_prior(positive, unlabeled).prior,
        "Elkan-Noto, fitted": elkan_noto_prior(positive, unlabeled, c_estimator="fitted").prior,
        "KM2": km2_prior(positive, unlabeled).prior,
        "TIcE": tice_prior(positive, unlabeled, random_state=0).prior,
    }


def reliability(
    truth: NDArray[np.bool_],
    relevance: NDArray[np.float64],
    decisions: NDArray[np.float64],
    n_known: NDArray[np.int64],
) -> dict[str, Any]:
    """Return the calibration error of relevances: ten bins of equal width, and their summary."""
    known = n_known > 0
    bins = np.minimum((relevance * N_BINS).astype(int), N_BINS - 1)
    n = np.bincount(bins, minlength=N_BINS)
    claimed = np.bincount(bins, weights=relevance, minlength=N_BINS)
    found = np.bincount(bins, weights=truth, minlength=N_BINS)
    base = float(truth.mean())
    return {
        "n": n.tolist(),
        "claimed": claimed.tolist(),
        "found": found.tolist(),
        "base": base,
        "ece": float(np.abs(claimed - found).sum() / len(truth)),
        "brier": float(np.mean((relevance - truth) ** 2)),
        "brier_of_base": base * (1 - base),
        # A unit without a known term has no decision to rank it by: it is unknown, not irrelevant.
        "known_share": float(known.mean()),
        "ap": float(average_precision_score(truth[known], relevance[known])),
        "ap_of_decision": float(average_precision_score(truth[known], decisions[known])),
        "ap_with_unknown": float(average_precision_score(truth, relevance)),
    }
