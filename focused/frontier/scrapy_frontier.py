"""The frontier where Scrapy's own scheduler holds the requests, whose priorities cannot be changed.

A link that got better is pushed again, and whichever of its requests comes up later is passed over: it is stale. One
that got worse is pushed back when it comes up. So what comes up is always the best that is known, and nothing twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy import Request

from focused.frontier.link_levels import FetchedUrls
from focused.method.scoring import REASONS
from focused.method.scoring.link_meta import WAITS, write_evidence
from focused.method.scoring.priority import to_priority
from focused.method.scoring.sorted_links import SortedLinks
from focused.utils.scrapy_internals import queue_length

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from scrapy.crawler import Crawler

    from focused.frontier.crawl_interface import FrontierTask
    from focused.frontier.interface import GivenUpHost
    from focused.frontier.store.rescoring import NewScores, WaitingSlice
    from focused.method.scoring import Evidence
    from focused.method.scoring.page_scores import PageScores

MAX_LINKS, MAX_WAITING = 2_000_000, 1_000_000


class WaitingLinks:
    """What is known of each link that waits, and which links have been asked for.

    A link is a fingerprint, for it may be spelt in several ways. Links beyond ``max_links`` are not taken in: they keep the
    score they have. ``merge`` joins what two pages say of a link.
    """

    def __init__(self, merge: Callable[[Evidence, Evidence], Evidence], max_links: int = MAX_WAITING) -> None:
        self.merge = merge
        self._max_links = max_links
        self._evidence: dict[bytes, Evidence] = {}
        self._asked: set[bytes] = set()
        # Hashes of URLs: most of a page's links are looked up, and a fingerprint costs much more.
        self._spelled: dict[int, bytes] = {}

    def __len__(self) -> int:
        return len(self._evidence)

    def get(self, link: bytes) -> Evidence | None:
        """Return what is known of a link; None if it does not wait."""
        return self._evidence.get(link)

    def best(self) -> Evidence | None:
        """Return what is known of the best link that waits."""
        return max(self._evidence.values(), key=lambda evidence: evidence.rank, default=None)

    def put(self, link: bytes, url: str, evidence: Evidence) -> bool:
        """Note what is known of a link and how it is spelt, and tell whether there was room."""
        if link not in self._evidence and len(self._evidence) >= self._max_links:
            return False
        if len(self._spelled) >= 2 * self._max_links:
            self._spelled.clear()  # links whose spelling is forgotten keep the score they have
        self._evidence[link] = evidence
        self._spelled[hash(url)] = link
        return True

    def improves(self, url: str, evidence: Evidence) -> bool | None:
        """Join what a page says of a link unless the link gets better by it; None if the link does not wait.

        A link that gets better is left as it is: it is to be requested again.
        """
        if not self.may_change(url):
            return None
        link = self._spelled[hash(url)]
        known = self._evidence[link]
        merged = self.merge(known, evidence)
        if to_priority(merged.score, merged.admitted) > to_priority(known.score, known.admitted):
            return True
        self._evidence[link] = merged
        return False

    def may_change(self, url: str) -> bool:
        """Tell whether what another page says of a link may still change its score."""
        key = hash(url)
        link = self._spelled.get(key)
        if link is None:
            return False
        if link not in self._evidence:
            del self._spelled[key]
            return False
        return True

    def was_asked(self, link: bytes) -> bool:
        """Tell whether a request for a link has come up before."""
        return link in self._asked

    def take(self, link: bytes) -> None:
        """Note that a link is asked for; it waits no more."""
        self._evidence.pop(link, None)
        self._asked.add(link)


class ScrapyFrontier:
    """Knows which links were requested; where evidence is merged, a link that gets better is requested again.

    Of the requests of one link :class:`focused.middlewares.waiting_links.WaitingLinkMiddleware` passes the first that
    comes up, with all that is known by then.

    Stats: of new links, ``focused/links/by_REASON_count`` and ``focused/links/deferred_count``; of links found again
    ``focused/links/merged_count``, and of those ``focused/links/pushed_again_count``.
    """

    #: Whether the scores of waiting links can be changed.
    can_rescore = False
    #: This process asks all hosts.
    robots = versions = None

    def __init__(self, crawler: Crawler, task: FrontierTask) -> None:
        self._crawler = crawler
        self._drops = task.drops
        self._n_before: int | None = None
        self._fetched = FetchedUrls()
        # Hashes of the URLs that were requested. The dupefilter has the last word, so forgetting is harmless.
        self._requested: set[int] = set()
        #: Links whose score may still change; None where the first page's evidence stands.
        self.waiting = None if task.merge is None else WaitingLinks(task.merge)

    @property
    def n_waiting(self) -> int:
        """How many requests wait in the scheduler, by its stats and what it took over from JOBDIR, which is in no stat."""
        stats = self._crawler.stats
        size: int = stats.get_value("scheduler/enqueued", 0) - stats.get_value("scheduler/dequeued", 0)
        if self._n_before is None and (length := queue_length(self._crawler)) is not None:
            self._n_before = length - size
        return size + (self._n_before or 0)

    def call_before_commit(self, write: Callable[[], None]) -> bool:
        """Do nothing: Scrapy's schedulers commit no pages."""
        return False

    def note_fetched(self, url: str) -> bool:
        """Note the URL of a page that has been fetched; tell whether it was noted before."""
        if self._fetched.note(url):
            return True
        self._remember(url)
        return False

    def sort_links(self, links: Mapping[str, int], scores: PageScores | None) -> SortedLinks:
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
        return SortedLinks(new)

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

    def waiting_scores(self) -> list[tuple[float, int]]:
        """Return nothing: Scrapy's scheduler does not count by scores."""
        return []

    def best_links(self, n_links: int) -> list[str]:
        """Return nothing: Scrapy's queues say what is next only by giving it away."""
        return []

    def draw_links(self, n_links: int) -> None:
        """Do nothing: Scrapy's scheduler cannot draw from what waits."""

    def note_failure(self, request: Request, why: str) -> None:
        """Do nothing: Scrapy's scheduler keeps no notes."""

    def note_dropped(self, request: Request, why: str) -> None:
        """Do nothing: Scrapy's scheduler keeps no notes."""

    def wait_again(self, request: Request) -> None:
        """Do nothing: see ``host_failed``."""

    def host_failed(self, request: Request, why: str, *, is_sure: bool = True) -> bool:
        """Do nothing: Scrapy's scheduler cannot take a link back."""
        return False

    def host_answered(self, request: Request) -> None:
        """Do nothing: see ``host_failed``."""

    def given_up_hosts(self) -> list[GivenUpHost]:
        """Return none."""
        return []

    def host_counts(self) -> None:
        """Return None: Scrapy's scheduler does not know its hosts."""
        return

    def failing_hosts(self) -> list[tuple[str, str]]:
        """Return none: no host rests here."""
        return []

    @property
    def soft_404s(self) -> None:
        """None: nothing stands back here."""
        return None

    def learn_answer(self, url: str, form: bytes, terms: Collection[int]) -> bool:
        """Learn nothing."""
        return False

    def stood_back(self) -> list[str]:
        """Return none: Scrapy's queues let nothing stand back."""
        return []

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
