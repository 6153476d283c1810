"""Pages of a collection: a list by words and filters, and one page with the words marked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from focused.collection.marking import marked
from focused.collection.schema import CollectionFileError
from focused.collection.view import CollectionView, PageFilter
from focused.collection.word_index import bring_up_to_date

if TYPE_CHECKING:
    from pathlib import Path

WHICH = {"delivered": True, "refused": False, "all": None}
SORTS = {"order": "number", "latest": "number DESC", "relevance": "relevance DESC, number"}
PAGE_ROWS = 50
_MAX_SHOWN = 200_000
# What a list shows of a page, and no more: texts may be long, and a stranger's titles, too.
_SHOWN = (
    ", ".join(f"substr(pages.{name}, 1, 500) AS {name}" for name in ("title", "url", "date", "duplicate_of"))
    + ", pages.id, pages.relevance, pages.verdict"
)
# Marks that no page's text can hold: what it shows has lost its control characters.
_BEGIN, _END = "\x02", "\x03"


@dataclass(frozen=True, slots=True)
class Found:
    """Pages for a list."""

    rows: list[Any]
    #: How many there are in all; None where it was not counted.
    n_all: int | None
    error: str = ""


def find(run_dir: Path, words: str, which: str, sort: str, offset: int) -> Found:
    """Return pages, the best first where words are sought for; an error says what is wrong with the words."""
    delivered = WHICH.get(which, True)
    if words:
        bring_up_to_date(run_dir)
    try:
        with CollectionView(run_dir) as view:
            if words:
                found = view.search(words, delivered=delivered, limit=PAGE_ROWS, marks=(_BEGIN, _END), columns=_SHOWN)
                return Found(found, None)
            wanted = PageFilter(delivered=delivered)
            rows = view.pages(wanted, order=SORTS.get(sort, "number"), limit=PAGE_ROWS, offset=offset, columns=_SHOWN)
            return Found(list(rows), view.count(wanted))
    except CollectionFileError as error:
        return Found([], None, str(error))


def one(run_dir: Path, number: int, words: str) -> tuple[Any, list[list[tuple[str, bool]]]] | None:
    """Return a page's row, and its text as paragraphs of pieces with whether they are sought for; None if there is none."""
    with CollectionView(run_dir) as view:
        row = next(view.rows("SELECT * FROM pages WHERE id = ?", [number]), None)
        if row is None:
            return None
        text = "".join(char for char in row["text"][:_MAX_SHOWN] if char not in (_BEGIN, _END))
        text = marked(text, words, _BEGIN, _END) if words else text
    return row, [pieces(line) for line in text.split("\n") if line.strip()]


def pieces(line: str) -> list[tuple[str, bool]]:
    r"""Return the pieces of a marked line, and whether each is marked.

    >>> pieces("a \x02b\x03 c")
    [('a ', False), ('b', True), (' c', False)]
    """
    found: list[tuple[str, bool]] = []
    for number, part in enumerate(line.split(_BEGIN)):
        marked, _, rest = part.partition(_END) if number else ("", "", part)
        found += [(marked, True)] * bool(marked) + [(rest, False)] * bool(rest)
    return found
