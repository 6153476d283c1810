"""A scheduler that watches a crawl from inside and leaves what it saw in the run directory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from scrapy import signals

from focused.frontier.budget_scheduler import BudgetScheduler
from focused.method.scoring.priority import to_priority

SETTINGS = {"SCHEDULER": "observers.WatchedScheduler"}
"""Settings that let a crawl be watched."""


class WatchedScheduler(BudgetScheduler):
    """The project's scheduler; notes each request handed out, and whether a better one was waiting."""

    def open(self, spider: Any) -> Any:
        self.waiting: dict[int, Any] = {}
        self.seen: dict[str, Any] = {"fetched": [], "priorities": [], "overtaken": [], "delays": []}
        return super().open(spider)

    def enqueue_request(self, request: Any) -> bool:
        is_new = super().enqueue_request(request)
        if is_new:
            self.waiting[id(request)] = request
        return is_new

    def next_request(self) -> Any:
        request = super().next_request()
        if request is not None:
            # Of requests of one priority the first that was found is the next: dicts keep their order.
            best = max(self.waiting.values(), key=lambda waiting: waiting.priority)
            if best is not request:
                self.seen["overtaken"].append([request.url, request.priority, best.url, best.priority])
            del self.waiting[id(request)]
            self.seen["fetched"].append(request.url)
            self.seen["priorities"].append(request.priority)
        return request

    def close(self, reason: str) -> Any:
        delays = {slot.delay for slot in self.crawler.engine.downloader.slots.values()}
        self.seen |= {"n_waiting": len(self.waiting), "delays": sorted(delays)}
        Path(self.crawler.settings["FOCUSED_RUN_DIR"], "observed.json").write_text(json.dumps(self.seen))
        return super().close(reason)


class WaitingWatcher:
    """A downloader middleware; notes each link that is passed on while a better one is known to wait."""

    @classmethod
    def from_crawler(cls, crawler: Any) -> WaitingWatcher:
        watcher = cls()
        watcher.crawler, watcher.passed, watcher.overtaken = crawler, [], []
        crawler.signals.connect(watcher.spider_closed, signal=signals.spider_closed)
        return watcher

    def process_request(self, request: Any) -> None:
        meta = request.meta
        if "focused_referrer" in meta and "redirect_times" not in meta and "retry_times" not in meta:
            waits = self.crawler.spider.crawl.frontier.waiting.best()
            best = request.priority if waits is None else to_priority(waits.score, waits.admitted)
            self.passed.append([request.url, request.priority])
            if best > request.priority:
                self.overtaken.append([request.url, request.priority, best])

    def spider_closed(self) -> None:
        seen = {"passed": self.passed, "overtaken": self.overtaken}
        Path(self.crawler.settings["FOCUSED_RUN_DIR"], "waiting.json").write_text(json.dumps(seen))


def observed(run_dir: Path) -> dict[str, Any]:
    return json.loads((run_dir / "observed.json").read_text())
