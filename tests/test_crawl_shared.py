"""A crawl in a database: the first worker says what it is, others take it from there, and what differs is one line."""

from __future__ import annotations

import re
import shutil

import psycopg
import pytest
from commands import ROOT
from scrapy.settings import Settings
from scrapy.utils.project import get_project_settings
from warcs import Warc

from focused.crawl.declared_settings import COMMAND_LINE
from focused.crawl.planning import plan_crawl
from focused.utils.database import connect

MODELS = ROOT / "models"


@pytest.fixture
def planned(database, tmp_path):
    """Plan a crawl in a database, as the command does."""

    def plan(models=MODELS, settings=None, *, needs_seeds=True, **arguments):
        usual: Settings = get_project_settings().copy()
        usual.set("FOCUSED_MODELS_DIR", str(models), priority="project")
        usual.set("FOCUSED_RUNS_DIR", str(tmp_path / "runs"), priority="project")
        usual.setdict({"FOCUSED_DATABASE": database, **(settings or {})}, priority=COMMAND_LINE)
        return plan_crawl({"crawl": "stars", **arguments}, usual, needs_seeds=needs_seeds)

    return plan


@pytest.fixture
def elsewhere(tmp_path):
    """The models folder of another machine, without any topic."""
    (tmp_path / "elsewhere").mkdir()
    return tmp_path / "elsewhere"


def test_a_worker_that_has_nothing_joins_with_topic_arguments_and_settings_of_the_first(planned, elsewhere):
    first = planned(
        topic="demo", max_pages=77, seeds="http://a.example/,http://127.0.0.1:9/", web="live", allow="a.example,127.0.0.1",
        strategy="best_first", settings={"DOWNLOAD_DELAY": "2.5", "FOCUSED_MAX_RELEVANT": "9", "LOG_LEVEL": "ERROR"},
    )  # fmt: skip
    second = planned(models=elsewhere)
    for plan in (first, second):
        assert (plan.max_pages, plan.max_relevant, plan.web, plan.strategy.name) == (77, 9, "live", "best_first")
        assert plan.seeds == ["http://a.example/", "http://127.0.0.1:9/"]
        assert str(plan.scope) == str(first.scope)
        assert plan.decided["FOCUSED_CRAWL"] == "stars"
    assert second.decided["DOWNLOAD_DELAY"] == "2.5"
    assert "LOG_LEVEL" not in second.decided
    assert second.topic.model_sha256 == first.topic.model_sha256
    assert second.topic.directory != first.topic.directory
    assert second.run_dir.parent == first.run_dir.parent != second.run_dir
    # Only who names an address of this machine opens it.
    assert (first.addresses.kind_of_url(first.seeds[1]), second.addresses.kind_of_url(first.seeds[1])) == (
        "",
        "loopback",
    )


def test_seeds_that_only_the_first_worker_names_are_the_crawls(planned, elsewhere, tmp_path):
    shutil.copytree(MODELS / "demo", (models := tmp_path / "own") / "demo")
    text = (models / "demo" / "topic.toml").read_text()
    (models / "demo" / "topic.toml").write_text(re.sub(r"(?s)seeds = \[.*?\]", "", text))
    with pytest.raises(ValueError, match="There is no URL in topic 'demo'"):
        planned(models=models, topic="demo")
    planned(models=models, topic="demo", seeds="http://a.example/")
    for known in (models, elsewhere):
        assert planned(models=known).seeds == ["http://a.example/"]
    with pytest.raises(ValueError, match="has other seeds"):
        planned(models=models, seeds="http://b.example/")


def test_a_spider_with_start_urls_of_its_own_joins_a_crawl_without_seeds(planned):
    assert planned(topic="demo", needs_seeds=False).seeds == []
    assert planned(topic="demo", needs_seeds=False).seeds == []
    with pytest.raises(ValueError, match="There is no URL in crawl 'stars' in the database"):
        planned()


def test_a_command_that_is_refused_leaves_the_limits_of_the_crawl_as_they_are(planned):
    planned(topic="demo", max_pages=77, settings={"DOWNLOAD_DELAY": "2.5"})
    with pytest.raises(ValueError, match=r"has DOWNLOAD_DELAY=2\.5\. Got 1"):
        planned(max_pages=5, settings={"DOWNLOAD_DELAY": "1"})
    assert planned().max_pages == 77


def test_a_recorded_web_may_be_named_by_any_path_that_leads_to_it(planned, tmp_path, monkeypatch):
    path = tmp_path / "webs" / "web.warc.gz"
    path.parent.mkdir()
    Warc(path).page("http://a.example/", b"<p>Stars.").indexed()
    (tmp_path / "link.warc.gz").symlink_to(path)
    monkeypatch.chdir(path.parent)
    seeds = "http://a.example/"
    assert planned(topic="demo", web=path.name, seeds=seeds).web == str(path)
    for name in (path.name, str(path), str(tmp_path / "link.warc.gz")):
        assert planned(topic="demo", web=name, seeds=seeds).web == str(path)
    with pytest.raises(ValueError, match=r"has web=.*Got web=demo"):
        planned(web="demo")


REFUSED = {
    "another strategy": ({"strategy": "lpe"}, {}, "has strategy=best_first. Got strategy=lpe"),
    "an argument it lacks": ({"preset": "p13"}, {}, "was begun without preset"),
    "other seeds": ({"seeds": "http://c.example/"}, {}, "has other seeds"),
    "another setting": ({}, {"FOCUSED_MERGE_EVIDENCE": "True"}, "has FOCUSED_MERGE_EVIDENCE=False. Got True"),
    "a setting it lacks": (
        {},
        {"FOCUSED_FRONTIER_MAX_PER_HOST": "5"},
        "was begun without FOCUSED_FRONTIER_MAX_PER_HOST",
    ),
    "a setting of Scrapy that it lacks": ({}, {"DEPTH_LIMIT": "1"}, "was begun without DEPTH_LIMIT"),
    "another strategy as a setting": ({}, {"FOCUSED_STRATEGY": "lpe"}, "has strategy=best_first. Got strategy=lpe"),
    "links": (
        {},
        {"FOCUSED_FRONTIER_MAX_LINKS": "9"},
        "FOCUSED_FRONTIER_MAX_LINKS must be 0 where workers share a crawl: none of them",
    ),
    "retraining": (
        {},
        {"FOCUSED_RETRAINING": "automatic"},
        "FOCUSED_RETRAINING must be off or interactive where workers share",
    ),
    "no database": ({}, {"FOCUSED_DATABASE": ""}, "Crawl 'stars' needs a database"),
    "no name": ({"crawl": "../x"}, {}, "'crawl' must be 1 to 63 letters"),
    "a long name": ({"crawl": "x" * 64}, {}, "'crawl' must be 1 to 63 letters"),
    "no topic": ({"crawl": "unknown"}, {}, "There is no crawl 'unknown' in the database"),
}


def test_what_differs_from_the_crawl_is_refused_in_one_line(planned):
    planned(topic="demo", strategy="best_first", settings={"FOCUSED_MERGE_EVIDENCE": "False"})
    for arguments, settings, says in REFUSED.values():
        with pytest.raises(ValueError, match=r"^[^\n]+$") as error:
            planned(settings=settings, **arguments)
        assert says in str(error.value)
    agreeing = {"FOCUSED_STRATEGY": "best_first", "FOCUSED_RETRAINING": "off", "FOCUSED_FRONTIER_MAX_LINKS": "0"}
    planned(settings={**agreeing, "FOCUSED_CONTACT": "me@example.org", "LOG_LEVEL": "DEBUG"})


def test_a_crawl_that_learns_from_verdicts_does_so_with_every_worker_that_joins(planned):
    interactive = {"FOCUSED_RETRAINING": "interactive"}
    planned(topic="demo", settings=interactive)
    for settings in ({}, interactive):
        assert planned(settings=settings).decided["FOCUSED_RETRAINING"] == "interactive"
    with pytest.raises(ValueError, match=r"has FOCUSED_RETRAINING=interactive\. Got off"):
        planned(settings={"FOCUSED_RETRAINING": "off"})
    planned(topic="demo", crawl="other")
    with pytest.raises(ValueError, match="was begun without FOCUSED_RETRAINING"):
        planned(settings=interactive, crawl="other")


def test_another_model_another_version_and_a_damaged_topic_are_refused(planned, database, tmp_path):
    planned(topic="demo")
    models = tmp_path / "models"
    shutil.copytree(MODELS / "astrophysics", models / "demo")
    with connect("X", database) as sql:
        sql.execute("SET search_path = focused")
        for name in ("manifest.json", "model.npz"):
            content = (models / "demo" / name).read_bytes().replace(b'"topic": "astrophysics"', b'"topic": "demo"')
            (models / "demo" / name).write_bytes(content)
        with pytest.raises(ValueError, match="'demo' of this machine has another model"):
            planned(models=models, topic="demo")
        sql.execute("UPDATE crawls SET about = jsonb_set(about, '{version}', '\"0.0\"')")
        sql.execute(
            "INSERT INTO workers (crawl, name, alive_until) SELECT id, 'one', now() + interval '9 s' FROM crawls"
        )
        with pytest.raises(ValueError, match=r"by version 0\.0 of this program"):
            planned()
        with pytest.raises(ValueError, match=r"by version 0\.0 of this program"):
            planned(max_pages=5)
        sql.execute("UPDATE workers SET ended_at = now()")
        assert planned(max_pages=5).max_pages == planned().max_pages == 5  # nobody works on it: it goes on otherwise
        sql.execute("UPDATE files SET content = content || '\\x00' WHERE name = 'model.npz'")
        with pytest.raises(ValueError, match=r"'model\.npz' of the topic in the crawl's database is damaged"):
            planned()
        sql.execute("UPDATE files SET sha256 = encode(sha256(content), 'hex')")
        with pytest.raises(ValueError, match=r"model\.npz is not the file that manifest\.json describes"):
            planned()


SAID = (
    """UPDATE crawls SET about = jsonb_set(about, '{settings,FOCUSED_RUNS_DIR}', '"/tmp"')""",
    """UPDATE crawls SET about = jsonb_set(about, '{settings,DOWNLOADER_MIDDLEWARES}', '{"os.x": 1}')""",
    """UPDATE crawls SET about = jsonb_set(about, '{settings,FOCUSED_HYBRID_C}', '"x"')""",
    """UPDATE crawls SET about = jsonb_set(about, '{arguments,strategy}', '"os.path"')""",
    """UPDATE crawls SET about = jsonb_set(about, '{arguments,topic}', '"../x"')""",
    """UPDATE crawls SET about = jsonb_set(about, '{seeds}', '["file:///etc/passwd"]')""",
    """INSERT INTO files SELECT id, '../x', encode(sha256(''), 'hex'), '' FROM crawls""",
)


def test_a_database_says_no_more_than_a_topic_may(planned, database):
    for number, statement in enumerate(SAID):
        planned(topic="demo", crawl=f"crawl-{number}", strategy="breadth_first")
        with psycopg.connect(database, autocommit=True) as sql:
            sql.execute("SET search_path = focused")
            sql.execute(f"{statement} {'WHERE' if 'WHERE' not in statement else 'AND'} name = 'crawl-{number}'")
        with pytest.raises(ValueError, match=r"^[^\n]+$"):
            planned(crawl=f"crawl-{number}")


def test_each_start_of_a_worker_has_a_folder_of_its_own(planned, tmp_path):
    """A second one would write over what the first has said of itself."""
    planned(topic="demo", run_dir=str(tmp_path / "one"))
    (tmp_path / "one" / "fetched.csv").write_text("number\n")
    with pytest.raises(ValueError, match=r"is the folder of an earlier worker.*leave run_dir out, or choose another"):
        planned(run_dir=str(tmp_path / "one"))
    planned(run_dir=str(tmp_path / "two"))
