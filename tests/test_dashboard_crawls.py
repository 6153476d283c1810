"""What people do with crawls on the dashboard: start, stop, resume, delete; and what a stranger's run must not make them do."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import time
from urllib.request import HTTPCookieProcessor, Request, build_opener

import pytest
from commands import ROOT
from dashboard_browser import dashboard
from starlette.testclient import TestClient

from focused.crawl.arguments import ARGUMENTS as SPIDER_ARGUMENTS
from focused.crawl.declared_settings import DECLARED
from focused.dashboard.app import make_app
from focused.dashboard.crawls import delete, holder, new_run_dir
from focused.dashboard.harvest_file import curve
from focused.dashboard.processes import Commands
from focused.dashboard.resuming import ARGUMENTS, HARMLESS_SETTINGS, SETTINGS, arguments_of, spider_words
from focused.dashboard.runs import LIVE, Runs, read_state
from focused.dashboard.starting import FIELDS
from focused.frontier.store.schema import lock
from focused.method.topic.settings import ALLOWED_SETTINGS
from focused.utils.setting import TOPIC

HOST, TOKEN = "127.0.0.1:8088", "right-token"
OWN = {"origin": f"http://{HOST}"}


@pytest.fixture
def runs_dir(tmp_path):
    folder = tmp_path / "runs"
    folder.mkdir()
    return folder


@pytest.fixture
def client(runs_dir):
    """A browser that has opened the printed link."""
    models = ROOT / "models"
    commands = Commands((f"FOCUSED_MODELS_DIR={models}", "FOCUSED_METRICS_INTERVAL_SECS=0"), (models,))
    app = make_app(runs_dir, token=TOKEN, hosts=frozenset({HOST}), commands=commands)
    with TestClient(app, base_url=f"http://{HOST}") as client:
        assert client.get(f"/?token={TOKEN}").status_code == 200
        yield client


def a_run(folder, **about):
    folder.mkdir(parents=True)
    (folder / "run.json").write_text(json.dumps({"finish_reason": "shutdown", **about}))
    return next(run for run in Runs(folder.parent).all() if run.path == folder)


def test_a_crawl_is_started_stopped_and_deleted_and_a_refused_one_leaves_nothing(client, runs_dir):
    refused = client.post("/start", data={"topic": "demo", "max_pages": "many"}, headers=OWN)
    assert refused.status_code == 400
    assert "Max pages must be a whole number, such as 1000; 0: no limit. Got &#39;many&#39;." in refused.text
    refused = client.post(
        "/start", data={"topic": "demo", "max_pages": "1,000", "seeds": "http://a.b/", "allow": "/[("}, headers=OWN
    )
    assert refused.status_code == 400
    assert "scope" in refused.text.lower() or "allow" in refused.text
    assert list((runs_dir / "demo").iterdir()) == []
    answer = client.post("/start", data={"topic": "demo", "max_pages": "100000"}, headers=OWN, follow_redirects=False)
    path, [run] = answer.headers["location"], Runs(runs_dir).all()
    assert (answer.status_code, path, run.state) == (303, f"/runs/{run.key}", LIVE)
    assert os.getsid(holder(run.path)) != os.getsid(0)  # neither Ctrl-C nor a terminal's end reaches it
    live = client.post(f"{path}/delete", data={"sure": "yes"}, headers=OWN)
    assert (live.status_code, "A crawl is at work" in live.text) == (400, True)
    for _ in range(2):  # told twice it would end without its summary
        assert client.post(f"{path}/stop", headers=OWN).status_code == 200
    deadline = time.monotonic() + 180
    while (state := Runs(runs_dir).get(run.key).in_words) != "stopped":
        assert time.monotonic() < deadline, state
        time.sleep(0.05)
    assert "Send again to force" in (run.path / "crawl.log").read_text()
    while holder(run.path):
        time.sleep(0.02)
    shown = client.get(f"{path}/manage").text
    assert "max_pages=100000" in shown
    assert "Finished (shutdown)" in shown
    assert client.post(f"{path}/delete", headers=OWN).status_code == 400  # nobody said to be sure
    assert client.post(f"{path}/delete", data={"sure": "yes"}, headers=OWN, follow_redirects=False).status_code == 303
    assert list((runs_dir / "demo").iterdir()) == []


@pytest.mark.parametrize(
    "data",
    [{"topic": "../../x"}, {"topic": ""}, {"topic": "demo", "seeds": "/etc/passwd"}, {"topic": "demo", "seeds": "-s"}],
)
def test_what_a_form_says_never_names_a_folder_or_a_file(client, runs_dir, data):
    answer = client.post("/start", data=data, headers=OWN)
    assert answer.status_code == 400
    assert list(runs_dir.iterdir()) == []


def test_a_form_of_another_site_starts_nothing(client, runs_dir):
    for path in ("/start", "/runs/x/stop", "/runs/x/resume", "/runs/x/delete"):
        assert client.post(path, data={"topic": "demo"}, headers={"origin": "http://evil.example"}).status_code == 403
        assert client.get(path).status_code in (200, 405)  # a link does nothing
    assert list(runs_dir.iterdir()) == []


COMMAND = (
    "python -m focused crawl -s FOCUSED_RUNS_DIR=x focused -a topic=demo -a 'seeds=http://a.example/ http://b.example/'"
)


def test_a_run_is_resumed_by_the_command_that_began_it(runs_dir):
    command = f"{COMMAND} -a allow=a.example -s FOCUSED_RETRAINING=both -a run_dir=elsewhere"
    run = a_run(runs_dir / "one", command=command)
    arguments, settings = arguments_of(run.path)
    words = spider_words(arguments | {"max_pages": "9"}, settings, run.path)
    assert shlex.join(words) == (
        "focused -a topic=demo -a 'seeds=http://a.example/ http://b.example/' -a allow=a.example -a max_pages=9 "
        f"-a run_dir={run.path} -s FOCUSED_RETRAINING=both -s FOCUSED_PRIVATE_ADDRESSES=refuse"
    )
    a_run(runs_dir / "again", command=shlex.join(["python", "-m", "focused", "crawl", *words]))
    assert arguments_of(runs_dir / "again") == (arguments | {"max_pages": "9"}, settings)  # resumed a second time


def test_a_run_that_a_client_of_scrapyd_began_is_resumed(runs_dir):
    command = (
        "python -m scrapyd.runner crawl focused -s LOG_FILE=/srv/logs/1.log -a _job=1 -a topic=demo -a max_pages=9"
    )
    run = a_run(runs_dir / "one", command=f"{command} -a run_dir=monday -s DOWNLOAD_DELAY=2")
    arguments, settings = arguments_of(run.path, may_ask_private=True)
    assert (arguments, settings) == ({"topic": "demo", "max_pages": "9"}, ["DOWNLOAD_DELAY=2"])


PRIVATE_SEEDS = [
    "http://127.0.0.1:8000/",
    "http://a.example/,https://0x7f.1/",
    "http://x.localhost/",
    "http://[::ffff:10.0.0.1]/",
]


@pytest.mark.parametrize("seeds", [*PRIVATE_SEEDS, "http://169.254.169.254/latest/", "http://[::1/"])
def test_a_runs_own_seeds_lead_to_no_private_address_unless_the_dashboard_was_told_so(client, runs_dir, seeds):
    run = a_run(runs_dir / "one", topic="demo", command=f"scrapy crawl focused -a topic=demo -a 'seeds={seeds}'")
    answer = client.post(f"/runs/{run.key}/resume", headers=OWN)
    assert answer.status_code == 400
    assert "If you began it yourself" in answer.text
    assert [path.name for path in run.path.iterdir()] == ["run.json"]
    assert arguments_of(run.path, may_ask_private=True) == ({"topic": "demo", "seeds": seeds}, [])


def test_a_name_that_leads_to_a_private_address_is_refused_by_the_crawl_that_is_resumed(client, runs_dir, monkeypatch):
    started = list[list[str]]()
    monkeypatch.setattr("focused.dashboard.starting.start", lambda words, run_dir: started.append(words))
    run = a_run(runs_dir / "one", topic="demo", command=COMMAND)
    assert client.post(f"/runs/{run.key}/resume", headers=OWN, follow_redirects=False).status_code == 303
    assert started[0][-2:] == ["-s", "FOCUSED_PRIVATE_ADDRESSES=refuse"]  # the last word counts


@pytest.mark.parametrize(
    "setting",
    ["DOWNLOAD_DELAY=0", "DOWNLOAD_DELAY=nan", "CONCURRENT_REQUESTS_PER_DOMAIN=10000", "CONCURRENT_REQUESTS=1e9",
     "DOWNLOAD_TIMEOUT=999999", "DEPTH_LIMIT=-1", "FOCUSED_SCOPE_ALLOW=a\u202eb"],
)  # fmt: skip
def test_a_strangers_run_presses_no_site_and_hides_nothing(runs_dir, setting):
    run = a_run(runs_dir / "one", command=f"{COMMAND} -s '{setting}'")
    with pytest.raises(ValueError, match="If you began it yourself") as caught:
        arguments_of(run.path)
    assert str(caught.value).isprintable()


def test_seeds_that_were_typed_one_below_the_other_are_resumed(runs_dir):
    seeds = "http://a.example/\nhttp://b.example/"
    run = a_run(runs_dir / "one", command=shlex.join(["scrapy", "crawl", "focused", "-a", f"seeds={seeds}"]))
    assert arguments_of(run.path)[0] == {"seeds": seeds}


@pytest.mark.parametrize(
    "added",
    [
        "-a strategy=evil.Strategy", "-a seeds=/etc/passwd", "-a web=/dev/zero", "-a preset=../x", "-a plan=1", "-O /tmp/x",
        "-s FOCUSED_PAGE_READER=evil.Reader", "-sSCHEDULER=evil.Scheduler", "-s FOCUSED_VERDICTS=/etc", "--pidfile=/tmp/x",
        "-a 'seeds=http://a.example/\n-s'", "-a 'allow=a\u202eb'", "-a 'allow=a\u200bb'", "-s FOCUSED_PRIVATE_ADDRESSES=allow", "--set FOCUSED_WEB=/dev/zero", "'",
    ],
)  # fmt: skip
def test_a_strangers_run_makes_nobody_run_what_it_says(client, runs_dir, added):
    run = a_run(runs_dir / "one", topic="demo", command=f"{COMMAND} {added}")
    with pytest.raises(ValueError, match="cannot be resumed from here"):
        arguments_of(run.path)
    answer = client.post(f"/runs/{run.key}/resume", headers=OWN)
    assert (answer.status_code, "cannot be resumed from here" in answer.text) == (400, True)
    assert [path.name for path in run.path.iterdir()] == ["run.json"]


def test_what_is_taken_from_a_run_is_open_to_strangers_and_known_to_the_crawl():
    assert {name for name in SETTINGS if name not in ALLOWED_SETTINGS and DECLARED[name].set_by != TOPIC} == set()
    assert DECLARED.keys() >= HARMLESS_SETTINGS
    assert set(SPIDER_ARGUMENTS) >= {*ARGUMENTS, *FIELDS}


def test_a_spent_budget_is_refused_with_what_it_must_be(client, runs_dir):
    run = a_run(runs_dir / "one", topic="demo", command="scrapy crawl focused -a topic=demo -a max_pages=60")
    (run.path / "harvest.csv").write_text("pages,relevant\n60,30\n")
    answer = client.post(f"/runs/{run.key}/resume", data={"max_pages": "10"}, headers=OWN)
    assert answer.status_code == 400
    assert "Max pages must be more than 60, for so many pages are fetched; or 0: no limit. Got 10." in answer.text


def test_only_the_process_that_holds_a_runs_own_lock_is_told_to_stop(runs_dir, tmp_path):
    run = a_run(runs_dir / "one", finish_reason="running")
    lock_file = run.path / "frontier.sqlite.lock"
    code = "import fcntl, sys; file = open(sys.argv[1], 'wb'); fcntl.flock(file, fcntl.LOCK_EX); print(flush=True); input()"
    strange = tmp_path / "some-program.lock"
    for name in (lock_file, strange):
        with subprocess.Popen([sys.executable, "-c", code, name], stdin=-1, stdout=-1) as process:
            process.stdout.readline()
            if name == lock_file:
                assert holder(run.path) == process.pid
                with pytest.raises(ValueError, match="at work"):
                    delete(run, runs_dir)
            for make in (os.symlink, os.link):
                lock_file.unlink()
                make(strange if strange.exists() else run.path / "run.json", lock_file)
                assert holder(run.path) is None
            process.communicate(b"\n")
    lock_file.unlink()
    with lock(run.path / "frontier.sqlite"):
        assert holder(run.path) is None  # never this process itself
    assert holder(run.path) is None


def test_only_a_run_inside_the_folder_is_deleted_and_links_are_not_followed(runs_dir, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept.txt").write_text("kept")
    run = a_run(runs_dir / "one")
    (run.path / "link").symlink_to(outside)
    (run.path / "frontier.sqlite.lock").symlink_to(outside / "kept.txt")
    with pytest.raises(ValueError, match="not a folder inside"):
        delete(run, run.path)
    with pytest.raises(ValueError, match="not a folder inside"):
        delete(run, tmp_path / "elsewhere")
    inner = a_run(runs_dir / "two" / "inner")
    outer = a_run(runs_dir / "two-outer")
    inner.path.rename(outer.path / "inner")
    with pytest.raises(ValueError, match="holds other runs"):
        delete(outer, runs_dir)
    run.path.rename(runs_dir / "moved")
    run.path.symlink_to(outside)
    with pytest.raises(ValueError, match="not a folder inside"):
        delete(run, runs_dir)
    run.path.unlink()
    (runs_dir / "moved").rename(run.path)
    delete(run, runs_dir)
    assert not run.path.exists()
    assert (outside / "kept.txt").read_text() == "kept"


@pytest.mark.parametrize("make", [os.symlink, lambda target, path: os.mkfifo(path)])
def test_a_log_that_is_no_file_of_the_run_is_not_shown(client, runs_dir, tmp_path, make):
    (tmp_path / "id_rsa").write_text("secret key")
    run = a_run(runs_dir / "one", topic="demo")
    for name in ("crawl.log", "train.log"):
        make(tmp_path / "id_rsa", run.path / name)
    for view in ("", "/manage", "/learn"):
        answer = client.get(f"/runs/{run.key}{view}")
        assert (answer.status_code, "secret key" in answer.text) == (200, False)
    (run.path / "crawl.log").unlink()
    (run.path / "crawl.log").write_text("its own words")
    assert "its own words" in client.get(f"/runs/{run.key}/manage").text


def test_figures_of_a_run_are_not_read_through_a_link_out_of_it(runs_dir, tmp_path):
    run = a_run(runs_dir / "one")
    (tmp_path / "elsewhere.csv").write_text("pages,relevant,harvest_rate\n7,7,1\n")
    (tmp_path / "elsewhere.json").write_text('{"topic": "secret"}')
    (run.path / "run.json").unlink()
    (run.path / "run.json").symlink_to(tmp_path / "elsewhere.json")
    (run.path / "harvest.csv").symlink_to(tmp_path / "elsewhere.csv")
    found = read_state(run.path, "")
    assert (found.topic, found.n_pages, curve(run.path)) == ("", 0, [[], [], [], []])


def test_a_crawl_that_is_started_knows_nothing_of_the_token_for_metrics(tmp_path):
    secret = "FOCUSED_METRICS_TOKEN=a-token-to-measure-with"
    with dashboard(tmp_path, options=["-s", secret]) as (_, link):
        address, opener = link.partition("/?")[0], build_opener(HTTPCookieProcessor())
        own = {"Authorization": f"Bearer {secret.partition('=')[2]}"}
        assert opener.open(Request(f"{address}/metrics", headers=own)).status == 200
        opener.open(link)
        opener.open(Request(f"{address}/start", b"topic=demo&max_pages=5", {"Origin": address}))
        [run] = Runs(tmp_path / "runs").all()
        assert "FOCUSED_METRICS_TOKEN" not in (run.path / "run.json").read_text()


def test_a_run_of_many_workers_is_live_while_one_of_them_is_and_is_deleted_with_their_folders(runs_dir):
    run = a_run(runs_dir / "many", finish_reason="running")
    (run.path / "database.json").write_text('{"crawl": "crawl", "database": ""}')
    worker = a_run(run.path / "workers" / "20260101-120000-1", finish_reason="running")
    assert Runs(runs_dir).get(run.key).in_words == "killed"
    with lock(worker.path / "frontier.sqlite"):
        assert Runs(runs_dir).get(run.key).state == LIVE
        with pytest.raises(ValueError, match="A crawl is at work"):
            delete(run, runs_dir)
    with lock(run.path / "frontier.sqlite"):  # that of the command that started the workers
        assert Runs(runs_dir).get(run.key).state == LIVE
        assert holder(run.path) is None  # this process does not stop itself
    with pytest.raises(ValueError, match="many workers crawl it"):
        arguments_of(run.path)
    delete(run, runs_dir)
    assert list(runs_dir.iterdir()) == []


def test_a_folder_that_follows_a_crawl_of_other_machines_is_never_called_killed(runs_dir):
    run = a_run(runs_dir / "stars", finish_reason="running")
    (run.path / "database.json").write_text('{"crawl": "stars", "database": "postgresql://me@host/web"}')
    assert Runs(runs_dir).get(run.key).state == LIVE
    os.utime(run.path / "run.json", (1, 1))
    assert Runs(runs_dir).get(run.key).in_words == "live when last looked at"


def test_a_crawl_without_a_lock_that_wrote_a_moment_ago_is_not_deleted(runs_dir):
    run = a_run(runs_dir / "one", finish_reason="running")
    with pytest.raises(ValueError, match="wait two minutes"):
        delete(run, runs_dir)
    os.utime(run.path / "run.json", (1, 1))
    delete(run, runs_dir)
    assert not run.path.exists()


def test_a_crawl_is_not_put_into_a_run_or_behind_a_link(runs_dir, tmp_path):
    a_run(runs_dir / "one")
    with pytest.raises(ValueError, match="is one run"):
        new_run_dir(runs_dir / "one", "demo")
    (runs_dir / "demo").symlink_to(tmp_path)
    with pytest.raises(ValueError, match="no link"):
        new_run_dir(runs_dir, "demo")
