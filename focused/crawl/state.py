"""What the components of one crawl share: its plan, the page under analysis, the links already asked for."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from focused.frontier.waiting_links import WaitingLinks
from focused.items import PageItem
from focused.method.page.encoding import may_be_text
from focused.utils.reactor import FifoLock

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator

    from focused.crawl.harvest import HarvestCounter
    from focused.crawl.planning import CrawlPlan
    from focused.method.page.page import Page
    from focused.method.scoring import LinkScores, Visit
    from focused.method.scoring.page_scores import PageScores, RememberedLinks
    from focused.method.topic.judge import PageRelevance
    from focused.retraining.kept_pages import KeptPages

MAX_KNOWN_LINKS = 2_000_000
_PAGE = "focused_page"


class Crawl:
    """The state of one crawl that more than one component needs.

    Parameters
    ----------
    plan : CrawlPlan
    follows_nofollow : bool
        Whether links are followed that ask not to be.
    merges_evidence : bool
        Whether strategies that merge do; else the first page's word stands for all of them.
    """

    def __init__(self, plan: CrawlPlan, follows_nofollow: bool = True, merges_evidence: bool = True) -> None:
        self.plan = plan
        self.follows_nofollow = follows_nofollow
        #: Whether a page found later may change the score of a link that waits.
        self.merges = plan.strategy.merges and merges_evidence
        # Hashes of the URLs that were asked for: 39 us are saved for each Request that need not be made. The
        # dupefilter has the last word, so forgetting is harmless, and so that memory stays bounded it happens.
        self._known: set[int] = set()
        self._fetched: set[int] = set()
        #: Whether all links that were asked for are remembered: those of an earlier run are not, and many may be forgotten.
        self.remembers_all = True
        #: Links whose score may still change; None where the strategy or the frontier has no use for it.
        self.waiting = WaitingLinks(merge=plan.strategy.merge) if self.merges else None
        #: What scores the links where the strategy learns; None where it does not.
        self.session = plan.strategy.session()
        #: Pages are judged, and learnt from, one by one: each in the state in which the one before has left everything.
        self.judging = FifoLock()
        #: The durable frontier, if the crawl has one: its scheduler sets it.
        self.frontier: Any = None
        #: Pages judged so far.
        self.n_judged = 0
        #: Version of the model that judges, if the crawl adapts: its pipeline sets it.
        self.model_version = 1
        #: Pages whose links can be scored again, if the crawl adapts: its pipeline sets it.
        self.kept_pages: KeptPages | None = None
        #: Set by the harvest pipeline.
        self.harvest: HarvestCounter | None = None

    def is_repeated(self, response: Any) -> bool:
        """Tell whether a page was fetched before under another URL, and note that it is fetched now.

        A server that answers several URLs with one page may say so in Content-Location; a recorded web always does.
        """
        url = self.location(response)
        key = hash(url)
        if key in self._fetched:
            if self.session is not None:
                self.session.same(response.request.url, url)
            return True
        if len(self._fetched) >= MAX_KNOWN_LINKS:
            self._fetched.clear()
        self._fetched.add(key)
        self.remember(url)
        return False

    def location(self, response: Any) -> str:
        """Return the URL that a page has, as the web says: a recorded page may be found under others."""
        location = response.headers.get("Content-Location", b"").decode("latin-1")
        url: str = response.url
        if location:
            with contextlib.suppress(ValueError):
                named = urljoin(url, location)
                # Nobody may speak for another host's pages.
                url = named if urlsplit(named).netloc == urlsplit(url).netloc else url
        return url

    def page(self, response: Any) -> Page | None:
        """Return the analysed page of a text response, the same object whoever asks; None if it is empty or binary."""
        meta = response.meta
        if _PAGE not in meta:
            body, read = response.body, self.plan.reader.read
            meta[_PAGE] = read(body, response.url, _content_type(response)) if may_be_text(body) else None
        page: Page | None = meta[_PAGE]
        return page

    def judge(self, page: Page, visit: Visit) -> Generator[int, None, tuple[PageRelevance, LinkScores]]:
        """Return the relevance of a page and the scores of its links, from one product.

        In steps: between two anything but the judging of another page may happen.
        """
        self.n_judged += 1
        if self.kept_pages is not None:
            self.kept_pages.keep(page, visit)
        relevance = self.plan.judge.judge(page, self.plan.strategy.kinds)
        if self.session is None:
            return relevance, self.plan.strategy.score(page, relevance, visit)
        yield page.n_links
        return relevance, (yield from self.session.scoring(page, relevance, visit))

    def urls_of(self, response: Any) -> tuple[str, ...]:
        """Return the URLs that led to a page: the link's, those it was redirected to, the one the web names."""
        asked = (*response.meta.get("redirect_urls", ()), response.request.url, response.url, self.location(response))
        return tuple(dict.fromkeys(asked))

    def item(self, response: Any, page: Page) -> PageItem:
        """Return the item of a page, still to be classified."""
        meta = response.meta
        return PageItem(
            url=response.url,
            title=page.title,
            depth=meta.get("depth", 0),
            referrer=meta.get("focused_referrer", ""),
            link_score=meta.get("focused_link_score", 1.0),
            link_reason=meta.get("focused_link_reason", "discovery"),
            link_model_version=meta.get("focused_model_version", 1),
            model_version=self.model_version,
            irrelevant_on_path=meta.get("focused_irrelevant_on_path", 0),
            fetched_at=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            page=page,
            body=response.body,
            content_type=_content_type(response),
            location=self.location(response),
        )

    def new_links(self, page: Page, looked: PageScores | None = None) -> Iterator[str]:
        """Yield the URLs that a page links to and that have not been asked for, or may still change their score.

        Parameters
        ----------
        page : Page
        looked : PageScores, optional
            What was found on the page; without, more links than need be are yielded.
        """
        if looked is not None and looked.to_ask is not None:
            yield from looked.to_ask
            return
        for url in self._followed(page):
            if not self.is_settled(url):
                yield url

    def _followed(self, page: Page) -> Iterable[str]:
        """Return the URLs that a page lets us follow."""
        if self.follows_nofollow or not (page.marked_text.nofollow or page.marked_text.nofollow_links):
            return page.link_numbers
        return (url for url, number in page.link_numbers.items() if not page.is_nofollow(page.links[number]))

    def sift(self, page: Page, looked: PageScores, *, joins: bool = True) -> None:
        """Note which links of a page are to be asked for, and which the durable frontier is to join.

        Most links of a page have been found before: they need no request.

        Parameters
        ----------
        page : Page
        looked : PageScores
            What was found on it; its ``to_ask`` and ``again`` are set.
        joins : bool
            Whether what the page says of known links counts.
        """
        known, fetched, admitted = self._known, self._fetched, looked.admitted
        takes_all = not self.plan.drops_below_threshold
        looked.to_ask, again, numbers = [], [], []
        for url in self._followed(page):
            key = hash(url)
            if key not in known:
                looked.to_ask.append(url)
            elif joins and key not in fetched:
                number = looked.links[url]
                if takes_all or admitted[number]:
                    again.append(url)
                    numbers.append(number)
        if not again:
            return
        if self.memory is None:
            looked.to_ask += again
            return
        to_ask, joined = self.memory.look(again, numbers, looked)
        looked.to_ask += [again[place] for place in to_ask]
        looked.noted = frozenset(again).difference(looked.to_ask)
        looked.again = [(again[place], number, looked.evidence(numbers[place])) for place, number in joined]

    @property
    def memory(self) -> RememberedLinks | None:
        """What knows the links that wait and may change their score, if anything does."""
        if self.frontier is None:
            return self.waiting
        memory: RememberedLinks | None = self.frontier.again
        return memory

    def is_settled(self, url: str) -> bool:
        """Tell whether a link was asked for and what another page says of it need not be asked for."""
        if hash(url) not in self._known:
            return False
        if self.frontier is not None:  # it joins what it is given
            again = self.frontier.again
            if hash(url) in self._fetched:
                return True
            if self.frontier.intake.needs(url):
                return False
            return not self.merges or (again is not None and again.knows(url))
        return self.waiting is None or not self.waiting.may_change(url)

    def is_known(self, url: str) -> bool:
        """Tell whether a link was asked for."""
        return hash(url) in self._known

    def remember_fetched(self, urls: Iterable[str]) -> None:
        """Note the pages that an earlier run of this crawl fetched."""
        for url in urls:
            if len(self._fetched) >= MAX_KNOWN_LINKS:
                return
            self._fetched.add(hash(url))
            self.remember(url)

    def remember(self, url: str) -> None:
        """Note that a link is asked for."""
        if len(self._known) >= MAX_KNOWN_LINKS:
            self._known.clear()
            self.remembers_all = False
        self._known.add(hash(url))

    def forget_waiting(self) -> None:
        """Forget the links that were asked for and not fetched: the frontier has let some of them go."""
        self._known = set(self._fetched)
        self.remembers_all = False


def _content_type(response: Any) -> str:
    found: str = response.headers.get("Content-Type", b"").decode("latin-1")
    return found
