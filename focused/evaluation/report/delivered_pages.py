"""The pages that a crawl delivers, for the table at the beginning of its report: a bounded number, the most relevant first."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from heapq import nlargest
from typing import TYPE_CHECKING, Any

from focused.collection.schema import CollectionFileError
from focused.collection.view import CollectionView, PageFilter
from focused.utils.file_names import COLLECTION_FILE, PAGES_FILE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_EXCERPT_CHARS = 220
_BEGINNING_CHARS = 2_000
_LEAST_DESCRIPTION_CHARS = 40
_LEAST_LINE_CHARS = 60
"""A line of this length is no entry of a menu."""

_BEST = f"""
SELECT url, title, author, date, language, relevance, verdict,
       substr(description, 1, 1000) AS description, substr(text, 1, {_BEGINNING_CHARS}) AS text
FROM pages WHERE delivered = 1
ORDER BY coalesce(verdict, 0) DESC, relevance DESC, number LIMIT ?
"""


@dataclass(frozen=True, slots=True)
class DeliveredPage:
    """A page as the report shows it; empty is what is not known, NaN an unknown relevance."""

    url: str
    title: str
    #: What the page says of itself, or how it begins.
    excerpt: str
    author: str
    date: str
    language: str
    relevance: float
    #: Whether people say so; else it is the model's word.
    is_judged: bool = False


@dataclass(frozen=True, slots=True)
class Delivered:
    """The first of the delivered pages: those that people call relevant, then by relevance; and how many there are."""

    pages: list[DeliveredPage]
    n_all: int
    #: What is wrong with the collection's file; empty if nothing.
    note: str = ""


def delivered_pages(directory: Path, n_most: int) -> Delivered:
    """Return at most ``n_most`` pages of a run: from its collection, else from the lines of pages.jsonl."""
    note = ""
    if (directory / COLLECTION_FILE).is_file():
        try:
            return _of_collection(directory, n_most)
        except CollectionFileError as error:
            note = f"The pages are those of {PAGES_FILE}: {error}."
    heap = _Counted(_lines(directory / PAGES_FILE))
    best = nlargest(n_most, heap, key=lambda page: -1.0 if math.isnan(page.relevance) else page.relevance)
    return Delivered(best, heap.n, note)


def _of_collection(directory: Path, n_most: int) -> Delivered:
    with CollectionView(directory) as view:
        pages = [_page(row, is_judged=bool(row["verdict"])) for row in map(dict, view.rows(_BEST, [n_most]))]
        return Delivered(pages, view.count(PageFilter(delivered=True)))


class _Counted:
    """Counts what is iterated over."""

    def __init__(self, pages: Iterator[DeliveredPage]) -> None:
        self._pages, self.n = pages, 0

    def __iter__(self) -> Iterator[DeliveredPage]:
        for page in self._pages:
            self.n += 1
            yield page


def _lines(path: Path) -> Iterator[DeliveredPage]:
    """Yield the pages of a JSON Lines file; what is no page is named elsewhere in the report."""
    if not path.is_file():
        return
    with path.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            try:
                item = json.loads(line)
                if isinstance(item, dict) and item["url"]:
                    yield _page(item)
            except (ValueError, KeyError, RecursionError):
                continue


def _page(values: Mapping[str, Any], *, is_judged: bool = False) -> DeliveredPage:
    said = {
        key: str(values.get(key) or "")[:_BEGINNING_CHARS]
        for key in ("title", "author", "date", "language", "description", "text")
    }
    is_description = len(said["description"]) >= _LEAST_DESCRIPTION_CHARS
    excerpt = " ".join((said["description"] if is_description else _beginning(said["text"])).split())
    relevance = values.get("relevance")
    return DeliveredPage(
        str(values["url"]),
        " ".join(said["title"].split()),
        excerpt[:_EXCERPT_CHARS],
        said["author"],
        said["date"][:10],
        said["language"],
        float(relevance) if isinstance(relevance, int | float) and math.isfinite(relevance) else math.nan,
        is_judged,
    )


def _beginning(text: str) -> str:
    """Return a text from its first sentence on; all of it if it has only short lines."""
    lines = text.splitlines()
    first = next((number for number, line in enumerate(lines) if len(line) >= _LEAST_LINE_CHARS), 0)
    return "\n".join(lines[first:])
