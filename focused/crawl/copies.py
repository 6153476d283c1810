"""`KnownTexts`: finds pages of a crawl that are copies of pages that it met before."""

from __future__ import annotations

import logging
from collections import OrderedDict
from typing import TYPE_CHECKING, NamedTuple

from focused.method.page.copy_index import MAX_PAGES, CopyIndex
from focused.method.page.excerpts import FRAME_PAGES, ExcerptIndex
from focused.method.page.item_lists import ItemLists
from focused.method.page.near_copies import TermHashes, sketch
from focused.method.page.text_sketch import TextSketch
from focused.method.page.titles import own_title
from focused.method.page.triples import newness_of
from focused.utils.about_page import is_about_its_page, names_of
from focused.utils.origins import host_of
from focused.utils.words import quantity

if TYPE_CHECKING:
    from collections.abc import Iterable

    from focused.method.page.page import Page
    from focused.method.topic import Analyzer

logger = logging.getLogger(__name__)

_LEAST_OF_HOST = 2 * FRAME_PAGES
"""Texts of a host that must be known before one is called an excerpt: by then the host's frame has been seen."""
_SHORTER = 2 / 3
"""The most pairs that an excerpt has, as a share of those of its original: texts of one length are compared as copies."""
_MAX_HOSTS = 20_000
_MAX_TITLES = 20_000
"""Titles that are remembered, some 2 MB."""
_SLICES = 100
"""In how many slices the oldest pages are forgotten as originals of excerpts: each takes some 10 ms."""


class TextComparison(NamedTuple):
    """What a comparison of a page's text with the texts of earlier pages has found."""

    #: URL of the page that this one is a copy of; empty: it is none.
    duplicate_of: str = ""
    #: URL of the page that has the whole text of this one, whether this one counts as a copy or not; empty: the text is new.
    repeats: str = ""
    #: What to keep of a text that is new, or an excerpt; nothing of the same text again.
    sketch: bytes = b""
    #: How new it is, in [0, 1]; of a copy 0.
    newness: float = 1.0

    def as_copy_of(self, url: str) -> TextComparison:
        """Return the same for a page that counts as a copy although its text differs."""
        return TextComparison(url, url, self.sketch, newness=0.0)


class KnownTexts:
    """The texts of the pages met, the latest ``max_pages``: some 1,000 bytes each, and 16 MB for excerpts of them.

    An excerpt of a relevant page of its host is a copy, too. An item of a list, such as a post that stands whole on the front
    page of a blog, says nothing new, but is no copy. An excerpt of an irrelevant page may be such an item, with more to say of
    the topic than the whole list, so it is no copy either.

    A page is remembered when it is looked at, and durable when it ends: see `focused.frontier.store.texts`.
    """

    def __init__(self, analyzer: Analyzer, max_pages: int = MAX_PAGES) -> None:
        self._hashes = TermHashes(analyzer.table)
        self._index = CopyIndex(max_pages)
        self._max_pages = max_pages
        self._forgotten_at_once = max(1, max_pages // _SLICES)
        self._urls: list[str] = []
        self._excerpts, self._lists = ExcerptIndex(), ItemLists()
        #: Which of them were judged irrelevant.
        self._irrelevant: set[str] = set()
        #: Texts that are known of each host; of the hosts met last.
        self._n_texts: OrderedDict[str, int] = OrderedDict()
        #: Titles of the pages met last in this run, by the hashes of their URLs.
        self._titles: OrderedDict[int, str] = OrderedDict()

    def find_copy_or_remember(self, page: Page, url: str, referrer: str = "") -> TextComparison:
        """Return which page a page repeats, or what to keep of a text that is new.

        A new text is remembered: later pages are compared with it.
        ``url``: the page's own; ``referrer``: that of the page that led to it, or empty. A page without words is no copy, and
        nothing is kept of it.
        """
        text = sketch(page, self._hashes, self._own_title(page, url, referrer))
        return TextComparison() if text is None else self._compare(text, url)

    def _own_title(self, page: Page, url: str, referrer: str) -> str:
        """Return a page's title without what it says of its referrer; note the title for the pages that it links to."""
        around = self._titles.get(hash(referrer), "")
        self._titles[hash(url)] = page.title
        if len(self._titles) > _MAX_TITLES:
            self._titles.popitem(last=False)
        if not is_about_its_page(url, referrer):
            return own_title(page.title, around)
        return own_title(page.title, " ".join([around, *names_of(referrer)]), is_about=True)

    def note_irrelevant(self, url: str) -> None:
        """Note that the page of a new text was judged irrelevant."""
        self._irrelevant.add(url)

    def restore(self, texts: Iterable[tuple[str, bytes, int]]) -> None:
        """Restore the texts of an earlier run: URL, what was kept, whether the page was relevant."""
        unreadable: list[str] = []
        for url, data, relevant in texts:
            try:
                comparison = self._compare(TextSketch.from_bytes(data), url)
            except ValueError as error:
                unreadable.append(f"{url}: {error}")
                continue
            if not (relevant or comparison.duplicate_of):
                self.note_irrelevant(url)
        if unreadable:
            logger.warning(
                "%s cannot be read, and copies of them will count as new. The first is that of %s",
                quantity(len(unreadable), "stored texts"),
                unreadable[0],
            )

    def _compare(self, text: TextSketch, url: str) -> TextComparison:
        """Return which page a text repeats; remember it where it is new."""
        number, is_copy = self._index.find_or_add(text)
        place = number % self._max_pages
        if is_copy:
            first = self._urls[place]
            return TextComparison(sketch=text.to_bytes()) if first == url else TextComparison(first, first, newness=0.0)
        if number >= self._max_pages and place % self._forgotten_at_once == 0:
            self._excerpts.forget(place, self._forgotten_at_once)
        found = self._excerpts.find(text.kept)
        text = text._replace(new_share=found.new_share, is_collage=found.is_collage)
        original = self._original_of_excerpt(found.row, text.n_pairs, url)
        if not original:
            self._excerpts.add(found, place)
        is_item = bool(original) and (self._lists.is_item(original, found.shared) or original in self._irrelevant)
        if place == len(self._urls):
            self._urls.append("")
        self._irrelevant.discard(self._urls[place])
        # A copy of an excerpt that is a copy is one of the same original.
        self._urls[place] = url if is_item else original or url
        if original and not is_item:  # without its title: of a copy it does not count for its place
            return TextComparison(original, original, text._replace(title_form=0).to_bytes(), newness=0.0)
        return TextComparison("", original, text.to_bytes(), newness_of(found.new_share))

    def _original_of_excerpt(self, row: int | None, n_pairs: int, url: str) -> str:
        """Return the URL of the page in a row, if a text is an excerpt of it; empty if it is none."""
        host = host_of(url)
        n_texts = self._n_texts.pop(host, 0)
        self._n_texts[host] = n_texts + 1
        if len(self._n_texts) > _MAX_HOSTS:
            self._n_texts.popitem(last=False)
        if row is None or n_texts < _LEAST_OF_HOST or n_pairs > _SHORTER * self._index.n_pairs(row):
            return ""
        original = self._urls[row]
        return original if original != url and host_of(original) == host else ""
