"""Decides how long a host that does not answer rests, and when it is given up. No Scrapy, no clock of its own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from focused.frontier.network_outage import NetworkOutage
from focused.utils.setting import USER, Setting

if TYPE_CHECKING:
    from collections.abc import Callable

REST_SECS = Setting(
    "FOCUSED_HOST_REST_SECS",
    10.0,
    "Seconds that a host of the live web is left alone when it has not answered; twice as long after each further time, an "
    "hour at most.",
    above=0,
    set_by=USER,
)
MOST_FAILURES = Setting(
    "FOCUSED_HOST_FAILURES",
    8,
    "Failures in a row after which a host is given up and its links fail, until the crawl is resumed; after 3 if it has never "
    "answered.",
    least=1,
    set_by=USER,
)
LONGEST_REST_SECS = 3600.0
_MOST_ANSWERED = 20_000
"""Hosts that are remembered to have answered."""
_DOUBTFUL_IN_A_ROW = 3
"""After so many requests in a row that went wrong the host is to blame, not its pages."""
_TRIES_OF_A_STRANGER = 3
"""A host that has never answered is given up after so many failures, if not sooner."""


@dataclass(slots=True)
class HostTrouble:
    """What is wrong with a host."""

    why: str = ""
    #: Failures in a row; each makes the host rest twice as long.
    n_failures: int = 0
    #: Requests in a row that went wrong, perhaps only because of the page.
    n_doubtful: int = 0
    #: When its rest ends.
    rests_until: float = 0.0
    #: When the first of its failures was.
    since: float = field(default=0.0, init=False)


class HostFailures:
    """Counts the failures of hosts from one answer to the next.

    What is sure (no connection, robots.txt not to be had, "too many requests") is a failure at once. A time-out, a broken
    connection or an HTTP error 5xx may be the page's fault: it is a failure from the third in a row on, or where the host has
    never answered. While this machine's network is down (`NetworkOutage`), no host is given up. Only hosts in trouble take
    memory, some 300 bytes.

    Parameters
    ----------
    first_rest_secs : float
        How long a host rests after a failure; twice as long after each further one, at most ``LONGEST_REST_SECS``.
    most_failures : int
        After so many in a row a host is given up; a host that has never answered after three.
    has_answered : function
        Tells whether a host has answered in an earlier run of the crawl.
    """

    def __init__(self, first_rest_secs: float, most_failures: int, has_answered: Callable[[str], bool]) -> None:
        self._first_rest_secs = first_rest_secs
        #: After so many in a row a host that has answered is given up.
        self.most_failures = most_failures
        self._has_answered = has_answered
        self._troubles: dict[str, HostTrouble] = {}
        self._answered: dict[str, None] = {}
        #: Hosts that were given up, and why.
        self.given_up: dict[str, str] = {}
        #: Knows whether any host answers.
        self.outage = NetworkOutage()

    def __bool__(self) -> bool:
        """Tell whether any host is in trouble."""
        return bool(self._troubles)

    def troubled(self) -> list[tuple[str, str]]:
        """Return the hosts that have failed and not answered since, and why; without those that were given up."""
        return [(host, each.why) for host, each in self._troubles.items() if each.n_failures > 0]

    def answered(self, host: str) -> None:
        """Note that a host has answered: what was wrong is over."""
        self._troubles.pop(host, None)
        self._note_answer(host)

    def _note_answer(self, host: str) -> None:
        if host not in self._answered:
            if len(self._answered) >= _MOST_ANSWERED:
                del self._answered[next(iter(self._answered))]
            self._answered[host] = None

    def failed(self, host: str, why: str, now: float, *, is_sure: bool, is_alone: bool = False) -> bool:
        """Note that a request to a host failed at a moment; tell whether that is the host's fault.

        ``is_alone``: whether it is one of the few requests that have failed each time. Then a host that has answered others is
        not given up for it: the next request tells whose fault it is.
        While a host rests, what was under way fails as well, and does not count again.
        """
        if host in self.given_up:
            return True
        trouble = self._troubles.get(host)
        if trouble is None:
            trouble = self._troubles[host] = HostTrouble()
            trouble.since = now
        if now < trouble.rests_until:
            return True
        if not (is_sure or trouble.n_failures or self.outage.is_on(now)):
            trouble.n_doubtful += 1
            if trouble.n_doubtful < _DOUBTFUL_IN_A_ROW and self._is_known(host):
                return False
        trouble.n_failures += 1
        trouble.why = why
        if self._is_known(host):
            self.outage.failed(host, trouble.since)
        most = self._tries_of(host)
        if trouble.n_failures >= most and self.outage.is_on(now):
            most = self.most_failures + 1
            trouble.n_failures = min(trouble.n_failures, most - 2)
        if trouble.n_failures >= most and is_alone and self._is_known(host):
            trouble.n_failures = most - 1
            return False
        if trouble.n_failures >= most:
            del self._troubles[host]
            self.given_up[host] = why
        else:
            secs = self._first_rest_secs * 2 ** min(trouble.n_failures - 1, 30)
            trouble.rests_until = now + min(secs, LONGEST_REST_SECS)
        return True

    def network_answered(self, now: float) -> list[str]:
        """Note that some host answered. If that ends an outage, no host's rest lasts any longer; return those in trouble."""
        if not self.outage.answered(now):
            return []
        for each in self._troubles.values():
            each.rests_until, each.n_failures = min(each.rests_until, now), min(each.n_failures, 1)
        return list(self._troubles)

    def history(self, host: str) -> tuple[int, str, bool]:
        """Return what another process needs to continue: failures in a row, why, and whether the host has ever answered.

        A host that was given up has had all but one of its failures: if it is asked again, one more is enough.
        """
        if host in self.given_up:
            return self._tries_of(host) - 1, self.given_up[host], self._is_known(host)
        trouble = self._troubles.get(host)
        n_failures, why = (0, "") if trouble is None else (trouble.n_failures, trouble.why)
        return n_failures, why, self._is_known(host)

    def take_over(self, host: str, n_failures: int, why: str, has_answered: bool) -> None:
        """Continue with the failures that another process has counted for a host."""
        self._troubles.pop(host, None)
        if n_failures and host not in self.given_up:
            self._troubles[host] = HostTrouble(why, n_failures)
        if has_answered:
            self._note_answer(host)

    def _tries_of(self, host: str) -> int:
        return self.most_failures if self._is_known(host) else min(self.most_failures, _TRIES_OF_A_STRANGER)

    def _is_known(self, host: str) -> bool:
        return host in self._answered or self._has_answered(host)

    def rests_until(self, host: str) -> float:
        """Return when a host's rest ends; 0 if it has no trouble."""
        trouble = self._troubles.get(host)
        return 0.0 if trouble is None else trouble.rests_until

    def resting(self, now: float) -> list[tuple[float, str, HostTrouble]]:
        """Return the hosts that rest: when that ends, the host, what is wrong; the first to end first."""
        found = [(each.rests_until, host, each) for host, each in self._troubles.items() if each.rests_until > now]
        return sorted(found, key=lambda each: each[:2])
