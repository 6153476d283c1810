"""The versions of a crawl's model: where each began, its figures, and which were refused."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from focused.evaluation.report.colours import spare_style
from focused.evaluation.report.figures import Curve, Mark, draw_curves
from focused.evaluation.report.markup import UNKNOWN, Markup, element, figure, folded, name, table
from focused.evaluation.report.version_files import FIRST

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from focused.evaluation.report.run import Run
    from focused.evaluation.report.version_files import Version

MARKS = "Upright lines: where a version of the model began to judge, from the second on."
_VOID = " Crosses on the axis: where one was refused."
_SHOWN = 12
_HELD_OUT = {"new": "new", "in_use": "in use", "first": "first"}


def marks(run: Run) -> list[Mark]:
    """Return a mark where a version began or was refused."""
    found = [
        Mark(float(version.begins if version.begins is not None else version.trained_after), str(version.number),
             not version.is_accepted)
        for version in run.versions
        if version.begins is not None or not version.is_accepted
    ]  # fmt: skip
    return sorted(found, key=lambda mark: mark.x)


def about_marks(run: Run) -> str:
    """Explain the marks in a figure; nothing if there are none."""
    found = marks(run)
    lines = MARKS if any(not mark.is_void for mark in found) else ""
    return (lines + (_VOID if any(mark.is_void for mark in found) else "")).strip()


def versions(run: Run, key: str) -> Iterator[Markup]:
    """Show the versions of the model, their figures on held-out examples, and why some were refused."""
    if not run.versions:
        return
    refused = [version for version in run.versions if not version.is_accepted]
    n_refused = len(refused)
    yield element("h3", "Versions of the model")
    yield element(
        "p",
        f"The model was trained {len(run.versions):,} time{'s' if len(run.versions) != 1 else ''} while the crawl ran; "
        f"{len(run.versions) - n_refused:,} accepted, {n_refused:,} refused. {_how(run)} Version 1 is the topic's own.",
    )
    svg = _held_out(run.versions, f"{key}-versions")
    if svg:
        yield figure(
            svg,
            "Average precision on examples kept apart; in use: of the version before. " + (_VOID.strip() if n_refused else ""),
            head="Held-out average precision of each version",
        )  # fmt: skip
    if refused:
        reasons = [
            element("li", f"Version {version.number}, after {version.trained_after:,} pages: ",
                    name(version.why or "no reason given"))
            for version in refused[:_SHOWN]
        ]  # fmt: skip
        if len(refused) > _SHOWN:
            reasons.append(element("li", f"and {len(refused) - _SHOWN:,} more; the table has all"))
        yield element("p", "Refused:")
        yield element("ul", *reasons, class_="plain")
    shown = _table(run)
    yield folded(f"Show {len(run.versions):,} versions", shown) if len(run.versions) > _SHOWN else shown


def _is_against_met(run: Run) -> bool:
    return any(version.joined["drawn"] for version in run.versions)


def _how(run: Run) -> str:
    if _is_against_met(run):
        return "Each was trained against the pages met by then, of which some were drawn to look around."
    return "A new one is used only if it is not worse on examples that were kept apart from it."


def _held_out(found: Sequence[Version], key: str) -> str:
    known = [version for version in found if not math.isnan(version.held_out["new"])]
    if len(known) < 2:
        return ""
    x = np.array([float(version.trained_after) for version in known])
    curves = []
    for number, (which, label) in enumerate(_HELD_OUT.items()):
        y = np.array([version.held_out[which] for version in known])
        is_known = ~np.isnan(y)
        curves.append(
            Curve(label, spare_style(number), x[is_known], y[is_known], None, "plain" if number else "strong")
        )
    void = [Mark(float(each.trained_after), str(each.number), True) for each in known if not each.is_accepted]
    values = np.concatenate([curve.y for curve in curves])
    return draw_curves(
        key, curves, title="Held-out average precision of each version of the model",
        x_label="pages judged before training", y_label="average precision", marks=void, height=250,
        y_start=max(0.0, math.floor((values.min() - 0.02) * 20) / 20),
        y_limit=min(1.0, math.ceil((values.max() + 0.02) * 20) / 20),
    )  # fmt: skip


def _table(run: Run) -> Markup:
    own = [page.is_relevant for page in run.pages if page.model_version == FIRST]
    rows: list[tuple[object, ...]] = []
    is_against_met = _is_against_met(run)
    counted = ("unlabeled", "drawn") if is_against_met else ("positive", "negative")
    if own:
        unknown = (UNKNOWN,) * (3 if is_against_met else 6)
        rows.append(("1", "the topic's own", "1", f"{len(own):,}", f"{sum(own) / len(own):.2f}", *unknown))
    rows += [
        (
            *(f"{version.number:,}", _fate(version), f"{version.begins:,}" if version.begins is not None else UNKNOWN),
            f"{version.n_pages:,}" if version.n_pages else UNKNOWN,
            f"{version.n_relevant / version.n_pages:.2f}" if version.n_pages else UNKNOWN,
            *(_known(version.held_out[which]) for which in _HELD_OUT if not is_against_met),
            *(f"{version.joined[what]:,}" for what in counted),
            f"{version.joined['verdicts']:,}"
            + (f" ({version.joined['label_noise']:,} doubtful)" if version.joined["label_noise"] else ""),
        )
        for version in run.versions
    ]
    of_training: tuple[str, ...] = ("held out: new", "in use", "first", "positives joined", "negatives joined")
    if is_against_met:
        of_training = ("pages it learnt from as unlabelled", "of them drawn")
    heads = ("version", "", "judges from page", "pages judged", "share relevant", *of_training, "verdicts")
    return table("Versions of the model", "", heads, rows, n_text=2)


def _fate(version: Version) -> object:
    if not version.is_accepted:
        return element("span", "refused", class_="worse")
    return "used" if version.begins is not None else "accepted, judged no page"


def _known(value: float) -> str:
    return UNKNOWN if math.isnan(value) else f"{value:.3f}"
