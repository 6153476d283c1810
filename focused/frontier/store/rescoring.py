"""Scores of links that wait: read and changed many at a time; all anew in slices, so that the crawl goes on meanwhile."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from focused.frontier.store.evidence_rows import ReasonNumbers
from focused.frontier.store.ranks import moved_to
from focused.frontier.store.schema import WAITING
from focused.method.scoring.priority import to_priorities, to_priority

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Iterator

    from focused.frontier.store.store import FrontierStore
    from focused.frontier.store.transaction import Transaction

Floats = npt.NDArray[np.float64]

_WAITING_OF = (
    "SELECT links.id, host, rank, extra FROM json_each(?) AS numbers CROSS JOIN links ON links.id = numbers.value"
    " WHERE state = 0"
)


@dataclass(frozen=True, slots=True)
class WaitingSlice:
    """What is known of some of the links that wait: one row each, in the order of discovery; arrays of shape (n_links,)."""

    urls: list[str]
    #: In [0, 1].
    scores: Floats
    reasons: npt.NDArray[np.int64]
    depths: npt.NDArray[np.int64]
    n_referrers: npt.NDArray[np.int64]
    #: What the scores were computed from, shape (n_links, n_parts); of a link with another number of parts: NaN.
    parts: Floats


@dataclass(frozen=True, slots=True)
class NewScores:
    """What a slice's links are worth now; arrays of shape (n_links,)."""

    scores: Floats
    reasons: npt.NDArray[np.int64]
    admitted: npt.NDArray[np.bool_]


@dataclass(eq=False)
class WaitingScores:
    """What a new model, or a strategy that learns, does to a frontier."""

    sql: sqlite3.Connection
    transaction: Transaction
    #: Called with the number of each host whose links have moved.
    refresh: Callable[[int], None]

    def __post_init__(self) -> None:
        self._reasons = ReasonNumbers(self.sql)

    def rows(self, after: int, until: int, n_links: int) -> list[tuple[Any, ...]]:
        """Return some links that wait, in the order of discovery, without the spider's own requests: for `rescore`."""
        found = self.sql.execute(
            "SELECT id, host, rank, extra, url, score, reason, depth, n_referrers, parts FROM links"
            " WHERE id > ? AND id <= ? AND state = 0 AND request IS NULL ORDER BY id LIMIT ?",
            (after, until, n_links),
        ).fetchall()
        of_process = self._reasons.from_file
        return [(*row[:6], of_process(row[6]), *row[7:]) for row in found]

    def change(self, changes: list[tuple[int, float, int, bool, int, int]], hosts: Iterable[int]) -> None:
        """Give links that wait another (rank, score, reason, admitted, model version), by number; hosts have any."""
        self.transaction.begin()
        self.sql.executemany(
            "UPDATE links SET rank = ?, score = ?, reason = ?, admitted = ?, model_version = ? WHERE id = ?",
            [(rank, score, self._reasons.to_file(reason), *rest) for rank, score, reason, *rest in changes],
        )
        for host in hosts:
            self.refresh(host)

    def scores(self) -> Iterable[tuple[int, str, float]]:
        """Yield number, URL and score of all links that wait; the spider's own requests keep their priority."""
        return self.sql.execute("SELECT id, url, score FROM links WHERE state = ? AND request IS NULL", (WAITING,))

    def place(self, scores: Iterable[tuple[int, float]]) -> list[int]:
        """Give links, by number, other scores, all admitted; return the numbers of those that do not wait."""
        self.transaction.begin()
        left, hosts, changes = dict(scores), set(), []
        numbers = json.dumps(list(left))
        # One statement for all: each of its own costs as much as what it does.
        for number, host, rank, extra in self.sql.execute(_WAITING_OF, (numbers,)).fetchall():
            score = left.pop(number)
            changes.append((moved_to(rank, to_priority(score, True) + extra), score, number))
            hosts.add(host)
        self.sql.executemany("UPDATE links SET rank = ?, score = ? WHERE id = ?", changes)
        for host in hosts:
            self.refresh(host)
        return list(left)

    def count_referrers(self, rows: Iterable[tuple[float, int, int]]) -> None:
        """Note of links that more pages link there than was known, which do not change their priority.

        Rows have the sum of those pages' scores, their number, and the link's.
        """
        self.transaction.begin()
        self.sql.executemany(
            "UPDATE links SET score = (score * n_referrers + ?1) / (n_referrers + ?2), n_referrers = n_referrers + ?2"
            " WHERE id = ?3",
            rows,
        )


def rescore(
    store: FrontierStore,
    score: Callable[[WaitingSlice], NewScores],
    *,
    slice_links: int = 2_000,
    model_version: int = 1,
) -> Iterator[int]:
    """Score all waiting links anew; yields after each slice how many links it had, some 10 us each.

    The caller takes the next slice when it likes: between two, links may come and go. Links found after the start have
    been scored by the new model already and are left out. Links that get another score name the version of the model from
    then on. A commit makes it durable.
    """
    end, at = store.last_id, 0
    while at < end:
        rows = store.waiting.rows(at, end, slice_links)
        if not rows:
            return
        at = rows[-1][0]
        new = score(_slice(rows))
        priorities = to_priorities(new.scores, new.admitted)
        changes = []
        for row, value, reason, admitted, priority in zip(
            rows, new.scores.tolist(), new.reasons.tolist(), new.admitted.tolist(), priorities.tolist(), strict=True
        ):
            rank = moved_to(row[2], priority + row[3])
            if rank != row[2] or value != row[5]:
                changes.append((rank, value, reason, admitted, model_version, row[0]))
        store.waiting.change(changes, {row[1] for row in rows})
        yield len(rows)


def rescore_for(work: Iterator[int], seconds: float) -> bool:
    """Do slices for at most so long; return whether there is more to do."""
    end = time.perf_counter() + seconds
    return any(time.perf_counter() >= end for _ in work)


def _slice(rows: list[tuple[Any, ...]]) -> WaitingSlice:
    _, _, _, _, urls, scores, reasons, depths, n_referrers, blobs = zip(*rows, strict=True)
    lengths = [len(blob) if blob else 0 for blob in blobs]
    n_parts = max(lengths) // 8
    if min(lengths) == max(lengths):
        parts = np.frombuffer(b"".join(blobs) if n_parts else b"", dtype="<f8").reshape(len(rows), n_parts)
    else:
        parts = np.full((len(rows), n_parts), np.nan)
        for number, blob in enumerate(blobs):
            if blob and len(blob) == n_parts * 8:
                parts[number] = np.frombuffer(blob, dtype="<f8")
    return WaitingSlice(
        list(urls), np.array(scores, float), np.array(reasons), np.array(depths), np.array(n_referrers), parts
    )
