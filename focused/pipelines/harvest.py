"""Classify, count, store."""

from __future__ import annotations

import csv
import hashlib
import json
from dataclasses import asdict
from io import StringIO
from typing import TYPE_CHECKING, Any

from scrapy.exceptions import DropItem, NotConfigured
from scrapy.utils.defer import deferred_from_coro

from focused.crawl.harvest import HarvestCounter
from focused.items import PageItem
from focused.method.page.description import describe
from focused.utils.file_names import FETCHED_FILE, HARVEST_FILE, PAGES_FILE
from focused.utils.files import LineFile

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.statscollectors import StatsCollector
    from typing_extensions import Self

    from focused.crawl.state import Crawl

FETCHED_COLUMNS = (
    *("number", "url", "location", "referrer", "relevance", "relevant"),
    *("link_score", "link_reason", "depth", "irrelevant_on_path", "model_version", "link_model_version"),
)


# Control characters of a page: XML has no way to write them, so one would spoil a whole feed.
_CONTROLS = [*range(9), 11, *range(14, 32), 127, 0xFFFE, 0xFFFF]
_NO_CONTROLS = dict.fromkeys(_CONTROLS)
_EACH_CONTROL = list(map(chr, _CONTROLS))


class _CrawlPipeline:
    """A pipeline that takes what it needs from the spider's crawl."""

    def __init__(self, crawler: Crawler, crawl: Crawl) -> None:
        self.crawler = crawler
        self.crawl = crawl

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Take the crawl from the spider; of other spiders, as ``scrapy fetch`` has one, stay out."""
        crawl: Crawl | None = getattr(crawler.spider, "crawl", None)
        if crawl is None:
            raise NotConfigured
        return cls(crawler, crawl)

    @property
    def stats(self) -> StatsCollector:
        """The crawl's stats."""
        return self.crawler.stats


class ClassifyPipeline(_CrawlPipeline):
    """Gives every page its relevance: the one that link scoring found, or its own judgement where that is off."""

    def process_item(self, item: Any) -> Any:
        """Classify a page that is not classified yet."""
        if isinstance(item, PageItem) and item.relevance is None and item.analysed is not None:
            relevance = self.crawl.plan.judge.judge(item.analysed)
            item.relevance, item.relevant = relevance.page, relevance.is_relevant
        return item


class HarvestPipeline(_CrawlPipeline):
    """Counts every page for the harvest, then drops the irrelevant ones. Ends the crawl when its goal is reached.

    Writes ``harvest.csv``: a row every FOCUSED_HARVEST_EVERY_PAGES pages and one at the end; and ``fetched.csv``: a row a
    page, relevant or not, in the order in which they were judged.

    Stats: ``focused/pages/fetched_count``, ``focused/pages/relevant_count``, ``focused/relevant/by_REASON_count``
    (through what their links had been scored), ``focused/relevant/deferred_count``, ``focused/relevant/seed_count``,
    ``focused/harvest_rate``, ``focused/target_length``, ``focused/irrelevant_on_path``.
    """

    def __init__(self, crawler: Crawler, crawl: Crawl) -> None:
        super().__init__(crawler, crawl)
        settings = crawler.settings
        self.counter = crawl.harvest = HarvestCounter(settings.getint("FOCUSED_HARVEST_WINDOW_PAGES"))
        self._every_pages = max(1, settings.getint("FOCUSED_HARVEST_EVERY_PAGES"))
        self._window = settings.getint("FOCUSED_HARVEST_WINDOW_PAGES")
        self._file = LineFile(
            crawl.plan.run_dir / HARVEST_FILE,
            f"pages,relevant,harvest_rate,harvest_rate_last_{self._window},frontier,target_length",
        )
        self._fetched = LineFile(crawl.plan.run_dir / FETCHED_FILE, ",".join(FETCHED_COLUMNS))
        self._n_rows_pages = -1

    def process_item(self, item: Any) -> Any:
        """Count a page."""
        if not isinstance(item, PageItem):
            return item
        counter, stats = self.counter, self.stats
        counter.add(bool(item.relevant), item.depth, item.irrelevant_on_path)
        stats.set_value("focused/pages/fetched_count", counter.n_pages)
        if not self._fetched.write(fetched_row(counter.n_pages, item)):
            stats.inc_value("focused/store/fetched_lost_count")
        if counter.n_pages % self._every_pages == 0:
            self._write_row()
        plan = self.crawl.plan
        if item.relevant:
            stats.inc_value("focused/pages/relevant_count")
            through = {"seed": "seed", "below threshold": "deferred"}.get(item.link_reason, f"by_{item.link_reason}")
            stats.inc_value(f"focused/relevant/{through}_count")
        if plan.max_pages and counter.n_pages == plan.max_pages:
            self._finish("max_pages")
        elif plan.max_relevant and counter.n_relevant == plan.max_relevant and item.relevant:
            self._finish("max_relevant")
        if not item.relevant:
            raise DropItem("irrelevant", log_level="DEBUG")
        return item

    def close_spider(self) -> None:
        """Write the last row and the final figures."""
        counter, stats = self.counter, self.stats
        if counter.n_pages != self._n_rows_pages and (counter.n_pages != counter.n_pages_before or not counter.n_pages):
            self._write_row()
        self._file.close()
        stats.set_value("focused/pages/fetched_count", counter.n_pages)
        stats.set_value("focused/pages/relevant_count", counter.n_relevant)
        stats.set_value("focused/harvest_rate", counter.rate)
        stats.set_value("focused/target_length", counter.target_length)
        stats.set_value("focused/irrelevant_on_path", counter.n_irrelevant_on_path)
        self._fetched.close()

    def _write_row(self) -> None:
        counter = self.counter
        self._n_rows_pages = counter.n_pages
        is_there = self._file.write(
            f"{counter.n_pages},{counter.n_relevant},{counter.rate:.4f},{counter.recent_rate:.4f},"
            f"{frontier_size(self.crawl, self.stats)},{counter.target_length}"
        )
        if not is_there:
            self.stats.inc_value("focused/store/harvest_lost_count")

    def _finish(self, reason: str) -> None:
        deferred_from_coro(self.crawler.engine.close_spider_async(reason=reason))


class JsonLinesPipeline(_CrawlPipeline):
    """Appends every relevant page to ``pages.jsonl`` in the run directory.

    Stats: ``focused/store/pages_written_count``, ``focused/store/pages_lost_count``.
    """

    def __init__(self, crawler: Crawler, crawl: Crawl) -> None:
        super().__init__(crawler, crawl)
        self._file = LineFile(crawl.plan.run_dir / PAGES_FILE)

    def process_item(self, item: Any) -> Any:
        """Complete a page with what is wanted of kept ones only, and store it."""
        if isinstance(item, PageItem):
            page = item.analysed
            if page is not None:
                item.text, item.sha256 = page.text, hashlib.sha256(item.raw).hexdigest()
                found = describe(item.raw, item.url, base=page.marked_text.base)
                item.canonical_url = found.canonical_url or item.url
                item.description, item.language = found.description, found.language
                for field in ("title", "text", "description", "language"):
                    setattr(item, field, _printable(getattr(item, field)))
            is_there = self._file.write(json.dumps(asdict(item), ensure_ascii=False))
            # With each page, so that a crawl that was killed goes on counting.
            self.stats.inc_value(f"focused/store/pages_{'written' if is_there else 'lost'}_count")
        return item

    def close_spider(self) -> None:
        """Close the file."""
        self._file.close()
        self.stats.inc_value("focused/store/pages_written_count", 0)  # said where there are none, too


def _printable(text: str) -> str:
    # To look for each of them takes a tenth of the time, and hardly a page has any.
    return text.translate(_NO_CONTROLS) if any(map(text.__contains__, _EACH_CONTROL)) else text


def fetched_row(number: int, item: PageItem) -> str:
    """Return the row of ``fetched.csv`` for a page.

    >>> fetched_row(1, PageItem(url="http://h.org/a,b", relevance=0.25, relevant=False))
    '1,"http://h.org/a,b","http://h.org/a,b",,0.2500,0,1.0000,seed,0,0,1,1'
    """
    row = StringIO()
    relevance = "" if item.relevance is None else f"{item.relevance:.4f}"
    found, link = [number, item.url, item.known_as, item.referrer], f"{item.link_score:.4f}"
    judged = [relevance, int(bool(item.relevant)), link, item.link_reason, item.depth, item.irrelevant_on_path]
    versions = [item.model_version, item.link_model_version]
    csv.writer(row, lineterminator="").writerow([*found, *judged, *versions])
    return row.getvalue()


def frontier_size(crawl: Crawl, stats: StatsCollector) -> int:
    """Return how many links wait: the durable frontier counts them itself, of Scrapy's schedulers the stats tell."""
    if crawl.frontier is not None:
        # Not from the stats: links are also cut, dropped, and given back when a crawl was killed.
        n_waiting: int = crawl.frontier.n_waiting
        return n_waiting
    size: int = stats.get_value("scheduler/enqueued", 0) - stats.get_value("scheduler/dequeued", 0)
    return size
