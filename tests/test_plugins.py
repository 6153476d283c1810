"""Strategies, learners, page readers and page classifiers from another package."""

from __future__ import annotations

import re
import site
from functools import partial
from pathlib import Path

import hand_made
import pytest
from commands import ROOT, Finished, crawl, crawl_argv, environment, scrapy

from focused.crawl.planning import plan_crawl
from focused.method.learning.learners import check_learner, make_learner
from focused.method.page.reader import PageReader
from focused.method.strategies import make_strategy, strategy_class
from focused.method.topic import TopicError, load_topic
from focused.method.topic.judge import WrongRelevanceError
from focused.utils.plugins import PlugInPlace

GUIDE = (ROOT / "docs" / "how-to" / "plug-in.md").read_text(encoding="utf-8")
[MODULE] = re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL)
[ENTRY_POINTS] = re.findall(r"```toml\n(.*?)```", GUIDE, re.DOTALL)
WRONG = '''

class NoScore(Strategy):
    """A strategy that scores nothing."""

    name = "no_score"


class NotANumber(ShortAddresses):
    """A strategy that divides by zero from the second page on."""

    name = "not_a_number"

    def score(self, page, relevance, visit):
        scores = np.full(page.n_links, 0.5)
        scores[-1:] = np.nan if visit.number else 0.5
        return LinkScores(scores, np.full(page.n_links, BY_LENGTH))


class AboveOne(ShortAddresses):
    """A strategy whose scores are no shares."""

    name = "above_one"

    def score(self, page, relevance, visit):
        return LinkScores(np.full(page.n_links, 1.5), np.full(page.n_links, BY_LENGTH))


class OneShort(ShortAddresses):
    """A strategy that forgets a link."""

    name = "one_short"

    def score(self, page, relevance, visit):
        return LinkScores(np.ones(page.n_links - 1), np.full(page.n_links - 1, BY_LENGTH))


import dataclasses


class OnlyANumber(ByFolder):
    """A page classifier that says how relevant a page is, and nothing of its units."""

    def judge(self, page, kinds=()):
        return 0.5


class NoRelevance(ByFolder):
    """A page classifier whose relevance is none."""

    wrong = {"page": float("nan")}

    def judge(self, page, kinds=()):
        return replace(super().judge(page, kinds), **self.wrong)


class BadMerge(ShortAddresses):
    """A strategy that joins what two pages say of a link to no score."""

    name = "bad_merge"

    def merge(self, known, new):
        return dataclasses.replace(known, score=float("nan"))


class ReadsNothing(WithoutBanner):
    """A page reader that forgets to return what it has read."""

    def read(self, body, url, content_type=None):
        super().read(body, url, content_type)


class ReadsText(WithoutBanner):
    """A page reader that returns text instead of a page."""

    def read(self, body, url, content_type=None):
        return body.decode()


class ReadsNoFood(WithoutBanner):
    """A page reader that returns nothing of some pages."""

    def read(self, body, url, content_type=None):
        return None if "/food/" in url else super().read(body, url, content_type)


class Demanding(ShortAddresses):
    """A strategy that cannot be made without arguments."""

    name = "demanding"

    def __init__(self, what):
        pass


class Unprepared(ShortAddresses):
    """A strategy that forgets to return itself."""

    name = "unprepared"

    def prepare(self, topic):
        pass


class NoItself(ByFolder):
    """A page classifier that forgets to return itself."""

    def with_settings(self, settings):
        self.folder = "/"


class BreaksOff(Stubborn):
    """A learner that divides by zero."""

    def fit(self, X, y):
        super().fit(X, y).coef_[0, 0] = np.nan
        return self


class ReturnsNothing(Stubborn):
    """A learner that forgets to return itself."""

    def fit(self, X, y):
        super().fit(X, y)


class SecondAdaptive(ShortAddresses):
    """A strategy with the name of another."""

    name = "adaptive"


WHATEVER = 1
'''


@pytest.fixture(scope="module")
def package(tmp_path_factory) -> Path:
    """A folder with the package of the guide, installed."""
    folder = tmp_path_factory.mktemp("site-packages")
    (folder / "mypackage.py").write_text(MODULE + WRONG)
    install(folder, "mypackage", re.sub(r'project.entry-points."(.*?)"', r"\1", ENTRY_POINTS).replace('"', ""))
    return folder


def install(folder: Path, name: str, entry_points: str) -> None:
    """Leave what pip leaves when it has installed a package."""
    about = folder / f"{name}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(entry_points)


@pytest.fixture
def installed(package, monkeypatch) -> None:
    """The package can be imported in this process."""
    monkeypatch.syspath_prepend(str(package))


def run(package: Path, cwd: Path, *argv: str) -> Finished:
    """Run a command in a process in which the package is installed."""
    return scrapy(*argv, cwd=cwd, env=environment(cwd / "models"), before=partial(site.addsitedir, str(package)))


@pytest.mark.slow
def test_one_of_each_from_outside_works_through_the_real_commands(package, tmp_path, two_regions):
    origin = "http://site.example"
    (tmp_path / "stars.txt").write_text("\n".join(f"{origin}/stars/{number}" for number in range(12)))
    pages = ["--positive", str(two_regions), "--positive-urls", "stars.txt", "--unlabeled", str(two_regions)]
    reader = ["-s", "FOCUSED_PAGE_READER=without_banner"]
    trained = run(
        package, tmp_path,
        "train", "outside", *pages, "--seeds", f"{origin}/", "--quick", "--learner", "mypackage.Stubborn", *reader,
    )  # fmt: skip
    assert trained.exit_code == 0, trained.err
    assert load_topic("outside", tmp_path / "models").manifest["learner"] == "mypackage.Stubborn"

    arguments = {"topic": "outside", "web": two_regions, "strategy": "mypackage.ShortAddresses"}
    settings = {
        "FOCUSED_PAGE_READER": "without_banner",
        "FOCUSED_PAGE_CLASSIFIER": "mypackage.ByFolder",
        "MYPACKAGE_FOLDER": "/stars/",
        "MYPACKAGE_HALF_CHARS": 27,
    }
    crawled = run(package, tmp_path, *crawl_argv(settings, **arguments))
    assert crawled.exit_code == 0, crawled.err
    assert (crawled.run["strategy"], crawled.stats["focused/pages/fetched_count"]) == ("short_addresses", 25)
    assert [len(crawled.pages), *{page["relevance"] for page in crawled.pages}] == [12, 1.0]
    scores = {page["url"]: page["link_score"] for page in crawled.pages}
    assert scores[f"{origin}/stars/0"] == pytest.approx(0.5)  # its address has 27 characters

    assert crawled.stats["focused/links/by_length_count"] == 24
    assert {page["link_reason"] for page in crawled.pages} == {"length"}
    shown = run(package, tmp_path, "frontier", "run", "--why", f"{origin}/stars/0")
    assert "score       0.500 by length" in shown.out

    # The model is numbers: a crawl for the topic needs nothing of the package.
    without = crawl(tmp_path / "models", tmp_path / "2", topic="outside", web=two_regions, max_pages=5)
    assert without.exit_code == 0, without.err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "exit_code", "n_fetched", "n_not_read"),
    [("ReadsNothing", 1, 0, 1), ("ReadsText", 1, 0, 1), ("ReadsNoFood", 0, 13, 12)],
)
def test_a_page_reader_that_returns_no_page_is_named_at_the_end_with_how_often(
    package, tmp_path, two_regions, kind, exit_code, n_fetched, n_not_read
):
    hand_made.topic("stars").save(tmp_path / "models")
    settings = {"FOCUSED_PAGE_READER": f"mypackage.{kind}"}
    argv = crawl_argv(settings, topic="stars", web=two_regions, strategy="best_first")
    done = run(package, tmp_path, *argv)
    assert done.exit_code == exit_code, done.err
    assert done.stats["focused/pages/not_read_count"] == n_not_read
    assert done.stats.get("focused/pages/not_text_count", 0) == 0
    assert done.stats["focused/pages/fetched_count"] == n_fetched
    responses = "1 response" if n_not_read == 1 else f"{n_not_read} responses"
    said = f"{responses} with text not read: mypackage.{kind} (FOCUSED_PAGE_READER) returned no Page"
    assert said in done.err
    assert ("No page was read." in done.err) is (exit_code == 1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("strategy", "name", "got", "n_pages"),
    [
        ("NotANumber", "not_a_number", "Got nan on http://site.example/", 1),
        ("AboveOne", "above_one", "Got 1.5 on http://site.example/.", 0),
        ("OneShort", "one_short", "Got 1 scores and 1 reasons of 2 on http://site.example/.", 0),
    ],
)
def test_a_strategy_that_returns_no_score_from_0_to_1_for_each_link_ends_the_crawl_in_one_line(
    package, tmp_path, two_regions, strategy, name, got, n_pages
):
    hand_made.topic().save(tmp_path / "models")
    argv = crawl_argv(web=two_regions, strategy=f"mypackage.{strategy}")
    ended = run(package, tmp_path, *argv)
    assert ended.exit_code == 1
    assert (ended.stats["finish_reason"], ended.stats["focused/pages/fetched_count"]) == ("wrong_scores", n_pages)
    (line,) = [line for line in ended.err.splitlines() if "ERROR" in line]
    assert f"Strategy {name} must return a score from 0 to 1 and a reason for each link of a page. {got}" in line
    assert "Traceback" not in ended.err


@pytest.mark.slow
def test_a_page_classifier_that_returns_no_relevances_ends_the_crawl_in_one_line(package, tmp_path, two_regions):
    hand_made.topic().save(tmp_path / "models")
    settings = {"FOCUSED_PAGE_CLASSIFIER": "mypackage.OnlyANumber"}
    ended = run(package, tmp_path, *crawl_argv(settings, web=two_regions))
    assert (ended.exit_code, ended.stats["finish_reason"]) == (1, "wrong_scores")
    (line,) = [line for line in ended.err.splitlines() if "ERROR" in line]
    assert (
        "Page classifier OnlyANumber must return a PageRelevance from judge(). Got 0.5 on http://site.example/." in line
    )
    assert "Traceback" not in ended.err


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"page": float("nan")}, "a relevance of the page from 0 to 1. Got nan on http://h.org/."),
        ({"page": 5.0}, "a relevance of the page from 0 to 1. Got 5.0 on"),
        ({"page": "much"}, "a relevance of the page from 0 to 1. Got 'much' on"),
        ({"is_relevant": "no"}, "True or False as is_relevant. Got 'no' on"),
    ],
)
def test_a_relevance_that_is_none_is_the_fault_of_the_page_classifier(installed, wrong, said):
    from mypackage import NoRelevance

    judge = NoRelevance(hand_made.topic())
    judge.wrong = wrong
    page = PageReader(judge.topic.analyzer).read(hand_made.html(hand_made.STARS), "http://h.org/")
    with pytest.raises(WrongRelevanceError, match=r"Page classifier NoRelevance must return ") as refused:
        judge.relevance(page)
    assert said in str(refused.value)


@pytest.mark.slow
def test_a_strategy_that_merges_evidence_to_no_score_ends_the_crawl_in_one_line(package, tmp_path, two_regions):
    hand_made.topic().save(tmp_path / "models")
    ended = run(
        package, tmp_path, *crawl_argv({"CONCURRENT_REQUESTS": 1}, web=two_regions, strategy="mypackage.BadMerge")
    )
    assert (ended.exit_code, ended.stats["finish_reason"]) == (1, "wrong_scores")
    (line,) = [line for line in ended.err.splitlines() if "ERROR" in line]
    assert "Strategy bad_merge must merge two pages' evidence to a score from 0 to 1. Got nan of" in line
    assert "Traceback" not in ended.err


@pytest.mark.slow
def test_the_help_of_a_crawl_says_what_is_installed(package, tmp_path):
    shown = run(package, tmp_path, "crawl", "-h").out
    assert "Installed focused.strategies: short_addresses\n" in shown
    assert "Installed focused.page_readers: without_banner\n" in shown


def test_the_help_of_other_commands_names_what_is_installed_and_that_paths_serve(package, tmp_path):
    shown = " ".join(run(package, tmp_path, "train", "-h").out.split())
    assert "weighted_logistic, stubborn, or the path of a class" in shown
    shown = " ".join(run(package, tmp_path, "explain", "-h").out.split())
    assert "adaptive, short_addresses, or the path of a class" in shown


def test_names_that_a_package_installed_serve_as_well_as_paths(installed):
    assert make_strategy("short_addresses").half_chars == 40
    assert make_strategy("mypackage.ShortAddresses", {"MYPACKAGE_HALF_CHARS": "60"}).half_chars == 60
    with pytest.raises(ValueError, match=r"MYPACKAGE_HALF_CHARS must be a number of at least 1. Got '0'."):
        make_strategy("short_addresses", {"MYPACKAGE_HALF_CHARS": "0"})
    assert (
        make_strategy(strategy_class("short_addresses")).name == "short_addresses"
    )  # a settings module may hold classes
    learner = make_learner("stubborn", 3)
    assert (type(learner).__name__, learner.C, learner.random_state) == ("Stubborn", 10, 3)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nowhere.Strategy", "such as mypackage.MyClass. Got 'nowhere.Strategy': ModuleNotFoundError"),
        ("mypackage.Missing", "Got 'mypackage.Missing': AttributeError"),
        ("mypackage.Stubborn", "must be a subclass of focused.method.scoring.base.Strategy. Got <class"),
        ("mypackage.WHATEVER", "must be a subclass of focused.method.scoring.base.Strategy. Got 1"),
        ("mypackage.NoScore", "must define the method score"),
        ("mypackage.SecondAdaptive", "must have a name of its own, as a class attribute: it stands in the run's files. Got 'adaptive'"),
        ("magic", "oracle, short_addresses, or the path of a class. Got 'magic'"),
    ],
)  # fmt: skip
def test_what_is_no_strategy_is_refused_in_one_line(installed, name, message):
    with pytest.raises(ValueError, match="The strategy") as refused:
        strategy_class(name)
    assert message.replace("oracle, ", "") in str(refused.value)
    assert "\n" not in str(refused.value)


def test_what_is_no_learner_is_refused(installed):
    with pytest.raises(ValueError, match=r"The learner .* must be a subclass of .*LinearCountClassifier. Got <class"):
        check_learner("mypackage.ShortAddresses")
    with pytest.raises(ValueError, match=r"weighted_logistic, stubborn, or the path of a class. Got 'magic'"):
        check_learner("magic")


def test_what_cannot_be_made_is_refused_in_one_line(installed, project_settings):
    refusals = {
        "The strategy mypackage.Demanding cannot be made": {"FOCUSED_STRATEGY": "mypackage.Demanding"},
        "prepare of the strategy mypackage.Unprepared must return the strategy. Got None.": {
            "FOCUSED_STRATEGY": "mypackage.Unprepared"
        },
        "with_settings of the page classifier mypackage.NoItself must return the page classifier. Got None.": {
            "FOCUSED_PAGE_CLASSIFIER": "mypackage.NoItself"
        },
    }
    for message, settings in refusals.items():
        with pytest.raises(ValueError, match=message) as refused:
            plan_crawl({"topic": "stars", "web": "demo"}, project_settings(**settings))
        assert "\n" not in str(refused.value)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("learner", "got"),
    [("BreaksOff", "coef_ with numbers that are not finite."), ("ReturnsNothing", "NoneType without coef_.")],
)
def test_a_learner_whose_numbers_cannot_judge_makes_no_topic(package, tmp_path, two_regions, learner, got):
    (tmp_path / "stars.txt").write_text("\n".join(f"http://site.example/stars/{number}" for number in range(12)))
    pages = ["--positive", str(two_regions), "--positive-urls", "stars.txt", "--unlabeled", str(two_regions)]
    ended = run(package, tmp_path, "train", "outside", *pages, "--quick", "--learner", f"mypackage.{learner}")
    assert ended.exit_code == 1
    said = (
        f"The learner mypackage.{learner} must return itself from fit, with coef_, intercept_, term_weights_. Got {got}"
    )
    assert said in ended.err
    assert "Traceback" not in ended.err
    assert not (tmp_path / "models" / "outside").exists()


def test_a_name_that_two_packages_use_is_refused(installed, tmp_path, monkeypatch):
    install(tmp_path, "other", "[focused.strategies]\nshort_addresses = other:Short\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ValueError, match=r"'short_addresses' is the name of several classes: .*, other:Short\."):
        strategy_class("short_addresses")


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
        ({"strategy": "mypackage.ShortAddresses"}, {}, "Spider argument 'strategy'"),
        ({}, {"FOCUSED_STRATEGY": "mypackage.ShortAddresses"}, "FOCUSED_STRATEGY"),
        ({}, {"FOCUSED_PAGE_READER": "mypackage.WithoutBanner"}, "FOCUSED_PAGE_READER"),
        ({}, {"FOCUSED_PAGE_CLASSIFIER": "mypackage.ByFolder"}, "FOCUSED_PAGE_CLASSIFIER"),
    ],
)
def test_a_client_of_scrapyd_names_no_class(installed, project_settings, arguments, settings, what):
    with pytest.raises(ValueError, match=f"{what} cannot be the path of a class for a client of Scrapyd. Got 'my"):
        plan_crawl({"topic": "stars", "web": "demo", "_job": "1", **arguments}, project_settings(**settings))


def test_a_reader_that_is_none_is_refused_before_the_first_request(installed, project_settings):
    settings = project_settings(FOCUSED_PAGE_READER="mypackage.ByFolder")
    with pytest.raises(ValueError, match=r"The page reader 'mypackage.ByFolder' must be a subclass of"):
        plan_crawl({"topic": "stars", "web": "demo"}, settings)


@pytest.mark.parametrize("line", ['strategy = "os.Popen"', '[settings]\nFOCUSED_STRATEGY = "os.Popen"'])
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
