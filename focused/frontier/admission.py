"""Links in: taken into the store, joined to what is known of them, or refused; each is counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.exceptions import IgnoreRequest

from focused.frontier.leases import LEASE
from focused.frontier.store.store import MERGED, NEW
from focused.method.scoring import REASONS
from focused.method.scoring.priority import to_priority

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

    from focused.frontier.leases import Lease
    from focused.frontier.link_requests import LinkRequests
    from focused.frontier.memory_queue import MemoryQueue
    from focused.frontier.rediscovery import Rediscovery
    from focused.frontier.store.link import Link
    from focused.frontier.store.page_records import Learning
    from focused.frontier.store.store import FrontierStore
    from focused.method.scoring import Evidence


class Admission:
    """Takes in seeds, the links of pages, and what becomes of requests under way.

    Parameters
    ----------
    crawler : Crawler
        Its spider is there.
    store : FrontierStore
    again : Rediscovery or None
        None where each link that is found again comes as a request.
    requests : LinkRequests
    others : MemoryQueue
        What waits in memory.
    learning : Learning or None
        Of a strategy that learns: told of new links.
    """

    def __init__(
        self,
        crawler: Crawler,
        store: FrontierStore,
        again: Rediscovery | None,
        requests: LinkRequests,
        others: MemoryQueue,
        learning: Learning | None,
    ) -> None:
        self._crawler = crawler
        self._stats = crawler.stats
        self._store = store
        self._again = again
        self._requests = requests
        self._others = others
        self._learning = learning
        self._limits_depth = bool(crawler.settings.getint("FOCUSED_FRONTIER_MAX_TUNNEL"))
        # What pages under way have asked for and no page has brought: hashes of URLs.
        self._held: set[int] = set()

    def request(self, request: Request) -> bool:
        """Take in a request that belongs to no link under way; return whether it was new."""
        if not self._requests.is_link(request):
            self._stats.inc_value("focused/frontier/not_durable_count")
            self._queue(request)
            return True
        return self.link(self._requests.link(request))

    def link(self, link: Link) -> bool:
        """Take in a link; return whether it was new."""
        self._held.discard(hash(link.url))
        [what] = self._store.add([link])
        if self._again is not None:
            self._again.added(link, what)
        if what == NEW:
            if self._learning is not None:
                self._learning.placed(link.url, link.evidence.score)
            self._stats.inc_value("scheduler/enqueued")
            return True
        if what == MERGED:
            assert self._store.joined is not None
            self._count_joined(*self._store.joined[1:])
        elif what != "known":
            self._stats.inc_value(f"focused/frontier/{what}_count")
        self._stats.inc_value("dupefilter/filtered")
        return False

    def found_again(self, url: str, number: int, evidence: Evidence, tunnel: int) -> None:
        """Join what a page says of a link that was found before."""
        assert self._again is not None
        joined = self._again.join(url, number, evidence, tunnel)
        if joined is not None:
            self._count_joined(*joined)
            return
        # It has been handed out since, or was one too many and forgotten: then it is new.
        request = self._requests.found(url, evidence, tunnel)
        assert self._crawler.engine is not None
        self._crawler.engine.crawl(request)

    def goes_on(self, lease: Lease, request: Request) -> bool:
        """Take in a retry or the target of a redirect of a link under way; return whether it is to be fetched."""
        if not request.dont_filter:
            number = self._store.claim(self._requests.link(request))
            if number is None:
                lease.is_elsewhere = True
                self._stats.inc_value("dupefilter/filtered")
                return False
            lease.numbers.append(number)
        lease.request, lease.is_queued = request, True
        self._queue(request)
        return True

    # --- Links of a page, before its end

    def can_wait(self, request: Request) -> bool:
        """Tell whether a request is a link that can wait for the end of its page."""
        return LEASE not in request.meta and self._requests.is_link(request)

    def prepare(self, request: Request) -> Link | None:
        """Do for a link of a page what can be done before the page's end; None where somebody does not let it be asked for.

        It is most of the work, and may be done in slices.
        """
        answers = self._crawler.signals.send_catch_log(
            signals.request_scheduled, request=request, spider=self._crawler.spider, dont_log=IgnoreRequest
        )
        if any(isinstance(getattr(answer, "value", None), IgnoreRequest) for _, answer in answers):
            return None
        self._held.add(hash(request.url))
        return self._requests.link(request)

    def needs(self, url: str) -> bool:
        """Tell whether another page has to bring a link that was asked for, whether or not what it says is joined.

        It has while the page that asked for it is under way: it may be committed sooner, and the crawl die in between.
        And where links may lie too deep, for it may be nearer to a relevant page.
        """
        return self._limits_depth or hash(url) in self._held

    # --- Inside

    def _queue(self, request: Request) -> None:
        self._others.push(request)
        self._stats.inc_value("scheduler/enqueued")

    def _count_joined(self, known: Evidence, merged: Evidence) -> None:
        self._stats.inc_value("focused/frontier/merged_count")
        levels = [to_priority(each.score, each.admitted) for each in (known, merged)]
        if levels[0] != levels[1]:
            self._stats.inc_value("focused/frontier/moved_count")
        if merged.admitted and not known.admitted:
            self._stats.inc_value("focused/links/deferred_count", -1)
            self._stats.inc_value(f"focused/links/by_{REASONS[merged.reason]}_count")
