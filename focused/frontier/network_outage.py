"""Recognises that no host answers any more: then this machine's network is down, and no host is to blame. No Scrapy."""

from __future__ import annotations

_HOSTS = 3
"""How many hosts that had answered must have failed since the last answer of any host."""
_AFTER_SECS = 20.0
_SHORTEST_SECS, _LONGEST_SECS = 3_600.0, 86_400.0
"""How long the crawl waits without an answer: as long as hosts had answered before, within these bounds. Then hosts are given
up as usual. A crawl must end, and a small one whose few sites are gone need not wait for a day."""


class NetworkOutage:
    """Remembers when the last host answered, and which hosts have begun to fail since."""

    def __init__(self) -> None:
        #: When a host answered last; None: none has in this run.
        self.answered_at: float | None = None
        self._first_answered_at = 0.0
        self._failed: set[str] = set()

    def answered(self, now: float) -> bool:
        """Note that a host answered; tell whether an outage ends by that."""
        ends = self.is_on(now)
        if self.answered_at is None:
            self._first_answered_at = now
        self.answered_at = now
        self._failed.clear()
        return ends

    def failed(self, host: str, since: float) -> None:
        """Note the failure of a host that has answered before, and since when it has failed."""
        if self.answered_at is not None and since >= self.answered_at and len(self._failed) < _HOSTS:
            self._failed.add(host)

    def is_on(self, now: float) -> bool:
        """Tell whether the network seems to be down."""
        if self.answered_at is None or len(self._failed) < _HOSTS:
            return False
        longest = min(_LONGEST_SECS, max(_SHORTEST_SECS, self.answered_at - self._first_answered_at))
        return _AFTER_SECS <= now - self.answered_at < longest
