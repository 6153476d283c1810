"""Whole crawls of small recorded webs: what they fetch, count and leave."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import hand_made
import observers
import pytest
from commands import ROOT, Finished, crawl, crawl_argv, environment, finished, read_json_lines, started
from failing import let_files_be_devices
from warcs import Warc

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

ORIGIN = "http://site.example"
N_PAGES, N_RELEVANT = 25, 12


@pytest.fixture(scope="module")
def whole(models, two_regions, tmp_path_factory) -> Finished:
    """All of the site, recorded."""
    settings = {"FOCUSED_WARC": "all", **observers.SETTINGS}
    folder = tmp_path_factory.mktemp("whole")
    return crawl(models, folder, web=two_regions, strategy="cbp_slc", settings=settings, feed="relevant.jsonl")


def web_of(folder: Path, pages: dict[str, bytes]) -> Path:
    warc = Warc(folder / "web.warc.gz")
    for path, body in pages.items():
        warc.page(f"{ORIGIN}{path}", body)
    return warc.indexed()


def n_fetched(result: Finished) -> int:
    assert result.exit_code == 0, result.err
    return result.stats["focused/pages/fetched_count"]


def test_everything_is_fetched_once_and_judged(whole):
    assert whole.exit_code == 0
    assert n_fetched(whole) == N_PAGES
    assert whole.stats["focused/pages/relevant_count"] == N_RELEVANT
    assert whole.stats["focused/harvest_rate"] == N_RELEVANT / N_PAGES
    assert whole.stats["finish_reason"] == "finished"
    assert "spider_exceptions/count" not in whole.stats
    assert "log_count/ERROR" not in whole.stats
    assert "log_count/WARNING" not in whole.stats


def test_each_page_is_judged_once_however_many_are_under_way(whole):
    n_links = sum(body.count(b"<a ") for body in hand_made.two_regions().values())
    assert whole.stats["focused/links/scored_count"] == n_links


def test_a_page_is_fetched_once_with_the_port_of_its_scheme_and_without(models, tmp_path):
    warc = Warc(tmp_path / "web.warc.gz")
    warc.page(
        f"{ORIGIN}/", hand_made.html("Welcome.", (f"{ORIGIN}:80/a", "a star"), ("/a", "a star"), ("/b", "a star"))
    )
    warc.page(f"{ORIGIN}/a", hand_made.html(hand_made.STARS, ("/b", "a star")))
    warc.page(f"{ORIGIN}/b", b"", "302 Found", headers=[("Location", f"{ORIGIN}:80/c")])
    warc.page(f"{ORIGIN}:80/c", hand_made.html(hand_made.STARS + " and of moons", ("/a", "a star"), ("/", "home")))
    result = crawl(models, tmp_path, web=warc.indexed(), seeds=f"{ORIGIN}/")
    assert n_fetched(result) == 3


def test_irrelevant_pages_are_counted_then_dropped(whole):
    assert whole.stats["item_scraped_count"] == N_RELEVANT
    assert whole.stats["item_dropped_count"] == N_PAGES - N_RELEVANT


def test_the_feed_holds_the_relevant_pages_only(whole):
    feed = read_json_lines(whole.run_dir.parent / "relevant.jsonl")
    assert {page["url"] for page in feed} == {f"{ORIGIN}/stars/{n}" for n in range(12)}
    assert all(page["relevant"] for page in feed)
    assert feed == whole.pages


def test_a_stored_page_is_complete(whole):
    page = next(page for page in whole.pages if page["url"] == f"{ORIGIN}/stars/0")
    expected = {
        "title": "stars 0", "relevant": True, "depth": 1, "referrer": f"{ORIGIN}/", "link_reason": "block",
        "irrelevant_on_path": 1, "canonical_url": f"{ORIGIN}/stars/0", "verdict": None,
    }  # fmt: skip
    assert {name: page[name] for name in expected} == expected
    assert page["text"].startswith(hand_made.STARS)
    assert 0.5 <= page["relevance"] <= 1
    assert 0.5 <= page["link_score"] <= 1
    assert len(page["sha256"]) == 64
    assert time.strptime(page["fetched_at"], "%Y-%m-%dT%H:%M:%SZ")
    others = {
        "url",
        "text",
        "relevance",
        "link_score",
        "fetched_at",
        "sha256",
        "description",
        "language",
        "model_version",
        "link_model_version",
        "duplicate_of",
        "author",
        "date",
        "site_name",
        "license",
        "headings",
    }
    assert set(page) == {*expected, *others}


def test_links_are_counted_by_what_they_were_admitted_for(whole):
    stats = whole.stats
    asked = sum(n for name, n in stats.items() if name.startswith("focused/links/by_"))
    asked += stats["focused/links/deferred_count"]
    # The seed is no link; a link that two pages show before it is fetched is asked for twice.
    assert asked == stats["scheduler/enqueued"] - 1 + stats.get("dupefilter/filtered", 0)
    through = {n.rpartition("/")[2]: v for n, v in stats.items() if n.startswith("focused/relevant/")}
    assert sum(through.values()) == N_RELEVANT
    assert through["by_block_count"] >= N_RELEVANT - 1


def test_harvest_csv_has_a_row_every_ten_pages_and_one_at_the_end(whole):
    rows = whole.harvest
    assert [int(row["pages"]) for row in rows] == [10, 20, 25]
    last = rows[-1]
    assert int(last["relevant"]) == N_RELEVANT
    assert float(last["harvest_rate"]) == float(last["harvest_rate_last_100"]) == N_RELEVANT / N_PAGES
    assert int(last["frontier"]) == 0
    assert (
        int(last["target_length"]) == sum(page["depth"] for page in whole.pages) == whole.stats["focused/target_length"]
    )
    assert whole.stats["focused/irrelevant_on_path"] == sum(page["irrelevant_on_path"] for page in whole.pages)


def test_run_json_says_what_was_run(whole, models, two_regions):
    run = whole.run
    manifest = json.loads((models / "stars" / "manifest.json").read_text())
    assert "scrapy crawl focused -a topic=stars" in run["command"]
    assert (run["topic"], run["strategy"], run["web"]) == ("stars", "cbp_slc", str(two_regions))
    assert run["seeds"] == [f"{ORIGIN}/"]
    assert run["model_sha256"] == manifest["model_sha256"]
    assert run["finish_reason"] == "finished"
    assert run["started_at"] <= run["finished_at"]
    assert {"focused", "python", "scrapy", "lxml", "numpy", "scikit-learn"} <= set(run["versions"])
    assert run["settings"]["FOCUSED_WARC"] == "all"
    assert run["settings"]["DOWNLOAD_HANDLERS"]["http"] == "focused.webs.handler.WebDownloadHandler"


def test_the_log_ends_with_a_summary_and_where_the_files_are(whole):
    assert f"Finished (finished): {N_RELEVANT} judged relevant of {N_PAGES} pages, harvest " in whole.err
    for name in ("pages.jsonl", "harvest.csv", "run.json"):
        assert str(whole.run_dir / name) in whole.err


def test_a_web_on_this_machine_is_not_throttled(whole):
    assert whole.run["settings"]["DOWNLOAD_DELAY"] == 0
    assert whole.run["settings"]["AUTOTHROTTLE_ENABLED"] is False
    assert observers.observed(whole.run_dir)["delays"] == [0]


def test_the_command_line_may_throttle_it_all_the_same(models, two_regions, tmp_path):
    settings = {"DOWNLOAD_DELAY": 0.01, "RANDOMIZE_DOWNLOAD_DELAY": 0, **observers.SETTINGS}
    result = crawl(models, tmp_path, web=two_regions, max_pages=3, settings=settings)
    assert observers.observed(result.run_dir)["delays"] == [0.01]


def test_what_was_recorded_can_be_crawled_again(whole, models, tmp_path):
    again = crawl(models, tmp_path, web=whole.run_dir / "pages.warc.gz")
    assert n_fetched(again) == N_PAGES
    assert again.stats["focused/web/exact_count"] == whole.stats["focused/web/exact_count"] + 1  # robots.txt
    fields = ("url", "title", "text", "relevance", "sha256")

    def pages(result: Finished) -> list[list]:
        return sorted([page[name] for name in fields] for page in result.pages)

    assert pages(again) == pages(whole)


def test_the_documented_judgement_accepts_this_crawl_and_no_worse_one(whole, tmp_path):
    program = (
        (ROOT / "docs" / "how-to" / "deploy.md")
        .read_text(encoding="utf-8")
        .partition("<<'END'\n")[2]
        .partition("\nEND\n")[0]
    )
    assert "finish_reason" in program

    def judge(**changes) -> int:
        path = tmp_path / "run.json"
        path.write_text(json.dumps(whole.run | changes))
        return subprocess.run([sys.executable, "-c", program, path], check=False, capture_output=True).returncode

    assert judge() == 0
    assert judge(finish_reason="running") == 1
    assert judge(stats=whole.stats | {"focused/store/pages_lost_count": 1}) == 1
    assert judge(stats={}) == 1


THROUGH = {
    "breadth_first": {"discovery"}, "depth_first": {"discovery"}, "random": {"discovery"}, "best_first": {"page"},
    "fish_search": {"page"}, "shark_search": {"neighbourhood", "inherited"}, "patel_schmidt": {"page", "anchor"},
    "anchor_text": {"anchor"}, "link_context": {"context"}, "slc": {"anchor"}, "cbp": {"block"}, "cbp_slc": {"block"},
    "lpe": {"block"},
}  # fmt: skip


@pytest.mark.parametrize("strategy", THROUGH)
def test_a_strategy_says_what_brought_it_to_its_pages(models, two_regions, tmp_path, strategy):
    result = crawl(models, tmp_path, web=two_regions, strategy=strategy, max_pages=9)
    assert n_fetched(result) == 9
    assert result.run["strategy"] == strategy
    assert result.stats["finish_reason"] == "max_pages"
    reasons = {page["link_reason"] for page in result.pages}
    assert reasons <= THROUGH[strategy] | {"below threshold"}
    assert reasons & THROUGH[strategy]


def test_depth_first_takes_the_page_that_was_discovered_last(models, two_regions, tmp_path):
    settings = {"CONCURRENT_REQUESTS": 1, **observers.SETTINGS}
    result = crawl(models, tmp_path, web=two_regions, strategy="depth_first", settings=settings)
    paths = [url.removeprefix(ORIGIN) for url in observers.observed(result.run_dir)["fetched"]]
    # Each star page shows one of food, then two of stars; what is found twice keeps its first place.
    expected = ["/", "/stars/0", "/stars/2", "/stars/6", "/food/6", "/stars/5", "/stars/11", "/food/11", "/food/5"]
    assert paths[:9] == expected
    assert len(paths) == N_PAGES


def test_breadth_first_takes_pages_in_the_order_of_discovery(models, two_regions, tmp_path):
    settings = {"CONCURRENT_REQUESTS": 1, **observers.SETTINGS}
    result = crawl(models, tmp_path, web=two_regions, strategy="breadth_first", settings=settings)
    paths = [url.removeprefix(ORIGIN) for url in observers.observed(result.run_dir)["fetched"]]
    assert paths[:7] == ["/", "/food/0", "/stars/0", "/food/1", "/food/2", "/stars/1", "/stars/2"]
    assert len(paths) == N_PAGES


def test_dropped_links_are_not_fetched_and_deferred_ones_come_last(models, two_regions, tmp_path):
    settings = {"CONCURRENT_REQUESTS": 1, **observers.SETTINGS}
    how = {"web": two_regions, "strategy": "cbp_slc"}
    dropping = crawl(models, tmp_path / "1", **how, settings=settings | {"FOCUSED_BELOW_THRESHOLD": "drop"})
    deferring = crawl(models, tmp_path / "2", **how, settings=settings)
    stars = observers.observed(dropping.run_dir)["fetched"]
    assert len(stars) == 13
    assert not [url for url in stars if "food" in url]
    assert dropping.stats["focused/links/dropped_count"] == 13
    assert "focused/links/deferred_count" not in dropping.stats
    assert "links dropped below the threshold" in dropping.err
    both = observers.observed(deferring.run_dir)["fetched"]
    assert both[:13] == stars
    assert len(both) == N_PAGES
    # What is deferred is asked for once; what is dropped may be dropped again where another page shows it.
    assert deferring.stats["focused/links/deferred_count"] == 12


def test_nofollow_is_left_out_on_request(models, tmp_path):
    link = '<p><a rel="nofollow" href="/b">nebula</a><p><a href="/c">star</a>'
    pages = {"/": f"<p>{link}", "/b": b"b", "/c": b"<meta name=robots content=nofollow><a href=/d>star</a>", "/d": b"d"}
    web = web_of(tmp_path, {path: body if isinstance(body, bytes) else body.encode() for path, body in pages.items()})
    assert n_fetched(crawl(models, tmp_path / "1", web=web)) == 4
    settings = {"FOCUSED_NOFOLLOW_ENABLED": 1, **observers.SETTINGS}
    result = crawl(models, tmp_path / "2", web=web, settings=settings)
    assert observers.observed(result.run_dir)["fetched"] == [f"{ORIGIN}/", f"{ORIGIN}/c"]


def test_without_link_scoring_the_pipeline_classifies(models, two_regions, tmp_path, whole):
    settings = {"FOCUSED_LINK_SCORING_ENABLED": 0, "CONCURRENT_REQUESTS": 1, **observers.SETTINGS}
    result = crawl(models, tmp_path, web=two_regions, settings=settings)
    assert n_fetched(result) == N_PAGES
    assert {page["url"]: page["relevance"] for page in result.pages} == {
        page["url"]: page["relevance"] for page in whole.pages
    }
    assert set(observers.observed(result.run_dir)["priorities"][1:]) == {0}
    assert not [name for name in result.stats if name.startswith("focused/links/by_")]
    assert {page["link_reason"] for page in result.pages} == {"discovery"}
    assert result.stats["focused/relevant/by_discovery_count"] == N_RELEVANT


def test_the_stock_scheduler_crawls_as_well(models, two_regions, tmp_path):
    settings = {"SCHEDULER": "scrapy.core.scheduler.Scheduler"}
    result = crawl(models, tmp_path, web=two_regions, max_pages=5, settings=settings)
    assert 5 <= n_fetched(result) <= 5 + 16
    assert result.stats["finish_reason"] == "max_pages"


def test_a_job_directory_lets_a_crawl_go_on(models, two_regions, tmp_path):
    settings = {"JOBDIR": tmp_path / "job"}
    first = crawl(models, tmp_path / "1", web=two_regions, max_pages=10, settings=settings)
    second = crawl(models, tmp_path / "2", web=two_regions, settings=settings)
    assert n_fetched(first) == 10
    assert n_fetched(second) == N_PAGES - 10
    assert len({page["url"] for page in first.pages + second.pages}) == N_RELEVANT


@pytest.mark.parametrize("where", ["job", "run"])
def test_a_crawl_of_scrapys_scheduler_is_not_begun_again_by_the_default_one(models, two_regions, tmp_path, where):
    """In its JOBDIR, and in its run directory without JOBDIR: one line that says how to go on."""
    scrapys = {"SCHEDULER": "focused.frontier.budget_scheduler.BudgetScheduler", "JOBDIR": tmp_path / "job"}
    first = crawl(models, tmp_path, web=two_regions, max_pages=10, settings=scrapys)
    before = {path.name: path.read_bytes() for path in first.run_dir.iterdir() if path.is_file()}
    settings = {"JOBDIR": tmp_path / "job"} if where == "job" else {}
    refused = crawl(models, tmp_path, web=two_regions, max_pages=20, settings=settings)
    assert refused.exit_code == 1
    assert len(refused.err.strip().splitlines()) == 1
    assert "-s SCHEDULER=" in refused.err if where == "job" else "no frontier.sqlite to go on with" in refused.err
    assert {path.name: path.read_bytes() for path in first.run_dir.iterdir() if path.is_file()} == before
    again = crawl(models, tmp_path, web=two_regions, max_pages=20, settings=scrapys)
    assert again.exit_code == 0
    assert len({page["url"] for page in again.pages}) == len(again.pages) >= len(first.pages)
    assert "Resuming crawl" in again.err
    waited = [int(row.split(",")[4]) for row in (first.run_dir / "harvest.csv").read_text().splitlines()[1:]]
    assert min(waited) >= 0  # what it took over counts as waiting


def test_max_relevant_ends_the_crawl(models, two_regions, tmp_path):
    result = crawl(models, tmp_path, web=two_regions, max_relevant=3, settings={"CONCURRENT_REQUESTS": 1})
    assert result.stats["finish_reason"] == "max_relevant"
    assert len(result.pages) == 3


def test_argument_beats_command_line_beats_topic_beats_project(two_regions, tmp_path):
    models = tmp_path / "models"
    hand_made.topic(settings={"FOCUSED_MAX_PAGES": 9}, strategy="best_first").save(models)
    topic = crawl(models, tmp_path / "1", web=two_regions)
    assert (n_fetched(topic), topic.run["strategy"], topic.run["max_relevant"]) == (9, "best_first", 0)
    settings = {"FOCUSED_MAX_PAGES": 7, "FOCUSED_STRATEGY": "slc"}
    line = crawl(models, tmp_path / "2", web=two_regions, settings=settings)
    assert (n_fetched(line), line.run["strategy"]) == (7, "slc")
    settings |= {"FOCUSED_WEB": "demo", "FOCUSED_RUN_DIR": tmp_path / "elsewhere", "FOCUSED_WARC": "all"}
    argument = crawl(models, tmp_path / "3", web=two_regions, max_pages=5, strategy="lpe", settings=settings)
    assert (n_fetched(argument), argument.run["strategy"]) == (5, "lpe")
    assert argument.run["web"] == argument.run["settings"]["FOCUSED_WEB"] == str(two_regions)
    assert (argument.run_dir / "pages.warc.gz").exists()
    assert not (tmp_path / "elsewhere").exists()


def test_a_topic_names_its_web(two_regions, tmp_path):
    hand_made.topic(web=str(two_regions)).save(tmp_path / "models")
    result = crawl(tmp_path / "models", tmp_path, max_pages=2)
    assert n_fetched(result) == 2
    assert result.run["web"] == str(two_regions)


def test_seeds_from_a_file_or_a_list_replace_those_of_the_topic(models, two_regions, tmp_path):
    (tmp_path / "seeds.txt").write_text(
        f"\ufeff# two\n{ORIGIN}/food/11\n\n{ORIGIN}/food/10\n{ORIGIN}/food/11\n", "utf-8"
    )
    settings = {"DEPTH_LIMIT": 1}
    file = crawl(models, tmp_path, web=two_regions, seeds="seeds.txt", settings=settings)
    assert file.run["seeds"] == [f"{ORIGIN}/food/11", f"{ORIGIN}/food/10"]
    comma = crawl(models, tmp_path / "2", web=two_regions, seeds=f"{ORIGIN}/food/11, {ORIGIN}/stars/11", max_pages=2)
    assert comma.run["seeds"] == [f"{ORIGIN}/food/11", f"{ORIGIN}/stars/11"]
    [page] = comma.pages
    assert (page["link_reason"], page["link_score"], page["depth"], page["referrer"]) == ("seed", 1.0, 0, "")
    assert comma.stats["focused/relevant/seed_count"] == 1


@pytest.mark.parametrize("name", ["pages.jsonl", "harvest.csv", "pages.warc.gz"])
def test_a_full_disk_is_counted_and_survived(models, two_regions, tmp_path, name):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / name).symlink_to("/dev/full")
    settings = {"FOCUSED_WARC": "all"}
    result = crawl(models, tmp_path, web=two_regions, settings=settings, before=let_files_be_devices)
    assert n_fetched(result) == N_PAGES
    assert result.stats["finish_reason"] == "finished"
    lost = {
        "pages.jsonl": ("focused/store/pages_lost_count", N_RELEVANT, "relevant pages that could not be written"),
        "harvest.csv": ("focused/store/harvest_lost_count", 3, "rows of harvest.csv that could not be written"),
        "pages.warc.gz": ("focused/warc/failed_count", N_PAGES + 1, "WARC records that could not be written"),
    }[name]
    assert result.stats[lost[0]] == lost[1]
    assert f"{lost[1]} {lost[2]}" in result.err
    assert result.err.count("No space left on device") == 1
    assert "Traceback" not in result.err


def test_one_interrupt_ends_the_crawl_with_whole_files(models, two_regions, tmp_path):
    settings = {"DOWNLOAD_DELAY": 0.05, "CONCURRENT_REQUESTS": 1, "FOCUSED_HARVEST_EVERY_PAGES": 1}
    argv = crawl_argv(settings, web=two_regions)
    harvest = tmp_path / "run" / "harvest.csv"
    with started(*argv, cwd=tmp_path, env=environment(models)) as process:
        end = time.monotonic() + 180
        while not harvest.exists() or len(harvest.read_text().splitlines()) < 5:
            assert time.monotonic() < end, (tmp_path / "err").read_text()
            time.sleep(0.01)
        assert process.pid is not None
        os.kill(process.pid, signal.SIGINT)
    result = finished(process, tmp_path)
    assert result.exit_code == 0
    assert result.run["finish_reason"] == "shutdown"
    n_pages = n_fetched(result)
    assert 4 <= n_pages < N_PAGES
    assert int(result.harvest[-1]["pages"]) == n_pages
    assert len(result.pages) == result.stats["focused/pages/relevant_count"]
    assert "Finished (shutdown)" in result.err


def test_a_page_under_two_urls_counts_once(models, tmp_path):
    pages = {"/": b"<p><a href='/A.html'>star</a><a href='/a.html'>nebula</a>", "/a.html": b"<p>Stars."}
    result = crawl(models, tmp_path, web=web_of(tmp_path, pages))
    assert n_fetched(result) == 2
    assert result.stats["focused/pages/repeated_count"] == 1


def test_robots_txt_is_obeyed_on_a_recorded_web(models, tmp_path):
    warc = Warc(tmp_path / "web.warc.gz")
    warc.page(f"{ORIGIN}/robots.txt", b"User-agent: *\nDisallow: /private", headers=[("Content-Type", "text/plain")])
    warc.page(f"{ORIGIN}/", b"<p><a href='/private/a'>here</a><a href='/b'>there</a>")
    warc.page(f"{ORIGIN}/private/a", b"<p>Stars.").page(f"{ORIGIN}/b", b"<p>Stars.")
    result = crawl(models, tmp_path, web=warc.save())
    assert [page["url"] for page in result.pages] == [f"{ORIGIN}/b"]
    assert result.stats["robotstxt/forbidden"] == 1
    assert "1 request forbidden by robots.txt" in result.err
