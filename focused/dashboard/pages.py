"""Pages of a collection: a list by words and filters, and one page with the words marked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from focused.collection.learnt_verdicts import LearntVerdicts
from focused.collection.marking import marked
from focused.collection.schema import CollectionFileError
from focused.collection.verdict_folder import ASSESSOR
from focused.collection.view import CollectionView
from focused.collection.word_index import bring_up_to_date
from focused.dashboard.weighed_words import MARKED
from focused.utils.url_forms import canonical_form

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path

    from focused.collection.view import PageFilter

SORTS = {"order": "number", "latest": "number DESC", "relevance": "relevance DESC, number"}
PAGE_ROWS = 50
# What a list shows of a page, and no more: texts may be long, and a stranger's titles, too.
_SHOWN = (
    ", ".join(f"substr(pages.{name}, 1, 500) AS {name}" for name in ("title", "url", "date", "duplicate_of"))
    + ", pages.id, pages.relevance, pages.verdict"
)
_MAX_SHOWN, _MAX_PEOPLE = 200_000, 100
_NUMBERS = ("relevance", "threshold", "link_score", "verdict")
_WHOLE = ("id", "number", "model_version", "depth", "relevant", "delivered", "noindex", "text_left_out")
# Marks that no page's text can hold: what it shows has lost its control characters.
_BEGIN, _END = "\x02", "\x03"


@dataclass(frozen=True, slots=True)
class Found:
    """Pages for a list."""

    rows: list[Any]
    #: How many there are in all; None where it was not counted.
    n_all: int | None
    #: Of the first one among them.
    offset: int = 0
    error: str = ""


@dataclass(frozen=True, slots=True)
class OnePage:
    """A page to be looked at."""

    row: dict[str, Any]
    #: Paragraphs of pieces, each with what it is: `MARKED` if it is sought for.
    text: list[list[tuple[str, str]]]
    #: By person, or program: whether the page is relevant.
    people: dict[str, bool]
    #: Of the page that this one repeats.
    copy_of: int | None
    #: Name of the model that judged the collection again after a training.
    learnt: str

    @property
    def people_say(self) -> str:
        """What people say, in words."""
        by = ", ".join(f"{person} says {'yes' if said else 'no'}" for person, said in self.people.items())
        if self.row["verdict"] is not None:
            return f"{'yes' if self.row['verdict'] else 'no'}{f' ({by})' if by else ''}"
        people = {said for person, said in self.people.items() if not person.startswith(ASSESSOR)}
        return f"people contradict each other: {by}" if len(people) > 1 else by or "nothing"


def find(run_dir: Path, wanted: PageFilter, sort: str, offset: int) -> Found:
    """Return pages, the best first where words are sought for; an error says what is wrong with the words.

    Beyond the end the last pages are shown.
    """
    if wanted.words:
        bring_up_to_date(run_dir)
    try:
        with CollectionView(run_dir) as view:
            if wanted.words:
                marks = _BEGIN, _END
                rows = view.search(wanted.words, wanted=wanted, limit=PAGE_ROWS, marks=marks, columns=_SHOWN)
                return Found([plain(row) for row in rows], None)
            n_all, offset, rows = view.part(
                wanted, order=SORTS.get(sort, "number"), limit=PAGE_ROWS, offset=offset, columns=_SHOWN
            )
            return Found([plain(row) for row in rows], n_all, offset)
    except CollectionFileError as error:
        return Found([], None, error=str(error))


def plain(row: sqlite3.Row) -> dict[str, Any]:
    """Return a row of the table ``pages`` of which each value is of the kind that it should be: a file may be a stranger's."""
    found: dict[str, Any] = dict(zip(row.keys(), row, strict=True))
    for name, value in found.items():
        if name in _NUMBERS:
            found[name] = value if isinstance(value, int | float) else None
        elif name in _WHOLE:
            found[name] = value if isinstance(value, int) else 0
        elif name != "terms" and not isinstance(value, str):
            found[name] = "" if value is None else str(value)
    return found


def one(run_dir: Path, number: int, words: str) -> OnePage | None:
    """Return a page; None if there is none."""
    with CollectionView(run_dir) as view:
        found = next(view.rows("SELECT * FROM pages WHERE id = ?", [number]), None)
        if found is None:
            return None
        row = plain(found)
        text = "".join(char for char in row["text"][:_MAX_SHOWN] if char not in (_BEGIN, _END))
        text = marked(text, words, _BEGIN, _END) if words else text
        forms = list(
            dict.fromkeys(url for each in (row["url"], row["location"]) for url in (each, canonical_form(each)))
        )
        said = view.rows(
            f"SELECT person, relevant FROM verdicts WHERE url IN ({', '.join('?' * len(forms))}) ORDER BY person LIMIT ?",
            [*forms, _MAX_PEOPLE],
        )
        people = {str(each["person"])[:100]: bool(each["relevant"]) for each in said}
        copy_of = next(view.rows("SELECT id FROM pages WHERE url = ?", [row["duplicate_of"]]), None)
        lines = [pieces(line) for line in text.split("\n") if line.strip()]
        learnt = LearntVerdicts.read(view.about()).model
    return OnePage(row, lines, people, None if copy_of is None else int(copy_of["id"]), learnt)


def pieces(line: str) -> list[tuple[str, str]]:
    r"""Return the pieces of a marked line, and whether each is `MARKED`.

    >>> pieces("a \x02b\x03 c")
    [('a ', ''), ('b', 'marked'), (' c', '')]
    """
    found: list[tuple[str, str]] = []
    for number, part in enumerate(line.split(_BEGIN)):
        sought, _, rest = part.partition(_END) if number else ("", "", part)
        found += [(sought, MARKED)] * bool(sought) + [(rest, "")] * bool(rest)
    return found
