"""Clusters of link contexts against HAC and K-means [P15, fig. 5-6]."""

from __future__ import annotations

import time
import warnings
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from common import table
from corpora import TOPICS, WEBS, Corpus
from research.cfu_tree import CFuTree
from research.cluster_measures import cluster_f_measure, hac_labels, k_means_labels
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from comparisons.base import SEEDS, Comparison
from comparisons.plotting import (
    BLUE,
    GREEN,
    GREY,
    NAMES,
    ORANGE,
    PINK,
    STYLE,
    corpora_of,
    figure,
    label_ends,
    of_corpus,
    save,
)
from focused.method.text.vocabulary import document_frequencies, select_terms
from focused.method.text.weighting import inverse_document_frequency, tfc

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray
    from scipy import sparse

    from comparisons.base import Found, Job, Load

CLUSTER_LAMBDAS = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
N_SAMPLED = 1000
MIN_LINKS = 10
N_PARTS = 4


def jobs(load: Load) -> list[Job]:
    parts = [(name, "pages", part) for name in WEBS for part in range(N_PARTS)]
    return parts + [(name, "sample", seed) for name in WEBS for seed in SEEDS]


def run(job: Job, load: Load) -> dict[str, Any]:
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
    """Return the links whose target has exactly one topic, and the number of that topic for each."""
    topics = np.vstack([corpus.labels[topic] for topic in TOPICS[corpus.name]])
    links = worded[topics.sum(axis=0)[corpus.link_targets[worded]] == 1]
    return links, topics.argmax(axis=0)[corpus.link_targets[links]]


def pages_of_links(sources: NDArray[np.int64], classes: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """Yield the positions of a page's links, for each page with enough links to targets of at least two topics."""
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
            # With fewer different contexts than clusters, K-means makes fewer clusters and warns.
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


METHODS = {
    "smaller 3": "CFu-tree",
    "larger 3": "CFu-tree, larger cluster as C_i",
    "inserted": "CFu-tree, one by one",
    "HAC true": "HAC, number of classes",
    "K-means true": "K-means, number of classes",
    "HAC found": "HAC, CFu-tree's number",
    "K-means found": "K-means, CFu-tree's number",
    "one cluster": "all in one cluster",
    "one for each": "each its own cluster",
}


@mpl.rc_context(STYLE)
def report(results: list[Found], folder: Path) -> str:
    """Return all methods at lambda 3 as in P15's figure 6, and CFu-trees by lambda."""
    names = corpora_of(results)
    sets = {
        (n, scope): [units for r in of_corpus(results, n) if r["scope"] == scope for units in r["sets"]]
        for scope in ("pages", "sample")
        for n in names
    }
    lambdas = sorted({float(m.split()[1]) for m in next(iter(sets.values()))[0]["methods"] if m.startswith("smaller")})
    drawing, panels = figure(2, len(names), 5.6, squeeze=False, sharex=True)
    for axes, ((name, scope), units) in zip(panels.flat, sets.items(), strict=True):
        title = f"{NAMES[name]}, {len(units)} pages" if scope == "pages" else f"{NAMES[name]}, samples of the whole web"
        axes.set(title=title, ylim=(0, 1), xticks=lambdas)
        lines = [
            (f"CFu, {order} as C_i", colour, marker, [mean_of(units, f"{order} {x:g}", "f") for x in lambdas], None)
            for order, colour, marker in (("smaller", BLUE, "o"), ("larger", ORANGE, "s"))
        ]
        rivals = [
            ("HAC", GREEN, mean_of(units, "HAC true", "f")),
            ("K-means", PINK, mean_of(units, "K-means true", "f")),
            ("one cluster", GREY, mean_of(units, "one cluster", "f")),
        ]
        for _, colour, value in rivals:
            axes.axhline(value, color=colour, linestyle="--", linewidth=1.2)
        for _, colour, marker, values, _ in lines:
            axes.plot(lambdas, values, color=colour, marker=marker)
        ends = [(values[-1], name, colour) for name, colour, _, values, _ in lines]
        label_ends(axes, ends + [(value, name, colour) for name, colour, value in rivals], gap=0.085)
    for axes in panels[-1]:
        axes.set_xlabel("lambda")
    for axes in panels[:, 0]:
        axes.set_ylabel("cluster F-measure")
    drawing.suptitle(
        "CFu-trees find the number of clusters; HAC and K-means are told the classes'", fontsize=9, color=GREY
    )
    shown = save(drawing, folder, "clusters", "Cluster F-measure of CFu-trees by lambda, of HAC and of K-means")
    columns = {"n_clusters": "{:.1f}", "f": "{:.3f}", "rand": "{:.3f}", "milliseconds": "{:.1f}"}
    parts = [shown]
    for (name, scope), units in sets.items():
        n_units, n_classes = (np.mean([u[key] for u in units]) for key in ("n_units", "n_classes"))
        what = f"{len(units)} pages" if scope == "pages" else f"{len(units)} samples from the whole web"
        parts.append(f"{NAMES[name]}, {what}; on average {n_units:.1f} contexts of {n_classes:.1f} topics:")
        rows = [
            [label, *(form.format(mean_of(units, method, key)) for key, form in columns.items())]
            for method, label in METHODS.items()
        ]
        parts.append(table(["method", "clusters", "F-measure", "adjusted Rand index", "CPU milliseconds"], rows))
    lambda_rows = [
        [
            NAMES[name],
            scope,
            order,
            *(
                f"{mean_of(units, f'{order} {x:g}', 'f'):.3f} ({mean_of(units, f'{order} {x:g}', 'n_clusters'):.0f})"
                for x in lambdas
            ),
        ]
        for (name, scope), units in sets.items()
        for order in ("smaller", "larger")
    ]
    parts += [
        "CFu-trees by lambda, F-measure (clusters):",
        table(["web", "contexts of", "C_i", *(f"lambda = {x:g}" for x in lambdas)], lambda_rows),
    ]
    return "\n\n".join(parts)


def mean_of(units: list[Found], method: str, key: str) -> float:
    return float(np.mean([one["methods"][method][key] for one in units]))


COMPARISON = Comparison(
    "clusters", "Clusters of link contexts against HAC and K-means [P15, fig. 5-6]", jobs, run, report
)
