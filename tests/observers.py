"""A scheduler that watches a crawl from inside and leaves what it saw in the run directory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from focused.frontier.scheduler import BudgetScheduler

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


def observed(run_dir: Path) -> dict[str, Any]:
    return json.loads((run_dir / "observed.json").read_text())
