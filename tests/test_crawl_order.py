"""With one request at a time a crawl is the same every time, and strictly best-first."""

from __future__ import annotations

import hand_made
import pytest
from commands import crawl
from observers import SETTINGS, observed

from focused import settings
from focused.webs import open_web

pytestmark = pytest.mark.slow

N_PAGES = 70


@pytest.fixture(scope="module")
def two_runs(tmp_path_factory):
    """The same crawl of the demo web twice: many hosts, redirects, errors, mirrors, 8 topics."""
    folder = tmp_path_factory.mktemp("order")
    seeds = open_web("demo", vars(settings)).seeds("astronomy")
    hand_made.topic(seeds=seeds).save(folder / "models")
    options = {"CONCURRENT_REQUESTS": 1, "FOCUSED_DEMO_SEED": 0, **SETTINGS}
    return [
        crawl(folder / "models", folder / name, web="demo", max_pages=N_PAGES, settings=options) for name in ("1", "2")
    ]


def test_the_same_seed_fetches_the_same_pages_in_the_same_order(two_runs):
    first, second = (observed(run.run_dir) for run in two_runs)
    assert first == second
    pages = [[{**page, "fetched_at": ""} for page in run.pages] for run in two_runs]
    assert pages[0] == pages[1]
    assert [run.stats["focused/pages/fetched_count"] for run in two_runs] == [N_PAGES, N_PAGES]


def test_the_next_request_is_always_the_best_that_is_known(two_runs):
    seen = observed(two_runs[0].run_dir)
    assert seen["overtaken"] == []
    assert len(seen["fetched"]) >= N_PAGES
    # It would prove nothing if there were nothing to choose from, or only one priority.
    assert seen["n_waiting"] > N_PAGES
    assert len(set(seen["priorities"])) > 10
    assert seen["priorities"] != sorted(seen["priorities"], reverse=True)


def test_redirects_do_not_jump_the_queue(two_runs):
    """A redirect adds 2 to a priority, and the priorities of two links of different score are further apart."""
    stats = two_runs[0].stats
    assert stats["downloader/response_status_count/301"] + stats["downloader/response_status_count/302"] > 0


def test_seeds_come_before_every_link(two_runs):
    [priorities, fetched] = (observed(two_runs[0].run_dir)[name] for name in ("priorities", "fetched"))
    n_seeds = len(two_runs[0].run["seeds"])
    assert fetched[:n_seeds] == two_runs[0].run["seeds"]
    assert min(priorities[:n_seeds]) > max(priorities[n_seeds:])


def test_the_page_budget_is_exact_with_sixteen_requests_under_way(two_runs, tmp_path):
    models = two_runs[0].run_dir.parent.parent / "models"
    result = crawl(models, tmp_path, web="demo", max_pages=77, settings={"CONCURRENT_REQUESTS": 16, **SETTINGS})
    assert result.stats["focused/pages/fetched_count"] == 77
    assert result.stats["finish_reason"] == "max_pages"
    n_pages = sum(row != "" for row in (result.run_dir / "harvest.csv").read_text().splitlines()[-1:])
    assert n_pages == 1
    assert int(result.harvest[-1]["pages"]) == 77
