"""Rewrites the tables of a folder that follows a shared crawl: ``fetched.csv`` and ``harvest.csv``."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from focused.crawl.fetched_rows import FETCHED_COLUMNS, fetched_row
from focused.crawl.harvest import HarvestCounter
from focused.crawl.harvest_rows import ESTIMATE_COLUMNS, estimate_cells, harvest_columns, harvest_row
from focused.method.scoring import REASONS
from focused.method.scoring.base import LOOK_AROUND
from focused.utils.file_names import FETCHED_FILE, HARVEST_FILE
from focused.utils.files import write_whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from focused.crawl.harvest_so_far import HarvestSoFar

_HARVEST_EVERY = 10
_WINDOW = 100
_MOST_ESTIMATES = 500
COLUMNS = (
    *("url", "location", "referrer", "relevance", "delivered", "link_score", "link_reason", "depth"),
    *("irrelevant_on_path", "model_version", "link_model_version", "duplicate_of", "n_waiting"),
)


def write_rows(
    pages: Iterable[dict[str, Any]],
    n_pages: int,
    run_dir: Path,
    estimate: HarvestSoFar,
    harvests: Mapping[int, Mapping[str, float]],
) -> tuple[HarvestCounter, int]:
    """Write ``fetched.csv`` and ``harvest.csv`` in the order in which so many pages, with ``COLUMNS``, became durable.

    Return what they count, and how many pages were drawn.

    ``estimate`` hears of all pages, and of what trainings say of the harvest: ``harvests``, by the number of pages then.
    """
    counter, fetched, harvest = HarvestCounter(_WINDOW), [",".join(FETCHED_COLUMNS)], []
    harvest.append(",".join([*harvest_columns(_WINDOW), *ESTIMATE_COLUMNS]))
    n_waiting = n_drawn = 0
    # Each estimate looks at all pages since the last training.
    to_come = sorted(harvests)
    estimate_every = _HARVEST_EVERY * max(1, n_pages // _MOST_ESTIMATES // _HARVEST_EVERY)
    for row in pages:
        n_waiting = row.pop("n_waiting")
        n_drawn += row["link_reason"] == REASONS[LOOK_AROUND]
        page = SimpleNamespace(**row, known_as=row["location"], is_delivered=row["delivered"])
        counter.add(page.is_delivered, page.depth, page.irrelevant_on_path)
        estimate.add(page.relevance, page.is_delivered, is_copy=bool(page.duplicate_of))
        while to_come and counter.n_pages >= min(to_come[0], n_pages):
            estimate.note_training(counter.n_pages, harvests[to_come.pop(0)])
        fetched.append(fetched_row(counter.n_pages, page))
        if counter.n_pages % _HARVEST_EVERY == 0:
            is_told = counter.n_pages % estimate_every == 0
            harvest.append(_harvest_row(counter, n_waiting, estimate if is_told else None))
    if counter.n_pages % _HARVEST_EVERY or not counter.n_pages:
        harvest.append(_harvest_row(counter, n_waiting, estimate))
    _write_lines(run_dir / FETCHED_FILE, fetched)
    _write_lines(run_dir / HARVEST_FILE, harvest)
    return counter, n_drawn


def _harvest_row(counter: HarvestCounter, n_waiting: int, estimate: HarvestSoFar | None) -> str:
    return harvest_row(counter, n_waiting, estimate_cells(None if estimate is None else estimate.now()))


def _write_lines(path: Path, lines: Sequence[str]) -> None:
    write_whole(path, "".join(f"{line}\n" for line in lines))
