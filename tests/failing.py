"""Components that let crawls fail: of one strategy, if a file in the working directory says so; or one page of each."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path
from typing import Any

from scrapy import signals

from focused.frontier import checkpoints
from focused.frontier.budget_scheduler import BudgetScheduler
from focused.frontier.checkpoints import Checkpoints


class FailingScheduler(BudgetScheduler):
    """The project's scheduler; best-first crawls raise, die or wait for ever."""

    def open(self, spider: Any) -> Any:
        self._waits = False
        if spider.plan.strategy.name == "best_first":
            if Path("raises").exists():
                raise RuntimeError("out of order")
            if Path("dies").exists():
                os.kill(os.getpid(), signal.SIGKILL)
            self._waits = Path("waits").exists()
        return super().open(spider)

    def has_pending_requests(self) -> bool:
        return self._waits or super().has_pending_requests()

    def next_request(self) -> Any:
        if self._waits:
            Path("is_waiting").touch()
            return None
        return super().next_request()


class OnePageFails:
    """A pipeline that raises for the tenth page of a crawl."""

    def __init__(self) -> None:
        self._n_pages = 0

    def process_item(self, item: Any) -> Any:
        self._n_pages += 1
        if self._n_pages == 10:
            raise RuntimeError("a page out of order")
        return item


def let_files_be_devices() -> None:
    """Let the next crawl of this process write to a device in the place of one of its files: one that is always full."""
    from focused.crawl import run_directory

    run_directory.check_own_files = lambda *_, **__: None  # type: ignore[assignment]


def dies_with(n_pages: int) -> None:
    """Let the crawl of this process die as soon as so many pages are durable: who watches it would often come too late."""
    commit = Checkpoints.commit

    def committing(self: Checkpoints) -> None:
        commit(self)
        if self.store.counts()["done"] >= n_pages:  # type: ignore[attr-defined]
            os.kill(os.getpid(), signal.SIGKILL)

    Checkpoints.commit = committing  # type: ignore[method-assign]
    checkpoints.COMMIT_EVERY_PAGES = 1


def stop_while_opening() -> None:
    """Give the next crawl of this process an extension that has it told to stop while it is being opened."""
    from focused import settings

    settings.EXTENSIONS["failing.StoppedWhileOpening"] = 990


class StoppedWhileOpening:
    """Sends SIGTERM while the spider is being opened, which then takes a moment more."""

    @classmethod
    def from_crawler(cls, crawler: Any) -> StoppedWhileOpening:
        extension = cls()
        crawler.signals.connect(extension.spider_opened, signals.spider_opened)
        return extension

    async def spider_opened(self) -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        await asyncio.sleep(0.3)


def worker_in_a_short_crawl() -> None:
    """Links of a worker that has ended have an heir soon, and no worker begins alone: all would be over before the others may.

    The file ``is_ready`` in the working directory: this one asks for hosts.
    """
    from focused.frontier.shared import keeper
    from focused.frontier.shared.worker import Worker

    keeper._INHERIT_SECS = 0.1
    process_events = Worker.process_events

    def tending(self: Worker) -> None:
        process_events(self)
        Path("is_ready").touch()

    Worker.process_events = tending  # type: ignore[method-assign]
    Worker.begin_alone = lambda self, n_pages: None  # type: ignore[method-assign]


def worker_with_a_short_lease() -> None:
    """The same; and a worker that is killed is missed soon. On a busy machine a short lease may end before its time."""
    from focused.frontier.shared import worker_terms

    worker_terms.LEASE_SECS = 3.0
    worker_in_a_short_crawl()
