"""Changes the states of the frontier's links: they wait, are under way, and come to an end."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from focused.frontier.store.caps import HOST_CAP
from focused.frontier.store.host_queue import HostQueue
from focused.frontier.store.schema import DONE, DROPPED, FAILED, LEASED, STATES, WAITING
from focused.frontier.store.waiting_counts import WaitingCounts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from focused.frontier.store.caps import Caps
    from focused.frontier.store.transaction import Transaction

NOT_REACHABLE = "host not reachable"
"""Note of links that failed because their host was given up."""
_NOT_ASKED = "not asked: *"
"""Notes of links whose addresses may not be asked. That is decided anew each time a crawl is started."""
_SLICE_LINKS = 10_000


class LinkStates:
    """The states of links in the file; in memory how many are in each, which are under way, and each host's best one.

    Of each host and registered domain no more links are ever fetched than ``caps`` allow. The clock tells seconds since the
    epoch.
    """

    def __init__(self, transaction: Transaction, *, caps: Caps, clock: Callable[[], float]) -> None:
        self._sql = transaction.sql
        self.transaction = transaction
        self._caps = caps
        self._clock = clock
        self.hosts = HostQueue()
        # Waiting links that are put aside while their origins rest, by host: their numbers and origins.
        self._aside: dict[int, dict[int, str]] = {}
        #: How many links wait by host and level, where somebody wants to know; see ``count_waiting``.
        self.by_level: WaitingCounts | None = None
        self._counts: list[int] = transaction.remembered("counts", [0] * len(STATES))
        #: How many waiting links were dropped because their host or domain had reached a cap, since the crawl began.
        self.n_capped: dict[str, int] = _by_cap(transaction.remembered("n_capped", {}))
        # Links under way and their hosts.
        self._leased: dict[int, int] = {}
        # Links of each origin that was given up in this run, by host.
        self._unreachable: dict[int, Counter[str]] = {}
        #: How many links failed because their host was given up.
        self.n_unreachable: int = transaction.remembered("n_unreachable", 0)
        #: How many of them wait again because the crawl is resumed.
        refused = transaction.remembered("stats", {}).get("focused/addresses/refused_count")
        self.n_resumed = self._reach_again() if self.n_unreachable or refused else 0
        self._recover(transaction.remembered("leased", []))

    def __len__(self) -> int:
        return self._counts[WAITING]

    def counts(self) -> dict[str, int]:
        """Return how many links there are in each state."""
        return dict(zip(STATES, self._counts, strict=True))

    def done_urls(self) -> Iterable[str]:
        """Yield the URLs whose pages are in."""
        return (url for (url,) in self._sql.execute("SELECT url FROM links WHERE state = ?", (DONE,)))

    def done(self, number: int, relevant: bool | None = None, note: str | None = None) -> None:
        """Mark a leased link as done: its page has come. ``relevant`` is None if there was no page to judge."""
        host = self._end(number, DONE, note)
        if relevant is not None:
            count = "UPDATE hosts SET n_pages = n_pages + 1, n_relevant = n_relevant + ? WHERE id = ?"
            self._sql.execute(count, (relevant, host))

    def failed(self, number: int, note: str) -> None:
        """Mark a leased link as failed, and say why."""
        host = self._end(number, FAILED, note)
        self._sql.execute("UPDATE hosts SET n_failed = n_failed + 1 WHERE id = ?", (host,))

    def dropped(self, number: int, note: str) -> None:
        """Mark a leased link as dropped, and say why."""
        self._end(number, DROPPED, note)

    def give_back(self, number: int) -> None:
        """Put a leased link back among those that wait."""
        self.transaction.begin()
        host = self._leased.pop(number)
        self._sql.execute("UPDATE links SET state = 0 WHERE id = ?", (number,))
        self._move(LEASED, WAITING)
        self._caps.ask(host, -1)
        if self.by_level is not None:
            [(rank,)] = self._sql.execute("SELECT rank FROM links WHERE id = ?", (number,))
            self.by_level.add(host, rank)
        self._refresh(host)

    def count_waiting(self, n_memory_pages: float) -> WaitingCounts:
        """Count from now on how many links wait by host and level, and how many pages bring."""
        self.by_level = WaitingCounts(n_memory_pages)
        self._count_anew(self.by_level)
        return self.by_level

    def _count_anew(self, counts: WaitingCounts) -> None:
        counts.load(self._sql.execute("SELECT host, rank FROM links WHERE state = 0"))

    def wait_again(self, number: int) -> None:
        """Put a leased link back among those that wait, or fail it if its host has been given up."""
        host = self._leased[number]
        self.give_back(number)
        for origin in self._unreachable.get(host, ()):
            self._give_up(host, origin)

    def rows_of(self, state: int) -> Iterator[list[tuple[int, str, int, str | None, str | None]]]:
        """Yield slices of the links in a state: number, URL, links from a seed, request, note. Links may change meanwhile."""
        last = 0
        query = "SELECT id, url, depth, request, note FROM links WHERE id > ? AND state = ? ORDER BY id LIMIT ?"
        while rows := self._sql.execute(query, (last, state, _SLICE_LINKS)).fetchall():
            last = rows[-1][0]
            yield rows

    def change_waiting(self, dropped: Sequence[tuple[int, str]], undropped: Sequence[int]) -> None:
        """Give up waiting links, by number and why, and let links wait again that were given up; then `refresh_hosts`."""
        self.transaction.begin()
        at = int(self._clock())
        drop = f"UPDATE links SET state = {DROPPED}, ended_at = {at}, note = ? WHERE id = ?"
        self._sql.executemany(drop, [(note, number) for number, note in dropped])
        wait = f"UPDATE links SET state = {WAITING}, ended_at = NULL, note = NULL WHERE id = ?"
        self._sql.executemany(wait, [(number,) for number in undropped])
        self._move(WAITING, DROPPED, len(dropped))
        self._move(DROPPED, WAITING, len(undropped))

    def refresh_hosts(self) -> None:
        """Look for each host's best waiting link again."""
        for (host,) in self._sql.execute("SELECT id FROM hosts").fetchall():
            self._refresh(host)
        if self.by_level is not None:
            self._count_anew(self.by_level)

    # --- Inside

    def _own_state(self) -> dict[str, Any]:
        """Return what a commit has to remember."""
        own = {"n_capped": self.n_capped, "n_unreachable": self.n_unreachable}
        return {"counts": self._counts, "leased": list(self._leased), **own}

    def _recover(self, leased: list[int]) -> None:
        """Put links that were under way when the crawl died back among those that wait, and find each host's best link."""
        sql = self._sql
        if leased:
            self.transaction.begin()
            sql.executemany("UPDATE links SET state = 0 WHERE id = ?", [(number,) for number in leased])
            self._move(LEASED, WAITING, len(leased))
            self.transaction.commit(self._own_state())
        best = "SELECT rank FROM links WHERE host = hosts.id AND state = 0 ORDER BY rank LIMIT 1"
        for host, rank in sql.execute(f"SELECT id, ({best}) AS best FROM hosts WHERE best IS NOT NULL"):
            self.hosts.set_best(host, rank)

    def _lease(self, number: int, host: int, rank: int) -> None:
        """Note that a link is under way; the caller updates its host's best link."""
        if self.by_level is not None:
            self.by_level.remove(host, rank)
        self._sql.execute("UPDATE links SET state = 1 WHERE id = ?", (number,))
        self._move(WAITING, LEASED)
        self._leased[number] = host
        self._caps.ask(host)

    def _end(self, number: int, state: int, note: str | None) -> int:
        """Take a link off the list of those under way; return its host."""
        self.transaction.begin()
        values = state, int(self._clock()), note, number
        self._sql.execute("UPDATE links SET state = ?, ended_at = ?, note = ? WHERE id = ?", values)
        self._move(LEASED, state)
        return self._leased.pop(number)

    def _move(self, before: int, after: int, n_links: int = 1) -> None:
        self._counts[before] -= n_links
        self._counts[after] += n_links

    def _refresh(self, host: int) -> None:
        aside = self._aside.get(host)
        but = " AND id NOT IN (SELECT value FROM json_each(?))" if aside else ""
        best = f"SELECT rank FROM links WHERE host = ? AND state = 0{but} ORDER BY rank LIMIT 1"
        row = self._sql.execute(best, (host, json.dumps(list(aside))) if aside else (host,)).fetchone()
        self.hosts.set_best(host, None if row is None else row[0])

    def _forget_aside(self, host: int, origin: str) -> None:
        left = {number: other for number, other in self._aside.pop(host, {}).items() if other != origin}
        if left:
            self._aside[host] = left

    def _give_up(self, host: int, origin: str) -> None:
        """Fail all waiting links of an origin."""
        self.transaction.begin()
        of_origin = "host = ? AND state = 0 AND substr(url, 1, ?) = ?"
        where = host, len(origin) + 1, f"{origin}/"
        if self.by_level is not None:
            for (rank,) in self._sql.execute(f"SELECT rank FROM links WHERE {of_origin}", where):
                self.by_level.remove(host, rank)
        fail = f"UPDATE links SET state = ?, ended_at = ?, note = ? WHERE {of_origin}"
        n_links = self._sql.execute(fail, (FAILED, int(self._clock()), NOT_REACHABLE, *where)).rowcount
        self._move(WAITING, FAILED, n_links)
        self._unreachable.setdefault(host, Counter())[origin] += n_links
        self.n_unreachable += n_links
        self._forget_aside(host, origin)
        self._refresh(host)

    def _reach_again(self) -> int:
        """Put failed links back among those that wait if an earlier run could not reach their hosts; return how many."""
        self.transaction.begin()
        wait = "UPDATE links SET state = ?, ended_at = NULL, note = NULL WHERE state = ? AND (note = ? OR note GLOB ?)"
        n_links = self._sql.execute(wait, (WAITING, FAILED, NOT_REACHABLE, _NOT_ASKED)).rowcount
        self._move(FAILED, WAITING, n_links)
        self.n_unreachable = 0
        self.transaction.commit({"counts": self._counts, "n_unreachable": 0})
        return n_links

    def _drop_rest(self, host: int, cap: str) -> None:
        """Give up what waits of a host that has reached a cap."""
        self.transaction.begin()
        ranks = [rank for (rank,) in self._sql.execute("SELECT rank FROM links WHERE host = ? AND state = 0", (host,))]
        drop = "UPDATE links SET state = ?, ended_at = ?, note = ? WHERE host = ? AND state = 0"
        self._sql.execute(drop, (DROPPED, int(self._clock()), cap, host))
        self.n_capped[cap] = self.n_capped.get(cap, 0) + len(ranks)
        self._aside.pop(host, None)
        self._drop_waiting(host, ranks)

    def _drop_waiting(self, host: int, ranks: Sequence[int]) -> None:
        """Note that links of these ranks, which waited, were dropped."""
        if self.by_level is not None:
            for rank in ranks:
                self.by_level.remove(host, rank)
        self._move(WAITING, DROPPED, len(ranks))
        self._refresh(host)


def _by_cap(n_capped: int | dict[str, int]) -> dict[str, int]:
    """Return how many links were dropped by each cap; files of before knew one."""
    if isinstance(n_capped, dict):
        return n_capped
    return {HOST_CAP: n_capped} if n_capped else {}
