"""Caches the robots.txt files of a crawl's hosts in bounded memory: texts packed, the latest few parsed."""

from __future__ import annotations

import zlib
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Rules = TypeVar("Rules")

MAX_AGE_SECS = 24 * 3600.0
"""A robots.txt that is older is read again [RFC 9309, 2.4]."""
_TRY_AGAIN_SECS = 3600.0
"""If it cannot be read again, the old one holds, and the next try is after so many seconds."""
_PARSED_BYTES, _PARSED_ENTRY_BYTES = 1_000_000, 2_000
"""How much text is kept parsed, which takes some 25 MB of memory, and what each file counts besides: at most 500 are kept. The
latest is always kept."""
_ENTRY_BYTES = 300
"""What an entry takes besides its text: its name, its numbers, its place in the table."""


@dataclass(slots=True)
class _Entry:
    #: The text, packed; of most hosts it is empty: they have no robots.txt.
    packed: bytes
    #: Bytes of the text itself.
    n_bytes: int
    #: On the clock of the caller.
    read_at: float


class RobotsCache(Generic[Rules]):
    """Keeps what robots.txt says, by origin (scheme, host and port).

    A parsed file takes some 20 times the memory of its text, and its packed text a third to a tenth, so only the latest few
    are kept parsed. Where the texts take more than ``max_bytes``, those go that were not asked for longest, and are read
    again when they are needed. A host without a robots.txt takes some 300 bytes.

    Parameters
    ----------
    parse : function
        Makes rules of a text.
    max_bytes : int
        Of all entries together.
    max_age_secs : float
        An older entry is stale: it is to be read again, and holds if that is not possible.
    """

    def __init__(
        self, parse: Callable[[bytes], Rules], *, max_bytes: int = 64_000_000, max_age_secs: float = MAX_AGE_SECS
    ) -> None:
        self._parse = parse
        self._max_bytes = max_bytes
        self._max_age_secs = max_age_secs
        self._entries: OrderedDict[str, _Entry] = OrderedDict()
        self._parsed: OrderedDict[str, Rules] = OrderedDict()
        self._n_bytes = self._n_parsed_bytes = 0
        self._nothing: Rules | None = None

    def __len__(self) -> int:
        return len(self._entries)

    def put(self, origin: str, text: bytes, at: float) -> Rules:
        """Keep a text that was read at a moment; return what it says. Empty: all is allowed."""
        return self._rules(origin, self._keep(origin, text, at))

    def put_if_later(self, origin: str, text: bytes, at: float) -> bool:
        """Keep a text that somebody read at a moment, unless a later one is known; tell whether it is kept."""
        known = self._entries.get(origin)
        if known is not None and known.read_at >= at:
            return False
        self._keep(origin, text, at)
        return True

    def _keep(self, origin: str, text: bytes, at: float) -> _Entry:
        self._forget(origin)
        entry = _Entry(zlib.compress(text) if text else b"", len(text), at)
        self._entries[origin] = entry
        self._n_bytes += len(entry.packed) + _ENTRY_BYTES
        while self._n_bytes > self._max_bytes and len(self._entries) > 1:
            self._forget(next(iter(self._entries)))
        return entry

    def get(self, origin: str) -> Rules | None:
        """Return what an origin's robots.txt says, even if it is stale; None if it is not known."""
        entry = self._entries.get(origin)
        if entry is None:
            return None
        self._entries.move_to_end(origin)
        return self._rules(origin, entry)

    def is_stale(self, origin: str, at: float) -> bool:
        """Tell whether an origin's robots.txt is to be read: it is not known, or was read too long ago."""
        entry = self._entries.get(origin)
        return entry is None or at - entry.read_at >= self._max_age_secs

    def keep_for_now(self, origin: str, at: float) -> None:
        """Keep an old robots.txt valid for a while longer: it could not be read again."""
        entry = self._entries[origin]
        entry.read_at = at - self._max_age_secs + min(_TRY_AGAIN_SECS, self._max_age_secs)

    def _rules(self, origin: str, entry: _Entry) -> Rules:
        if not entry.packed:
            if self._nothing is None:
                self._nothing = self._parse(b"")
            return self._nothing
        rules = self._parsed.get(origin)
        if rules is not None:
            self._parsed.move_to_end(origin)
            return rules
        rules = self._parsed[origin] = self._parse(zlib.decompress(entry.packed))
        self._n_parsed_bytes += entry.n_bytes + _PARSED_ENTRY_BYTES
        while self._n_parsed_bytes > _PARSED_BYTES and len(self._parsed) > 1:
            oldest, _ = self._parsed.popitem(last=False)
            self._n_parsed_bytes -= self._entries[oldest].n_bytes + _PARSED_ENTRY_BYTES
        return rules

    def _forget(self, origin: str) -> None:
        if self._parsed.pop(origin, None) is not None:
            self._n_parsed_bytes -= self._entries[origin].n_bytes + _PARSED_ENTRY_BYTES
        entry = self._entries.pop(origin, None)
        if entry is not None:
            self._n_bytes -= len(entry.packed) + _ENTRY_BYTES
