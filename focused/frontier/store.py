"""The frontier on disk: every link that is known, what is known of it, and what has become of it."""

from __future__ import annotations

import json
import sqlite3
import struct
import time
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from focused.frontier.cut import Cutter
from focused.frontier.hosts import HostQueue
from focused.frontier.link import Leased
from focused.frontier.priority import to_priority
from focused.frontier.records import PageRecords
from focused.frontier.schema import DONE, DROPPED, FAILED, LEASED, RANK_BITS, STATES, WAITING, lock, open_file
from focused.frontier.stored_pages import StoredPages
from focused.strategies.evidence import Evidence, better

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from focused.frontier.link import Link

_TURN = (1 << RANK_BITS) - 1
_EVIDENCE = "score, reason, admitted, referrer, depth, irrelevant_on_path, carried, parts, n_referrers, model_version"
_MAX_REFERRERS = 50_000
_ROWS_AT_A_TIME = 512  # old versions of SQLite allow 999 values of a statement

NEW, MERGED, KNOWN, OVER_CAP, TOO_DEEP = "new", "merged", "known", "over_host_cap", "too_deep"
"""What ``add`` says of a link: taken in, joined to one that waits, of no interest any more, refused."""


class FrontierStore:
    """Links in an SQLite file; of each host the best waiting one in memory.

    All changes since the last ``commit`` are one transaction: after a crash the file is as it was at that commit, and
    what was leased then waits again.

    Parameters
    ----------
    path : Path
        Made if it is not there. In use by one writer at a time; readers do not disturb.
    order : str
        Which of the links of equal priority comes first: the ``oldest`` or the ``newest``.
    merge : function, optional
        Joins the evidence of a waiting link with that of another page; default: the better one.
    max_per_host : int
        Links of a host that are ever fetched; 0: no limit.
    max_tunnel : int
        Irrelevant pages in a row that a link may lie behind; 0: no limit.
    max_links : int
        Links that may wait; the worst beyond that are forgotten. 0: no limit.
    clock : function
        Seconds since the epoch.

    Raises
    ------
    FrontierFileError
        If the file cannot be used.
    """

    def __init__(
        self,
        path: Path,
        *,
        order: str = "oldest",
        merge: Callable[[Evidence, Evidence], Evidence] = better,
        max_per_host: int = 0,
        max_tunnel: int = 0,
        max_links: int = 0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._lock = lock(path)
        self._sql = open_file(path)
        self._merge = merge
        self._is_newest_first = order == "newest"
        self._max_per_host = max_per_host
        self._max_tunnel = max_tunnel
        self._cutter = Cutter(max_links) if max_links else None
        self._clock = clock
        self.hosts = HostQueue()
        self._host_ids: dict[str, int] = {}
        self._host_names: dict[int, str] = {}
        self._n_asked: Counter[int] = Counter()
        self._referrers: dict[str, int] = {}
        self._is_open = False
        #: Of the last link that ``add`` found waiting: its number, what was known of it, and what is now.
        self.joined: tuple[int, Evidence, Evidence] | None = None
        # Links under way and their hosts.
        self._leased: dict[int, int] = {}
        self._counts = [0] * len(STATES)
        self._recover()

    # --- In

    def add(self, links: Iterable[Link]) -> list[str]:
        """Take in links, and join those that wait already with what is known of them.

        Returns
        -------
        list of str
            Of each link ``NEW``, ``MERGED``, ``KNOWN``, ``OVER_CAP`` or ``TOO_DEEP``.
        """
        self._begin()
        found = [self._add(link) for link in links]
        if self._cutter is not None:
            self._cut(self._cutter)
        return found

    @property
    def n_cut(self) -> int:
        """How many links were forgotten because too many waited, since the crawl began."""
        return self._n_cut

    @property
    def n_capped(self) -> int:
        """How many waiting links were dropped because their host had had its share, since the crawl began."""
        return self._n_capped

    def _cut(self, cutter: Cutter) -> None:
        n_links = cutter.cut(self._sql, self._counts[WAITING], self._last_id)
        self._counts[WAITING] -= n_links
        self._n_cut += n_links

    def _add(self, link: Link) -> str:
        row = self._sql.execute(
            f"SELECT id, state, host, rank, extra, tunnel, {_EVIDENCE} FROM links WHERE fingerprint = ?",
            (link.fingerprint,),
        ).fetchone()
        if row is not None:
            if row[1] != WAITING:
                return KNOWN
            self.joined = row[0], *self._join(row, link)
            return MERGED
        if self._max_tunnel and link.tunnel > self._max_tunnel:
            return TOO_DEEP
        host = self._host_id(link.host)
        if self._max_per_host and self._n_asked[host] >= self._max_per_host:
            return OVER_CAP
        self._last_id += 1
        rank = self._rank(link.evidence, link.extra, self._last_id)
        self._insert(link, host, WAITING, rank)
        self.hosts.offer(host, rank)
        return NEW

    def join(self, number: int, link: Link) -> tuple[Evidence, Evidence] | None:
        """Join what another page says of a link with what is known of it, by number: its fingerprint is not needed.

        Returns
        -------
        tuple of (Evidence, Evidence) or None
            What was known, and what is now; None if it does not wait.
        """
        row = self._sql.execute(
            f"SELECT id, state, host, rank, extra, tunnel, {_EVIDENCE} FROM links WHERE id = ?", (number,)
        ).fetchone()
        if row is None or row[1] != WAITING:
            return None
        self._begin()
        return self._join(row, link)

    def count_referrers(self, rows: Iterable[tuple[float, int, int]]) -> None:
        """Note of links that more pages link there than was known, which do not change their priority.

        Parameters
        ----------
        rows : iterable of (float, int, int)
            Of each the sum of those pages' scores, their number, and the link's.
        """
        self._begin()
        self._sql.executemany(
            "UPDATE links SET score = (score * n_referrers + ?1) / (n_referrers + ?2), n_referrers = n_referrers + ?2"
            " WHERE id = ?3",
            rows,
        )

    def _insert(self, link: Link, host: int, state: int, rank: int) -> None:
        evidence = link.evidence
        self._sql.execute(
            f"INSERT INTO links (id, fingerprint, host, state, rank, extra, tunnel, url, {_EVIDENCE}, found_at)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *(self._last_id, link.fingerprint, host, state, rank, link.extra, link.tunnel, link.url),
                *(evidence.score, evidence.reason, evidence.admitted, self._referrer_id(evidence.referrer)),
                *(evidence.depth, evidence.irrelevant_on_path, evidence.carried, _pack(evidence.parts)),
                *(evidence.n_referrers, evidence.model_version, int(self._clock())),
            ),
        )
        self._counts[state] += 1

    def _join(self, row: tuple[Any, ...], link: Link) -> tuple[Evidence, Evidence]:
        number, _, host, rank, extra, tunnel = row[:6]
        known = self._evidence(row[6:])
        merged = self._merge(known, link.evidence)
        if merged == known and link.extra <= extra and link.tunnel >= tunnel:
            return known, known
        extra = max(extra, link.extra)
        changed = self._rank(merged, extra, self._turn_of(rank))
        self._sql.execute(
            "UPDATE links SET rank = ?, extra = ?, tunnel = ?, score = ?, reason = ?, admitted = ?, referrer = ?, depth = ?,"
            " irrelevant_on_path = ?, carried = ?, parts = ?, n_referrers = ?, model_version = ? WHERE id = ?",
            (
                *(changed, extra, min(tunnel, link.tunnel), merged.score, merged.reason, merged.admitted),
                row[9] if merged.referrer == known.referrer else self._referrer_id(merged.referrer),
                *(merged.depth, merged.irrelevant_on_path, merged.carried, _pack(merged.parts)),
                *(merged.n_referrers, merged.model_version, number),
            ),
        )
        if changed < rank:
            self.hosts.offer(host, changed)
        elif changed > rank and self.hosts.best(host) == rank:
            self._refresh(host)
        return known, merged

    # --- Out

    def next(self, ready_at: Callable[[str], float] | None = None, now: float = 0.0) -> Leased | None:
        """Lease the best link of the hosts that may be asked now; None if none of them has any.

        Parameters
        ----------
        ready_at : function, optional
            Of a host's name: when it may be asked, on the clock of ``now`` (``focused.frontier.hosts.BUSY``: nobody
            knows). Default: all may.
        now : float
        """
        names = self._host_names
        ask = (lambda host: ready_at(names[host])) if ready_at is not None else lambda host: 0.0
        while (host := self.hosts.take(ask, now)) is not None:
            rows = self._sql.execute(
                f"SELECT id, rank, url, tunnel, {_EVIDENCE} FROM links WHERE host = ? AND state = 0 ORDER BY rank LIMIT 1",
                (host,),
            ).fetchall()
            if not rows or rows[0][1] != self.hosts.best(host):
                self.hosts.put(host, rows[0][1] if rows else None)
                continue
            if self._max_per_host and self._n_asked[host] >= self._max_per_host:
                self._drop_rest(host)
                continue
            number, rank, url, tunnel, *evidence = rows[0]
            self._begin()
            self._lease(number, host)
            return Leased(number, url, names[host], self._priority(rank), tunnel, self._evidence(evidence))
        return None

    def sink(self, host: str, levels: int) -> None:
        """Let a host's links stand so many levels of priority behind what they are worth; 0 lifts them again."""
        number = self._host_ids.get(host)
        if number is not None:
            self.hosts.sink(number, levels << RANK_BITS)

    def hosts_wake(self, host: str) -> None:
        """Look at a host again before its time: what it waits for may have changed."""
        number = self._host_ids.get(host)
        if number is not None:
            self.hosts.wake(number)

    def host_pages(self) -> list[tuple[str, int, int]]:
        """Return (name, pages, relevant pages) of the hosts that any page was fetched from."""
        return self._sql.execute("SELECT name, n_pages, n_relevant FROM hosts WHERE n_pages > 0").fetchall()

    def claim(self, link: Link) -> int | None:
        """Lease the target of a redirect: its number, or None if it is no business of this lease.

        A target that waits stays where it is, with this evidence joined to its own.
        """
        if self.add([link]) != [NEW]:
            return None
        number: int = self._last_id
        self._lease(number, self._host_id(link.host))
        return number

    def _lease(self, number: int, host: int) -> None:
        self._sql.execute("UPDATE links SET state = 1 WHERE id = ?", (number,))
        self._move(WAITING, LEASED)
        self._leased[number] = host
        if self._max_per_host:
            self._n_asked[host] += 1
        self._refresh(host)

    def done(self, number: int, relevant: bool | None = None, note: str | None = None) -> None:
        """Say that a leased link's page is in; ``relevant`` is None where there was no page to judge."""
        host = self._end(number, DONE, note)
        if relevant is not None:
            self._sql.execute(
                "UPDATE hosts SET n_pages = n_pages + 1, n_relevant = n_relevant + ? WHERE id = ?", (relevant, host)
            )

    def failed(self, number: int, note: str) -> None:
        """Say that a leased link could not be fetched, and why."""
        host = self._end(number, FAILED, note)
        self._sql.execute("UPDATE hosts SET n_failed = n_failed + 1 WHERE id = ?", (host,))

    def dropped(self, number: int, note: str) -> None:
        """Say that a leased link was given up, and why."""
        self._end(number, DROPPED, note)

    def give_back(self, number: int) -> None:
        """Let a leased link wait again."""
        self._begin()
        host = self._leased.pop(number)
        self._sql.execute("UPDATE links SET state = 0 WHERE id = ?", (number,))
        self._move(LEASED, WAITING)
        if self._max_per_host:
            self._n_asked[host] -= 1
        self._refresh(host)

    def _end(self, number: int, state: int, note: str | None) -> int:
        """Take a link off the list of those under way; return its host."""
        self._begin()
        self._sql.execute(
            "UPDATE links SET state = ?, ended_at = ?, note = ? WHERE id = ?",
            (state, int(self._clock()), note, number),
        )
        self._move(LEASED, state)
        return self._leased.pop(number)

    # --- State

    def commit(self, **state: Any) -> None:
        """Make all changes since the last time durable, with what the crawl wants to remember (JSON values).

        Raises
        ------
        sqlite3.Error
            If they cannot be written; they are then not durable.
        """
        self._begin()
        self._sql.executemany(
            "INSERT INTO crawl VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            [(key, json.dumps(value)) for key, value in {**state, **self._own_state()}.items()],
        )
        self._sql.execute("COMMIT")
        self._is_open = False

    def _own_state(self) -> dict[str, Any]:
        return {"counts": self._counts, "n_cut": self._n_cut, "n_capped": self._n_capped, "leased": list(self._leased)}

    def remembered(self, key: str, default: Any = None) -> Any:
        """Return what a commit was given under a key."""
        row = self._sql.execute("SELECT value FROM crawl WHERE key = ?", (key,)).fetchone()
        return default if row is None else json.loads(row[0])

    def __len__(self) -> int:
        return self._counts[WAITING]

    def counts(self) -> dict[str, int]:
        """Return how many links there are in each state."""
        return dict(zip(STATES, self._counts, strict=True))

    def state_of(self, fingerprint: int) -> str | None:
        """Return the state of a link; None if it is not known."""
        row = self._sql.execute("SELECT state FROM links WHERE fingerprint = ?", (fingerprint,)).fetchone()
        return None if row is None else STATES[row[0]]

    def done_urls(self) -> Iterable[str]:
        """Yield the URLs whose pages are in."""
        return (url for (url,) in self._sql.execute("SELECT url FROM links WHERE state = ?", (DONE,)))

    @property
    def last_id(self) -> int:
        """The number of the link found last."""
        return self._last_id

    def waiting_rows(self, after: int, until: int, n_links: int) -> list[tuple[Any, ...]]:
        """Return some links that wait, in the order of discovery, as :mod:`focused.frontier.rescore` needs them."""
        return self._sql.execute(
            "SELECT id, host, rank, extra, url, score, reason, depth, n_referrers, parts FROM links"
            " WHERE id > ? AND id <= ? AND state = 0 ORDER BY id LIMIT ?",
            (after, until, n_links),
        ).fetchall()

    def change(self, changes: list[tuple[int, float, int, bool, int, int]], hosts: Iterable[int]) -> None:
        """Give links that wait another (rank, score, reason, admitted, model version), by number; hosts have any."""
        self._begin()
        self._sql.executemany(
            "UPDATE links SET rank = ?, score = ?, reason = ?, admitted = ?, model_version = ? WHERE id = ?", changes
        )
        for host in hosts:
            self._refresh(host)

    def waiting_scores(self) -> Iterable[tuple[int, str, float]]:
        """Yield number, URL and score of all links that wait."""
        return self._sql.execute("SELECT id, url, score FROM links WHERE state = ?", (WAITING,))

    def place(self, scores: Iterable[tuple[int, float]]) -> list[int]:
        """Give links, by number, other scores, all admitted; return the numbers of those that do not wait."""
        self._begin()
        wanted, gone, hosts = dict(scores), [], set()
        numbers = list(wanted)
        for first in range(0, len(numbers), _ROWS_AT_A_TIME):
            part = numbers[first : first + _ROWS_AT_A_TIME]
            found = {row[0]: row for row in self._waiting_ranks(part)}
            changes = []
            for number in part:
                if number not in found:
                    gone.append(number)
                    continue
                _, host, rank, extra = found[number]
                score = wanted[number]
                changed = (-(to_priority(score, True) + extra) << RANK_BITS) + (rank & _TURN)
                changes.append((changed, score, number))
                hosts.add(host)
            self._sql.executemany("UPDATE links SET rank = ?, score = ? WHERE id = ?", changes)
        for host in hosts:
            self._refresh(host)
        return gone

    def _waiting_ranks(self, numbers: list[int]) -> list[tuple[int, int, int, int]]:
        """Return (number, host, rank, extra) of those links that wait."""
        # So many marks that there are few different statements, each of which SQLite has to understand once; 0 is no link.
        n_marks = 1 << (len(numbers) - 1).bit_length()
        marks = ",".join("?" * n_marks)
        query = f"SELECT id, host, rank, extra FROM links WHERE id IN ({marks}) AND state = 0"
        return self._sql.execute(query, numbers + [0] * (n_marks - len(numbers))).fetchall()

    def records(self, max_links: int) -> PageRecords:
        """Return what was learnt from pages; it is committed together with everything else."""
        self._begin()
        return PageRecords(self._sql, max_links)

    def pages(self, max_pages: int) -> StoredPages:
        """Return the pages that are kept as they came; they are committed together with everything else."""
        self._begin()
        return StoredPages(self._sql, max_pages)

    def begin(self) -> None:
        """Let what is done to ``records`` and ``pages`` be part of the transaction that the next ``commit`` ends."""
        self._begin()

    def close(self) -> None:
        """Close the file; what was not committed is undone, and what is leased waits when it is opened again."""
        if self._is_open:
            self._sql.execute("ROLLBACK")
            self._is_open = False
        # Not where a reader is looking or the disk is full: the log beside the file is read as well.
        with suppress(sqlite3.Error):
            self._sql.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._sql.close()
        self._lock.close()

    # --- Inside

    def _recover(self) -> None:
        sql = self._sql
        for number, name in sql.execute("SELECT id, name FROM hosts"):
            self._host_ids[name] = number
            self._host_names[number] = name
        self._last_id = self._one("SELECT coalesce(max(id), 0) FROM links")
        self._last_referrer = self._one("SELECT coalesce(max(id), 0) FROM referrers")
        self._counts = self.remembered("counts", self._counts)
        self._n_cut: int = self.remembered("n_cut", 0)
        self._n_capped: int = self.remembered("n_capped", 0)
        leased: list[int] = self.remembered("leased", [])
        if leased:
            self._begin()
            sql.executemany("UPDATE links SET state = 0 WHERE id = ?", [(number,) for number in leased])
            self._move(LEASED, WAITING, len(leased))
            self.commit()
        best = "SELECT rank FROM links WHERE host = hosts.id AND state = 0 ORDER BY rank LIMIT 1"
        for host, rank in sql.execute(f"SELECT id, ({best}) AS best FROM hosts WHERE best IS NOT NULL"):
            self.hosts.put(host, rank)
        if self._max_per_host:
            self._n_asked.update(
                dict(sql.execute("SELECT host, count(*) FROM links WHERE state NOT IN (0, 1) GROUP BY host"))
            )

    def _one(self, query: str) -> int:
        return int(self._sql.execute(query).fetchone()[0])

    def _begin(self) -> None:
        if not self._is_open:
            self._sql.execute("BEGIN IMMEDIATE")
            self._is_open = True

    def _move(self, before: int, after: int, n_links: int = 1) -> None:
        self._counts[before] -= n_links
        self._counts[after] += n_links

    def _refresh(self, host: int) -> None:
        row = self._sql.execute(
            "SELECT rank FROM links WHERE host = ? AND state = 0 ORDER BY rank LIMIT 1", (host,)
        ).fetchone()
        self.hosts.put(host, None if row is None else row[0])

    def _drop_rest(self, host: int) -> None:
        """Give up what waits of a host that has had its share."""
        self._begin()
        n_links = self._sql.execute(
            "UPDATE links SET state = ?, ended_at = ?, note = 'host over its cap' WHERE host = ? AND state = 0",
            (DROPPED, int(self._clock()), host),
        ).rowcount
        self._move(WAITING, DROPPED, n_links)
        self._n_capped += n_links
        self.hosts.put(host, None)

    def _rank(self, evidence: Evidence, extra: int, turn: int) -> int:
        priority = to_priority(evidence.score, evidence.admitted) + extra
        return (-priority << RANK_BITS) + (_TURN - turn if self._is_newest_first else turn)

    def _turn_of(self, rank: int) -> int:
        turn = rank & _TURN
        return _TURN - turn if self._is_newest_first else turn

    def _priority(self, rank: int) -> int:
        return -(rank >> RANK_BITS)

    def _host_id(self, name: str) -> int:
        number = self._host_ids.get(name)
        if number is None:
            number = self._host_ids[name] = len(self._host_ids) + 1
            self._host_names[number] = name
            self._sql.execute("INSERT INTO hosts (id, name) VALUES (?, ?)", (number, name))
        return number

    def _referrer_id(self, url: str) -> int:
        """Return the number of a referring page: each is written once for all links of its page."""
        if not url:
            return 0
        number = self._referrers.get(url)
        if number is None:
            if len(self._referrers) >= _MAX_REFERRERS:  # those of long ago do not come again
                self._referrers.clear()
            self._last_referrer += 1
            number = self._referrers[url] = self._last_referrer
            self._sql.execute("INSERT INTO referrers VALUES (?, ?)", (number, url))
        return number

    def _evidence(self, row: Sequence[Any]) -> Evidence:
        score, reason, admitted, referrer, depth, irrelevant, carried, parts, n_referrers, model_version = row
        if referrer:
            referrer = self._sql.execute("SELECT url FROM referrers WHERE id = ?", (referrer,)).fetchone()[0]
        return Evidence(
            *(score, reason, bool(admitted), referrer or "", depth, irrelevant, carried, _unpack(parts)),
            *(n_referrers, model_version),
        )


def _pack(parts: tuple[float, ...]) -> bytes | None:
    return struct.pack(f"<{len(parts)}d", *parts) if parts else None


def _unpack(blob: bytes | None) -> tuple[float, ...]:
    return struct.unpack(f"<{len(blob) // 8}d", blob) if blob else ()
