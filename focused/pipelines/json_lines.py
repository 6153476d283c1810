"""Stores relevant pages, one JSON object a line."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from scrapy.exceptions import NotConfigured
from scrapy.utils.serialize import ScrapyJSONEncoder

from focused.crawl.crawl import Crawl
from focused.items import PageItem
from focused.utils.file_names import PAGES_FILE
from focused.utils.files import LineFile
from focused.utils.output_settings import PAGES_ENABLED

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy.crawler import Crawler
    from scrapy.statscollectors import StatsCollector
    from typing_extensions import Self


class JsonLinesPipeline:
    """Completes relevant pages with their text and description, and appends them to ``pages.jsonl``.

    Place: 300, after irrelevant pages have been dropped.

    Settings: FOCUSED_PAGES_ENABLED.

    Stats: ``focused/store/pages_written_count``, ``focused/store/pages_lost_count``.
    """

    def __init__(self, stats: StatsCollector, run_dir: Path) -> None:
        self._stats = stats
        self._file = LineFile(run_dir / PAGES_FILE)
        #: Pages that people refused after their line was written: it stays until the crawl closes.
        self._withdrawn: set[str] = set()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Stay out of spiders that do not crawl for a topic; switch off if the settings say so."""
        crawl = Crawl.needed(crawler)
        if not PAGES_ENABLED.read(crawler.settings):
            raise NotConfigured
        return cls(crawler.stats, crawl.plan.run_dir)

    def process_item(self, item: Any) -> Any:
        """Complete a page with what is wanted of kept ones only, and store it."""
        if not isinstance(item, PageItem) or item.is_stored:
            return item
        if item.url in self._withdrawn:  # and wanted again: its line is there
            self._withdrawn.remove(item.url)
            return item
        item.complete()
        is_there = self._file.write(_line(item))
        # With each page, so that a crawl that was killed goes on counting.
        self._stats.inc_value(f"focused/store/pages_{'written' if is_there else 'lost'}_count")
        return item

    def withdraw_item(self, item: PageItem) -> None:
        """Note that people refuse a page that was stored."""
        self._withdrawn.add(item.url)

    def close_spider(self) -> None:
        """Close the file."""
        self._file.close()
        self._stats.inc_value("focused/store/pages_written_count", 0)  # shown where there are none, too


class _Encoder(ScrapyJSONEncoder):
    """Writes dates, sets and items as Scrapy's feeds do, and all that these refuse as text."""

    def default(self, o: Any) -> Any:
        """Return what JSON has of a value in its place."""
        try:
            return super().default(o)
        except TypeError:
            return str(o)


def _line(item: PageItem) -> str:
    """Return a page as a JSON object. A field of another item class may hold anything: no page is lost for it."""
    values = {each.name: getattr(item, each.name) for each in fields(item)}
    try:
        return json.dumps(values, ensure_ascii=False, cls=_Encoder)
    except (TypeError, ValueError, RecursionError):  # keys that are no text, a value that holds itself
        own = values.keys() - {each.name for each in fields(PageItem)}
        return json.dumps(
            {name: str(value) if name in own else value for name, value in values.items()}, ensure_ascii=False
        )
