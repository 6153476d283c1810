"""Ends links under way: their page has come, they failed, or their request was dropped. A commit follows soon."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from focused.frontier.checkpoints import COMMIT_EVERY_SECS
from focused.frontier.link_requests import NotDurableError
from focused.frontier.store.texts import MAX_PAGES as MAX_TEXTS
from focused.frontier.url_groups import kind_of
from focused.method.scoring.stored_text import brought_by_links, with_brought
from focused.utils.origins import host_of
from focused.utils.reactor import FifoLock, LaterCall, yield_to_reactor

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from scrapy import Request
    from scrapy.http import Response

    from focused.frontier.admission import Admission
    from focused.frontier.checkpoints import Checkpoints
    from focused.frontier.host_penalty import HostPenalty
    from focused.frontier.leases import Lease, Leases
    from focused.frontier.patience import Patience
    from focused.frontier.random_links import RandomLinks
    from focused.frontier.session_records import SessionRecords
    from focused.frontier.sinking import Sinking
    from focused.frontier.store.interface import LinkStore
    from focused.frontier.store.link import FrontierLink
    from focused.method.scoring.sorted_links import UpdatedLink

_SLICE_LINKS = 1_000
"""So many links of a page are taken in at a time, some 20 ms. Then the reactor has its turn."""


class PageText(NamedTuple):
    """The text of a page: its URL, the URL that it is a copy of (empty: it is none), its referrer, and its sketch."""

    url: str
    copy_of: str
    referrer: str
    sketch: bytes


@dataclass(slots=True)
class EndedPage:
    """What the page of a link under way has brought."""

    lease: Lease
    #: New links, as requests and as the frontier takes them in.
    links: list[tuple[Request, FrontierLink]] = field(default_factory=list)
    #: Links found again.
    updated_links: Sequence[UpdatedLink] = ()
    #: Whether the page is relevant; None: there was no page.
    relevant: bool | None = None
    #: Why the link failed; empty if it did not.
    note: str = ""
    #: A remark on its page; empty if there is none.
    remark: str = ""
    #: The page's text; None where it is not compared.
    text: PageText | None = None
    #: The stats that Scrapy raises by one for the page's item, after the item has passed the pipelines.
    counted: Sequence[str] = ()


@dataclass(eq=False)
class Outcomes:
    """Notes in the store how links ended."""

    store: LinkStore
    #: How far hosts sink whose pages prove irrelevant.
    penalty: HostPenalty
    #: Stores what a strategy learns from each page; None if it does not learn.
    session_records: SessionRecords | None
    #: Learns from pages which groups of URLs stand back; None: none does.
    sinking: Sinking | None

    def __post_init__(self) -> None:
        #: The pages that ended, with their texts.
        self.texts = self.store.texts(MAX_TEXTS)
        #: Set by the scheduler: hears of each link that ends; None: the crawl never waits for better links.
        self.patience: Patience | None = None
        #: Set by the scheduler: draws another link in the place of one that brought no page; None: no link is drawn.
        self.random_links: RandomLinks | None = None

    def resume(self) -> None:
        """Restore how far the hosts of an earlier run had sunk."""
        self._sink(self.penalty.load(self.store.host_pages()))

    def end_page(
        self, lease: Lease, relevant: bool | None, note: str = "", remark: str = "", text: PageText | None = None
    ) -> None:
        """Note the end of a link whose response is in.

        Its page is relevant or not, None: there was no page. The note says why it failed, and is empty if it did not.
        """
        if self.patience is not None:
            self.patience.note_end(lease, is_page=relevant is not None)
        if text is not None:
            self.texts.add(*text, bool(relevant))
            if self.sinking is not None:
                self.sinking.add_page(*text[:3], bool(relevant), text.sketch)
        self._note_end_of_drawn(lease, is_page=relevant is not None)
        last = self._end_redirects(lease)
        if note:
            self.store.failed(last, note)
        else:
            self.store.done(last, relevant, remark or (None if relevant is not None else "no page"))
        is_source = bool(remark) or lease.link.callback is not None  # a sitemap, a feed or a probe
        if relevant is None and not is_source and self.sinking is not None:
            self.sinking.note_dead(lease.link.url)
        if relevant is not None and self.penalty.strength:
            self._sink(self.penalty.count_page(lease.link.host, relevant))
        if self.session_records is not None:
            self.session_records.page_ended(lease.link.url)
        self.store.recheck_host(lease.link.host)

    def end_orphan(self, lease: Lease) -> None:
        """Note the end of a link whose request was dropped."""
        self._note_end_of_drawn(lease, is_page=False)
        if lease.dropped:
            for number in lease.numbers:
                self.store.dropped(number, lease.dropped)
            if lease.known_target and self.sinking is not None:
                self.sinking.note_redirect(lease.link.url, lease.known_target)
        else:
            self.store.failed(self._end_redirects(lease), lease.note or "not fetched")
        self.store.recheck_host(lease.link.host)

    def give_back(self, lease: Lease) -> None:
        """Put a link that was handed out, but not asked for, back among those that wait."""
        for number in lease.numbers:
            self.store.give_back(number)

    def wait_again(self, lease: Lease) -> None:
        """Put a link back among those that wait, because its host does not answer; in a chain of redirects, the last link."""
        self._note_end_of_drawn(lease, is_page=False)
        self.store.wait_again(self._end_redirects(lease))
        self.store.recheck_host(lease.link.host)

    def finish(self) -> None:
        """Move all waiting links that the strategy has scored anew and that have not moved yet."""
        if self.session_records is not None:
            self.session_records.finish()

    def _note_end_of_drawn(self, lease: Lease, *, is_page: bool) -> None:
        if self.random_links is not None:
            self.random_links.note_end(lease.link, is_page=is_page)

    def _end_redirects(self, lease: Lease) -> int:
        """End all links of a chain of redirects but the last; return the number of the last."""
        *earlier, last = lease.numbers
        for number in earlier:
            self.store.done(number, note="redirect")
        return last

    def learn_from_other_worker(self, url: str, copy_of: str, referrer: str, relevant: bool, sketch: bytes) -> None:
        """Learn from a page that another worker has fetched; arguments as of `Sinking.add_page`."""
        if self.sinking is not None:
            self.sinking.add_page(url, copy_of, referrer, relevant, sketch)
        if self.penalty.strength:
            self._sink(self.penalty.count_page(host_of(url), relevant))

    def _sink(self, levels_of: dict[str, int]) -> None:
        if self.sinking is None:
            for host, levels in levels_of.items():
                self.store.standing_back.sink_host(host, levels)


@dataclass(eq=False)
class Completion:
    """Adds the links of a page, notes how the page's own link ended, and makes both durable in one commit.

    A commit holds the pages that have ended since the last one, and each of them whole. A page with many links ends in
    several turns of the reactor. Until it has, no other page ends, and nothing else may change what the commit makes
    durable: see ``page_lock``.
    """

    admission: Admission
    leases: Leases
    outcomes: Outcomes
    checkpoints: Checkpoints

    def __post_init__(self) -> None:
        #: Held while a page ends, and during a commit.
        self.page_lock = FifoLock()
        self._soon = LaterCall(COMMIT_EVERY_SECS, self._commit)
        #: Called when a page has ended: more requests may be handed out.
        self.on_page_ended: Callable[[], None] = lambda: None

    def lease_of(self, response: Response) -> Lease | None:
        """Return the lease that a response belongs to."""
        return self.leases.of(response.request)

    def hold(self, request: Request, page: EndedPage) -> bool:
        """Hold a request until its page ends, unless it is refused; return False if it must be enqueued at once instead."""
        if self.leases.of(request) is not None:
            return False
        requests = self.admission.requests
        try:
            text = requests.text_of(request)
        except NotDurableError:
            return False
        if self.admission.is_allowed(request):  # asked first: the fingerprint costs more
            page.links.append((request, requests.link_with_text(request, text)))
        return True

    def count_ahead(self, names: Iterable[str]) -> None:
        """Count stats that Scrapy is about to raise by one; see `Checkpoints.count_ahead`."""
        self.checkpoints.count_ahead(names)

    async def page_ended(self, page: EndedPage) -> None:
        """Add the links of a page, end its link (failed if there is a note, else done), and commit soon.

        After the frontier could not be written, nothing is done: the link will be fetched again.
        """
        async with self.page_lock:
            if not self.checkpoints.is_broken:
                try:
                    await self._add_links(page)
                    text = self._with_links(page)
                    self.checkpoints.count_ahead(page.counted)
                    self.outcomes.end_page(page.lease, page.relevant, page.note, page.remark, text)
                    self.leases.end(page.lease, page.relevant)
                    self.checkpoints.page_ended()
                    if self.checkpoints.is_due:
                        self._soon.schedule()
                except sqlite3.Error as error:
                    self.checkpoints.fail(error)
        self.on_page_ended()

    async def _commit(self) -> None:
        async with self.page_lock:
            if self.checkpoints.is_due:
                self.checkpoints.commit()

    def close(self) -> None:
        """Cancel the commit that is scheduled: the crawl ends, and commits itself."""
        self._soon.cancel()

    async def wait_until_no_page_ends(self) -> None:
        """Wait until no page is being ended."""
        await self.page_lock.wait_free()

    async def _add_links(self, page: EndedPage) -> None:
        """Add the links of a page, in several turns of the reactor if they are many."""
        # A response that is no page, such as a sitemap, does not count as an irrelevant page.
        tunnel = 0 if page.relevant else page.lease.link.tunnel + (page.relevant is not None)
        if (patience := self.outcomes.patience) is not None:
            patience.begin_page(page.lease)
        for number, (request, link) in enumerate(page.links, 1):
            if not self.admission.admit(link.behind(tunnel)):
                self.admission.refuse(request)
            if not number % _SLICE_LINKS:
                await yield_to_reactor()
        for number, known in enumerate(page.updated_links, 1):
            self.admission.update_evidence(known, tunnel)
            if not number % _SLICE_LINKS:
                await yield_to_reactor()

    def _with_links(self, page: EndedPage) -> PageText | None:
        """Return the page's text; of a collage, with how much new its links bring, but for those to pages like it."""
        sinking, text = self.outcomes.sinking, page.text
        if text is None or sinking is None or brought_by_links(text.sketch) is None:
            return text
        own = kind_of(text.url)
        new = [link.url for _, link in page.links if kind_of(link.url) != own]
        n_known = sum(kind_of(known.url) != own for known in page.updated_links)
        n_new = sum(sinking.credit.new_share(url, text.url) for url in new)
        return text._replace(sketch=with_brought(text.sketch, n_new / max(1, len(new) + n_known)))

    def end_orphans(self, in_progress: Collection[Request]) -> None:
        """End the leases whose requests were dropped: none of the requests in progress belongs to them."""
        orphans = self.leases.orphans(in_progress)
        for lease in orphans:
            if lease.waits_again:
                self.outcomes.wait_again(lease)
            else:
                self.outcomes.end_orphan(lease)
            self.leases.end(lease)
        if orphans:
            self.checkpoints.commit()

    def give_back_all(self) -> None:
        """Put all links under way back among those that wait: the crawl ends before their pages have come."""
        for lease in self.leases:
            self.outcomes.give_back(lease)
        self.leases.clear()
        self.outcomes.finish()
