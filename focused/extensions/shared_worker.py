"""Leaves the figures of a shared crawl's worker in the database: reports and summaries add them up."""

from __future__ import annotations

import json
import logging
import socket
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.exceptions import NotConfigured

from focused.crawl.crawl import Crawl
from focused.crawl.patiently import patiently
from focused.crawl.shared_run import save_run
from focused.utils.file_names import RUN_FILE
from focused.utils.frontier_settings import DATABASE, SHARED_CRAWL

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy.crawler import Crawler
    from typing_extensions import Self

logger = logging.getLogger(__name__)

_PATIENCE_SECS = 10.0
"""How long a database that is away is waited for, or a server that allows no other connection."""


class SharedWorker:
    """Copies a worker's ``run.json`` into the crawl's database when the worker begins and when it ends.

    Place: after the harvest monitor (100), which writes the file. Off unless workers share the crawl.

    Settings: FOCUSED_DATABASE, FOCUSED_CRAWL.
    """

    def __init__(self, url: str, crawl: str, run_dir: Path) -> None:
        self._url, self._crawl, self._run_dir = url, crawl, run_dir

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Stay out of crawls that are a process's own."""
        if not (url := DATABASE.read(crawler.settings)):
            raise NotConfigured
        worker = cls(url, SHARED_CRAWL.read(crawler.settings), Crawl.needed(crawler).plan.run_dir)
        crawler.signals.connect(worker.save, signal=signals.spider_opened)
        crawler.signals.connect(worker.save, signal=signals.spider_closed)
        return worker

    def save(self) -> None:
        """Copy the file. The reactor waits for it: nothing is fetched yet, or any more."""
        from psycopg import Error

        def write() -> None:
            save_run(self._url, self._crawl, f"{socket.gethostname()}:{self._run_dir}", run)

        try:
            run = json.loads((self._run_dir / RUN_FILE).read_text(encoding="utf-8"))
            patiently(write, _PATIENCE_SECS)
        except (OSError, ValueError, Error) as error:
            logger.warning(
                "This worker's figures could not be written to the crawl's database: %s", " ".join(str(error).split())
            )
