"""Which addresses a crawl may ask: what counts as named by the person who crawls."""

from __future__ import annotations

from contextlib import suppress

import hand_made
import pytest
from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.settings import Settings
from scrapy.utils.test import get_crawler

from focused import settings as project
from focused.crawl.planning import plan_crawl
from focused.crawl.private_addresses import PrivateAddresses
from focused.frontier.dispatch import about_passed_over, count_passed_over
from focused.middlewares.addresses import AddressMiddleware

SITE, OTHER = "http://127.0.0.1:8000/", "http://127.0.0.1:8001/"
NAMED = "http://wiki.test:8000/"


@pytest.fixture
def settings(models, tmp_path) -> Settings:
    found = Settings()
    found.setmodule(project, priority="project")
    found.setdict({"FOCUSED_MODELS_DIR": str(models), "FOCUSED_RUNS_DIR": str(tmp_path / "runs")}, priority="project")
    return found


def test_a_seed_s_host_and_port_are_asked_and_no_other_port():
    addresses = PrivateAddresses("seeds", [SITE])
    assert addresses.kind_of_url(SITE + "x") == addresses.kind_at("127.0.0.1", 8000, "127.0.0.1") == ""
    assert addresses.kind_of_url(OTHER) == addresses.kind_at("127.0.0.1", 8001, "127.0.0.1") == "loopback"
    assert addresses.kind_of_url("http://localhost:8000/") == "loopback"  # one port, another host


def test_no_host_is_asked_that_is_not_public_if_all_are_refused_and_each_if_all_are_allowed():
    for mode, kind in (("refuse", "loopback"), ("allow", "")):
        addresses = PrivateAddresses(mode, [SITE])
        assert addresses.kind_of_url(SITE) == addresses.kind_at("127.0.0.1", 8000, "127.0.0.1") == kind


def test_a_seed_s_name_that_is_private_at_the_first_look_is_a_host_of_the_network():
    addresses = PrivateAddresses("seeds", [NAMED])
    assert [addresses.kind_at("wiki.test", 8000, address) for address in ("10.0.0.9", "10.0.0.8", "93.184.215.14")] == [
        ""
    ] * 3
    assert addresses.kind_at("wiki.test", 8001, "10.0.0.9") == "private"


def test_a_seed_s_name_that_is_public_at_the_first_look_is_never_this_machine():
    addresses = PrivateAddresses("seeds", [NAMED])
    assert [addresses.kind_at("wiki.test", 8000, address) for address in ("93.184.215.14", "127.0.0.1")] == [
        "",
        "loopback",
    ]


def test_no_seed_s_name_stands_for_metadata_but_its_number_does():
    addresses = PrivateAddresses("seeds", [NAMED, "http://169.254.169.254/latest/"])
    assert addresses.kind_at("wiki.test", 8000, "169.254.169.254") == "metadata"
    assert addresses.kind_at("169.254.169.254", 80, "169.254.169.254") == ""


def test_only_seeds_on_the_command_line_are_named(models, tmp_path, settings):
    (tmp_path / "seeds.txt").write_text(f"{SITE}\nhttp://h.org/\n")
    (tmp_path / "topics").mkdir()
    hand_made.topic("local", seeds=[SITE, "http://h.org/"]).save(tmp_path / "topics")
    of_topic = settings.copy()
    of_topic.set("FOCUSED_MODELS_DIR", str(tmp_path / "topics"), priority="cmdline")
    on_server = settings.copy()
    on_server.set("FOCUSED_WEBS_DIR", str(tmp_path), priority="project")
    plans = {
        "command line": plan_crawl({"topic": "stars", "seeds": f"{SITE},http://h.org/"}, settings),
        "file": plan_crawl({"topic": "stars", "seeds": str(tmp_path / "seeds.txt")}, settings),
        "topic": plan_crawl({"topic": "local"}, of_topic),
        "Scrapyd": plan_crawl({"topic": "stars", "seeds": f"{SITE},http://h.org/", "_job": "1"}, on_server),
        "recorded web": plan_crawl({"topic": "stars", "seeds": SITE, "web": "demo"}, settings),
    }
    allowed = {how for how, plan in plans.items() if not plan.addresses.kind_of_url(SITE)}
    assert allowed == {"command line", "recorded web"}


@pytest.mark.parametrize(
    ("by", "said"), [("topic", "A topic may not set"), ("client", "cannot be set by a client of Scrapyd")]
)
def test_neither_a_topic_nor_a_client_of_scrapyd_opens_the_network(models, tmp_path, settings, by, said):
    name, arguments = "FOCUSED_PRIVATE_ADDRESSES", {"topic": "stars"}
    if by == "topic":
        hand_made.topic(settings={name: "allow"}).save(tmp_path)
        settings.set("FOCUSED_MODELS_DIR", str(tmp_path), priority="cmdline")
    else:
        settings.set(name, "allow", priority="cmdline")
        arguments["_job"] = "1"
    with pytest.raises(ValueError, match=f"{said}|{name} {said}"):
        plan_crawl(arguments, settings)


def test_a_request_that_is_never_sent_counts_neither_among_the_requests_nor_among_those_for_lower_links():
    crawler = get_crawler()
    middleware = AddressMiddleware(crawler)

    def ask(url: str, **meta: object) -> None:
        request = Request(url, meta=meta)
        if not meta:
            crawler.stats.inc_value("scheduler/dequeued")
            count_passed_over(crawler.stats, request, 150)
        with suppress(IgnoreRequest):
            middleware.process_request(request)

    for number in range(30):
        ask(f"http://h{number}.example/")
        ask(f"http://10.0.0.{number}/")
        ask(f"http://10.0.0.{number}/robots.txt", dont_obey_robotstxt=True)
    stats = crawler.stats.get_stats()
    assert stats["focused/addresses/refused_count"] == 60
    assert stats["focused/frontier/not_sent_count"] == 30
    assert about_passed_over(stats).startswith("30 of 30 requests were for links of lower scores")
    assert "(by 0.15 of score in the mean)" in about_passed_over(stats)
