"""The record of a crawl's judged pages, which may join the examples: one line of ``retraining.jsonl`` each.

Terms are written as words, for their ids belong to a process. When a killed crawl is resumed, the file is truncated like the
other files of the run, so it holds committed pages only.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from focused.method.page.counted_terms import CountedTerms
from focused.method.training.term_counting import count
from focused.utils.file_names import RETRAINING_FILE
from focused.utils.files import write_whole
from focused.utils.former_files import existing_path

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping
    from pathlib import Path

    from focused.items import PageItem
    from focused.method.training.term_counting import Counts

MAX_TERMS = 2000
"""Different terms of a text that are kept: the most frequent."""
MAX_LINE_BYTES = 1_000_000

TermCounts = dict[str, int]


def record_path(run_dir: Path) -> Path:
    """Return where a run directory holds the record of its judged pages."""
    return existing_path(run_dir, RETRAINING_FILE)


@dataclass(frozen=True, slots=True)
class LinkTexts:
    """The texts of the link that led to a page."""

    #: Number of the page that holds it.
    source: int
    anchor: TermCounts = field(default_factory=dict)
    context: TermCounts = field(default_factory=dict)
    window: TermCounts = field(default_factory=dict)
    url: TermCounts = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class JudgedPage:
    """A page that a crawl judged."""

    #: Place among the judged pages, from 1.
    number: int
    url: str
    relevance: float
    #: Of the model that judged it.
    version: int
    #: Of the model that its link's score came from.
    link_version: int
    #: Label that it joined with by its relevance; None where it did not.
    joins: bool | None
    #: Empty where the limit of pages was reached, or the page has no words.
    terms: TermCounts = field(default_factory=dict)
    #: None of seeds, and of links whose page is no longer known.
    link: LinkTexts | None = None
    #: Whether its link was drawn from all that waited, to look around.
    is_drawn: bool = False

    def to_line(self) -> str:
        """Return one line of JSON."""
        values: dict[str, Any] = {name: getattr(self, name) for name in self.__slots__}
        if self.link is not None:
            values["link"] = {name: getattr(self.link, name) for name in self.link.__slots__}
        return json.dumps(values, ensure_ascii=False, separators=(",", ":"))


def write_record(run_dir: Path, pages: Iterable[JudgedPage]) -> None:
    """Write the record of a run directory anew, in the order of the pages."""
    write_whole(run_dir / RETRAINING_FILE, "".join(f"{page.to_line()}\n" for page in pages))


def pages_to_learn_from(pages: Iterable[JudgedPage], labels: Container[int]) -> list[JudgedPage]:
    """Return the pages that have a label, by number, and words to learn from."""
    return [page for page in pages if page.number in labels and page.terms]


def term_counts(counts: Counts) -> TermCounts:
    """Return the counts of a text by term, the most frequent first where there are too many."""
    return dict(counted_terms(counts))


def counted_terms(counts: Counts) -> CountedTerms:
    """Return the same for somebody who may not need the words."""
    ids, numbers = counts
    if len(ids) > MAX_TERMS:
        chosen = np.argsort(-numbers, kind="stable")[:MAX_TERMS]
        ids, numbers = ids[chosen], numbers[chosen]
    return CountedTerms(ids, numbers)


def judged_terms_of(item: PageItem, page_text: str) -> Mapping[str, int]:
    """Return the terms that the page of an item is judged by, with their counts, counted once.

    ``page_text``: a name of ``TEXTS``. Of a page that is no longer in memory: nothing.
    """
    if item.analysed is None:
        return {}
    if item.counted is None or item.counted[0] != page_text:
        item.counted = page_text, counted_terms(count(item.analysed.judged_terms(page_text)))
    return item.counted[1]


def read_record(path: Path, n_bytes: int | None = None) -> tuple[list[JudgedPage], int]:
    """Return the pages of a crawl in the order of their numbers, and the number of lines that hold none.

    Of a number that stands there twice the later counts. The file need not be there, and is read up to ``n_bytes``.
    """
    pages, n_bad, done = dict[int, JudgedPage](), 0, 0
    if not path.exists():
        return [], 0
    with path.open("rb") as file:
        while line := file.readline(MAX_LINE_BYTES):
            done += len(line)
            if (n_bytes is not None and done > n_bytes) or not line.endswith(b"\n"):
                break
            try:
                page = _page(json.loads(line))
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
                n_bad += 1
            else:
                pages[page.number] = page
    return [pages[number] for number in sorted(pages)], n_bad


def _page(values: dict[str, Any]) -> JudgedPage:
    link, joins = values["link"], values["joins"]
    if joins not in (True, False, None):
        raise ValueError(f"joins must be true, false or null. Got {joins!r}.")
    if link is not None:
        link = LinkTexts(int(link["source"]), *(_counts(link[name]) for name in ("anchor", "context", "window", "url")))
    number, version, link_version = (int(values[name]) for name in ("number", "version", "link_version"))
    url, relevance, terms = str(values["url"]), float(values["relevance"]), _counts(values["terms"])
    return JudgedPage(number, url, relevance, version, link_version, joins, terms, link, values.get("is_drawn") is True)


def _counts(values: dict[str, Any]) -> TermCounts:
    return {str(term): max(1, int(n)) for term, n in values.items() if "\n" not in term}
