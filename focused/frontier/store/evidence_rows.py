"""Stores evidence as columns of the table of links; hosts, referring pages and kinds of reasons as numbers."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

from focused.frontier.store.host_numbers import HostNumbers
from focused.method.scoring import REASONS, reason_kind
from focused.method.scoring.evidence import Evidence

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Sequence

NAMES = (
    *("score", "reason", "admitted", "referrer", "depth", "irrelevant_on_path", "carried", "parts", "n_referrers"),
    "model_version",
)
COLUMNS = ", ".join(NAMES)
REFERRER = NAMES.index("referrer")

_MAX_REFERRERS = 50_000
_MOST = 2**53
"""Each part of a score lies between this and its negative."""
FIRST_REASONS = (
    *("discovery", "page", "block", "anchor", "context", "jfe", "below threshold", "cluster", "model", "neighbourhood"),
    *("inherited", "labels", "adaptive"),
)
"""What the numbers from 0 on mean in every file; those of version 2 have no table that says so."""


class ReasonNumbers:
    """Translates between this process's numbers of kinds and the file's; a new kind is written in the open transaction."""

    def __init__(self, sql: sqlite3.Connection) -> None:
        self._sql = sql
        self._of_file: dict[int, int] = {}
        self._of_process: dict[int, int] = {}
        self._read(enumerate(FIRST_REASONS))
        if sql.execute("SELECT 1 FROM sqlite_master WHERE name = 'reasons'").fetchone() is not None:
            self._read(sql.execute("SELECT id, kind FROM reasons"))

    def to_file(self, number: int) -> int:
        """Return the file's number of a kind."""
        found = self._of_process.get(number)
        if found is None:
            self._sql.execute("INSERT OR IGNORE INTO reasons (kind) VALUES (?)", (REASONS[number],))
            self._read(self._sql.execute("SELECT id, kind FROM reasons"))
            found = self._of_process[number]
        return found

    def from_file(self, number: int) -> int:
        """Return this process's number of a kind."""
        found = self._of_file.get(number)
        if found is None:  # written since, by another of these
            self._read(self._sql.execute("SELECT id, kind FROM reasons"))
            found = self._of_file[number]
        return found

    def _read(self, kinds: Iterable[tuple[int, str]]) -> None:
        for number, kind in kinds:
            self._of_file[number] = reason_kind(kind)
            self._of_process[reason_kind(kind)] = number


class HostNames(HostNumbers):
    """All hosts of a frontier, in memory and in its file."""

    def __init__(self, sql: sqlite3.Connection) -> None:
        super().__init__()
        self._sql = sql
        for number, name in sql.execute("SELECT id, name FROM hosts ORDER BY id"):
            while len(self.names) < number:  # a recovery could not save these names
                self.names.append("")
            self._keep(name)

    def _added(self, number: int, name: str) -> None:
        self._sql.execute("INSERT INTO hosts (id, name) VALUES (?, ?)", (number, name))


class EvidenceRows:
    """Writes and reads evidence; a referring page is written once for all links of its page."""

    def __init__(self, sql: sqlite3.Connection) -> None:
        self._sql = sql
        self._numbers: dict[str, int] = {}
        self._reasons = ReasonNumbers(sql)
        self._last: int = sql.execute("SELECT coalesce(max(id), 0) FROM referrers").fetchone()[0]

    def row(self, evidence: Evidence, referrer: int | None = None) -> tuple[Any, ...]:
        """Return the values of ``COLUMNS``; the number of the referring page, where it is known, saves a look."""
        return (
            *(evidence.score, self._reasons.to_file(evidence.reason), evidence.admitted),
            self._referrer(evidence.referrer) if referrer is None else referrer,
            *(evidence.depth, evidence.irrelevant_on_path, evidence.carried, _pack(evidence.parts)),
            *(evidence.n_referrers, evidence.model_version),
        )

    def evidence(self, row: Sequence[Any], referrer: str) -> Evidence:
        """Return what values of ``COLUMNS`` say, where the referring page has this URL."""
        score, reason, admitted, _, depth, irrelevant, carried, parts, *rest = row
        reason, admitted = self._reasons.from_file(reason), bool(admitted)
        return Evidence(score, reason, admitted, referrer, depth, irrelevant, carried, _unpack(parts), *rest)

    def _referrer(self, url: str) -> int:
        """Return the number of a referring page."""
        if not url:
            return 0
        number = self._numbers.get(url)
        if number is None:
            if len(self._numbers) >= _MAX_REFERRERS:  # those of long ago do not come again
                self._numbers.clear()
            self._last += 1
            number = self._numbers[url] = self._last
            self._sql.execute("INSERT INTO referrers VALUES (?, ?)", (number, url))
        return number


def _pack(parts: tuple[float, ...]) -> bytes | None:
    return struct.pack(f"<{len(parts)}d", *parts) if parts else None


def _unpack(blob: bytes | None) -> tuple[float, ...]:
    """Return numbers; none where one is no number that a score can rest on: SQL cannot look into a blob of a stranger's.

    >>> _unpack(_pack((0.5, 0.25))), _unpack(_pack((0.5, float("nan")))), _unpack(_pack((1e300,))), _unpack(None)
    ((0.5, 0.25), (), (), ())
    """
    found = struct.unpack(f"<{len(blob) // 8}d", blob) if blob else ()
    return found if all(-_MOST <= each <= _MOST for each in found) else ()
