from __future__ import annotations

import fcntl
import re
import shutil
import threading

import hand_made
import pytest
from scrapy.settings import Settings
from scrapy.utils.misc import load_object

from focused import settings as project
from focused.crawl.arguments import PlanError, check_seeds, read_seeds
from focused.crawl.declared_settings import DECLARED
from focused.crawl.former_classes import _FORMER
from focused.crawl.planning import plan_crawl
from focused.crawl.scrapy_settings import check_values
from focused.crawl.settings_layers import contact_settings, topic_settings
from focused.frontier.run_files import is_home, make_home
from focused.frontier.scheduler import FrontierScheduler
from focused.frontier.store import schema as frontier_schema
from focused.frontier.store.schema import FrontierFileError, lock
from focused.frontier.store.store import FrontierStore
from focused.method.topic import load_topic, read_topic_file
from focused.utils.file_names import FRONTIER_FILE
from focused.utils.scope import Scope


@pytest.fixture
def settings(models, tmp_path) -> Settings:
    """The project's settings, as a command gets them."""
    found = Settings()
    found.setmodule(project, priority="project")
    found.setdict({"FOCUSED_MODELS_DIR": str(models), "FOCUSED_RUNS_DIR": str(tmp_path / "runs")}, priority="project")
    return found


def test_a_topic_is_all_that_is_needed(settings, tmp_path):
    plan = plan_crawl({"topic": "stars"}, settings)
    assert (plan.topic.name, plan.strategy.name, plan.web) == ("stars", "adaptive", "live")
    assert plan.seeds == ["http://site.example/"]
    assert (plan.max_pages, plan.max_relevant) == (1000, 0)
    assert not plan.drops_below_threshold
    assert plan.run_dir.parent == tmp_path / "runs" / "stars"
    assert plan.run_dir.is_dir()
    assert not list(plan.run_dir.iterdir())


def test_two_crawls_that_start_in_one_second_have_a_folder_each(settings):
    folders = {plan_crawl({"topic": "stars"}, settings).run_dir for _ in range(3)}
    assert len(folders) == 3


def test_a_plan_that_fails_leaves_no_folder(settings, tmp_path):
    with pytest.raises(PlanError, match="strategy"):
        plan_crawl({"topic": "stars", "strategy": "magic"}, settings)
    assert not (tmp_path / "runs").exists()


def test_arguments_decide_over_the_command_line(settings, two_regions, tmp_path):
    settings.setdict(
        {"FOCUSED_WEB": "demo", "FOCUSED_RUN_DIR": str(tmp_path / "a"), "FOCUSED_MAX_PAGES": "7"}, "cmdline"
    )
    plan = plan_crawl({"topic": "stars", "web": str(two_regions), "run_dir": str(tmp_path / "b")}, settings)
    assert plan.web == plan.decided["FOCUSED_WEB"] == str(two_regions)
    assert plan.decided["FOCUSED_RUN_DIR"] == str(tmp_path / "b")
    assert plan.max_pages == plan.decided["FOCUSED_MAX_PAGES"] == 7


def test_a_web_on_this_machine_comes_with_its_handler_and_without_delays(settings, two_regions):
    plan = plan_crawl({"topic": "stars", "web": str(two_regions)}, settings)
    retried = plan.settings.pop("RETRY_EXCEPTIONS")
    assert OSError in retried
    assert not [each for each in retried if "http11" in str(each)]  # its name alone would load Scrapy's HTTP, and TLS
    assert plan.settings == {
        "DOWNLOAD_DELAY": 0,
        "AUTOTHROTTLE_ENABLED": False,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
        "FOCUSED_OBEY_NOINDEX": False,
        "FOCUSED_SITEMAPS": 0,
        "FOCUSED_FEEDS": 0,
    }
    assert {scheme for scheme, handler in plan.decided["DOWNLOAD_HANDLERS"].items() if handler} == {"http", "https"}
    live = plan_crawl({"topic": "stars"}, settings)
    assert live.settings == {}
    assert "DOWNLOAD_HANDLERS" not in live.decided


def test_a_topic_does_not_slow_down_a_web_on_this_machine(settings, two_regions, tmp_path):
    hand_made.topic("slow", settings={"DOWNLOAD_DELAY": 5, "DEPTH_LIMIT": 3}).save(tmp_path)
    settings.set("FOCUSED_MODELS_DIR", str(tmp_path), priority="cmdline")
    assert plan_crawl({"topic": "slow"}, settings).settings == {"DOWNLOAD_DELAY": 5, "DEPTH_LIMIT": 3}
    offline = plan_crawl({"topic": "slow", "web": str(two_regions)}, settings)
    assert (offline.settings["DOWNLOAD_DELAY"], offline.settings["DEPTH_LIMIT"]) == (0, 3)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SCHEDULER", "os.path.join"),
        ("ITEM_PIPELINES", {"os.abort": 1}),
        ("DOWNLOAD_HANDLERS", "{}"),
        ("ADDONS", {"os.abort": 1}),
        ("RETRY_EXCEPTIONS", ["os.abort"]),
        ("SPIDER_MODULES", "os"),
        ("FEEDS", {"a.csv": {"format": "csv", "item_filter": "os.abort"}}),
    ],
)
def test_a_client_of_scrapyd_names_no_class(settings, name, value):
    settings.set(name, value, priority="cmdline")
    with pytest.raises(PlanError, match=rf"{name}.* cannot be set by a client of Scrapyd: it names classes"):
        plan_crawl({"topic": "stars", "_job": "1"}, settings)


def test_a_client_of_scrapyd_sets_what_names_no_class(settings):
    settings.setdict({"DOWNLOAD_DELAY": "2", "FEEDS": {"a.csv": {"format": "csv"}}}, priority="cmdline")
    assert plan_crawl({"topic": "stars", "_job": "1"}, settings).topic.name == "stars"


@pytest.mark.parametrize(
    ("setting", "old", "new"),
    [
        ("SCHEDULER", "focused.frontier.durable.FrontierScheduler", "focused.frontier.scheduler.FrontierScheduler"),
        (
            "SCHEDULER",
            "focused.frontier.scheduler.BudgetScheduler",
            "focused.frontier.budget_scheduler.BudgetScheduler",
        ),
        ("ITEM_PROCESSOR", "focused.frontier.page_end.PageEndItems", "focused.pipelines.page_end.PageEndItems"),
        ("EXTENSIONS", "focused.warc.WarcRecorder", "focused.extensions.warc_recorder.WarcRecorder"),
    ],
)
def test_a_component_that_has_moved_is_refused_with_its_new_path(settings, setting, old, new):
    settings.set(setting, {old: 1} if setting == "EXTENSIONS" else old, priority="cmdline")
    message = f"{setting} names {old}, which is called {new} now. Use the new path."
    with pytest.raises(PlanError, match=f"^{re.escape(message)}$"):
        plan_crawl({"topic": "stars"}, settings)


def test_components_that_have_moved_are_where_the_error_says():
    for former, present in _FORMER.items():
        assert load_object(f"focused.{present}").__name__ == former.rpartition(".")[2].replace(
            "Adaptation", "Retraining"
        )


def test_what_scrapyd_adds_is_no_mistake(settings):
    assert plan_crawl({"topic": "stars", "_job": "1", "_version": "r1"}, settings).topic.name == "stars"


@pytest.mark.parametrize(
    ("agent", "contact", "signed_agent"),
    [
        ("focused/1", "me@h.org", "focused/1 (+me@h.org)"),
        ("focused/1 (+me@h.org)", "me@h.org", None),
        ("focused/1", "", None),
    ],
)
def test_the_contact_is_in_the_user_agent_once(agent, contact, signed_agent):
    found = contact_settings(Settings({"USER_AGENT": agent, "FOCUSED_CONTACT": contact}))
    assert found.get("USER_AGENT") == signed_agent


def test_a_contact_cannot_add_headers():
    with pytest.raises(PlanError, match="FOCUSED_CONTACT"):
        contact_settings(Settings({"USER_AGENT": "x", "FOCUSED_CONTACT": "a\r\nCookie: b"}))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("FOCUSED_RUNS_DIR", "/"),
        ("FOCUSED_VERDICTS", "v.jsonl"),
        ("FOCUSED_WEB", "demo"),
        ("FOCUSED_WARC", "all"),
        ("FOCUSED_PAGE_READER", "os.Popen"),
        ("FOCUSED_PAGE_CLASSIFIER", "installed_one"),
        ("FOCUSED_CONTACT", "you@example.org"),
    ],
)
def test_a_topic_may_not_say_where_things_are_who_crawls_nor_switch_things_on_nor_name_classes(name, value):
    with pytest.raises(PlanError, match=f"A topic may not set {name}, as topic 'stars' does"):
        topic_settings(hand_made.topic(settings={name: value}))


LESS_POLITE = {
    "DOWNLOAD_DELAY": (0, "1.0"),
    "AUTOTHROTTLE_ENABLED": (False, "true"),
    "AUTOTHROTTLE_MAX_DELAY": (5, "60.0"),
    "CONCURRENT_REQUESTS_PER_DOMAIN": (100, "1"),
    "AUTOTHROTTLE_TARGET_CONCURRENCY": (8.0, "1.0"),
    "RETRY_TIMES": (1000, "1"),
    "REDIRECT_MAX_TIMES": (100, "5"),
    "DOWNLOAD_MAXSIZE": (6_000_000, "5000000"),
}


def saved_topic(settings, folder, **own):
    """Save a topic with settings of its own; return the arguments of a crawl for it."""
    hand_made.topic("rude", settings=own).save(folder)
    settings.set("FOCUSED_MODELS_DIR", str(folder), priority="cmdline")
    return {"topic": "rude", "seeds": "http://a.example/"}


@pytest.mark.parametrize("name", LESS_POLITE)
def test_whoever_crawls_is_told_where_a_topic_is_less_polite_or_less_careful_than_the_project(
    settings, name, tmp_path, caplog
):
    value, usual = LESS_POLITE[name]
    given = saved_topic(settings, tmp_path, **{name: value})
    assert plan_crawl(given, settings).settings[name] == value
    [said] = [each.getMessage() for each in caplog.records if "less polite" in each.getMessage()]
    assert said.startswith(f"{name} of topic 'rude' is {str(value).lower() if value is False else value} (")
    assert said.endswith(f"For the project's value: -s {name}={usual}")
    caplog.clear()
    plan_crawl({**given, "web": "demo"}, settings)  # there nobody is disturbed
    settings.set(name, usual, priority="cmdline")
    plan_crawl(given, settings)
    assert "less polite" not in caplog.text


def test_a_topic_may_not_ask_for_bodies_without_a_limit(settings, tmp_path):
    given = saved_topic(settings, tmp_path, DOWNLOAD_MAXSIZE=0)
    with pytest.raises(
        PlanError, match=r"DOWNLOAD_MAXSIZE of topic 'rude' must be above 0: .* Got 0 in .* -s DOWNLOAD_"
    ):
        plan_crawl(given, settings)
    settings.set("DOWNLOAD_MAXSIZE", 0, priority="cmdline")
    plan_crawl(given, settings)


def test_nothing_is_said_of_a_topic_that_is_politer_nor_of_how_much_it_takes(settings, tmp_path, caplog):
    own = {"DOWNLOAD_DELAY": 2.5, "RETRY_TIMES": 0, "DOWNLOAD_MAXSIZE": 1_000_000, "AUTOTHROTTLE_ENABLED": True}
    own |= {"CONCURRENT_REQUESTS": 32, "DOWNLOAD_TIMEOUT": 60, "COOKIES_ENABLED": True, "DEPTH_LIMIT": 7}
    hand_made.topic("polite", settings=own).save(tmp_path)
    settings.set("FOCUSED_MODELS_DIR", str(tmp_path), priority="cmdline")
    plan = plan_crawl({"topic": "polite", "seeds": "http://a.example/"}, settings)
    assert own.items() <= plan.settings.items()
    # What a project is less careful about, a topic may be, too.
    settings.setdict({"DOWNLOAD_MAXSIZE": 0, "AUTOTHROTTLE_ENABLED": False}, priority="project")
    hand_made.topic("large", settings={"DOWNLOAD_MAXSIZE": 0, "AUTOTHROTTLE_MAX_DELAY": 1}).save(tmp_path)
    plan_crawl({"topic": "large", "seeds": "http://a.example/"}, settings)
    assert "less polite" not in caplog.text


def test_a_wrong_setting_of_a_topic_is_refused_with_the_file_that_holds_it(tmp_path):
    hand_made.topic(settings={"FOCUSED_ADAPTIVE_DISCOVERY": -3}).save(tmp_path)
    with pytest.raises(PlanError, match=r"at least 0\. Got -3\. It stands in .*topic\.toml"):
        topic_settings(load_topic("stars", tmp_path))


def test_an_unknown_setting_of_a_topic_is_refused_with_the_file_that_holds_it(tmp_path):
    hand_made.topic(settings={"FOCUSED_TRAP": "on"}).save(tmp_path)
    with pytest.raises(PlanError, match=r"Unknown setting 'FOCUSED_TRAP'.* It stands in .*topic\.toml"):
        topic_settings(load_topic("stars", tmp_path))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("FOCUSED_ADAPTATION", "FOCUSED_RETRAINING"),
        ("FOCUSED_ADAPTATION_EVERY_PAGES", "FOCUSED_RETRAINING_EVERY_PAGES"),
    ],
)
def test_a_setting_that_was_renamed_is_refused_with_its_new_name(settings, old, new, tmp_path):
    hand_made.topic("old", settings={old: 1}).save(tmp_path)
    topic = settings.copy()
    topic.set("FOCUSED_MODELS_DIR", str(tmp_path), priority="cmdline")
    settings.set(old, "1", priority="cmdline")
    for name, each in (("stars", settings), ("old", topic)):
        with pytest.raises(PlanError, match=rf"^{old} is called {new} now\. Use the new name\."):
            plan_crawl({"topic": name}, each)


def test_a_former_name_with_an_unknown_rest_is_given_no_name_that_does_not_exist(settings):
    settings.set("FOCUSED_ADAPTATION_NIX", "1", priority="cmdline")
    with pytest.raises(PlanError, match=r"^Unknown setting 'FOCUSED_ADAPTATION_NIX'\.") as refusal:
        plan_crawl({"topic": "stars"}, settings)
    assert set(re.findall(r"FOCUSED_\w+", str(refusal.value))) - {"FOCUSED_ADAPTATION_NIX"} <= set(DECLARED)


def test_of_a_topics_settings_only_the_allowed_are_used():
    topic = hand_made.topic(strategy="slc", settings={"DOWNLOAD_DELAY": 2, "ITEM_PIPELINES": {"os.system": 1}})
    assert topic_settings(topic) == {"FOCUSED_STRATEGY": "slc", "DOWNLOAD_DELAY": 2}


@pytest.mark.parametrize(
    "value",
    [
        "http://a.example/,http://b.example/x?y=1,2",
        "http://a.example/ http://b.example/x?y=1,2",
        " http://a.example/ ,\n http://b.example/x?y=1,2 ,",
    ],
)
def test_seeds_are_separated_by_commas_or_white_space(value):
    assert read_seeds(value) == ["http://a.example/", "http://b.example/x?y=1,2"]


def test_seeds_are_made_safe_and_each_is_asked_for_once():
    seeds = ["http://a.example/b c", "http://a.example/b%20c", "http://a.example/#x", "http://a.example/"]
    assert check_seeds(seeds, "a test") == ["http://a.example/b%20c", "http://a.example/"]


@pytest.mark.parametrize(
    ("value", "meant"),
    [
        ("www.stars.example", "http://www.stars.example/"),
        ("https:/stars.example/a?b", "https://stars.example/a?b"),
        ("stars.org:8080/x, http://b.example/", "http://stars.org:8080/x,http://b.example/"),
        ("http://a.example/,www.b.example", "http://a.example/,http://www.b.example/"),
    ],
)
def test_seeds_without_http_are_refused_with_the_argument_that_is_meant(value, meant):
    with pytest.raises(PlanError, match=r"Did you mean") as error:
        check_seeds(read_seeds(value), "a test", "-a seeds=")
    assert f"-a seeds={meant}?" in str(error.value)
    assert check_seeds(read_seeds(meant), "a test")


@pytest.mark.parametrize("value", ["seeds.txt", "stars", "urls/of/today.lst"])
def test_what_may_be_the_name_of_a_file_is_not_taken_for_a_host(value):
    with pytest.raises(PlanError, match="which is neither") as error:
        read_seeds(value)
    assert "Did you mean" not in str(error.value)


def test_a_host_among_the_seeds_of_a_file_or_a_topic_is_refused_with_its_url(tmp_path):
    path = tmp_path / "seeds.txt"
    path.write_text("http://a.example/\nwww.b.example\n")
    with pytest.raises(PlanError, match=r"Got 'www\.b\.example' from a file\. Did you mean http://www\.b\.example/\?"):
        check_seeds(read_seeds(str(path)), "a file")


@pytest.mark.parametrize("seed", ["http://me:secret@a.example/x", "https://secret@a.example"])
def test_a_seed_with_a_user_is_refused_in_one_line_that_does_not_tell_the_password(seed):
    with pytest.raises(PlanError, match="must not name a user or a password") as error:
        check_seeds(read_seeds(f"http://b.example/,{seed}"), "a test", "-a seeds=")
    assert "secret" not in str(error.value)
    assert "a.example" in str(error.value)
    assert "\n" not in str(error.value)


FRONTIER_LIMITS = ["FOCUSED_FRONTIER_MAX_LINKS", "FOCUSED_FRONTIER_MAX_PER_HOST", "FOCUSED_FRONTIER_MAX_TUNNEL"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *((name, value) for name in FRONTIER_LIMITS for value in ("abc", "1.5", "1e6", "", "-1", "none")),
        *(("FOCUSED_FRONTIER_HOST_SINK", value) for value in ("abc", "nan", "inf", "-0.1", "")),
        *(("FOCUSED_MERGE_EVIDENCE", value) for value in ("2", "", "yes", None)),
        *(
            ("SCHEDULER", value)
            for value in ("a.class.that.is.not.there", "focused.crawl.planning.NoSuchClass", "", "x", None)
        ),
        ("SCHEDULER", "focused.crawl.planning.CrawlPlan"),  # no scheduler
        ("ITEM_PROCESSOR", "scrapy.pipelines.ItemPipelineManager"),  # links would never reach the frontier
    ],
)
def test_a_bad_setting_of_the_frontier_is_refused_before_anything_is_written(settings, tmp_path, name, value):
    settings.set(name, value, priority="cmdline")
    with pytest.raises(ValueError, match=f"^{name} must be .* Got ") as error:
        plan_crawl({"topic": "stars", "run_dir": str(tmp_path / "run")}, settings)
    assert repr(value) in str(error.value)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    "good",
    [
        {**dict.fromkeys(FRONTIER_LIMITS, "0"), "FOCUSED_FRONTIER_HOST_SINK": "0.5", "FOCUSED_MERGE_EVIDENCE": "false"},
        {**dict.fromkeys(FRONTIER_LIMITS, 7), "FOCUSED_FRONTIER_HOST_SINK": 2, "FOCUSED_MERGE_EVIDENCE": True},
        {"SCHEDULER": "scrapy.core.scheduler.Scheduler"},
        {"SCHEDULER": FrontierScheduler},
    ],
)
def test_good_settings_of_the_frontier_are_taken(settings, good):
    settings.setdict(good, priority="cmdline")
    assert plan_crawl({"topic": "stars"}, settings).topic.name == "stars"


def files(folder) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_folder_in_which_a_crawl_is_at_work_is_refused_and_left_as_it_is(settings, tmp_path):
    run_dir = tmp_path / "run"
    run_dir.mkdir()
    (run_dir / "run.json").write_text("{}")
    held = lock(run_dir / FRONTIER_FILE)
    before = files(run_dir)
    with pytest.raises(FrontierFileError, match="Another crawl is at work in"):
        plan_crawl({"topic": "stars", "run_dir": str(run_dir)}, settings)
    assert files(run_dir) == before
    held.close()
    plan_crawl({"topic": "stars", "run_dir": str(run_dir)}, settings)


def test_a_look_whether_a_crawl_is_at_work_keeps_none_out(tmp_path, monkeypatch):
    monkeypatch.setattr(frontier_schema, "LOCK_SECS", 60.0)  # the look below may last longer on a busy machine
    path = tmp_path / FRONTIER_FILE
    lock(path).close()
    with path.with_name(f"{path.name}.lock").open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        threading.Timer(0.1, fcntl.flock, (file, fcntl.LOCK_UN)).start()
        lock(path).close()


def test_a_plan_keeps_others_out_until_its_own_frontier_is_closed(settings, tmp_path):
    (tmp_path / "run").mkdir()
    for _ in range(2):  # the command plans, then the spider does
        plan_crawl({"topic": "stars", "run_dir": str(tmp_path / "run")}, settings)
    path = tmp_path / "run" / FRONTIER_FILE
    store = FrontierStore(path)
    with pytest.raises(FrontierFileError, match="Another crawl is at work in"):
        lock(path)
    store.close()
    lock(path).close()


@pytest.mark.parametrize(
    "scheduler", ["scrapy.core.scheduler.Scheduler", "focused.frontier.budget_scheduler.BudgetScheduler"]
)
@pytest.mark.parametrize("left", ["pages.jsonl", "fetched.csv", FRONTIER_FILE])
def test_scrapys_schedulers_are_refused_where_a_crawl_was(settings, tmp_path, scheduler, left):
    run_dir = tmp_path / "run"
    run_dir.mkdir()
    (run_dir / left).write_text("a line\n")
    settings.set("SCHEDULER", scheduler, priority="cmdline")
    with pytest.raises(FrontierFileError, match=r"holds an earlier crawl.* -a run_dir=PATH"):
        plan_crawl({"topic": "stars", "run_dir": str(run_dir)}, settings)
    assert files(run_dir) == {left: b"a line\n"}
    # From JOBDIR they go on as they always have, but not among the files that a frontier counts.
    settings.set("JOBDIR", str(tmp_path / "job"), priority="cmdline")
    if left == FRONTIER_FILE:
        with pytest.raises(FrontierFileError, match="holds an earlier crawl"):
            plan_crawl({"topic": "stars", "run_dir": str(run_dir)}, settings)
    else:
        plan_crawl({"topic": "stars", "run_dir": str(run_dir)}, settings)


@pytest.mark.parametrize("starts", [1, 2])
def test_a_crawl_of_scrapys_scheduler_that_was_killed_is_refused_and_one_that_ended_goes_on(settings, tmp_path, starts):
    run_dir, job_dir = tmp_path / "run", tmp_path / "job"
    (job_dir / "requests.queue").mkdir(parents=True)
    run_dir.mkdir()
    (job_dir / "requests.seen").write_text("ab\ncd\n")
    (run_dir / "harvest.csv").write_text("pages,frontier\n10,9\n20,7\n")
    (run_dir / "run.json").write_text('{"finish_reason": "running"}')
    settings.set("SCHEDULER", "scrapy.core.scheduler.Scheduler", priority="cmdline")
    settings.set("JOBDIR", str(job_dir), priority="cmdline")
    if starts == 2:  # the first one ended in order, so its queues have names
        (job_dir / "requests.queue" / "active.json").write_text("[-1000]")
    with pytest.raises(FrontierFileError, match=r"was killed.* After 20 pages 7 links waited, and are lost"):
        plan_crawl({"topic": "stars", "run_dir": str(run_dir)}, settings)
    (run_dir / "run.json").write_text('{"finish_reason": "shutdown"}')
    (job_dir / "requests.queue" / "active.json").write_text("[-1000]")
    plan_crawl({"topic": "stars", "run_dir": str(run_dir)}, settings)


@pytest.mark.parametrize("left", ["pages.jsonl", "fetched.csv", "pages.warc.gz", "requests.seen"])
def test_the_default_scheduler_does_not_begin_at_zero_where_another_crawl_was(settings, tmp_path, left):
    run_dir = tmp_path / "run"
    run_dir.mkdir()
    (run_dir / left).write_text("a line\n")
    what = (
        "the queue of a crawl with a scheduler of Scrapy's" if left == "requests.seen" else "pages of an earlier crawl"
    )
    with pytest.raises(FrontierFileError, match=rf"holds {what}.* -a run_dir=PATH"):
        plan_crawl({"topic": "stars", "run_dir": str(run_dir)}, settings)
    assert files(run_dir) == {left: b"a line\n"}


def test_a_crawl_whose_frontier_is_elsewhere_is_not_begun_again(settings, tmp_path):
    run_dir, job_dir = tmp_path / "run", tmp_path / "job"
    run_dir.mkdir()
    job_dir.mkdir()
    store = FrontierStore(job_dir / FRONTIER_FILE)
    store.commit(home=make_home(job_dir, run_dir), topic="stars")
    store.close()
    (run_dir / "fetched.csv").write_text("a line\n")
    with pytest.raises(FrontierFileError, match=r"lies in another folder.* -s JOBDIR=PATH"):
        plan_crawl({"topic": "stars", "run_dir": str(run_dir)}, settings)
    settings.set("JOBDIR", str(job_dir), priority="cmdline")
    assert plan_crawl({"topic": "stars", "run_dir": str(run_dir)}, settings).run_dir == run_dir


def test_a_crawl_of_another_demo_web_is_refused(settings, tmp_path):
    arguments = {"topic": "stars", "web": "demo", "run_dir": str(tmp_path / "run")}
    plan = plan_crawl(arguments, settings)
    store = FrontierStore(plan.run_dir / FRONTIER_FILE)
    store.commit(topic="stars", web="demo", web_options=plan.web_options)
    store.close()
    plan_crawl(arguments, settings)
    settings.set("FOCUSED_DEMO_SEED", "7", priority="cmdline")
    with pytest.raises(FrontierFileError, match="another demo web: FOCUSED_DEMO_SEED was 0, now it is 7"):
        plan_crawl(arguments, settings)


def test_a_frontier_knows_the_files_that_it_counts_wherever_they_are_moved(tmp_path):
    run, job, other, moved = (tmp_path / name for name in ("run", "job", "other", "moved"))
    for folder in (run, job, other):
        folder.mkdir()
    # The frontier in the run directory: all of it is moved at once.
    inside = {"home": make_home(run, run)}
    assert is_home(moved, moved, inside)
    assert not is_home(job, run, inside)
    # Two places: a name in both.
    outside = {"home": make_home(job, run)}
    assert is_home(job, run, outside)
    assert make_home(job, run) == outside["home"]
    assert not is_home(job, other, outside)
    assert not is_home(job, job, outside)
    run.rename(moved)
    assert is_home(job, moved, outside)
    # Of crawls before there were names the path is known.
    assert is_home(job, run, {"home": None, "run_dir": str(run)})
    assert not is_home(job, other, {"home": None, "run_dir": str(run)})
    assert is_home(other, other, {"home": None, "run_dir": str(run)})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"deny": "private"}, "Spider argument 'deny' must hold domains such as"),
        ({"languages": "english"}, "Spider argument 'languages' must hold codes of languages such as en or de"),
        ({"languages": "de"}, "Spider argument 'languages' must hold en: the model of topic 'stars' knows words of"),
        ({"max_depth": "deep"}, "Spider argument 'max_depth' must be a whole number of at least 0. Got 'deep'."),
        (
            {"max_pages_per_domain": "-1"},
            "Spider argument 'max_pages_per_domain' must be a whole number of at least 0.",
        ),
    ],
)
def test_a_scope_that_cannot_be_meant_is_refused(settings, arguments, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        plan_crawl({"topic": "stars", **arguments}, settings)


def test_what_scrapys_schedulers_do_not_count_is_refused_there(settings):
    settings.set("SCHEDULER", "scrapy.core.scheduler.Scheduler", "cmdline")
    assert plan_crawl({"topic": "stars", "max_depth": "3", "allow": "site.example"}, settings).scope.max_depth == 3
    with pytest.raises(PlanError, match=r"^max_pages_per_domain needs the project's frontier\."):
        plan_crawl({"topic": "stars", "max_pages_per_domain": "3"}, settings)


def test_a_scope_comes_from_the_argument_else_the_command_line_else_the_topic_else_the_project(
    settings, models, tmp_path
):
    toml = tmp_path / "models" / "stars" / "topic.toml"
    shutil.copytree(models, tmp_path / "models")
    table = '[scope]\nallow = ["site.example", "/stars/"]\nlanguages = "en"\nmax_depth = 7\nmax_pages_per_host = 9\n'
    toml.write_text(f"{toml.read_text()}\n{table}")
    settings.set("FOCUSED_MODELS_DIR", str(tmp_path / "models"), "project")
    settings.set("FOCUSED_SCOPE_DENY", "/private/", "project")
    settings.set("DEPTH_LIMIT", "5", "cmdline")
    plan = plan_crawl({"topic": "stars", "max_pages_per_host": "3", "max_pages_per_domain": "4"}, settings)
    limits = {"max_depth": 5, "max_pages_per_host": 3, "max_pages_per_domain": 4}
    assert plan.scope == Scope(allow=("site.example", "/stars/"), deny=("/private/",), languages=("en",), **limits)
    assert plan.judge.languages == ("en",)
    # What components read, and what a retrained model's judge is made by.
    found = plan.settings | plan.decided
    assert found["FOCUSED_SCOPE_LANGUAGES"] == "en"
    assert (found["FOCUSED_FRONTIER_MAX_PER_HOST"], found["FOCUSED_FRONTIER_MAX_PER_DOMAIN"]) == (3, 4)
    topic = load_topic("stars", tmp_path / "models")
    topic.save(tmp_path / "again")
    assert read_topic_file("stars", tmp_path / "again").scope == topic.scope
    toml.write_text(toml.read_text().replace('"/stars/"', '"stars"'))
    with pytest.raises(ValueError, match=r"^allow in \[scope\] of .*topic\.toml must hold domains"):
        plan_crawl({"topic": "stars"}, settings)


@pytest.mark.parametrize(
    "slot", [{"delay": 1e300}, {"delay": "soon"}, {"concurrency": 0}, {"jitter": 2}, {"delay": float("nan")}]
)
def test_what_is_said_of_single_hosts_is_checked_as_what_is_said_of_all(slot):
    settings = Settings({"DOWNLOAD_SLOTS": {"h.example": slot}})
    with pytest.raises(ValueError, match=f"{next(iter(slot))} of h.example in DOWNLOAD_SLOTS must be"):
        check_values(settings)
