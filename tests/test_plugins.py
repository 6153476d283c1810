"""Strategies, learners, page readers and page classifiers from another package."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import hand_made
import pytest
from commands import ROOT, Finished, crawl, environment

from focused.crawl.planning import plan_crawl
from focused.method.learning.learners import check_learner, make_learner
from focused.method.strategies import make_strategy, strategy_class
from focused.method.topic import TopicError, load_topic
from focused.utils.plugins import PlugInPlace

MODULE = '''
"""One of each, as docs/how-to/plug-in.md says."""

from dataclasses import dataclass, replace

import numpy as np

from focused.method.learning.estimators.against_unlabeled import AgainstUnlabeled
from focused.method.page.reader import PageReader
from focused.method.scoring import LinkScores, Strategy
from focused.method.topic.judge import Judge
from focused.utils.parameters import parameter


@dataclass(frozen=True)
class Constant(Strategy):
    """Gives every link the same score."""

    value: float = parameter("MYPACKAGE_VALUE", 0.5, least=0, most=1)

    name = "constant"

    def score(self, page, relevance, visit):
        return LinkScores(np.full(page.n_links, self.value), np.zeros(page.n_links, dtype=np.int64))


class MyLearner(AgainstUnlabeled):
    """Learns as a learner of the project does."""

    def __init__(self, random_state=None):
        super().__init__(sublinear_tf=True, random_state=random_state)

    def fit(self, X, y):
        return super().fit(X, y)


class ShoutingReader(PageReader):
    """Reads every page as if it were written in small letters and had a word more."""

    def read(self, body, url, content_type=None):
        return super().read(body + b"<p>planets</p>", url, content_type)


class ByAddress(Judge):
    """Finds the pages of a folder relevant, as far as a setting says."""

    belief = 1.0

    def with_settings(self, settings):
        self.belief = float(settings.get("MYPACKAGE_BELIEF", 1))
        return self

    def judge(self, page, kinds=()):
        is_relevant = "/stars/" in page.url
        return replace(super().judge(page, kinds), page=self.belief * is_relevant, is_relevant=is_relevant)


class NoScore(Strategy):
    """A strategy that scores nothing."""

    name = "no_score"


class Nameless(Constant):
    """A strategy with the name of another."""

    name = "adaptive"


WHATEVER = 1
'''
ENTRY_POINTS = """
[focused.strategies]
constant = mypackage_for_tests:Constant

[focused.page_readers]
shouting = mypackage_for_tests:ShoutingReader

[focused.page_classifiers]
by_address = mypackage_for_tests:ByAddress

[focused.learners]
mine = mypackage_for_tests:MyLearner
"""
MINE = "mypackage_for_tests"


@pytest.fixture(scope="module")
def package(tmp_path_factory) -> Path:
    """A folder with an installed package that has one of each."""
    folder = tmp_path_factory.mktemp("site-packages")
    (folder / f"{MINE}.py").write_text(MODULE)
    about = folder / f"{MINE}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {MINE}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(ENTRY_POINTS)
    return folder


@pytest.fixture
def installed(package, monkeypatch) -> None:
    """The package can be imported in this process."""
    monkeypatch.syspath_prepend(str(package))


def run(package: Path, cwd: Path, *argv: str) -> Finished:
    """Run a command in a new process, in which the package is installed."""
    env = {**os.environ, **environment(cwd / "models"), "PYTHONPATH": f"{ROOT}{os.pathsep}{package}"}
    done = subprocess.run(
        [sys.executable, "-m", "scrapy", *argv],
        cwd=cwd,
        env=env,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return Finished(done.returncode, done.stdout, done.stderr, cwd / "run")


@pytest.mark.slow
def test_one_of_each_from_outside_works_through_the_real_commands(package, tmp_path, two_regions):
    site = "http://site.example"
    (tmp_path / "stars.txt").write_text("\n".join(f"{site}/stars/{number}" for number in range(12)))
    read_so = ["-s", "FOCUSED_PAGE_READER=shouting"]
    pages = ["--positive", str(two_regions), "--positive-urls", "stars.txt", "--unlabeled", str(two_regions)]
    trained = run(
        package, tmp_path,
        "train", "outside", *pages, "--seeds", f"{site}/", "--quick", "--learner", f"{MINE}.MyLearner", *read_so,
    )  # fmt: skip
    assert trained.exit_code == 0, trained.err
    topic = load_topic("outside", tmp_path / "models")
    assert topic.manifest["learner"] == f"{MINE}.MyLearner"

    crawled = run(
        package, tmp_path,
        "crawl", "focused", "-a", "topic=outside", "-a", f"web={two_regions}", "-a", f"strategy={MINE}.Constant", "-a",
        "run_dir=run", *read_so, "-s", f"FOCUSED_PAGE_CLASSIFIER={MINE}.ByAddress", "-s", "MYPACKAGE_VALUE=0.25", "-s",
        "MYPACKAGE_BELIEF=0.75",
    )  # fmt: skip
    assert crawled.exit_code == 0, crawled.err
    assert (crawled.run["strategy"], crawled.stats["focused/pages/fetched_count"]) == ("constant", 25)
    assert {page["link_score"] for page in crawled.pages} <= {1.0, 0.25}
    assert len(crawled.pages) == 12
    assert {page["relevance"] for page in crawled.pages} == {0.75}
    assert all("planets" in page["text"] for page in crawled.pages)

    # The model is numbers: a crawl for the topic needs nothing of the package.
    assert crawl(tmp_path / "models", tmp_path / "2", topic="outside", web=two_regions, max_pages=5).exit_code == 0


@pytest.mark.slow
def test_the_help_of_a_crawl_says_what_is_installed(package, tmp_path):
    shown = run(package, tmp_path, "crawl", "-h").out
    assert "Installed focused.strategies: constant\n" in shown
    assert "Installed focused.page_readers: shouting\n" in shown


def test_names_that_a_package_installed_serve_as_well_as_paths(installed):
    assert make_strategy("constant").value == 0.5
    assert make_strategy(f"{MINE}.Constant", {"MYPACKAGE_VALUE": "0.75"}).value == 0.75
    assert type(make_learner("mine", 3)).__name__ == "MyLearner"
    assert make_learner("mine", 3).random_state == 3
    assert make_strategy(strategy_class("constant")).name == "constant"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nowhere.Strategy", "such as mypackage.MyClass. Got 'nowhere.Strategy': ModuleNotFoundError"),
        (f"{MINE}.Missing", "Got 'mypackage_for_tests.Missing': AttributeError"),
        (f"{MINE}.MyLearner", "must be a subclass of focused.method.scoring.base.Strategy. Got <class"),
        (f"{MINE}.WHATEVER", "must be a subclass of focused.method.scoring.base.Strategy. Got 1"),
        (f"{MINE}.NoScore", "must define the method score"),
        (f"{MINE}.Nameless", "must have a name of its own, as a class attribute: it stands in the run's files. Got 'adaptive'"),
        ("magic", "oracle, constant, or the path of a class. Got 'magic'"),
    ],
)  # fmt: skip
def test_what_is_no_strategy_is_refused_in_one_line(installed, name, message):
    with pytest.raises(ValueError, match="The strategy") as refused:
        strategy_class(name)
    assert message.replace("oracle, ", "") in str(refused.value)
    assert "\n" not in str(refused.value)


def test_what_is_no_learner_is_refused(installed):
    with pytest.raises(ValueError, match=r"The learner .* must be a subclass of .*LinearCountClassifier. Got <class"):
        check_learner(f"{MINE}.Constant")
    with pytest.raises(ValueError, match=r"weighted_logistic, mine, or the path of a class. Got 'magic'"):
        check_learner("magic")


def test_a_name_that_two_packages_use_is_refused(installed, tmp_path, monkeypatch):
    about = tmp_path / "other-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[focused.strategies]\nconstant = other:Constant\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ValueError, match=r"'constant' is the name of several classes: .*, other:Constant"):
        strategy_class("constant")


def test_a_place_without_anything_installed_asks_for_a_path():
    with pytest.raises(ValueError, match=r"The thing must be the path of a class. Got 'x'\."):
        PlugInPlace("thing", "focused.nothing", "focused.method.topic.judge.Judge").load("x")


@pytest.fixture
def project_settings(models):
    """The project's settings, and a function that adds to them as the command line and Scrapyd do."""
    from scrapy.settings import Settings

    def made(**command_line) -> Settings:
        settings = Settings()
        settings.setmodule("focused.settings", priority="project")
        settings.set("FOCUSED_MODELS_DIR", str(models), priority="default")
        settings.set("FOCUSED_MODELS_DIR", str(models), priority="project")
        settings.setdict(command_line, priority="cmdline")
        return settings

    return made


@pytest.mark.parametrize(
    ("arguments", "settings", "what"),
    [
        ({"strategy": f"{MINE}.Constant"}, {}, "Spider argument 'strategy'"),
        ({}, {"FOCUSED_STRATEGY": f"{MINE}.Constant"}, "FOCUSED_STRATEGY"),
        ({}, {"FOCUSED_PAGE_READER": f"{MINE}.ShoutingReader"}, "FOCUSED_PAGE_READER"),
        ({}, {"FOCUSED_PAGE_CLASSIFIER": f"{MINE}.ByAddress"}, "FOCUSED_PAGE_CLASSIFIER"),
    ],
)
def test_a_client_of_scrapyd_names_no_class(installed, project_settings, arguments, settings, what):
    with pytest.raises(ValueError, match=f"{what} cannot be the path of a class for a client of Scrapyd. Got 'my"):
        plan_crawl({"topic": "stars", "web": "demo", "_job": "1", **arguments}, project_settings(**settings))


def test_a_reader_that_is_none_is_refused_before_the_first_request(installed, project_settings):
    settings = project_settings(FOCUSED_PAGE_READER=f"{MINE}.ByAddress")
    with pytest.raises(ValueError, match=r"The page reader 'mypackage_for_tests.ByAddress' must be a subclass of"):
        plan_crawl({"topic": "stars", "web": "demo"}, settings)


@pytest.mark.parametrize(
    "line",
    [
        'strategy = "os.Popen"',
        '[settings]\nFOCUSED_STRATEGY = "os.Popen"',
        '[settings]\nFOCUSED_PAGE_READER = "os.Popen"',
        '[settings]\nFOCUSED_PAGE_CLASSIFIER = "installed_one"',
    ],
)
def test_a_topic_file_imports_nothing(tmp_path, line):
    folder = hand_made.topic().save(tmp_path)
    before = (folder / "topic.toml").read_text().partition("[settings]")[0]
    (folder / "topic.toml").write_text(f"{before}\n{line}\n")
    with pytest.raises(TopicError, match=r"on the command line instead\."):
        load_topic("stars", tmp_path)


def test_the_learner_that_a_manifest_names_is_not_imported(tmp_path):
    topic = hand_made.topic()
    topic.manifest["learner"] = "mypackage.MyLearner"
    with pytest.raises(TopicError, match=r"trained with the class mypackage\.MyLearner, which is not imported"):
        _ = topic.learner
