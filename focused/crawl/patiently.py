"""Asks the database of a shared crawl, and waits while it is away: `patiently`; `ask_or_end` at the start of a worker."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

from scrapy import signals
from scrapy.exceptions import CloseSpider

from focused.crawl.crawl import Crawl
from focused.utils.database import cannot_be_used
from focused.utils.frontier_settings import DATABASE

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy.crawler import Crawler

Answer = TypeVar("Answer")


def patiently(ask: Callable[[], Answer], patience_secs: float | None = None) -> Answer:
    """Return what ``ask`` returns, which opens a connection of its own. It waits, and may ask more than once.

    ``patience_secs``: how long a database that is away is waited for; None: as long as a worker's threads do.

    Raises
    ------
    psycopg.Error
        If it is away for longer, or refuses what it is asked.
    """
    # psycopg is an extra of the package
    from focused.frontier.shared.outage import TRY_AGAIN_SECS, Outage
    from focused.frontier.shared.schema import AWAY
    from focused.frontier.shared.worker_terms import PATIENCE_SECS

    outage = Outage(PATIENCE_SECS if patience_secs is None else patience_secs)
    while True:
        try:
            answer = ask()
        except AWAY as error:
            if outage.failed("", error) > outage.patience_secs:
                raise
            time.sleep(TRY_AGAIN_SECS)
        else:
            outage.worked("")
            return answer


def ask_or_end(ask: Callable[[], Answer], crawler: Crawler) -> Answer | None:
    """Return what `patiently` returns; None where the database is away for too long: the crawl ends without a request."""
    from psycopg import Error  # an extra of the package

    try:
        return patiently(ask)
    except Error as error:
        crawl = Crawl.needed(crawler)
        if not crawl.plan.error:
            crawl.fail(cannot_be_used(DATABASE.name, error))
        crawler.signals.connect(_end, signals.spider_opened)
        return None


def _end() -> None:
    raise CloseSpider("frontier_not_readable")
