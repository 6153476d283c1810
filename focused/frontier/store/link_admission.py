"""Takes new links into the frontier's file, and updates the evidence of waiting ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focused.frontier.store.answers import KNOWN, MERGED, NEW, OVER_CAP, TAKEN_OVER, TOO_DEEP, UNREACHABLE
from focused.frontier.store.caps import Caps
from focused.frontier.store.evidence_rows import HostNames
from focused.frontier.store.link_states import LinkStates
from focused.frontier.store.link_table import LinkTable
from focused.frontier.store.pruning import Pruner
from focused.frontier.store.schema import WAITING
from focused.method.scoring.priority import to_priority
from focused.utils.origins import origin_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from focused.frontier.store.limits import StoreLimits
    from focused.frontier.store.link import FrontierLink
    from focused.frontier.store.link_order import LinkOrder
    from focused.frontier.store.link_table import LinkRow
    from focused.frontier.store.transaction import Transaction
    from focused.method.scoring.evidence import Evidence


class LinkAdmission(LinkStates):
    """Takes links in."""

    def __init__(
        self, transaction: Transaction, *, order: LinkOrder, limits: StoreLimits, clock: Callable[[], float]
    ) -> None:
        sql = transaction.sql
        super().__init__(transaction, caps=Caps(sql, limits.max_per_host, limits.max_per_domain), clock=clock)
        self._table = LinkTable(sql)
        self._names = HostNames(sql)
        self._ranks, self._merge = order.ranks, order.merge
        self._max_tunnel = limits.max_tunnel
        self._cutter = Pruner(limits.max_links) if limits.max_links else None
        #: How many links were forgotten because too many waited, since the crawl began.
        self.n_cut: int = transaction.remembered("n_cut", 0)
        #: The number of the link found last.
        self.last_id = self._table.last_number()
        #: Of the last link that ``add`` found waiting: its number, what was known of it, and what is now.
        self.joined: tuple[int, Evidence, Evidence] | None = None

    def add(self, links: Iterable[FrontierLink]) -> list[str]:
        """Add links, and update the evidence of those that wait already; return the answer for each."""
        self.transaction.begin()
        found = [self._add(link) for link in links]
        if self._cutter is not None:
            self._cut(self._cutter)
        return found

    @property
    def n_cut_rounds(self) -> int:
        """How many times the worst of all links were forgotten, since the file was opened."""
        return 0 if self._cutter is None else self._cutter.n_rounds

    def _cut(self, cutter: Pruner) -> None:
        n_rounds = cutter.n_rounds
        n_links = cutter.prune(self._sql, self._counts[WAITING], self.last_id)
        if cutter.n_rounds > n_rounds and self.by_level is not None:
            self._count_anew(self.by_level)
        self._counts[WAITING] -= n_links
        self.n_cut += n_links

    def _add(self, link: FrontierLink) -> str:
        row = self._table.by_fingerprint(link.fingerprint)
        if row is not None:
            if row.state != WAITING or row.request is not None:
                return KNOWN
            if link.request is not None:
                rank = self._ranks.rank(priority_with(link.evidence, link.extra), self._ranks.turn_of(row.rank))
                self._table.take_over(row.number, link, rank)
                self._moved(row, rank)
                return TAKEN_OVER
            self.joined = row.number, *self._join(row, link)
            return MERGED
        if self._max_tunnel and link.tunnel > self._max_tunnel:
            return TOO_DEEP
        host = self._names.number(link.host)
        if cap := self._caps.reached(host):
            return OVER_CAP[cap]
        self.last_id += 1
        rank = self._ranks.rank(priority_with(link.evidence, link.extra), self.last_id)
        self._table.insert(self.last_id, link, host, rank, found_at=int(self._clock()))
        self._counts[WAITING] += 1
        if self.by_level is not None:
            self.by_level.add(host, rank)
        if (given_up := self._unreachable.get(host)) and (origin := origin_of(link.url)) in given_up:
            self._give_up(host, origin)
            return UNREACHABLE
        self.hosts.offer(host, rank)
        if self.by_level is not None:
            self.by_level.note_found(host, rank)
        return NEW

    def update_evidence(self, number: int, link: FrontierLink) -> tuple[Evidence, Evidence] | None:
        """Join what another page says of a link with what is known of it, by number: its fingerprint is not needed.

        Returns what was known, and what is now; None if it does not wait.
        """
        row = self._table.by_number(number)
        if row is None or row.state != WAITING or row.request is not None:
            return None
        self.transaction.begin()
        return self._join(row, link)

    def _join(self, row: LinkRow, link: FrontierLink) -> tuple[Evidence, Evidence]:
        known = self._table.evidence(row)
        merged = self._merge(known, link.evidence)
        if merged == known and link.extra <= row.extra and link.tunnel >= row.tunnel:
            return known, known
        extra = max(row.extra, link.extra)
        rank = self._ranks.rank(priority_with(merged, extra), self._ranks.turn_of(row.rank))
        self._table.change(row, rank, extra, min(row.tunnel, link.tunnel), known=known, merged=merged)
        self._moved(row, rank)
        if self.by_level is not None and rank < row.rank:
            self.by_level.note_found(row.host, rank, row.rank)
        return known, merged

    def _moved(self, row: LinkRow, rank: int) -> None:
        """Note that a waiting link has another rank now."""
        if self.by_level is not None:
            self.by_level.move(row.host, row.rank, rank)
        if rank < row.rank:
            self.hosts.offer(row.host, rank)
        elif rank > row.rank and self.hosts.best(row.host) == row.rank:
            self._refresh(row.host)

    def is_settled(self, fingerprint: int) -> bool:
        """Tell whether further evidence of a known link has no effect: it waits no more, or as a spider's own request."""
        row = self._table.by_fingerprint(fingerprint)
        return row is not None and (row.state != WAITING or row.request is not None)

    def _count_moved(self, host: int, before: int, after: int) -> None:
        if self.by_level is not None:
            self.by_level.move(host, before, after)


def priority_with(evidence: Evidence, extra: int) -> int:
    """Return the priority of a link by what is known of it, and what it has besides."""
    return to_priority(evidence.score, evidence.admitted) + extra
