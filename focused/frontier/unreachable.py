"""Keeps the links of hosts that do not answer waiting, and gives such hosts up in the end."""

from __future__ import annotations

import heapq
import logging
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from focused.frontier.interface import GivenUpHost, HostCounts
from focused.utils.open_files import is_none_left
from focused.utils.origins import host_of, origin_of
from focused.utils.words import quantity

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy import Request
    from scrapy.statscollectors import StatsCollector

    from focused.frontier.host_failures import HostFailures
    from focused.frontier.leases import Leases
    from focused.frontier.store.interface import LinkStore

logger = logging.getLogger(__name__)

TOO_MANY_FILES = "too many open files"
CONNECTION_BROKEN = "connection broken"
_TOO_MANY_REQUESTS = "HTTP 429"
_MOST_ALONE = 2
"""If no more pages than these fail, each time, while their host answers others, the host is not to blame."""
_MOST_KEPT, _MOST_SUSPECTS = 100, 10_000
_SAID_AGAIN_SECS, _LONGEST_SILENCE_SECS = 10.0, 600.0
_PAUSE_SECS = 2.0
_MOST_NAMED = 3


@dataclass(eq=False)
class UnreachableHosts:
    """Decides about the links of hosts that do not answer.

    If a host does not answer, the link that was asked for waits again, and the host's origin (scheme, host and port) rests.

    - Failures are counted by origin, because one port of a host may be closed while another answers. Links of a resting
      origin are put aside when their turn comes, and the host's other links are asked for. After an answer 429, which asks
      for fewer requests, the whole host rests.
    - When an origin is given up, its waiting links fail as `host not reachable`. They wait again when the crawl is resumed.
    - A link may have failed by its own fault. It then comes after all others of its host. If one of these is answered, the
      link fails alone the next time. If there are no others, one or two links that failed each time fail alone in the end.
    - If this process has too many files open, no host is to blame: nothing is asked for during two seconds.

    Stats: ``focused/hosts/rests_count``, ``given_up_count``, ``waits_again_count``, ``unreachable_links_count``,
    ``no_descriptor_count``.
    """

    store: LinkStore
    leases: Leases
    failures: HostFailures
    stats: StatsCollector
    #: Until when nothing is asked for, on the downloader's clock.
    paused_until: float = field(default=0.0, init=False)
    _to_give_up: list[str] = field(default_factory=list, init=False)
    # When each resting origin may be asked again, the first one first; and the resting origins of each host.
    _rests: list[tuple[float, str]] = field(default_factory=list, init=False)
    _resting: dict[str, set[str]] = field(default_factory=dict, init=False)
    # The links of each origin that have failed since it last answered, and whether the origin was surely to blame.
    _failed_links: dict[str, dict[str, bool]] = field(default_factory=dict, init=False)
    # The latest links that failed although others of their host were answered after that.
    _suspects: dict[str, None] = field(default_factory=dict, init=False)
    _logged_until: float = field(default=0.0, init=False)
    # Until when the log does not say again that the crawl waits, and for how long it will not after that.
    _silent_until: float = field(default=0.0, init=False)
    _silent_secs: float = field(default=0.0, init=False)

    def __post_init__(self) -> None:
        #: To be set: called with an origin and its failures, as of `HostFailures.history`, when that changes.
        self.hand_on_trouble: Callable[[str, int, str, bool], None] = lambda origin, n_failures, why, has_answered: None

    def resume(self) -> None:
        """Log that links of hosts which an earlier run gave up wait again, and reset their counters."""
        if self.store.n_resumed:
            logger.info(
                "Retrying %s of hosts that were unreachable, or not to be asked.",
                quantity(self.store.n_resumed, "links"),
            )
        for name in ("given_up_count", "unreachable_links_count"):
            if self.stats.get_value(f"focused/hosts/{name}"):
                self.stats.set_value(f"focused/hosts/{name}", 0)
        # What is refused now is said and counted anew.
        for name in [name for name in self.stats.get_stats() if name.startswith("focused/addresses/")]:
            self.stats.set_value(name, 0)

    def failed(self, request: Request, why: str, *, is_sure: bool) -> bool:
        """Note that a request failed; tell whether its link waits again."""
        if why == TOO_MANY_FILES or is_none_left():
            self.pause(_PAUSE_SECS)
        else:
            is_known_to_fail = why.startswith("HTTP ") and self.store.standing_back.leads_nowhere(request.url)
            if not is_sure and (is_known_to_fail or request.url in self._suspects):
                return False
            origin, failures = origin_of(request.url), self.failures
            if "HTTP " in why:
                self._network_answers()
            before = failures.rests_until(origin), len(failures.given_up)
            links = self._failed_links.setdefault(origin, {})
            if len(links) < _MOST_KEPT:
                # Of "too many requests" the host is sure; but if it is the page's own answer, another page shows that.
                links[request.url] = is_sure and not why.endswith(_TOO_MANY_REQUESTS)
            # If the same few links fail each time, the pages may be to blame.
            is_alone = len(links) <= _MOST_ALONE and (why.startswith("HTTP ") or why == CONNECTION_BROKEN)
            if not failures.failed(origin, why, self.leases.now(), is_sure=is_sure, is_alone=is_alone):
                return False
            self.hand_on_trouble(origin, *failures.history(origin))
            if len(failures.given_up) > before[1]:
                self._to_give_up.append(origin)
                del self._failed_links[origin]
                self.stats.set_value("focused/hosts/given_up_count", len(failures.given_up))
                logger.debug("%s is given up: %s", origin, why)
            elif (until := failures.rests_until(origin)) > before[0]:
                heapq.heappush(self._rests, (until, origin))
                self._resting.setdefault(host_of(origin), set()).add(origin)
                if why.endswith(_TOO_MANY_REQUESTS):
                    self.leases.ready_at.rest(host_of(origin), until)
                self.stats.inc_value("focused/hosts/rests_count")
                logger.debug("%s does not answer, and rests for %.0f s", origin, until - self.leases.now())
        lease = self.leases.of(request)
        if lease is None:
            return False
        lease.waits_again = True
        self.stats.inc_value("focused/hosts/waits_again_count")
        return True

    def answered(self, request: Request) -> None:
        """Note that a request was answered."""
        self._network_answers()
        origin = origin_of(request.url)
        for url, was_sure in self._failed_links.pop(origin, {}).items():
            if not was_sure and url != request.url:
                self._suspects[url] = None
                if len(self._suspects) > _MOST_SUSPECTS:
                    del self._suspects[next(iter(self._suspects))]
        was_troubled = bool(self.failures) and self.failures.history(origin)[0] > 0
        self.failures.answered(origin)
        if was_troubled:
            self._end_rest(origin)
            self.hand_on_trouble(origin, *self.failures.history(origin))

    def _network_answers(self) -> None:
        """Note that some host has answered. If none did for a while, all are asked again."""
        self._silent_secs = _SAID_AGAIN_SECS
        failing = self.failures.network_answered(self.leases.now())
        if failing:
            logger.info("Hosts answer again. Those that did not are asked now: %d", len(failing))
        for origin in failing:
            self._failed_links.pop(origin, None)  # no link is to blame, either
            self._end_rest(origin)
            self.hand_on_trouble(origin, *self.failures.history(origin))

    def is_doubtful(self, url: str) -> bool:
        """Tell whether a link has failed, perhaps by its own fault, and its host has not answered since."""
        if not self._failed_links or self._failed_links.get(origin_of(url), {}).get(url) is not False:
            return False
        return not self.failures.outage.is_on(self.leases.now())

    def rests_until(self, url: str) -> float:
        """Return until when the origin of a URL rests, on the downloader's clock; 0: it does not."""
        return self.failures.rests_until(origin_of(url)) if self.failures else 0.0

    def host_rests(self, host: str) -> None:
        """Let a host rest until the first of its origins has rested: too many of its links are put aside."""
        self.leases.ready_at.rest(host, self._end_of_rest(host))

    def resting_until(self, host: str) -> float:
        """Return until when all links of a host wait because its origins rest; 0 if it has a link that may be asked for."""
        if host not in self._resting or self.store.hosts.best(self.store.host_number(host)) is not None:
            return 0.0
        return self._end_of_rest(host)

    def resting_hosts(self) -> dict[str, float]:
        """Return the hosts all of whose links wait because their origins rest, and until when."""
        return {host: until for host in self._resting if (until := self.resting_until(host))}

    def _end_of_rest(self, host: str) -> float:
        return min(map(self.failures.rests_until, self._resting.get(host, ())), default=0.0)

    def next_end_of_rest(self) -> float | None:
        """Return when the first of the resting origins may be asked again; None if none rests."""
        return self._rests[0][0] if self._rests else None

    def end_rests(self) -> bool:
        """End the rests that are over, and let the links of origins that were given up fail; tell whether any failed.

        The caller commits.
        """
        while self._rests and self._rests[0][0] <= self.leases.now():
            _, origin = heapq.heappop(self._rests)
            if self.failures.rests_until(origin) <= self.leases.now():
                self._end_rest(origin)
        origins, self._to_give_up = self._to_give_up, []
        for origin in origins:
            self.store.give_up_origin(origin)
        if self.store.n_unreachable:
            self.stats.set_value("focused/hosts/unreachable_links_count", self.store.n_unreachable)
        return bool(origins)

    def _end_rest(self, origin: str) -> None:
        self.store.restore_origin(origin)
        origins = self._resting.get(host := host_of(origin), set())
        origins.discard(origin)
        if not origins:
            self._resting.pop(host, None)

    def given_up(self) -> list[GivenUpHost]:
        """Return the hosts that were given up, those with most links first."""
        n_links = self.store.n_unreachable_of
        found = [(_name(origin), why, n_links(origin)) for origin, why in self.failures.given_up.items()]
        return sorted(found, key=lambda each: (-each[2], each[0]))

    def failing(self) -> list[tuple[str, str]]:
        """Return the hosts that do not answer at present, and why."""
        return [(_name(origin), why) for origin, why in self.failures.troubled()]

    def host_counts(self) -> HostCounts:
        """Return how many hosts there are to ask, and how many do not answer."""
        hosts, number = self.store.hosts, self.store.host_number
        troubled, rest_of, now = self.failures.troubled(), self.leases.ready_at.rest_of, self.leases.now()
        names = {host_of(origin) for origin, _ in troubled}
        # A host whose origin rests while the host does not has others, or will soon have no link that may be asked for.
        names -= {host for host in names if host in self._resting and rest_of(host) <= now}
        n_asked = sum(hosts.best(number(host)) is not None for host in names)
        return HostCounts(max(len(hosts) - n_asked, 0), len(troubled) + len(self.failures.given_up))

    def log_waiting(self, next_time: float | None) -> None:
        """Log that the crawl waits, if nothing is under way and all hosts rest; once for each moment it waits until.

        It is said again after ten seconds, then twice as long each time, until a host answers. It is not said while any other
        host has links, which its delay, or patience, keeps from their turn. ``next_time``: when the next host may be asked.
        """
        now = self.leases.now()
        resting = self.failures.resting(now) if self.failures and now >= self._silent_until else []
        if not resting or resting[0][0] <= self._logged_until or (next_time is not None and next_time < resting[0][0]):
            return
        if self.host_counts().n_active:
            return
        self._silent_secs = max(self._silent_secs, _SAID_AGAIN_SECS)
        self._silent_until, self._silent_secs = (
            now + self._silent_secs,
            min(2 * self._silent_secs, _LONGEST_SILENCE_SECS),
        )
        self._logged_until = resting[0][0]
        named = ", ".join(f"{_name(origin)} ({trouble.why})" for _, origin, trouble in resting[:_MOST_NAMED])
        clock = time.strftime("%H:%M:%S", time.localtime(time.time() + self._logged_until - now))
        more = f" and {len(resting) - _MOST_NAMED} more" if len(resting) > _MOST_NAMED else ""
        what = "All remaining hosts have failed"
        if self.failures.outage.is_on(now):
            what = "No host answers: is this machine's network down? Hosts are not given up meanwhile"
        logger.info("%s. Waiting until %s for %s%s", what, clock, named, more)

    def pause(self, secs: float) -> None:
        """Ask for nothing for some seconds: this process has as many files open as it may."""
        if not self.stats.get_value("focused/hosts/no_descriptor_count"):
            logger.warning(
                "Too many open files: links wait until some are closed; said once. Allow more (ulimit -n), or have fewer "
                "requests under way (CONCURRENT_REQUESTS)."
            )
        self.stats.inc_value("focused/hosts/no_descriptor_count")
        self.paused_until = self.leases.now() + secs


def _name(origin: str) -> str:
    """Return the host of an origin, with its port if it says one."""
    return origin.partition("//")[2]
