"""Keeps every fetched page in the database of a crawl that many workers share."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from scrapy.exceptions import NotConfigured

from focused.crawl.crawl import Crawl
from focused.crawl.own_fields import StoredFields
from focused.crawl.shared_outputs import page_row
from focused.frontier.crawl_interface import frontier_of
from focused.items import PageItem
from focused.pipelines.collection import collected_page
from focused.utils.frontier_settings import DATABASE
from focused.utils.output_settings import MARKDOWN, MAX_IRRELEVANT

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from typing_extensions import Self


class SharedCollectionPipeline:
    """Adds a page's row to the transaction in which the page becomes durable: it is there once, or not at all.

    Pages that are not relevant keep text and terms up to FOCUSED_COLLECTION_MAX_IRRELEVANT; of more, each worker keeps a draw.

    Place: 195, after people's verdicts and before irrelevant pages are dropped. Off unless workers share the crawl.

    Settings: FOCUSED_DATABASE, FOCUSED_COLLECTION_MAX_IRRELEVANT, FOCUSED_MARKDOWN.

    Stats: ``focused/collection/written_count`` (rows handed to the page's transaction; of a page that is refused there,
    because another worker was first, none is left), ``focused/collection/own_fields_not_kept_count``.
    """

    def __init__(self, crawler: Crawler, crawl: Crawl) -> None:
        self._crawler, self._crawl = crawler, crawl
        self._max_irrelevant = MAX_IRRELEVANT.read(crawler.settings)
        self._keeps_markdown = MARKDOWN.read(crawler.settings) == "on"
        self._own_fields = StoredFields(crawler.stats)
        self._n_irrelevant = 0

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Stay out of crawls that are a process's own."""
        crawl = Crawl.needed(crawler)
        if not DATABASE.read(crawler.settings):
            raise NotConfigured
        return cls(crawler, crawl)

    def process_item(self, item: Any) -> Any:
        """Add the row of a page."""
        if not isinstance(item, PageItem) or item.is_late:
            return item
        item.complete()
        page = collected_page(item, 0, self._crawl.plan.topic.page_text, keeps_markdown=self._keeps_markdown)
        page.own_fields = self._own_fields.text_of(item)
        if not page.relevant and not self._has_room():
            page.text, page.terms, page.markdown, page.text_left_out = "", {}, None, True
        frontier = frontier_of(self._crawler)
        statement, values = page_row(page, item, frontier.n_waiting)
        frontier.store.draft.add_output(statement, values)  # type: ignore[attr-defined]
        self._crawler.stats.inc_value("focused/collection/written_count")
        return item

    def _has_room(self) -> bool:
        """Tell whether a page that is not relevant keeps its text: of many, fewer and fewer do."""
        self._n_irrelevant += 1
        n, most = self._n_irrelevant, self._max_irrelevant
        # Drawn by what was counted, so that the same crawl keeps the same pages.
        return bool(n <= most or random.Random(n).random() < most / n)
