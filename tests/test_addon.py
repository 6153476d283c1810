"""The add-on in another Scrapy project: the example of the documentation, on a server of its own."""

from __future__ import annotations

import csv
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import hand_made
import pytest
from commands import ROOT, Finished, read_json_lines, scrapy, started
from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.linkextractors import LinkExtractor
from scrapy.settings import Settings
from scrapy.spiders import CrawlSpider, Rule
from scrapy.statscollectors import StatsCollector
from sites import Reply, Site

from focused.addon import FocusedAddon, set_defaults
from focused.crawl.followed_run import local_run
from focused.crawl.former_classes import COMPONENTS
from focused.settings import ITEM_PIPELINES
from focused.utils.places import SHIPPED_MODELS_DIR

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

EXAMPLE = ROOT / "docs" / "examples" / "observatory"
N_LISTED = 20


def pages(path: str) -> bytes | Reply | None:
    """A region about stars and one about food; the portal names a catalogue of pages that no page links to."""
    if path == "/catalogue.txt":
        names = " ".join(f"/listed/{number}" for number in range(N_LISTED))
        return Reply(names.encode(), headers={"Content-Type": "text/plain"})
    if path.startswith("/listed/"):
        body = hand_made.html(f"{hand_made.STARS} {path}.", title=path)
    else:
        body = hand_made.two_regions().get(path)
        if path == "/":
            body += b'<img src="/sky.png"><a rel="catalogue" href="/catalogue.txt">Messier</a>'
    return body and Reply(body, wait=lambda: time.sleep(0.03))  # slow enough to be killed in the middle


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with Site(pages) as site:
        yield site


@pytest.fixture
def project(models: Path, tmp_path: Path) -> Path:
    """The example as it is, with hand-made topics and no pause between two requests."""
    folder = tmp_path / "project"
    shutil.copytree(EXAMPLE, folder)
    settings = folder / "observatory" / "settings.py"
    text = (
        settings.read_text().replace('"astrophysics"', '"stars"').replace("DOWNLOAD_DELAY = 1.0", "DOWNLOAD_DELAY = 0")
    )
    settings.write_text(f"{text}\nFOCUSED_MODELS_DIR = {str(models)!r}\nFOCUSED_RUN_DIR = 'run'\n")
    return folder


def argv(site: Site, *more: str) -> list[str]:
    return ["crawl", "stars", "-a", f"portal={site.url}/", *more]


def fetched(run_dir: Path) -> list[dict[str, str]]:
    with (run_dir / "fetched.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def check_all_is_there(site: Site, done: Finished) -> None:
    """Every page once, with the fields that the project adds."""
    rows = [row["url"].removeprefix(site.url) for row in fetched(done.run_dir)]
    listed = [f"/listed/{number}" for number in range(N_LISTED)]
    assert sorted(rows) == sorted([*hand_made.two_regions(), *listed])
    relevant = {page["url"].removeprefix(site.url): page for page in read_json_lines(done.run_dir / "pages.jsonl")}
    assert len(relevant) == len(done.pages)
    assert {path for path, page in relevant.items() if page["catalogue"] == "Messier"} == set(listed)
    assert {page["site"] for page in relevant.values()} == {"127.0.0.1"}


@pytest.mark.slow
def test_a_project_of_its_own_crawls_for_a_topic_with_one_line_of_settings(project, site):
    done = scrapy(*argv(site), cwd=project)
    assert done.exit_code == 0, done.err
    assert done.run["finish_reason"] == "finished"
    check_all_is_there(site, done)
    rows = fetched(done.run_dir)
    by_path = {row["url"].removeprefix(site.url): row for row in rows}
    assert by_path["/stars/0"]["link_reason"] != "discovery"
    assert float(by_path["/stars/0"]["link_score"]) > float(by_path["/food/0"]["link_score"])
    assert by_path["/listed/0"]["link_reason"] == "discovery"
    # The catalogue's priority is above all links', that of the pages it names between the best and the others.
    assert site.asked.index("/catalogue.txt") < min(site.asked.index("/stars/0"), site.asked.index("/food/0"))


@pytest.mark.slow
def test_a_limit_that_is_spent_is_made_larger_with_a_setting_for_the_project_s_spider_takes_no_argument(project, site):
    four = argv(site, "-s", "FOCUSED_MAX_PAGES=4")
    scrapy(*four, cwd=project)
    again = scrapy(*four, cwd=project)
    assert "The limit of 4 pages" in again.err
    assert "give a larger one: -s FOCUSED_MAX_PAGES=N" in again.err


@pytest.mark.slow
def test_a_project_that_is_killed_goes_on_and_loses_none_of_its_own_requests(project, site):
    spider = project / "observatory" / "spiders" / "stars.py"
    spider.write_text(spider.read_text().replace('len(response.css("img"))', "len(response.body)"))
    n_asked = len(site.asked)
    with started(*argv(site), cwd=project) as process:
        while len(site.asked) < n_asked + 12:
            time.sleep(0.005)
        process.kill()
        process.join()
    assert 0 < len(fetched(project / "run")) < N_LISTED
    done = scrapy(*argv(site), cwd=project)
    assert done.exit_code == 0, done.err
    check_all_is_there(site, done)
    # A page that a person wants when the crawl has ended is delivered by the next start, with the project's fields.
    (project / "run" / "verdicts").mkdir()
    (project / "run" / "verdicts" / "ann.jsonl").write_text(f'{{"url": "{site.url}/food/0", "relevant": true}}\n')
    again = scrapy(*argv(site, "-O", "feed.jsonl"), cwd=project)
    assert again.exit_code == 0, again.err
    n_bytes = len(hand_made.two_regions()["/food/0"])
    for path in (project / "run" / "pages.jsonl", project / "feed.jsonl"):
        [late] = [page for page in read_json_lines(path) if page["url"] == f"{site.url}/food/0"]
        assert (late["n_images"], late["catalogue"], late["verdict"]) == (n_bytes, "", True)


@pytest.mark.slow
def test_a_crawl_of_many_workers_delivers_the_fields_that_the_project_adds(project, site, request):
    pytest.importorskip("psycopg")
    database = request.getfixturevalue("database")
    done = scrapy(*argv(site, "-s", f"FOCUSED_DATABASE={database}", "-s", "FOCUSED_CRAWL=stars"), cwd=project)
    assert done.exit_code == 0, done.err
    folder = local_run(database.replace("?", "/stars?"), project / "runs")
    relevant = {page["url"].removeprefix(site.url): page for page in read_json_lines(folder / "pages.jsonl")}
    listed = {f"/listed/{number}" for number in range(N_LISTED)}
    assert {path for path, page in relevant.items() if page["catalogue"] == "Messier"} == listed
    assert {page["n_images"] for page in relevant.values()} >= {0}


LATE_VERDICT = """
    async def start(self):
        yield scrapy.Request(self.portal)
        yield scrapy.Request(self.portal + "catalogue.txt", self.speak, priority=-9000)

    def speak(self, response):
        wanted = "\\n".join('{"url": "%sfood/%d", "relevant": true}' % (self.portal, number) for number in (0, 1))
        pathlib.Path("run/verdicts").mkdir()
        pathlib.Path("run/verdicts/ann.jsonl").write_text(wanted + "\\n")
"""


@pytest.mark.slow
def test_a_page_that_a_person_wants_later_has_the_fields_that_the_project_adds(project, site):
    spider = project / "observatory" / "spiders" / "stars.py"
    text = spider.read_text().replace("import scrapy\n", "import pathlib\n\nimport scrapy\n", 1)
    spider.write_text(text.replace('len(response.css("img"))', "len(response.body)") + LATE_VERDICT)
    done = scrapy(*argv(site, "-O", "feed.jsonl"), cwd=project)
    assert done.exit_code == 0, done.err
    for path in (done.run_dir / "pages.jsonl", project / "feed.jsonl"):
        pages = {page["url"].removeprefix(site.url): page for page in read_json_lines(path)}
        assert {"/food/0", "/food/1", "/stars/0"} <= set(pages)
        assert {page["site"] for page in pages.values()} == {"127.0.0.1"}
        assert all(page["n_images"] > 100 for page in pages.values())


OWN_SPIDER = """
import json

import scrapy
from focused.items import PageItem


class OwnSpider(scrapy.Spider):
    name = "own"

    async def start(self):
        yield scrapy.Request(self.portal, dont_filter=True)

    def parse(self, response):
        yield PageItem.from_response(response, callback="parse_linked")
        own = {"callback": self.parse_own, "errback": self.failed_own, "priority": 2000}
        meta = {**response.meta, "cookiejar": 7, "nested": {"list": [1, None]}}
        yield response.follow("/form", method="POST", body=b"q=\\xff", headers={"X-Own": "1"}, meta=meta, cb_kwargs={"n": 2}, **own)
        yield response.follow("/again", dont_filter=True, **own)
        yield response.follow("/again", dont_filter=True, **own)
        yield response.follow("/moved", meta=meta, **own)
        yield response.follow("/missing", **own)
        yield response.follow("/memory", priority=3000, callback=lambda response: self.note("memory", response.request))

    def parse_linked(self, response):
        self.note("linked", response.request)
        yield PageItem.from_response(response, callback="parse_linked")

    def parse_own(self, response, n=0):
        self.note(f"own {n}", response.request)

    def failed_own(self, failure):
        self.note("failed", failure.request)

    def note(self, what, request):
        header, meta = request.headers.get("X-Own", b"").decode(), request.meta
        seen = [what, request.url.partition("/")[2][1:].partition("/")[2], request.method, header]
        with open("noted.jsonl", "a") as file:
            file.write(json.dumps([*seen, meta.get("cookiejar"), meta.get("nested")]) + "\\n")
"""


def n_done(project: Path) -> int:
    """Return how many links are done, as a crash would leave it."""
    with closing(sqlite3.connect(f"file:{project / 'run' / 'frontier.sqlite'}?mode=ro", uri=True)) as file:
        return int(file.execute("SELECT count(*) FROM links WHERE state = 2").fetchone()[0])


@pytest.mark.slow
def test_requests_of_the_spider_survive_a_crash_with_all_that_json_can_keep(project):
    (project / "observatory" / "spiders" / "own.py").write_text(OWN_SPIDER)
    killed = threading.Event()
    hang = {"wait": lambda: killed.wait(160)}
    replies = {
        "/": Reply(hand_made.html("Welcome.", ("/linked", "telescopes"))),
        **dict.fromkeys(
            ("/linked", "/form", "/again", "/target", "/memory"), Reply(hand_made.html(hand_made.STARS), **hang)
        ),
        "/moved": Reply(status=302, headers={"Location": "/target"}, **hang),
        "/missing": Reply(status=404, **hang),
    }
    with Site(replies) as site:
        command = ["crawl", "own", "-a", f"portal={site.url}/"]
        with started(*command, cwd=project) as process:
            while len(site.asked) < 3 or n_done(project) < 1:  # robots.txt, the portal, and one that hangs
                time.sleep(0.005)
            process.kill()
            process.join()
        [said] = [line for line in (project / "err").read_text().splitlines() if "waits in memory only" in line]
        assert "/memory> waits in memory only" in said
        assert "its callback or errback is no method of the spider" in said
        assert not (project / "noted.jsonl").exists()
        killed.set()
        n_posted = len(site.posted)
        done = scrapy(*command, cwd=project)
    assert done.exit_code == 0, done.err
    assert site.posted[n_posted:] == [b"q=\xff"]
    kept = [7, {"list": [1, None]}]
    assert sorted(read_json_lines(project / "noted.jsonl"), key=str) == sorted(
        [
            ["own 2", "form", "POST", "1", *kept],
            ["own 0", "again", "GET", "", None, None],
            ["own 0", "again", "GET", "", None, None],
            ["own 0", "target", "GET", "", *kept],
            ["failed", "missing", "GET", "", None, None],
            ["linked", "linked", "GET", "", None, None],
        ],
        key=str,
    )
    assert [row["url"].removeprefix(site.url) for row in fetched(done.run_dir)] == ["/", "/linked"]


@pytest.mark.slow
def test_a_request_whose_method_the_spider_has_no_more_fails_and_says_why(project):
    spider = project / "observatory" / "spiders" / "own.py"
    spider.write_text(OWN_SPIDER)
    killed = threading.Event()
    with Site({"/": hand_made.html("Welcome."), "/memory": Reply(wait=lambda: killed.wait(160))}) as site:
        command = ["crawl", "own", "-a", f"portal={site.url}/"]
        with started(*command, cwd=project) as process:
            while "/memory" not in site.asked or n_done(project) < 1:
                time.sleep(0.005)
            process.kill()
            process.join()
        killed.set()
        spider.write_text(OWN_SPIDER.replace("parse_own", "parse_renamed"))
        done = scrapy(*command, cwd=project)
    assert done.exit_code == 0, done.err
    failed = [
        line
        for line in done.err.splitlines()
        if "cannot be requested again as before: Method 'parse_own' not found" in line
    ]
    assert len(failed) == 5


def refused(project: Path, *more: str) -> str:
    done = scrapy("crawl", "stars", *more, "-s", "LOG_ENABLED=0", cwd=project)
    assert done.exit_code == 1
    assert not (project / "run").exists()
    [line] = done.err.splitlines()
    return line


@pytest.mark.slow
def test_what_is_missing_is_said_in_one_line_before_the_first_request(project):
    assert refused(project, "-s", "FOCUSED_TOPIC=").startswith("Error: Spider 'stars' has no topic. Set FOCUSED_TOPIC")
    assert refused(project, "-a", "topic=moons").startswith("Error: No topic 'moons' in ")
    (project / "file").write_text("")
    said = refused(project, "-s", "FOCUSED_RUN_DIR=file")
    assert said.endswith("-s FOCUSED_RUN_DIR=PATH")
    spider = project / "observatory" / "spiders" / "stars.py"
    spider.write_text(spider.read_text().replace("def parse(", "def parse_page("))
    assert refused(project).startswith("Error: Spider 'stars' has no method parse")


@pytest.mark.slow
def test_a_spider_that_wants_no_topic_is_left_alone(project, site):
    spider = project / "observatory" / "spiders" / "stars.py"
    spider.write_text(spider.read_text().replace('name = "stars"', 'name = "stars"\n    topic = None'))
    done = scrapy(*argv(site, "-O", "items.jsonl"), cwd=project)
    assert done.exit_code == 0, done.err
    assert not (project / "run").exists()
    assert len(read_json_lines(project / "items.jsonl")) == N_LISTED + 1  # no link is followed


def test_what_a_project_sets_itself_stands():
    settings = Settings(
        {"SCHEDULER": "scrapy.core.scheduler.Scheduler", "ROBOTSTXT_OBEY": False, "CONCURRENT_ITEMS": 7}
    )
    settings.set("ITEM_PIPELINES", {"focused.pipelines.harvest.HarvestPipeline": None, "own.Pipeline": 1}, "project")
    settings.set("FOCUSED_MAX_PAGES", 5, "project")
    with pytest.raises(ModuleNotFoundError):  # Scrapy's own answer to a pipeline that is not there
        set_defaults(settings)
    settings.set("ITEM_PIPELINES", {"focused.pipelines.harvest.HarvestPipeline": None}, "project")
    set_defaults(settings)
    assert settings["SCHEDULER"] == "scrapy.core.scheduler.Scheduler"
    assert (settings["ROBOTSTXT_OBEY"], settings["CONCURRENT_ITEMS"], settings["FOCUSED_MAX_PAGES"]) == (False, 7, 5)
    assert settings["METAREFRESH_ENABLED"] is False
    places = {str(each): place for each, place in settings["ITEM_PIPELINES"].items()}
    assert places["focused.pipelines.harvest.HarvestPipeline"] is None
    assert len(places) == len(ITEM_PIPELINES)  # the others are added once each


@pytest.mark.parametrize("spider", [None, SimpleNamespace(topic=None)], ids=["no spider", "no topic"])
def test_a_crawler_that_wants_no_topic_has_none_of_the_add_on_s_settings(spider):
    def values(settings: Settings) -> dict[str, Any]:
        return {name: settings.getdict(name) if name in COMPONENTS else settings[name] for name in settings}

    own = {"EXTENSIONS": {"scrapy.extensions.logstats.LogStats": None}, "FOCUSED_TOPIC": "stars", "CONCURRENT_ITEMS": 7}
    before, settings = Settings(own), Settings(own)
    FocusedAddon.update_pre_crawler_settings(settings)
    assert values(settings) != values(before)
    with pytest.raises(NotConfigured):
        FocusedAddon.from_crawler(SimpleNamespace(spider=spider, settings=settings))
    assert values(settings) == values(before)


def planned(
    models,
    tmp_path,
    caplog,
    topic="stars",
    settings: dict[str, Any] | None = None,
    base: type[Spider] = Spider,
    **arguments,
) -> list[str]:
    """Return what the add-on warns of when a spider of another project begins."""

    class Own(base):  # type: ignore[valid-type,misc]
        name = "own"

        def parse(self, response):
            pass

    folders = {"FOCUSED_MODELS_DIR": str(models), "FOCUSED_RUN_DIR": str(tmp_path / "run")}
    crawler = Crawler(Own, {**folders, **(settings or {})})
    crawler.spider, crawler.stats = Own(topic=topic, **arguments), StatsCollector(crawler)
    FocusedAddon(crawler).update_settings(crawler.settings)
    return [record.getMessage() for record in caplog.records if record.name == "focused.addon"]


def test_a_project_s_own_spider_that_is_to_have_workers_is_told_how_they_are_started(models, tmp_path, caplog):
    said = planned(models, tmp_path, caplog, workers="2")
    assert said == [
        "The add-on does not read the spider argument workers: this is one process. For a crawl of several, start each with "
        "-s FOCUSED_DATABASE=postgresql://me@host/database -s FOCUSED_CRAWL=NAME"
    ]


def test_arguments_that_only_the_project_s_own_spider_reads_are_named_with_where_they_count(models, tmp_path, caplog):
    [said] = planned(models, tmp_path, caplog, strategy="best_first", max_pages="5", other="x")
    assert "(strategy, max_pages)" in said
    assert "-s FOCUSED_STRATEGY=best_first -s FOCUSED_MAX_PAGES=5" in said


@pytest.mark.parametrize(
    "scheduler", ["focused.frontier.scheduler.FrontierScheduler", "scrapy.core.scheduler.Scheduler"]
)
def test_a_duplicate_filter_that_is_not_asked_is_named_at_the_start(models, tmp_path, caplog, scheduler):
    settings = {"DUPEFILTER_CLASS": "scrapy.dupefilters.BaseDupeFilter", "SCHEDULER": scheduler}
    said = planned(models, tmp_path, caplog, settings=settings)
    is_said = "focused" in scheduler
    assert ["does not ask scrapy.dupefilters.BaseDupeFilter" in line for line in said] == [True] * is_said


@pytest.mark.parametrize("rules", [(), (Rule(LinkExtractor()),)], ids=["without rules", "with rules"])
def test_a_spider_whose_rules_pass_the_scores_by_is_named_at_the_start(models, tmp_path, caplog, rules):
    said = planned(models, tmp_path, caplog, base=CrawlSpider, rules=rules)
    assert [line.startswith("Spider 'own' crawls by its rules") for line in said] == [True] * bool(rules)


@pytest.mark.parametrize("settings", [{}, {"FOCUSED_WEB": "live"}], ids=["the topic's web", "the network"])
def test_a_topic_s_web_in_place_of_the_network_is_said_at_the_start(tmp_path, caplog, settings):
    said = planned(SHIPPED_MODELS_DIR, tmp_path, caplog, "demo", settings)
    assert [line.startswith("Web demo answers all requests of this crawl") for line in said] == [True] * (not settings)


def test_a_component_that_has_moved_ends_the_process_with_its_new_path():
    settings = Settings({"SCHEDULER": "focused.frontier.durable.FrontierScheduler"})
    with pytest.raises(SystemExit, match=r"^Error: SCHEDULER names .* is called focused\.frontier\.scheduler\."):
        FocusedAddon.update_pre_crawler_settings(settings)


def test_the_package_is_imported_without_scrapy():
    program = (
        "import sys, focused; assert 'scrapy' not in sys.modules; focused.FocusedAddon; assert 'scrapy' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True, cwd=ROOT)


@pytest.mark.slow
def test_who_calls_focused_for_a_spider_of_another_project_is_told_how_it_is_run(project):
    done = scrapy("crawl", "stars", cwd=project, env={"SCRAPY_SETTINGS_MODULE": "focused.settings"})
    assert done.exit_code == 1
    assert "Spiders of the project here (observatory.settings) are run by its own command, scrapy" in done.err
