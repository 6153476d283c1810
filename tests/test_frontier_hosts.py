"""Hosts in whole crawls over real sockets: what robots.txt and AutoThrottle ask for, and hosts that sink."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from threading import Event
from typing import Any
from urllib.parse import urlsplit

import hand_made
import pytest
from commands import Finished, crawl
from sites import Reply, Site
from test_frontier_scheduler import CheckedScheduler, now, seen

pytestmark = pytest.mark.slow

SLOW, QUICK, THIRD = "slow.test", "quick.test", "third.test"
GATED = {"SCHEDULER": "test_frontier_hosts.GatedScheduler", "FOCUSED_METRICS_INTERVAL_SECS": 0}


class GatedScheduler(CheckedScheduler):
    """Notes when each host was asked, and the delay that its slot in the downloader had then."""

    def open(self, spider: Any) -> None:
        super().open(spider)
        self.seen["asked"] = []

    def checked(self) -> Any:
        request = super().checked()
        if request is not None:
            host = urlsplit(request.url).hostname
            slot = self.crawler.engine.downloader.slots.get(host)
            self.seen["asked"].append([host, now(), 0 if slot is None else slot.delay])
        return request


def names() -> None:
    """Let the hosts of these tests be this machine, in the process of a crawl."""
    from scrapy.resolver import dnscache

    dnscache.limit = None
    dnscache.update(dict.fromkeys((SLOW, QUICK, THIRD), "127.0.0.1"))


def asked(done: Finished, host: str) -> list[tuple[float, float]]:
    """Return when a host was asked, in seconds, and its delay then."""
    return [(at, delay) for name, at, delay in seen(done.run_dir)["asked"] if name == host]


@pytest.mark.parametrize("delay", [0, 0.05])
def test_the_crawl_delay_of_robots_txt_is_kept_and_holds_back_no_other_host(models, tmp_path, delay):
    def quick_pages(path: str) -> bytes | None:
        return None if path == "/robots.txt" else hand_made.html(hand_made.FOOD)

    # Two servers, for a server does not tell the names apart under which it is asked.
    slow_pages = {f"/{n}": hand_made.html(hand_made.STARS) for n in range(6)}
    robots = Reply(b"User-agent: *\nCrawl-delay: 0.4\n", headers={"Content-Type": "text/plain"})
    with Site({"/robots.txt": robots, **slow_pages}) as slow, Site(quick_pages) as quick:
        at_slow, at_quick = (site.url.replace("127.0.0.1", name) for site, name in ((slow, SLOW), (quick, QUICK)))
        seeds = [f"{at_slow}/{n}" for n in range(6)] + [f"{at_quick}/{n}" for n in range(12)]
        done = crawl(
            models, tmp_path, seeds=" ".join(seeds), before=names, max_pages=50, strategy="best_first",
            settings={"DOWNLOAD_DELAY": delay, "DOWNLOAD_DELAY_JITTER": 0, "AUTOTHROTTLE_ENABLED": 0,
                "CONCURRENT_REQUESTS_PER_DOMAIN": 4, **GATED},
        )  # fmt: skip
    assert done.exit_code == 0, done.err
    assert done.stats["focused/pages/fetched_count"] == 18
    times = [at for at, _ in asked(done, SLOW)]
    assert len(times) == 6
    assert min(after - before for before, after in pairwise(times)) >= 0.4
    assert seen(done.run_dir)["overtaken"] == []
    # The seeds of the other host are the later ones; they came while the first host had to rest.
    order = [name for name, *_ in seen(done.run_dir)["asked"]]
    assert order.index(QUICK) < len(order) - 1 - order[::-1].index(SLOW)


@pytest.mark.parametrize(
    ("status", "wish", "most", "rest"),
    [(429, "1", 60, 1), (503, "3600", 0.8, 0.8), (503, "", 60, 0), (404, "9", 60, 0)],
)
def test_a_host_that_says_retry_after_is_left_alone_so_long_and_holds_back_no_other(
    models, tmp_path, status, wish, most, rest
):
    def slow_pages(path: str) -> Reply | None:
        if path == "/robots.txt":
            return None
        n_asked = len([each for each in slow.asked if each != "/robots.txt"])
        headers = {"Content-Type": "text/html"} | ({"Retry-After": wish} if wish else {})
        return Reply(b"", status, headers=headers) if n_asked == 2 else Reply(hand_made.html(hand_made.STARS))

    def quick_pages(path: str) -> bytes | None:
        return None if path == "/robots.txt" else hand_made.html(hand_made.FOOD)

    with Site(slow_pages) as slow, Site(quick_pages) as quick:
        at_slow, at_quick = (site.url.replace("127.0.0.1", name) for site, name in ((slow, SLOW), (quick, QUICK)))
        seeds = [f"{at_slow}/{n}" for n in range(6)] + [f"{at_quick}/{n}" for n in range(12)]
        done = crawl(
            models, tmp_path, seeds=" ".join(seeds), before=names, max_pages=50, strategy="best_first",
            settings={"DOWNLOAD_DELAY": 0, "AUTOTHROTTLE_ENABLED": 0, "AUTOTHROTTLE_MAX_DELAY": most,
                "FOCUSED_HOST_REST_SECS": 0.1, "CONCURRENT_REQUESTS_PER_DOMAIN": 1, **GATED},
        )  # fmt: skip
    assert done.exit_code == 0, done.err
    assert done.stats["focused/pages/fetched_count"] == (17 if status == 404 else 18)
    assert done.stats.get("focused/frontier/rests_count", 0) == bool(rest)
    assert (f"{SLOW} is left alone for" in done.err) == bool(rest)
    assert seen(done.run_dir)["overtaken"] == []
    # The third of its pages was refused, and comes again when the host has rested; those of the other host come meanwhile:
    # not all of them on a busy machine.
    times = [at for at, _ in asked(done, SLOW)]
    assert times[3] - times[2] >= rest
    if rest:
        assert sum(times[2] < at < times[3] for at, _ in asked(done, QUICK)) >= 3


@pytest.mark.parametrize("per_host", [1, 4])
def test_a_host_is_asked_as_autothrottle_allows(models, tmp_path, per_host):
    def pages(path: str) -> Reply | None:
        if path == "/robots.txt":
            return None
        return Reply(hand_made.html(hand_made.STARS), wait=lambda: Event().wait(0.02 if len(site.asked) % 4 else 0.3))

    with Site(pages) as site:
        seeds = [f"{site.url.replace('127.0.0.1', name)}/{n}" for n in range(15) for name in (SLOW, QUICK)]
        done = crawl(
            models, tmp_path, seeds=" ".join(seeds), before=names, max_pages=50, strategy="best_first",
            settings={
                "DOWNLOAD_DELAY": 0.05, "DOWNLOAD_DELAY_JITTER": 0, "AUTOTHROTTLE_ENABLED": 1,
                "AUTOTHROTTLE_START_DELAY": 0.2, "AUTOTHROTTLE_TARGET_CONCURRENCY": 1.5, "CONCURRENT_REQUESTS_PER_DOMAIN": per_host, **GATED,
            },
        )  # fmt: skip
    assert done.exit_code == 0, done.err
    assert done.stats["focused/pages/fetched_count"] == 30
    for name in (SLOW, QUICK):
        found = asked(done, name)
        assert len({delay for _, delay in found[1:]}) > 3  # it goes up and down
        for (before, _), (after, delay) in pairwise(found):
            assert after - before >= delay
    assert seen(done.run_dir)["overtaken"] == []


def three_regions(port: int) -> dict[str, bytes]:
    """A page that links to three hosts by turns; those of SLOW are about food, the first of THIRD is, too."""
    links = []
    pages = {}
    for number in range(40):
        for name in (SLOW, QUICK, THIRD):
            is_food = name == SLOW or (name == THIRD and number == 0)
            path = f"/{name}/{number}"
            links.append((f"http://{name}:{port}{path}", "more"))
            pages[path] = hand_made.html(hand_made.FOOD if is_food else hand_made.STARS)
    return {"/": hand_made.html(hand_made.STARS, *links), **pages}


def test_a_host_whose_pages_prove_irrelevant_sinks_and_one_bad_page_sinks_none(models, tmp_path):
    pages: dict[str, bytes] = {}
    fetched = {}
    with Site(lambda path: pages.get(path)) as site:
        port = int(site.url.rpartition(":")[2])
        pages |= three_regions(port)
        for sink in (0, 1):
            done = crawl(
                models, tmp_path / str(sink), seeds=f"http://{QUICK}:{port}/", before=names, max_pages=61,
                strategy="best_first",
                settings={
                    "DOWNLOAD_DELAY": 0, "AUTOTHROTTLE_ENABLED": 0, "FOCUSED_METRICS_INTERVAL_SECS": 0,
                    "CONCURRENT_REQUESTS": 1, "FOCUSED_FRONTIER_HOST_SINK": sink, "FOCUSED_PRIVATE_ADDRESSES": "allow",
                    "FOCUSED_TRAPS": "off", "FOCUSED_COPIES": "off",
                },
            )  # fmt: skip
            assert done.exit_code == 0, done.err
            rows = (done.run_dir / "fetched.csv").read_text().splitlines()[2:]
            fetched[sink] = Counter(urlsplit(row.split(",")[1]).hostname for row in rows)
    assert fetched[0] == {SLOW: 20, QUICK: 20, THIRD: 20}
    assert 1 < fetched[1][SLOW] < 14
    # One page of it was bad, the very first; it is asked as often as the one without a bad page.
    assert abs(fetched[1][THIRD] - fetched[1][QUICK]) <= 2
