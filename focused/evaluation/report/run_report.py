"""The report of one or several crawls, by their own classifiers."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from focused.evaluation.report.colours import CurveStyle, spare_style, style_of
from focused.evaluation.report.drift import WINDOW, drift
from focused.evaluation.report.figures import Curve, draw_curves, says_nothing
from focused.evaluation.report.files import write_page
from focused.evaluation.report.json_facts import command, facts
from focused.evaluation.report.judged_section import by_verdicts
from focused.evaluation.report.markup import (
    UNKNOWN,
    Markup,
    element,
    figure,
    folded,
    joined,
    key_of,
    name,
    page,
    soft,
    table,
)
from focused.evaluation.report.model_versions import about_marks, marks, versions
from focused.evaluation.report.pages_section import N_MOST, SCRIPT, pages
from focused.evaluation.report.run_files import read_run
from focused.evaluation.report.run_sections import failed_hosts, hosts, losses, paths, reasons, referrers

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from focused.evaluation.report.run import Run

REPORT_FILE = "report.html"

_ENDED = {
    "max_pages": "the page budget was used up",
    "max_minutes": "its time was spent",
    "saturated": "hardly anything new was found any more",
    "max_relevant": "the goal of relevant pages was reached",
    "finished": "no link was left",
    "shutdown": "it was interrupted",
    "cancelled": "it was cancelled",
}


def write_run_report(
    directories: Sequence[Path], output: Path | None = None, *, meanings: Mapping[str, str] | None = None
) -> Path:
    """Write the report of one or several run directories, and return its path.

    By default it is ``report.html`` in the run directory, or in the folder that holds several. ``meanings``: what a stat of
    this name counts as lost. Raises ReportError if a folder holds no crawl, OSError if a file cannot be read or written.
    """
    runs = [read_run(directory) for directory in directories]
    if output is None:
        parents = [directory.resolve().parent for directory in directories]
        output = (directories[0] if len(runs) == 1 else Path(os.path.commonpath(parents))) / REPORT_FILE
    topics = ", ".join(dict.fromkeys(run.title for run in runs))
    title = topics if len(runs) == 1 else f"{len(runs)} crawls for {topics}"
    content = list(_sections(runs, title, meanings or {}))
    script = SCRIPT if any('class="pages"' in str(each) for each in content) else ""
    return write_page(output, page(title, content, script=script))


def _sections(runs: Sequence[Run], title: str, meanings: Mapping[str, str]) -> Iterator[Markup]:
    labels = _labels(runs)
    looks = _looks(runs, labels)
    yield element("h1", title)
    if len(runs) == 1:
        yield soft(*_which(runs[0]))
    yield element("p", *(_answer(runs[0]) if len(runs) == 1 else _best(runs, labels)), class_="answer")
    yield soft(
        "Relevant is what the crawl's own classifier calls relevant. No label stands behind these figures: they say how the "
        "crawl went, not whether the classifier is right. For that, use scrapy evaluate."
    )
    for run, label in zip(runs, labels, strict=True):
        yield from _notes(run, label if len(runs) > 1 else "")
    if len(runs) > 1:
        yield _overview(runs, labels, looks)
    else:
        yield from _found(runs[0], N_MOST)
        yield element("h3", "How the crawl went")
    yield from _curves(runs, labels, looks)
    for number, (run, label) in enumerate(zip(runs, labels, strict=True)):
        if len(runs) > 1:
            yield element("h2", "Crawl ", key_of(looks[number]), name(label))
            yield element("p", *_answer(run))
            yield from _found(run, N_MOST // len(runs))
        yield from drift(run, f"r{number}")
        yield from versions(run, f"r{number}")
        yield from hosts(run, f"r{number}")
        yield from referrers(run)
        yield from reasons(run)
        yield from paths(run, max(20, 200 // len(runs)))
        yield from losses(run, meanings)
        yield from _facts(run)


def _found(run: Run, n_most: int) -> Iterator[Markup]:
    """Show what people say of the pages, whom they are missing from, and the pages."""
    yield from by_verdicts(run)
    yield from failed_hosts(run)
    yield from pages(run, n_most)


def _which(run: Run) -> Iterator[object]:
    yield joined(("Crawl for topic ", name(run.text("topic")), " on web ", name(run.text("web"))))
    if run.run.get("started_at"):
        yield joined((", begun ", name(run.text("started_at"))))


def _answer(run: Run) -> Iterator[object]:
    if not run.n_pages:
        yield element("strong", "No page has been judged.")
        return
    recent = run.curve["recent"][-1]
    yield joined((
        element("strong", f"{run.n_relevant:,} of {run.n_pages:,} pages"),
        f" are relevant by the crawl's own judgement: harvest rate {run.n_relevant / run.n_pages:.2f}",
    ))  # fmt: skip
    if run.n_pages > 100 and not math.isnan(recent):
        yield f", {recent:.2f} over the last 100 pages"
    yield ". "
    yield from _estimated(run)
    reason = run.text("finish_reason")
    if run.is_finished:
        yield joined(("The crawl ended because ", _ENDED.get(reason) or joined(("of ", name(reason))), "."))


def _estimated(run: Run) -> Iterator[object]:
    """Say what the calibrated model estimates, if the run says anything of it: older ones do not."""
    said = run.run.get("harvest")
    if run.estimate is not None:
        share, low, high = run.estimate
        yield f"The calibrated model estimates that {share:.2f} of them are: {low:.2f} to {high:.2f} by its own "
        yield "reckoning (a 90 % interval). "
    elif isinstance(said, dict):
        yield f"How many really are is not known: {said.get('why') or 'not known yet'}. "


def _best(runs: Sequence[Run], labels: Sequence[str]) -> Iterator[object]:
    rates = [run.n_relevant / run.n_pages if run.n_pages else 0.0 for run in runs]
    have_learnt = any(version.is_accepted for run in runs for version in run.versions)
    if have_learnt or len({run.run.get("model_sha256") for run in runs}) > 1:
        why = "whose models learnt while they ran" if have_learnt else "which used different models"
        yield f"{len(runs)} crawls, {why}: each judged by its own, so their rates cannot be compared. Verdicts on random "
        yield "pages of each (scrapy judge) can be, and labels (scrapy evaluate)."
        return
    best = int(np.argmax(rates))
    yield joined((
        element("strong", name(labels[best])), f" has the highest harvest rate of {len(runs)} crawls: {rates[best]:.2f} "
        f"({runs[best].n_relevant:,} of {runs[best].n_pages:,} pages are relevant by its own judgement).",
    ))  # fmt: skip
    if len({run.n_pages for run in runs}) > 1:
        yield " They fetched different numbers of pages; compare the curves at the same number."


def _notes(run: Run, label: str) -> Iterator[Markup]:
    notes = list(run.notes)
    if run.run and not run.is_finished:
        notes.insert(0, "This crawl has not ended, or it was killed: here is what it had written so far.")
    if len(run.parts) > 1:
        notes.insert(0, f"Strategy: {run.strategy}. The figures of this crawl are those of no single strategy.")
    if notes:
        head = [element("strong", name(label), ": ")] if label else []
        yield element("div", *head, joined(notes, " "), class_="note", role="note")


def _labels(runs: Sequence[Run]) -> list[str]:
    """Return a short name for each crawl, which distinguishes it from the others."""
    candidates: list[list[str]] = [
        [run.strategy for run in runs],
        [run.text("topic") for run in runs],
        [f"{run.text('topic')} {run.strategy}" for run in runs],
        [run.name for run in runs],
        [str(run.directory) for run in runs],
    ]
    for labels in candidates:
        if len(set(labels)) == len(runs) and "unknown" not in labels:
            return labels
    return [f"{number + 1}: {run.name}" for number, run in enumerate(runs)]


def _looks(runs: Sequence[Run], labels: Sequence[str]) -> list[CurveStyle]:
    if list(labels) == [run.strategy for run in runs] or len(runs) == 1:
        # A crawl with several strategies has no strategy's look.
        return [style_of(run.strategy) if len(run.parts) == 1 else spare_style(n) for n, run in enumerate(runs)]
    return [spare_style(number) for number in range(len(runs))]


def _overview(runs: Sequence[Run], labels: Sequence[str], looks: Sequence[CurveStyle]) -> Markup:
    rows = [
        (
            joined((key_of(look), name(label))),
            name(run.text("topic")),
            name(run.strategy),
            name(run.text("web")),
            name(run.text("finish_reason") if run.is_finished else "not ended"),
            f"{run.n_pages:,}",
            f"{run.n_relevant:,}",
            f"{run.n_relevant / run.n_pages:.3f}" if run.n_pages else UNKNOWN,
            UNKNOWN if run.estimate is None else "{:.2f} ({:.2f} to {:.2f})".format(*run.estimate),
            f"{run.curve['target_length'][-1]:,.0f}" if run.n_pages else UNKNOWN,
        )
        for run, label, look in zip(runs, labels, looks, strict=True)
    ]
    heads = (
        "crawl",
        "topic",
        "strategy",
        "web",
        "ended",
        "pages",
        "relevant",
        "harvest rate",
        "estimated",
        "target length",
    )
    return table("Crawls", "", heads, rows, n_text=5)


def _curves(runs: Sequence[Run], labels: Sequence[str], looks: Sequence[CurveStyle]) -> Iterator[Markup]:
    if not any(run.n_pages for run in runs):
        return
    strength = "strong" if len(runs) <= 9 else "plain"
    is_steady, n_pages = False, max(run.n_pages for run in runs)
    quantities = (
        ("harvest", "pages", "harvest_rate", "Harvest rate against pages fetched", "pages fetched", "harvest rate",
         "Relevant pages / pages, since the start."),
        ("recent", "pages", "recent", "Recent harvest rate", "pages fetched", "harvest rate, last 100 pages",
         "Of the last 100 pages (before there are so many: of all)."),
        ("relevant", "pages", "relevant", "Relevant pages", "pages fetched", "relevant pages", "Steeper is better."),
        ("length", "relevant", "target_length", "Target length against relevant pages", "relevant pages found",
         "target length (links)", "Links on the paths to the relevant pages, summed. Lower: shorter ways."),
    )  # fmt: skip
    figures = []
    for key, across, up, head, x_label, y_label, note in quantities:
        curves = []
        for run, label, look in zip(runs, labels, looks, strict=True):
            x, y = run.curve[across], run.curve[up]
            known = ~(np.isnan(x) | np.isnan(y))
            curves.append(Curve(label, look, x[known], y[known], None, strength))
        flat = says_nothing([curve.y for curve in curves])
        if key == "harvest":
            is_steady = flat
        # Relevant pages at a steady rate are a straight line; the recent rate is that since the start, while all are recent.
        if flat or (key == "relevant" and is_steady) or (key == "recent" and n_pages <= WINDOW):
            continue
        # With several crawls the marks would be ambiguous.
        is_marked = len(runs) == 1 and across == "pages"
        svg = draw_curves(
            key, curves, title=head, x_label=x_label, y_label=y_label, height=250,
            marks=marks(runs[0]) if is_marked else (),
        )  # fmt: skip
        figures.append(figure(svg, f"{note} {about_marks(runs[0]) if is_marked else ''}".strip(), head=head))
    if figures:
        yield element("div", *figures, class_="grid")


def _facts(run: Run) -> Iterator[Markup]:
    yield element("h3", "The run")
    if run.run:
        yield command(run.run.get("command"))
    # What people said later stands above, and hosts in a section of their own.
    elsewhere = ("command", "stats", "judged", "hosts_given_up", "hosts_failing")
    known = {key: value for key, value in run.run.items() if key not in elsewhere}
    yield facts({"directory": str(run.directory), **known})
    if run.stats:
        rows = [(name(key), name(value)) for key, value in sorted(run.stats.items())]
        shown = table("All stats", "", ("stat", "value"), rows, class_="wide-text")
        yield folded(f"All {len(rows):,} stats", shown)
