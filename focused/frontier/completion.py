"""How links under way end: their page is in, they failed, or nobody speaks for them any more; then all is committed."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Any

from scrapy import signals

from focused.frontier.leases import in_progress, link_ended
from focused.utils.reactor import FifoLock, yield_to_reactor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy import Request
    from scrapy.crawler import Crawler

    from focused.frontier.admission import Admission
    from focused.frontier.checkpoints import Checkpoints
    from focused.frontier.host_penalty import HostPenalty
    from focused.frontier.leases import Lease, Leases
    from focused.frontier.store.link import Link
    from focused.frontier.store.page_records import Learning
    from focused.frontier.store.store import FrontierStore
    from focused.frontier.wakeup import Wakeup
    from focused.items import PageItem
    from focused.method.scoring import Evidence

    Prepared = list[tuple[Request, Link]]
    """Links of a page, as requests and as the frontier takes them in."""

_SLICE_LINKS = 1_000
"""So many links of a page are taken in at a time, some 20 ms: then whatever else waits has its turn."""


class Completion:
    """Takes in what a link's page brought, says what has become of the link, and makes both durable at once.

    A page with many links ends in several turns of the reactor. Until it has, no other page ends, and nobody is to change
    what the commit makes durable: see ``ending``.

    Parameters
    ----------
    crawler : Crawler
        Its spider is there.
    store : FrontierStore
    leases : Leases
    intake : Admission
    standing : HostPenalty
        How far hosts sink whose pages prove irrelevant.
    learning : Learning or None
        Of a strategy that learns: told of the page.
    commits : Checkpoints
    wake : Wakeup
    """

    def __init__(
        self,
        crawler: Crawler,
        store: FrontierStore,
        leases: Leases,
        intake: Admission,
        standing: HostPenalty,
        learning: Learning | None,
        commits: Checkpoints,
        wake: Wakeup,
    ) -> None:
        self._crawler = crawler
        self._store = store
        self._leases = leases
        self._intake = intake
        self._standing = standing
        self._learning = learning
        self._commits = commits
        self._wake = wake
        #: Taken from where a page begins to end until it is durable.
        self.ending = FifoLock()
        self._staged: dict[int, tuple[PageItem, Lease, Prepared, list[tuple[str, int, Evidence]]]] = {}

    def stage(self, lease: Lease, item: PageItem, links: Prepared, again: list[tuple[str, int, Evidence]]) -> None:
        """Keep the links of a page, and those found again, until its item has passed the pipelines."""
        self._staged[id(item)] = item, lease, links, again

    async def item_ended(self, item: Any, counted: Sequence[str] = ()) -> None:
        """Take in the links of a page whose item has passed the pipelines, and commit all of it.

        Parameters
        ----------
        item : object
        counted : sequence of str
            The stats that Scrapy is going to raise by one for this item, as soon as it hears of its end.
        """
        staged = self._staged.pop(id(item), None)
        if staged is None:
            self._commits.will_count(counted)
            return
        _, lease, links, again = staged
        await self.page_ended(lease, links, again, relevant=bool(item.relevant), counted=counted)

    async def page_ended(
        self,
        lease: Lease,
        links: Prepared,
        again: Sequence[tuple[str, int, Evidence]] = (),
        *,
        relevant: bool | None,
        note: str = "",
        counted: Sequence[str] = (),
    ) -> None:
        """Take in the links of a response, and commit: done where there was a page, failed where there is a note.

        Nothing, once the frontier could not be written: the link will be fetched again.
        """
        async with self.ending:
            if self._commits.is_broken:
                return
            try:
                await self._take_in(links, again, 0 if relevant else lease.link.tunnel + 1)
                self._commits.will_count(counted)
                self._end(lease, relevant, note)
            except sqlite3.Error as error:
                self._commits.fail(error)
        self._wake.now()

    async def _take_in(self, links: Prepared, again: Sequence[tuple[str, int, Evidence]], tunnel: int) -> None:
        """Take in the links of a page, some in each turn of the reactor if they are many."""
        for number, (request, link) in enumerate(links, 1):
            if not self._intake.link(link.behind(tunnel)):
                self._crawler.signals.send_catch_log(
                    signals.request_dropped, request=request, spider=self._crawler.spider
                )
            if not number % _SLICE_LINKS:
                await yield_to_reactor()
        for number, (url, known_as, evidence) in enumerate(again, 1):
            self._intake.found_again(url, known_as, evidence, tunnel)
            if not number % _SLICE_LINKS:
                await yield_to_reactor()

    def _end(self, lease: Lease, relevant: bool | None, note: str) -> None:
        """Say what has become of a link under way, and commit."""
        last = self._end_redirects(lease)
        if note:
            self._store.failed(last, note)
        else:
            self._store.done(last, relevant, None if relevant is not None else "no page")
        if relevant is not None and self._standing.strength:
            for host, levels in self._standing.judged(lease.link.host, relevant).items():
                self._store.sink(host, levels)
        if self._learning is not None:
            self._learning.page_ended(lease.link.url)
        self._ended(lease)
        self._commits.commit()

    def _end_redirects(self, lease: Lease) -> int:
        """Say that all links of a chain of redirects but the last have done their part; return the last."""
        *earlier, last = lease.numbers
        for number in earlier:
            self._store.done(number, note="redirect")
        return last

    def end_orphans(self) -> None:
        """End the leases that nothing stands for any more."""
        orphans = self._leases.orphans(in_progress(self._crawler))
        for lease in orphans:
            if lease.is_elsewhere:
                for number in lease.numbers:
                    self._store.dropped(number, "redirects to a known link")
            else:
                self._store.failed(self._end_redirects(lease), lease.note or "not fetched")
            self._ended(lease)
        if orphans:
            self._commits.commit()

    def give_back(self) -> None:
        """Let all links wait again that are under way: the crawl ends, and they never came to their turn."""
        for lease in self._leases:
            for number in lease.numbers:
                self._store.give_back(number)
            self._leases.end(lease)

    def _ended(self, lease: Lease) -> None:
        self._leases.end(lease)
        self._crawler.signals.send_catch_log(link_ended, number=lease.link.id)
        self._store.wake_host(lease.link.host)
