"""The links of a crawl whose requests Scrapy's own scheduler holds: it cannot change a request's priority, so this helps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy import Request

from focused.frontier.fetched_urls import FetchedUrls
from focused.frontier.waiting_links import WaitingLinks
from focused.method.scoring import REASONS
from focused.method.scoring.link_meta import WAITS, write_evidence
from focused.method.scoring.met_links import MetLinks
from focused.method.scoring.priority import to_priority

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from scrapy.crawler import Crawler

    from focused.frontier.interface import FrontierTask
    from focused.frontier.store.rescoring import NewScores, WaitingSlice
    from focused.method.scoring import Evidence
    from focused.method.scoring.page_scores import PageScores

MAX_LINKS = 2_000_000


class ScrapyFrontier:
    """Knows which links were requested; where evidence is merged, a link that gets better is requested again.

    Of the requests of one link :class:`focused.middlewares.waiting_links.WaitingLinkMiddleware` passes the first that
    comes up, with all that is known by then.

    Stats: of new links, ``focused/links/by_REASON_count`` and ``focused/links/deferred_count``; of links found again
    ``focused/links/merged_count``, and of those ``focused/links/pushed_again_count``.

    Parameters
    ----------
    crawler : Crawler
    task : FrontierTask
    """

    #: Whether the scores of waiting links can be changed.
    can_rescore = False

    def __init__(self, crawler: Crawler, task: FrontierTask) -> None:
        self._crawler = crawler
        self._drops = task.drops
        self._fetched = FetchedUrls()
        # Hashes of the URLs that were requested. The dupefilter has the last word, so forgetting is harmless.
        self._requested: set[int] = set()
        #: Links whose score may still change; None where the first page's evidence stands.
        self.waiting = None if task.merge is None else WaitingLinks(merge=task.merge)

    @property
    def n_waiting(self) -> int:
        """How many requests wait in the scheduler, by its stats."""
        stats = self._crawler.stats
        size: int = stats.get_value("scheduler/enqueued", 0) - stats.get_value("scheduler/dequeued", 0)
        return size

    def note_fetched(self, url: str) -> bool:
        """Note the URL of a page that has been fetched; tell whether it was noted before."""
        if self._fetched.note(url):
            return True
        self._remember(url)
        return False

    def meet(self, links: Mapping[str, int], scores: PageScores | None) -> MetLinks:
        """Return the links of a page that are to be requested: new ones, and waiting ones that get better by it."""
        new = []
        for url, number in links.items():
            if hash(url) not in self._requested or (
                self.waiting is not None
                and scores is not None
                and (scores.admitted[number] or not self._drops)
                and self._gets_better(self.waiting, url, scores.evidence(number))
            ):
                new.append(url)
        return MetLinks(new)

    def _gets_better(self, waiting: WaitingLinks, url: str, evidence: Evidence) -> bool:
        better = waiting.improves(url, evidence)
        if better is False:
            self._crawler.stats.inc_value("focused/links/merged_count")
        return bool(better)

    def request(self, url: str, evidence: Evidence | None) -> Request | None:
        """Return the request for a link; None where it was requested under another spelling, or got no better."""
        errback = getattr(self._crawler.spider, "failed", None)
        if evidence is None:
            return Request(url, errback=errback)
        request = Request(url, errback=errback, priority=to_priority(evidence.score, evidence.admitted))
        if self.waiting is not None:
            assert self._crawler.request_fingerprinter is not None
            link = self._crawler.request_fingerprinter.fingerprint(request)
            if self.waiting.was_asked(link):
                self._remember(url)
                return None  # under another spelling, as the target of a redirect, or a moment ago
            if (known := self.waiting.get(link)) is not None:
                return self._join(request, link, known, evidence)
            if self.waiting.put(link, url, evidence):
                request.meta[WAITS] = True
        self._remember(url)
        write_evidence(request.meta, evidence)
        self._count(evidence)
        return request

    def note_failure(self, request: Request, why: str) -> None:
        """Do nothing: Scrapy's scheduler keeps no notes."""

    def rescore(
        self, score: Callable[[WaitingSlice], NewScores], *, model_version: int, slice_links: int = 2_000
    ) -> Iterator[int]:
        """Do nothing: see ``can_rescore``."""
        return iter(())

    def _join(self, request: Request, link: bytes, known: Evidence, new: Evidence) -> Request | None:
        """Request a link again if this page makes it better; of its two requests the one that waits is stale then."""
        assert self.waiting is not None
        stats = self._crawler.stats
        stats.inc_value("focused/links/merged_count")
        merged = self.waiting.merge(known, new)
        self.waiting.put(link, request.url, merged)
        self._remember(request.url)
        priority = to_priority(merged.score, merged.admitted)
        if priority <= to_priority(known.score, known.admitted):
            return None
        stats.inc_value("focused/links/pushed_again_count")
        request.dont_filter = True  # the dupefilter has seen the one that waits
        request.priority = priority
        request.meta[WAITS] = True
        write_evidence(request.meta, merged)
        if merged.admitted and not known.admitted:
            stats.inc_value("focused/links/deferred_count", -1)
            self._count(merged)
        return request

    def _count(self, evidence: Evidence) -> None:
        what = f"by_{REASONS[evidence.reason]}" if evidence.admitted else "deferred"
        self._crawler.stats.inc_value(f"focused/links/{what}_count")

    def _remember(self, url: str) -> None:
        if len(self._requested) >= MAX_LINKS:
            self._requested.clear()
        self._requested.add(hash(url))
