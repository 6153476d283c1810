"""Read candidates into sets of counted pages, and note every refusal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from focused.method.page.link_context import WINDOW_CHARS
from focused.method.page.own_text import WHOLE
from focused.method.page.reader import PageReader
from focused.method.text.analyzer import Analyzer
from focused.method.text.languages import LANGUAGES, detect_language
from focused.method.training.example_content import Refusals
from focused.method.training.example_selection import SeenExamples, examples
from focused.method.training.term_counting import CountedPage, counted_page
from focused.utils.url_forms import canonical_form

if TYPE_CHECKING:
    from focused.method.page.page import Page
    from focused.method.training.example_selection import Example
    from focused.method.training.example_sources import Candidate

UNKNOWN = "unknown"
DEFAULT_LANGUAGE = "en"
# Of fewer pages nobody can say what most are in.
_FEW_PAGES = 3
# Detecting the language takes as long as reading the page. This number is enough to find the most frequent language.
_MAX_LANGUAGES = 2000
# Links serve for calibration only, and all links of 50,000 pages of one site would not fit into memory.
_MAX_LINKING = 5000
_CUTS = frozenset({"bytes", "unparsed_bytes", "elements", "links_over_limit", "contexts"})

Track = Callable[[list[Any], str], Iterable[Any]]
"""Wraps a list to show progress; the text names what is read."""


def untracked(items: list[Any], what: str) -> Iterable[Any]:
    """Show nothing."""
    return items


@dataclass
class PageSet:
    """The pages of one kind, positive or unlabelled."""

    pages: list[CountedPage] = field(default_factory=list)
    #: sha256 of each body.
    digests: list[bytes] = field(default_factory=list)
    #: URL of each page; for a file the one that it was given.
    urls: list[str] = field(default_factory=list)
    #: Name of each page: its URL, its file, or its line.
    names: list[str] = field(default_factory=list)
    #: Detected language of each page. Of many unlabelled pages only some are detected; the others are empty.
    language_of: list[str] = field(default_factory=list)
    seen: SeenExamples = field(default_factory=SeenExamples)
    refusals: Refusals = field(default_factory=Refusals)
    #: Number of pages that a limit cut.
    n_cut: int = 0

    @property
    def languages(self) -> Counter[str]:
        """Number of pages by detected language."""
        return Counter(filter(None, self.language_of))

    def __len__(self) -> int:
        return len(self.pages)


class ExampleReader:
    """Reads candidates into page sets.

    ``language``: ISO 639-1 code; if not given, it is detected when the positives are read. ``reader_of``: makes the reader of
    a language. ``page_text``: the text of a page that is learnt from (`focused.method.page.own_text`). ``other_anchors``:
    whether link contexts keep the anchor texts of other links. ``window_chars``: characters on each side of an anchor in its
    window context. ``track``: shows progress.
    """

    def __init__(
        self,
        language: str | None = None,
        *,
        reader_of: Callable[[str], PageReader] | None = None,
        page_text: str = WHOLE,
        other_anchors: bool = False,
        window_chars: int = WINDOW_CHARS.default,
        track: Track = untracked,
    ) -> None:
        self.language = language
        self._reader = reader_of or (lambda language: PageReader(Analyzer(language)))
        self.limits = self._reader(DEFAULT_LANGUAGE).limits
        self.page_text = page_text
        self._other_anchors = other_anchors
        self.window_chars = window_chars
        self._track = track

    def positives(self, candidates: list[Candidate], refusals: Refusals, wanted: set[str]) -> PageSet:
        """Read all candidates as positives, and detect their language. Links to ``wanted`` (canonical URLs) are kept."""
        found = PageSet(refusals=refusals)
        loaded = list(examples(self._track(candidates, "positives"), found.seen, refusals))
        # Stopwords and stems need the language, and detection needs the text, so the positives are read twice.
        reader = self._reader(DEFAULT_LANGUAGE)
        languages = [_language_of(self._page(reader, example)) for example in loaded]
        if self.language is None:
            known = Counter(code for code in languages if code != UNKNOWN)
            # Ties go to the first by alphabet, so the order of the files makes no difference.
            self.language = min(known, key=lambda code: (-known[code], code), default=DEFAULT_LANGUAGE)
        reader = self._reader(self.language)
        for example, language in zip(loaded, languages, strict=True):
            self._add(found, example, self._page(reader, example), wanted, language)
        return found

    def unlabeled(
        self,
        candidates: list[Candidate],
        refusals: Refusals,
        wanted: set[str],
        positive: PageSet,
        *,
        limit: int | None = None,
    ) -> PageSet:
        """Read candidates as unlabelled pages; those that are among the positives are refused.

        Beyond 2,000 pages the language of a part is detected. Beyond 5,000 pages the links of a part are kept. At most
        ``limit`` pages are read.
        """
        found = PageSet(refusals=refusals)
        reader = self._reader(self.language or DEFAULT_LANGUAGE)
        n = min(len(candidates), limit or len(candidates))
        each_language, each_linking = -(-n // _MAX_LANGUAGES), -(-n // _MAX_LINKING)
        for example in examples(self._track(candidates, "unlabelled pages"), found.seen, refusals, positive.seen):
            page = self._page(reader, example)
            targets = set() if len(found) % each_linking else wanted
            self._add(found, example, page, targets, "" if len(found) % each_language else _language_of(page))
            if limit is not None and len(found) >= limit:
                break
        return found

    def _page(self, reader: PageReader, example: Example) -> Page:
        return reader.read(example.content.body, example.content.url, example.content.content_type)

    def _add(self, pages: PageSet, example: Example, page: Page, wanted: set[str], language: str) -> None:
        counted = counted_page(
            page, example.urls, wanted, page_text=self.page_text, other_anchors=self._other_anchors,
            max_terms=self.limits.max_unit_terms, window_chars=self.window_chars,
        )  # fmt: skip
        if not len(counted.terms.ids):
            pages.refusals.add("no words", example.candidate.name)
            return
        pages.pages.append(counted)
        pages.digests.append(example.digest)
        pages.urls.append(example.content.url)
        pages.names.append(example.candidate.name)
        pages.language_of.append(language)
        pages.n_cut += not _CUTS.isdisjoint(page.cuts)


def language_of_most(pages: PageSet) -> str | None:
    """Return the language of more than half of some pages, if the project knows it; None of fewer than three pages."""
    code, n_pages = max(pages.languages.items(), key=lambda pair: (pair[1], pair[0]), default=("", 0))
    return code if n_pages >= _FEW_PAGES and 2 * n_pages > len(pages) and code in LANGUAGES else None


def urls_of(candidates: Iterable[Candidate]) -> set[str]:
    """Return the canonical forms of the URLs of candidates."""
    forms = (canonical_form(candidate.url) for candidate in candidates)
    return {form for form in forms if form is not None}


def _language_of(page: Page) -> str:
    # A few paragraphs are enough. On whole pages detection would cost more than reading.
    return detect_language(page.text[:1500]) or UNKNOWN
