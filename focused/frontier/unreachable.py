"""Hosts that do not answer: their links wait, the crawl waits with them if it must, and in the end gives them up."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from focused.frontier.open_files import is_none_left
from focused.frontier.store.link import host_of

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.statscollectors import StatsCollector

    from focused.frontier.host_failures import HostFailures
    from focused.frontier.interface import GivenUpHost
    from focused.frontier.leases import Leases
    from focused.frontier.store.store import FrontierStore

logger = logging.getLogger(__name__)

TOO_MANY_FILES = "too many open files"
_PAUSE_SECS = 2.0
_MOST_NAMED = 3


@dataclass(eq=False)
class UnreachableHosts:
    """Decides about the links of hosts that do not answer.

    A failure of a host costs its links nothing: the one that was asked for waits again, and the host rests. When it is given
    up, what waits of it fails as `host not reachable`, and waits again when the crawl is resumed. What fails because this
    process has too many files open is no host's fault: nothing is asked for during two seconds.

    Stats: ``focused/hosts/rests_count``, ``given_up_count``, ``waits_again_count``, ``unreachable_links_count``,
    ``no_descriptor_count``.
    """

    store: FrontierStore
    leases: Leases
    failures: HostFailures
    stats: StatsCollector
    #: Until when nothing is asked for, on the downloader's clock.
    paused_until: float = 0.0
    _to_give_up: list[str] = field(default_factory=list)
    _said: float = 0.0

    def resume(self) -> None:
        """Begin anew: links of hosts that an earlier run gave up wait again."""
        if self.store.n_resumed:
            logger.info("%d links of hosts that could not be reached are tried again.", self.store.n_resumed)
        for name in ("given_up_count", "unreachable_links_count"):
            if self.stats.get_value(f"focused/hosts/{name}"):
                self.stats.set_value(f"focused/hosts/{name}", 0)

    def failed(self, request: Request, why: str, *, is_sure: bool) -> bool:
        """Note that a request failed; tell whether its link waits again."""
        if why == TOO_MANY_FILES or is_none_left():
            self.pause(_PAUSE_SECS)
        else:
            host = host_of(request.url)
            before = self.failures.rests_until(host)
            if not self.failures.failed(host, why, self.leases.now(), is_sure=is_sure):
                return False
            self._rest(host, before)
        lease = self.leases.of(request)
        if lease is None:
            return False
        lease.waits_again = True
        self.stats.inc_value("focused/hosts/waits_again_count")
        return True

    def answered(self, request: Request) -> None:
        """Note that a request was answered."""
        if self.failures:
            self.failures.answered(host_of(request.url))

    def settle(self) -> bool:
        """Let the links of hosts that have been given up fail; tell whether there were any. The caller commits."""
        hosts, self._to_give_up = self._to_give_up, []
        for host in hosts:
            self.store.give_up_host(host)
        if self.store.n_unreachable:
            self.stats.set_value("focused/hosts/unreachable_links_count", self.store.n_unreachable)
        return bool(hosts)

    def given_up(self) -> list[GivenUpHost]:
        """Return the hosts that were given up, those with most links first."""
        n_links = self.store.n_unreachable_of
        found = [(host, why, n_links(host)) for host, why in self.failures.given_up.items()]
        return sorted(found, key=lambda each: (-each[2], each[0]))

    def say_what_is_waited_for(self) -> None:
        """Say so where nothing is under way and all that waits waits for hosts that rest; once for each moment."""
        resting = self.failures.resting(self.leases.now()) if self.failures else []
        if not resting or resting[0][0] <= self._said:
            return
        self._said = resting[0][0]
        clock = time.strftime("%H:%M:%S", time.localtime(time.time() + self._said - self.leases.now()))
        named = ", ".join(f"{host} ({trouble.why})" for _, host, trouble in resting[:_MOST_NAMED])
        more = f" and {len(resting) - _MOST_NAMED} more" if len(resting) > _MOST_NAMED else ""
        logger.info("Nothing to ask for but what does not answer: waiting until %s for %s%s", clock, named, more)

    def pause(self, secs: float) -> None:
        """Let nothing be asked for: this process has as many files open as it may."""
        if not self.stats.get_value("focused/hosts/no_descriptor_count"):
            logger.warning(
                "Too many open files: links wait until some are closed; said once. Allow more (ulimit -n), or have fewer "
                "requests under way (CONCURRENT_REQUESTS)."
            )
        self.stats.inc_value("focused/hosts/no_descriptor_count")
        self.paused_until = self.leases.now() + secs

    def _rest(self, host: str, before: float) -> None:
        """Let a host rest that has failed, or give it up."""
        until = self.failures.rests_until(host)
        if until > before:
            self.leases.ready_at.rest(host, until)
            self.stats.inc_value("focused/hosts/rests_count")
            logger.debug("%s does not answer, and rests for %.0f s", host, until - self.leases.now())
        elif not until and not self.store.is_given_up(host) and host not in self._to_give_up:
            self._to_give_up.append(host)
            self.stats.set_value("focused/hosts/given_up_count", len(self.failures.given_up))
            logger.debug("%s is given up: %s", host, self.failures.given_up[host])
