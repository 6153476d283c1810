"""The crawl command: what it plans is planned once; and what the project adds to Scrapy stays out of other commands."""

from __future__ import annotations

import shutil
import sys

import hand_made
import pytest
from commands import ROOT, crawl, environment, scrapy
from sites import Site
from warcs import Warc

from focused.__main__ import main
from focused.method.strategies.linkmodel.adaptive import Adaptive

pytestmark = pytest.mark.slow

PREPARED = "prepared"


def count_preparations() -> None:
    """Write a letter each time a strategy learns from the topic."""
    prepare = Adaptive.prepare

    def counted(self, topic):
        with open(PREPARED, "a") as file:  # noqa: PTH123  it is the crawl's folder that counts
            file.write("x")
        return prepare(self, topic)

    Adaptive.prepare = counted


def test_a_strategy_is_prepared_once_and_what_is_wrong_with_the_topic_is_said_once(tmp_path):
    shutil.copytree(ROOT / "models" / "demo", tmp_path / "models" / "demo")
    (tmp_path / "models" / "demo" / "examples.npz").unlink()
    settings = {"FOCUSED_DEMO_PAGES": 400, "FOCUSED_DEMO_HOSTS": 20}
    done = crawl(tmp_path / "models", tmp_path, topic="demo", max_pages=3, settings=settings, before=count_preparations)
    assert done.exit_code == 0, done.err
    assert done.err.count("examples.npz cannot be read") == 1
    assert (tmp_path / PREPARED).read_text() == "x"


def test_damages_of_a_recorded_web_are_said_once(models, tmp_path):
    warc = Warc(tmp_path / "web.warc.gz")
    for path, body in hand_made.two_regions().items():
        warc.page(f"http://site.example{path}", body)
    web = warc.save()
    web.write_bytes(web.read_bytes()[:-20])
    done = crawl(models, tmp_path, web=web, max_pages=3)
    assert done.exit_code == 0, done.err
    assert done.err.count("skipped 1 damaged place;") == 1


@pytest.mark.parametrize("words", [[], ["crwal"], ["-h"]])
def test_focused_calls_itself_by_its_name_where_no_command_of_that_name_is_there(monkeypatch, capsys, words):
    monkeypatch.setattr(sys, "argv", ["focused", *words])
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setenv("SCRAPY_SETTINGS_MODULE", "focused.settings")
    with pytest.raises(SystemExit) as end:
        main()
    said = capsys.readouterr().out
    assert end.value.code == (2 if words == ["crwal"] else 0)
    assert ('Use "focused" to see' if end.value.code else "focused <command>") in said
    assert "scrapy" not in said.replace("Scrapy", "")


def test_urls_that_a_recording_lacks_are_no_http_errors(models, tmp_path):
    web = Warc(tmp_path / "web.warc.gz").page("http://site.example/", b'<p>Stars. <a href="/gone">gone</a>').save()
    done = crawl(models, tmp_path, web=web)
    assert "1 URL not in the recording" in done.err
    assert "HTTP error" not in done.err
    assert done.stats["focused/pages/not_recorded_count"] == 1


@pytest.mark.parametrize(
    ("words", "shown"),
    [(("fetch",), "<p>A nebula."), (("shell", "-c", "response.status"), "200")],
    ids=["fetch", "shell"],
)
def test_scrapys_own_commands_work_in_the_project_and_leave_nothing(models, tmp_path, words, shown):
    with Site({"/": b"<p>A nebula."}) as site:
        done = scrapy(*words, f"{site.url}/", cwd=tmp_path, env=environment(models))
    assert (done.exit_code, done.out.strip()) == (0, shown)
    assert "Traceback" not in done.err
    assert "ERROR" not in done.err
    assert {path.name for path in tmp_path.iterdir()} == {"out", "err"}


def load_slowly() -> None:
    """Let a topic take until that is said."""
    import time
    from pathlib import Path

    from focused.commands import crawl as command

    planned, command._SLOW_SECS = command.plan_crawl, 0.1

    def slowly(*given, **options):
        end = time.monotonic() + 180
        while not Path("err").read_text() and time.monotonic() < end:
            time.sleep(0.01)
        return planned(*given, **options)

    command.plan_crawl = slowly


def test_what_takes_a_moment_before_the_first_request_is_said(models, two_regions, tmp_path):
    done = crawl(models, tmp_path, web=two_regions, max_pages=1, before=load_slowly)
    assert "INFO: Loading topic stars ..." in done.err.splitlines()[0]
