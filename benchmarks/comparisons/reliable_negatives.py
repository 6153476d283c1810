"""Reliable negatives of 1-DNFC by lambda [P13, fig. 6-7]."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from common import table
from corpora import TEXT_CORPORA, TOPICS
from learner_trials import Trial, draw

from comparisons.base import SEEDS, Comparison
from comparisons.plotting import (
    COLOURS,
    MARKERS,
    NAMES,
    STYLE,
    corpora_of,
    curves,
    figure,
    of_corpus,
    over_topics,
    save,
    with_error,
)
from focused.method.learning.two_step.one_dnf import document_rates, features_held, positive_features
from focused.method.text.vocabulary import select_terms

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from comparisons.base import Found, Job, Load

LAMBDAS = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
"""0 is the unconstrained 1-DNF."""
N_POSITIVE = 30
"""Of a web; of a text corpus the share of its class that the table of learners takes."""


def jobs(load: Load) -> list[Job]:
    return [(name, topic, seed) for name in TOPICS for topic in TOPICS[name] for seed in SEEDS]


def run(job: Job, load: Load) -> dict[str, Any]:
    """Find the reliable negatives of 1-DNFC at each fixed lambda."""
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


LEAST_SHARE = 0.05


@mpl.rc_context(STYLE)
def report(results: list[Found], folder: Path) -> str:
    """Return number and error rate of the reliable negatives by lambda, with P13's figures 6 and 7 in one."""
    names, lambdas = corpora_of(results), results[0]["lambdas"]
    share = {n: over_topics(of_corpus(results, n), lambda r: np.array(r["reliable"]) / r["n_unlabeled"]) for n in names}
    wrong = {n: over_topics(of_corpus(results, n), lambda r: np.array(r["wrong"]) / r["n_hidden"]) for n in names}
    too_few = {n: over_topics(of_corpus(results, n), is_too_few)[0] for n in names}
    drawing, panels = figure(1, 2, 3.6)
    titles = ("Reliable negatives, % of U", "ERR: % of the positives in U among them")
    for axes, measured, title in zip(panels, (share, wrong), titles, strict=True):
        axes.set_yscale("function", functions=(lambda y: np.sqrt(np.maximum(y, 0)), np.square))
        axes.set(title=title, xlabel="lambda (0: 1-DNF)", xlim=(-0.03, 0.93), ylim=(0, 100))
        axes.set_yticks([0, 1, 5, 10, 25, 50, 100])
        axes.grid(axis="y", linewidth=0.4)
        lines = [(NAMES[n], COLOURS[n], MARKERS[n], *np.multiply(100, measured[n])) for n in names]
        # A value below 0 has no square root.
        curves(axes, lambdas, [(*line[:4], [np.minimum(line[4], line[3]), line[4]]) for line in lines])
    panels[0].set_ylabel("% (square-root scale)")
    shown = save(drawing, folder, "reliable_negatives", "Number and error rate of reliable negatives by lambda")
    header = ["lambda", *(f"{NAMES[n]}: {what}" for n in names for what in ("RN", "ERR"))]
    rows = [
        [f"{x:g}", *(with_error(100 * of[n][0][i], 100 * of[n][1][i], 1) for n in names for of in (share, wrong))]
        for i, x in enumerate(lambdas)
    ]
    few = [[f"{x:g}", *(f"{100 * too_few[n][i]:.0f}" for n in names)] for i, x in enumerate(lambdas)]
    return "\n\n".join(
        [
            shown,
            "RN in % of U and ERR in %; mean ± standard error over topics, each the mean of its seeds. lambda = 0 is 1-DNF.",
            table(header, rows),
            "Draws (%) with too few reliable negatives to train on, fewer than |P| or than 5 % of U:",
            table(["lambda", *(NAMES[n] for n in names)], few),
        ]
    )


def is_too_few(result: Found) -> NDArray[np.bool_]:
    needed = max(result["n_positive"], LEAST_SHARE * result["n_unlabeled"])
    return np.array(result["reliable"]) < needed


COMPARISON = Comparison(
    "reliable_negatives", "Reliable negatives of 1-DNFC by lambda [P13, fig. 6-7]", jobs, run, report
)
