"""Keeps the latest judged pages, in memory and in the frontier's file: their links can be scored again, also after a crash."""

from __future__ import annotations

import json
import logging
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from focused.frontier.store.page_records import StoredPage
from focused.method.scoring import Visit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from focused.frontier.store.interface import LinkStore
    from focused.items import PageItem
    from focused.method.page.page import Page
    from focused.method.page.reader import PageReader

logger = logging.getLogger(__name__)

_MANY, _PAGES_A_SEC = 500, 1_500


@dataclass(frozen=True, slots=True)
class KeptPage:
    """A page whose links can be scored again."""

    page: Page
    visit: Visit


class KeptPages:
    """Pages by their URLs. Beyond the limit those that were judged first are forgotten.

    A link's score rests on what its page says. To keep that for each kind of strategy would take most of the page. So the
    pages are kept, and each is judged again as it was the first time. The texts of a followed link are found there, too.
    """

    def __init__(self, max_pages: int) -> None:
        self.max_pages = max_pages
        self._pages: OrderedDict[str, KeptPage] = OrderedDict()

    def __len__(self) -> int:
        return len(self._pages)

    def __iter__(self) -> Iterator[KeptPage]:
        """Yield the pages that are kept now, those judged first first. Pages kept after that are left out."""
        yield from list(self._pages.values())

    def keep(self, page: Page, visit: Visit) -> None:
        """Keep a page that has been judged."""
        self._pages.pop(page.url, None)
        self._pages[page.url] = KeptPage(page, visit)
        if len(self._pages) > self.max_pages:
            self._pages.popitem(last=False)

    def get(self, url: str) -> KeptPage | None:
        """Return a page, None if it is not kept."""
        return self._pages.get(url)


class KeptBodies:
    """Stores each kept page as it came, in the transaction of its end; a resumed crawl reads and analyses it again.

    An analysed page is several times as large as its body. To write it would take longer than to analyse the body again.
    """

    def __init__(self, store: LinkStore, pages: KeptPages) -> None:
        self._store = store
        self._pages = pages
        self._stored = store.pages(pages.max_pages)

    def keep(self, item: PageItem) -> None:
        """Store the page of an item, if it is kept."""
        kept = None if item.analysed is None else self._pages.get(item.analysed.url)
        if kept is None or kept.page is not item.analysed:
            return
        visit = kept.visit
        fields = json.dumps([visit.depth, visit.carried, visit.number, visit.urls])
        self._store.transaction.begin()
        self._stored.add(StoredPage(kept.page.url, item.raw_type, fields, item.raw))

    def restore(self, reader: PageReader) -> tuple[int, int]:
        """Keep the stored pages as before; return how many are kept again, and how many could not be read."""
        n_bad, n_stored = 0, len(self._stored)
        if n_stored > _MANY:
            logger.info("Reading the last %d pages again, which takes about %.0f s", n_stored, n_stored / _PAGES_A_SEC)
        for stored in self._stored:
            try:
                depth, carried, number, urls = json.loads(stored.visit)
                page = reader.read(bytes(stored.body), str(stored.url), str(stored.content_type))
                self._pages.keep(page, Visit(depth, carried, number, tuple(urls)))
            except (ValueError, TypeError) as error:
                n_bad += 1
                logger.warning("A page that the frontier has stored is left out: %s", error)
        return len(self._pages), n_bad
