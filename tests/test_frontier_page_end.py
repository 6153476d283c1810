"""Where a page ends: links of a large page are made ready in slices, and nothing is handed out in between."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import hand_made
import pytest
from commands import crawl
from scrapy import signals
from scrapy.utils.asyncio import call_later
from sites import Site

pytestmark = pytest.mark.slow

N_LINKS = 3_000


class TurnsWatcher:
    """Notes links that are made ready, turns of the reactor, and requests that go out."""

    @classmethod
    def from_crawler(cls, crawler: Any) -> TurnsWatcher:
        watcher = cls()
        watcher.events = []
        for signal, what in ((signals.request_scheduled, "link"), (signals.request_reached_downloader, "out")):
            crawler.signals.connect(watcher.noter(what), signal, weak=False)
        crawler.signals.connect(watcher.turn, signals.spider_opened)
        crawler.signals.connect(watcher.closed, signals.spider_closed)
        return watcher

    def noter(self, what: str) -> Any:
        return lambda: self.events.append(what)

    def turn(self) -> None:
        if not self.events or self.events[-1] != "turn":
            self.events.append("turn")
        self.call = call_later(0, self.turn)

    def closed(self) -> None:
        self.call.cancel()
        Path("events.json").write_text(json.dumps(self.events))


def watched() -> None:
    from focused import settings

    settings.EXTENSIONS["test_frontier_page_end.TurnsWatcher"] = 990


@pytest.mark.parametrize("strategy", ["breadth_first", "adaptive"])
def test_links_of_a_large_page_leave_others_their_turn_and_none_is_handed_out_before_all_are_in(
    models, tmp_path, strategy
):
    links = [(f"/{number}", f"a star {number}") for number in range(N_LINKS)]
    pages = {"/": hand_made.html(hand_made.STARS, *links)} | {
        path: hand_made.html(hand_made.STARS) for path, _ in links
    }
    with Site(pages) as site:
        settings = {"DOWNLOAD_DELAY": 0, "AUTOTHROTTLE_ENABLED": 0, "FOCUSED_FRONTIER_MAX_TUNNEL": 3}
        options = {"seeds": f"{site.url}/", "max_pages": 3, "strategy": strategy, "settings": settings}
        done = crawl(models, tmp_path, before=watched, **options)
    assert done.exit_code == 0, done.err
    assert done.stats["scheduler/enqueued"] == 1 + N_LINKS
    events = json.loads((tmp_path / "events.json").read_text())
    places = [place for place, what in enumerate(events) if what == "link"][1:]  # but for the seed
    assert len(places) == N_LINKS
    between = events[places[0] : places[-1]]
    assert "out" not in between
    slices = [part.count("link") for part in " ".join(between).split("turn")]
    assert len(slices) > 4
    assert max(slices) <= 500
