"""Extensions that watch a crawl from inside and leave what they saw in its run directory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from scrapy import signals

SETTINGS = {"ADDONS": '{"observers.Watch": 1}'}
"""Settings that let a crawl be watched."""


class Watch:
    """Add-on: switches the observer on beside the project's extensions."""

    def update_settings(self, settings: Any) -> None:
        settings["EXTENSIONS"].set("observers.Observer", 999)


class Observer:
    """Notes each request handed to the downloader, whether a better one was waiting, and the delays of the slots."""

    def __init__(self, crawler: Any) -> None:
        self.crawler = crawler
        self.waiting: dict[int, Any] = {}
        self.fetched: list[str] = []
        self.priorities: list[int] = []
        self.overtaken: list[list[Any]] = []
        self.delays: set[float] = set()
        for name in ("request_scheduled", "request_dropped", "request_reached_downloader", "spider_closed"):
            crawler.signals.connect(getattr(self, name), getattr(signals, name))

    @classmethod
    def from_crawler(cls, crawler: Any) -> Observer:
        return cls(crawler)

    def request_scheduled(self, request: Any) -> None:
        self.waiting[id(request)] = request

    def request_dropped(self, request: Any) -> None:
        self.waiting.pop(id(request), None)

    def request_reached_downloader(self, request: Any) -> None:
        if id(request) not in self.waiting:
            return  # robots.txt does not wait
        # Of requests of one priority the first that was found is the next: dicts keep their order.
        best = max(self.waiting.values(), key=lambda waiting: waiting.priority)
        if best is not request:
            self.overtaken.append([request.url, request.priority, best.url, best.priority])
        del self.waiting[id(request)]
        self.fetched.append(request.url)
        self.priorities.append(request.priority)
        self.delays |= {slot.delay for slot in self.crawler.engine.downloader.slots.values()}

    def spider_closed(self) -> None:
        seen = {
            "fetched": self.fetched, "priorities": self.priorities, "overtaken": self.overtaken,
            "delays": sorted(self.delays), "n_waiting": len(self.waiting),
            "total_concurrency": self.crawler.engine.downloader.total_concurrency,
        }  # fmt: skip
        Path(self.crawler.settings["FOCUSED_RUN_DIR"], "observed.json").write_text(json.dumps(seen))


def observed(run_dir: Path) -> dict[str, Any]:
    return json.loads((run_dir / "observed.json").read_text())
