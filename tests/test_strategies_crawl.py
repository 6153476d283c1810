"""Every strategy from end to end, and what holds for those whose links change their score while they wait."""

from __future__ import annotations

import json
from collections import Counter

import hand_made
import pytest
from commands import ROOT, crawl
from sites import Site, redirect
from w3lib.url import canonicalize_url

from focused import settings as project
from focused.method.strategies import STRATEGIES
from focused.webs import open_web

pytestmark = pytest.mark.slow

N_PAGES = 15
N_ENTANGLED = 32
MERGING = ["best_first", "cbp_slc", "fish_search", "shark_search", "patel_schmidt"]
"""One for each way in which links change: the mean, the mean with a threshold, and those that have a rule of their own."""

DURABLE = "focused.frontier.scheduler.FrontierScheduler"
BUDGET = "focused.frontier.budget_scheduler.BudgetScheduler"
SCRAPYS = "scrapy.core.scheduler.Scheduler"
DOWNLOADERS = {"focused.middlewares.waiting_links.WaitingLinkMiddleware": 10, "observers.WaitingWatcher": 11}


@pytest.mark.parametrize(
    ("strategy", "scheduler"),
    [
        *((name, DURABLE) for name in STRATEGIES if name != "oracle"),
        *((name, BUDGET) for name in ["cbp_slc", "patel_schmidt", "breadth_first", "adaptive"]),  # of each kind one
    ],
)
def test_a_strategy_crawls_the_demo_web(tmp_path, strategy, scheduler):
    options = {"topic": "demo", "web": "demo", "strategy": strategy, "max_pages": N_PAGES}
    result = crawl(ROOT / "models", tmp_path, **options, settings={"SCHEDULER": scheduler})
    assert result.exit_code == 0, result.err
    assert (result.run["strategy"], result.stats["finish_reason"]) == (strategy, "max_pages")
    assert result.stats["focused/pages/fetched_count"] == N_PAGES
    assert result.stats["focused/links/scored_count"] > N_PAGES
    assert "spider_exceptions/count" not in result.stats
    assert "log_count/ERROR" not in result.stats
    assert "focused/pages/repeated_count" not in result.stats
    assert all(0 <= page["link_score"] <= 1 for page in result.pages)
    what = "frontier" if scheduler == DURABLE else "links"
    assert (f"focused/{what}/merged_count" in result.stats) == STRATEGIES[strategy].merges


def test_the_oracle_goes_where_its_file_says(tmp_path):
    """Two links of a seed: the worse before the better by discovery, and no other link before them."""
    web = open_web("demo", vars(project))
    seeds = web.seeds("astronomy")
    result = crawl(ROOT / "models", tmp_path / "1", topic="demo", web="demo", strategy="breadth_first", max_pages=60)
    found = [page for page in result.pages if page["depth"] == 1][:2]
    assert len(found) == 2
    worse, better = (page["url"] for page in found)
    (tmp_path / "oracle.json").write_text(json.dumps({worse: 0.5, better: 1.0}))
    result = crawl(
        ROOT / "models",
        tmp_path / "2",
        topic="demo",
        web="demo",
        strategy="oracle",
        max_pages=len(seeds) + 5,
        settings={"FOCUSED_ORACLE_FILE": tmp_path / "oracle.json", "CONCURRENT_REQUESTS": 1},
    )
    assert result.exit_code == 0, result.err
    assert result.stats["focused/links/by_labels_count"] == 2
    by_labels = [(page["url"], page["link_score"]) for page in result.pages if page["link_reason"] == "labels"]
    assert by_labels == [(better, 1.0), (worse, 0.5)]
    reasons = [page["link_reason"] for page in result.pages]
    assert "below threshold" not in reasons[: reasons.index("labels")]


def test_the_oracle_without_a_file_stops_before_its_first_request_and_is_not_offered(tmp_path):
    result = crawl(ROOT / "models", tmp_path, topic="demo", web="demo", strategy="oracle")
    assert result.exit_code == 1
    assert result.err.count("\n") == 1
    assert "FOCUSED_ORACLE_FILE must name a JSON file" in result.err
    assert not (result.run_dir / "run.json").exists()


@pytest.mark.parametrize("strategy", MERGING)
def test_with_one_request_at_a_time_no_link_is_fetched_while_a_better_one_waits(tmp_path, strategy):
    settings = {
        "CONCURRENT_REQUESTS": 1,
        "DOWNLOADER_MIDDLEWARES": json.dumps(DOWNLOADERS),
        "SCHEDULER": BUDGET,
    }
    options = {"topic": "demo", "web": "demo", "max_pages": 60, "strategy": strategy}
    result = crawl(ROOT / "models", tmp_path, settings=settings, **options)
    assert result.exit_code == 0, result.err
    seen = json.loads((result.run_dir / "waiting.json").read_text())
    assert seen["overtaken"] == []
    assert len(seen["passed"]) > 50
    # It would prove nothing if no link had changed.
    assert result.stats["focused/links/pushed_again_count"] > 20
    if strategy == "patel_schmidt":
        assert result.stats["focused/links/stale_count"] > 0
        assert result.stats["focused/links/pushed_back_count"] > 0


def entangled(n: int = N_ENTANGLED) -> dict[str, object]:
    """Pages that all link to many others, by different spellings, through redirects, with good and bad words."""
    pages: dict[str, object] = {}
    for number in range(n):
        text = hand_made.STARS if number % 3 else hand_made.FOOD
        links = []
        for step in range(1, 12):
            target = (number * 7 + step * step) % n
            anchor = ("a nebula", "more", "a soup")[(number + step) % 3]
            links += [(f"/page?n={target}&x=1", anchor), (f"/page?x=1&n={target}", "more"), (f"/go/{target}", anchor)]
        pages[f"/page?n={number}&x=1"] = pages[f"/page?x=1&n={number}"] = hand_made.html(text, *links)
        pages[f"/go/{number}"] = redirect(f"/page?n={number}&x=1")
    return pages


@pytest.mark.parametrize(
    ("strategy", "concurrency", "scheduler"),
    [
        *((strategy, 1, BUDGET) for strategy in MERGING),
        # The strategy says what a link is worth; how it is pushed again depends on the scheduler and on who is under way.
        ("cbp_slc", 16, BUDGET),
        ("cbp_slc", 16, SCRAPYS),
        ("patel_schmidt", 16, SCRAPYS),
        ("patel_schmidt", 1, SCRAPYS),
    ],
)
def test_no_page_is_fetched_twice_however_often_its_link_is_pushed(tmp_path, strategy, concurrency, scheduler):
    with Site(entangled()) as site:
        hand_made.topic(seeds=[f"{site.url}/page?n=0&x=1"]).save(tmp_path / "models")
        settings = {
            "CONCURRENT_REQUESTS": concurrency,
            "CONCURRENT_REQUESTS_PER_DOMAIN": concurrency,
            "DOWNLOAD_DELAY": 0,
            "AUTOTHROTTLE_ENABLED": 0,
            "SCHEDULER": scheduler,
            "FOCUSED_PRIVATE_ADDRESSES": "allow",
        }
        result = crawl(tmp_path / "models", tmp_path / "crawl", strategy=strategy, max_pages=0, settings=settings)
    assert result.exit_code == 0, result.err
    stats = result.stats
    asked = Counter(canonicalize_url(f"{site.url}{path}") for path in site.asked)
    assert max(asked.values()) == 1
    assert stats["focused/pages/fetched_count"] == N_ENTANGLED
    assert "focused/pages/repeated_count" not in stats
    assert "focused/pages/failed_count" not in stats
    assert stats["finish_reason"] == "finished"
    assert stats["scheduler/enqueued"] == stats["scheduler/dequeued"]
    assert stats["focused/links/pushed_again_count"] > 10
    assert stats["focused/links/stale_count"] == stats["focused/links/pushed_again_count"]


@pytest.mark.parametrize("strategy", MERGING)
def test_seeds_that_link_to_one_another_lose_no_page(tmp_path, strategy):
    """With one request at a time all but the first seed wait when a page links to them."""
    with Site(hand_made.two_regions()) as site:
        seeds = [f"{site.url}{path}" for path in hand_made.two_regions()]
        hand_made.topic(seeds=seeds).save(tmp_path / "models")
        settings = {
            "CONCURRENT_REQUESTS": 1,
            "DOWNLOAD_DELAY": 0,
            "AUTOTHROTTLE_ENABLED": 0,
            "FOCUSED_PRIVATE_ADDRESSES": "allow",
        }
        result = crawl(tmp_path / "models", tmp_path / "crawl", strategy=strategy, max_pages=0, settings=settings)
    assert result.exit_code == 0, result.err
    assert "log_count/ERROR" not in result.stats, result.err
    assert result.stats["focused/pages/fetched_count"] == len(seeds)
    items = result.stats.get("item_scraped_count", 0) + result.stats.get("item_dropped_count", 0)
    assert items == len(seeds)
