"""Gives every page its relevance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from focused.crawl.crawl import Crawl
from focused.items import PageItem

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.statscollectors import StatsCollector
    from typing_extensions import Self

    from focused.crawl.judging import Judging


class ClassifyPipeline:
    """Gives every page the relevance that was found together with its link scores, or judges it where links have none.

    It is the only one that writes ``relevance``, ``relevant`` and ``model_version``: all three come from the model that
    judged the page, also where another model has taken over since.

    Place: 100, before all that depends on relevance.

    Stats: ``focused/pages/other_language_count``.
    """

    def __init__(self, judging: Judging, stats: StatsCollector) -> None:
        self._judging = judging
        self._stats = stats

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Stay out of spiders that do not crawl for a topic."""
        return cls(Crawl.needed(crawler).judging, crawler.stats)

    def process_item(self, item: Any) -> Any:
        """Classify a page."""
        if not isinstance(item, PageItem) or item.analysed is None:
            return item
        if item.scores is not None:
            found, version = item.scores.relevance, item.scores.model_version
        else:
            found, version = self._judging.judge.relevance(item.analysed), self._judging.version
        if found.other_language:
            self._stats.inc_value("focused/pages/other_language_count")
        item.relevance, item.relevant, item.model_version = found.page, found.is_relevant, version
        return item
