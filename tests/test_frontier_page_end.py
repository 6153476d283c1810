"""Where a page ends: links of a large page are made ready and taken in by slices, and nothing is handed out in between."""

from __future__ import annotations

import csv
import json
import os
import signal
import sqlite3
import time
from collections import Counter
from pathlib import Path
from typing import Any

import hand_made
import pytest
from commands import crawl
from scrapy import signals
from scrapy.utils.asyncio import call_later
from sites import Reply, Site

from focused.frontier import checkpoints
from focused.frontier import completion as ends
from focused.frontier.admission import Admission
from focused.frontier.completion import Outcomes
from focused.frontier.store.schema import DONE

pytestmark = pytest.mark.slow

N_LINKS = 2_000


class TurnsWatcher:
    """Notes links that are made ready and taken in, turns of the reactor, and requests that go out."""

    @classmethod
    def from_crawler(cls, crawler: Any) -> TurnsWatcher:
        watcher = cls()
        watcher.events = []
        for each, what in ((signals.request_scheduled, "link"), (signals.request_reached_downloader, "out")):
            crawler.signals.connect(watcher.noter(what), each, weak=False)
        take_in = Admission.admit
        Admission.admit = lambda admission, link: watcher.events.append("in") or take_in(admission, link)
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
    for step, most in (("link", 250), ("in", 1_000)):
        places = [place for place, what in enumerate(events) if what == step][1:]  # but for the seed
        assert len(places) == N_LINKS
        between = events[places[0] : places[-1]]
        assert "out" not in between
        slices = [part.count(step) for part in " ".join(between).split("turn")]
        assert len(slices) >= N_LINKS / most
        assert max(slices) <= most


def refuses_offsite() -> None:
    """Let the spider stay on this machine, and note what Scrapy's middleware refuses."""
    from scrapy.downloadermiddlewares.offsite import OffsiteMiddleware

    from focused.spiders.focused import FocusedSpider

    FocusedSpider.allowed_domains = ("127.0.0.1",)
    process = OffsiteMiddleware.process_request

    def noted(middleware: OffsiteMiddleware, request: Any) -> None:
        with Path("announced.txt").open("a") as file:
            print(request.url, file=file)
        process(middleware, request)

    OffsiteMiddleware.process_request = noted


def test_a_link_that_is_refused_is_announced_once_however_many_pages_hold_it(models, tmp_path):
    paths = [f"/{number}" for number in range(8)]
    links = [(path, "a star") for path in paths] + [("http://elsewhere.example/", "another star")]
    pages = {path: hand_made.html(hand_made.STARS, *links) for path in ("/", *paths)}
    with Site(pages) as site:
        options = {"seeds": f"{site.url}/", "max_pages": 0, "strategy": "best_first"}
        settings = {"DOWNLOAD_DELAY": 0, "AUTOTHROTTLE_ENABLED": 0, "CONCURRENT_REQUESTS": 1}
        done = crawl(models, tmp_path, before=refuses_offsite, settings=settings, **options)
    assert done.stats["response_received_count"] >= len(pages)
    assert done.stats["offsite/filtered"] == 1
    assert (tmp_path / "announced.txt").read_text().splitlines().count("http://elsewhere.example/") == 1


N_SMALL = 12
FAST = {"DOWNLOAD_DELAY": 0, "AUTOTHROTTLE_ENABLED": 0, "CONCURRENT_REQUESTS_PER_DOMAIN": 16}


def dies_while_links_are_taken_in() -> None:
    """Let the process die in the middle of a large page's end, once."""
    take_in, n_links = Admission.admit, 0

    def dying(admission: Admission, link: Any) -> bool:
        nonlocal n_links
        n_links += "/n/" in link.url
        if n_links == 1_200 and not Path("has_died").exists():
            Path("has_died").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return take_in(admission, link)

    Admission.admit = dying


def links_of(run_dir: Path, where: str) -> list[tuple[Any, ...]]:
    file = sqlite3.connect(f"file:{run_dir / 'frontier.sqlite'}?mode=ro", uri=True)
    try:
        return file.execute(f"SELECT url, state, n_referrers FROM links WHERE {where}").fetchall()
    finally:
        file.close()


def stats_of(run_dir: Path) -> dict[str, Any]:
    """The counters that the last commit holds."""
    file = sqlite3.connect(f"file:{run_dir / 'frontier.sqlite'}?mode=ro", uri=True)
    try:
        return json.loads(file.execute("SELECT value FROM crawl WHERE key = 'stats'").fetchone()[0])
    finally:
        file.close()


@pytest.mark.parametrize("strategy", ["best_first", "adaptive"])
def test_a_crawl_that_dies_while_links_are_taken_in_has_none_of_them_and_goes_on_with_all(models, tmp_path, strategy):
    small = [f"/small/{number}" for number in range(N_SMALL)]
    # No link is on two large pages: it would be there as soon as one of them is.
    many = {number: [(f"/n/{number}/{i}", f"soup {number} {i}") for i in range(N_LINKS)] for number in (1, 2)}
    large = [f"/large/{number}" for number in many]
    pages = {f"/large/{number}": hand_made.html(hand_made.STARS, *links) for number, links in many.items()}
    pages |= {path: hand_made.html(f"{hand_made.STARS} {path}", ("/n/1/1", "soup 1 1")) for path in small}
    pages["/"] = hand_made.html(hand_made.STARS, *((path, "nebulae") for path in [*large, *small]))
    with Site(pages) as site:
        options = {
            "seeds": f"{site.url}/",
            "strategy": strategy,
            "max_pages": len(pages),
            "before": dies_while_links_are_taken_in,
        }
        settings = {**FAST, "FOCUSED_ADAPTIVE_WARM_UP_PAGES": 0}
        died = crawl(models, tmp_path, settings=settings, **options)
        n_left = {number: len(links_of(died.run_dir, f"url LIKE '%/n/{number}/%'")) for number in many}
        whole = {number for number in many if links_of(died.run_dir, f"url LIKE '%/large/{number}' AND state = {DONE}")}
        with (died.run_dir / "fetched.csv").open(newline="") as file:
            n_seen = len(list(csv.DictReader(file)))
        done = crawl(models, tmp_path, settings=settings, **options)
    assert died.exit_code == -signal.SIGKILL
    assert len(whole) < len(many)
    for number, n in n_left.items():  # all of a page, or what the small pages have; nothing of half a page
        assert n == N_LINKS if number in whole else n <= 1
    assert done.exit_code == 0, done.err
    assert n_seen >= 2  # the large page was in the files, and is not there twice:
    with (done.run_dir / "fetched.csv").open(newline="") as file:
        fetched = Counter(row["url"].removeprefix(site.url) for row in csv.DictReader(file))
    assert fetched == Counter(list(pages))
    counts = {url.removeprefix(site.url): n for url, _, n in links_of(done.run_dir, "url LIKE '%/n/%'")}
    assert set(counts) == {path for links in many.values() for path, _ in links}
    assert max(n for path, n in counts.items() if path != "/n/1/1") == 1  # no page counts twice for its links


def dies_when_the_next_page_ends() -> None:
    """Let small pages come in while a large one ends, and the process die where the first of them ends, once."""
    take_in, end = Admission.admit, Outcomes.end_page

    def slow(admission: Admission, link: Any) -> bool:
        if link.url.endswith("/n/100") and not Path("is_ending").exists():
            Path("is_ending").touch()
            time.sleep(0.5)  # until the answers are there
        return take_in(admission, link)

    def dying(self: Outcomes, lease: Any, *about: Any) -> None:
        if "/small/" in lease.link.url and not Path("has_died").exists():
            Path("has_died").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        end(self, lease, *about)

    Admission.admit, Outcomes.end_page = slow, dying
    checkpoints.COMMIT_EVERY_PAGES = 1  # so that it is seen what a commit holds
    ends._SLICE_LINKS = 50  # turns enough for an answer to get to where it would do harm


def test_no_page_passes_the_pipelines_while_another_ends_and_is_there_twice_after_a_crash(models, tmp_path):
    def when_the_large_page_ends() -> None:
        end = time.monotonic() + 120
        while not (tmp_path / "is_ending").exists() and time.monotonic() < end:
            time.sleep(0.01)

    many = [(f"/n/{number}", f"soup {number}") for number in range(N_LINKS)]
    small = {f"/small/{number}": hand_made.html(f"{hand_made.STARS} {number}") for number in range(N_SMALL)}
    pages: dict[str, bytes | Reply] = {path: Reply(body, wait=when_the_large_page_ends) for path, body in small.items()}
    pages["/large"] = hand_made.html(hand_made.STARS, *many)
    pages["/"] = hand_made.html(hand_made.STARS, *((path, "nebulae") for path in pages))
    with Site(pages) as site:
        options = {
            "seeds": f"{site.url}/",
            "strategy": "best_first",
            "max_pages": len(pages),
            "before": dies_when_the_next_page_ends,
        }
        died = crawl(models, tmp_path, settings=FAST, **options)
        n_left = len(links_of(died.run_dir, "url LIKE '%/n/%'"))
        n_committed = stats_of(died.run_dir)["focused/pages/fetched_count"]
        done = crawl(models, tmp_path, settings=FAST, **options)
    assert died.exit_code == -signal.SIGKILL
    assert n_left == N_LINKS  # the large page is durable
    assert n_committed == 2  # and with it the seed, and nothing else
    assert done.exit_code == 0, done.err
    with (done.run_dir / "fetched.csv").open(newline="") as file:
        fetched = Counter(row["url"].removeprefix(site.url) for row in csv.DictReader(file))
    assert fetched == Counter(list(pages))
    assert done.stats["focused/pages/fetched_count"] == len(pages)


def fails_after_its_page() -> None:
    """Let the spider fail when it has handed over a page, as one with a fault of its own may."""
    from focused.items import PageItem
    from focused.spiders.focused import FocusedSpider

    def parse(self: FocusedSpider, response: Any) -> Any:
        if response.url.endswith("/before"):
            raise KeyError("price")
        yield PageItem.from_response(response)
        if response.url.endswith("/after"):
            raise KeyError("price")

    FocusedSpider.parse = parse


def test_a_page_that_was_handed_over_before_its_callback_failed_is_delivered_and_its_links_are_followed(
    models, tmp_path
):
    pages = {
        "/": hand_made.html(hand_made.STARS, ("/after", "a star"), ("/before", "another star")),
        "/after": hand_made.html(f"{hand_made.STARS} Saturn.", ("/linked", "a third star")),
        "/before": hand_made.html(f"{hand_made.STARS} Neptune."),
        "/linked": hand_made.html(f"{hand_made.STARS} Pluto."),
    }
    with Site(pages) as site:
        settings = {"DOWNLOAD_DELAY": 0, "AUTOTHROTTLE_ENABLED": 0}
        done = crawl(models, tmp_path, before=fails_after_its_page, seeds=f"{site.url}/", settings=settings)
    assert done.err.count("KeyError: 'price'") == 2
    assert done.stats["spider_exceptions/count"] == 2
    assert {page["url"].removeprefix(site.url) for page in done.pages} == {"/", "/after", "/linked"}
    with sqlite3.connect(done.run_dir / "frontier.sqlite") as file:
        links = file.execute("SELECT url, state = ?, note FROM links", [DONE]).fetchall()
    noted = {url.removeprefix(site.url): (is_done, note) for url, is_done, note in links}
    assert noted["/after"] == (1, "exception: KeyError")
    assert noted["/before"] == (0, "exception: KeyError")
