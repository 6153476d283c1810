"""How links under way end: their page is in, they failed, or no request stands for them; then all is committed."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from focused.utils.reactor import FifoLock, yield_to_reactor

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from scrapy import Request

    from focused.frontier.admission import Admission
    from focused.frontier.checkpoints import Checkpoints
    from focused.frontier.leases import Lease, Leases
    from focused.frontier.outcomes import Outcomes
    from focused.frontier.store.link import FrontierLink
    from focused.method.scoring.met_links import JoinedLink

_SLICE_LINKS = 1_000
"""So many links of a page are taken in at a time, some 20 ms. Then the reactor has its turn."""


@dataclass(slots=True)
class EndedPage:
    """What the page of a link under way has brought."""

    lease: Lease
    #: New links, as requests and as the frontier takes them in.
    links: list[tuple[Request, FrontierLink]] = field(default_factory=list)
    #: Links found again.
    joined: Sequence[JoinedLink] = ()
    #: Whether the page is relevant; None: there was no page.
    relevant: bool | None = None
    #: Why the link failed; empty if it did not.
    note: str = ""
    #: The stats that Scrapy is going to raise by one for the page's item, as soon as it hears of the item's end.
    counted: Sequence[str] = ()


class Completion:
    """Takes in what a link's page brought, notes how the link ended, and makes both durable at once.

    A page with many links ends in several turns of the reactor. Until it has, no other page ends, and nothing else may
    change what the commit makes durable: see ``ending``.

    Parameters
    ----------
    admission : Admission
    leases : Leases
    outcomes : Outcomes
    checkpoints : Checkpoints
    """

    def __init__(self, admission: Admission, leases: Leases, outcomes: Outcomes, checkpoints: Checkpoints) -> None:
        self._admission = admission
        self._leases = leases
        self._outcomes = outcomes
        self._checkpoints = checkpoints
        #: Taken from where a page begins to end until it is durable.
        self.ending = FifoLock()

    async def page_ended(self, page: EndedPage) -> None:
        """Take in the links of a response, and commit: done where there was a page, failed where there is a note.

        After the frontier could not be written, nothing is done: the link will be fetched again.
        """
        async with self.ending:
            if self._checkpoints.is_broken:
                return
            try:
                await self._take_in(page)
                self._checkpoints.will_count(page.counted)
                self._outcomes.page(page.lease, page.relevant, page.note)
                self._leases.end(page.lease)
                self._checkpoints.commit()
            except sqlite3.Error as error:
                self._checkpoints.fail(error)

    async def _take_in(self, page: EndedPage) -> None:
        """Take in the links of a page. If they are many, it takes several turns of the reactor."""
        tunnel = 0 if page.relevant else page.lease.link.tunnel + 1
        for number, (request, link) in enumerate(page.links, 1):
            if not self._admission.link(link.behind(tunnel)):
                self._admission.refuse(request)
            if not number % _SLICE_LINKS:
                await yield_to_reactor()
        for number, joined in enumerate(page.joined, 1):
            self._admission.join(joined, tunnel)
            if not number % _SLICE_LINKS:
                await yield_to_reactor()

    def end_orphans(self, in_progress: Collection[Request]) -> None:
        """End the leases that no request stands for any more."""
        orphans = self._leases.orphans(in_progress)
        for lease in orphans:
            self._outcomes.orphan(lease)
            self._leases.end(lease)
        if orphans:
            self._checkpoints.commit()

    def give_back(self) -> None:
        """Let all links under way wait again: the crawl ends before their turn."""
        for lease in self._leases:
            self._outcomes.give_back(lease)
        self._leases.clear()
        self._outcomes.finish()
