"""Reads the state of a running crawl from ``progress.json`` and ``versions.jsonl``, however damaged they are."""

from __future__ import annotations

import json
import math
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from focused.dashboard.runs import read_json
from focused.utils.file_names import PROGRESS_FILE, RUN_FILE, VERSIONS_FILE
from focused.utils.files import read_regular
from focused.utils.words import duration, quantity

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from focused.dashboard.runs import RunState

_MOST_ROWS = 20
_MOST_CHARS = 200
_MAX_BYTES = 20_000_000
_SPENT = ("finished", "max_pages", "max_relevant", "max_minutes")
_OLD_SECS = 60.0
"""A file that is older says so: the crawl is busy, or stopped."""


@dataclass(frozen=True, slots=True)
class VersionRow:
    """A training of the crawl's model."""

    number: int
    after_pages: int
    is_accepted: bool
    #: Why it was refused, or what it was trained with and how it compares.
    what: str


@dataclass(frozen=True, slots=True)
class Live:
    """What is shown of a crawl beside its state; all texts are short, and all that is not known is empty."""

    forecast: str = ""
    time: str = ""
    #: Shares of the budgets that are spent, in [0, 1], with what they are for people.
    budgets: list[tuple[str, float, str]] = field(default_factory=list)
    saturated: str = ""
    #: Name and text of the alerts that hold.
    alerts: list[tuple[str, str]] = field(default_factory=list)
    #: Hosts that do not answer, and why; those that were given up, why, and their links.
    failing: list[tuple[str, str]] = field(default_factory=list)
    given_up: list[tuple[str, str]] = field(default_factory=list)
    stood_back: list[str] = field(default_factory=list)
    #: The strongest evidence for the best links, by their URLs.
    evidence: dict[str, str] = field(default_factory=dict)
    copies: str = ""
    patience: str = ""
    drift: str = ""
    versions: list[VersionRow] = field(default_factory=list)
    age: str = ""


def read_live(run: RunState) -> Live:
    """Read what the files of a run say."""
    said = read_json(run.path / PROGRESS_FILE)
    stats = _object(said.get("stats")) or _object(read_json(run.path / RUN_FILE).get("stats"))
    age = time.time() - _number(said.get("at"), math.inf)
    return Live(
        forecast=_forecast(said) if run.is_live else _foretold(run),
        time=_time(said) if run.is_live else "",
        budgets=list(_budgets(said, run)),
        saturated=_text(said.get("saturated")),
        alerts=[(_text(name), _text(text)) for name, text in list(_object(said.get("alerts")).items())[:_MOST_ROWS]]
        if run.is_live
        else [],
        failing=[(host, why) for host, why, *_ in _rows(said.get("failing_hosts"), 2)] if run.is_live else [],
        given_up=[
            (host, f"{why}; {quantity(int(_number(n_links)), 'links')}")
            for host, why, n_links, *_ in _rows(said.get("given_up_hosts"), 3)
        ],
        stood_back=[_text(each) for each in _list(said.get("stood_back"))[:_MOST_ROWS]],
        evidence={url: why for url, why, *_ in _rows(said.get("next"), 2) if why},
        copies=_copies(stats),
        patience=_text(said.get("patience")),
        drift=_text(said.get("drift")),
        versions=list(_versions(run.path / VERSIONS_FILE)),
        age=f"As of {duration(age)} ago" if run.is_live and _OLD_SECS < age < math.inf else "",
    )


def stats_of(run_dir: Path) -> dict[str, float]:
    """Return the stats of a run that are numbers, as they were when they were written last."""
    said = _object(read_json(run_dir / PROGRESS_FILE).get("stats"))
    return {name: float(value) for name, value in said.items() if _number(value, math.nan) == value}


def _forecast(said: dict[str, Any]) -> str:
    found = _object(said.get("forecast"))
    n, low, high = (_number(found.get(name), math.nan) for name in ("n_relevant", "low", "high"))
    if not low <= n <= high:
        return ""
    by = _text(found.get("by"))
    spread = max(n - low, high - n)
    return (
        f"{n:,.0f} \N{PLUS-MINUS SIGN} {spread:,.0f} relevant pages by {by or 'the end'} "
        f"(as the model judges; {low:,.0f} to {high:,.0f} with a probability of 80 %)"
    )


def _foretold(run: RunState) -> str:
    """Return what was foretold half way, of a crawl whose budgets are spent: it was foretold for that."""
    if run.state not in _SPENT:
        return ""
    found = _object(read_json(run.path / RUN_FILE).get("forecast"))
    names = ("at_pages", "n_relevant", "low", "high")
    at, n, low, high = (_number(found.get(name), math.nan) for name in names)
    if not (low <= n <= high and at > 0):
        return ""
    foretold = f"{n:,.0f} ({low:,.0f} to {high:,.0f})"
    return f"After {quantity(int(at), 'pages')} {foretold} relevant pages were foretold; there are {run.n_relevant:,}"


def _time(said: dict[str, Any]) -> str:
    spent, left = _number(said.get("spent_secs"), math.nan), _number(said.get("secs_left"), math.nan)
    parts = [f"{duration(spent)} spent"] if spent >= 0 else []
    return ", ".join([*parts, *([f"about {duration(left)} left"] if left >= 0 else [])])


def _budgets(said: dict[str, Any], run: RunState) -> Iterator[tuple[str, float, str]]:
    limits = _object(said.get("limits"))
    minutes = _number(said.get("spent_secs")) / 60
    n_pages, n_relevant = (
        max(run.n_pages, _number(said.get("pages"))),
        max(run.n_relevant, _number(said.get("relevant"))),
    )
    most = {name: _number(limits.get(name)) for name in ("max_pages", "max_relevant", "max_minutes")}
    most["max_pages"] = most["max_pages"] or run.max_pages
    for name, spent, what in (
        ("max_pages", n_pages, "pages"),
        ("max_relevant", n_relevant, "relevant pages"),
        ("max_minutes", minutes, "minutes"),
    ):
        if most[name] > 0:
            yield what, min(max(spent / most[name], 0.0), 1.0), f"{spent:,.0f} of {most[name]:,.0f} {what}"


def _copies(stats: dict[str, Any]) -> str:
    n = int(_number(stats.get("focused/pages/copy_count")))
    return f"{quantity(n, 'repeated pages')}, not delivered" if n > 0 else ""


def _versions(path: Path) -> Iterator[VersionRow]:
    """Yield the last trainings, the latest first."""
    try:
        lines = read_regular(path, _MAX_BYTES, may_link=False).split(b"\n")[:-1]
    except (OSError, ValueError):
        return
    for line in lines[: -_MOST_ROWS - 1 : -1]:
        row: Any = None
        with suppress(ValueError, RecursionError):
            row = json.loads(line)
        if not isinstance(row, dict) or not isinstance(row.get("accepted"), bool):
            continue
        what = _text(row.get("why")) or _trained(row)
        yield VersionRow(int(_number(row.get("version"))), int(_number(row.get("n_pages"))), row["accepted"], what)


def _trained(row: dict[str, Any]) -> str:
    """Return what a version learnt from, and how it does on examples kept apart."""
    held_out = _object(row.get("held_out"))
    new, before = (_number(held_out.get(name), math.nan) for name in ("new", "in_use"))
    kinds = {"n_positive": "relevant pages", "n_negative": "irrelevant pages", "n_verdicts": "verdicts"}
    kinds |= {"n_unlabeled": "unlabelled pages"}
    parts = [quantity(int(n), what) for name, what in kinds.items() if (n := _number(row.get(name))) > 0]
    parts += [f"average precision {new:.2f}, before {before:.2f}"] if new >= 0 and before >= 0 else []
    share = _number(_object(row.get("harvest")).get("share"), math.nan)
    return ", ".join([*parts, *([f"harvest {share:.2f}"] if share >= 0 else [])])


def _rows(value: Any, n: int) -> Iterator[list[Any]]:
    """Yield lists of at least ``n`` values whose first two are texts."""
    for row in _list(value)[:_MOST_ROWS]:
        if isinstance(row, list) and len(row) >= n:
            yield [_text(row[0]), _text(row[1]), *row[2:]]


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: Any) -> str:
    return value[:_MOST_CHARS] if isinstance(value, str) else ""


def _number(value: Any, otherwise: float = 0.0) -> float:
    """Return a number that is one, and not beyond all measure."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if is_number and abs(value) < 1e15 else otherwise
