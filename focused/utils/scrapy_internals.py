"""The private parts of Scrapy that this project needs.

Nowhere else are they touched, but for those of its HTTP handler, in :mod:`focused.crawl.live_handler`.

They hold for the Scrapy versions that ``requirements.txt`` allows; ``tests/test_utils_scrapy_internals.py`` fails where
one of them is gone.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sized
from typing import TYPE_CHECKING
from typing import Any as Anything

from pydispatch.dispatcher import Any, getAllReceivers, getReceivers, liveReceivers
from pydispatch.robustapply import robustApply
from scrapy.cmdline import _get_commands_dict
from scrapy.exceptions import IgnoreRequest
from scrapy.utils.project import get_project_settings, inside_project

from focused.utils.registered_domain import split_name

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.core.downloader import Downloader
    from scrapy.core.engine import ExecutionEngine
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)


def requests_in_progress(crawler: Crawler) -> set[Request]:
    """Return the requests that the engine has taken, until the items of their responses have passed the pipelines."""
    slot = _slot(crawler)
    return set() if slot is None else slot.inprogress


def is_closing(crawler: Crawler) -> bool:
    """Tell whether the engine has begun to close its spider."""
    slot = _slot(crawler)
    return slot is not None and slot.closing is not None


def queue_length(crawler: Crawler) -> int | None:
    """Return how many requests wait in the scheduler; None where there is none now, or it does not tell."""
    slot = _slot(crawler)
    return len(slot.scheduler) if slot is not None and isinstance(slot.scheduler, Sized) else None


def wake_engine(crawler: Crawler) -> None:
    """Make the engine ask its scheduler for requests in the next turn of the reactor."""
    slot = _slot(crawler)
    if slot is not None:
        slot.nextcall.schedule()


def default_delay(downloader: Downloader) -> float:
    """Return the delay in seconds between two requests to a host that has no downloader slot yet."""
    return float(downloader._delay)


def forget_idle_slots(downloader: Downloader, idle_secs: float) -> None:
    """Forget the slots of hosts that have had their delay, and so many seconds more, since they were asked last.

    Scrapy keeps each for a minute or two, at 1.3 kB. One with a longer delay than the usual, which AutoThrottle has given it,
    stays until then: its host would be asked too soon.
    """
    usual, before = default_delay(downloader), time.monotonic() - idle_secs
    for host, slot in list(downloader.slots.items()):
        if not slot.active and slot.delay <= usual and slot.lastseen + slot.delay <= before:
            downloader.slots.pop(host).close()


def keep_connections(crawler: Crawler, idle_secs: float) -> None:
    """Have connections closed that are idle for ``idle_secs``, and forget the hosts to which none is open.

    Twisted's pools keep them for four minutes, and an entry for each host for ever.
    """
    for pool in _connection_pools(crawler):
        pool.cachedConnectionTimeout = idle_secs
        for key in [key for key, connections in pool._connections.items() if not connections]:
            del pool._connections[key]


def close_idle_connections(crawler: Crawler) -> None:
    """Close all connections that nothing is asked on."""
    for pool in _connection_pools(crawler):
        pool.closeCachedConnections()


def _connection_pools(crawler: Crawler) -> list[Anything]:
    """Return the pools of the download handlers that exist and have one; others take care of their connections themselves."""
    engine = crawler._engine
    handlers = [] if engine is None else engine.downloader.handlers._handlers.values()
    pools = [getattr(handler, "_pool", None) for handler in handlers]
    # Not by their class, which takes 70 ms to import also where none is needed.
    return [pool for pool in pools if hasattr(pool, "cachedConnectionTimeout")]


def engine_of(crawler: Crawler) -> ExecutionEngine | None:
    """Return the engine of a crawler, also before it has started; None where there is none yet."""
    return crawler._engine


def is_starting(engine: ExecutionEngine) -> bool:
    """Tell whether an engine is opening its spider: it neither runs yet nor has been told to stop."""
    return engine.spider is not None and not (engine.running or engine._stopping)


def has_receivers(crawler: Crawler, signal: object) -> bool:
    """Tell whether anything listens to a signal: to send one to nobody takes 50 us."""
    return any(getReceivers(sender, which) for sender in (crawler.signals.sender, Any) for which in (signal, Any))


def is_refused(crawler: Crawler, signal: object, request: Request) -> bool:
    """Send a signal about a request; tell whether a receiver refuses it by an IgnoreRequest.

    As `send_catch_log`, which makes a Failure of each refusal: as dear as all the rest.
    """
    sender, found = crawler.signals.sender, False
    for receiver in liveReceivers(getAllReceivers(sender, signal)):
        try:
            robustApply(receiver, signal=signal, sender=sender, request=request, spider=crawler.spider)
        except IgnoreRequest:
            found = True
        except Exception:
            logger.exception("Error caught on signal handler: %s", receiver, extra={"spider": crawler.spider})
    return found


def has_command(argv: list[str]) -> bool:
    """Tell whether a command line without the program's name holds the name of one of Scrapy's or the project's commands."""
    name = next((each for each in argv if not each.startswith("-")), None)
    return name in _get_commands_dict(get_project_settings(), inside_project())


def _slot(crawler: Crawler) -> Anything:
    engine = crawler._engine
    return None if engine is None else engine._slot


def keep_cookies_offline() -> None:
    """Have Scrapy's cookies use the public suffix list that tldextract brings along.

    By itself Scrapy fetches one at the first cookie, from a host that nobody asked for, while the whole crawl stands still.
    """
    from scrapy.downloadermiddlewares import cookies  # reads no list before it is needed

    cookies._split_domain = split_name  # type: ignore[assignment]
