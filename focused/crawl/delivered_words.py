"""Says in a crawl's summary how many pages it found and delivers, where they are, and why the numbers differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from focused.utils.file_names import COLLECTION_FILE
from focused.utils.words import quantity

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from focused.method.topic.harvest_estimate import HarvestEstimate

DELIVERED, ROWS = "focused/pages/delivered_count", "focused/collection/rows_count"
BY_PEOPLE = "focused/verdicts/decided_count"
"""Stats when the crawl closes: pages delivered, rows of the collection, pages about which people contradict the model."""
_BY_MODEL = ("focused/collection/added_count", "focused/collection/withdrawn_count")
_CHUNK_BYTES = 1_000_000


def about_delivered(stats: Mapping[str, Any], n_pages: int, n_relevant: int) -> str:
    """Return why not as many pages are delivered as were judged relevant when they came; empty if as many are.

    ``n_pages``: how many were judged. A reason is given only where something shows it.

    >>> about_delivered({DELIVERED: 5, ROWS: 8}, n_pages=10, n_relevant=6)
    'Delivered: 5 pages; judged relevant when they came: 6 (collection.sqlite has no rows of 2 pages)'
    >>> about_delivered({DELIVERED: 3, BY_PEOPLE: 1, "focused/collection/withdrawn_count": 2}, n_pages=10, n_relevant=6)
    'Delivered: 3 pages; judged relevant when they came: 6 (verdicts decide on 1 page, and the last model has changed 2)'
    >>> about_delivered({DELIVERED: 5, ROWS: 10}, n_pages=10, n_relevant=6)
    'Delivered: 5 pages; judged relevant when they came: 6'
    """
    n_delivered = stats.get(DELIVERED)
    if n_delivered is None or n_delivered == n_relevant:
        return ""
    why = []
    if n := stats.get(BY_PEOPLE, 0):
        why.append(f"verdicts decide on {quantity(n, 'pages')}")
    if n := sum(stats.get(name, 0) for name in _BY_MODEL):
        why.append(f"the last model has changed {n:,}")
    # With Scrapy's own schedulers a resumed crawl counts anew, and has more rows than pages.
    if (n_missing := n_pages - stats.get(ROWS, n_pages)) > 0:
        why.append(f"{COLLECTION_FILE} has no rows of {quantity(n_missing, 'pages')}")
    said = f"Delivered: {quantity(n_delivered, 'pages')}; judged relevant when they came: {n_relevant:,}"
    return said + (f" ({', and '.join(why)})" if why else "")


def found_in_short(stats: Mapping[str, Any], n_pages: int, n_relevant: int) -> str:
    """Return what a crawl has found for its last line but a few: one count, or two where they differ.

    >>> found_in_short({DELIVERED: 6}, 10, 6), found_in_short({DELIVERED: 5}, 10, 6)
    ('6 judged relevant of 10 pages', '6 judged relevant of 10 pages when they came, 5 delivered')
    """
    said, n_delivered = f"{n_relevant:,} judged relevant of {quantity(n_pages, 'pages')}", stats.get(DELIVERED)
    return said if n_delivered in (None, n_relevant) else f"{said} when they came, {n_delivered:,} delivered"


def about_harvest(found: HarvestEstimate | None, why: str, n_pages: int, n_relevant: int) -> str:
    """Return the harvest in words, or ``why`` it is not known; where other models called more or fewer relevant, how many.

    >>> from focused.method.topic.harvest_estimate import HarvestEstimate
    >>> about_harvest(HarvestEstimate(0.24, 0.15, 0.35), "", 100, 30)
    "Harvest: about 24% of the pages fetched are relevant (15% to 35%), by the model's own reckoning"
    >>> about_harvest(HarvestEstimate(0.0, 0.0, 0.04), "", 100, 12).partition("reckoning; ")[2]
    '12% were judged relevant when they came'
    >>> about_harvest(None, "no page has come", 0, 0)
    'Harvest not known: no page has come'
    """
    if found is None:
        return f"Harvest not known: {why}"
    said = f"Harvest: about {found.share:.0%} of the pages fetched are relevant ({found.low:.0%} to {found.high:.0%})"
    said += ", by the model's own reckoning"
    rate = n_relevant / n_pages if n_pages else found.share
    return said if found.low <= rate <= found.high else f"{said}; {rate:.0%} were judged relevant when they came"


def counted(path: Path, stats: Mapping[str, Any]) -> str:
    """Return how many pages a file of JSON Lines holds, in brackets, and how many are delivered if that is not the same."""
    n_delivered = stats.get(DELIVERED)
    try:
        n_lines = _n_lines(path) if path.is_file() else None  # no device: it may have no end
    except OSError:
        n_lines = None
    if n_lines is None:
        return "" if n_delivered is None else f" ({n_delivered:,} delivered)"
    if n_delivered in (None, n_lines):
        return f" ({n_lines:,})"
    return f" ({quantity(n_lines, 'lines')}; {n_delivered:,} delivered by {COLLECTION_FILE})"


def _n_lines(path: Path) -> int:
    with path.open("rb") as file:
        return sum(chunk.count(b"\n") for chunk in iter(lambda: file.read(_CHUNK_BYTES), b""))
