"""The project's scheduler: a frontier on disk that survives whatever ends the crawl."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.core.scheduler import BaseScheduler, Scheduler
from scrapy.exceptions import CloseSpider, IgnoreRequest
from scrapy.utils.asyncio import call_later
from scrapy.utils.defer import deferred_from_coro

from focused.frontier.again import FoundAgain
from focused.frontier.commits import Commits
from focused.frontier.hosts_ready import HostsReady, now
from focused.frontier.leases import LEASE, Lease, Leases, link_ended
from focused.frontier.link import host_of
from focused.frontier.link_requests import LinkRequests
from focused.frontier.other_requests import OtherRequests
from focused.frontier.priority import to_priority
from focused.frontier.records import Learning
from focused.frontier.rescore import rescore
from focused.frontier.schema import FILE_NAME
from focused.frontier.standing import HostStanding
from focused.frontier.store import MERGED, NEW, FrontierStore
from focused.strategies import REASONS, Strategy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.statscollectors import StatsCollector
    from typing_extensions import Self

    from focused.frontier.link import Link
    from focused.frontier.rescore import NewScores, WaitingSlice
    from focused.items import PageItem
    from focused.strategies import Evidence

    Prepared = list[tuple[Request, Link]]
    """Links of a page, as requests and as the frontier takes them in."""

_UNANSWERED_SECS = 3.0
"""So long a host may take before a strategy that wants few requests under way waits for it no more."""


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
    ``not_durable_count``, ``resumed_count``.
    """

    #: Whether a crawl can go on in the run directory of an earlier one: see :func:`focused.plan.plan_crawl`.
    goes_on = True

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self._leases = Leases()
        self._others = OtherRequests()
        self._staged: dict[int, tuple[PageItem, Lease, Prepared, list[tuple[str, int, Evidence]]]] = {}
        self._wake_call: Any = None
        self._wakes_at = 0.0
        self._spider: Any = crawler.spider
        self._requests = LinkRequests(crawler)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self | Scheduler:  # type: ignore[override]
        """Take the crawler along; the settings are read when the spider is there. Of other spiders Scrapy's own serves."""
        return cls(crawler) if hasattr(crawler.spider, "crawl") else Scheduler.from_crawler(crawler)

    # --- Scrapy's interface

    def open(self, spider: Spider) -> None:
        """Open the frontier's file, and go on where the last run ended if there is one."""
        assert spider is self.crawler.spider
        settings, crawl = self.crawler.settings, self._spider.crawl
        plan = crawl.plan
        folder = Path(settings.get("JOBDIR") or plan.run_dir)
        folder.mkdir(parents=True, exist_ok=True)
        self.store = FrontierStore(
            folder / FILE_NAME,
            order=plan.strategy.order,
            max_links=settings.getint("FOCUSED_FRONTIER_MAX_LINKS"),
            max_per_host=settings.getint("FOCUSED_FRONTIER_MAX_PER_HOST"),
            max_tunnel=settings.getint("FOCUSED_FRONTIER_MAX_TUNNEL"),
            merge=plan.strategy.merge if crawl.merges else _first,
        )
        #: Links that are found again; None where each has to come as a request.
        self.again: FoundAgain | None = None
        # What Scrapy's DepthMiddleware adds to a priority, requests alone can tell.
        if crawl.merges and not settings.getint("DEPTH_PRIORITY"):
            # A strategy with a rule of its own has a say in each case, and so has a limit that the score knows nothing of.
            is_mean = type(plan.strategy).merge is Strategy.merge and not settings.getint("FOCUSED_FRONTIER_MAX_TUNNEL")
            self.again = FoundAgain(self.store, is_mean=is_mean)
        crawl.frontier, crawl.waiting = self, None
        self._learning = None if crawl.session is None else Learning(self.store, crawl.session)
        assert self.crawler.engine is not None
        self._is_live = plan.web == "live"
        obeys_robots = self._is_live and settings.getbool("ROBOTSTXT_OBEY")
        self._ready = HostsReady(self.crawler.engine.downloader, obeys_robots=obeys_robots)
        self._standing = HostStanding(settings.getfloat("FOCUSED_FRONTIER_HOST_SINK"))
        if obeys_robots:
            self.crawler.signals.connect(self._robots_parsed, signals.robots_parsed)
        self.crawler.signals.connect(self._spider_opened, signals.spider_opened)
        self._commits = Commits(self.store, crawl, self._stats, folder)
        self._resume()

    def has_pending_requests(self) -> bool:
        """Tell whether anything waits."""
        return len(self.store) > 0 or bool(self._others)

    @property
    def n_waiting(self) -> int:
        """How many links and other requests wait."""
        return len(self.store) + len(self._others)

    def enqueue_request(self, request: Request) -> bool:
        """Take in a link, a retry, a redirect or any other request; tell whether it was new."""
        lease = self._leases.of(request)
        if lease is not None:
            return self._go_on(lease, request)
        if not self._requests.is_link(request):
            self._stats.inc_value("focused/frontier/not_durable_count")
            self._queue(request)
            return True
        return self._take_in(self._requests.link(request))

    def _take_in(self, link: Link) -> bool:
        """Take in a link; return whether it was new."""
        [what] = self.store.add([link])
        if self.again is not None:
            self.again.added(link, what)
        if what == NEW:
            if self._learning is not None:
                self._learning.placed(link.url, link.evidence.score)
            self._stats.inc_value("scheduler/enqueued")
            return True
        if what == MERGED:
            assert self.store.joined is not None
            self._count_joined(*self.store.joined[1:])
        elif what != "known":
            self._stats.inc_value(f"focused/frontier/{what}_count")
        self._stats.inc_value("dupefilter/filtered")
        return False

    def next_request(self) -> Request | None:
        """Return the next request, or None where no host may be asked or the budget has no place for it now."""
        if self._commits.is_broken:
            return None
        self._end_orphans()
        if not self._has_room():
            return None
        request = self._next_other()
        if request is None:
            request = self._next_link()
        if request is None:
            self._wake_later()
            return None
        self._stats.inc_value("scheduler/dequeued")
        return request

    def close(self, reason: str) -> None:
        """Commit and close the file; what is still under way waits again."""
        if self._wake_call is not None:
            self._wake_call.cancel()
            self._wake_call = None
        if not self._commits.is_broken:
            self._end_orphans(is_closing=True)
            if self._learning is not None:
                self._learning.finish()
            if self.again is not None:
                self.again.close()
            self._commit()
        self.store.close()

    # --- Pages: see focused.frontier.page_end

    def lease_of(self, response: Response) -> Lease | None:
        """Return the lease that a response belongs to."""
        return self._leases.of(response.request) if response.request is not None else None

    def takes(self, request: Request) -> bool:
        """Tell whether a request is a link that can wait for the end of its page."""
        return LEASE not in request.meta and self._requests.is_link(request)

    def prepare(self, request: Request) -> Link | None:
        """Do for a link of a page what can be done before the page's end; None where somebody does not let it be asked for.

        It is most of the work, and may be done in slices.
        """
        answers = self.crawler.signals.send_catch_log(
            signals.request_scheduled, request=request, spider=self._spider, dont_log=IgnoreRequest
        )
        if any(isinstance(getattr(answer, "value", None), IgnoreRequest) for _, answer in answers):
            return None
        return self._requests.link(request)

    def stage(self, lease: Lease, item: PageItem, links: Prepared, again: list[tuple[str, int, Evidence]]) -> None:
        """Keep the links of a page, and those found again, until its item has passed the pipelines."""
        self._staged[id(item)] = item, lease, links, again

    def item_ended(self, item: Any) -> None:
        """Take in the links of a page whose item has passed the pipelines, and commit all of it."""
        staged = self._staged.pop(id(item), None)
        if staged is not None:
            _, lease, links, again = staged
            self.page_ended(lease, links, again, relevant=bool(item.relevant))

    def page_ended(
        self,
        lease: Lease,
        links: Prepared,
        again: Iterable[tuple[str, int, Evidence]] = (),
        *,
        relevant: bool | None,
        note: str = "",
    ) -> None:
        """Take in the links of a response, and commit: done where there was a page, failed where there is a note."""
        tunnel = 0 if relevant else lease.link.tunnel + 1
        for request, link in links:
            if not self._take_in(link.behind(tunnel)):
                self.crawler.signals.send_catch_log(signals.request_dropped, request=request, spider=self._spider)
        for url, number, evidence in again:
            self._join(url, number, evidence, tunnel)
        *earlier, last = lease.numbers
        for number in earlier:
            self.store.done(number, note="redirect")
        if note:
            self.store.failed(last, note)
        else:
            self.store.done(last, relevant, None if relevant is not None else "no page")
        if relevant is not None and self._standing.strength:
            for host, levels in self._standing.judged(lease.link.host, relevant).items():
                self.store.sink(host, levels)
        if self._learning is not None:
            self._learning.page_ended(lease.link.url)
        self._ended(lease)
        self._commit()
        self._ask_again()

    def note(self, request: Request, why: str) -> None:
        """Say why a request failed, for whoever asks about its link."""
        lease = self._leases.of(request)
        if lease is not None:
            lease.note = why

    def rescore(self, score: Callable[[WaitingSlice], NewScores], *, slice_links: int = 2_000) -> Iterator[int]:
        """Score all waiting links anew by a new model, as :func:`focused.frontier.rescore.rescore` does."""
        version = self._spider.crawl.model_version
        for n_links in rescore(self.store, score, slice_links=slice_links, model_version=version):
            if self.again is not None:
                self.again.forget_levels()
            yield n_links

    # --- Inside: links in

    def _join(self, url: str, number: int, evidence: Evidence, tunnel: int) -> None:
        """Join what a page says of a link that was found before."""
        assert self.again is not None
        joined = self.again.join(url, number, evidence, tunnel)
        if joined is not None:
            self._count_joined(*joined)
            return
        # It has been handed out since, or was one too many and forgotten: then it is new.
        request = self._requests.found(url, evidence, tunnel)
        assert self.crawler.engine is not None
        self.crawler.engine.crawl(request)

    def _count_joined(self, known: Evidence, merged: Evidence) -> None:
        self._stats.inc_value("focused/frontier/merged_count")
        levels = [to_priority(each.score, each.admitted) for each in (known, merged)]
        if levels[0] != levels[1]:
            self._stats.inc_value("focused/frontier/moved_count")
        if merged.admitted and not known.admitted:
            self._stats.inc_value("focused/links/deferred_count", -1)
            self._stats.inc_value(f"focused/links/by_{REASONS[merged.reason]}_count")

    @property
    def _stats(self) -> StatsCollector:
        return self.crawler.stats

    def _go_on(self, lease: Lease, request: Request) -> bool:
        """Take in a retry or the target of a redirect of a link under way."""
        if not request.dont_filter:
            number = self.store.claim(self._requests.link(request))
            if number is None:
                lease.is_elsewhere = True
                self._stats.inc_value("dupefilter/filtered")
                return False
            lease.numbers.append(number)
        lease.request, lease.is_queued = request, True
        self._queue(request)
        return True

    def _queue(self, request: Request) -> None:
        self._others.push(request)
        self._stats.inc_value("scheduler/enqueued")

    # --- Inside: links out

    def _has_room(self) -> bool:
        max_pages, session = self._spider.crawl.plan.max_pages, self._spider.crawl.session
        most = None if session is None else session.max_under_way()
        if most is not None and len(self._in_progress()) - self._n_unanswered() >= most:
            if self._is_live:
                self._wake_at(now() + _UNANSWERED_SECS / 4)
            return False
        if not max_pages:
            return True
        n_pages: int = self._stats.get_value("focused/pages/fetched_count", 0)
        # The slot holds a request from here until its response's items have passed the pipelines.
        return bool(n_pages + len(self._in_progress()) < max_pages)

    def _n_unanswered(self) -> int:
        """Return how many requests under way wait for hosts that may never answer: nobody is to wait with them."""
        if not self._is_live:  # a recorded or made web answers at once, and what is asked must not depend on the clock
            return 0
        assert self.crawler.engine is not None
        return self._leases.unanswered(self.crawler.engine.downloader.active, now() - _UNANSWERED_SECS)

    def _in_progress(self) -> set[Request]:
        engine = self.crawler.engine
        slot = None if engine is None else engine._slot
        return slot.inprogress if slot is not None else set()

    def _next_other(self) -> Request | None:
        """Return a retry, a redirect's target or another request whose host may be asked: their turn has come before."""
        found = self._others.pop(self._ready, now())
        if found is not None:
            lease = self._leases.of(found)
            if lease is not None:
                lease.is_queued, lease.since = False, now()
            self._ready.hand_out(host_of(found.url), found)
        return found

    def _next_link(self) -> Request | None:
        link = self.store.next(self._ready, now())
        if link is None:
            return None
        if self.again is not None:
            link = self.again.leased(link)
        request = self._requests.leased(link)
        self._leases.add(Lease(link, [link.id], request, since=now()))
        self._ready.hand_out(link.host, request)
        return request

    def _wake_later(self) -> None:
        """Ask again when the first of the hosts that rest may be asked."""
        at = self.store.hosts.next_ready()
        times = [*self._others.ready_times(self._ready), *([] if at is None else [at])]
        if times:
            self._wake_at(min(times))

    def _wake_at(self, at: float) -> None:
        if self._wake_call is not None:
            if self._wakes_at <= at:
                return
            self._wake_call.cancel()
        self._wakes_at = at
        self._wake_call = call_later(max(0.001, at - now()), self._wake)

    def _wake(self) -> None:
        self._wake_call = None
        self._ask_again()

    def _ask_again(self) -> None:
        """Have the engine look for requests."""
        engine = self.crawler.engine
        if engine is not None and engine._slot is not None:
            engine._slot.nextcall.schedule()

    # --- Inside: ends

    def _end_orphans(self, *, is_closing: bool = False) -> None:
        """End the leases that nothing stands for any more; when the crawl ends, those that never came to their turn."""
        in_progress = self._in_progress()
        orphans = self._leases.orphans(in_progress)
        for lease in orphans:
            for number in lease.numbers:
                if lease.is_elsewhere:
                    self.store.dropped(number, "redirects to a known link")
                else:
                    self.store.failed(number, lease.note or "not fetched")
            self._ended(lease)
        if is_closing:
            for lease in self._leases:
                for number in lease.numbers:
                    self.store.give_back(number)
                self._leases.end(lease)
            self._others.clear()  # links wait in the store again, the rest ends with the process
        if orphans:
            self._commit()

    def _ended(self, lease: Lease) -> None:
        self._leases.end(lease)
        self.crawler.signals.send_catch_log(link_ended, number=lease.link.id)
        self.store.hosts_wake(lease.link.host)

    def _commit(self) -> None:
        """Make the page durable; where that cannot be, end the crawl: what is not durable will be fetched again."""
        if not self._commits.is_broken and not self._commits.commit():
            assert self.crawler.engine is not None
            deferred_from_coro(self.crawler.engine.close_spider_async(reason="frontier_not_writable"))

    # --- Inside: going on

    def _resume(self) -> None:
        crawl, store = self._spider.crawl, self.store
        self._commits.go_on()
        crawl.remember_fetched(store.done_urls())
        for host, levels in self._standing.load(store.host_pages()).items():
            store.sink(host, levels)
        if self._learning is not None and (n_bad := self._learning.resume()):
            self._stats.inc_value("focused/adaptive/records_lost_count", n_bad)
        self._commits.begin()

    def _spider_opened(self, spider: Spider) -> None:
        self._requests.spider_opened()
        plan, harvest = self._spider.crawl.plan, self._spider.crawl.harvest
        for limit, n_found, reason in (
            (plan.max_pages, harvest.n_pages if harvest else 0, "max_pages"),
            (plan.max_relevant, harvest.n_relevant if harvest else 0, "max_relevant"),
        ):
            if limit and n_found >= limit:
                raise CloseSpider(reason)

    def _robots_parsed(self, robotparser: Any, request: Request) -> None:
        """Take down what a host's robots.txt asks for."""
        delay = robotparser.crawl_delay(self.crawler.settings.get("USER_AGENT") or "*")
        most = self.crawler.settings.getfloat("AUTOTHROTTLE_MAX_DELAY")
        self._ready.meet(host_of(request.url), min(float(delay or 0), most))


def _first(known: Any, new: Any) -> Any:
    """The first page's evidence stands (D6)."""
    return known
