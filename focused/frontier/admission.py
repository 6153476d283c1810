"""Links in: taken into the store, joined to what is known of them, or refused; each is counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.exceptions import IgnoreRequest

from focused.frontier.store.store import KNOWN, MERGED, NEW, TAKEN_OVER
from focused.method.scoring import REASONS
from focused.method.scoring.priority import to_priority
from focused.utils.scrapy_internals import has_receivers

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

    from focused.frontier.learning import Learning
    from focused.frontier.link_requests import LinkRequests
    from focused.frontier.rediscovery import Rediscovery
    from focused.frontier.store.link import FrontierLink
    from focused.method.scoring import Evidence
    from focused.method.scoring.met_links import JoinedLink


class Admission:
    """Takes in seeds and the links of pages.

    Parameters
    ----------
    crawler : Crawler
        For its stats and signals.
    links : Rediscovery
    requests : LinkRequests
    learning : Learning or None
        Of a strategy that learns: it is told about new links.
    """

    def __init__(self, crawler: Crawler, links: Rediscovery, requests: LinkRequests, learning: Learning | None) -> None:
        self._crawler = crawler
        self._stats = crawler.stats
        self._links = links
        self._requests = requests
        self._learning = learning

    def is_allowed(self, request: Request) -> bool:
        """Announce the request for a link as Scrapy's engine does; tell whether no receiver refuses it.

        A refused link (Scrapy's offsite links stand on every page of some sites) is not announced again.
        """
        if not has_receivers(self._crawler, signals.request_scheduled):
            return True
        answers = self._crawler.signals.send_catch_log(
            signals.request_scheduled, request=request, spider=self._crawler.spider, dont_log=IgnoreRequest
        )
        is_refused = any(isinstance(getattr(answer, "value", None), IgnoreRequest) for _, answer in answers)
        if is_refused:
            self._links.settle(request.url)
        return not is_refused

    def refuse(self, request: Request) -> None:
        """Announce that a request is not taken in, as Scrapy's engine does."""
        if has_receivers(self._crawler, signals.request_dropped):
            self._crawler.signals.send_catch_log(signals.request_dropped, request=request, spider=self._crawler.spider)

    def link(self, link: FrontierLink) -> bool:
        """Take in a link; return whether it was new."""
        what = self._links.add(link)
        if what == NEW:
            if self._learning is not None and link.request is None:
                self._learning.placed(link.url, link.evidence.score)
            if link.evidence.referrer:
                self._count_new(link.evidence)
            self._stats.inc_value("scheduler/enqueued")
            return True
        if what == TAKEN_OVER:
            return True
        if what == MERGED and self._links.joins:
            self._count_joined(*self._links.last_joined())
        elif what not in (MERGED, KNOWN):
            self._stats.inc_value(f"focused/frontier/{what}_count")
        self._stats.inc_value("dupefilter/filtered")
        return False

    def join(self, link: JoinedLink, tunnel: int) -> bool:
        """Join what a page says of a known link; return whether the link was new after all."""
        joined = self._links.join(link, tunnel)
        if joined is not None:
            self._count_joined(*joined)
            return False
        # It has been handed out since, or it was pruned: then it is new.
        return self.link(self._requests.link(self._requests.found(link.url, link.evidence, tunnel)))

    def _count_new(self, evidence: Evidence) -> None:
        what = f"by_{REASONS[evidence.reason]}" if evidence.admitted else "deferred"
        self._stats.inc_value(f"focused/links/{what}_count")

    def _count_joined(self, known: Evidence, merged: Evidence) -> None:
        self._stats.inc_value("focused/frontier/merged_count")
        levels = [to_priority(each.score, each.admitted) for each in (known, merged)]
        if levels[0] != levels[1]:
            self._stats.inc_value("focused/frontier/moved_count")
        if merged.admitted and not known.admitted:
            self._stats.inc_value("focused/links/deferred_count", -1)
            self._stats.inc_value(f"focused/links/by_{REASONS[merged.reason]}_count")
