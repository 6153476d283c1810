"""`CrawlOverview`: figures of the whole crawl and its other workers, some seconds old, and which hosts follow from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focused.frontier.shared.balance import OtherHosts, hosts_to_release, least_priority, share_of_hosts
from focused.frontier.shared.boot_clock import now
from focused.frontier.store.ranks import priority_of
from focused.utils.finish_reasons import WORDS_NOT_FOUND

if TYPE_CHECKING:
    from collections.abc import Iterable

    from focused.frontier.shared.events import KeeperReport
    from focused.frontier.shared.leasing import Totals
    from focused.frontier.shared.own_hosts import OwnHosts

_STUCK_SECS = 3.0
"""Seconds without a page of any worker after which poor links are asked for, too."""
_STUCK_PATIENT_SECS = 15.0
"""The same of crawls that wait for hosts: they rest longer."""
_TIMES_UNKNOWN = 4
"""Looks at the database after which a host is lost that is this worker's there only."""


class CrawlOverview:
    """Keeps totals of the crawl, free hosts and other workers.

    ``max_hosts``: that a worker holds at most; ``max_pages``: of the whole crawl, 0: no limit.
    """

    def __init__(self, max_hosts: int, max_pages: int = 0) -> None:
        #: Figures of the whole crawl.
        self.totals: Totals | None = None
        self._max_hosts, self._max_pages = max_hosts, max_pages
        self._other_hosts = OtherHosts()
        self._n_times_unknown: dict[str, int] = {}
        self._n_pages_seen, self._seen_at = 0, now()
        #: Pages of the crawl that its first worker asks for alone, and whether this is that one.
        self.n_pages_alone = 0
        self._is_first = False

    def update(self, seen: KeeperReport, worker: int) -> None:
        """Update the figures from a report of the worker's keeper."""
        self._is_first = seen.totals.first == worker
        self.totals, self._other_hosts = seen.totals, OtherHosts(seen.free, seen.others)
        if seen.totals.n_pages != self._n_pages_seen:
            self._n_pages_seen, self._seen_at = seen.totals.n_pages, now()

    @property
    def n_hosts_wanted(self) -> int:
        """How many hosts this worker is to hold."""
        if self.totals is None or self._begins:
            return 0 if self.waits_for_first_worker else self._max_hosts
        n_hosts = self.totals.n_hosts + len(self._other_hosts.free)
        return share_of_hosts(n_hosts, self.totals.n_asking(self._max_pages), self._max_hosts)

    @property
    def _begins(self) -> bool:
        """Whether the crawl's first worker asks alone; not where it does not get on, nor where the one before it has ended.

        Others hold the hosts of that one by now.
        """
        n_pages, has_lost = (0, False) if self.totals is None else (self.totals.n_pages, self.totals.has_lost)
        return n_pages < self.n_pages_alone and not has_lost and now() - self._seen_at <= _STUCK_PATIENT_SECS

    @property
    def waits_for_first_worker(self) -> bool:
        """Whether this worker asks for nothing yet, because another one begins the crawl."""
        return not self._is_first and self._begins

    def least_priority(self) -> int | None:
        """Return the least priority worth a page while other workers have better links; None: all are.

        Nor if no worker has fetched a page for a while: the figures of the others may be old.
        """
        is_stuck = now() - self._seen_at > _STUCK_SECS
        return None if is_stuck else least_priority(self._other_hosts)

    def others_have_link(self, least: int) -> bool:
        """Tell whether another worker has a link of at least this priority; False if no worker has fetched a page lately."""
        if now() - self._seen_at > _STUCK_PATIENT_SECS:
            return False
        return any(rank is not None and priority_of(rank) >= least for rank in self._other_hosts.of_workers)

    def lost_hosts(self, names: Iterable[str], own: OwnHosts) -> list[str]:
        """Return hosts that only the database knows to be this worker's: they were lost on the way.

        ``names``: the worker's hosts, as the database has them.
        """
        unknown = (name for name in names if own.get(name) is None)
        self._n_times_unknown = {name: self._n_times_unknown.get(name, 0) + 1 for name in unknown}
        return [name for name, n_times in self._n_times_unknown.items() if n_times >= _TIMES_UNKNOWN]

    def release_hosts(self, own: OwnHosts, *, hosts_rest: bool = False) -> None:
        """Mark hosts that another worker is to have; each is released when it is idle.

        Where ``hosts_rest`` between two requests another worker could ask a good host no more often than this one, and each
        move costs it a part of a turn: none goes to a worker only because that has nothing as good.
        """
        bests = own.best_ranks()
        n_own = sum(not host.is_leaving for host in own)
        others = self._other_hosts._replace(of_workers=()) if hosts_rest else self._other_hosts
        for place in hosts_to_release([rank for rank, _ in bests], n_own, self.n_hosts_wanted, others):
            host = bests[place][1]
            host.is_leaving = True
            own.refresh(host)


def why_ended(totals: Totals, max_pages: int, max_relevant: int) -> str:
    """Return why a crawl has ended for all its workers, by its figures and limits (0: none); empty if it has not."""
    if 0 < max_pages <= totals.n_pages:
        return "max_pages"
    if 0 < max_relevant <= totals.n_relevant:
        return "max_relevant"
    return WORDS_NOT_FOUND if totals.reason == WORDS_NOT_FOUND else ""
