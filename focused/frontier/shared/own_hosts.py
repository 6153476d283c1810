"""The hosts that are a worker's own.

Links that are under way, or whose end is not durable yet, still wait in the database: they are left out of memory.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from focused.frontier.shared.keys import host_key
from focused.frontier.shared.own_host import OwnHost
from focused.frontier.shared.recent_changes import RecentChanges, place
from focused.frontier.store.host_numbers import HostNumbers
from focused.frontier.store.host_queue import HostQueue
from focused.utils.origins import origin_of

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator

    from focused.frontier.shared.leasing import LeasedHost
    from focused.frontier.shared.link_rows import WaitingLink
    from focused.frontier.shared.links_wanted import LinksWanted
    from focused.frontier.shared.page import Move, PageCommit


class OwnHosts:
    """All hosts of a worker; `queue` knows which is next."""

    def __init__(self) -> None:
        self.queue = HostQueue()
        self.names = HostNumbers()
        self._hosts: dict[str, OwnHost] = {}
        #: Links that were ever asked for, by registered domain; domains that are owned no more are kept.
        self.n_asked_of_domain: Counter[int] = Counter()
        #: Links under way, each with its host.
        self.under_way: dict[int, tuple[OwnHost, WaitingLink]] = {}
        self._recent = RecentChanges()
        self._host_of_ended: dict[int, OwnHost] = {}
        #: Called with each host that is owned no more.
        self.on_leave: Callable[[str], None] = lambda host: None
        #: Origins that were given up. Their links may have been read, or written, before the database knew of it.
        self.given_up: Container[str] = ()

    def __len__(self) -> int:
        return len(self._hosts)

    def __iter__(self) -> Iterator[OwnHost]:
        return iter(list(self._hosts.values()))

    def get(self, name: str) -> OwnHost | None:
        """Return a host; None if it is not this worker's."""
        return self._hosts.get(name)

    def of_number(self, number: int) -> OwnHost | None:
        """Return a host by its number here."""
        return self._hosts.get(self.names.names[number])

    def waiting(self, fingerprint: int, host: str) -> WaitingLink | None:
        """Return a link that waits in memory; None if there is none."""
        own = self._hosts.get(host)
        return None if own is None else own.known(fingerprint)

    # --- Hosts

    def add(self, taken: LeasedHost) -> OwnHost:
        """Add a host that this worker owns from now on; its links are read later."""
        domain, of_domain = host_key(taken.name).domain, self.n_asked_of_domain
        own = OwnHost(taken.name, domain, self.names.number(taken.name), taken.news, taken.n_asked)
        # The database may not know yet of those that have just ended here.
        of_domain[domain] = max(of_domain[domain], taken.n_asked_of_domain)
        self._hosts[taken.name] = own
        return own

    def remove(self, own: OwnHost) -> None:
        """Remove a host: this worker does not own it any more."""
        del self._hosts[own.name]
        self.on_leave(own.name)
        self._recent.leave(own.name)
        self.queue.set_best(own.number, None)

    def release_all(self) -> None:
        """Mark all hosts for other workers; each is released when it is idle."""
        for own in self:
            own.is_leaving = True
            self.refresh(own)

    def clear(self) -> list[OwnHost]:
        """Remove all hosts, and return them; links under way stay so until they end."""
        hosts = list(self._hosts.values())
        for own in hosts:
            self.remove(own)
        self._recent.leave_all()
        self.n_asked_of_domain.clear()
        return hosts

    # --- Links

    def offer(self, links: Iterable[WaitingLink]) -> None:
        """Take note of links that wait in the database, or whose place there has changed."""
        changed = {}
        for link in links:
            own = self._hosts.get(link.host_name)
            if own is not None and self.may_wait(link):
                own.put(link)
                changed[own.number] = own
        for own in changed.values():
            self.refresh(own)

    def written(self, links: list[WaitingLink], moved: Iterable[tuple[int, str, int]], n_written: int) -> None:
        """Add links as a transaction has left them, and the new ranks of links that it moved.

        ``n_written``: how many transactions were written, this one included.
        """
        self._recent.written(links, n_written)
        for link in links:
            self._recent.apply(link)
        self.offer(links)
        for number, host, rank in moved:
            own = self._hosts.get(host)
            if own is None:
                continue
            if (known := own.known(number)) is not None:
                known.stored = rank
            # It has come from beyond the horizon, and has to be read.
            elif own.lacks_link(number, rank) and self._is_free(number):
                own.has_news = True

    def links_read(self, name: str, links: list[WaitingLink], wanted: LinksWanted) -> None:
        """Add links of a host that were read from the database, with what this worker has changed since."""
        own = self._hosts.get(name)
        if own is None:
            return
        own.links_read(links, wanted)
        for link in (*links, *self._recent.waiting(name)):
            if self.may_wait(link):
                self._recent.apply(link)
                own.put(link)
        self.refresh(own)

    def move(self, moves: Iterable[Move]) -> None:
        """Give links other scores: those that wait in memory at once, others when they are fetched."""
        moved = []
        for move in moves:
            self._recent.note_move(move)
            link = self.waiting(move.fingerprint, move.host)
            if link is not None and link.request is None:
                place(link, move)
                moved.append(link)
        self.offer(moved)

    def _is_free(self, number: int) -> bool:
        """Tell whether a link is neither under way nor has ended."""
        return number not in self.under_way and not self._recent.has_ended(number)

    def may_wait(self, link: WaitingLink) -> bool:
        """Tell whether a link that was read still waits, as far as this worker knows."""
        return self._is_free(link.number) and (not self.given_up or origin_of(link.url) not in self.given_up)

    def lease(self, link: WaitingLink) -> None:
        """Note that a link is under way."""
        own = self._hosts[link.host_name]
        own.drop(link.number)  # one that was drawn lies beyond the horizon
        own.n_under_way += 1
        own.n_asked += 1
        self.n_asked_of_domain[own.domain] += 1
        self.under_way[link.number] = own, link
        self.refresh(own)

    def give_back(self, number: int) -> OwnHost:
        """Put a link that was under way back among those that wait."""
        own, link = self.under_way.pop(number)
        own.n_under_way -= 1
        own.n_asked -= 1
        self.n_asked_of_domain[own.domain] -= 1
        if self._hosts.get(own.name) is own:
            own.put(link)
            self.refresh(own)
        return own

    def end(self, number: int) -> tuple[OwnHost, WaitingLink]:
        """Note that a link under way has ended; its end is not durable yet."""
        own, link = self.under_way.pop(number)
        own.n_under_way -= 1
        own.n_unwritten += 1
        self._recent.end(number)
        self._host_of_ended[number] = own
        return own, link

    def page_written(self, page: PageCommit, n_written: int) -> None:
        """Note that a page is durable since transaction number ``n_written``."""
        self._settled(page, n_written)
        self._recent.moves_written(page.moves, n_written)

    def page_refused(self, page: PageCommit, n_written: int) -> None:
        """Note that the database has refused a page: nothing of it is durable."""
        self._settled(page, n_written)
        self._recent.moves_refused(page.moves)

    def _settled(self, page: PageCommit, n_written: int) -> None:
        for link in page.ended:
            self._recent.end_written(link.fingerprint, n_written)
            if (own := self._host_of_ended.pop(link.fingerprint, None)) is not None:
                own.n_unwritten -= 1

    def read_since(self, n_written: int) -> None:
        """Forget changes that every coming read shows, because it begins after transaction number ``n_written``."""
        self._recent.forget(n_written)

    def refresh(self, own: OwnHost) -> None:
        """Update a host's best link in the queue."""
        best = None if own.is_leaving else own.best()
        self.queue.set_best(own.number, None if best is None else best.rank)

    def best_ranks(self) -> list[tuple[int, OwnHost]]:
        """Return the hosts that have links in memory and stay, with the rank of the best; the best first."""
        found = [(best.rank, own) for own in self if not own.is_leaving and (best := own.best()) is not None]
        return sorted(found, key=lambda each: each[0])
