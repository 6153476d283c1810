"""Tables and figures of `paper_comparisons`.

The same numbers give the same SVG, byte for byte, under one version of matplotlib. A method or corpus keeps its colour in
all figures (Okabe and Ito's palette, told apart by colour-blind people too), and curves are labelled where they end.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from common import table
from matplotlib.figure import Figure
from sklearn.isotonic import isotonic_regression

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    Found = dict[str, Any]

NAMES = {
    "20newsgroups": "20 Newsgroups",
    "reuters": "Reuters",
    "hyperphysics": "HyperPhysics",
    "webkb": "WebKB",
}
BLUE, ORANGE, GREEN, PINK, GREY = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#666666"
COLOURS = dict(zip(NAMES, (BLUE, ORANGE, GREEN, PINK), strict=True))
MARKERS = dict(zip(NAMES, "osD^", strict=True))
STYLE = {
    "svg.hashsalt": "focused",
    "svg.fonttype": "none",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "lines.linewidth": 1.6,
    "lines.markersize": 4,
    "figure.constrained_layout.use": True,
}


# Numbers --------------------------------------------------------------------------------------------------------------


def over_topics(results: Iterable[Found], value: Callable[[Found], Any]) -> tuple[NDArray[np.float64], Any]:
    """Return mean and standard error over topics, of which each is the mean of its seeds."""
    by_topic = defaultdict(list)
    for result in results:
        by_topic[result["topic"]].append(np.asarray(value(result), dtype=np.float64))
    means = np.array([np.mean(values, axis=0) for values in by_topic.values()])
    return means.mean(axis=0), means.std(axis=0, ddof=1) / np.sqrt(len(means))


def of_corpus(results: Iterable[Found], name: str) -> list[Found]:
    return [result for result in results if result["corpus"] == name]


def corpora_of(results: Iterable[Found]) -> list[str]:
    present = {result["corpus"] for result in results}
    return [name for name in NAMES if name in present]


def padded(values: Sequence[float], length: int) -> list[float]:
    """Return values with the last one repeated up to a length."""
    return [*values, *[values[-1]] * (length - len(values))]


# Drawing --------------------------------------------------------------------------------------------------------------


def figure(rows: int, columns: int, height: float, **options: Any) -> tuple[Figure, Any]:
    """Return a figure that is read at a width of 700 pixels."""
    drawing = Figure(figsize=(8, height))
    return drawing, drawing.subplots(rows, columns, **options)


def save(drawing: Figure, folder: Path, name: str, alt: str) -> str:
    """Write an SVG; return the Markdown that shows it."""
    folder.mkdir(parents=True, exist_ok=True)
    drawing.savefig(folder / f"{name}.svg", metadata={"Date": None})
    return f"![{alt}](figures/{name}.svg)"


def label_ends(axes: Axes, labels: Sequence[tuple[float, str, str]], *, gap: float = 0.07) -> None:
    """Write names right of the axes at heights in axes coordinates, moved apart until they can be read."""
    ordered = sorted(labels)
    steps = gap * np.arange(len(ordered))
    heights = isotonic_regression([height for height, _, _ in ordered] - steps) + steps
    heights -= max(0.0, heights[-1] - 1.0)
    for height, (_, name, colour) in zip(heights, ordered, strict=True):
        axes.text(1.02, height, name, color=colour, transform=axes.transAxes, va="center", fontsize=9)


def height_of(axes: Axes, value: float) -> float:
    """Return where a value of the y axis lies, from 0 (bottom) to 1 (top)."""
    return float(axes.transAxes.inverted().transform(axes.transData.transform((0, value)))[1])


def curves(axes: Axes, x: Sequence[float], lines: Iterable[tuple[str, str, str, Any, Any]]) -> None:
    """Draw curves (name, colour, marker, means, standard errors or None) and name them at their ends."""
    drawn = list(lines)
    for _, colour, marker, mean, error in drawn:
        axes.errorbar(x, mean, yerr=error, color=colour, marker=marker, elinewidth=0.8)
    label_ends(axes, [(height_of(axes, mean[-1]), name, colour) for name, colour, _, mean, _ in drawn])


# Reliable negatives ---------------------------------------------------------------------------------------------------

LEAST_SHARE = 0.05


@mpl.rc_context(STYLE)
def report_reliable_negatives(results: list[Found], folder: Path) -> str:
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
        # What reaches below 0 has no square root.
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


def with_error(mean: float, error: float, digits: int = 3) -> str:
    return f"{mean:.{digits}f} ± {error:.{digits}f}"


def difference(values: Any, baseline: Any) -> str:
    """Return by how much some topics are better on average, with standard error, and how many are."""
    gains = np.asarray(values) - np.asarray(baseline)
    error = gains.std(ddof=1) / np.sqrt(len(gains))
    return f"{gains.mean():+.3f} ± {error:.3f} ({(gains > 0).sum()} of {len(gains)})"


# ITFIDF against TFIDF -------------------------------------------------------------------------------------------------

FORM_NAMES = {
    "TFIDF": "TFIDF",
    "IG": "TFIDF and information gain",
    "fields": "TFIDF and field weights",
    "ITFIDF": "ITFIDF (both)",
}
MEASURES = {
    "f1_one_topic": "F1, one topic a document",
    "precision": "precision",
    "recall": "recall",
    "f1": "F1",
    "f1_printed": "F1, printed prior",
    "best_f1": "F1, best threshold",
    "ap": "average precision",
}


@mpl.rc_context(STYLE)
def report_itfidf(results: list[Found], folder: Path) -> str:
    """Return naive Bayes with each weighting, topic by topic as in L16's figure 2, and by share of terms."""
    found = {(r["corpus"], r["form"], r["share"]): r for r in results}
    names = corpora_of(results)
    shares = sorted({r["share"] for r in results})
    drawing, panels = figure(1, len(names), 4)
    for axes, name in zip(np.atleast_1d(panels), names, strict=True):
        plain, improved = (found[name, form, 1.0] for form in ("TFIDF", "ITFIDF"))
        values = [np.array([*r["best_f1"], np.mean(r["best_f1"])]) for r in (plain, improved)]
        places = np.arange(len(values[0]))[::-1]
        axes.hlines(places, *values, color="#bbbbbb", linewidth=2)
        axes.plot(values[0], places, "s", color=GREY, markersize=6, fillstyle="none")
        axes.plot(values[1], places, "o", color=BLUE, markersize=6)
        axes.set_yticks(places, [*plain["topics"], "mean"])
        axes.set(title=NAMES[name], xlabel="F1 at the best threshold", xlim=(0, 1.02))
        axes.grid(axis="x", linewidth=0.4)
    drawing.suptitle("open square: TFIDF; full circle: ITFIDF", fontsize=9, color=GREY)
    by_topic = save(drawing, folder, "itfidf", "F1 of naive Bayes with TFIDF and with ITFIDF for each topic")
    drawing, panels = figure(1, len(names), 3.2, sharey=True)
    for axes, name in zip(np.atleast_1d(panels), names, strict=True):
        axes.set(title=NAMES[name], xlabel="% of the terms kept (log scale)", xscale="log", ylim=(0, 1))
        axes.set_xticks([100 * share for share in shares], [f"{100 * share:g}" for share in shares])
        axes.minorticks_off()
        lines = [
            (form, colour, marker, [np.mean(found[name, form, share]["ap"]) for share in shares], None)
            for form, colour, marker in (("TFIDF", GREY, "s"), ("ITFIDF", BLUE, "o"))
        ]
        curves(axes, [100 * share for share in shares], lines)
    np.atleast_1d(panels)[0].set_ylabel("average precision")
    by_share = save(drawing, folder, "itfidf_terms", "Average precision by the share of the terms kept")
    rows = [
        [NAMES[name], FORM_NAMES[form], *(f"{np.mean(found[name, form, 1.0][key]):.3f}" for key in MEASURES)]
        for name in names
        for form in FORM_NAMES
    ]
    gain_rows = [
        [
            NAMES[name],
            FORM_NAMES[form],
            *(difference(found[name, form, 1.0][key], found[name, "TFIDF", 1.0][key]) for key in MEASURES),
        ]
        for name in names
        for form in FORM_NAMES
        if form != "TFIDF"
    ]
    share_rows = [
        [NAMES[name], key_name, form, *(f"{np.mean(found[name, form, share][key]):.3f}" for share in shares)]
        for name in names
        for key, key_name in (("ap", "average precision"), ("f1_one_topic", "F1, one topic a document"))
        for form in ("TFIDF", "ITFIDF")
    ]
    return "\n\n".join(
        [
            by_topic,
            "Means over ten topics on the test split, all terms kept. One topic a document: the one of the largest posterior "
            "of the ten, as L16 decides (a Reuters story has several, so 1 is out of reach). Precision, recall and F1: each "
            "topic decides for itself, at a prior of 0.5; printed prior: the topic's share of the training documents. Best "
            "threshold, also in the figure: the one the test labels would choose, so that only the ranking counts.",
            table(["corpus", "weighting", *MEASURES.values()], rows),
            "Gain over TFIDF, mean ± standard error over topics (topics that gain):",
            table(["corpus", "weighting", *MEASURES.values()], gain_rows),
            by_share,
            "By the share of the terms kept, those with the highest mutual information:",
            table(["corpus", "measure", "weighting", *(f"{100 * share:g} %" for share in shares)], share_rows),
        ]
    )


# Incremental SVM ------------------------------------------------------------------------------------------------------


@mpl.rc_context(STYLE)
def report_incremental(results: list[Found], folder: Path) -> str:
    """Return F1 after each round and for each mu, what it was trained on, and slices against training again."""
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
    """Return F1 of each topic, the mean of its seeds: of the batch SVM, or with one of the mus."""
    by_topic = defaultdict(list)
    for r in of_corpus(results, name):
        by_topic[r["topic"]].append(r["batch"]["f1"] if mu is None else r["by_mu"]["f1"][mu])
    return [float(np.mean(values)) for _, values in sorted(by_topic.items())]


def share_of_training(result: Found, n_rounds: int) -> NDArray[np.float64]:
    return 100 * np.array(padded(result["sizes_of_rounds"], n_rounds)) / result["n_training"]


def mean_of_slices(results: list[Found], kind: str, key: str) -> NDArray[np.float64]:
    return over_topics(results, lambda result: result["slices"][kind][key])[0]


# Clusters -------------------------------------------------------------------------------------------------------------

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
def report_clusters(results: list[Found], folder: Path) -> str:
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
