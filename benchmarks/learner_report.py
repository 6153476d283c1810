"""Tables and plots of the comparison of learners, from the trials' numbers."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from common import table
from comparisons.plotting import COLOURS, GREY, NAMES, STYLE
from matplotlib import rc_context
from matplotlib.figure import Figure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    Group = tuple[str, int]
    Done = dict[str, Any]

COLUMNS = ("precision", "recall", "f1", "ap", "best_f1", "err", "seconds")
KINDS = ("page", "anchor", "context")
SMALL = {**STYLE, "font.size": 9, "figure.constrained_layout.use": False, "axes.titlelocation": "center"}


class Results(NamedTuple):
    """All trials, and the names of the upper bound and of the default."""

    done: list[Done]
    supervised: str
    default: str

    def groups(self) -> dict[Group, list[Done]]:
        """Return the trials of each corpus and number of positives."""
        groups: dict[Group, list[Done]] = defaultdict(list)
        for one in self.done:
            groups[one["trial"]["corpus"], one["trial"]["n_positive"]].append(one)
        return dict(groups)


def report(results: Results, figures: Path) -> dict[str, str]:
    """Return the blocks of the document by name, and draw the plots they show."""
    groups = results.groups()
    ranking(results, groups, figures / "learners.svg")
    diagram(groups, figures / "reliability.svg")
    return {
        "learners: summary": _summary(groups),
        "learners: default": _default(results, groups),
        "learners: calibration": _calibration(groups),
        "learners: priors": _priors(groups),
        "learners: papers": _papers(results, groups),
    }


def title(group: Group) -> str:
    """Return the name of a corpus and how many positives were given."""
    name, n_positive = group
    return f"{NAMES[name]}, {n_positive} positives" if n_positive else f"{NAMES[name]}, 30 % of the class"


def macro(trials: Iterable[Done], value: Callable[[Done], float | None]) -> tuple[float, float]:
    """Return mean and standard error over the seeds of the mean over the topics; NaN where there are no values."""
    of_seed: dict[int, list[float]] = defaultdict(list)
    for one in trials:
        found = value(one)
        if found is not None:
            of_seed[one["trial"]["seed"]].append(found)
    means = [float(np.mean(values)) for values in of_seed.values()]
    if not means:
        return float("nan"), float("nan")
    return float(np.mean(means)), float(np.std(means, ddof=1) / np.sqrt(len(means))) if len(means) > 1 else 0.0


def of_learner(learner: str, column: str) -> Callable[[Done], float | None]:
    """Return a function that looks up one number of a learner in a trial; None if it failed or has no such number."""
    return lambda one: one["learners"][learner].get(column)


def _cell(mean: float, error: float, digits: int = 3) -> str:
    return "" if np.isnan(mean) else f"{mean:.{digits}f} ± {error:.{digits}f}"


def _learners(groups: dict[Group, list[Done]]) -> list[str]:
    return list(next(iter(groups.values()))[0]["learners"])


def _summary(groups: dict[Group, list[Done]]) -> str:
    """Average precision of every learner on every corpus, best first."""
    rows = []
    for learner in _learners(groups):
        found = [macro(trials, of_learner(learner, "ap"))[0] for trials in groups.values()]
        best = [macro(trials, of_learner(learner, "best_f1"))[0] for trials in groups.values()]
        rows.append((float(np.mean(found)), float(np.mean(best)), learner, found))
    rows.sort(reverse=True)
    header = ["learner, weighting", *map(title, groups), "mean AP", "mean best F1"]
    lines = [
        [learner.replace(" | ", ", "), *(f"{value:.3f}" for value in found), f"**{mean:.3f}**", f"{best:.3f}"]
        for mean, best, learner, found in rows
    ]
    return table(header, lines) + "\n\n![Average precision of every learner](../figures/learners.svg)"


def in_full(results: Results) -> list[list[str]]:
    """Return every figure of every learner on every corpus, a row each, under a header."""
    header = ["corpus", "learner", "precision", "recall", "F1", "AP", "best F1", "ERR", "seconds"]
    return [header, *(row for group, trials in results.groups().items() for row in _rows_of(results, group, trials))]


def _rows_of(results: Results, group: Group, trials: list[Done]) -> list[list[str]]:
    rows = []
    for learner in _learners({group: trials}):
        failed = sum("failed" in one["learners"][learner] for one in trials)
        cells = [
            _cell(*macro(trials, of_learner(learner, column)), 2 if column == "seconds" else 3) for column in COLUMNS
        ]
        note = f" ({failed} of {len(trials)} failed)" if failed else ""
        rows.append([learner.replace(" | ", ", ") + note, *cells])
    of_topic: Callable[[str], Callable[[Done], float | None]] = lambda column: lambda one: one["topic"].get(column)  # noqa: E731
    cells = [
        _cell(*macro(trials, of_topic(column)), 2 if column == "seconds" else 3)
        for column in ("precision", "recall", "f1", "ap", "best_f1", "err", "seconds")
    ]
    cells[3] = _cell(*macro(trials, lambda one: one["topic"]["kinds"]["page"]["ap"]))
    rows.append([f"{results.default}, scrapy train", *cells])
    return [[title(group), *row] for row in rows]


def _default(results: Results, groups: dict[Group, list[Done]]) -> str:
    """The default at its own threshold against the upper bound, and against its own best threshold."""
    supervised = f"{results.supervised} | tfc"
    rows = []
    for group, trials in groups.items():
        own, best = (macro(trials, lambda one, c=column: one["topic"][c]) for column in ("f1", "best_f1"))  # type: ignore[misc]
        bound = macro(trials, of_learner(supervised, "f1"))
        balanced = macro(trials, of_learner(f"{results.supervised}, balanced | tfc", "f1"))
        worst = min(trials, key=lambda one: one["topic"]["f1"] / one["topic"]["best_f1"])
        least = worst["topic"]["f1"] / worst["topic"]["best_f1"]
        rows.append(
            [
                title(group),
                _cell(*own),
                _cell(*bound),
                f"{balanced[0]:.3f}",
                f"**{own[0] / bound[0]:.2f}**",
                _cell(*best),
                f"**{own[0] / best[0]:.3f}**",
                f"{least:.2f} ({worst['trial']['topic']}, seed {worst['trial']['seed']})",
            ]
        )
    header = [
        *("corpus", "F1, own threshold", "F1, supervised", "balanced", "share", "F1, best threshold", "share"),
        "least share of any trial",
    ]
    return table(header, rows)


def _calibration(groups: dict[Group, list[Done]]) -> str:
    rows = []
    for group, trials in groups.items():
        for kind in KINDS:
            if kind not in trials[0]["topic"]["kinds"]:
                continue
            found = [one["topic"]["kinds"][kind] for one in trials]
            skills = [1 - one["brier"] / one["brier_of_base"] for one in found]
            pooled = 1 - sum(one["brier"] for one in found) / sum(one["brier_of_base"] for one in found)
            means = {
                key: np.mean([one[key] for one in found])
                for key in ("ece", "ap", "ap_of_decision", "base", "known_share")
            }
            rows.append(
                [
                    *(title(group), kind, f"{means['base']:.3f}"),
                    f"{means['ece']:.3f} (to {max(one['ece'] for one in found):.3f})",
                    *(f"{pooled:+.3f}", f"{np.mean(skills):+.3f}", f"{np.median(skills):+.3f}"),
                    *(f"{means['ap']:.3f}", f"{means['ap_of_decision']:.3f}", f"{means['known_share']:.2f}"),
                ]
            )
    header = [
        *("corpus", "unit", "base rate", "ECE, mean (largest)", "Brier skill, pooled", "mean", "median"),
        *("AP, calibrated", "AP, decision", "share with known words"),
    ]
    return table(header, rows) + "\n\n![Reliability diagrams](../figures/reliability.svg)"


def _priors(groups: dict[Group, list[Done]]) -> str:
    estimators = [name for name in next(iter(groups.values()))[0]["topic"]["priors"] if name != "truth"]
    rows = []
    for group, trials in groups.items():
        cells = []
        for name in estimators:
            errors = [np.log(one["topic"]["priors"][name] / one["topic"]["priors"]["truth"]) for one in trials]
            cells.append(f"{np.mean(np.abs(errors)):.2f} ({np.mean(errors):+.2f})")
        rows.append([title(group), *cells])
    return table(["corpus", *estimators], rows)


def _papers(results: Results, groups: dict[Group, list[Done]]) -> str:
    """The learners that the papers compare: F1 at the learner's own decision / AP / seconds."""
    learners = [
        *(
            "one-class SVM | tfc",
            "PEBL | tfc",
            "WVC | tfc",
            "WVC | tfidf",
            "WVC | tfipndf",
            "WVC | tfipndf_independent",
        ),
        *("SVM, P against U | tfc", "PSOC | tfc", "incremental SVM | tfc", "batch SVM, 1-dnfii | tfc"),
    ]
    rows = [
        [
            learner.replace(" | ", ", "),
            *(
                " / ".join(
                    f"{macro(trials, of_learner(learner, column))[0]:.{digits}f}"
                    for column, digits in (("f1", 2), ("ap", 2), ("seconds", 1))
                )
                for trials in groups.values()
            ),
        ]
        for learner in learners
    ]
    return table(["learner, weighting", *map(title, groups)], rows)


# Plots ----------------------------------------------------------------------------------------------------------------


@rc_context(SMALL)
def ranking(results: Results, groups: dict[Group, list[Done]], file: Path) -> None:
    """Draw the average precision of every learner on every corpus."""
    learners = _learners(groups)
    means = {name: [macro(trials, of_learner(name, "ap")) for trials in groups.values()] for name in learners}
    learners.sort(key=lambda name: float(np.mean([mean for mean, _ in means[name]])))
    figure = Figure(figsize=(8.2, 0.21 * len(learners) + 1.1), layout="constrained")
    axes = figure.subplots()
    for number, group in enumerate(groups):
        corpus, n_positive = group
        values = [means[name][number] for name in learners]
        axes.errorbar(
            [mean for mean, _ in values],
            range(len(learners)),
            xerr=[error for _, error in values],
            fmt="o",
            markersize=4.5,
            markerfacecolor=COLOURS[corpus] if n_positive != 10 else "white",
            color=COLOURS[corpus],
            linewidth=0.8,
            label=title(group),
        )
    axes.set_yticks(range(len(learners)), [name.replace(" | ", ", ") for name in learners])
    for label, name in zip(axes.get_yticklabels(), learners, strict=True):
        if name.startswith(results.default):
            label.set_fontweight("bold")
        elif name.startswith(results.supervised):
            label.set_color(GREY)
    axes.set_ylim(-0.7, len(learners) - 0.3)
    axes.set_xlim(0, 1)
    axes.set_xlabel("average precision on unseen documents; mean over topics, bars: standard error over seeds")
    axes.grid(axis="both", color="#e5e5e5", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside upper center", ncols=3, frameon=False, fontsize=8)
    figure.savefig(file, metadata={"Date": None})


@rc_context(SMALL)
def diagram(groups: dict[Group, list[Done]], file: Path) -> None:
    """Draw claimed against found relevance: pages, anchor texts and contexts."""
    figure = Figure(figsize=(8.2, 3.6), layout="constrained")
    panels = figure.subplots(1, len(KINDS), sharey=True)
    for axes, kind in zip(panels, KINDS, strict=True):
        axes.plot([0, 1], [0, 1], color=GREY, linewidth=0.8, linestyle=":")
        for group, trials in groups.items():
            if kind not in trials[0]["topic"]["kinds"]:
                continue
            corpus, n_positive = group
            found = [one["topic"]["kinds"][kind] for one in trials]
            n, claimed, true = (np.sum([one[key] for one in found], axis=0) for key in ("n", "claimed", "found"))
            enough = n >= 30
            axes.plot(
                (claimed / np.maximum(n, 1))[enough],
                (true / np.maximum(n, 1))[enough],
                color=COLOURS[corpus],
                marker="o",
                markersize=3.5,
                markerfacecolor="white" if n_positive == 10 else COLOURS[corpus],
                linewidth=1.1,
                linestyle="--" if n_positive == 10 else "-",
                label=title(group) if kind == "page" else None,
            )
        axes.set_title({"page": "pages", "anchor": "anchor texts", "context": "link contexts"}[kind], fontsize=9)
        axes.set_xlabel("relevance claimed")
        axes.set_xlim(0, 1)
        axes.set_ylim(0, 1)
        axes.set_aspect("equal")
        axes.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel("share that is relevant")
    figure.legend(loc="outside lower center", ncols=3, frameon=False, fontsize=8)
    figure.savefig(file, metadata={"Date": None})
