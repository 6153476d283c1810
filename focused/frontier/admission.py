"""Takes new links into the store, updates known ones, and refuses others; each is counted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from scrapy import signals

from focused.frontier.store.answers import KNOWN, MERGED, NEW, SENT, TAKEN_OVER
from focused.method.scoring import REASONS
from focused.method.scoring.priority import to_priority
from focused.utils.scrapy_internals import has_receivers, is_refused

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy import Request
    from scrapy.crawler import Crawler

    from focused.frontier.known_links import KnownLinks
    from focused.frontier.link_requests import LinkRequests
    from focused.frontier.session_records import SessionRecords
    from focused.frontier.store.link import FrontierLink
    from focused.method.scoring import Evidence
    from focused.method.scoring.sorted_links import UpdatedLink

_MAX_IN_MEMORY = 1_000_000


@dataclass(eq=False)
class Admission:
    """Takes in seeds and the links of pages."""

    #: For its stats and signals.
    crawler: Crawler
    links: KnownLinks
    requests: LinkRequests
    #: Tells a strategy that learns about new links; None if it does not learn.
    session_records: SessionRecords | None
    #: Fingerprints of requests that the file does not know.
    _only_in_memory: set[int] = field(default_factory=set, init=False)

    def is_allowed(self, request: Request) -> bool:
        """Announce the request for a link as Scrapy's engine does; tell whether no receiver refuses it.

        A refused link (Scrapy's offsite links stand on every page of some sites) is not announced again.
        """
        if is_refused(self.crawler, signals.request_scheduled, request):
            self.links.settle(request.url)
            return False
        return True

    def refuse(self, request: Request) -> None:
        """Announce that a request is not taken in, as Scrapy's engine does."""
        if has_receivers(self.crawler, signals.request_dropped):
            self.crawler.signals.send_catch_log(signals.request_dropped, request=request, spider=self.crawler.spider)

    def admit(self, link: FrontierLink) -> bool:
        """Admit a link; return whether it was new."""
        what = self.links.add(link)
        if what == NEW:
            if self.session_records is not None and link.request is None:
                self.session_records.note_waiting(link.url, link.evidence.score)
            if link.evidence.referrer:
                self._count_new(link.evidence)
            self.crawler.stats.inc_value("scheduler/enqueued")
            return True
        if what == TAKEN_OVER:
            return True
        if what == SENT:
            if self.session_records is not None and link.request is None:
                self.session_records.note_waiting(link.url, link.evidence.score)
            return True
        if what == MERGED and self.links.joins:
            self._count_joined(*self.links.last_joined())
        elif what not in (MERGED, KNOWN):
            self.crawler.stats.inc_value(f"focused/frontier/{what}_count")
        self.crawler.stats.inc_value("dupefilter/filtered")
        return False

    def update_evidence(self, link: UpdatedLink, tunnel: int) -> bool:
        """Update the evidence of a known link by a page; return whether the link was new after all."""
        if self.links.store.is_shared:
            self.links.send(link, tunnel)
            return False
        joined = self.links.update_evidence(link, tunnel)
        if joined is not None:
            self._count_joined(*joined)
            return False
        # It has been handed out since, or it was pruned: then it is new.
        return self.admit(self.requests.to_link(self.requests.request_for_new(link.url, link.evidence, tunnel)))

    def count_written(self, new: Iterable[Evidence], joined: Iterable[tuple[Evidence, Evidence]], n_known: int) -> None:
        """Count what a shared store says of links that were sent: new ones, updated ones (before, after), other known ones."""
        n_new = n_joined = 0
        for evidence in new:
            n_new += 1
            if evidence.referrer:
                self._count_new(evidence)
        for known, merged in joined:
            n_joined += 1
            if self.links.joins:
                self._count_joined(known, merged)
        self.crawler.stats.inc_value("scheduler/enqueued", n_new)
        self.crawler.stats.inc_value("dupefilter/filtered", n_joined + n_known)

    def is_new_in_memory(self, request: Request) -> bool:
        """Tell whether a request that only memory can hold was not seen before; a link that waits does not count as seen."""
        fingerprint = self.requests.fingerprint(request)
        is_new = fingerprint not in self._only_in_memory and not self.links.store.is_settled(fingerprint)
        if len(self._only_in_memory) >= _MAX_IN_MEMORY:
            self._only_in_memory.clear()
        self._only_in_memory.add(fingerprint)
        return is_new

    def _count_new(self, evidence: Evidence) -> None:
        what = f"by_{REASONS[evidence.reason]}" if evidence.admitted else "deferred"
        self.crawler.stats.inc_value(f"focused/links/{what}_count")

    def _count_joined(self, known: Evidence, merged: Evidence) -> None:
        self.crawler.stats.inc_value("focused/frontier/merged_count")
        levels = [to_priority(each.score, each.admitted) for each in (known, merged)]
        if levels[0] != levels[1]:
            self.crawler.stats.inc_value("focused/frontier/moved_count")
        if merged.admitted and not known.admitted:
            self.crawler.stats.inc_value("focused/links/deferred_count", -1)
            self.crawler.stats.inc_value(f"focused/links/by_{REASONS[merged.reason]}_count")
