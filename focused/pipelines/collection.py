"""Keeps every fetched page in the collection, relevant or not."""

from __future__ import annotations

import logging
import sqlite3
from collections import deque
from itertools import islice
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from scrapy.exceptions import NotConfigured

from focused.collection.page import CollectedPage
from focused.collection.store import CollectionStore
from focused.crawl.crawl import Crawl
from focused.crawl.own_fields import StoredFields
from focused.items import PageItem
from focused.retraining.judged_pages import judged_terms_of
from focused.utils.file_names import COLLECTION_FILE
from focused.utils.frontier_settings import DATABASE
from focused.utils.output_settings import COLLECTION, MARKDOWN, MAX_IRRELEVANT
from focused.utils.words import quantity

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.statscollectors import StatsCollector
    from typing_extensions import Self

logger = logging.getLogger(__name__)

_MOST_WAITING = 200
"""So many rows wait in memory while the file cannot be written; if there are more, the oldest are lost."""


class CollectionPipeline:
    """Writes a row of ``collection.sqlite`` for each page, before the frontier makes the page durable.

    Two files cannot be one transaction. So the rows of a commit's pages are written first, with the page's URL and its number
    among the judged pages. If the crawl is killed before the frontier's commit, these pages are fetched again; the resumed
    crawl first removes their rows. So the collection holds the pages that the frontier has counted.

    While the file cannot be written, perhaps because another program has locked it, rows wait in memory. The next commit tries
    again, and so does the end of the crawl. Rows that cannot be written then are lost and counted; the crawl goes on.

    Place: 180, after the page was judged and before irrelevant pages are dropped.

    Settings: FOCUSED_COLLECTION, FOCUSED_COLLECTION_MAX_IRRELEVANT, FOCUSED_MARKDOWN.

    Stats: ``focused/collection/written_count``, ``focused/collection/lost_count``, ``focused/collection/taken_back_count``
    (rows of pages that a killed crawl had not made durable), ``focused/collection/missing_count`` (pages of earlier runs of
    this crawl that have no row), ``focused/collection/index_cpu_secs`` (of the processes that index words beside the crawl),
    ``focused/collection/not_indexed_count``, ``focused/collection/own_fields_not_kept_count``.
    """

    def __init__(
        self, crawl: Crawl, stats: StatsCollector, store: CollectionStore, *, keeps_markdown: bool = False
    ) -> None:
        self._crawl = crawl
        self._stats = stats
        self._store = store
        self._keeps_markdown = keeps_markdown
        self._own_fields = StoredFields(stats)
        #: Scrapy's own schedulers begin to count anew when a crawl is resumed.
        self._n_before = 0
        #: Rows that could not be written yet, in the order of the pages.
        self._waiting: deque[CollectedPage] = deque()
        self._has_waited = False
        #: Whether rows are written when the frontier commits; with Scrapy's own schedulers each is written at once.
        self._is_called = False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Stay out of spiders that do not crawl for a topic; switch off if the settings say so."""
        crawl = Crawl.needed(crawler)
        if COLLECTION.read(crawler.settings) == "off" or DATABASE.read(crawler.settings):
            raise NotConfigured
        path = crawl.plan.run_dir / COLLECTION_FILE
        store = CollectionStore(path, max_irrelevant=MAX_IRRELEVANT.read(crawler.settings))
        return cls(crawl, crawler.stats, store, keeps_markdown=MARKDOWN.read(crawler.settings) == "on")

    def open_spider(self) -> None:
        """Take back what an earlier run of this crawl had not made durable."""
        store, n_pages = self._store, self._crawl.harvest.n_pages
        self._crawl.let_write_rows(self._write)
        self._is_called = self._crawl.frontier.call_before_commit(self._write)
        store.describe("topic", self._crawl.plan.topic.name)
        if not store.about("id"):
            store.describe("id", uuid4().hex)
        if not self._crawl.frontier.can_rescore:
            self._n_before = store.last_number - n_pages
            return
        if n_removed := store.remove_after(n_pages):
            self._stats.inc_value("focused/collection/taken_back_count", n_removed)
        if n_missing := max(0, n_pages - store.last_number):
            self._stats.set_value("focused/collection/missing_count", n_missing)
            logger.warning("%s lacks rows of the last %d pages that were judged before", store.path, n_missing)

    def process_item(self, item: Any) -> Any:
        """Queue the row of a page for the next commit."""
        if not isinstance(item, PageItem) or item.is_late:
            return item
        item.complete()
        number = self._n_before + self._crawl.harvest.n_pages + 1
        page_text = self._crawl.plan.topic.page_text
        page = collected_page(item, number, page_text, keeps_markdown=self._keeps_markdown)
        page.own_fields = self._own_fields.text_of(item)
        self._waiting.append(page)
        if not self._is_called:
            self._write()
        while len(self._waiting) > _MOST_WAITING:
            self._lose("it has been locked, or its disk full, for too long")
        return item

    async def before_close(self) -> None:
        """Write the rows that wait, before verdicts and others read the collection at the end of the crawl."""
        self._write()

    def close_spider(self) -> None:
        """Write the rows that wait, bring the index up to date, and close the file."""
        self._write()
        while self._waiting:
            self._lose("it was locked, or its disk full, until the crawl closed")
        try:
            n_left = self._store.close()
        except sqlite3.Error as error:
            logger.error("The index of words of %s could not be updated: %s", self._store.path, error)
            return
        self._stats.set_value("focused/collection/index_cpu_secs", round(self._store.index_cpu_secs, 3))
        if n_left:
            self._stats.set_value("focused/collection/not_indexed_count", n_left)
            logger.warning(
                "%s: %s are not in its index of words. scrapy export --words and the dashboard add them before they search; "
                "other programs do not find them until then.",
                self._store.path,
                quantity(n_left, "pages"),
            )

    def _write(self) -> None:
        """Write the rows that wait, as many as can be written now."""
        n_together = len(self._waiting)
        while self._waiting:
            try:
                self._store.add(*islice(self._waiting, n_together))
            except sqlite3.OperationalError as error:
                if not self._has_waited:
                    self._has_waited = True
                    logger.warning("%s cannot be written now: %s. Trying again later.", self._store.path, error)
                return
            except Exception as error:  # noqa: BLE001  of one row, or of a damaged file: no other attempt would help, and none
                # may keep the frontier from its commit.
                if n_together == 1:
                    self._lose(str(error))
                n_together = 1
            else:
                for _ in range(n_together):
                    self._waiting.popleft()
                self._stats.inc_value("focused/collection/written_count", n_together)

    def _lose(self, why: str) -> None:
        """Give up the row that has waited longest."""
        self._waiting.popleft()
        if not self._stats.get_value("focused/collection/lost_count"):
            logger.error("%s cannot be written: %s. Pages are lost and counted.", self._store.path, why)
        self._stats.inc_value("focused/collection/lost_count")


def collected_page(item: PageItem, number: int, page_text: str, *, keeps_markdown: bool) -> CollectedPage:
    """Return a page as the collection keeps it; ``page_text``: which of its texts the topic judges."""
    scores = item.scores
    return CollectedPage(
        number=number,
        url=item.url,
        location=item.known_as,
        title=item.title,
        text=item.text,
        description=item.description,
        language=item.language,
        canonical_url=item.canonical_url,
        author=item.author,
        date=item.date,
        site_name=item.site_name,
        license=item.license,
        headings=item.headings,
        relevance=item.relevance,
        relevant=bool(item.relevant),
        threshold=None if scores is None else float(scores.relevance.thresholds["page"]),
        model_version=item.model_version,
        noindex=item.noindex,
        duplicate_of=item.duplicate_of,
        content_type=item.raw_type,
        depth=item.depth,
        referrer=item.referrer,
        link_score=item.link_score,
        link_reason=item.link_reason,
        fetched_at=item.fetched_at,
        sha256=item.sha256,
        terms=judged_terms_of(item, page_text),
        markdown=item.markdown() if keeps_markdown else None,
    )
