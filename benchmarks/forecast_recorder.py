"""Records what a forecast is made from: an extension for the crawls of benchmarks/forecast.py."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy import signals

from focused.crawl.crawl import Crawl
from focused.frontier.crawl_interface import frontier_of
from focused.items import PageItem

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

FILE = "forecast.tsv"


class ForecastRecorder:
    """Writes a row a page: 1 if it was judged relevant and no copy, its link's score and kind, its URL, what waits then."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._path = Crawl.needed(crawler).plan.run_dir / FILE

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> ForecastRecorder:
        """Listen to a crawl."""
        recorder = cls(crawler)
        for signal in (signals.item_scraped, signals.item_dropped):
            crawler.signals.connect(recorder.page, signal)
        return recorder

    def page(self, item: object) -> None:
        """Write a page's row."""
        if isinstance(item, PageItem):
            waiting = ",".join(f"{level:.4f}:{n}" for level, n in frontier_of(self._crawler).waiting_scores())
            row = (int(item.is_delivered), f"{item.link_score:.4f}", item.reason_kind, item.url, waiting)
            with self._path.open("a", encoding="utf-8") as file:
                file.write("\t".join(map(str, row)) + "\n")
