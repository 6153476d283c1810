"""Writes the links of a transaction's pages: inserts new ones, joins known ones, moves scores. Ends come after that.

Rows are locked by one statement, in the order of their keys, before any of them changes.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from focused.frontier.shared import page_statements as statements
from focused.frontier.shared.array_text import columns
from focused.frontier.shared.commit_result import CommitResult
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
from focused.method.scoring.priority import to_priority

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from psycopg import Cursor

    from focused.frontier.shared.page import EndedLink, Move, PageCommit
    from focused.frontier.store.link import FrontierLink
    from focused.frontier.store.ranks import Ranks
    from focused.method.scoring.evidence import Evidence


@dataclass(frozen=True)
class LinkRules:
    """How the links of a crawl are ranked and joined."""

    #: The crawl's number.
    crawl: int
    ranks: Ranks
    merge: Callable[[Evidence, Evidence], Evidence]
    #: Returns the turns of so many new links, in their order.
    turns: Callable[[int], Iterable[int]]


class LinkWriting:
    """Writes the links of some pages, but their ends, in a transaction that is open; says what has changed."""

    def __init__(self, sql: Cursor[Any], rules: LinkRules, pages: Sequence[PageCommit]) -> None:
        self._sql, self._rules, self._pages = sql, rules, pages
        #: Links that end, and their keys.
        self.ended: list[EndedLink] = [link for page in pages for link in page.ended]
        self.ended_keys = [key_of(link.fingerprint, link.host) for link in self.ended]
        self.result = CommitResult()
        #: The rank of the best link that each host got, by its name.
        self.best: dict[str, int] = {}
        # The links of the pages by their keys, in order, with the names of their hosts: a link looks for that in its URL.
        self._met: dict[Key, tuple[str, list[FrontierLink]]] = {}
        for link in (link for page in pages for link in page.links):
            host = link.host
            self._met.setdefault(key_of(link.fingerprint, host), (host, []))[1].append(link)
        # The last move of each link that does not end.
        self._moves: dict[Key, Move] = {
            key_of(move.fingerprint, move.host): move for page in pages for move in page.moves
        }
        for key in self.ended_keys if self._moves else ():
            self._moves.pop(key, None)

    def __bool__(self) -> bool:
        """Tell whether there is anything to write before links end."""
        return bool(self._met or self._moves)

    def write(self) -> None:
        """Write all of it."""
        new = self._insert()
        found_again = {key for key, (_, links) in self._met.items() if key not in new or len(links) > 1}
        known = self._lock(found_again) if found_again or (self.ended_keys and self._moves) else {}
        self._join(new, known)
        self._move()

    def _insert(self) -> set[Key]:
        """Insert links that are not known; return their keys."""
        if not self._met:
            return set()
        rules, rows, by_fingerprint = self._rules, [], {}
        turns = rules.turns(len(self._met))
        # Turns are taken in the order of the pages' links; rows go in the order of the keys.
        for turn, (key, (host, (link, *_))) in zip(turns, self._met.items(), strict=True):
            rank = rules.ranks.rank(priority(link.evidence, link.extra), turn)
            rows.append(inserted_row(link, host_key(host), rank))
            by_fingerprint[key.fingerprint] = key, host, link, rank
        rows.sort(key=itemgetter(0, 1))
        new = set()
        for (fingerprint,) in self._sql.execute(statements.INSERT, (rules.crawl, *columns(rows))).fetchall():
            key, host, link, rank = by_fingerprint[fingerprint]
            new.add(key)
            self.result.new.append(waiting_from(link, host, rank))
            self._offer(host, rank)
        return new

    def _lock(self, found_again: set[Key]) -> dict[Key, KnownLink]:
        """Lock what waits of the links that were known, end or are moved; return those that were known or end.

        It is one statement, in the order of the keys: a second one that locks further links meets a worker that goes the
        other way, and both wait until the server gives one of them up, a second later. Links that only end, or are only
        moved, are locked by the one statement that does so, in that order, too.
        """
        wanted = found_again.union(self.ended_keys)
        locked = sorted(wanted.union(self._moves))
        rows = self._sql.execute(statements.LOCK, (*columns(locked), self._rules.crawl)).fetchall()
        if left_out := sorted(wanted.difference(Key(row[0], row[1]) for row in rows)):
            rows += self._sql.execute(statements.READ, (*columns(left_out), self._rules.crawl)).fetchall()
        return {key: known_link(row) for row in rows if (key := Key(row[0], row[1])) in wanted}

    def _join(self, new: set[Key], known: dict[Key, KnownLink]) -> None:
        """Join what pages say of links that wait already."""
        ranks, result, changed = self._rules.ranks, self.result, []
        ended = set(self.ended_keys)
        for key, (host, links) in self._met.items():
            more = links[1:] if key in new else links
            if not more:
                continue
            row = known.get(key)
            if row is None or row.is_own_request or key in ended:
                result.n_known += len(more)
                continue
            own = next((link for link in more if link.request is not None), None)
            if own is not None:
                rank = ranks.rank(priority(own.evidence, own.extra), ranks.turn_of(row.rank))
                values = rank, own.extra, text(own.request or ""), self._rules.crawl, *key
                self._sql.execute(statements.TAKE_OVER, values)
                self._offer(host, rank)
                result.joined.append((waiting_from(own, host, rank), row.evidence))
                continue
            merged, extra, tunnel = row.evidence, row.extra, row.tunnel
            for link in more:
                merged = self._rules.merge(merged, link.evidence)
                extra, tunnel = max(extra, link.extra), min(tunnel, link.tunnel)
            if (merged, extra, tunnel) == (row.evidence, row.extra, row.tunnel):
                result.n_known += len(more)
                continue
            rank = ranks.rank(priority(merged, extra), ranks.turn_of(row.rank))
            changed.append(changed_row(row, rank, extra, tunnel, merged))
            if rank < row.rank:
                self._offer(host, rank)
            first = links[0]
            now = WaitingLink(key.fingerprint, host, rank, extra, tunnel, first.url, merged, first.callback, None)
            result.joined.append((now, row.evidence))
        if changed:
            changed.sort(key=itemgetter(0, 1))
            self._sql.execute(statements.CHANGE, (self._rules.crawl, *columns(changed)))

    def _move(self) -> None:
        if not self._moves:
            return
        rows = [
            (*key, move.score, move.admitted, to_priority(move.score, move.admitted))
            for key, move in sorted(self._moves.items())
        ]
        hosts = {move.fingerprint: move.host for move in self._moves.values()}
        moved = self._sql.execute(statements.MOVE, (self._rules.crawl, *columns(rows))).fetchall()
        for fingerprint, rank in moved:
            self._offer(hosts[fingerprint], rank)
            self.result.moved.append((fingerprint, hosts[fingerprint], rank))

    def _offer(self, host: str, rank: int) -> None:
        """Note that a host has a link of this rank now."""
        self.best[host] = min(rank, self.best.get(host, rank))
