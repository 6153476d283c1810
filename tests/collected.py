"""Collections made by hand, for tests of what is done with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focused.collection.page import CollectedPage
from focused.collection.store import CollectionStore

if TYPE_CHECKING:
    from pathlib import Path

THRESHOLD = 0.5


def url(number: int) -> str:
    return f"http://site.example/{number}"


def collected(number: int, relevance: float, **fields) -> CollectedPage:
    defaults = {
        "url": url(number),
        "title": f"Title {number}",
        "text": f"Text {number}",
        "terms": {f"w{number % 7}": 2},
    }
    defaults |= {"fetched_at": "2026-01-01T00:00:00Z", "relevant": relevance >= THRESHOLD, "threshold": THRESHOLD}
    return CollectedPage(number, relevance=relevance, **{**defaults, **fields})


def collect(run_dir: Path, *pages: CollectedPage) -> Path:
    """Add pages to the collection of a run, and return its folder."""
    run_dir.mkdir(exist_ok=True)
    store = CollectionStore(run_dir / "collection.sqlite", max_irrelevant=1000)
    for page in pages:
        store.add(page)
    store.describe("topic", "stars")
    store.close()
    return run_dir
