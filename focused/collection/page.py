"""A page as the collection keeps it."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from focused.method.page.counted_terms import CountedTerms

if TYPE_CHECKING:
    from collections.abc import Mapping

_MAX_TERMS_BYTES = 10_000_000
_WIDTHS = (1, 4)
"""Bytes that a term count may take."""
_TO_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


@dataclass(slots=True)
class CollectedPage:
    """One fetched page, relevant or not; the fields are the columns that a crawl writes."""

    #: Place among the judged pages of the crawl, from 1.
    number: int
    url: str
    #: URL that the page has, as the web says; mostly the same.
    location: str = ""
    title: str = ""
    #: Main text; empty if it was left out (see `text_left_out`).
    text: str = ""
    author: str = ""
    #: When it was published, if the page says so: ISO 8601, perhaps only the year.
    date: str = ""
    site_name: str = ""
    description: str = ""
    license: str = ""
    language: str = ""
    canonical_url: str = ""
    #: Level (1 to 6) and text of each heading.
    headings: list[tuple[int, str]] = field(default_factory=list)
    #: Probability in [0, 1], by the model that judged the page; None where there was no model.
    relevance: float | None = None
    #: What the model says: whether the relevance reaches the threshold.
    relevant: bool = False
    threshold: float | None = None
    model_version: int = 1
    #: Whether the page asks not to be indexed, and the crawl obeys.
    noindex: bool = False
    #: URL of the page that this one is a copy of; empty if it is no copy.
    duplicate_of: str = ""
    content_type: str = ""
    depth: int = 0
    referrer: str = ""
    #: In [0, 1].
    link_score: float = 1.0
    link_reason: str = ""
    #: ISO 8601 in UTC.
    fetched_at: str = ""
    sha256: str = ""
    #: How often each term stands in the page, as it was judged.
    terms: Mapping[str, int] = field(default_factory=dict)
    #: Whether text and terms were left out: too many pages that are not relevant.
    text_left_out: bool = False
    #: The main text as Markdown, where it is asked for; None elsewhere.
    markdown: str | None = None
    #: What a project's own item class adds, as JSON: its ``class`` and ``fields``. Empty: it is a `PageItem`; None: not known.
    own_fields: str | None = None

    def to_row(self) -> tuple[Any, ...]:
        """Return the values of `COLUMNS` for SQLite. Halves of surrogate pairs become question marks."""
        values = list(_values(self))
        values[_HEADINGS] = _TO_JSON(self.headings) if self.headings else ""
        values[_TERMS] = pack_terms(self.terms)
        row = tuple(values)
        try:
            "".join(each for each in row if isinstance(each, str)).encode()
        except UnicodeEncodeError:  # rare: a hostile page
            row = tuple(each.encode(errors="replace").decode() if isinstance(each, str) else each for each in row)
        return row


COLUMNS = tuple(each.name for each in fields(CollectedPage))
"""The columns of the table ``pages`` that a crawl writes."""
_values = attrgetter(*COLUMNS)
_HEADINGS, _TERMS = COLUMNS.index("headings"), COLUMNS.index("terms")


def pack_terms(terms: Mapping[str, int]) -> bytes | None:
    """Return term counts in the form of the column ``terms``; None if there are none.

    A byte that says how many bytes a count has, 1 or 4; how many terms there are, 4 bytes; the counts; the terms, a line
    each, in UTF-8. Numbers are little-endian. (JSON, the former form, took twice as long as counting the terms.)

    >>> unpack_terms(pack_terms({"star": 3, "gas": 1}))
    {'star': 3, 'gas': 1}
    """
    if not terms:
        return None
    if isinstance(terms, CountedTerms):
        words, counts = terms.words, terms.counts
    else:
        words, counts = list(terms), np.fromiter(terms.values(), np.int64, len(terms))
    width = 1 if counts.max() < 256 else 4
    return b"".join(
        (
            *(width.to_bytes(1, "little"), len(words).to_bytes(4, "little")),
            *(counts.astype(f"<u{width}").tobytes(), "\n".join(words).encode("utf-8", "replace")),
        )
    )


def unpack_terms(data: bytes | None, max_bytes: int = _MAX_TERMS_BYTES) -> dict[str, int]:
    """Return the term counts of a row; a ValueError if they are damaged, or more than so many bytes."""
    if not data:
        return {}
    try:
        if data[0] in _WIDTHS:
            return _unpacked(data[:max_bytes])
        reader = zlib.decompressobj()  # a row from before: JSON
        values = json.loads(reader.decompress(data, max_bytes))
        return {str(term): int(n) for term, n in values.items()}
    except (zlib.error, ValueError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise ValueError(f"The terms of a page cannot be read: {error}") from None


def _unpacked(data: bytes) -> dict[str, int]:
    width, n_terms = data[0], int.from_bytes(data[1:5], "little")
    end = 5 + width * n_terms
    words = data[end:].decode().split("\n")
    if len(words) != n_terms or end > len(data):
        raise ValueError(f"there are {len(words)} and not {n_terms}")
    return dict(zip(words, np.frombuffer(data[5:end], f"<u{width}").tolist(), strict=True))
