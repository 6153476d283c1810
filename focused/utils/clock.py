"""The clock of a crawl: the machine's, or a virtual one, by which a crawl of ten hours is replayed in seconds."""

from __future__ import annotations

import heapq
from itertools import count
from time import monotonic
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary, ref

from scrapy.utils.asyncio import call_later, sleep
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred

from focused.utils.scrapy_internals import is_closing, requests_in_progress, wake_engine
from focused.utils.setting import USER, Setting

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy.crawler import Crawler

VIRTUAL_DELAY = Setting(
    "FOCUSED_VIRTUAL_DELAY_SECS", None,
    "Seconds between two requests to a host of a recorded or demo web, in virtual time: nobody waits for them, but the order "
    "of requests is that of a live crawl. None: no virtual time.", least=0, set_by=USER)  # fmt: skip
VIRTUAL_LATENCY = Setting(
    "FOCUSED_VIRTUAL_LATENCY_SECS",
    0.3,
    "Seconds that a host takes for an answer in virtual time.",
    least=0,
    set_by=USER,
)

_SOON_TURNS, _LATER_SECS = 20, 0.005
"""How often in a row, at once, it is looked whether a crawl is at rest; and after how many seconds from then on."""


class Clock:
    """The machine's clock: seconds from an unknown moment, never backwards."""

    #: Whether seconds pass only when a crawl has nothing to do.
    is_virtual = False

    def now(self) -> float:
        """Return the time in seconds."""
        return monotonic()

    def call_at(self, moment: float, function: Callable[[], None]) -> Callable[[], None]:
        """Call a function at a moment of this clock; return what takes that back."""
        call = call_later(max(0.001, moment - self.now()), function)
        return call.cancel

    async def sleep_until(self, moment: float) -> None:
        """Wait for a moment of this clock."""
        if (secs := moment - self.now()) > 0:
            await sleep(secs)

    def check_at_rest(self) -> None:
        """Check whether a crawl is at rest, and jump if so. The machine's clock goes on by itself."""


class VirtualClock(Clock):
    """A clock that stands still while a crawl has anything to do, and then jumps to the next moment that is waited for.

    A crawl is at rest when each of its requests waits for its answer and its scheduler, asked once more, gives no other.
    Of two things that are due at one moment the one that was wished for first comes first, and the crawl comes to rest
    before the other. So the same crawl goes the same way each time, whatever the machine does meanwhile.
    """

    is_virtual = True

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = ref(crawler)
        self._now = 0.0
        self._number = count()
        self._due: list[tuple[float, int, Callable[[], None]]] = []
        self._gone: set[int] = set()
        self._n_asleep = 0
        self._n_events = 0
        # How many things had been wished for and done when the scheduler was asked once more; -1: it was not.
        self._asked_at = -1
        self._n_turns = 0
        self._is_looking = self._has_begun = False
        #: When each host was asked last, or is about to be.
        self.turns: dict[str, float] = {}

    def now(self) -> float:
        """Return the virtual time in seconds, from the start of the crawl."""
        return self._now

    def call_at(self, moment: float, function: Callable[[], None]) -> Callable[[], None]:
        """Call a function at a moment of this clock; return what takes that back."""
        number = next(self._number)
        self._n_events += 1
        heapq.heappush(self._due, (max(moment, self._now), number, function))
        self.check_at_rest()
        return lambda: self._gone.add(number)

    async def sleep_until(self, moment: float) -> None:
        """Wait for a moment of this clock: for the answer to a request in progress."""
        woken: Deferred[None] = Deferred()
        self._n_asleep += 1
        self._has_begun = True
        self.call_at(moment, lambda: woken.callback(None))
        try:
            await maybe_deferred_to_future(woken)
        finally:
            self._n_asleep -= 1

    def check_at_rest(self) -> None:
        """Check whether the crawl is at rest, and jump if so, after what is to be done at once."""
        self._n_turns = 0
        if not self._is_looking:
            self._is_looking = True
            call_later(0, self._jump_if_at_rest)

    def _jump_if_at_rest(self) -> None:
        self._is_looking = False
        crawler = self._crawler()
        if crawler is None or not self._due:
            return
        if is_closing(crawler) and not self._n_asleep:
            return
        # Before its first request a crawl is only being opened.
        if not self._has_begun or len(requests_in_progress(crawler)) != self._n_asleep:
            self._asked_at = -1
        elif self._asked_at == self._n_events:
            self._jump()
        else:
            self._asked_at = self._n_events
            wake_engine(crawler)
        # While something else is done, a training in another process perhaps, it is looked now and then.
        self._n_turns += 1
        if self._due and not self._is_looking:
            self._is_looking = True
            call_later(0 if self._n_turns < _SOON_TURNS else _LATER_SECS, self._jump_if_at_rest)

    def _jump(self) -> None:
        while self._due:
            moment, number, function = heapq.heappop(self._due)
            if number in self._gone:
                self._gone.discard(number)
                continue
            self._now = moment
            self._n_events += 1
            self._n_turns = 0
            function()
            return


_clocks: WeakKeyDictionary[Crawler, Clock] = WeakKeyDictionary()


def clock_of(crawler: Crawler) -> Clock:
    """Return the clock of a crawl: a virtual one if FOCUSED_VIRTUAL_DELAY_SECS is set, else the machine's."""
    if crawler not in _clocks:
        is_virtual = VIRTUAL_DELAY.read(crawler.settings) is not None
        _clocks[crawler] = VirtualClock(crawler) if is_virtual else Clock()
    return _clocks[crawler]
