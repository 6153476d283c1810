"""The incremental SVM [P15, tables 1-4]."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from common import table
from corpora import TEXT_CORPORA, TOPICS
from sklearn.metrics import f1_score

from comparisons.base import SEEDS, Comparison, timed
from comparisons.plotting import (
    COLOURS,
    GREY,
    MARKERS,
    NAMES,
    STYLE,
    corpora_of,
    curves,
    difference,
    figure,
    of_corpus,
    over_topics,
    padded,
    save,
)
from focused.method.learning.two_step.batch_svm import BatchSVM
from focused.method.learning.two_step.incremental_svm import IncrementalSVM
from focused.method.text.vocabulary import select_terms

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from comparisons.base import Found, Job, Load

MUS = [10, 20, 30, 40, 50, 60, 70, 80, 90]
N_SLICES = 5


def jobs(load: Load) -> list[Job]:
    return [(name, topic, seed) for name in TEXT_CORPORA for topic in TOPICS[name] for seed in SEEDS]


def run(job: Job, load: Load) -> dict[str, Any]:
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


@mpl.rc_context(STYLE)
def report(results: list[Found], folder: Path) -> str:
    """Return F1 after each round and for each mu, the training examples, and slices against full retraining."""
    names, mus = corpora_of(results), results[0]["mus"]
    n_rounds = max(len(r["f1_of_rounds"]) for r in results)
    rounds = {n: over_topics(of_corpus(results, n), lambda r: padded(r["f1_of_rounds"], n_rounds)) for n in names}
    sizes = {n: over_topics(of_corpus(results, n), lambda r: share_of_training(r, n_rounds))[0] for n in names}
    wrong = {n: over_topics(of_corpus(results, n), lambda r: padded(r["false_of_rounds"], n_rounds))[0] for n in names}
    batch = {n: over_topics(of_corpus(results, n), lambda r: r["batch"]["f1"]) for n in names}
    batch_seconds = {n: over_topics(of_corpus(results, n), lambda r: r["batch"]["seconds"])[0] for n in names}
    by_mu = {
        (n, key): over_topics(of_corpus(results, n), lambda r, key=key: r["by_mu"][key])
        for n in names
        for key in ("f1", "rounds", "trained_on", "seconds")
    }
    drawing, panels = figure(1, 2, 3.4, sharey=True)
    for axes, x, measured in (
        (panels[0], range(n_rounds), rounds),
        (panels[1], mus, {n: by_mu[n, "f1"] for n in names}),
    ):
        axes.set(ylim=(0.6, 0.9))
        axes.grid(axis="y", linewidth=0.4)
        for n in names:
            axes.axhline(batch[n][0], color=COLOURS[n], linewidth=1, linestyle=":")
        curves(axes, list(x), [(NAMES[n], COLOURS[n], MARKERS[n], measured[n][0], None) for n in names])
    panels[0].set(
        title="after each SVM, mu = 10 %", xlabel="SVM number", ylabel="F1, mean of ten topics (axis from 0.6)"
    )
    panels[1].set(title="at the end, by mu", xlabel="mu, % of TRUE trained on again")
    drawing.suptitle("dotted: one SVM trained on everything", fontsize=9, color=GREY)
    shown = save(drawing, folder, "incremental", "F1 of the incremental SVM after each round and by mu")
    round_rows = [
        [NAMES[n], what, *(form.format(value) for value in values)]
        for n in names
        for what, form, values in (
            ("F1", "{:.3f}", rounds[n][0]),
            ("trained on, % of T", "{:.1f}", sizes[n]),
            ("FALSE, documents", "{:.0f}", wrong[n]),
        )
    ]
    mu_rows = [
        [NAMES[n], what, *(form.format(scale * value) for value in by_mu[n, key][0]), form.format(of_batch)]
        for n in names
        for what, key, form, scale, of_batch in (
            ("F1", "f1", "{:.3f}", 1, batch[n][0]),
            (
                "trained on at the end, % of T",
                "trained_on",
                "{:.0f}",
                100 / of_corpus(results, n)[0]["n_training"],
                100,
            ),
            ("SVMs", "rounds", "{:.1f}", 1, 1),
            ("CPU seconds", "seconds", "{:.2f}", 1, batch_seconds[n]),
        )
    ]
    gains = [
        [
            NAMES[n],
            *(difference(f1_of_topics(results, n, mu), f1_of_topics(results, n, None)) for mu in range(len(mus))),
        ]
        for n in names
    ]
    n_slices = len(results[0]["slices"]["batch"]["f1"])
    slice_rows = [
        [NAMES[n], kind, what, *(form.format(value) for value in mean_of_slices(of_corpus(results, n), kind, key))]
        for n in names
        for what, key, form in (
            ("F1", "f1", "{:.3f}"),
            ("CPU seconds", "seconds", "{:.2f}"),
            ("documents kept", "kept", "{:.0f}"),
        )
        for kind in ("incremental", "batch")
    ]
    return "\n\n".join(
        [
            shown,
            "Ten topics, three seeds, all labels known; F1 on the test split. After each SVM, mu = 10 % (topics that end "
            "earlier keep their last value):",
            table(["corpus", "", *(f"SVM {i}" for i in range(n_rounds))], round_rows),
            "By mu, beside one SVM trained on all of T:",
            table(["corpus", "", *(f"mu = {mu} %" for mu in mus), "batch"], mu_rows),
            "Gain in F1 over the batch SVM, mean ± standard error over topics (topics that gain):",
            table(["corpus", *(f"mu = {mu} %" for mu in mus)], gains),
            f"The training set in {n_slices} slices one after the other; batch is trained again on all there is each time:",
            table(["corpus", "learner", "", *(f"slice {i + 1}" for i in range(n_slices))], slice_rows),
        ]
    )


def f1_of_topics(results: list[Found], name: str, mu: int | None) -> list[float]:
    """Return F1 of each topic (mean over its seeds) of the batch SVM, or with one mu."""
    by_topic = defaultdict(list)
    for r in of_corpus(results, name):
        by_topic[r["topic"]].append(r["batch"]["f1"] if mu is None else r["by_mu"]["f1"][mu])
    return [float(np.mean(values)) for _, values in sorted(by_topic.items())]


def share_of_training(result: Found, n_rounds: int) -> NDArray[np.float64]:
    return 100 * np.array(padded(result["sizes_of_rounds"], n_rounds)) / result["n_training"]


def mean_of_slices(results: list[Found], kind: str, key: str) -> NDArray[np.float64]:
    return over_topics(results, lambda result: result["slices"][kind][key])[0]


COMPARISON = Comparison("incremental", "The incremental SVM [P15, tables 1-4]", jobs, run, report)
