"""The frontier of one worker as the rest of the crawl sees it: what FrontierStore is to SQLite, over a shared database.

All methods work on memory. What they change is part of the page that ends next; `commit` hands it to the committer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from focused.frontier.shared.events import (
    NOT_STORED,
    DatabaseGone,
    Granted,
    Joined,
    LeaseLost,
    LinksAhead,
    PageRefused,
    PagesWritten,
    Ticked,
    now,
)
from focused.frontier.shared.memory import NoLog, NoRecords, NoTransaction, OwnMemory, SharedForms, SharedScores
from focused.frontier.shared.own_hosts import OwnHost, OwnHosts
from focused.frontier.shared.page import EndedLink, Move, PageCommit
from focused.frontier.shared.page_budget import PageBudget
from focused.frontier.shared.surroundings import Surroundings
from focused.frontier.store.answers import SENT, TOO_DEEP, UNREACHABLE
from focused.frontier.store.caps import HOST_CAP
from focused.frontier.store.link import Leased, host_of, origin_of
from focused.frontier.store.ranks import moved_to, priority_of
from focused.frontier.store.schema import DONE, DROPPED, FAILED, RANK_BITS
from focused.frontier.store.standing_back import StandingBack
from focused.method.scoring.priority import to_priority

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from random import Random

    from focused.frontier.shared.exchange import Exchange
    from focused.frontier.shared.leasing import Totals
    from focused.frontier.shared.link_rows import WaitingLink
    from focused.frontier.shared.written import Written
    from focused.frontier.store.link import FrontierLink
    from focused.frontier.store.ranks import Ranks
    from focused.method.scoring.evidence import Evidence

_MOST_SUNK = 300
_MOST_PENDING = 200
"""Ended pages that may wait for the database; beyond, nothing is handed out."""


class SharedStore(OwnMemory):
    """Links in a database that many workers share; of this worker's own hosts the best waiting ones in memory.

    Parameters
    ----------
    exchange : Exchange
        Connects to the database; the store starts it and closes it.
    ranks : Ranks
        Which of two links of equal priority comes first.
    max_per_host, max_tunnel, max_pages, max_relevant : int
        As of `FrontierStore`, and the pages that the crawl is to fetch, and to find relevant. 0: no limit.
    max_hosts : int
        Hosts that a worker holds at most.
    """

    #: Whether other workers change what is stored, so that what becomes of a link is known later.
    is_shared = True

    def __init__(
        self,
        exchange: Exchange,
        *,
        ranks: Ranks,
        max_per_host: int = 0,
        max_tunnel: int = 0,
        max_pages: int = 0,
        max_relevant: int = 0,
        max_hosts: int = 64,
    ) -> None:
        super().__init__()
        self.exchange = exchange
        self._max_per_host, self._max_tunnel, self._max_relevant = max_per_host, max_tunnel, max_relevant
        self._budget, self._surroundings = PageBudget(max_pages), Surroundings(max_hosts)
        self.own = OwnHosts()
        self.hosts = self.own.queue
        self.transaction = NoTransaction()
        self.log = NoLog()
        self.standing = StandingBack(self.transaction, self.hosts, self.own.names, self, ranks, self._sunk)  # type: ignore[arg-type]
        self.forms = SharedForms()
        self.waiting = SharedScores(self)
        self._page = PageCommit()
        self._outputs: list[Any] = []
        self._unreachable: dict[str, int] = {}
        self._least: int | None = None
        self._wants_join = False
        #: Why the crawl is over for all workers; empty: it is not.
        self.over = ""
        #: Whether the worker has lost its lease and waits for its last requests to end.
        self.is_lost = False
        self.by_level = None
        self.held_back: int | None = None
        self.joined: tuple[int, Evidence, Evidence] | None = None
        self.last_id = 0
        self.n_cut = self.n_cut_rounds = self.n_unreachable = self.n_resumed = 0
        self.n_capped: dict[str, int] = {}
        #: Called with what a transaction has changed.
        self.on_written: Callable[[Written], None] = lambda written: None
        #: Called with each page that was refused, and why.
        self.on_refused: Callable[[PageCommit, str], None] = lambda page, why: None
        #: Called when the database has been away too long.
        self.on_gone: Callable[[Exception], None] = lambda error: None
        #: Lets a host rest for so many seconds, and have this delay: its last owner has asked it.
        self.let_rest: Callable[[str, float, float], None] = lambda host, secs, delay: None
        #: Returns of a host the seconds until it may be asked, and its delay.
        self.times_of: Callable[[str], tuple[float, float]] = lambda host: (0.0, 0.0)
        #: Whether poor links are not asked for while other workers have better ones: where hosts need no rest.
        self.waits: Callable[[], bool] = lambda: False
        exchange.start()

    def __len__(self) -> int:
        """Return how many links wait in the whole crawl, as far as is known."""
        totals = self.totals
        return max(0 if totals is None else totals.n_waiting, len(self._page.links))

    @property
    def totals(self) -> Totals | None:
        """Figures of the whole crawl, some seconds old; None: nothing is known yet."""
        return self._surroundings.totals

    # --- In

    def add(self, links: Iterable[FrontierLink]) -> list[str]:
        """Take in links; what becomes of them the database says later: `on_written`."""
        return [self._add(link) for link in links]

    def _add(self, link: FrontierLink) -> str:
        if self._max_tunnel and link.tunnel > self._max_tunnel:
            return TOO_DEEP
        if self._unreachable and origin_of(link.url) in self._unreachable:
            return UNREACHABLE
        self.last_id = link.fingerprint
        if link.request is None:
            self.waiting.found(link.fingerprint, link.host)
        self._page.links.append(link)
        return SENT

    def join(self, number: int, link: FrontierLink) -> None:
        """Send what another page says of a link: what comes of it is known later."""
        self._add(link)

    def is_settled(self, fingerprint: int) -> bool:
        """Return False: the database is not asked."""
        return False

    def claim(self, link: FrontierLink) -> None:
        """Let the target of a redirect wait as a link: its host may be another worker's."""
        self._add(link)

    # --- Out

    @property
    def may_ask(self) -> bool:
        """Whether this worker may ask for anything now."""
        return not self.is_lost and now() < self.exchange.valid_until and self.exchange.n_pending < _MOST_PENDING

    @property
    def pages_left(self) -> int | None:
        """How many more requests may be handed out as pages of the budget; None: there is no limit."""
        return self._budget.left(len(self.own.under_way))

    @property
    def _is_spent(self) -> bool:
        """Whether all that was granted has been handed out."""
        left = self.pages_left
        return left is not None and left <= 0

    def next(
        self, ready_at: Callable[[str], float] | None = None, now: float = 0.0, least: int | None = None
    ) -> Leased | None:
        """Lease the best link of this worker's hosts that may be asked now; arguments as of FrontierStore."""
        self.held_back = None
        link = self._best(ready_at, now, least)
        return None if link is None else self._lease(link)

    def best_priority(self, ready_at: Callable[[str], float] | None = None, now: float = 0.0) -> int | None:
        """Return the priority of the link that ``next`` would lease; None without one."""
        link = self._best(ready_at, now)
        return None if link is None else priority_of(link.rank)

    def _best(
        self, ready_at: Callable[[str], float] | None, now: float, least: int | None = None
    ) -> WaitingLink | None:
        if self._is_spent:
            return None
        names = self.own.names.names
        ask = (lambda host: ready_at(names[host])) if ready_at is not None else lambda host: 0.0
        n_most = self.standing.n_sunk + _MOST_SUNK
        while (number := self.hosts.take(ask, now)) is not None:
            if self.standing.has_sunk(number):
                continue
            place = self.hosts.place(number)
            if self._least is not None and place is not None and priority_of(place) < self._least:
                return None
            cut = None if least is None else least - (self.hosts.most_sunk >> RANK_BITS)
            if cut is not None and (rank := self.hosts.best(number)) is not None and priority_of(rank) < cut:
                self.held_back = priority_of(rank)
                return None
            own = self.own.of_number(number)
            link = None if own is None else own.best()
            if own is None or link is None:
                self.hosts.put(number, None)
            elif link.rank != self.hosts.best(number):
                self.hosts.put(number, link.rank)
            elif self._max_per_host and own.n_asked >= self._max_per_host:
                self._drop_rest(own)
            elif self.standing.n_sunk >= n_most or not self.standing.put_back(link):  # type: ignore[arg-type]
                return link
        return None

    def _lease(self, link: WaitingLink) -> Leased:
        self.own.lease(link)
        asked = link.number, link.url, link.host_name, priority_of(link.rank), link.tunnel, link.evidence
        return Leased(*asked, link.callback, link.request)

    def lease(self, number: int) -> Leased | None:
        """Lease a link that waits in memory; None if there is none."""
        for own in () if self._is_spent else self.own:
            link = own.links.get(number)
            if link is not None and not (self._max_per_host and own.n_asked >= self._max_per_host):
                return self._lease(link)
        return None

    def drawn(self, source: Random, n_links: int) -> list[tuple[int, str]]:
        """Return fingerprints and URLs of links of pages, drawn from those that wait in this worker's memory."""
        found = [link for own in self.own for link in own.links.values() if link.request is None and link.referrer]
        return [(link.number, link.url) for link in source.sample(found, min(n_links, len(found)))]

    def done(self, number: int, relevant: bool | None = None, note: str | None = None) -> None:
        """Say that a leased link's page is in; ``relevant`` is None where there was no page to judge."""
        self._end(number, DONE, note, relevant)

    def failed(self, number: int, note: str) -> None:
        """Say that a leased link could not be fetched, and why."""
        self._end(number, FAILED, note)

    def dropped(self, number: int, note: str) -> None:
        """Say that a leased link was given up, and why."""
        self._end(number, DROPPED, note)

    def _end(self, number: int, state: int, note: str | None, relevant: bool | None = None) -> None:
        own, link = self.own.end(number)
        self._page.ended.append(EndedLink(number, own.name, link.url, state, note, relevant))
        self._page.rests[own.name] = self.times_of(own.name)
        self._budget.spend(is_page=relevant is not None)

    def give_back(self, number: int) -> None:
        """Let a leased link wait again: in the database it does."""
        self.own.give_back(number)

    def wait_again(self, number: int) -> None:
        """Let a leased link wait again, unless its host has been given up."""
        own = self.own.give_back(number)
        for origin in [origin for origin in self._unreachable if host_of(origin) == own.name]:
            self._page.given_up.append(origin)
            self._forget(own, origin)

    # --- Hosts

    def host_number(self, host: str) -> int:
        """Return the number of a host by its name; -1 if it has none here."""
        number = self.own.names.get(host)
        return -1 if number is None else number

    def wake_host(self, host: str) -> None:
        """Look at a host again before its time."""
        number = self.own.names.get(host)
        if number is not None:
            self.hosts.wake(number)

    def has_pages(self, host: str) -> bool:
        """Tell whether any page of a host was fetched by this worker, or before it was this one's."""
        own = self.own.get(host)
        return own is not None and own.n_asked > own.n_under_way

    def give_up(self, origin: str) -> None:
        """Let all links of an origin fail that wait, and those that this worker finds from now on."""
        self._unreachable.setdefault(origin, 0)
        self._page.given_up.append(origin)
        own = self.own.get(host_of(origin))
        if own is not None:
            self._forget(own, origin)

    def n_unreachable_of(self, origin: str) -> int:
        """Return how many links failed because this origin was given up."""
        return self._unreachable.get(origin, 0)

    def _forget(self, own: OwnHost, origin: str) -> None:
        for link in [link for link in own.links.values() if origin_of(link.url) == origin]:
            del own.links[link.number]
        own.has_news = own.horizon is not None
        self.own.refresh(own)

    def _drop_rest(self, own: OwnHost) -> None:
        self._page.capped.append(own.name)
        own.links.clear()
        own.horizon = None
        self.own.refresh(own)

    def sink(self, number: int, rank: int, extra: int) -> None:
        """Give a link in memory another place; the database keeps the one it has."""
        for own in self.own:
            if (link := own.links.get(number)) is not None:
                link.rank, link.extra = rank, extra
                own.put(link)
                self.own.refresh(own)

    def _sunk(self, row: Any, rank: int) -> None:
        """Nothing more is to be done where a link has sunk: see ``sink``."""

    # --- State

    def add_output(self, statement: str, parameters: Mapping[str, Any]) -> None:
        """Let a statement be part of the transaction of the page that passes the pipelines now: see `PageOutputs`."""
        self._outputs.append((statement, dict(parameters)))

    def commit(self, **state: Any) -> None:
        """Hand what has changed to the committer; counters and files are each worker's own."""
        if self._page.ended:
            self._page.outputs, self._outputs = self._outputs, []
        self._send()

    def _send(self) -> None:
        page = self._page
        if page:
            page.worker = self.exchange.worker
            if page.given_up or page.capped:
                page.under_way = list(self.own.under_way)
            self.exchange.write(page)
            self._page = PageCommit()

    def note_record(self, record: bytes) -> None:
        """Let what a strategy has learnt be part of the page, for others to read."""
        self._page.records.append(record)

    def records(self, max_links: int) -> NoRecords:
        """Return where records of pages go."""
        return NoRecords(self.note_record)

    def move(self, moves: Iterable[Move]) -> None:
        """Let scores of waiting links be others."""
        moved = []
        for move in moves:
            self._page.moves.append(move)
            link = self.own.waiting(move.fingerprint, move.host)
            if link is not None and link.request is None:
                link.rank = moved_to(link.rank, to_priority(move.score, True) + link.extra)
                link.evidence = link.evidence.with_score(move.score)
                moved.append(link)
        self.own.offer(moved)

    # --- With the threads

    def tend(self, *, n_wanted: int = 0) -> None:
        """Take in what the threads have done, and tell them what is wanted."""
        self._send()
        for event in self.exchange.take():
            self._take(event)
        if self.is_lost:
            if not self.own.under_way and not self._wants_join:
                self._wants_join = True
                self.exchange.wish(joins=True)
            return
        self._wish()

    def _take(self, event: Any) -> None:
        own = self.own
        match event:
            case PagesWritten(pages, written):
                for ended in (ended for page in pages for ended in page.ended):
                    own.written(ended.fingerprint, self.exchange.n_written)
                own.offer(written.new)
                own.offer(joined for joined, _ in written.joined)
                for origin, n_links in written.given_up.items():
                    self._unreachable[origin] = self._unreachable.get(origin, 0) + n_links
                    self.n_unreachable += n_links
                if written.n_capped:
                    self.n_capped[HOST_CAP] = self.n_capped.get(HOST_CAP, 0) + written.n_capped
                self.on_written(written)
            case PageRefused(page, why):
                for ended in page.ended:
                    own.written(ended.fingerprint, self.exchange.n_written)
                    self._budget.refund(was_page=ended.relevant is not None)
                self._fail_unstored(page, why)
                self.on_refused(page, why)
            case LinksAhead(links, asked, taken, n_written):
                for host in taken:
                    own.take(host)
                    self.let_rest(host.name, host.rest, host.delay)
                for name, found in links.items():
                    own.fetched(name, found, asked[name])
                own.forget_ended(n_written)
            case Ticked():
                if event.n_written == self.exchange.n_written and not (
                    own.under_way or self.exchange.n_pending or self._page
                ):
                    self._budget.agree(*event.budget)  # nothing is on its way: the database is right
                self._ticked(event)
            case Granted(n_pages, is_return):
                self._budget.granted(n_pages, is_return=is_return)
            case LeaseLost():
                self.is_lost = True
                self.own.clear()
            case Joined():
                self.is_lost = self._wants_join = False
                self._budget.begin_anew()
            case DatabaseGone(error):
                self.on_gone(error)

    def _fail_unstored(self, page: PageCommit, why: str) -> None:
        """Let the link of a page that the database does not take fail, without anything of the page."""
        if why.startswith(NOT_STORED) and (page.links or page.outputs or page.records):
            ended = [link._replace(state=FAILED, note=why[:200], relevant=None) for link in page.ended]
            self.exchange.write(PageCommit(page.worker, ended))

    def _ticked(self, seen: Ticked) -> None:
        self._surroundings.see(seen)
        for own in self.own:
            if own.name in seen.news and seen.news[own.name] != own.news:
                own.news, own.has_news = seen.news[own.name], True
        max_pages = self._budget.max_pages
        if max_pages and seen.totals.n_pages >= max_pages:
            self.over = "max_pages"
        elif self._max_relevant and seen.totals.n_relevant >= self._max_relevant:
            self.over = "max_relevant"
        elif seen.is_over and not self._is_busy:
            self.over = "finished"
        if lost := self._surroundings.lost_hosts(seen.news, self.own):
            self.exchange.wish(give_back={name: self.times_of(name) for name in lost})
        self._surroundings.let_go(self.own)
        self._least = self._surroundings.least_priority() if self.waits() else None

    @property
    def _is_busy(self) -> bool:
        return bool(len(self.own) or self.own.under_way or self.exchange.n_pending or self._page)

    def _wish(self) -> None:
        rests, ahead = {}, {}
        for own in self.own:
            if (own.is_empty or own.is_leaving) and own.is_at_rest:
                rests[own.name] = self.times_of(own.name)
                self.own.leave(own)
            elif own.wants_links and not own.is_leaving:
                ahead[own.name] = self.own.n_to_ask(own)
                own.is_asked = True
        n_hosts = max(0, self._surroundings.n_hosts_wanted - len(self.own))
        wishes: dict[str, Any] = {"n_hosts": n_hosts, "is_busy": self._is_busy, "n_own": len(self.own)}
        left = self.pages_left
        if self.may_ask and (left is None or left > 0):
            wishes["best"] = min(filter(None, (self.hosts.place(own.number) for own in self.own)), default=None)
        else:
            wishes["best"] = None
        wishes |= self._budget.wishes(len(self.own.under_way), is_busy=self._is_busy)
        if rests:
            wishes["give_back"] = rests
        if ahead:
            wishes["ahead"] = ahead
        self.exchange.wish(**wishes)

    def close(self, reason: str = "") -> int:
        """Write what is left and say good-bye; returns how many pages could not be written. It waits for the database."""
        self._send()
        rests = {own.name: self.times_of(own.name) for own in self.own}
        n_left = self.exchange.close(rests, reason)
        self.forget()
        return n_left
