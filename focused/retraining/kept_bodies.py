"""Kept pages in the frontier's file: written as they came, read and analysed again when the crawl is resumed."""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING

from focused.frontier.store.stored_pages import StoredPage
from focused.method.scoring import Visit

if TYPE_CHECKING:
    from focused.frontier.store.store import FrontierStore
    from focused.items import PageItem
    from focused.method.page.reader import PageReader
    from focused.retraining.kept_pages import KeptPages

logger = logging.getLogger(__name__)

_MANY, _PAGES_A_SEC = 500, 1_500


class KeptBodies:
    """Stores each kept page in the transaction of its end, so that it is kept after a crash as well.

    An analysed page is several times as large as its body. To write it would take longer than to analyse the body again.

    Parameters
    ----------
    store : FrontierStore
    pages : KeptPages
    """

    def __init__(self, store: FrontierStore, pages: KeptPages) -> None:
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
        self._store.begin()
        self._stored.add(StoredPage(kept.page.url, item.raw_type, fields, item.raw))

    def restore(self, reader: PageReader) -> tuple[int, int]:
        """Read the stored pages, and keep them as before.

        Parameters
        ----------
        reader : PageReader

        Returns
        -------
        tuple of (int, int)
            How many pages are kept again, and how many could not be read.
        """
        n_bad = 0
        if len(self._stored) > _MANY:
            logger.info(
                "Reading the last %d pages again; some %.0f s.", len(self._stored), len(self._stored) / _PAGES_A_SEC
            )
        for stored in self._stored:
            try:
                depth, carried, number, urls = json.loads(stored.visit)
                page = reader.read(bytes(stored.body), str(stored.url), str(stored.content_type))
                self._pages.keep(page, Visit(depth, carried, number, tuple(urls)))
            except (ValueError, TypeError) as error:
                n_bad += 1
                logger.warning("A page that the frontier has stored is left out: %s", error)
        return len(self._pages), n_bad
