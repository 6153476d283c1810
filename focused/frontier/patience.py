"""`Patience`: a link is handed out if it is among the best that the remaining budgets allow; otherwise the crawl waits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from focused.frontier.store.waiting_counts import extended_to_hosts
from focused.frontier.store.worker_demand import WorkerDemand
from focused.utils.setting import TOPIC, Setting
from focused.utils.words import duration, quantity

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy.statscollectors import StatsCollector

    from focused.frontier.allowance import Allowance, LinkSupply, RequestPace
    from focused.frontier.leases import Lease
    from focused.frontier.store.link import Leased
    from focused.frontier.store.waiting_counts import Floats

PATIENCE = Setting(
    "FOCUSED_PATIENCE", 1.75,
    "How many times as long a crawl with a page limit may take as one that never waits: while the hosts of good links rest, "
    "it waits for them instead of spending pages on others. With FOCUSED_MAX_MINUTES that is the limit. 0: never wait.",
    least=0, set_by=TOPIC)  # fmt: skip

WAITED = "focused/patience/waited_secs"
IMPATIENT = "focused/patience/impatient_count"
IMPATIENT_SECS = "focused/patience/impatient_secs"

_OFTEN = 64
"""The cut is computed again after 1/64 of the pages left, or of the time left."""
_AS_PAGES = 10
"""Prior of the share of requests that bring a page: so many requests, each with a page."""
_SHARE_NOW, _TIGHT, _SHARE_EVERY = 0.7, 0.25, 6
"""While there is time to spare, links for this share of the pages left are counted, because better links may come. All pages
left are counted if half of the time left would lose ``_TIGHT`` of the links. That is computed with every sixth cut."""
_LEAST_SPARE = 1.15
"""The crawl waits only if the time left is so many times what a crawl that never waits would need for the pages left."""
_LEAST_POPS = 4
_HOSTS_A_POP = 1
_SMOOTHING = 0.05


class Patience:
    """Decides which links are worth a page now, by the pages and time left, the waiting links and those expected.

    The time is FOCUSED_MAX_MINUTES, or FOCUSED_PATIENCE times what a crawl that never waits would take. That is
    estimated during the crawl: whenever this crawl waits, an impatient one would ask each host with links as often as the
    host's delay allows.

    Stats: ``focused/patience/waited_secs`` (while a request was free, and a host could have been asked),
    ``impatient_count`` (requests that a crawl which never waits would have made by now), ``impatient_secs`` (when it
    would have ended).
    """

    def __init__(self, links: LinkSupply, pace: RequestPace, allowance: Allowance, *, stats: StatsCollector) -> None:
        self._store, self.by_level = links.store, links.by_level
        #: What other workers of the crawl have told of their links.
        self.other_workers = links.other_workers
        self._hosts, self._concurrency, self._begins = pace.hosts, pace.concurrency, pace.begins
        self._goal_pages, self._pages_left = allowance.goal_pages, allowance.pages_left
        self._factor, self._max_secs, self._spent_secs = allowance.factor, allowance.max_secs, allowance.spent_secs
        self._stats = stats
        #: Requests and seconds an impatient crawl would have made and taken, seconds that this one has waited.
        self._n_impatient = float(stats.get_value(IMPATIENT, 0))
        self._waited = float(stats.get_value(WAITED, 0))
        self._impatient_secs = float(stats.get_value(IMPATIENT_SECS, 0))
        #: Seconds waited that are not reckoned with yet.
        self._unreckoned = 0.0
        #: How often an impatient crawl would have asked each host, by its number.
        self._asked = np.zeros(0)
        #: Hosts that an impatient crawl would still ask.
        self._n_open: float | None = None
        #: Means over the last requests, in seconds.
        self._usual = self._hosts.delay_of("")
        self._latency, self._delay = 0.0, self._usual
        #: Seconds between two requests to a host by its number, where they are not the usual ones.
        self._unusual: dict[int, float] = {}
        #: Whether the crawl waits, and whether it has since the clock moved.
        self._is_waiting = self._has_waited = False
        self._at = self._hosts.clock.now()
        #: Responses, and how many of them were pages.
        self._n_ended = self._n_pages = 0
        self._least: int | None = None
        self._n_pops = self._n_pops_to_look = self._n_looks = 0
        self._share = 1.0
        self._next_look = -1.0
        #: Whether the strategy asked for few requests when the cut was looked for.
        self._was_beginning = True

    def least_priority(self) -> int | None:
        """Return the least priority of the links that are worth a page now; None if every link is."""
        now = self._hosts.clock.now()
        if self._is_waiting:
            self._waited_until(now)
        elif now > self._at:
            self._has_waited = False
        self._at = now
        self._n_pops += 1
        begins = self._begins()
        if self._n_pops < self._n_pops_to_look and now < self._next_look and begins == self._was_beginning:
            return self._least
        self._was_beginning = begins
        self._reckon()
        self._write_stats()
        self._usual = self._hosts.delay_of("")  # AutoThrottle sets it after the start
        n_left = round(self._pages_left() / self._pages_a_request())
        self._n_pops, self._n_pops_to_look = 0, self._pops_between(n_left)
        secs_left = self.secs_left()
        self._next_look = now + max(secs_left, 0.0) / _OFTEN
        own_rate = self._impatient_rate()
        n_without_waiting = secs_left * (own_rate + self.other_workers.rate)
        self._least = None
        # Where there is hardly time for all pages each host that rests is a page less. The first links are as good as any, and
        # who waits for few hosts does not get to know the others.
        is_patient = n_without_waiting > _LEAST_SPARE * n_left and not begins
        n_workers = self.other_workers.n_workers
        if is_patient or n_workers > 1:
            turns, sunk = self._turns(secs_left), self._store.hosts.all_sunk
            supply = self.by_level.supply(n_left / n_workers, turns, sunk)
            self.other_workers.send(WorkerDemand(self._n_impatient, own_rate, supply, self._n_ended, self._n_pages))
            if is_patient:
                if self._n_looks % _SHARE_EVERY == 0:
                    in_half = self.by_level.supply(n_left / n_workers, turns / 2, sunk)
                    self._share = _share_wanted(supply, in_half, n_left)
                self._n_looks += 1
                self._least = self.by_level.least_priority(
                    supply + self.other_workers.supply, round(self._share * n_left)
                )
        return self._least

    def secs_left(self) -> float:
        """Return how many seconds the crawl may still take."""
        spent = self._spent_secs()
        if self._max_secs:
            return self._max_secs - spent
        if self._impatient_secs:
            return self._factor * self._impatient_secs - spent
        n_missing = max(self._goal_pages() / self._pages_a_request() - self._n_impatient_of_all, 0.0)
        rate = self._impatient_rate(self._n_open) + self.other_workers.rate
        return self._factor * (spent + n_missing / max(rate, 1e-9)) - spent

    def wait(self) -> None:
        """Note that the crawl waits although a host may be asked."""
        self._is_waiting = True

    def next_check_time(self) -> float:
        """Return when the cut is computed again, if nothing happens before."""
        return max(self._next_look, self._hosts.clock.now() + 0.05)

    def note_lease(self, link: Leased) -> None:
        """Note that a link is under way."""
        if not self._has_waited:  # after a wait it is one of those that an impatient crawl has made already
            self._n_impatient += 1
        delay = self._hosts.delay_of(link.host)
        if delay != self._usual or self._unusual:
            self._delay += _SMOOTHING * (delay - self._delay)
            self._unusual[self._store.host_number(link.host)] = delay

    def begin_page(self, lease: Lease) -> None:
        """Note that the links of a page are added from now on; ``lease`` is that of the page's link."""
        self.by_level.begin_page(lease.link.priority)

    def note_end(self, lease: Lease, *, is_page: bool) -> None:
        """Note that the response to a link has come, and whether it was a page."""
        self._n_ended += 1
        self._n_pages += is_page
        secs = max(self._hosts.clock.now() - lease.since, 0.0)
        self._latency += (_SMOOTHING if self._latency else 1.0) * (secs - self._latency)
        self.by_level.page_ended()

    # --- Inside

    @property
    def _n_impatient_of_all(self) -> float:
        return self._n_impatient + self.other_workers.n_impatient

    def _pages_a_request(self) -> float:
        """Return how many pages a request brings: less than 1, for redirects, errors and pages with two URLs.

        It is computed over all workers, so that they agree on when a crawl that never waits would have ended.
        """
        n_pages, n_ended = self._n_pages + self.other_workers.n_pages, self._n_ended + self.other_workers.n_ended
        return (n_pages + _AS_PAGES) / (n_ended + _AS_PAGES)

    def _pops_between(self, n_left: int) -> int:
        return max(_LEAST_POPS, n_left // _OFTEN, len(self._store.hosts) // _HOSTS_A_POP)

    def _impatient_rate(self, n_hosts: float | None = None) -> float:
        """Return how many requests a second a crawl that never waits would make of ``n_hosts``; None: of those with links."""
        by_hosts = (len(self._store.hosts) if n_hosts is None else n_hosts) / max(self._delay, self._latency, 1e-3)
        return min(by_hosts, self._concurrency / self._latency) if self._latency else by_hosts

    def _waited_until(self, now: float) -> None:
        self._waited += now - self._at
        self._unreckoned += now - self._at
        self._is_waiting, self._has_waited = False, True
        self._write_stats()

    def _reckon(self) -> None:
        """Reckon with what an impatient crawl would have asked for in the seconds that this one has waited."""
        secs, self._unreckoned = self._unreckoned, 0.0
        if not secs:
            return
        waiting, taken = self.by_level.by_host()
        asked = self._asked = np.maximum(np.pad(self._asked, (0, len(taken) - len(self._asked))), taken)
        # It would have used up hosts of few links long ago, which this one still has; or found others there, which this one
        # has not. Nobody knows, so these count half.
        turns = extended_to_hosts(secs / self._delays(), len(taken))
        more = np.minimum(turns, np.maximum(waiting + taken - asked, turns / 2 * (waiting > 0)))
        n_more = float(more.sum())
        n_most = self._concurrency * secs / self._latency if self._latency else n_more
        if n_more > n_most:
            more *= n_most / n_more
        asked += more
        self._n_impatient += min(n_more, n_most)
        n_used_up = int(((waiting > 0) & (waiting + taken <= asked)).sum())
        self._n_open = len(self._store.hosts) - n_used_up / 2

    def _write_stats(self) -> None:
        self._stats.set_value(WAITED, round(self._waited, 3))
        self._stats.set_value(IMPATIENT, round(self._n_impatient))
        if not self._impatient_secs and self._n_impatient_of_all * self._pages_a_request() >= self._goal_pages():
            self._impatient_secs = self._spent_secs()
            self._stats.set_value(IMPATIENT_SECS, round(self._impatient_secs, 3))

    def _delays(self, last: int = -1) -> Any:
        """Return the seconds between two requests to each host up to a number, at least; the last stands for all beyond."""
        delays = np.full(max([*self._unusual, last]) + 2, max(self._usual, self._latency, 1e-3))
        for number, delay in self._unusual.items():
            delays[number] = max(delay, self._latency, 1e-3)
        return delays

    def _turns(self, secs_left: float) -> Any:
        """Return how often each host may still be asked."""
        resting = {self._store.host_number(host): until for host, until in self._hosts.resting().items()}
        secs_left = max(secs_left, 1e-3)
        turns = secs_left / self._delays(max(resting, default=-1)) + 0.5
        for number, until in resting.items():
            if number >= 0 and until > self._at:
                turns[number] *= max(1 - (until - self._at) / secs_left, 0.0)
        return turns


def _share_wanted(supply: Floats, in_half: Floats, n_left: int) -> float:
    """Return the share of the pages left that links are looked for now, from `_SHARE_NOW` to 1.

    ``supply`` and ``in_half``: as of `WaitingCounts.supply`, in the time left and in half of it.

    >>> [_share_wanted(np.array([40.0, 90.0]), np.array([40.0, n]), 80) for n in (90.0, 76.5, 45.0)]
    [0.7, 0.88, 1.0]
    """
    place = min(int(np.searchsorted(supply, n_left)), len(supply) - 1)
    n_links = float(supply[place])
    lost = 1 - float(in_half[place]) / n_links if n_links else 0.0
    return round(_SHARE_NOW + (1 - _SHARE_NOW) * min(1.0, lost / _TIGHT), 3)


def summary(stats: Mapping[str, Any]) -> str:
    """Return what to say of it in a line of the log; empty if the crawl has not waited.

    >>> summary({WAITED: 90.0, IMPATIENT: 1200})
    'waited 90 s for better links; a crawl that never waits would have made 1,200 requests by now'
    >>> summary({WAITED: 90.0, IMPATIENT: 1200, IMPATIENT_SECS: 61.0})
    'waited 90 s for better links; a crawl that never waits would have had its pages after 61 s'
    """
    secs = stats.get(WAITED, 0)
    if secs < 0.5:
        return ""
    if ended := stats.get(IMPATIENT_SECS, 0):
        otherwise = f"had its pages after {duration(ended)}"
    else:
        otherwise = f"made {quantity(stats.get(IMPATIENT, 0), 'requests')} by now"
    return f"waited {duration(secs)} for better links; a crawl that never waits would have {otherwise}"
