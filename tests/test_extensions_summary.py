"""What the log says of a crawl when it ends: causes, what helps, and which of its runs a count belongs to."""

from __future__ import annotations

import pytest
from commands import crawl, environment, scrapy
from sites import Reply, Site
from test_crawl_live import FAST
from test_frontier_credit import crawled, honest
from test_frontier_mirrors import mirrored

from focused.crawl.run_history import last_estimate
from focused.frontier.dispatch import PASSED_OVER, PASSED_OVER_LEVELS, about_passed_over
from focused.frontier.idle_parameters import IdleParameters
from focused.frontier.one_title import OneTitle
from focused.frontier.stood_back_words import stood_back
from focused.utils.files import write_json


@pytest.mark.parametrize(
    ("options", "delay"),
    [
        ({}, "(DOWNLOAD_DELAY, DOWNLOAD_SLOTS)"),
        ({"is_virtual": True}, "(FOCUSED_VIRTUAL_DELAY_SECS)"),
        ({"has_delays": False}, ""),
    ],
)
def test_of_links_that_were_passed_over_only_what_is_known_is_said(options, delay):
    """More patience is not advised: in a crawl of 200 pages it found no more (157 relevant without, 151, 153 with most)."""
    said = about_passed_over({PASSED_OVER: 40, PASSED_OVER_LEVELS: 6000, "scheduler/dequeued": 100}, **options)
    assert said.endswith(delay or "in the mean)")
    assert not any(word in said for word in ("PATIENCE", "lost", "budget", "max_pages"))


def test_counts_of_earlier_runs_are_told_from_those_of_a_resumed_one(models, two_regions, tmp_path):
    arguments = {"web": two_regions, "strategy": "best_first", "max_pages": 4}
    first = crawl(models, tmp_path, **arguments, deny="/food/")
    [line] = [line for line in first.err.splitlines() if "out of scope: denied" in line]
    assert "resumed" not in line
    again = crawl(models, tmp_path, **arguments)
    [line] = [line for line in again.err.splitlines() if "out of scope: denied" in line]
    assert line.endswith("denied; 0 of them since the crawl was resumed")
    assert (
        "The limit of 4 pages, which counts all runs of this crawl, is reached. To continue, give a larger one: -a max_pages=N"
        in again.err
    )


def test_what_stood_back_is_named_with_why_and_nothing_else_is():
    farm = [(f"http://s{n}.farm.example/", "", "http://www.site1.example/", True) for n in range(120)]
    copies = [(f"http://www.h.example/events/{n}/x", "http://h.example/", "http://h.example/", False) for n in range(9)]
    poor = [(f"http://poor.example/{n}/x", "", "http://www.site1.example/", False) for n in range(60)]
    idle = IdleParameters()
    idle.of_host["f.example"] = frozenset({"sid"})
    found = stood_back(crawled([*honest(120), *farm, *copies, *poor]), idle, mirrored(4), OneTitle())
    names = [words.partition(" (")[0] for words in found]
    assert names == ["farm.example", "poor.example", "h.example", "mirror.example", "parameter sid of f.example"]
    assert "120 pages: more than its share" in found[0]
    assert "0 relevant of 60 pages" in found[1]
    assert "100% of what its last pages say was known" in found[2]
    assert found[3].endswith("(mirror of first.example)")
    assert stood_back(crawled(honest(300)), IdleParameters(), mirrored(2), OneTitle()) == []


def test_a_place_whose_pages_have_one_title_is_named_once_its_links_stand_half_a_scale_back():
    one_title = OneTitle()
    for number in range(40):
        one_title.add_page(f"http://h.example/s/{number}", 100 + number, "", 1.0, is_copy=False)
        one_title.add_page(f"http://h.example/old/{number}", 7, "", 0.0, is_copy=False)
    [said] = stood_back(crawled(honest(300)), IdleParameters(), mirrored(2), one_title)
    assert said == "h.example/old/ (its last pages have one title, and brought little)"


def test_a_crawl_whose_seeds_may_not_be_asked_is_refused_before_its_first_request(models, tmp_path):
    (tmp_path / "seeds.txt").write_text("http://10.0.0.1/\nhttp://127.0.0.1:9/\n")
    done = crawl(models, tmp_path, seeds="seeds.txt", settings=FAST)
    assert done.exit_code == 1
    [line] = done.err.splitlines()
    assert line.startswith("Error: No seed is asked: http://10.0.0.1/ is not, nor is the other, for addresses")
    assert "-a seeds=URL" in line
    assert not (tmp_path / "run" / "run.json").exists()


def test_a_crawl_that_may_ask_no_seed_fails_and_says_why_without_names_of_classes(models, tmp_path):
    with Site({"/": Reply(b"", 302, {"Location": "http://10.0.0.9/"})}) as site:
        done = crawl(models, tmp_path, seeds=f"{site.url}/", settings=FAST)
    assert done.exit_code == 1
    assert "ERROR: No seed is asked" in done.err
    assert "x address that may not be asked (FOCUSED_PRIVATE_ADDRESSES)" in done.err
    assert "AddressRefusedError" not in done.err


def test_an_ipv6_address_is_asked_with_scrapy_s_default_resolver(models, tmp_path):
    with Site({"/": b"<p>A star, a planet and a nebula."}, "::1") as site:
        done = crawl(models, tmp_path, seeds=f"{site.url}/", settings=FAST)
        shown = scrapy("frontier", "run", cwd=tmp_path, env=environment(models)).out
    assert done.exit_code == 0, done.err
    assert done.stats["focused/pages/fetched_count"] == 1
    assert shown.rstrip().endswith(f"::1:{site.url.rpartition(':')[2]}")


def test_the_estimate_of_an_ended_run_is_taken_up_only_if_it_is_of_all_pages(tmp_path):
    path, harvest = tmp_path / "run.json", {"is_known": True, "share": 0.4, "low": 0.3, "high": 0.5}
    write_json(path, {"stats": {"focused/pages/fetched_count": 40}, "harvest": harvest})
    assert last_estimate(path, 40) == (0.4, 0.3, 0.5)
    assert last_estimate(path, 41) is None
    for wrong in ({"is_known": False}, harvest | {"low": 0.6}, harvest | {"share": "x"}, []):
        write_json(path, {"stats": {"focused/pages/fetched_count": 40}, "harvest": wrong})
        assert last_estimate(path, 40) is None
