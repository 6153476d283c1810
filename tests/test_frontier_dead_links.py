"""Links whose group keeps leading to no page."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from scrapy.settings import Settings
from test_frontier_sinking import a_sinking

from focused.frontier import opening
from focused.frontier.dead_links import DeadLinks
from focused.frontier.stood_back_words import dead_links_in_words
from focused.frontier.url_groups import groups_of
from focused.method.scoring.priority import to_priority

HOST = "http://h.example"


def ended(*links, n_before: float = 0.0) -> DeadLinks:
    """Links as (URL, whether it led to a page)."""
    dead_links = DeadLinks()
    for url, is_page in links:
        if is_page:
            dead_links.add_page(url)
        else:
            dead_links.add_dead(url, lambda group: n_before)
    return dead_links


def test_a_folder_of_errors_sinks_behind_what_a_strategy_puts_off_and_its_host_does_not():
    sinking = a_sinking()
    sinking.restore((f"{HOST}/item/{n}", "", "", True, b"") for n in range(20))
    for number in range(40):
        sinking.note_dead(f"{HOST}/old/{number}")
    levels = sinking.store.standing_back.link_levels
    assert to_priority(1.0, admitted=True) - levels(f"{HOST}/old/77", "") < to_priority(0.1, admitted=False)
    assert levels(f"{HOST}/item/77", "") == levels(f"{HOST}/news/1", "") == 0
    assert sinking.store.standing_back.host_levels("h.example") == 0


def test_a_folder_half_of_whose_links_lead_to_pages_does_not_stand_back():
    halves = ended(*((f"{HOST}/files/{n}", n % 2 == 0) for n in range(1, 60)))
    assert halves.shortfall(f"{HOST}/files/77") == pytest.approx(0, abs=0.05)


def test_two_errors_condemn_no_folder_and_a_few_more_do_so_step_by_step():
    falls = [
        ended(*((f"{HOST}/old/{n}", False) for n in range(count))).shortfall(f"{HOST}/old/9") for count in range(9)
    ]
    assert falls[:3] == [0, 0, pytest.approx(0, abs=0.02)]
    assert falls[2] < falls[3] < falls[5] < falls[8] < 0.8


def test_one_error_says_little_of_a_folder_that_has_had_many_pages():
    assert ended((f"{HOST}/item/1", False), n_before=30).shortfall(f"{HOST}/item/2") == 0


def test_a_folder_that_leads_to_pages_again_rises():
    dead_links = ended(*((f"{HOST}/a/{n}", False) for n in range(20)))
    low = dead_links.shortfall(f"{HOST}/a/x")
    for number in range(30):
        dead_links.add_page(f"{HOST}/a/{number}")
    assert dead_links.shortfall(f"{HOST}/a/x") == 0 < low


def test_a_parameter_whose_links_are_gone_sinks_and_one_of_the_same_path_that_leads_to_pages_does_not():
    links = [(f"{HOST}/show?{name}={n}", name == "page") for n in range(20) for name in ("item", "page")]
    dead_links = ended(*links)
    assert dead_links.shortfall(f"{HOST}/show?item=77") > 0.7
    assert dead_links.shortfall(f"{HOST}/show?page=77") < 0.05


def test_the_words_name_the_widest_folder_and_leave_out_those_that_lead_to_pages():
    links = [(f"{HOST}/old/{word}-{n}", False) for n in range(9) for word in ("sun", "moon")]
    dead_links = ended(*links, *((f"{HOST}/files/{n}", n % 2 == 0) for n in range(20)))
    assert dead_links_in_words(dead_links) == ["h.example/old/ (100% of its last links led to no page)"]


def test_memory_is_bounded(monkeypatch):
    monkeypatch.setattr("focused.frontier.dead_links._MAX_GROUPS", 10)
    dead_links = ended(*((f"http://h{n}.example/a/", False) for n in range(100)))
    assert len(dead_links.groups()) == 10
    assert groups_of("http://h99.example/a/")[-1] in {group for group, _, _ in dead_links.groups()}


@pytest.mark.parametrize(("web", "learns"), [("live", True), ("hostile", True), ("web.warc.gz", False)])
def test_what_a_recorded_web_lacks_says_nothing_of_a_folder(monkeypatch, web, learns):
    crawler = SimpleNamespace(settings=Settings({"FOCUSED_TRAPS": "on"}), stats=None)
    monkeypatch.setattr(opening, "crawl_of", lambda crawler: SimpleNamespace(task=SimpleNamespace(web=web)))
    store = SimpleNamespace(standing_back=SimpleNamespace(n_sunk=0), texts=lambda most: None)
    sinking = opening.open_outcomes(store, SimpleNamespace(), None, crawler).sinking
    for number in range(20):
        sinking.note_dead(f"{HOST}/old/{number}")
    assert (store.standing_back.link_levels(f"{HOST}/old/77", "") > 0) == learns
