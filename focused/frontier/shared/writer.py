"""The transaction of pages: what several pages have brought becomes durable at once, or is refused.

The order of its statements is the same for all workers, and within a statement that of the keys, so that no two workers wait
for each other in a circle (docs/method/many-workers.md).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from focused.frontier.shared import page_statements as statements
from focused.frontier.shared.array_text import columns
from focused.frontier.shared.keys import host_key
from focused.frontier.shared.link_rows import (
    Key,
    KnownLink,
    WaitingLink,
    changed_row,
    inserted_row,
    key_of,
    known_link,
    priority,
    text,
    waiting_from,
)
from focused.frontier.store.link import FrontierLink, host_of
from focused.frontier.store.link_states import NOT_REACHABLE
from focused.frontier.store.schema import DONE
from focused.method.scoring.priority import to_priority

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from psycopg import Connection

    from focused.frontier.shared.page import EndedLink, Move, PageCommit
    from focused.frontier.store.ranks import Ranks
    from focused.method.scoring.evidence import Evidence


class LeaseLostError(Exception):
    """The worker has ended: another has noticed that its time had run out. Nothing of the transaction was done."""


class KnownPageError(Exception):
    """A link had ended before; ``index``: of the page that brought it once more. Nothing of the transaction was done."""

    def __init__(self, index: int) -> None:
        super().__init__(index)
        self.index = index


@dataclass(slots=True)
class Written:
    """What a transaction has changed, for the worker's memory."""

    #: Links that were taken in, and those that wait and whose rank is another now, as they wait.
    new: list[WaitingLink] = field(default_factory=list)
    joined: list[tuple[WaitingLink, Evidence]] = field(default_factory=list)
    #: How many links were known already, and not changed.
    n_known: int = 0
    #: Origins that were given up, with the number of their links that failed.
    given_up: dict[str, int] = field(default_factory=dict)
    #: Links that were dropped because their host had had its share.
    n_capped: int = 0


@dataclass(frozen=True)
class PageWriter:
    """Writes pages of one crawl."""

    crawl: int
    ranks: Ranks
    merge: Callable[[Evidence, Evidence], Evidence]
    #: Returns the turn of the next new link.
    turn: Callable[[], int]

    def write(self, sql: Connection[Any], worker: int, pages: Sequence[PageCommit]) -> Written:
        """Write pages in one transaction.

        Raises
        ------
        LeaseLostError, KnownPageError
            If it is refused.
        psycopg.Error
            If the server could not do it; where the connection is gone at the commit, it may have been done.
        """
        with sql.transaction():
            ended = [link for page in pages for link in page.ended]
            judged = [link.relevant for link in ended if link.relevant is not None]
            if not sql.execute(statements.COUNT, (len(judged), sum(judged), worker)).rowcount:
                raise LeaseLostError
            return self._write(sql, worker, pages, ended)

    def _write(self, sql: Connection[Any], worker: int, pages: Sequence[PageCommit], ended: list[EndedLink]) -> Written:
        written, best = Written(), dict[str, int]()
        met = self._links_of(pages)
        new = self._insert(sql, met, written, best)
        moves = self._moves_of(pages)
        known = self._lock(sql, met, new, ended, moves)
        self._check(pages, known)
        self._join(sql, met, new, known, {key_of(link.fingerprint, link.host) for link in ended}, written, best)
        if ended:
            rows = [(*key_of(link.fingerprint, link.host), link.state, link.note) for link in ended]
            sql.execute(statements.END, (*columns(rows), self.crawl))
        self._move(sql, moves, best)
        n_failed = self._give_up(sql, pages, written)
        self._write_hosts(sql, worker, pages, ended, best)
        self._write_outputs(sql, worker, pages, ended)
        if written.new or ended or n_failed:
            sql.execute(statements.ENDED, (len(written.new), len(ended) + n_failed, worker))
        return written

    def _links_of(self, pages: Sequence[PageCommit]) -> dict[Key, list[FrontierLink]]:
        """Return the links of pages by their keys, in order."""
        found: dict[Key, list[FrontierLink]] = {}
        for page in pages:
            for link in page.links:
                found.setdefault(key_of(link.fingerprint, link.host), []).append(link)
        return found

    def _insert(
        self, sql: Connection[Any], met: dict[Key, list[FrontierLink]], written: Written, best: dict[str, int]
    ) -> set[Key]:
        """Insert links that are not known; return their keys."""
        if not met:
            return set()
        rows, by_fingerprint = [], {}
        # Turns are taken in the order of the pages' links; rows go in the order of the keys.
        for key, links in met.items():
            rank = self.ranks.rank(priority(links[0].evidence, links[0].extra), self.turn())
            rows.append(inserted_row(links[0], host_key(links[0].host), rank))
            by_fingerprint[key.fingerprint] = key, links[0], rank
        rows.sort(key=itemgetter(0, 1))
        new = set()
        for (fingerprint,) in sql.execute(statements.INSERT, (self.crawl, *columns(rows))).fetchall():
            key, link, rank = by_fingerprint[fingerprint]
            new.add(key)
            written.new.append(waiting_from(link, rank))
            best[link.host] = min(rank, best.get(link.host, rank))
        return new

    def _moves_of(self, pages: Sequence[PageCommit]) -> dict[Key, Move]:
        """Return the last move of each link that pages move."""
        return {key_of(move.fingerprint, move.host): move for page in pages for move in page.moves}

    def _lock(
        self,
        sql: Connection[Any],
        met: dict[Key, list[FrontierLink]],
        new: set[Key],
        ended: list[EndedLink],
        moves: Iterable[Key],
    ) -> dict[Key, KnownLink]:
        """Lock what waits of the links that end, were known or are moved; return those that end or were known.

        It is one statement, in the order of the keys: a second one that locks further links meets a worker that goes the
        other way, and both wait until the server gives one of them up, a second later.
        """
        wanted = {key for key, links in met.items() if key not in new or len(links) > 1}
        wanted |= {key_of(link.fingerprint, link.host) for link in ended}
        locked = sorted(wanted.union(moves))
        if not locked:
            return {}
        rows = sql.execute(statements.LOCK, (*columns(locked), self.crawl)).fetchall()
        if left_out := sorted(wanted.difference(Key(row[0], row[1]) for row in rows)):
            rows += sql.execute(statements.READ, (*columns(left_out), self.crawl)).fetchall()
        return {key: known_link(row) for row in rows if (key := Key(row[0], row[1])) in wanted}

    def _check(self, pages: Sequence[PageCommit], known: dict[Key, KnownLink]) -> None:
        seen = set()
        for index, page in enumerate(pages):
            for link in page.ended:
                key = key_of(link.fingerprint, link.host)
                if key not in known or key in seen:
                    raise KnownPageError(index)
                seen.add(key)

    def _join(
        self,
        sql: Connection[Any],
        met: dict[Key, list[FrontierLink]],
        new: set[Key],
        known: dict[Key, KnownLink],
        ended: set[Key],
        written: Written,
        best: dict[str, int],
    ) -> None:
        """Join what pages say of links that wait already."""
        changed = []
        for key, links in sorted(met.items()):
            more = links[1:] if key in new else links
            row = known.get(key)
            if not more:
                continue
            if row is None or row.is_own_request or key in ended:
                written.n_known += len(more)
                continue
            own = next((link for link in more if link.request is not None), None)
            if own is not None:
                rank = self.ranks.rank(priority(own.evidence, own.extra), self.ranks.turn_of(row.rank))
                values = rank, own.extra, text(own.request or ""), self.crawl, *key
                sql.execute(statements.TAKE_OVER, values)
                best[own.host] = min(rank, best.get(own.host, rank))
                written.joined.append((waiting_from(own, rank), row.evidence))
                continue
            merged, extra, tunnel = row.evidence, row.extra, row.tunnel
            for link in more:
                merged = self.merge(merged, link.evidence)
                extra, tunnel = max(extra, link.extra), min(tunnel, link.tunnel)
            if (merged, extra, tunnel) == (row.evidence, row.extra, row.tunnel):
                written.n_known += len(more)
                continue
            rank = self.ranks.rank(priority(merged, extra), self.ranks.turn_of(row.rank))
            changed.append(changed_row(row, rank, extra, tunnel, merged))
            if rank < row.rank:
                best[links[0].host] = min(rank, best.get(links[0].host, rank))
            first = links[0]
            now = WaitingLink(key.fingerprint, first.host, rank, extra, tunnel, first.url, merged, first.callback, None)
            written.joined.append((now, row.evidence))
        if changed:
            sql.execute(statements.CHANGE, (*columns(changed), self.crawl))

    def _move(self, sql: Connection[Any], moves: dict[Key, Move], best: dict[str, int]) -> None:
        if not moves:
            return
        rows = [(*key, move.score, to_priority(move.score, True)) for key, move in sorted(moves.items())]
        hosts = {move.fingerprint: move.host for move in moves.values()}
        for fingerprint, rank in sql.execute(statements.MOVE, (*columns(rows), self.crawl)).fetchall():
            host = hosts[fingerprint]
            best[host] = min(rank, best.get(host, rank))

    def _give_up(self, sql: Connection[Any], pages: Sequence[PageCommit], written: Written) -> int:
        under_way = list({number for page in pages for number in page.under_way})
        for origin in (origin for page in pages for origin in page.given_up):
            values = NOT_REACHABLE, self.crawl, *host_key(host_of(origin)), under_way, len(origin) + 1, f"{origin}/"
            written.given_up[origin] = written.given_up.get(origin, 0) + sql.execute(statements.FAIL, values).rowcount
        for host in (host for page in pages for host in page.capped):
            written.n_capped += sql.execute(statements.DROP, (self.crawl, *host_key(host), under_way)).rowcount
        return sum(written.given_up.values()) + written.n_capped

    def _write_hosts(
        self,
        sql: Connection[Any],
        worker: int,
        pages: Sequence[PageCommit],
        ended: list[EndedLink],
        best: dict[str, int],
    ) -> None:
        """Note what hosts have now: those with new links, and those that were asked, in the order of their keys."""
        asked: dict[str, list[float]] = {}
        for link in ended:
            counts = asked.setdefault(link.host, [0, 0, 0, 0.0, 0.0])
            counts[0] += link.relevant is not None
            counts[1] += bool(link.relevant)
            counts[2] += link.state != DONE
        for page in pages:
            for host, (rest, delay) in page.rests.items():
                if host in asked:
                    asked[host][3:] = [rest, delay]
        # All are locked by the first statement, in one order.
        hosts = sorted((*host_key(host), text(host), best.get(host)) for host in {*best, *asked})
        if hosts:
            sql.execute(statements.HOSTS, (self.crawl, *columns(hosts), worker))
        if asked:
            rows = sorted((*host_key(host), *counts) for host, counts in asked.items())
            sql.execute(statements.ASKED, (*columns(rows), self.crawl, worker))

    def _write_outputs(
        self, sql: Connection[Any], worker: int, pages: Sequence[PageCommit], ended: list[EndedLink]
    ) -> None:
        rows = [
            (*key_of(link.fingerprint, link.host), text(link.url), link.relevant)
            for link in ended
            if link.relevant is not None
        ]
        numbers = {}
        if rows:
            numbers = dict(sql.execute(statements.PAGE, (self.crawl, worker, *columns(rows))).fetchall())
        outputs: dict[str, list[dict[str, Any]]] = {}
        for page in pages:
            number = next((numbers[link.fingerprint] for link in page.ended if link.relevant is not None), None)
            own = {"crawl": self.crawl, "worker": worker, "page": number}
            for statement, parameters in page.outputs:
                outputs.setdefault(statement, []).append({**parameters, **own})
        with sql.cursor() as cursor:
            for statement, rows_of_pages in outputs.items():
                cursor.executemany(statement, rows_of_pages)
            if records := [(self.crawl, worker, *record) for page in pages for record in page.records]:
                cursor.executemany(statements.RECORD, records)
