"""Counts every page for the harvest, and drops the irrelevant ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.exceptions import DropItem
from scrapy.utils.defer import deferred_from_coro

from focused.crawl.crawl import Crawl
from focused.crawl.fetched_rows import FETCHED_COLUMNS, fetched_row
from focused.crawl.harvest_rows import FORECAST_COLUMNS, FURTHER_COLUMNS, estimate_cells, harvest_columns, harvest_row
from focused.crawl.run_history import last_estimate
from focused.crawl.saturation import SATURATED
from focused.frontier.crawl_interface import frontier_of
from focused.items import PageItem
from focused.utils.file_names import FETCHED_FILE, HARVEST_FILE, RUN_FILE
from focused.utils.files import LineFile, has_header
from focused.utils.frontier_settings import DATABASE
from focused.utils.output_settings import CSV_SAFE, HARVEST_EVERY_PAGES, HARVEST_WINDOW_PAGES

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from typing_extensions import Self


class HarvestPipeline:
    """Counts every page for the harvest, then drops the irrelevant ones. Ends the crawl when its goal is reached.

    A worker of a shared crawl is ended by its scheduler, which knows the pages of all: some of its own may be refused.

    A page that asks not to be indexed is dropped too, and so is a copy of a page met before. Both count as fetched and as not
    relevant: the harvest is what is delivered.

    Writes ``harvest.csv``: a row every FOCUSED_HARVEST_EVERY_PAGES pages and one at the end; and ``fetched.csv``: a row a
    page, relevant or not, in the order in which they were judged.

    Stats: ``focused/pages/fetched_count``, ``focused/pages/relevant_count``, ``focused/pages/noindex_count``,
    ``focused/pages/noindex_relevant_count``, ``focused/pages/copy_count``, ``focused/pages/copy_relevant_count``,
    ``focused/relevant/by_REASON_count``
    (through what their links had been scored), ``focused/relevant/deferred_count``, ``focused/relevant/seed_count``,
    ``focused/harvest_rate``, ``focused/harvest/estimated_share``, ``..._low``, ``..._high``, ``focused/target_length``,
    ``focused/irrelevant_on_path``.
    """

    def __init__(self, crawler: Crawler, crawl: Crawl) -> None:
        self._crawler = crawler
        plan, self._outlook = crawl.plan, crawl.outlook
        self._stats = crawler.stats
        self._plan = plan
        self._counter, self._estimate = crawl.harvest, crawl.estimate
        window = HARVEST_WINDOW_PAGES.read(crawler.settings)
        self._every_pages = HARVEST_EVERY_PAGES.read(crawler.settings)
        columns = [*harvest_columns(window)]
        path = plan.run_dir / HARVEST_FILE
        #: A file that an earlier version of this program began keeps the columns that it has.
        further: list[str] = []
        self._n_further = sum(map(len, FURTHER_COLUMNS))
        for group in FURTHER_COLUMNS:
            if has_header(path, ",".join([*columns, *further])):
                self._n_further = len(further)
            further += group
        self._file = LineFile(path, ",".join([*columns, *further]))
        self._fetched = LineFile(plan.run_dir / FETCHED_FILE, ",".join(FETCHED_COLUMNS))
        self._has_duplicates = not has_header(plan.run_dir / FETCHED_FILE, ",".join(FETCHED_COLUMNS[:-1]))
        is_shared = bool(DATABASE.read(crawler.settings))
        self._max_pages, self._max_relevant = (0, 0) if is_shared else (plan.max_pages, plan.max_relevant)
        self._is_safe = CSV_SAFE.read(crawler.settings)
        self._n_rows_pages = -1

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Stay out of spiders that do not crawl for a topic."""
        return cls(crawler, Crawl.needed(crawler))

    def open_spider(self) -> None:
        """Take up the pages that an earlier run of this crawl has judged."""
        if self._counter.n_pages:
            run_dir, n_pages = self._plan.run_dir, self._counter.n_pages
            self._estimate.restore(run_dir / FETCHED_FILE, n_pages, last_estimate(run_dir / RUN_FILE, n_pages))
            self._outlook.restore(run_dir / FETCHED_FILE, n_pages)

    def process_item(self, item: Any) -> Any:
        """Count a page."""
        if not isinstance(item, PageItem) or item.is_late:
            return item
        counter, stats, is_delivered = self._counter, self._stats, item.is_delivered
        counter.add(is_delivered, item.depth, item.irrelevant_on_path)
        self._estimate.add(item.relevance, is_delivered, is_copy=bool(item.duplicate_of))
        self._outlook.add(item.reason_kind, item.link_score, is_new=is_delivered)
        stats.set_value("focused/pages/fetched_count", counter.n_pages)
        row = fetched_row(counter.n_pages, item, has_duplicates=self._has_duplicates, is_safe=self._is_safe)
        if not self._fetched.write(row):
            stats.inc_value("focused/store/fetched_lost_count")
        # The last row is written at the end, when the harvest has been estimated once more.
        if counter.n_pages % self._every_pages == 0 and counter.n_pages != self._max_pages:
            self._write_row()
        if item.noindex:
            stats.inc_value("focused/pages/noindex_count")
            stats.inc_value("focused/pages/noindex_relevant_count", int(bool(item.relevant)))
        if item.duplicate_of:
            stats.inc_value("focused/pages/copy_count")
            stats.inc_value("focused/pages/copy_relevant_count", int(bool(item.relevant) and not is_delivered))
        if is_delivered:
            stats.inc_value("focused/pages/relevant_count")
            kind = item.reason_kind
            through = {"seed": "seed", "below threshold": "deferred"}.get(kind, f"by_{kind.replace(' ', '_')}")
            stats.inc_value(f"focused/relevant/{through}_count")
        if self._max_pages and counter.n_pages == self._max_pages:
            self._finish("max_pages")
        elif self._max_relevant and counter.n_relevant == self._max_relevant and is_delivered:
            self._finish("max_relevant")
        elif self._outlook.is_to_end:
            self._finish(SATURATED)
        if not is_delivered:
            why = "a copy" if item.duplicate_of else "noindex"
            raise DropItem(why if item.relevant else "irrelevant", log_level="DEBUG")
        return item

    def close_spider(self) -> None:
        """Write the last row and the final figures."""
        counter, stats = self._counter, self._stats
        if counter.n_pages != counter.n_pages_before:
            self._estimate.run_last_training()
        if counter.n_pages != self._n_rows_pages and (counter.n_pages != counter.n_pages_before or not counter.n_pages):
            self._write_row(is_last=True)
        self._file.close()
        self._fetched.close()
        stats.set_value("focused/pages/fetched_count", counter.n_pages)
        stats.set_value("focused/pages/relevant_count", counter.n_relevant)
        stats.set_value("focused/harvest_rate", counter.rate)
        if (found := self._estimate.now()) is not None:
            for name, value in found._asdict().items():
                stats.set_value(f"focused/harvest/estimated_{name}", round(value, 4))
        stats.set_value("focused/target_length", counter.target_length)
        stats.set_value("focused/irrelevant_on_path", counter.n_irrelevant_on_path)

    def _write_row(self, *, is_last: bool = False) -> None:
        counter, found = self._counter, self._estimate.now()
        self._n_rows_pages = counter.n_pages
        n_waiting = frontier_of(self._crawler).n_waiting
        forecast = None if is_last else self._outlook.forecast(frontier_of(self._crawler))
        self._outlook.note(forecast)
        further = estimate_cells(found)
        further += map(str, forecast) if forecast is not None else [""] * len(FORECAST_COLUMNS)
        is_there = self._file.write(harvest_row(counter, n_waiting, further[: self._n_further]))
        if not is_there:
            self._stats.inc_value("focused/store/harvest_lost_count")

    def _finish(self, reason: str) -> None:
        deferred_from_coro(self._crawler.engine.close_spider_async(reason=reason))
