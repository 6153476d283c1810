"""Measure a crawl by the labels: figures and curves from its fetched pages. Pure functions."""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from focused.crawl.harvest import area, f_measure, harvest_rate, target_recall
from focused.method.scoring.reasons import kind_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from pathlib import Path

CURVE_EVERY_PAGES = 10

BLOCK, ANCHOR, CONTEXT, DEFERRED, SEED, OTHER = "block", "anchor", "context", "deferred", "seed", "other"
_THROUGH = {"block": BLOCK, "anchor": ANCHOR, "context": CONTEXT, "below threshold": DEFERRED, "seed": SEED}


class FetchedRow(NamedTuple):
    """The columns of ``fetched.csv`` that measures need."""

    url: str
    location: str
    referrer: str
    reason: str
    depth: int


class CurvePoint(NamedTuple):
    """The state of a crawl after a number of counted pages."""

    pages: int
    relevant: int
    harvest_rate: float
    target_recall: float
    target_length: int
    irrelevant_on_path: int
    #: Virtual hours since the start; None without virtual time.
    virtual_hours: float | None = None


@dataclass
class Measured:
    """What a crawl was worth."""

    #: A point every ten pages, and at the end.
    curve: list[CurvePoint]
    last: CurvePoint
    area: float
    f_measure: float
    #: Relevant pages found / the most that the budget allows; None if nothing can be found.
    share_of_bound: float | None
    #: Relevant pages by the evidence that admitted their links.
    relevant_through: dict[str, int]
    #: Relevant pages that cannot be reached in the link graph. There should be none.
    n_relevant_unreachable: int


def read_fetched(path: Path) -> list[FetchedRow]:
    """Read ``fetched.csv``."""
    with path.open(newline="", encoding="utf-8") as file:
        return [
            FetchedRow(row["url"], row["location"], row["referrer"], row["link_reason"], int(row["depth"]))
            for row in csv.DictReader(file)
        ]


class _FirstPaths:
    """For each page the path by which its link was found first: its links, and the irrelevant pages on it [P13, eq. 10].

    The row of a page names the referrer that said most for it. Where evidence is merged that is mostly a later one, and the
    path through it a longer one. ``links_of``: returns the pages that a page links to; None: the rows' own referrers are the
    first ones.
    """

    def __init__(self, links_of: Callable[[str], Iterable[str]] | None) -> None:
        self._links_of = links_of
        self._of_page: dict[str, tuple[int, int]] = {}
        self._of_url: dict[str, int] = {}

    def fetched(self, row: FetchedRow, page: str, is_relevant: bool) -> tuple[int, int]:
        """Take in a fetched page; return the links, and the irrelevant pages before it, on the path to it."""
        length, n_before = row.depth, self._of_url.get(row.referrer, 0)
        if self._links_of is not None and row.referrer:
            length, n_before = self._of_page.get(page, (length, n_before))
        n_through = n_before + (not is_relevant)
        self._of_url.setdefault(row.url, n_through)
        if self._links_of is not None:
            for target in self._links_of(page):
                self._of_page.setdefault(target, (length + 1, n_through))
        return length, n_before


@dataclass
class _Counted:
    """What has been counted of a crawl up to a page."""

    #: Relevant pages that can be reached from the seeds.
    targets: Collection[str]
    #: Virtual time of the last page; None without virtual time.
    secs: float | None
    n_pages: int = 0
    n_relevant: int = 0
    n_targets: int = 0
    target_length: int = 0
    irrelevant_on_path: int = 0
    #: Relevant pages by the evidence that admitted their links.
    through: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys((BLOCK, ANCHOR, CONTEXT, DEFERRED, SEED, OTHER), 0)
    )

    def add_relevant(self, page: str, row: FetchedRow, length: int, n_irrelevant_before: int) -> None:
        """Count a relevant page, and the path to it: its links, and the irrelevant pages on it."""
        self.n_relevant += 1
        self.n_targets += page in self.targets
        self.target_length += length
        self.irrelevant_on_path += n_irrelevant_before  # docs/method/, D72
        self.through[_THROUGH.get(kind_of(row.reason), OTHER)] += 1

    def point(self) -> CurvePoint:
        """Return the point of the curve here."""
        return CurvePoint(
            self.n_pages,
            self.n_relevant,
            harvest_rate(self.n_relevant, self.n_pages),
            target_recall(self.n_targets, len(self.targets)),
            self.target_length,
            self.irrelevant_on_path,
            None if self.secs is None else self.secs / 3600,
        )


def length_at(curve: Sequence[CurvePoint], n_relevant: float) -> float:
    """Return the target length when a crawl had found so many relevant pages [P13, fig. 13]; NaN if it never had.

    Linear between two points of its curve, from 0 at the start. So crawls are compared after finding the same.

    >>> length_at([CurvePoint(10, 4, 0.4, 0.1, 8, 2), CurvePoint(20, 6, 0.3, 0.2, 16, 3)], 5)
    12.0
    """
    before = (0, 0)
    for point in curve:
        if point.relevant >= n_relevant:
            found, length = before
            share = (n_relevant - found) / max(point.relevant - found, 1)
            return length + share * (point.target_length - length)
        before = point.relevant, point.target_length
    return math.nan


def measure(
    rows: Iterable[FetchedRow],
    page_of: Callable[[FetchedRow], str],
    *,
    relevant: Collection[str],
    positives: Collection[str],
    targets: Collection[str],
    budget: int,
    links_of: Callable[[str], Iterable[str]] | None = None,
    secs_of: Mapping[str, float] | None = None,
) -> Measured:
    """Judge a crawl by the labels.

    Training positives do not count as fetched or relevant. The crawl is measured up to ``budget`` other pages. ``links_of``:
    returns the pages that a page links to, for the path by which each link was found first; None: the rows' referrers are
    those of the first paths, as in a crawl that does not merge evidence.

    ``rows``: fetched pages in the order in which they were judged. ``page_of``: returns the page of a row, as the labels name
    it. ``relevant``: pages that have the topic's label. ``positives``: training positives. ``targets``: relevant pages
    that can be reached from the seeds, without the positives. ``budget``: counted pages. ``secs_of``: by the URLs,
    when each page was judged, in seconds of virtual time; None without virtual time.
    """
    seen: set[str] = set()
    paths = _FirstPaths(links_of)
    counted = _Counted(targets, secs=None if secs_of is None else 0.0)
    rates: list[float] = []
    curve: list[CurvePoint] = []
    for row in rows:
        if counted.n_pages >= budget:
            break
        page = page_of(row)
        is_relevant = page in relevant
        length, n_irrelevant_before = paths.fetched(row, page, is_relevant)
        if page in seen or page in positives:
            continue
        seen.add(page)
        counted.n_pages += 1
        if secs_of is not None:
            counted.secs = secs_of.get(row.url, counted.secs)
        if is_relevant:
            counted.add_relevant(page, row, length, n_irrelevant_before)
        rates.append(harvest_rate(counted.n_relevant, counted.n_pages))
        if counted.n_pages % CURVE_EVERY_PAGES == 0:
            curve.append(counted.point())
    last = counted.point()
    if counted.n_pages % CURVE_EVERY_PAGES:
        curve.append(last)
    bound = min(budget, len(targets))
    return Measured(
        curve,
        last,
        area(rates),
        f_measure(last.harvest_rate, last.target_recall),
        counted.n_relevant / bound if bound else None,
        counted.through,
        counted.n_relevant - counted.n_targets,
    )
