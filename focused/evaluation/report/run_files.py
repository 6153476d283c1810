"""Read the run directory of a crawl, even if the crawl was killed while writing a line."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from focused.evaluation.report.files import ReportError, read_json, read_rows
from focused.evaluation.report.run import ESTIMATED, FetchedPage, Run
from focused.evaluation.report.version_files import read_versions, recorded_versions
from focused.utils.file_names import FETCHED_FILE, HARVEST_FILE, PAGES_FILE, RUN_FILE, VERSIONS_FILE
from focused.utils.own_files import check_own_files

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

_MOST_DIGITS = 12


def read_run(directory: Path) -> Run:
    """Read the files of a crawl so far. Raises ReportError if the folder does not exist, or holds no crawl."""
    if not directory.is_dir():
        raise ReportError(
            f"RUN_DIR must be the folder of a crawl, such as runs/astrophysics/20260101-120000. There is no folder "
            f"{directory}."
        )
    if not any((directory / name).exists() for name in (RUN_FILE, HARVEST_FILE, FETCHED_FILE)):
        raise ReportError(
            f"RUN_DIR must be the folder of a crawl. {directory} has neither {RUN_FILE} nor {HARVEST_FILE} nor "
            f"{FETCHED_FILE}; give the folder that the crawl named at its start."
        )
    check_own_files(directory, "Move it away, or name another folder: scrapy report RUN_DIR", may_link=True)
    run, notes = read_json(directory / RUN_FILE), []
    if not run:
        notes.append(f"{RUN_FILE} is missing or cannot be read: nothing is known of how the crawl was started.")
    harvest, n_bad = _harvest(directory)
    if n_bad:
        notes.append(f"{n_bad:,} row(s) of {HARVEST_FILE} are not whole and are left out.")
    rows, n_bad = read_rows(directory / FETCHED_FILE)
    fetched = [page for row in rows if (page := _fetched(row)) is not None]
    if n_bad := n_bad + len(rows) - len(fetched):
        notes.append(f"{n_bad:,} row(s) of {FETCHED_FILE} are not whole and are left out.")
    n_lost = (
        max((int(row["number"]) for row in rows if _is_number(row.get("number"))), default=0) - len(fetched) - n_bad
    )
    if n_lost > 0:
        notes.append(
            f"{FETCHED_FILE} has lost the rows of {n_lost:,} pages: the figures of all pages are those of {HARVEST_FILE}."
        )
    if not any(page.model_version for page in fetched):
        recorded = recorded_versions(directory)
        fetched = [replace(page, model_version=recorded.get(n, 0)) for n, page in enumerate(fetched, 1)]
    versions, n_bad = read_versions(directory, [(page.model_version, page.is_relevant) for page in fetched])
    if n_bad:
        notes.append(f"{n_bad:,} line(s) of {VERSIONS_FILE} are not whole and are left out.")
    relevant, n_bad = _relevant(directory)
    if n_bad:
        notes.append(f"{n_bad:,} line(s) of {PAGES_FILE} are not whole and are left out.")
    if not (directory / FETCHED_FILE).is_file():
        notes.append(
            f"There is no {FETCHED_FILE}: irrelevant pages are not listed, and ways that lead through them end there."
        )
    titles = {page.url: title for page, title in relevant}
    return Run(
        directory, run, fetched or [page for page, _ in relevant], titles, harvest, notes, versions, max(n_lost, 0)
    )


def _harvest(directory: Path) -> tuple[dict[str, NDArray[np.float64]], int]:
    rows, n_bad = read_rows(directory / HARVEST_FILE)
    columns = {name: name for name in ("pages", "relevant", "harvest_rate", "target_length")}
    columns.update({name: name for name in ESTIMATED})
    columns["recent"] = next((name for name in (rows[0] if rows else {}) if name.startswith("harvest_rate_last_")), "")
    values = [{key: _number(row.get(name, "")) for key, name in columns.items()} for row in rows]
    whole = [row for row in values if not math.isnan(row["pages"] + row["relevant"])]
    found = {key: np.array([row[key] for row in whole], dtype=np.float64) for key in columns}
    return found, n_bad + len(rows) - len(whole)


def _fetched(row: dict[str, str]) -> FetchedPage | None:
    """Return the page of a row; None if the row is incomplete."""
    depth = _number(row.get("depth", ""))
    url = row.get("url", "")
    if not url or row.get("relevant") not in ("0", "1", "True", "False") or math.isnan(depth):
        return None
    return FetchedPage(
        url, row.get("location") or url, row.get("referrer") or "", _number(row.get("relevance", "")),
        row["relevant"] in ("1", "True"), _number(row.get("link_score", "")), row.get("link_reason") or "unknown", int(depth),
        int(row["model_version"]) if row.get("model_version", "").isdecimal() else 0,
    )  # fmt: skip


def _is_number(value: str | None) -> bool:
    return value is not None and value.isascii() and value.isdigit() and len(value) <= _MOST_DIGITS


def _relevant(directory: Path) -> tuple[list[tuple[FetchedPage, str]], int]:
    """Return the pages of pages.jsonl with their titles, and the number of incomplete lines."""
    path = directory / PAGES_FILE
    if not path.is_file():
        return [], 0
    pages, n_bad = [], 0
    with path.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            try:
                item = json.loads(line)
                url, depth = str(item["url"]), int(item.get("depth") or 0)
                score, relevance = _number(item.get("link_score")), _number(item.get("relevance"))
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
                n_bad += 1
                continue
            referrer, reason = str(item.get("referrer") or ""), str(item.get("link_reason") or "unknown")
            page = FetchedPage(url, url, referrer, relevance, True, score, reason, depth)
            pages.append((page, str(item.get("title") or "")[:1000]))
    return pages, n_bad


def _number(value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        return math.nan
    return number if math.isfinite(number) else math.nan
