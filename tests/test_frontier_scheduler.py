"""The durable scheduler in whole crawls: order, limits, merging."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
from pathlib import Path
from typing import Any

import hand_made
import pytest
from commands import crawl, crawl_argv, environment, started
from sites import Site

from focused import settings
from focused.frontier.dispatch import about_passed_over
from focused.frontier.scheduler import FrontierScheduler
from focused.frontier.store.ranks import priority_of
from focused.frontier.store.view import FrontierView
from focused.utils.clock import Clock
from focused.utils.origins import origin_of
from focused.webs import open_web

now = Clock().now

pytestmark = pytest.mark.slow

WATCHED = {"SCHEDULER": "test_frontier_scheduler.CheckedScheduler"}
FAST = {"DOWNLOAD_DELAY": 0, "AUTOTHROTTLE_ENABLED": 0, "FOCUSED_METRICS_INTERVAL_SECS": 0}


class CheckedScheduler(FrontierScheduler):
    """Compares each link it hands out with the best of all that wait whose host and origin may be asked."""

    def open(self, spider: Any) -> None:
        super().open(spider)
        self.seen: dict[str, Any] = {"handed": 0, "overtaken": [], "passed_over": 0, "poorer": 0, "merged_to": {}}
        self.next_link = self.dispatch.next_link
        self.dispatch.next_link = self.checked

    def checked(self) -> Any:
        moment = now()  # for both: a host's time may come while the best link is looked for
        best = None
        ready: dict[str, bool] = {}
        query = (
            "SELECT links.url, hosts.name, rank FROM links JOIN hosts ON hosts.id = host WHERE state = 0 ORDER BY rank"
        )
        first = None
        for url, host, rank in self.store._sql.execute(query):
            first = rank if first is None else first
            ready.setdefault(host, self._leases.ready_at(host) <= moment)
            if ready[host] and origin_of(url) not in self._unreachable._resting.get(host, ()):
                best = url
                self.seen["poorer"] += priority_of(rank) < priority_of(first)
                break
        self.seen["passed_over"] += len(ready) - 1 if best else 0
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(self._leases, "now", lambda: moment)
            request = self.next_link()
        got = None if request is None else request.url
        self.seen["handed"] += got is not None
        if got != best:
            self.seen["overtaken"].append([got, best])
        return request

    def close(self, reason: str) -> None:
        Path(self.crawler.settings["FOCUSED_RUN_DIR"], "seen.json").write_text(json.dumps(self.seen))
        super().close(reason)


def seen(run_dir: Path) -> dict[str, Any]:
    return json.loads((run_dir / "seen.json").read_text())


@pytest.mark.parametrize(("concurrency", "delay"), [(1, 0), (16, 0), (16, 0.3)])
def test_the_best_link_whose_host_may_be_asked_is_next(tmp_path, concurrency, delay):
    # Of few hosts most must rest, however slow the machine is.
    web = {"FOCUSED_DEMO_PAGES": 500, "FOCUSED_DEMO_HOSTS": 5, "FOCUSED_DEMO_TOPICS": 2} if delay else {}
    n_pages = 60
    seeds = open_web("demo", {**vars(settings), **web}).seeds("astronomy")
    hand_made.topic(seeds=seeds).save(tmp_path / "models")
    # The order is that of the scores where no host has had more than its share.
    plain = {"FOCUSED_PATIENCE": 0, "FOCUSED_TRAPS": "off"}
    options = {"CONCURRENT_REQUESTS": concurrency, "DOWNLOAD_DELAY": delay, **plain, **WATCHED, **web}
    if delay:
        options["CONCURRENT_REQUESTS_PER_DOMAIN"] = 1
    result = crawl(tmp_path / "models", tmp_path, web="demo", max_pages=n_pages, settings=options)
    assert result.exit_code == 0, result.err
    assert result.stats["focused/pages/fetched_count"] == n_pages
    found = seen(result.run_dir)
    assert found["overtaken"] == []
    assert found["handed"] >= n_pages
    assert result.stats.get("focused/frontier/passed_over_count", 0) == found["poorer"]
    if delay:  # it would prove nothing if no host had to rest
        assert found["passed_over"] > 20
        assert found["poorer"] > 0
    assert ("for links of lower scores" in result.err) is bool(about_passed_over(result.stats))


def test_with_one_request_at_a_time_two_crawls_are_the_same(tmp_path):
    seeds = open_web("demo", vars(settings)).seeds("astronomy")
    hand_made.topic(seeds=seeds).save(tmp_path / "models")
    runs = [
        crawl(tmp_path / "models", tmp_path / name, web="demo", max_pages=60, settings={"CONCURRENT_REQUESTS": 1})
        for name in ("1", "2")
    ]
    files = [(run.run_dir / "fetched.csv").read_text() for run in runs]
    assert files[0] == files[1]
    assert len(files[0].splitlines()) == 61


def test_pages_of_a_host_and_the_depth_of_tunnelling_can_be_limited(models, tmp_path):
    # /0 is relevant and leads into a chain of irrelevant pages.
    def chain(path: str) -> bytes | None:
        name = path.strip("/")
        if not name.isdigit():
            return None
        return hand_made.html(hand_made.FOOD if int(name) else hand_made.STARS, (f"/{int(name) + 1}", "soup"))

    with Site(chain) as site:
        limits = {"FOCUSED_FRONTIER_MAX_TUNNEL": 3, **FAST}
        tunnel = crawl(models, tmp_path / "1", seeds=f"{site.url}/0", max_pages=50, settings=limits)
        limits = {"FOCUSED_FRONTIER_MAX_PER_HOST": 5, **FAST}
        cap = crawl(models, tmp_path / "2", seeds=f"{site.url}/0", max_pages=50, settings=limits)
    assert tunnel.stats["focused/pages/fetched_count"] == 5  # the relevant one, and those 0 to 3 irrelevant ones away
    assert tunnel.stats["focused/frontier/too_deep_count"] == 1
    assert tunnel.stats["finish_reason"] == "finished"
    assert cap.stats["focused/pages/fetched_count"] == 5
    assert cap.stats["focused/frontier/over_host_cap_count"] == 1


WIDE = {"CONCURRENT_REQUESTS": 1, "FOCUSED_HARVEST_EVERY_PAGES": 1, **FAST}


def in_file(run_dir: Path) -> dict[str, int]:
    with FrontierView(run_dir) as view:
        return view.counts()


@pytest.mark.parametrize("limit", [{"FOCUSED_FRONTIER_MAX_LINKS": 10}, {"FOCUSED_FRONTIER_MAX_PER_HOST": 5}, {}])
def test_the_links_that_wait_are_those_that_the_frontier_holds(models, tmp_path, limit):
    links = [(f"/{n}", "a star") for n in range(60)]
    with Site(lambda path: hand_made.html(hand_made.STARS, *links)) as site:
        done = crawl(models, tmp_path, seeds=f"{site.url}/", max_pages=8, strategy="best_first", settings=WIDE | limit)
    assert done.exit_code == 0, done.err
    found = in_file(done.run_dir)
    assert f" {found['waiting']:,} links still waiting" in done.err
    if not found["dropped"]:  # that happens after the last row
        # A row is written when a page has been judged, before its own links come in: here they are known.
        assert 0 <= found["waiting"] - int(done.harvest[-1]["frontier"]) <= 1
    n_lost = {name: done.stats.get(f"focused/frontier/{name}_count", 0) for name in ("cut", "host_cap_dropped")}
    assert n_lost["host_cap_dropped"] == found["dropped"]
    if limit:
        assert sum(n_lost.values()) > 20
        assert re.search(r"\d+ waiting links (forgotten|dropped)", done.err)
    else:
        assert found["waiting"] > 10


@pytest.mark.parametrize("strategy", ["adaptive", "breadth_first", "best_first"])
def test_a_link_that_was_forgotten_is_new_when_it_is_found_again(models, tmp_path, strategy):
    links = [*[(f"/{n}", "a star") for n in range(60)], ("/last", "soup")]
    pages = {f"/{n}": hand_made.html(hand_made.STARS, ("/last", "a star"), ("/0", "a star")) for n in range(60)}
    with Site(
        {"/": hand_made.html(hand_made.STARS, *links), "/last": hand_made.html(hand_made.STARS), **pages}
    ) as site:
        done = crawl(
            models,
            tmp_path,
            seeds=f"{site.url}/",
            strategy=strategy,
            settings=WIDE | {"FOCUSED_FRONTIER_MAX_LINKS": 10},
        )
    assert done.exit_code == 0, done.err
    assert site.asked.index("/last") > site.asked.index("/0")  # it was the last of all, and too many
    n_cut, n_pages = done.stats["focused/frontier/cut_count"], done.stats["focused/pages/fetched_count"]
    n_links = sum(
        value for name, value in done.stats.items() if re.fullmatch(r"focused/links/(by_\w+|deferred)_count", name)
    )
    assert 61 <= n_links <= n_cut + n_pages - 1  # none is counted again that was not forgotten
    assert in_file(done.run_dir)["done"] == n_pages


def test_the_links_that_wait_are_counted_right_after_a_kill(models, tmp_path):
    links = [(f"/{n}", "a star") for n in range(60)]

    def page(path: str) -> bytes | None:
        if path == "/7" and not killed:
            killed.append(process.pid)
            os.kill(process.pid, signal.SIGKILL)
        return None if path == "/robots.txt" else hand_made.html(hand_made.STARS, *links)

    killed: list[int] = []
    arguments = {"max_pages": 20, "strategy": "best_first"}
    with Site(page) as site:
        argv = crawl_argv(WIDE | {"CONCURRENT_REQUESTS": 8}, seeds=f"{site.url}/", **arguments)
        with started(*argv, cwd=tmp_path, env=environment(models)) as process:
            pass
        assert killed
        done = crawl(models, tmp_path, seeds=f"{site.url}/", settings=WIDE, **arguments)
    assert "Resuming in" in done.err
    assert f" {in_file(done.run_dir)['waiting']:,} links still waiting" in done.err


def test_a_setting_that_changes_nothing_for_a_strategy_is_named(models, tmp_path):
    with Site({"/": hand_made.html(hand_made.STARS)}) as site:
        for strategy in ("adaptive", "best_first"):
            done = crawl(
                models, tmp_path / strategy, seeds=f"{site.url}/", strategy=strategy,
                settings={"FOCUSED_MERGE_EVIDENCE": "False", **FAST},
            )  # fmt: skip
            assert done.exit_code == 0, done.err
            named = f"FOCUSED_MERGE_EVIDENCE=False changes nothing: {strategy}"
            assert (named in done.err) == (strategy == "adaptive")


def test_a_strategy_that_merges_counts_all_pages_that_link_to_a_page(models, tmp_path):
    pages = {
        "/": hand_made.html("Welcome.", ("/a", "a star"), ("/b", "a star"), ("/last", "soup")),
        "/a": hand_made.html(hand_made.STARS, ("/last", "soup")),
        "/b": hand_made.html(hand_made.STARS, ("/last", "a nebula")),
        "/last": hand_made.html(hand_made.STARS),
    }
    with Site(pages) as site:
        options = {"CONCURRENT_REQUESTS": 1, **FAST}
        result = crawl(models, tmp_path, seeds=f"{site.url}/", strategy="patel_schmidt", settings=options)
        assert sorted(site.asked) == ["/", "/a", "/b", "/last", "/robots.txt"]
    assert result.exit_code == 0, result.err
    file = sqlite3.connect(result.run_dir / "frontier.sqlite")
    [(n_referrers,)] = file.execute("SELECT n_referrers FROM links WHERE url LIKE '%/last'").fetchall()
    file.close()
    assert n_referrers == 3
    assert result.stats["focused/frontier/merged_count"] == 2


def test_scrapys_own_queues_can_still_be_chosen(models, tmp_path):
    with Site({"/": hand_made.html(hand_made.STARS, ("/a", "a star")), "/a": hand_made.html(hand_made.STARS)}) as site:
        options = {"SCHEDULER": "focused.frontier.budget_scheduler.BudgetScheduler", **FAST}
        result = crawl(models, tmp_path, seeds=f"{site.url}/", settings=options)
    assert result.stats["focused/pages/fetched_count"] == 2
    assert not (result.run_dir / "frontier.sqlite").exists()
