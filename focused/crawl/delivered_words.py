"""Says in a crawl's summary how many pages it delivers, where they are, and why not as many as came."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from focused.utils.file_names import COLLECTION_FILE
from focused.utils.words import quantity

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

DELIVERED, ROWS = "focused/pages/delivered_count", "focused/collection/rows_count"
BY_PEOPLE = "focused/verdicts/decided_count"
"""Stats when the crawl closes: pages delivered, rows of the collection, pages about which people contradict the model."""
_CHANGES = (BY_PEOPLE, "focused/collection/added_count", "focused/collection/withdrawn_count")
_CHUNK_BYTES = 1_000_000


def about_delivered(stats: Mapping[str, Any], n_pages: int, n_relevant: int) -> str:
    """Return why not as many pages are delivered as were judged relevant when they came; empty if as many are.

    ``n_pages``: how many were judged. A reason is given only where something shows it.

    >>> about_delivered({DELIVERED: 5, ROWS: 8}, n_pages=10, n_relevant=6)
    'Judged relevant when they came: 6 pages. Delivered now: 5, for collection.sqlite has no rows of 2 pages'
    >>> about_delivered({DELIVERED: 5, ROWS: 10}, n_pages=10, n_relevant=6)
    'Judged relevant when they came: 6 pages. Delivered now: 5'
    """
    n_delivered = stats.get(DELIVERED)
    if n_delivered is None or n_delivered == n_relevant:
        return ""
    why = []
    if any(stats.get(name) for name in _CHANGES):
        why.append("verdicts or a later model have changed what is said of some")
    # With Scrapy's own schedulers a resumed crawl counts anew, and has more rows than pages.
    if (n_missing := n_pages - stats.get(ROWS, n_pages)) > 0:
        why.append(f"{COLLECTION_FILE} has no rows of {quantity(n_missing, 'pages')}")
    then = f"Judged relevant when they came: {quantity(n_relevant, 'pages')}. Delivered now: {n_delivered:,}"
    return then + (f", for {', and '.join(why)}" if why else "")


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
