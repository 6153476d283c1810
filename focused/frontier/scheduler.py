"""The project's scheduler: a frontier on disk that survives whatever ends the crawl.

What Scrapy asks of a scheduler, and who answers: :mod:`~focused.frontier.admission` takes links in,
:mod:`~focused.frontier.dispatch` chooses the next, :mod:`~focused.frontier.budget` says whether there is room for it,
:mod:`~focused.frontier.completion` sees each to its end, :mod:`~focused.frontier.checkpoints` makes all durable.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.core.scheduler import BaseScheduler, Scheduler
from scrapy.exceptions import CloseSpider
from scrapy.utils.defer import deferred_from_coro

from focused.frontier.admission import Admission
from focused.frontier.budget import Room
from focused.frontier.checkpoints import Checkpoints
from focused.frontier.completion import Completion
from focused.frontier.dispatch import Dispatch
from focused.frontier.host_availability import HostAvailability
from focused.frontier.host_penalty import HostPenalty
from focused.frontier.leases import Leases
from focused.frontier.link_requests import LinkRequests
from focused.frontier.memory_queue import MemoryQueue
from focused.frontier.passed_over import count_passed_over
from focused.frontier.politeness import Politeness
from focused.frontier.rediscovery import Rediscovery
from focused.frontier.store.page_records import Learning
from focused.frontier.store.rescoring import rescore
from focused.frontier.store.schema import FILE_NAME
from focused.frontier.store.store import FrontierStore
from focused.frontier.wakeup import Wakeup
from focused.method.scoring import Strategy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.statscollectors import StatsCollector
    from typing_extensions import Self

    from focused.frontier.leases import Lease
    from focused.frontier.store.rescoring import NewScores, WaitingSlice


class FrontierScheduler(BaseScheduler):
    """Keeps every link in the run directory and hands out the best one whose host may be asked now.

    A link is done when its page's links and item are in: all of it is one transaction, together with the crawl's
    counters and the lengths of the files that hold its pages. What was under way when a crawl died is fetched again.

    The page budget is kept exactly: no more requests are handed out than it has pages left, counting those under way.

    Requests that are more than a link (another callback, method, body) are kept in memory only.

    Settings: JOBDIR (where the file is, if not in the run directory), FOCUSED_FRONTIER_MAX_LINKS,
    FOCUSED_FRONTIER_MAX_PER_HOST, FOCUSED_FRONTIER_MAX_TUNNEL, FOCUSED_FRONTIER_HOST_SINK.

    Stats: ``scheduler/enqueued``, ``scheduler/dequeued``, ``dupefilter/filtered``, ``focused/frontier/merged_count``,
    ``moved_count``, ``over_host_cap_count``, ``host_cap_dropped_count``, ``too_deep_count``, ``cut_count``,
    ``not_durable_count``, ``resumed_count``, ``passed_over_count``, ``passed_over_levels_count``,
    ``rests_count``.
    """

    #: Whether a crawl can go on in the run directory of an earlier one: see :func:`focused.crawl.planning.plan_crawl`.
    goes_on = True

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self._spider: Any = crawler.spider
        self._leases = Leases()
        self._others = MemoryQueue()
        self._requests = LinkRequests(crawler)
        self._wake = Wakeup(crawler)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self | Scheduler:  # type: ignore[override]
        """Take the crawler along; the settings are read when the spider is there. Of other spiders Scrapy's own serves."""
        return cls(crawler) if hasattr(crawler.spider, "crawl") else Scheduler.from_crawler(crawler)

    def open(self, spider: Spider) -> None:
        """Open the frontier's file, and go on where the last run ended if there is one."""
        crawler, settings, crawl = self.crawler, self.crawler.settings, self._spider.crawl
        assert spider is crawler.spider
        assert crawler.engine is not None
        plan = crawl.plan
        folder = Path(settings.get("JOBDIR") or plan.run_dir)
        folder.mkdir(parents=True, exist_ok=True)
        #: The links, on disk.
        self.store = self._open_store(folder)
        #: Links that are found again; None where each has to come as a request.
        self.again = self._found_again()
        crawl.frontier, crawl.waiting = self, None
        self._learning = None if crawl.session is None else Learning(self.store, crawl.session)
        is_live, obeys_robots = plan.web == "live", settings.getbool("ROBOTSTXT_OBEY")
        self._ready = HostAvailability(crawler.engine.downloader, obeys_robots=is_live and obeys_robots)
        # Kept, for signals hold nobody.
        self._wishes = Politeness(crawler, self._ready, obeys_robots=obeys_robots) if is_live else None
        self._standing = HostPenalty(settings.getfloat("FOCUSED_FRONTIER_HOST_SINK"))
        crawler.signals.connect(self._spider_opened, signals.spider_opened)
        self._commits = Checkpoints(self.store, crawl, self._stats, folder, self._not_writable)
        #: Takes links in.
        self.intake = Admission(crawler, self.store, self.again, self._requests, self._others, self._learning)
        #: Chooses which comes next.
        self.hand_out = Dispatch(self.store, self.again, self._requests, self._others, self._leases, self._ready)
        self._room = Room(crawler, self._leases, self._wake)
        #: Sees links under way to their end.
        self.ends = Completion(
            *(crawler, self.store, self._leases, self.intake, self._standing, self._learning),
            commits=self._commits,
            wake=self._wake,
        )
        self._resume()

    def has_pending_requests(self) -> bool:
        """Tell whether anything waits."""
        return len(self.store) > 0 or bool(self._others)

    def enqueue_request(self, request: Request) -> bool:
        """Take in a link, a retry, a redirect or any other request; tell whether it was new."""
        if self._commits.is_broken:
            return False
        lease = self._leases.of(request)
        try:
            return self.intake.request(request) if lease is None else self.intake.goes_on(lease, request)
        except sqlite3.Error as error:
            self._commits.fail(error)
            return False

    def next_request(self) -> Request | None:
        """Return the next request, or None where no host may be asked or the budget has no place for it now."""
        if self._commits.is_broken or self.ends.ending.is_taken:  # what a page under way brings may be better
            return None
        try:
            self.ends.end_orphans()
            if self._commits.is_broken or not self._room.is_left():
                return None
            request = self.hand_out.next()
        except sqlite3.Error as error:
            self._commits.fail(error)
            return None
        if request is not None:
            self._stats.inc_value("scheduler/dequeued")
            if self.hand_out.levels_below:
                count_passed_over(self._stats, self.hand_out.levels_below)
        elif (rested_at := self.hand_out.next_time()) is not None:
            self._wake.at(rested_at)
        return request

    def close(self, reason: str) -> None:
        """Commit and close the file; what is still under way waits again."""
        self._wake.close()
        if not self._commits.is_broken:
            try:
                self._end()
            except sqlite3.Error as error:
                self._commits.fail(error)
        self.store.close()

    # --- What the crawl asks

    @property
    def n_waiting(self) -> int:
        """How many links and other requests wait."""
        return len(self.store) + len(self._others)

    def lease_of(self, response: Response) -> Lease | None:
        """Return the lease that a response belongs to."""
        return self._leases.of(response.request) if response.request is not None else None

    def was_asked(self, request: Request) -> bool:
        """Tell whether a link was asked for that the crawl does not remember: by an earlier part of it, or long ago."""
        if self._spider.crawl.remembers_all or self._commits.is_broken:
            return False
        try:
            return self.store.state_of(self._requests.link(request).fingerprint) is not None
        except sqlite3.Error as error:
            self._commits.fail(error)
            return False

    def note(self, request: Request, why: str) -> None:
        """Say why a request failed, for whoever asks about its link."""
        lease = self._leases.of(request)
        if lease is not None:
            lease.note = why

    def rescore(self, score: Callable[[WaitingSlice], NewScores], *, slice_links: int = 2_000) -> Iterator[int]:
        """Score all waiting links anew by a new model, as :func:`focused.frontier.store.rescoring.rescore` does."""
        version = self._spider.crawl.model_version
        try:
            for n_links in rescore(self.store, score, slice_links=slice_links, model_version=version):
                if self.again is not None:
                    self.again.forget_levels()
                yield n_links
                if self._commits.is_broken:
                    return
        except sqlite3.Error as error:
            self._commits.fail(error)

    # --- Inside

    @property
    def _stats(self) -> StatsCollector:
        return self.crawler.stats

    def _open_store(self, folder: Path) -> FrontierStore:
        settings, crawl = self.crawler.settings, self._spider.crawl
        strategy = crawl.plan.strategy
        return FrontierStore(
            folder / FILE_NAME,
            order=strategy.order,
            max_links=settings.getint("FOCUSED_FRONTIER_MAX_LINKS"),
            max_per_host=settings.getint("FOCUSED_FRONTIER_MAX_PER_HOST"),
            max_tunnel=settings.getint("FOCUSED_FRONTIER_MAX_TUNNEL"),
            merge=strategy.merge if crawl.merges else _first,
        )

    def _found_again(self) -> Rediscovery | None:
        settings, crawl = self.crawler.settings, self._spider.crawl
        # What Scrapy's DepthMiddleware adds to a priority, requests alone can tell.
        if not crawl.merges or settings.getint("DEPTH_PRIORITY"):
            return None
        # A strategy with a rule of its own has a say in each case, and so has a limit that the score knows nothing of.
        has_own_rule = type(crawl.plan.strategy).merge is not Strategy.merge
        is_mean = not has_own_rule and not settings.getint("FOCUSED_FRONTIER_MAX_TUNNEL")
        return Rediscovery(self.store, is_mean=is_mean)

    def _resume(self) -> None:
        crawl, store = self._spider.crawl, self.store
        crawl.remembers_all = not any(store.counts().values())
        self._commits.go_on()
        crawl.remember_fetched(store.done_urls())
        for host, levels in self._standing.load(store.host_pages()).items():
            store.sink(host, levels)
        if self._learning is not None and (n_bad := self._learning.resume()):
            self._stats.inc_value("focused/adaptive/records_lost_count", n_bad)
        self._commits.begin()

    def _end(self) -> None:
        self.ends.end_orphans()
        self.ends.give_back()
        self._others.clear()  # links wait in the store again, the rest ends with the process
        if self._learning is not None:
            self._learning.finish()
        if self.again is not None:
            self.again.close()
        self._commits.commit()

    def _spider_opened(self, spider: Spider) -> None:
        self._requests.spider_opened()
        plan, harvest = self._spider.crawl.plan, self._spider.crawl.harvest
        for limit, n_found, reason in (
            (plan.max_pages, harvest.n_pages if harvest else 0, "max_pages"),
            (plan.max_relevant, harvest.n_relevant if harvest else 0, "max_relevant"),
        ):
            if limit and n_found >= limit:
                raise CloseSpider(reason)

    def _not_writable(self) -> None:
        """End the crawl: what is not durable will be fetched again."""
        assert self.crawler.engine is not None
        deferred_from_coro(self.crawler.engine.close_spider_async(reason="frontier_not_writable"))


def _first(known: Any, new: Any) -> Any:
    """The first page's evidence stands (D43)."""
    return known
