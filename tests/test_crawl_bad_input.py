"""What is wrong stops a crawl before its first request: exit code 1 and one clear line."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import hand_made
import numpy as np
import pytest
from commands import ROOT, Finished, crawl, environment, scrapy
from scrapy.settings import Settings
from warcs import Warc

from focused import settings as project
from focused.crawl.arguments import ARGUMENTS, PlanError
from focused.crawl.planning import plan_crawl
from focused.method.strategies import CHOICES

if TYPE_CHECKING:
    from pathlib import Path


def refused(result: Finished) -> str:
    """The one line that a refused crawl leaves, and nothing else."""
    assert result.exit_code == 1, result.err
    assert result.out == ""
    lines = result.err.splitlines()
    assert len(lines) == 1, result.err
    assert lines[0].startswith("Error: ")
    assert not list(result.run_dir.parent.rglob("run.json"))
    return lines[0]


def why(models: Path, folder: Path, settings: dict[str, object] | None = None, **arguments: object) -> str:
    """Why a crawl is refused, without its command: a dozen times as fast."""
    found = Settings()
    found.setmodule(project, priority="project")
    found.setdict({"FOCUSED_MODELS_DIR": str(models)}, priority="project")
    found.setdict(settings or {}, priority="cmdline")
    given = {"topic": "stars", "run_dir": str(folder / "run"), **arguments}
    with pytest.raises((PlanError, ValueError)) as refusal:
        plan_crawl({name: str(value) for name, value in given.items() if value is not None}, found)
    assert not (folder / "run").exists()
    assert "\n" not in str(refusal.value)
    return str(refusal.value)


@pytest.fixture(scope="module")
def bad(tmp_path_factory) -> Path:
    """A models folder of topics that cannot be used."""
    models = tmp_path_factory.mktemp("bad-models")
    for name in ("damaged", "truncated", "foreign", "other-version", "no-manifest", "no-model", "bad-manifest"):
        hand_made.topic(name).save(models)
    hand_made.topic("other", terms=[*hand_made.FOR, *(f"x{n}" for n in range(6))]).save(models)
    hand_made.topic("forbidden", settings={"ITEM_PIPELINES": "os.system"}).save(models)
    hand_made.topic("forbidden-folder", settings={"FOCUSED_RUNS_DIR": "/tmp"}).save(models)
    hand_made.topic("mistyped", settings={"DOWNLOAD_DELAY": "fast"}).save(models)
    hand_made.topic("endless", settings={"DOWNLOAD_DELAY": 1e300}).save(models)
    hand_made.topic("at-once", settings={"DOWNLOAD_TIMEOUT": 0}).save(models)
    hand_made.topic("no-number", settings={"DOWNLOAD_TIMEOUT": float("nan")}).save(models)
    hand_made.topic("window", settings={"FOCUSED_HARVEST_WINDOW_PAGES": "wide"}).save(models)
    hand_made.topic("seedless", seeds=[]).save(models)
    hand_made.topic("bad-seed", seeds=["site.example"]).save(models)
    hand_made.topic("bad-strategy", strategy="magic").save(models)
    hand_made.topic("bad-web", web="nowhere.warc").save(models)
    hand_made.topic("twice", settings={"FOCUSED_MAX_PAGES": 7}).save(models)
    toml = models / "twice" / "topic.toml"
    toml.write_text(toml.read_text().rstrip() + "\nFOCUSED_MAX_PAGES = 8\n")

    model = models / "damaged" / "model.npz"
    data = bytearray(model.read_bytes())
    data[len(data) // 2] ^= 255
    model.write_bytes(data)
    model = models / "truncated" / "model.npz"
    model.write_bytes(model.read_bytes()[:-200])
    shutil.copy(models / "other" / "model.npz", models / "foreign" / "model.npz")
    change_manifest(models / "other-version", format=99)
    (models / "no-manifest" / "manifest.json").unlink()
    (models / "no-model" / "model.npz").unlink()
    (models / "bad-manifest" / "manifest.json").write_text("[")
    tampered(models)
    return models


def change_manifest(topic: Path, **values) -> None:
    path = topic / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


class Bomb:
    def __reduce__(self):
        return (os.mkdir, ("bomb",))


def tampered(models: Path) -> None:
    """A model that is an archive of pickles, with the digest that it should have."""
    import hashlib

    hand_made.topic("tampered").save(models)
    path = models / "tampered" / "model.npz"
    np.savez(path, terms=np.array([Bomb()], dtype=object), idf=np.ones(1), coef=np.ones(1), topic_vector=np.ones(1))
    assert pickle.dumps(Bomb())
    change_manifest(models / "tampered", model_sha256=hashlib.sha256(path.read_bytes()).hexdigest())


@pytest.mark.slow
def test_no_arguments_with_plain_scrapy(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "scrapy", "crawl", "focused"],
        capture_output=True, text=True, cwd=tmp_path, check=False,
        env={**os.environ, "SCRAPY_SETTINGS_MODULE": "focused.settings", "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    line = refused(Finished(done.returncode, done.stdout, done.stderr, tmp_path / "run"))
    assert "'topic' is missing" in line
    assert all(name in line for name in ARGUMENTS)


@pytest.mark.parametrize("name", ["max_page", "Topic", "name", "url"])
def test_an_unknown_argument_names_the_known_ones(models, tmp_path, name):
    line = refused(crawl(models, tmp_path, **{name: "3"}))
    assert f"Unknown spider argument {name!r}" in line
    assert all(known in line for known in ARGUMENTS)


def test_a_misspelt_argument_names_the_one_that_was_meant(models, tmp_path):
    assert "Did you mean 'max_pages'?" in refused(crawl(models, tmp_path, max_page="3"))


ARGUMENT_CASES = {
    "topic unknown": ({"topic": "moon"}, "No topic 'moon'", "stars"),
    "topic path": ({"topic": "../x"}, "A topic's name must be", "'../x'"),
    "topic absolute": ({"topic": "/etc"}, "A topic's name must be", "'/etc'"),
    "topic empty": ({"topic": ""}, "A topic's name must be", "''"),
    "topic long": ({"topic": "x" * 300}, "A topic's name must be", "300 characters"),
    "topic of two lines": ({"topic": "a\nb"}, "A topic's name must be", "a\\nb"),
    "max_pages negative": ({"max_pages": "-3"}, "'max_pages' must be a whole number of at least 0", "'-3'"),
    "max_pages word": ({"max_pages": "many"}, "'max_pages' must be a whole number", "'many'"),
    "max_pages empty": ({"max_pages": ""}, "'max_pages' must be a whole number", "''"),
    "max_pages fraction": ({"max_pages": "1.5"}, "'max_pages' must be a whole number", "'1.5'"),
    "max_pages other digits": ({"max_pages": "²"}, "'max_pages' must be a whole number", "'²'"),
    "max_relevant": ({"max_relevant": "1e3"}, "'max_relevant' must be a whole number", "'1e3'"),
    "strategy": ({"strategy": "best-first"}, "The strategy must be one of", ", ".join(CHOICES)),
    "strategy mistyped": ({"strategy": "best-first"}, "Got 'best-first'.", "Did you mean 'best_first'?"),
    "seeds no URL": ({"seeds": "site.example"}, "Seeds must be URLs separated by commas", "'site.example'"),
    "seeds one is no URL": ({"seeds": "http://a.example/,ftp://b.example/"}, "A seed must be a URL", "'ftp://b.example/'"),
    "seeds bad host": ({"seeds": "http://[::1"}, "A seed must be a URL", "'http://[::1'"),
    "seeds bad port": ({"seeds": "http://x:99999/"}, "A seed must be a URL", "'http://x:99999/'"),
    "seeds no host": ({"seeds": "http:///x"}, "A seed must be a URL", "'http:///x'"),
    "seeds surrogate": ({"seeds": "http://\udcff.example/"}, "A seed must be a URL", "\\udcff"),
    "seeds empty": ({"seeds": ""}, "There is no URL in spider argument 'seeds'", "-a seeds="),
    "seeds long": ({"seeds": "x" * 5000}, "Seeds must be URLs", "5000 characters"),
    "web missing": ({"web": "nowhere.warc.gz"}, "'web' must be live, demo, hostile or the path of a WARC file", "nowhere"),
    "web long": ({"web": "x" * 300}, "'web' must be live, demo, hostile or the path of a WARC file", "xxx"),
    "web empty": ({"web": ""}, "'web' must be live, demo, hostile or the path of a WARC file", "''"),
    "web folder": ({"web": "/"}, "'web' must be live, demo, hostile or the path of a WARC file", "'/'"),
    "web device": ({"web": "/dev/null"}, "'web' must be live, demo, hostile or the path of a WARC file", "'/dev/null'"),
    "run_dir in a file": ({"run_dir": "/dev/null/run"}, "cannot be written", "-a run_dir=PATH"),
    "run_dir of two lines": ({"run_dir": "a\n21:09:47 INFO: Finished"}, "without control characters", "'a\\n21:09:47"),
    "run_dir long": ({"run_dir": "x" * 300}, "cannot be written", "-a run_dir=PATH"),
}  # fmt: skip


# One of each kind, and what a command line or a folder may do more with than a plan.
AS_A_COMMAND = {
    *(
        "topic unknown",
        "topic of two lines",
        "max_pages negative",
        "strategy",
        "seeds one is no URL",
        "seeds surrogate",
    ),
    *("seeds long", "web device", "run_dir in a file", "run_dir long"),
}


@pytest.mark.parametrize("case", ARGUMENT_CASES)
def test_a_bad_argument(models, tmp_path, two_regions, case):
    arguments, *fragments = ARGUMENT_CASES[case]
    given = {"web": two_regions, **arguments}
    line = refused(crawl(models, tmp_path, **given)) if case in AS_A_COMMAND else why(models, tmp_path, **given)
    for fragment in fragments:
        assert fragment in line


SETTING_CASES = {
    "FOCUSED_BELOW_THRESHOLD": "keep",
    "FOCUSED_MAX_PAGES": "-1",
    "FOCUSED_RELEVANCE_THRESHOLD": "2",
    "FOCUSED_LINK_THRESHOLD": "2",
    "FOCUSED_SIMILARITY": "dice",
    "FOCUSED_COSINE_THRESHOLD": "nan",
    "FOCUSED_JFE_LAMBDA": "1.5",
    "FOCUSED_BLOCK_TAGS": "html6",
    "FOCUSED_BLOCK_ALPHA": "-0.1",
    "FOCUSED_BLOCK_MIN_LINKS": "0",
    "FOCUSED_CONTEXT_OTHER_ANCHORS": "some",
    "FOCUSED_PAGE_MAX_BYTES": "0",
    "FOCUSED_PAGE_MAX_LINKS": "lots",
    "FOCUSED_HARVEST_WINDOW_PAGES": "0",
    "FOCUSED_HARVEST_EVERY_PAGES": "x",
    "FOCUSED_METRICS_INTERVAL_SECS": "-1",
    "FOCUSED_LINK_SCORING_ENABLED": "perhaps",
    "FOCUSED_WARC": "perhaps",
    "FOCUSED_DEMO_PAGES": "3",
    "FOCUSED_DEMO_SEED": "x",
}


# Of Scrapy's own settings: it would find them when the crawl has begun, with a traceback, or wait for ever.
SETTING_CASES |= {
    "DOWNLOAD_TIMEOUT": "abc",
    "CONCURRENT_REQUESTS": "0",
    "DOWNLOAD_DELAY": "-1",
    "DOWNLOAD_MAXSIZE": "5M",
    "AUTOTHROTTLE_TARGET_CONCURRENCY": "0",
    "RETRY_TIMES": "1.5",
    "AUTOTHROTTLE_MAX_DELAY": "1e300",
    "AUTOTHROTTLE_START_DELAY": "nan",
    "DNS_TIMEOUT": "inf",
    "CONCURRENT_REQUESTS_PER_DOMAIN": "999999999999",
    "DOWNLOAD_DELAY_JITTER": "3",
    "REDIRECT_MAX_TIMES": "10000000",
    "CLOSESPIDER_TIMEOUT": "1e300",
    "FOCUSED_MAX_MINUTES": "1e300",
    "DOWNLOAD_SLOTS": "{'site.example': 3}",
    "COOKIES_ENABLED": "perhaps",
    "TELNETCONSOLE_ENABLED": "maybe",
    "LOG_LEVEL": "bogus",
    "LOG_ENABLED": "perhaps",
    "LOG_FILE": "/dev/null/job.log",
    "LOG_FORMAT": "%(nothing)s",
    "LOG_ENCODING": "klingon",
    "RETRY_HTTP_CODES": "500,many",
    "TELNETCONSOLE_PORT": "high",
}


# Some of each kind, and those that Scrapy itself would read before a crawl is planned.
SETTINGS_OF_COMMAND = {
    *("FOCUSED_MAX_PAGES", "FOCUSED_LINK_SCORING_ENABLED", "DOWNLOAD_TIMEOUT", "CONCURRENT_REQUESTS", "DOWNLOAD_SLOTS"),
    *("COOKIES_ENABLED", "TELNETCONSOLE_ENABLED", "LOG_LEVEL", "LOG_ENABLED", "LOG_FILE"),
    *("LOG_FORMAT", "LOG_ENCODING"),
}


@pytest.mark.parametrize("setting", SETTING_CASES)
def test_a_bad_setting_is_named(models, tmp_path, setting):
    value = SETTING_CASES[setting]
    settings = {setting: value.replace("'", '"')}
    if setting in SETTINGS_OF_COMMAND:
        line = refused(crawl(models, tmp_path, web="demo", settings=settings))
    else:
        line = why(models, tmp_path, web="demo", settings=settings)
    assert setting in line
    assert value in line


@pytest.mark.parametrize("table", ["FEEDS=no table", "FEEDS=[1]", "DOWNLOAD_SLOTS=3", "ITEM_PIPELINES=x"])
def test_a_table_that_is_none_is_one_line_in_the_log_of_a_job(models, tmp_path, table):
    """Scrapy reads it as JSON: it would end with a traceback, or with "use -s NAME=VALUE" and no log at all."""
    argv = (
        "crawl",
        "focused",
        "-a",
        "_job=1",
        "-a",
        "topic=stars",
        "-s",
        table,
        "-s",
        f"LOG_FILE={tmp_path / 'job.log'}",
    )
    line = refused(scrapy(*argv, cwd=tmp_path, env=environment(models)))
    name, value = table.split("=")
    assert f"{name} must be a table, as a JSON object. Got {value!r}" in line
    assert line.removeprefix("Error: ") in (tmp_path / "job.log").read_text()


def test_feeds_that_are_no_tables_are_one_line_under_scrapyd(models, tmp_path):
    argv = ("crawl", "focused", "-a", "_job=1", "-a", "topic=stars", "-a", "web=demo", "-s", 'FEEDS={"pages.csv": 3}')
    env = environment(models) | {"FOCUSED_WEBS_DIR": str(tmp_path), "FOCUSED_RUNS_DIR": str(tmp_path)}
    assert "FEEDS must be a table of tables" in refused(scrapy(*argv, cwd=tmp_path, env=env))


TOPIC_CASES = {
    "damaged": ("damaged", "scrapy train damaged", "--force"),
    "truncated": ("damaged", "scrapy train truncated"),
    "foreign": ("belongs to another model", "scrapy train foreign"),
    "twice": ("FOCUSED_MAX_PAGES", "Correct it"),
    "tampered": ("is no model file", "scrapy train tampered"),
    "other-version": ("format 99", "scrapy train other-version"),
    "no-manifest": ("manifest.json cannot be read", "scrapy train no-manifest"),
    "no-model": ("model.npz cannot be read", "scrapy train no-model"),
    "bad-manifest": ("manifest.json cannot be read",),
    "forbidden": ("A topic may not set ITEM_PIPELINES", "-s ITEM_PIPELINES="),
    "forbidden-folder": ("A topic may not set FOCUSED_RUNS_DIR",),
    "at-once": ("DOWNLOAD_TIMEOUT must be a number above 0", "Got 0"),
    "mistyped": ("DOWNLOAD_DELAY", "must be a number", "'fast'"),
    "endless": ("DOWNLOAD_DELAY", "must be a number from 0 to 86,400", "topic.toml", "1e+300"),
    "no-number": ("DOWNLOAD_TIMEOUT", "must be a number from 0 to 86,400", "nan"),
    "window": ("FOCUSED_HARVEST_WINDOW_PAGES must be a whole number", "'wide'"),
    "seedless": ("There is no URL in topic 'seedless'", "-a seeds="),
    "bad-seed": ("A seed must be a URL", "'site.example'"),
    "bad-strategy": ("The strategy of topic 'bad-strategy' must be one of", "'magic'"),
    "bad-web": ("The web of topic 'bad-web' must be", "'nowhere.warc'"),
}


@pytest.mark.parametrize("name", TOPIC_CASES)
def test_a_bad_topic(bad, tmp_path, two_regions, name):
    given = {"topic": name, "web": None if name == "bad-web" else two_regions}
    is_command = name in ("damaged", "tampered", "no-model", "forbidden", "mistyped")
    line = refused(crawl(bad, tmp_path, **given)) if is_command else why(bad, tmp_path, **given)
    for fragment in TOPIC_CASES[name]:
        assert fragment in line
    assert not (tmp_path / "bomb").exists()


def test_a_warc_that_is_none(models, tmp_path):
    web = tmp_path / "x.warc.gz"
    web.write_bytes(b"GIF89a" * 1000)
    assert str(web) in refused(crawl(models, tmp_path, web=web))


def test_a_warc_without_pages(models, tmp_path):
    web = Warc(tmp_path / "x.warc.gz").info().save()
    assert str(web) in refused(crawl(models, tmp_path, web=web))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_run_directory_without_the_right_to_write(models, tmp_path, two_regions):
    (tmp_path / "run").mkdir(mode=0o500)
    assert "cannot be written: Permission denied" in refused(crawl(models, tmp_path, web=two_regions))


def no_space() -> None:
    from collections import namedtuple

    usage = namedtuple("usage", "total used free")
    shutil.disk_usage = lambda path: usage(10**9, 10**9 - 10**6, 10**6)


def test_a_run_directory_without_space(models, tmp_path, two_regions):
    line = refused(crawl(models, tmp_path, web=two_regions, before=no_space))
    assert "has 1 MB of free space; a crawl needs at least 20 MB" in line


def test_a_refused_crawl_says_why_in_its_log_file(models, tmp_path):
    result = crawl(models, tmp_path, max_pages="-3", settings={"LOG_FILE": "job.log"})
    assert refused(result).removeprefix("Error: ") in (tmp_path / "job.log").read_text()


def test_under_scrapyd_clients_stay_inside_the_folders_of_the_server(models, tmp_path, two_regions):
    def ask(folders: dict[str, str], **arguments) -> str:
        argv = [word for name, value in arguments.items() for word in ("-a", f"{name}={value}")]
        env = environment(models) | {"FOCUSED_RUNS_DIR": "", "FOCUSED_WEBS_DIR": ""} | folders
        return refused(scrapy("crawl", "focused", "-a", "_job=1", *argv, cwd=tmp_path, env=env))

    webs = {"FOCUSED_WEBS_DIR": str(two_regions.parent), "FOCUSED_RUNS_DIR": str(tmp_path / "runs")}
    inside = {"topic": "stars", "web": two_regions.name}
    assert "run_dir must lie inside FOCUSED_RUNS_DIR" in ask(webs, **inside, run_dir="../../x")
    assert "run_dir must lie inside FOCUSED_RUNS_DIR" in ask(webs, **inside, run_dir=tmp_path / "x")
    assert "A WARC file must lie inside FOCUSED_WEBS_DIR" in ask(webs, topic="stars", web="/etc/passwd")
    assert "A WARC file must lie inside FOCUSED_WEBS_DIR" in ask(webs, topic="stars", web="../../etc/passwd")
    assert "A file of seeds must lie inside FOCUSED_WEBS_DIR" in ask(webs, **inside, seeds="/etc/passwd")
    assert "A topic's name must be" in ask(webs, topic="../x")
    assert "only if FOCUSED_WEBS_DIR is set on the server" in ask({}, topic="stars", web=two_regions.name)
    link = two_regions.parent / "link.warc.gz"
    link.symlink_to("/etc/passwd")
    assert "A WARC file must lie inside FOCUSED_WEBS_DIR" in ask(webs, topic="stars", web="link.warc.gz")


def test_under_scrapyd_a_topic_s_own_web_is_called_so(bad, tmp_path):
    assert why(bad, tmp_path, topic="bad-web", run_dir=None, _job="1").startswith(
        "The web of topic 'bad-web' may be given"
    )


@pytest.mark.parametrize("folder", ["verdicts", "verdicts/new/run", "versions"])
def test_no_crawl_begins_where_another_run_keeps_verdicts_and_versions(models, tmp_path, folder):
    """Its pages.jsonl would be taken for a person's verdicts."""
    (other := tmp_path / "other").mkdir()
    (other / "run.json").write_text("{}")
    line = why(models, tmp_path, web="demo", run_dir=other / folder)
    assert f"{other / folder} is a folder in which the run {other} keeps what is its own" in line
    assert [path.name for path in other.iterdir()] == ["run.json"]


@pytest.mark.parametrize(
    ("folder", "reason"),
    [
        (".topics/stars", "run_dir must not name a hidden folder"),
        ("a/.deleted-b", "run_dir must not name a hidden folder"),
        (".", "run_dir must be a folder of its own"),
        (
            "stars",
            "run_dir must be a folder of its own, not one for several runs. Got 'stars', which holds .*/stars/monday",
        ),
        (
            "stars/monday/x/y",
            "run_dir must not be inside another run. Got 'stars/monday/x/y', and .*/stars/monday is one",
        ),
    ],
)
def test_under_scrapyd_no_run_hides_another_or_is_hidden(tmp_path, folder, reason):
    (other := tmp_path / "runs" / "stars" / "monday").mkdir(parents=True)
    (other / "run.json").write_text("{}")
    before = sorted((tmp_path / "runs").rglob("*"))
    found = Settings()
    found.setmodule(project, priority="project")
    found.setdict({"FOCUSED_RUNS_DIR": str(tmp_path / "runs")}, priority="project")
    with pytest.raises(PlanError, match=reason):
        plan_crawl({"_job": "1", "topic": "demo", "web": "demo", "run_dir": folder}, found)
    assert sorted((tmp_path / "runs").rglob("*")) == before


@pytest.mark.parametrize("name", ["FOCUSED_MODELS_DIR", "FOCUSED_RUNS_DIR", "FOCUSED_WEBS_DIR", "FOCUSED_CACHE_DIR"])
def test_under_scrapyd_clients_do_not_move_the_folders(models, tmp_path, name):
    argv = ("crawl", "focused", "-a", "_job=1", "-a", "topic=stars", "-s", f"{name}=/")
    assert f"{name} cannot be set by a client" in refused(scrapy(*argv, cwd=tmp_path, env=environment(models)))


def test_under_scrapyd_a_class_that_a_client_names_is_not_even_loaded(models, tmp_path):
    argv = ("crawl", "focused", "-a", "_job=1", "-a", "topic=stars", "-s", "SPIDER_LOADER_CLASS=os.abort")
    said = refused(scrapy(*argv, cwd=tmp_path, env=environment(models)))
    assert "SPIDER_LOADER_CLASS cannot be set by a client of Scrapyd" in said


@pytest.mark.parametrize("name", ["strategy", "run_dir"])
def test_an_empty_argument_is_not_taken_for_none(models, tmp_path, name):
    assert f"Spider argument {name!r} is empty" in refused(crawl(models, tmp_path, **{"web": "demo", name: ""}))


@pytest.mark.parametrize("feed", ["/proc/x.json", "/proc/%(name)s/x.json", "file:///proc/new/x.csv", "folder.json"])
def test_a_feed_that_cannot_be_written_is_known_before_the_first_page(models, tmp_path, feed):
    (tmp_path / "folder.json").mkdir()
    assert "cannot be written" in refused(crawl(models, tmp_path, web="demo", feed=feed))


@pytest.mark.parametrize(
    ("settings", "arguments"),
    [({}, {"seeds": "http://127.0.0.1:1/", "web": "live"}), ({"JOBDIR": "/dev/null/job"}, {"web": "demo"})],
    ids=["seeds", "frontier"],
)
def test_a_refused_crawl_leaves_no_run_directory(models, tmp_path, settings, arguments):
    runs = {"FOCUSED_RUNS_DIR": str(tmp_path / "runs"), "FOCUSED_PRIVATE_ADDRESSES": "refuse"}
    why(models, tmp_path, settings=settings | runs, run_dir=None, **arguments)
    assert [path.name for path in (tmp_path / "runs").rglob("*")] == ["stars"]  # the folder of the topic's runs


FEEDS_THAT_SCRAPY_WOULD_LEAVE_OUT = {
    "format": ({"FEEDS": '{"pages.csv": {"format": "word"}}'}, "pages.csv must be one of csv, ", "Got 'word'"),
    "no format": ({"FEEDS": '{"pages": {}}'}, "The format of the output file pages must be one of", "Got ''"),
    "storage": ({"FEEDS": '{"carrier-pigeon://x/pages.csv": {}}'}, "must be a path, or begin with one of file, ftp"),
    "percent": ({"FEEDS": '{"100%.csv": {}}'}, "A % in the name of an output file must be written %%", "'100%.csv'"),
    "batches": ({"FEEDS": '{"pages.csv": {"batch_item_count": 9}}'}, "its name must hold %(batch_id)d"),
    "old setting": ({"FEED_URI": "pages.txt", "FEED_FORMAT": "word"}, "pages.txt must be one of csv, ", "Got 'word'"),
}


@pytest.mark.parametrize("case", FEEDS_THAT_SCRAPY_WOULD_LEAVE_OUT)
def test_a_feed_that_scrapy_would_leave_out_is_refused(models, tmp_path, case):
    settings, *fragments = FEEDS_THAT_SCRAPY_WOULD_LEAVE_OUT[case]
    line = why(models, tmp_path, web="demo", settings=settings)
    assert all(fragment in line for fragment in fragments), line


def test_a_feed_by_the_old_setting_is_not_written_into_another_run(models, tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "run.json").write_text("{}")
    settings = {"FEED_URI": str(tmp_path / "other" / "pages.jsonl"), "FEED_FORMAT": "jsonl"}
    assert "would overwrite what a crawl" in why(models, tmp_path, web="demo", settings=settings)


def test_a_misspelt_setting_names_the_one_that_was_meant(models, tmp_path):
    line = refused(crawl(models, tmp_path, web="demo", settings={"FOCUSED_MAX_PAGE": "7"}))
    assert "Unknown setting 'FOCUSED_MAX_PAGE'. Did you mean 'FOCUSED_MAX_PAGES'?" in line


def test_a_setting_like_no_other_is_not_said_to_mean_one(models, tmp_path):
    line = refused(crawl(models, tmp_path, web="demo", settings={"FOCUSED_BOGUS": "7"}))
    assert "Unknown setting 'FOCUSED_BOGUS'. docs/reference/settings.md" in line


def test_a_wrong_log_level_is_said_in_the_log_file(models, tmp_path):
    refused(crawl(models, tmp_path, settings={"LOG_FILE": "job.log", "LOG_LEVEL": "loud"}))
    assert "LOG_LEVEL must be one of" in (tmp_path / "job.log").read_text()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("focsed",), "There is no spider 'focsed'. Did you mean 'focused'?"),
        ((), "Name one spider: scrapy crawl focused -a topic=demo. Got none."),
        (("focused", "topic=stars"), "Name one spider: scrapy crawl focused -a topic=demo. Got focused topic=stars."),
        (("--nope",), "There is no option --nope. See scrapy crawl -h."),
        (("focused", "--nope", "-a", "topic=stars"), "There is no option --nope. See scrapy crawl -h."),
        (("focused", "-a", "topic=stars", "-a", "plan=mine"), "Unknown spider argument 'plan'"),
    ],
)
def test_a_spider_or_option_that_there_is_not(models, tmp_path, words, message):
    assert message in refused(scrapy("crawl", *words, cwd=tmp_path, env=environment(models)))
