"""Evidence as columns of the table of links."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

from focused.frontier.store.reason_numbers import ReasonNumbers
from focused.method.scoring.evidence import Evidence

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

NAMES = (
    *("score", "reason", "admitted", "referrer", "depth", "irrelevant_on_path", "carried", "parts", "n_referrers"),
    "model_version",
)
COLUMNS = ", ".join(NAMES)
REFERRER = NAMES.index("referrer")

_MAX_REFERRERS = 50_000


class EvidenceRows:
    """Writes and reads evidence; a referring page is written once for all links of its page.

    Parameters
    ----------
    sql : sqlite3.Connection
    """

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
        score, reason, admitted, _, depth, irrelevant, carried, parts, n_referrers, model_version = row
        return Evidence(
            *(
                score,
                self._reasons.from_file(reason),
                bool(admitted),
                referrer,
                depth,
                irrelevant,
                carried,
                _unpack(parts),
            ),
            *(n_referrers, model_version),
        )

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
    return struct.unpack(f"<{len(blob) // 8}d", blob) if blob else ()
