"""The papers' own comparisons of parts of a learner, repeated on the four corpora.

Reliable negatives by lambda [P13, fig. 6-7], ITFIDF against TFIDF [L16, fig. 2], the incremental SVM [P15, tables 1-4] and
clusters of link contexts [P15, fig. 5-6]. What the papers compare between whole learners is in the table of learners.
"""

from __future__ import annotations

import time
import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import paper_plots
from corpora import TEXT_CORPORA, TOPICS, WEBS, Corpus
from learner_trials import Trial, best_f1, draw, weighted_fields
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score, average_precision_score, f1_score, precision_score, recall_score

from focused.learning.clusters.cfu_tree import CFuTree
from focused.learning.clusters.clustering import cluster_f_measure, hac_labels, k_means_labels
from focused.learning.estimators.batch_svm import BatchSVM
from focused.learning.estimators.incremental_svm import IncrementalSVM
from focused.learning.estimators.naive_bayes import NaiveBayes
from focused.learning.reliable.positive_features import document_rates, features_held, positive_features
from focused.text.vocabulary import document_frequencies, select_terms
from focused.text.weighting import inverse_document_frequency, tfc

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray
    from scipy import sparse

    Load = Callable[[str], Corpus]
    Job = Sequence[Any]

SEEDS = range(3)


class Comparison(NamedTuple):
    """A comparison as jobs that know nothing of each other."""

    name: str
    title: str
    jobs: Callable[[Load], list[Job]]
    """Keys of all jobs, as JSON can hold them."""
    run: Callable[[Job, Load], dict[str, Any]]
    """Do one job; what it finds, as JSON can hold it."""
    report: Callable[[list[dict[str, Any]], Path], str]
    """Write figures into a folder; the tables and figures in Markdown."""


# Reliable negatives ---------------------------------------------------------------------------------------------------

LAMBDAS = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
"""0 is the unconstrained 1-DNF."""
N_POSITIVE = 30
"""Of a web; of a text corpus the share of its class that the table of learners takes."""


def reliable_negative_jobs(load: Load) -> list[Job]:
    return [(name, topic, seed) for name in TOPICS for topic in TOPICS[name] for seed in SEEDS]


def run_reliable_negatives(job: Job, load: Load) -> dict[str, Any]:
    """Find the reliable negatives of 1-DNFC at each lambda, which stays where it is."""
    name, topic, seed = job
    corpus = load(name)
    examples = draw(corpus, Trial(name, topic, 0 if name in TEXT_CORPORA else N_POSITIVE, seed))
    counts = corpus.counts[examples.training]
    counts = counts[:, select_terms(counts, examples.positive)]
    positive, unlabeled = counts[examples.positive], counts[~examples.positive]
    hidden = corpus.labels[topic][examples.training][~examples.positive]
    in_positive, in_unlabeled = document_rates(positive), document_rates(unlabeled)
    found: dict[str, list[float]] = {"features": [], "reliable": [], "wrong": []}
    for lambda_ in LAMBDAS:
        features = positive_features(in_positive, in_unlabeled, lambda_)
        reliable = features_held(unlabeled, features) == 0
        found["features"].append(len(features))
        found["reliable"].append(int(reliable.sum()))
        found["wrong"].append(int(reliable[hidden].sum()))
    sizes = {"n_positive": positive.shape[0], "n_unlabeled": unlabeled.shape[0], "n_hidden": int(hidden.sum())}
    return {"corpus": name, "topic": topic, "seed": seed, "lambdas": LAMBDAS, **sizes, **found}


# ITFIDF against TFIDF -------------------------------------------------------------------------------------------------

FORMS = {"TFIDF": (False, "tfidf"), "IG": (False, "itfidf"), "fields": (True, "tfidf"), "ITFIDF": (True, "itfidf")}
"""ITFIDF is two changes to TFIDF: sections weigh differently, and a term's information gain is a factor."""
SHARES = [1.0, 0.5, 0.2, 0.1, 0.05, 0.02]


def itfidf_jobs(load: Load) -> list[Job]:
    return [
        (name, form, share)
        for name in TEXT_CORPORA
        for form in FORMS
        for share in SHARES
        if share == 1 or form in ("TFIDF", "ITFIDF")
    ]


def run_itfidf(job: Job, load: Load) -> dict[str, Any]:
    """Train naive Bayes on all labels of the documents of ten topics, as L16 does, and judge the test split's."""
    name, form, share = job
    corpus = load(name)
    weigh_fields, weighting = FORMS[form]
    of_ten = np.any([corpus.labels[topic] for topic in TOPICS[name]], axis=0)
    training, test = np.flatnonzero(of_ten & ~corpus.is_test), np.flatnonzero(of_ten & corpus.is_test)
    frequencies = weighted_fields(corpus, slice(None)) if weigh_fields else corpus.counts
    log_odds, shares = [], []
    for topic in TOPICS[name]:
        told = corpus.labels[topic][training]
        terms = select_terms(corpus.counts[training], told)
        learner = NaiveBayes(weighting=weighting, term_share=share, unlabeled_are_negative=True)
        learner.fit(frequencies[training][:, terms], told)
        log_odds.append(learner.decision_function(frequencies[test][:, terms]))
        shares.append(told.mean())
    even = np.array(log_odds).T
    printed = even + np.log(shares) - np.log1p(-np.array(shares))
    best = printed.argmax(axis=1)
    measures: dict[str, list[float]] = {
        name: [] for name in ("precision", "recall", "f1", "f1_printed", "f1_one_topic", "best_f1", "ap")
    }
    for column, topic in enumerate(TOPICS[name]):
        truth, accepted = corpus.labels[topic][test], even[:, column] > 0
        measures["precision"].append(precision_score(truth, accepted, zero_division=0))
        measures["recall"].append(recall_score(truth, accepted))
        measures["f1"].append(f1_score(truth, accepted))
        measures["f1_printed"].append(f1_score(truth, printed[:, column] > 0))
        measures["f1_one_topic"].append(f1_score(truth, best == column))
        measures["best_f1"].append(best_f1(truth, even[:, column]))
        measures["ap"].append(average_precision_score(truth, even[:, column]))
    return {"corpus": name, "form": form, "share": share, "topics": TOPICS[name], **measures}


# Incremental SVM ------------------------------------------------------------------------------------------------------

MUS = [10, 20, 30, 40, 50, 60, 70, 80, 90]
N_SLICES = 5


def incremental_jobs(load: Load) -> list[Job]:
    return [(name, topic, seed) for name in TEXT_CORPORA for topic in TOPICS[name] for seed in SEEDS]


def run_incremental(job: Job, load: Load) -> dict[str, Any]:
    """Train the incremental and the batch SVM on all labels, at once and in slices, and judge the test split."""
    name, topic, seed = job
    corpus = load(name)
    training, test = np.flatnonzero(~corpus.is_test), np.flatnonzero(corpus.is_test)
    told, truth = corpus.labels[topic][training], corpus.labels[topic][test]
    terms = select_terms(corpus.counts[training], told)
    train, judged = corpus.counts[training][:, terms], corpus.counts[test][:, terms]
    options: dict[str, Any] = {"unlabeled_are_negative": True, "random_state": seed}
    found: dict[str, Any] = {"corpus": name, "topic": topic, "seed": seed, "mus": MUS, "n_training": len(training)}
    by_mu: dict[str, list[float]] = {"f1": [], "rounds": [], "trained_on": [], "seconds": []}
    for mu in MUS:
        svm = IncrementalSVM(mu=mu, **options)
        seconds = timed(lambda svm=svm: svm.fit(train, told))
        by_mu["f1"].append(f1_score(truth, svm.predict(judged)))
        by_mu["rounds"].append(svm.n_iter_)
        by_mu["trained_on"].append(int(svm.n_trained_on_[-1]))
        by_mu["seconds"].append(seconds)
        if mu == MUS[0]:
            found["f1_of_rounds"] = [f1_score(truth, d > 0) for d in svm.staged_decision_function(judged)]
            found["sizes_of_rounds"] = svm.n_trained_on_.tolist()
            found["false_of_rounds"] = svm.n_false_.tolist()
    batch = BatchSVM(**options)
    found["batch"] = {"seconds": timed(lambda: batch.fit(train, told)), "f1": f1_score(truth, batch.predict(judged))}
    order = np.random.default_rng(seed).permutation(len(training))
    slices = np.array_split(order, N_SLICES)
    found["slices"] = {}
    for kind, learner in (("incremental", IncrementalSVM(**options)), ("batch", BatchSVM(**options))):
        seconds, f1, kept = [], [], []
        for rows in slices:
            seconds.append(timed(lambda rows=rows, learner=learner: learner.partial_fit(train[rows], told[rows])))
            f1.append(f1_score(truth, learner.predict(judged)))
            kept.append(len(learner.example_labels_))
        found["slices"][kind] = {"seconds": seconds, "f1": f1, "kept": kept}
    return {**found, "by_mu": by_mu}


# Clusters -------------------------------------------------------------------------------------------------------------

CLUSTER_LAMBDAS = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
N_SAMPLED = 1000
MIN_LINKS = 10
N_PARTS = 4


def cluster_jobs(load: Load) -> list[Job]:
    parts = [(name, "pages", part) for name in WEBS for part in range(N_PARTS)]
    return parts + [(name, "sample", seed) for name in WEBS for seed in SEEDS]


def run_clusters(job: Job, load: Load) -> dict[str, Any]:
    """Cluster link contexts, page by page or a sample from the whole web, by every method."""
    name, scope, number = job
    corpus = load(name)
    assert corpus.context_counts is not None
    terms = select_terms(corpus.counts, np.zeros(corpus.counts.shape[0], dtype=bool))
    idf = inverse_document_frequency(document_frequencies(corpus.counts[:, terms]), corpus.counts.shape[0])
    contexts = tfc(corpus.context_counts[:, terms], idf)
    links, classes = classed_links(corpus, np.flatnonzero(np.diff(contexts.indptr)))
    if scope == "pages":
        sets = list(pages_of_links(corpus.link_sources[links], classes))[number::N_PARTS]
    else:
        sets = [np.random.default_rng(number).choice(len(links), N_SAMPLED, replace=False)]
    units = [
        {
            "n_units": len(chosen),
            "n_classes": len(np.unique(classes[chosen])),
            "methods": clustered(contexts[links[chosen]], classes[chosen], number),
        }
        for chosen in sets
    ]
    return {"corpus": name, "scope": scope, "number": number, "sets": units}


def classed_links(corpus: Corpus, worded: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return those of some links whose target has exactly one topic, and the number of that topic for each."""
    topics = np.vstack([corpus.labels[topic] for topic in TOPICS[corpus.name]])
    links = worded[topics.sum(axis=0)[corpus.link_targets[worded]] == 1]
    return links, topics.argmax(axis=0)[corpus.link_targets[links]]


def pages_of_links(sources: NDArray[np.int64], classes: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """Yield for each page with enough links, to targets of two topics at least, the places of its links."""
    for source in np.unique(sources):
        places = np.flatnonzero(sources == source)
        if len(places) >= MIN_LINKS and len(np.unique(classes[places])) > 1:
            yield places


def clustered(rows: sparse.csr_matrix, classes: NDArray[np.int64], seed: int) -> dict[str, dict[str, float]]:
    """Return for each method the number of clusters, their F-measure, their adjusted Rand index and milliseconds."""
    n_true = len(np.unique(classes))
    found: dict[str, dict[str, float]] = {}

    def note(method: str, cluster: Callable[[], NDArray[np.intp]]) -> int:
        start = time.process_time()
        with warnings.catch_warnings():
            # Of fewer different contexts than clusters K-means makes fewer clusters, and says so.
            warnings.simplefilter("ignore", ConvergenceWarning)
            labels = cluster()
        milliseconds = (time.process_time() - start) * 1000
        found[method] = {
            "n_clusters": len(np.unique(labels)),
            "f": cluster_f_measure(classes, labels),
            "rand": float(adjusted_rand_score(classes, labels)),
            "milliseconds": milliseconds,
        }
        return int(found[method]["n_clusters"])

    for lambda_ in CLUSTER_LAMBDAS:
        for order in ("smaller", "larger"):
            tree = CFuTree(lambda_=lambda_, compare=order)
            note(f"{order} {lambda_:g}", lambda tree=tree: tree.fit(rows).labels_)
    n_found = int(found["smaller 3"]["n_clusters"])
    note("inserted", lambda: CFuTree().fit(rows[:1]).partial_fit(rows[1:]).labels_)
    for count, n_clusters in (("true", n_true), ("found", n_found)):
        note(f"HAC {count}", lambda n_clusters=n_clusters: hac_labels(rows, n_clusters))
        note(f"K-means {count}", lambda n_clusters=n_clusters: k_means_labels(rows, n_clusters, seed))
    note("one cluster", lambda: np.zeros(len(classes), dtype=np.intp))
    note("one for each", lambda: np.arange(len(classes)))
    return found


def timed(work: Callable[[], Any]) -> float:
    """Return the CPU seconds that some work takes."""
    start = time.process_time()
    work()
    return time.process_time() - start


COMPARISONS = [
    Comparison(
        "reliable_negatives",
        "Reliable negatives of 1-DNFC by lambda [P13, fig. 6-7]",
        reliable_negative_jobs,
        run_reliable_negatives,
        paper_plots.report_reliable_negatives,
    ),
    Comparison("itfidf", "ITFIDF against TFIDF [L16, fig. 2]", itfidf_jobs, run_itfidf, paper_plots.report_itfidf),
    Comparison(
        "incremental",
        "The incremental SVM [P15, tables 1-4]",
        incremental_jobs,
        run_incremental,
        paper_plots.report_incremental,
    ),
    Comparison(
        "clusters",
        "Clusters of link contexts against HAC and K-means [P15, fig. 5-6]",
        cluster_jobs,
        run_clusters,
        paper_plots.report_clusters,
    ),
]
