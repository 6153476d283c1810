"""A real Scrapyd with a password: deploy the egg, schedule crawls, read what they leave."""

from __future__ import annotations

import configparser
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import zipfile
from base64 import b64encode
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import pytest
from commands import ROOT, Finished

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.slow

USER, PASSWORD = "focused", "a long password"
READY_SECS, JOB_SECS = 180, 240


@dataclass
class Server:
    folder: Path
    port: int

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    def ask(self, service: str, data: dict[str, Any] | None = None, *, password: str = PASSWORD, **query: Any) -> Any:
        url = f"{self.url}{service}.json" + (f"?{urlencode(query)}" if query else "")
        body = urlencode(data, doseq=True).encode() if data is not None else None
        token = b64encode(f"{USER}:{password}".encode()).decode()
        with urlopen(Request(url, body, {"Authorization": f"Basic {token}"}), timeout=JOB_SECS) as answer:
            return json.load(answer)

    def schedule(self, settings: dict[str, Any] | None = None, **arguments: Any) -> str:
        pairs = [f"{name}={value}" for name, value in (settings or {}).items()]
        data = {"project": "focused", "spider": "focused", "setting": pairs, **arguments}
        answer = self.ask("schedule", data)
        assert answer["status"] == "ok", answer
        return answer["jobid"]

    def wait(self, *jobs: str) -> None:
        end = time.monotonic() + JOB_SECS
        while time.monotonic() < end:
            if {job["id"] for job in self.ask("listjobs", project="focused")["finished"]} >= set(jobs):
                return
            time.sleep(0.2)
        pytest.fail(f"jobs take too long:\n{(self.folder / 'scrapyd.log').read_text()[-5000:]}")

    def log(self, job: str) -> str:
        return (self.folder / "logs" / "focused" / "focused" / f"{job}.log").read_text()


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


@pytest.fixture(scope="module")
def server(tmp_path_factory, models, two_regions) -> Iterator[Server]:
    """Scrapyd with the project deployed."""
    folder = tmp_path_factory.mktemp("scrapyd")
    server = Server(folder, free_port())
    shutil.copytree(models, folder / "models")
    shutil.copytree(ROOT / "models" / "ordered", folder / "models" / "ordered")
    options = {
        "bind_address": "127.0.0.1", "http_port": server.port, "username": USER, "password": PASSWORD,
        "poll_interval": 0.2, "max_proc": 2,
    }  # fmt: skip
    (folder / "scrapyd.conf").write_text("\n".join(["[scrapyd]", *(f"{k} = {v}" for k, v in options.items())]) + "\n")
    env = {name: value for name, value in os.environ.items() if not name.startswith(("FOCUSED_", "SCRAPY", "PYTHON"))}
    env |= {
        "FOCUSED_MODELS_DIR": str(folder / "models"),
        "FOCUSED_RUNS_DIR": str(folder / "runs"),
        "FOCUSED_WEBS_DIR": str(two_regions.parent),
    }
    with (folder / "scrapyd.log").open("wb") as log:
        process = subprocess.Popen([sys.executable, "-m", "scrapyd"], cwd=folder, env=env, stdout=log, stderr=log)
    try:
        end = time.monotonic() + READY_SECS
        while True:
            try:
                server.ask("daemonstatus")
                break
            except URLError:
                is_starting = process.poll() is None and time.monotonic() < end
                assert is_starting, (folder / "scrapyd.log").read_text()
                time.sleep(0.1)
        deploy(server)
        yield server
    finally:
        process.terminate()
        process.wait(20)


def deploy(server: Server) -> None:
    """Do what docs/how-to/deploy.md says, in a copy of the project: building an egg leaves files."""
    project = server.folder / "project"
    for name in ("focused", "models"):
        shutil.copytree(ROOT / name, project / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "setup.py", "requirements.txt", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, project)
    config = configparser.ConfigParser()
    config.read(ROOT / "scrapy.cfg")
    config["deploy:local"].update({"url": server.url, "username": USER, "password": PASSWORD})
    with (project / "scrapy.cfg").open("w") as file:
        config.write(file)
    env = {name: value for name, value in os.environ.items() if not name.startswith(("FOCUSED_", "SCRAPY", "PYTHON"))}
    program = [sys.executable, "-m", "scrapyd_client.deploy", "local", "--version", "r1"]
    done = subprocess.run(program, cwd=project, env=env, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)["spiders"] == 1


def test_the_server_wants_the_password(server):
    with pytest.raises(HTTPError, match="401") as refusal:
        server.ask("daemonstatus", password="guess")
    refusal.value.close()


def test_the_egg_stays_zipped_and_holds_code_only(server):
    [egg] = (server.folder / "eggs" / "focused").iterdir()
    names = zipfile.ZipFile(egg).namelist()
    assert "EGG-INFO/zip-safe" in names
    assert {"focused/settings.py", "focused/commands/crawl.py", "focused/webs/handler.py"} <= set(names)
    assert not [name for name in names if name.startswith(("tests", "models", "focused/models", "benchmarks"))]
    has_background = (ROOT / "focused" / "method" / "text" / "background.npz").exists()
    assert ("focused/method/text/background.npz" in names) == has_background


def test_crawls_with_different_settings(server):
    web = "site.warc.gz"
    settings = {"FOCUSED_WARC": "all", "DOWNLOAD_DELAY": 0.01, "FOCUSED_BELOW_THRESHOLD": "drop"}
    first = server.schedule(
        settings, topic="stars", web=web, run_dir="deep/first", strategy="best_first", _version="r1"
    )
    # The published method on Scrapy's own scheduler: its preset is read from the zipped egg. The web is generated.
    second = server.schedule({"FOCUSED_MAX_PAGES": 30}, topic="ordered")
    server.wait(first, second)
    runs = server.folder / "runs"
    [second_dir] = (runs / "ordered").iterdir()
    one, two = (Finished(0, "", "", path) for path in (runs / "deep" / "first", second_dir))
    reasons = [result.run["finish_reason"] for result in (one, two)]
    assert reasons == ["finished", "max_pages"], "\n".join(map(server.log, (first, second)))

    assert one.stats["focused/pages/fetched_count"] == 25
    assert one.run["settings"]["DOWNLOAD_DELAY"] == "0.01"
    assert one.run["settings"]["FOCUSED_BELOW_THRESHOLD"] == "drop"
    assert (one.run_dir / "pages.warc.gz").stat().st_size > 0
    assert one.run["strategy"] == "best_first"
    assert all("/stars/" in page["url"] for page in one.pages)
    assert len(one.pages) == one.stats["focused/pages/relevant_count"] == 12
    assert not (two.run_dir / "pages.warc.gz").exists()
    assert two.run["settings"]["DOWNLOAD_DELAY"] == 0  # not what the first was given
    assert two.stats["focused/pages/fetched_count"] >= 30  # Scrapy's scheduler ends some pages later
    assert two.run["web"] == "demo"
    assert "Finished (max_pages)" in server.log(second)
    assert (two.run["preset"], two.run["strategy"]) == ("p13", "cbp_slc")
    assert two.run["settings"]["SCHEDULER"] == "scrapy.core.scheduler.Scheduler"
    assert two.stats["scheduler/dequeued/memory"] >= 30
    assert two.stats["focused/pages/relevant_count"] >= 20


def test_what_a_client_may_not_ask_for_is_refused_and_said_in_the_log(server):
    """What else is refused, and for which of a client's settings, tests/test_crawl_bad_input.py says."""
    job = server.schedule(topic="stars", run_dir="../../x")
    server.wait(job)
    lines = server.log(job).splitlines()
    assert len(lines) == 1, lines
    assert "ERROR: " in lines[0]
    assert "run_dir must lie inside FOCUSED_RUNS_DIR" in lines[0]
    assert not (server.folder.parent / "x").exists()
    assert not (server.folder / "x").exists()
