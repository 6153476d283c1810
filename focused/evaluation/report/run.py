"""`Run`: one crawl as its report sees it: its pages in order, and the figures that follow from them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from focused.utils.file_names import FETCHED_FILE

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from focused.evaluation.report.version_files import Version

_WINDOW = 100
ESTIMATED = ("estimated", "estimated_low", "estimated_high")
"""The columns of ``harvest.csv`` with the estimated harvest and its interval."""


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """A judged page; ``relevance`` is NaN if the file does not give it."""

    url: str
    location: str
    referrer: str
    relevance: float
    is_relevant: bool
    link_score: float
    link_reason: str
    depth: int
    #: Version of the model that judged it; 0 if the file does not give it.
    model_version: int = 0


@dataclass(frozen=True)
class Run:
    """One crawl.

    ``run``: run.json. ``pages``: in the order in which they were judged. ``titles``: titles of the relevant pages, by URL.
    ``notes``: what is missing or incomplete. ``versions``: versions of the model trained during the crawl.
    """

    directory: Path
    run: dict[str, Any]
    pages: list[FetchedPage]
    titles: dict[str, str]
    harvest: dict[str, NDArray[np.float64]]
    notes: list[str] = field(default_factory=list)
    versions: list[Version] = field(default_factory=list)
    #: Pages whose rows fetched.csv has lost.
    n_lost: int = 0

    def text(self, key: str) -> str:
        """Return a value of run.json as text."""
        value = self.run.get(key)
        return str(value) if value else "unknown"

    @property
    def title(self) -> str:
        """The topic's title; of older runs its name."""
        return str(self.run.get("topic_title") or self.text("topic"))

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.directory.resolve().name

    @cached_property
    def parts(self) -> list[tuple[str, int]]:
        """The strategies, each with the number of its first page; several if the crawl was resumed with another."""
        known = self.run.get("parts")
        parts = [
            (str(each.get("strategy") or "unknown"), int(each["from_page"]))
            for each in (known if isinstance(known, list) else [])
            if isinstance(each, dict) and type(each.get("from_page")) is int
        ]
        return parts or [(self.text("strategy"), 1)]

    @property
    def strategy(self) -> str:
        """The strategy; if the crawl was resumed with another, each with its last page."""
        ended = [f"{strategy} to page {until - 1:,}" for (strategy, _), (_, until) in pairwise(self.parts)]
        return ", then ".join([*ended, self.parts[-1][0]])

    @property
    def is_finished(self) -> bool:
        """Whether the crawl recorded its end."""
        return "finished_at" in self.run

    @property
    def estimate(self) -> tuple[float, float, float] | None:
        """The harvest by the calibrated model and its 90 % interval, as said last; None where it is not known."""
        said = self.run.get("harvest")
        found = [said.get(key) for key in ("share", "low", "high")] if isinstance(said, dict) else []
        if not found and len(self.harvest.get("estimated", ())):  # it has not ended
            found = [float(self.harvest[key][-1]) for key in ESTIMATED]
        known = [float(each) for each in found if isinstance(each, int | float) and math.isfinite(each)]
        return (known[0], known[1], known[2]) if len(known) == len(ESTIMATED) else None

    @property
    def stats(self) -> dict[str, Any]:
        """The stats of the crawl; empty before its end."""
        stats = self.run.get("stats")
        return stats if isinstance(stats, dict) else {}

    @cached_property
    def curve(self) -> dict[str, NDArray[np.float64]]:
        """The crawl so far as columns: a point for each page, or for each row of harvest.csv if pages are not listed."""
        if not self.lists_all_pages:
            return self.harvest
        relevant = np.array([page.is_relevant for page in self.pages], dtype=np.float64)
        depth = np.array([page.depth for page in self.pages], dtype=np.float64)
        pages = np.arange(1.0, len(relevant) + 1)
        found = np.cumsum(relevant)
        before = np.concatenate([np.zeros(_WINDOW), found])[: len(found)]
        return {
            "pages": pages,
            "relevant": found,
            "harvest_rate": found / pages,
            "recent": (found - before) / np.minimum(pages, _WINDOW),
            "target_length": np.cumsum(relevant * depth),
        }

    @property
    def n_pages(self) -> int:
        """Pages judged."""
        return int(self.curve["pages"][-1]) if len(self.curve["pages"]) else 0

    @property
    def n_relevant(self) -> int:
        """Number of pages that the crawl's own model calls relevant."""
        return int(self.curve["relevant"][-1]) if len(self.curve["relevant"]) else 0

    @property
    def lists_all_pages(self) -> bool:
        """Whether irrelevant pages are listed too."""
        return (self.directory / FETCHED_FILE).is_file() and bool(self.pages) and not self.n_lost

    @cached_property
    def by_url(self) -> dict[str, FetchedPage]:
        """Pages by URL and by location; the first page with a URL counts."""
        known: dict[str, FetchedPage] = {}
        for page in self.pages:
            known.setdefault(page.url, page)
        for page in self.pages:
            known.setdefault(page.location, page)
        return known

    def path_to(self, page: FetchedPage) -> list[FetchedPage]:
        """Return the known pages on the path from a seed to this page."""
        path, seen = [page], {id(page)}
        while path[-1].referrer:
            before = self.by_url.get(path[-1].referrer)
            if before is None or id(before) in seen:
                break
            path.append(before)
            seen.add(id(before))
        return path[::-1]
