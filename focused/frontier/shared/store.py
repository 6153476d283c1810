"""`SharedStore`: the frontier of one worker, as `FrontierStore` is for SQLite, over a shared database.

All methods work on memory. What they change is part of the page that ends next; `commit` hands it to the committer.
"""

from __future__ import annotations

from heapq import nsmallest
from typing import TYPE_CHECKING, Any

from focused.frontier.shared.link_states import OwnLinkStates
from focused.frontier.shared.memory import NoLog, NoTransaction, SharedForms, SharedScores
from focused.frontier.shared.own_waiting import OwnWaiting
from focused.frontier.store.answers import SENT, TOO_DEEP, UNREACHABLE
from focused.frontier.store.caps import DOMAIN_CAP, HOST_CAP
from focused.frontier.store.choice import MOST_ASIDE, Choice
from focused.frontier.store.interface import SOFT_404S
from focused.frontier.store.limits import StoreLimits
from focused.frontier.store.link import DrawnLink, Leased
from focused.frontier.store.ranks import priority_of
from focused.frontier.store.rescoping import Rescoped
from focused.frontier.store.standing_back import StandingBack
from focused.utils.origins import host_of, origin_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from random import Random

    from focused.frontier.shared.commit_result import CommitResult
    from focused.frontier.shared.link_rows import WaitingLink
    from focused.frontier.shared.memory import SharedRecords
    from focused.frontier.shared.own_host import OwnHost
    from focused.frontier.shared.page import Move
    from focused.frontier.shared.texts import SharedTexts
    from focused.frontier.shared.worker import Worker
    from focused.frontier.store.link import FrontierLink
    from focused.frontier.store.ranks import Ranks
    from focused.frontier.store.rescoring import NewScores, WaitingSlice
    from focused.frontier.store.waiting_counts import WaitingCounts
    from focused.method.scoring.evidence import Evidence
    from focused.utils.scope import Scope

_NO_LIMITS = StoreLimits()


class SharedStore(OwnLinkStates):
    """Links in a database that many workers share; of this worker's own hosts the best waiting ones in memory.

    Parameters
    ----------
    worker : Worker
        Owns the hosts; closed by the store.
    ranks : Ranks
        Which of two links of equal priority comes first.
    limits : StoreLimits
        As of `FrontierStore`, but for ``max_links``: all links stay in the database. With a cap per domain the worker's
        exchange must be ``by_domain``.
    """

    #: Whether other workers change what is stored, so that what becomes of a link is known later.
    is_shared = True

    def __init__(self, worker: Worker, ranks: Ranks, limits: StoreLimits = _NO_LIMITS) -> None:
        super().__init__(worker)
        self._max_per_host, self._max_per_domain, self._max_tunnel, _ = limits
        self.transaction = NoTransaction()
        self.log = NoLog()
        self.standing_back: StandingBack[WaitingLink] = StandingBack(self.hosts, self.own.names, ranks, self)
        #: Which link is next.
        self.choice = Choice(self.hosts, self.own.names, self.standing_back, self)
        self.forms = SharedForms()
        self.waiting = SharedScores(self)
        #: Of the whole crawl; what one worker knows is not enough.
        self.by_level: WaitingCounts | None = None
        self.joined: tuple[int, Evidence, Evidence] | None = None
        self.last_id = 0
        self.n_cut = self.n_cut_rounds = self.n_resumed = 0

    def __len__(self) -> int:
        """Return how many links wait in the whole crawl, as far as is known."""
        totals = self.worker.totals
        return max(0 if totals is None else totals.n_waiting, len(self.draft.page.links))

    @property
    def n_unreachable(self) -> int:
        """How many links failed because this worker gave up their origin."""
        return sum(self.worker.given_up.values())

    @property
    def n_capped(self) -> dict[str, int]:
        """How many waiting links were dropped because their host had reached a cap, by the cap."""
        return {cap: n_links for cap, n_links in self.worker.n_capped.items() if n_links}

    # --- In

    def add(self, links: Iterable[FrontierLink]) -> list[str]:
        """Add links; the database answers later: see `Worker.on_written`."""
        return [self._add(link) for link in links]

    def _add(self, link: FrontierLink) -> str:
        if self._max_tunnel and link.tunnel > self._max_tunnel:
            return TOO_DEEP
        given_up = self.worker.given_up
        if given_up and origin_of(link.url) in given_up:
            return UNREACHABLE
        self.last_id = link.fingerprint
        if link.request is None:
            self.waiting.found(link.fingerprint, link.host)
        self.draft.page.links.append(link)
        return SENT

    def update_evidence(self, number: int, link: FrontierLink) -> None:
        """Send what another page says of a link; the result is known later."""
        self._add(link)

    def is_settled(self, fingerprint: int) -> bool:
        """Return False: the database is not asked."""
        return False

    def claim(self, link: FrontierLink) -> None:
        """Let the target of a redirect wait as a link: its host may be another worker's."""
        self._add(link)

    # --- Out

    def next(
        self,
        ready_at: Callable[[str], float] | None = None,
        now: float = 0.0,
        least: int | None = None,
        *,
        spares: bool = False,
    ) -> Leased | None:
        """Lease the best link of this worker's hosts that may be asked now; arguments as of FrontierStore."""
        self.choice.held_back = None
        link = self._best(ready_at, now, least, spares=spares)
        return None if link is None else self._lease(link)

    def best_priority(self, ready_at: Callable[[str], float] | None = None, now: float = 0.0) -> int | None:
        """Return the priority of the link that ``next`` would lease; None without one."""
        link = self._best(ready_at, now)
        return None if link is None else priority_of(link.rank)

    def _best(
        self,
        ready_at: Callable[[str], float] | None,
        now: float,
        least: int | None = None,
        *,
        spares: bool = False,
    ) -> WaitingLink | None:
        worker = self.worker
        if worker.is_spent:
            return None
        return self.choice.best(ready_at, now, least, spares=spares, least_place=worker.least_priority)

    def best_of(self, host: int) -> WaitingLink | None:
        """Return the best link in memory of a host, by its number; None if there is none."""
        own = self.own.of_number(host)
        return None if own is None else own.best()

    def best(self, n_links: int) -> list[str]:
        """Return the URLs of the best links in memory, the best first."""
        found = ((link.rank, link.url) for own in self.own for link in own.links.values())
        return [url for _, url in nsmallest(n_links, found)]

    def drop_if_capped(self, host: int) -> bool:
        """Give up what waits of a host that has reached the cap; tell whether it has."""
        own = self.own.of_number(host)
        if own is None or not (cap := self._reached(own)):
            return False
        self.draft.page.capped.append((own.name, cap))
        own.forget_all()
        self.own.refresh(own)
        return True

    def put_aside(self, host: int, rests: Callable[[str], bool]) -> bool:
        """Put a host's best links aside as long as ``rests`` is true of their URLs; return False if there are too many."""
        own = self.own.of_number(host)
        if own is None:
            return False
        has_place = own.put_aside(rests, MOST_ASIDE)
        self.own.refresh(own)
        return has_place

    def restore_origin(self, origin: str) -> None:
        """Put links of an origin that were put aside back in their places."""
        own = self.own.get(host_of(origin))
        if own is not None and own.aside:
            own.restore_origin(origin)
            self.own.refresh(own)

    def _reached(self, own: OwnHost) -> str:
        """Return which of the caps a host has reached; empty if none."""
        if self._max_per_host and own.n_asked >= self._max_per_host:
            return HOST_CAP
        if self._max_per_domain and self.own.n_asked_of_domain[own.domain] >= self._max_per_domain:
            return DOMAIN_CAP
        return ""

    def _lease(self, link: WaitingLink) -> Leased:
        self.own.lease(link)
        self.worker.drawn.forget(link.number)
        if self._counts is not None:
            self._counts.leased(link.host, link.url, link.rank)
        asked = link.number, link.url, link.host_name, priority_of(link.rank), link.tunnel, link.evidence
        return Leased(*asked, link.callback, link.request)

    def lease(self, number: int) -> Leased | None:
        """Lease a link that waits in memory; None if there is none."""
        if self.worker.is_spent:
            return None
        link = next((own.links[number] for own in self.own if number in own.links), None) or self.worker.drawn.take(
            number
        )
        own = None if link is None else self.own.get(link.host_name)
        return None if link is None or own is None or self._reached(own) else self._lease(link)

    def drawn(self, source: Random, n_links: int) -> list[DrawnLink]:
        """Return links of pages, drawn from those that wait of this worker's hosts."""
        return [DrawnLink(link.number, link.url, link.referrer) for link in self.worker.drawn.draw(source, n_links)]

    # --- Places

    def sink(self, row: WaitingLink, rank: int, extra: int) -> None:
        """Give a link in memory another place; the database keeps the one it has."""
        for own in self.own:
            if (link := own.links.get(row.number)) is not None:
                link.put_at(rank)
                link.extra = extra
                own.put(link)
                self.own.refresh(own)

    # --- All links

    def count_waiting(self, n_memory_pages: float) -> OwnWaiting:
        """Count the links of this worker's hosts from now on, as far as they are in memory."""
        self._counts = OwnWaiting(self.own, n_memory_pages, lambda: self.worker.other_workers.n_workers)
        return self._counts

    def written(self, written: CommitResult) -> None:
        """Count the links that a transaction has brought."""
        if self._counts is not None:
            self._counts.written(written)

    def rescore(
        self, score: Callable[[WaitingSlice], NewScores], *, model_version: int = 1, slice_links: int = 2_000
    ) -> Iterator[int]:
        """Do nothing: retraining is refused where workers share a crawl."""
        return iter(())

    def rescope(self, scope: Scope) -> Rescoped:
        """Do nothing: the scope is the crawl's, the same for all its workers."""
        return Rescoped(0, 0)

    # --- State

    def commit(self, **state: Any) -> None:
        """Hand what has changed to the committer; counters and files are each worker's own."""
        self.worker.answers.add(state.get(SOFT_404S, {}))
        self.draft.commit()

    def records(self, max_links: int) -> SharedRecords:
        """Return where records of pages go, and what workers have learnt so far."""
        return self.worker.lessons.records(max_links)

    def texts(self, max_pages: int) -> SharedTexts:
        """Return where a page's text goes, and those of other workers come from."""
        return self.worker.texts

    def move(self, moves: Iterable[Move]) -> None:
        """Change the scores of waiting links."""
        moves = list(moves)
        self.draft.moves.add(moves)
        self.own.move(moves)

    def close(self, reason: str = "") -> int:
        """Write what is left, and end the lease; return how many pages could not be written. It waits for the database."""
        n_left = self.worker.close(reason)
        self.forget()
        return n_left
