"""Two pages under way at once link to the same page: whichever is committed first brings the link, so no crash loses it."""

from __future__ import annotations

import asyncio
import csv
import os
import signal
import sqlite3
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hand_made
import pytest
from commands import crawl, environment, scrapy
from sites import Reply, Site

from focused.frontier.checkpoints import Checkpoints
from focused.frontier.completion import Outcomes

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.slow

FAST = {
    "DOWNLOAD_DELAY": 0,
    "AUTOTHROTTLE_ENABLED": 0,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
    "FOCUSED_ADAPTIVE_WARM_UP_PAGES": 0,
}
MERGING = {"FOCUSED_MERGE_EVIDENCE": 1}
FIRST_STANDS = {"FOCUSED_MERGE_EVIDENCE": 0}


class KeepsFirst:
    """A pipeline that keeps the page ``/first`` under way until the page ``/second`` has been committed."""

    async def process_item(self, item: Any) -> Any:
        if item.url.endswith("/first") and not Path("has_died").exists():
            Path("first_is_in").touch()
            while not Path("second_has_ended").exists():
                await asyncio.sleep(0.01)
        return item


def when_second_has_ended(act: Callable[[], None]) -> None:
    """Do something as soon as the second page is committed."""
    from focused import settings

    settings.ITEM_PIPELINES["test_frontier_shared_links.KeepsFirst"] = 50
    page, commit, ended = Outcomes.end_page, Checkpoints.commit, []

    def ending(self: Outcomes, lease: Any, *about: Any) -> None:
        page(self, lease, *about)
        ended.append(lease.link.url)

    def committing(self: Checkpoints) -> None:
        commit(self)
        if ended and ended[-1].endswith("/second"):
            act()

    Outcomes.end_page, Checkpoints.commit = ending, committing


def second_is_committed_first() -> None:
    """Let the second page end while the first is under way."""
    when_second_has_ended(Path("second_has_ended").touch)


def dies_before_first_is_committed() -> None:
    """Let the process die as soon as the second page is committed, once."""

    def die() -> None:
        Path("second_has_ended").touch()
        if not Path("has_died").exists():
            Path("has_died").touch()
            os.kill(os.getpid(), signal.SIGKILL)

    when_second_has_ended(die)


def waiter(path: Path) -> Callable[[], None]:
    def until_it_is_there() -> None:
        end = time.monotonic() + 120
        while not path.exists() and time.monotonic() < end:
            time.sleep(0.01)

    return until_it_is_there


def web(folder: Path) -> dict[str, bytes | Reply]:
    """The second page answers when the first has been read; both link to ``/both``, each to a page of its own.

    Those link to one that has long been found when they come.
    """
    first = hand_made.html(f"{hand_made.STARS} 1", ("/both", "a star"), ("/of-first", "a star"))
    second = hand_made.html(f"{hand_made.STARS} 2", ("/both", "a nebula"), ("/of-second", "a star"))
    return {
        "/": hand_made.html(hand_made.STARS, ("/first", "nebulae"), ("/second", "nebulae")),
        "/first": first,
        "/second": Reply(second, wait=waiter(folder / "first_is_in")),
        **{
            path: hand_made.html(f"{hand_made.STARS} {path}", ("/of-second", "a star"))
            for path in ("/both", "/of-first", "/of-second")
        },
    }


def links_of(run_dir: Path, origin: str) -> dict[str, tuple[str, int]]:
    """Referring page and number of referrers of each link in the frontier."""
    file = sqlite3.connect(f"file:{run_dir / 'frontier.sqlite'}?mode=ro", uri=True)
    query = "SELECT links.url, referrers.url, n_referrers FROM links LEFT JOIN referrers ON referrers.id = referrer"
    rows = file.execute(query).fetchall()
    file.close()
    return {url.removeprefix(origin): ((by or "").removeprefix(origin), n) for url, by, n in rows}


def fetched(run_dir: Path, origin: str) -> Counter[str]:
    with (run_dir / "fetched.csv").open(newline="") as file:
        return Counter(row["url"].removeprefix(origin) for row in csv.DictReader(file))


@pytest.mark.parametrize(
    ("strategy", "merges"),
    [("adaptive", MERGING), ("breadth_first", MERGING), ("best_first", MERGING), ("best_first", FIRST_STANDS)],
)
def test_a_link_that_a_committed_page_shares_with_one_under_way_is_there_after_a_crash(
    models, tmp_path, strategy, merges
):
    pages = web(tmp_path)
    with Site(pages) as site:
        options = {"seeds": f"{site.url}/", "strategy": strategy, "settings": {**FAST, **merges}}
        died = crawl(models, tmp_path, before=dies_before_first_is_committed, **options)
        left = links_of(died.run_dir, site.url)
        del pages["/first"]  # it is gone, and nobody else links there
        done = crawl(models, tmp_path, **options)
    assert died.exit_code == -signal.SIGKILL
    assert set(left) == {"/", "/first", "/second", "/both", "/of-second"}
    assert left["/both"] == ("/second", 1)
    assert done.exit_code == 0, done.err
    assert "Resuming in" in done.err
    assert fetched(done.run_dir, site.url) == Counter(["/", "/second", "/both", "/of-second"])


@pytest.mark.parametrize(("strategy", "n_referrers"), [("adaptive", 1), ("breadth_first", 1), ("best_first", 2)])
def test_a_link_that_two_pages_under_way_share_is_fetched_once_and_each_page_counts_once(
    models, tmp_path, strategy, n_referrers
):
    pages = web(tmp_path)
    with Site(pages) as site:
        options = {"seeds": f"{site.url}/", "strategy": strategy, "settings": FAST}
        done = crawl(models, tmp_path, before=second_is_committed_first, **options)
        why = scrapy("frontier", "run", "--why", f"{site.url}/both", cwd=tmp_path, env=environment(models))
        asked = Counter(site.asked)
    assert done.exit_code == 0, done.err
    assert fetched(done.run_dir, site.url) == Counter(list(pages))
    assert asked["/both"] == 1
    assert done.stats["focused/links/scored_count"] == 8
    reasons = [name for name in done.stats if name.startswith("focused/links/by_")]
    assert sum(done.stats[name] for name in reasons) == 5  # /both is one link
    assert done.stats["scheduler/enqueued"] == 6  # and the seed
    assert links_of(done.run_dir, site.url)["/both"] == ("/second", n_referrers)
    if n_referrers == 1:  # each link was asked for once, but for the one that they share
        assert done.stats["dupefilter/filtered"] == 1
    if strategy == "adaptive":
        assert "referrers   2 pages known to link to it" in why.out
