from __future__ import annotations

import json
import logging
import os
import re
import shlex
import shutil
import signal
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import hand_made
import pytest
from commands import crawl, crawl_argv, environment, scrapy, started
from scrapy.utils.test import get_crawler
from sites import Reply, Site

from focused.crawl.figures_by_people import figures_by_people
from focused.crawl.harvest_so_far import HarvestSoFar
from focused.crawl.outlook import Outlook
from focused.crawl.resume_command import how_to_resume
from focused.crawl.time_left import TimeLeft
from focused.extensions.harvest_monitor import HarvestMonitor
from focused.extensions.progress_line import Progress
from focused.frontier.crawl_interface import register_crawl
from focused.frontier.interface import HostCounts
from focused.method.topic import TopicError
from focused.retraining.versions import load_version
from focused.utils.log_filters import ROBOTS, TALKATIVE, TLS, quieten

LINE = re.compile(
    r"\d\d:\d\d:\d\d INFO: +(\d+)(?: of \d+)? pages  harvest (?:not known(?: yet)?|\d\.\d\d \(\d\.\d\d to \d\.\d\d\))  "
    r"judged relevant (\d+) \((\d\.\d{3}), last 100: (\d\.\d{3})\)  frontier (\d+) on \d+ hosts?  \d+(?:\.\d)? pages/s"
)


@pytest.mark.slow
def test_a_line_every_interval_says_how_it_goes(models, two_regions, tmp_path):
    settings = {"FOCUSED_METRICS_INTERVAL_SECS": 0.05, "DOWNLOAD_DELAY": 0.02, "CONCURRENT_REQUESTS": 1}
    result = crawl(models, tmp_path, web=two_regions, settings=settings)
    lines = LINE.findall(result.err)
    assert len(lines) >= 3
    pages = [int(line[0]) for line in lines]
    assert pages == sorted(pages)
    for n_pages, n_relevant, harvest, *_ in lines:
        assert float(harvest) == pytest.approx(int(n_relevant) / max(int(n_pages), 1), abs=0.0006)


@pytest.mark.slow
def test_a_topic_that_can_hardly_be_told_from_the_rest_is_warned_of_once_with_advice(models, two_regions, tmp_path):
    weak = Path(shutil.copytree(models, tmp_path / "weak"))
    path = weak / "stars" / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"figures": {"f1": 0.2}}))
    result = crawl(weak, tmp_path, web=two_regions, max_pages=2)
    [line] = [line for line in result.err.splitlines() if "an F1 of 0.20 is too low for a crawl" in line]
    assert "WARNING" in line
    assert "--unlabeled" in line
    assert "scrapy train stars --positive PATH --force" in line


@pytest.mark.slow
def test_no_lines_where_none_are_wanted(models, two_regions, tmp_path):
    settings = {"FOCUSED_METRICS_INTERVAL_SECS": 0, "DOWNLOAD_DELAY": 0.02, "CONCURRENT_REQUESTS": 1}
    result = crawl(models, tmp_path, web=two_regions, max_pages=5, settings=settings)
    assert not LINE.findall(result.err)
    assert "Finished (max_pages)" in result.err


@pytest.mark.slow
def test_while_it_runs_run_json_says_so(models, tmp_path):
    seen = []

    def page(path: str) -> bytes | None:
        if path == "/":
            seen.append(json.loads((tmp_path / "run" / "run.json").read_text()))
        return hand_made.html(hand_made.FOOD) if path == "/" else None

    with Site(page) as site:
        result = crawl(models, tmp_path, seeds=f"{site.url}/", settings={"DOWNLOAD_DELAY": 0})
    assert seen[0]["finish_reason"] == "running"
    assert "finished_at" not in seen[0]
    assert result.run["finish_reason"] == "finished"
    assert "No page was relevant. See why: scrapy explain" in result.err
    assert not (result.run_dir / "pages.jsonl").exists()
    assert "delivered pages " not in result.err


def test_neither_run_json_nor_the_log_tells_a_secret(models, tmp_path):
    with Site({"/": hand_made.html(hand_made.FOOD)}.get) as site:
        settings = {"DOWNLOAD_DELAY": 0, "FOCUSED_METRICS_TOKEN": "a-secret", "CLOSESPIDER_TIMEOUT": 60}
        result = crawl(models, tmp_path, seeds=f"{site.url}/", settings=settings, before=None)
    assert result.run["settings"]["FOCUSED_METRICS_TOKEN"] == "***"
    assert "FOCUSED_METRICS_TOKEN=***" in result.run["command"]
    assert "a-secret" not in (result.run_dir / "run.json").read_text() + result.err


@pytest.mark.slow
@pytest.mark.parametrize("goal", ["max_pages", "max_relevant"])
def test_a_slow_answer_that_keeps_the_crawl_from_ending_is_waited_for_aloud(models, tmp_path, goal):
    line = "about to end: waiting for 1 request under way"
    is_asked = threading.Event()

    def until_it_is_said() -> None:
        is_asked.set()
        for _ in range(6000):
            if line in (tmp_path / "err").read_text():
                return
            time.sleep(0.02)

    pages = {
        "/": hand_made.html(hand_made.FOOD, ("/slow", "nebula"), ("/b", "nebula")),
        "/b": Reply(hand_made.html(hand_made.STARS), wait=lambda: is_asked.wait(120)),
        "/slow": Reply(hand_made.html(hand_made.STARS), wait=until_it_is_said),
    }
    settings = {"DOWNLOAD_DELAY": 0, "AUTOTHROTTLE_ENABLED": 0, "CONCURRENT_REQUESTS_PER_DOMAIN": 4}
    settings |= {"FOCUSED_METRICS_INTERVAL_SECS": 0.1}
    with Site(pages) as site:
        limits = {"max_pages": 3} if goal == "max_pages" else {"max_relevant": 1}
        result = crawl(models, tmp_path, seeds=f"{site.url}/", strategy="best_first", settings=settings, **limits)
    assert result.exit_code == 0
    assert result.run["finish_reason"] == goal
    assert result.err.count(line) == 1


def test_whatever_verdicts_do_to_the_figures_the_end_of_a_crawl_is_told_without_them(monkeypatch, caplog, tmp_path):
    def fail(run_dir):
        raise AttributeError("unforeseen")

    (tmp_path / "verdicts").mkdir()
    monkeypatch.setattr("focused.collection.judged_figures.judged_figures", fail)
    assert figures_by_people(tmp_path) is None
    assert "figures of people's verdicts cannot be computed" in caplog.text


def test_a_progress_line_that_has_not_changed_is_not_repeated_before_a_minute_is_over(monkeypatch, caplog):
    clock = [1000.0]
    monkeypatch.setattr("focused.extensions.harvest_monitor.time.monotonic", lambda: clock[0])
    crawler = get_crawler(settings_dict={"FOCUSED_HARVEST_WINDOW_PAGES": 100, "FOCUSED_METRICS_INTERVAL_SECS": 0.5})
    crawler._engine = SimpleNamespace(_slot=None)
    harvest = SimpleNamespace(n_pages=17, n_relevant=4, rate=0.2, recent_rate=0.2, spent_secs=lambda: clock[0])
    frontier = SimpleNamespace(n_waiting=0, host_counts=lambda: None, versions=None)
    register_crawl(crawler, SimpleNamespace(frontier=frontier))
    plan = SimpleNamespace(max_pages=0, max_relevant=0, max_minutes=0, stop_when="budgets")
    monitor = HarvestMonitor(
        *(crawler, plan, harvest, HarvestSoFar()),
        Outlook(plan, harvest, crawler.settings),
    )
    caplog.set_level(logging.INFO, logger="focused.extensions.harvest_monitor")

    def lines(n_times: int) -> int:
        caplog.clear()
        for _ in range(n_times):
            clock[0] += 0.5
            monitor._log_line()
        return len(caplog.messages)

    assert lines(100) == 1
    harvest.n_pages = 18
    assert lines(1) == 1
    assert lines(119) == 0
    assert lines(1) == 1  # a sign of life


def test_a_version_that_is_gone_is_said_to_be_gone(tmp_path):
    topic = hand_made.topic()
    assert load_version(tmp_path, topic, 1) is topic
    with pytest.raises(TopicError, match=r"versions/2/stars is gone") as error:
        load_version(tmp_path, topic, 2)
    assert "scrapy train" not in str(error.value)


@pytest.fixture
def loggers():
    """Leaves the filters of loggers as they were."""
    kept = {name: list(logging.getLogger(name).filters) for name in (*TALKATIVE, ROBOTS, TLS)}
    yield
    for name, filters in kept.items():
        logging.getLogger(name).filters[:] = filters


def test_scrapy_talks_of_itself_only_if_asked(loggers, caplog):
    with caplog.at_level(logging.DEBUG):
        quieten("INFO")
        logging.getLogger("scrapy.core.engine").info("Spider opened")
        logging.getLogger("scrapy.core.engine").warning("Something is wrong")
        assert [record.message for record in caplog.records] == ["Something is wrong"]


def test_that_a_certificate_is_not_valid_is_said_once_of_each_host(loggers, caplog):
    quieten("INFO")
    for host in ("a.org", "a.org", "b.org", "a.org"):
        logging.getLogger(TLS).warning("Remote certificate is not valid for hostname %s", host)
    assert [record.args for record in caplog.records] == [("a.org",), ("b.org",)]


def test_and_then_it_says_everything(loggers, caplog):
    with caplog.at_level(logging.DEBUG):
        quieten("DEBUG")
        logging.getLogger("scrapy.core.engine").info("Spider opened")
        assert [record.message for record in caplog.records] == ["Spider opened"]


def progress(**known) -> str:
    usual = {"n_pages": 17, "max_pages": 200, "harvest": "0.84 (0.70 to 0.93)", "n_relevant": 12, "rate": 0.706}
    usual |= {"recent_rate": 0.706, "window": 100, "n_waiting": 364, "hosts": HostCounts(5, 2), "pages_per_sec": 0.84}
    return str(Progress(**usual | known))


def test_the_progress_line_says_of_how_many_pages_on_which_hosts_and_how_long_it_takes_yet():
    line = progress(secs_left=1100.0)
    assert line.startswith(
        "    17 of 200 pages  harvest 0.84 (0.70 to 0.93)  judged relevant 12 (0.706, last 100: 0.706)"
    )
    assert line.endswith("  frontier 364 on 5 hosts, 2 failing  0.8 pages/s  18 min left")


def test_the_progress_line_of_a_worker_says_what_all_have_of_the_budget():
    assert progress(n_of_all=149).startswith("    17 pages by this worker, 149 of 200 by all  harvest 0.84")
    assert progress(n_of_all=149, max_pages=0).startswith("    17 pages by this worker, 149 by all  harvest 0.84")


def test_the_progress_line_says_nothing_of_what_is_not_known():
    line = progress(max_pages=0, hosts=None, pages_per_sec=41.3)
    assert line.startswith("    17 pages  ")
    assert line.endswith("  frontier 364  41 pages/s")


def test_the_progress_line_says_how_many_answers_are_http_errors_if_they_are_more_than_the_pages():
    assert progress(errors_per_sec=0.5).endswith("  0.8 pages/s")
    assert progress(errors_per_sec=9.62, pages_per_sec=0.0).endswith("  0.0 pages/s, 9.6 HTTP errors/s")


def test_the_progress_line_foretells_nothing_while_all_hosts_fail():
    outlook = {"secs_left": 1100.0, "outlook": "judged relevant by 09:18: 432 (298 to 566)"}
    assert progress(hosts=HostCounts(0, 2), **outlook).endswith("  frontier 364 on 0 hosts, 2 failing  0.8 pages/s")
    assert progress(hosts=HostCounts(1, 2), **outlook).endswith(outlook["outlook"])


def test_the_time_left_is_that_of_the_budget_that_is_spent_first_at_the_speed_of_late():
    left = TimeLeft([1000, 50, 3600])
    left.note_spent(0, [0, 0, 0])
    assert left.secs() is None
    left.note_spent(1, [1, 0, 1])  # too little to say
    assert left.secs() is None
    left.note_spent(100, [100, 10, 100])
    assert left.secs() == pytest.approx(400)  # 40 relevant pages, one every ten seconds
    for now in range(110, 400, 10):  # none is relevant any more
        left.note_spent(now, [now, 10, now])
    assert left.secs() == pytest.approx(610)
    left.note_spent(3550, [400, 10, 3550])
    assert left.secs() == pytest.approx(50)
    assert TimeLeft([0, 0, 0]).secs() is None


ORIGINAL = "crawl focused -a topic=stars -s LOG_LEVEL=INFO"


def test_the_command_that_resumes_is_called_as_it_was_and_names_the_run_directory_once(tmp_path, monkeypatch):
    program = tmp_path / "bin" / "scrapy"
    program.parent.mkdir()
    program.touch(mode=0o755)
    argv, run_dir = ["/usr/bin/python", str(program), *ORIGINAL.split()], tmp_path / "a run"
    assert how_to_resume(argv, run_dir) == f"/usr/bin/python {program} {ORIGINAL} -a 'run_dir={run_dir}'"
    monkeypatch.setenv("PATH", str(program.parent))
    assert how_to_resume(argv, run_dir) == f"scrapy {ORIGINAL} -a 'run_dir={run_dir}'"
    monkeypatch.chdir(tmp_path)
    for given in (["-a", "run_dir=a run"], ["-arun_dir=a run"]):
        assert shlex.split(how_to_resume([*argv, *given], run_dir)) == ["scrapy", *ORIGINAL.split(), *given]
    assert how_to_resume(argv, run_dir, is_own_spider=False).endswith(f"-s 'FOCUSED_RUN_DIR={run_dir}'")


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_after_a_signal_the_log_says_the_command_that_resumes_and_it_does(models, tmp_path, number):
    def files() -> list[Path]:
        return list(tmp_path.glob("runs/stars/*/pages.jsonl"))

    def n_lines() -> int:
        return len(files()[0].read_text().splitlines())

    pages = {f"/{n}": hand_made.html(hand_made.STARS, (f"/{n + 1}", "nebula")) for n in range(500)}
    settings = {"DOWNLOAD_DELAY": 0.02, "AUTOTHROTTLE_ENABLED": 0, "FOCUSED_COPIES": "off"}
    with Site(pages) as site:
        argv = crawl_argv(settings, seeds=f"{site.url}/0", strategy="best_first", run_dir=None)
        with started(*argv, cwd=tmp_path, env=environment(models)) as process:
            wait_until(lambda: files() and n_lines() > 3)
            os.kill(process.pid, number)
        err, n_before = (tmp_path / "err").read_text(), n_lines()
        [line] = [line for line in err.splitlines() if "  to go on   " in line]
        command = shlex.split(line.partition("to go on")[2])
        assert command[1:3] == ["-m", "scrapy"]
        done = scrapy(*command[3:], "-a", f"max_pages={n_before + 5}", cwd=tmp_path, env=environment(models))
    assert f"Received {number.name}, shutting down gracefully" in err
    assert done.exit_code == 0, done.err
    assert n_lines() == n_before + 5
    assert "to go on" not in done.err  # the budget is spent


def wait_until(is_so) -> None:
    end = time.monotonic() + 180
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.02)
