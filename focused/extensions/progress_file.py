"""Keeps ``progress.json``: the state of a crawl, for other processes that watch it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import create_looping_call

from focused.crawl.crawl import Crawl
from focused.frontier.crawl_interface import frontier_of
from focused.frontier.patience import summary
from focused.utils.file_names import PROGRESS_FILE
from focused.utils.files import write_json
from focused.utils.output_settings import METRICS_INTERVAL_SECS

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from typing_extensions import Self

    from focused.frontier.interface import Frontier

_MOST_NAMED = 50
_N_NEXT = 24
"""Best links whose strongest evidence is said."""


class ProgressFile:
    """Writes the file every FOCUSED_METRICS_INTERVAL_SECS (0: never) and at the end; what cannot be written is counted.

    Stats: ``focused/store/progress_lost_count``.
    """

    def __init__(self, crawler: Crawler, crawl: Crawl) -> None:
        self._crawler, self._crawl = crawler, crawl
        self._interval_secs = METRICS_INTERVAL_SECS.read(crawler.settings)
        self._calls: Any = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Stay out of crawls that say nothing of themselves."""
        extension = cls(crawler, Crawl.needed(crawler))
        if extension._interval_secs <= 0:
            raise NotConfigured
        crawler.signals.connect(extension.spider_opened, signal=signals.spider_opened)
        crawler.signals.connect(extension.spider_closed, signal=signals.spider_closed)
        return extension

    def spider_opened(self) -> None:
        """Begin to write."""
        self._calls = create_looping_call(self.write)
        self._calls.start(self._interval_secs, now=True)

    def spider_closed(self) -> None:
        """Write once more."""
        if self._calls is not None and self._calls.running:
            self._calls.stop()
            self.write()

    def write(self) -> None:
        """Write the file anew."""
        try:
            write_json(self._crawl.plan.run_dir / PROGRESS_FILE, self.facts())
        except OSError:
            self._crawler.stats.inc_value("focused/store/progress_lost_count")

    def facts(self) -> dict[str, Any]:
        """Return what the file says: docs/reference/files.md names it all."""
        crawl, frontier = self._crawl, frontier_of(self._crawler)
        plan, harvest, outlook = crawl.plan, crawl.harvest, crawl.outlook
        stats = self._crawler.stats.get_stats()
        forecast, hosts, estimate = outlook.forecast(frontier), frontier.host_counts(), crawl.estimate.now()
        return {
            "at": round(time.time(), 3),
            "pages": harvest.n_pages,
            "relevant": harvest.n_relevant,
            "recent_rate": round(harvest.recent_rate, 4),
            "waiting": frontier.n_waiting,
            "spent_secs": round(harvest.spent_secs(), 1),
            "secs_left": outlook.time_left.secs(),
            "limits": {
                "max_pages": plan.max_pages,
                "max_relevant": plan.max_relevant,
                "max_minutes": plan.max_minutes,
            },
            "estimate": None if estimate is None else estimate._asdict(),
            "forecast": None if forecast is None else {**forecast._asdict(), "by": outlook.ends_at()},
            "saturated": outlook.saturation.text if outlook.saturation.is_reached else "",
            "alerts": crawl.alerts,
            "hosts": None if hosts is None else {"active": hosts.n_active, "failing": hosts.n_failing},
            "failing_hosts": frontier.failing_hosts()[:_MOST_NAMED],
            "given_up_hosts": frontier.given_up_hosts()[:_MOST_NAMED],
            "stood_back": frontier.stood_back()[:_MOST_NAMED],
            "next": self._next(frontier),
            "patience": summary(stats),
            "drift": str(stats.get("focused/drift/in_words", "")),
            "stats": {name: value for name, value in stats.items() if type(value) in (int, float)},
        }

    def _next(self, frontier: Frontier) -> list[tuple[str, str]]:
        """Return the best links, each with the strongest evidence for it in words, where the strategy learns."""
        session = self._crawl.judging.session
        return [] if session is None else [(url, session.why(url)) for url in frontier.best_links(_N_NEXT)]
