"""The frontier on disk: every link that is known, what is known of it, and what has become of it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from focused.frontier.store.answers import NEW
from focused.frontier.store.choice import MOST_ASIDE, Choice
from focused.frontier.store.joined_forms import JoinedForms
from focused.frontier.store.limits import StoreLimits
from focused.frontier.store.link import Leased
from focused.frontier.store.link_admission import LinkAdmission, priority_with
from focused.frontier.store.link_order import LinkOrder
from focused.frontier.store.page_records import PageRecords, StoredPages
from focused.frontier.store.ranks import priority_of
from focused.frontier.store.rescoping import Rescoped, rescope
from focused.frontier.store.rescoring import NewScores, WaitingSlice, rescore
from focused.frontier.store.schema import WAITING, lock, open_file
from focused.frontier.store.standing_back import StandingBack
from focused.frontier.store.texts import StoredTexts
from focused.frontier.store.transaction import Transaction, WriteLog
from focused.frontier.store.waiting_scores import WaitingScores
from focused.utils.origins import host_of, origin_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from random import Random

    from focused.frontier.store.link import DrawnLink, FrontierLink
    from focused.frontier.store.link_table import LinkRow
    from focused.utils.scope import Scope

_DRAWS_A_LINK = 8
"""Numbers that are drawn for each waiting link that is wanted: many of them belong to links that wait no more."""

_ASIDE_AT_ONCE = 300
"""Links that are put aside with one look: a millisecond."""

_BUSIEST = 200
"""Hosts that are looked at for the best links of all."""

_DEFAULT_ORDER, _NO_LIMITS = LinkOrder(), StoreLimits()


class FrontierStore(LinkAdmission):
    """Links in an SQLite file; of each host the best waiting one in memory.

    All changes since the last ``commit`` are one transaction: after a crash the file is as it was at that commit, and
    what was leased then waits again. One writer at a time uses it; readers do not disturb.

    Parameters
    ----------
    path : Path
        Made if it is not there; a `FrontierFileError` if it cannot be used.
    order : LinkOrder
        In which order links come.
    limits : StoreLimits
        How many are kept and fetched.
    clock : function
        Returns seconds since the epoch.
    """

    #: Whether other workers change what is stored, so that what becomes of a link is known later.
    is_shared = False

    def __init__(
        self,
        path: Path,
        *,
        order: LinkOrder = _DEFAULT_ORDER,
        limits: StoreLimits = _NO_LIMITS,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._lock = lock(path)
        sql = open_file(path)
        super().__init__(Transaction(sql), order=order, limits=limits, clock=clock)
        #: What was committed and is not yet in the file.
        self.log = WriteLog(sql, path)
        #: Scores of links that wait, to be read and changed.
        self.waiting = WaitingScores(sql, self.transaction, self._refresh, self._count_moved)
        #: Which links and hosts stand back.
        self.standing_back = StandingBack(self.hosts, self._names, self._ranks, self)
        #: Which link is next.
        self.choice = Choice(self.hosts, self._names, self.standing_back, self)
        #: Which links of a host are one.
        self.forms = JoinedForms(sql, self.transaction, self._names, self._drop_waiting)

    # --- Out

    def next(
        self,
        ready_at: Callable[[str], float] | None = None,
        now: float = 0.0,
        least: int | None = None,
        *,
        spares: bool = False,
    ) -> Leased | None:
        """Lease the best link of the hosts that may be asked now; None if none has any. Arguments as of `Choice.best`."""
        self.choice.held_back = None
        row = self.choice.best(ready_at, now, least, spares=spares)
        if row is None:
            return None
        self.transaction.begin()
        self._lease(row.number, row.host, row.rank)
        self.hosts.set_best(row.host, row.next_rank)
        asked = row.number, row.url, self._names.names[row.host], priority_of(row.rank), row.tunnel
        return Leased(*asked, self._table.evidence(row), row.callback, row.request)

    def best_priority(self, ready_at: Callable[[str], float] | None = None, now: float = 0.0) -> int | None:
        """Return the priority of the link that ``next`` would lease; None without one."""
        row = self.choice.best(ready_at, now)
        return None if row is None else priority_of(row.rank)

    def best_of(self, host: int) -> LinkRow | None:
        """Return the best waiting link of a host, by its number; None if none waits."""
        return self._table.best_of(host, self._aside.get(host, ()))

    def put_aside(self, host: int, rests: Callable[[str], bool]) -> bool:
        """Put the best links of a host aside while their origins rest, as told by their URLs; False if there are too many.

        Memory alone knows of it: when the crawl is resumed, they are asked for in their turn.
        """
        aside = self._aside.get(host, {})
        for row in self._table.best_rows(host, aside, _ASIDE_AT_ONCE):
            if len(aside) >= MOST_ASIDE or not rests(row.url):
                break
            aside[row.number] = origin_of(row.url)
        if aside:
            self._aside[host] = aside
        self._refresh(host)
        return len(aside) < MOST_ASIDE

    def restore_origin(self, origin: str) -> None:
        """Put links of an origin that were put aside back in their places."""
        host = self._names.get(host_of(origin))
        if host in self._aside:
            self._forget_aside(host, origin)
            self._refresh(host)

    def best(self, n_links: int) -> list[str]:
        """Return the URLs of the best waiting links of the hosts with most pages, the best first."""
        busiest = self._sql.execute("SELECT id FROM hosts ORDER BY n_pages DESC LIMIT ?", (_BUSIEST,))
        return self._table.best([host for (host,) in busiest], n_links)

    def drop_if_capped(self, host: int) -> bool:
        """Drop all waiting links of a host that has reached a cap; tell whether it has."""
        cap = self._caps.reached(host)
        if cap:
            self._drop_rest(host, cap)
        return bool(cap)

    def drawn(self, source: Random, n_links: int) -> list[DrawnLink]:
        """Return links of pages that wait, drawn from all; fewer where few wait."""
        n_most = _DRAWS_A_LINK * n_links
        numbers = source.sample(range(1, self.last_id + 1), min(n_most, self.last_id))
        return self._table.waiting_among(numbers)[:n_links]

    def lease(self, number: int) -> Leased | None:
        """Lease a link by its number; None if it does not wait, or its host has reached a cap."""
        row = self._table.by_number(number)
        if row is None or row.state != WAITING or self._caps.reached(row.host):
            return None
        self.transaction.begin()
        evidence = self._table.evidence(row)
        self._lease(number, row.host, row.rank)
        self._refresh(row.host)
        asked = number, row.url, self._names.names[row.host], priority_of(row.rank), row.tunnel, evidence
        return Leased(*asked, row.callback, row.request)

    def host_number(self, host: str) -> int:
        """Return the number of a host by its name; -1 if no link of it is known."""
        number = self._names.get(host)
        return -1 if number is None else number

    def recheck_host(self, host: str) -> None:
        """Consider a host again at once, although it was not ready: that may have changed."""
        number = self._names.get(host)
        if number is not None:
            self.hosts.recheck(number)

    def has_pages(self, host: str) -> bool:
        """Tell whether any page of a host was fetched."""
        row = self._sql.execute("SELECT n_pages FROM hosts WHERE name = ?", (host,)).fetchone()
        return row is not None and row[0] > 0

    def give_up_origin(self, origin: str) -> None:
        """Fail the waiting links of an origin, and those found from now on; a resumed crawl tries them again."""
        self._give_up(self._names.number(host_of(origin)), origin)

    def n_unreachable_of(self, origin: str) -> int:
        """Return how many links failed because this origin was given up."""
        number = self._names.get(host_of(origin))
        return 0 if number is None or number not in self._unreachable else self._unreachable[number][origin]

    def host_pages(self) -> list[tuple[str, int, int]]:
        """Return (name, pages, relevant pages) of the hosts that any page was fetched from."""
        return self._sql.execute("SELECT name, n_pages, n_relevant FROM hosts WHERE n_pages > 0").fetchall()

    def claim(self, link: FrontierLink) -> int | None:
        """Lease the target of a redirect: its number, or None if it is no business of this lease.

        A target that waits stays where it is, with this evidence joined to its own.
        """
        if self.add([link]) != [NEW]:
            return None
        host = self._names.number(link.host)
        self._lease(self.last_id, host, self._ranks.rank(priority_with(link.evidence, link.extra), self.last_id))
        self._refresh(host)
        return self.last_id

    def sink(self, row: LinkRow, rank: int, extra: int) -> None:
        """Give a waiting link, as it was, another place."""
        self.transaction.begin()
        self._table.sink(row.number, rank, extra)
        self._moved(row, rank)

    # --- All links

    def rescore(
        self, score: Callable[[WaitingSlice], NewScores], *, model_version: int = 1, slice_links: int = 2_000
    ) -> Iterator[int]:
        """Score all links that wait anew, in slices: see `focused.frontier.store.rescoring`."""
        return rescore(self.waiting, self.last_id, score, model_version=model_version, slice_links=slice_links)

    def rescope(self, scope: Scope) -> Rescoped:
        """Drop waiting links that are out of a scope, and let those wait again that only another kept out."""
        return rescope(self, scope)

    # --- State

    def commit(self, **state: Any) -> None:
        """Make all changes since the last time durable, with what the crawl wants to remember (JSON values).

        Raises a `sqlite3.Error` if they cannot be written; they are then not durable.
        """
        self.transaction.commit({**state, **self._own_state(), "n_cut": self.n_cut})

    def remembered(self, key: str, default: Any = None) -> Any:
        """Return what a commit was given under a key."""
        return self.transaction.remembered(key, default)

    def records(self, max_links: int) -> PageRecords:
        """Return what was learnt from pages; it is committed together with everything else."""
        self.transaction.begin()
        return PageRecords(self._sql, max_links)

    def pages(self, max_pages: int) -> StoredPages:
        """Return the pages that are kept as they came; they are committed together with everything else."""
        self.transaction.begin()
        return StoredPages(self._sql, max_pages)

    def texts(self, max_pages: int) -> StoredTexts:
        """Return what is kept of the texts of pages; it is committed together with everything else."""
        self.transaction.begin()
        return StoredTexts(self._sql, self.transaction, max_pages)

    def close(self) -> None:
        """Close the file; what was not committed is undone, and what is leased waits when it is opened again."""
        self.transaction.undo()
        self.log.close()
        self._sql.close()
        self._lock.close()
