from __future__ import annotations

import hand_made
import pytest
from scrapy.settings import Settings

from focused import settings as project
from focused.arguments import PlanError, check_seeds, read_seeds
from focused.plan import plan_crawl, signed, topic_settings


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
    assert plan.settings == {"DOWNLOAD_DELAY": 0, "AUTOTHROTTLE_ENABLED": False, "CONCURRENT_REQUESTS_PER_DOMAIN": 16}
    assert set(plan.decided["DOWNLOAD_HANDLERS"]) == {"http", "https"}
    live = plan_crawl({"topic": "stars"}, settings)
    assert live.settings == {}
    assert "DOWNLOAD_HANDLERS" not in live.decided


def test_a_topic_does_not_slow_down_a_web_on_this_machine(settings, two_regions, tmp_path):
    hand_made.topic("slow", settings={"DOWNLOAD_DELAY": 5, "DEPTH_LIMIT": 3}).save(tmp_path)
    settings.set("FOCUSED_MODELS_DIR", str(tmp_path), priority="cmdline")
    assert plan_crawl({"topic": "slow"}, settings).settings == {"DOWNLOAD_DELAY": 5, "DEPTH_LIMIT": 3}
    offline = plan_crawl({"topic": "slow", "web": str(two_regions)}, settings)
    assert (offline.settings["DOWNLOAD_DELAY"], offline.settings["DEPTH_LIMIT"]) == (0, 3)


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
    found = signed(Settings({"USER_AGENT": agent, "FOCUSED_CONTACT": contact}))
    assert found.get("USER_AGENT") == signed_agent


def test_a_contact_cannot_add_headers():
    with pytest.raises(PlanError, match="FOCUSED_CONTACT"):
        signed(Settings({"USER_AGENT": "x", "FOCUSED_CONTACT": "a\r\nCookie: b"}))


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
