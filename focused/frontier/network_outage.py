"""Recognises that no host answers any more: then this machine's network is down, and no host is to blame. No Scrapy."""

from __future__ import annotations

_HOSTS = 3
"""So many hosts that had answered must have failed since the last answer of any host."""
_AFTER_SECS = 20.0
_LONGEST_SECS = 86_400.0
"""After a day without any answer hosts are given up as ever: a crawl must end."""


class NetworkOutage:
    """Remembers when the last host answered, and which hosts have begun to fail since."""

    def __init__(self) -> None:
        #: When a host answered last; None: none has in this run.
        self.answered_at: float | None = None
        self._failed: set[str] = set()

    def answered(self, now: float) -> bool:
        """Note that a host answered; tell whether an outage ends by that."""
        ends = self.is_on(now)
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
        return _AFTER_SECS <= now - self.answered_at < _LONGEST_SECS
