"""Raises the limit of open files and connections of a crawl, and closes connections that are idle."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import create_looping_call

from focused.frontier.crawl_interface import crawl_of
from focused.utils.open_files import raise_limit
from focused.utils.scrapy_internals import keep_connections

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from typing_extensions import Self

logger = logging.getLogger(__name__)

_IDLE_SECS = 10.0
"""How long a connection is kept that nothing is asked on; a host that is asked every second keeps its own."""
_FILES_A_REQUEST, _OTHER_FILES = 4, 64
"""The connection of a request, that of its robots.txt, and idle ones; files of the crawl, of Python and of SQLite."""


class OpenFiles:
    """Raises the limit of open files to 65,536, and closes connections that are idle for ten seconds.

    A crawl of many hosts has a connection open to each that it has just asked. By default a process may have 1,024 files open,
    and Scrapy keeps idle connections for four minutes. Off where the web is not live. If so few are allowed that
    CONCURRENT_REQUESTS may use them up, a warning says so.

    Setting read: CONCURRENT_REQUESTS.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._calls: Any = None
        crawler.signals.connect(self._spider_opened, signals.spider_opened)
        crawler.signals.connect(self._spider_closed, signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Stay out of crawls that ask no network."""
        crawl = crawl_of(crawler)
        if crawl is None or not crawl.task.is_live:
            raise NotConfigured
        return cls(crawler)

    def _spider_opened(self) -> None:
        n_files, n_needed = raise_limit(), self._crawler.settings.getint("CONCURRENT_REQUESTS") * _FILES_A_REQUEST
        if n_files is not None and n_files < n_needed + _OTHER_FILES:
            logger.warning(
                "Only %d files may be open at a time, and CONCURRENT_REQUESTS=%d may need more: links may have to wait. Allow "
                "more (ulimit -Hn), or ask for less at a time.",
                n_files,
                n_needed // _FILES_A_REQUEST,
            )
        self._calls = create_looping_call(lambda: keep_connections(self._crawler, _IDLE_SECS))
        self._calls.start(_IDLE_SECS / 2, now=True)

    def _spider_closed(self) -> None:
        if self._calls is not None and self._calls.running:
            self._calls.stop()
