"""Links that are about the page that they stand on: to print it, to answer it, its history."""

from __future__ import annotations

from focused.frontier.credit import Credit
from focused.frontier.idle_parameters import IdleParameters
from focused.frontier.links_about_their_page import LinksAboutTheirPage
from focused.frontier.mirrors import Mirrors
from focused.frontier.one_title import OneTitle
from focused.frontier.stood_back_words import stood_back
from focused.method.scoring.priority import LEVELS
from focused.utils.about_page import is_about_its_page

HOST = "http://h.example"
KINDS = ("print", "answer", "share")


def crawled(*, newness: float) -> Credit:
    """Threads that bring what is new, and pages of some kinds about each of them, which bring so much."""
    credit = Credit()
    for number in range(20):
        page = f"{HOST}/t/{number}"
        credit.add_page(page, "", f"{HOST}/t/{number // 2}", True)
        credit.add_page(f"{HOST}/t/{100 + number}", "", f"{HOST}/t/{number // 2}", True)
        credit.add_page(f"{HOST}/{KINDS[number % 3]}/{number}", "", page, False, newness)
    return credit


def test_the_first_page_of_a_kind_stands_back_where_other_pages_about_their_pages_bring_nothing():
    credit = crawled(newness=0.0)
    assert credit.link_levels(f"{HOST}/quote/7", f"{HOST}/t/7") >= LEVELS / 5
    assert credit.link_levels(f"{HOST}/t/7?page=2", f"{HOST}/t/7") >= LEVELS / 10
    # It is found out, all the same, before links that promise little.
    assert credit.link_levels(f"{HOST}/quote/7", f"{HOST}/t/7") < LEVELS / 2


def test_other_links_do_not_stand_back_for_what_pages_about_their_pages_bring():
    credit = crawled(newness=0.0)
    groups_only = credit.link_levels(f"{HOST}/t/77", "")
    assert credit.link_levels(f"{HOST}/t/77", f"{HOST}/t/7") == groups_only
    assert credit.link_levels("http://i.example/quote/7", "http://i.example/t/7") == 0


def test_where_pages_about_their_pages_are_new_no_kind_of_them_stands_back():
    credit = crawled(newness=1.0)
    assert credit.link_levels(f"{HOST}/t/7?page=2", f"{HOST}/t/7") == 0


def test_a_kind_that_brings_what_is_new_stands_back_less_with_each_page():
    credit = crawled(newness=0.0)
    found = [credit.link_levels(f"{HOST}/notes/9", f"{HOST}/t/9")]
    for number in range(8):
        credit.add_page(f"{HOST}/notes/{number}", "", f"{HOST}/t/{number}", True)
        found.append(credit.link_levels(f"{HOST}/notes/9", f"{HOST}/t/9"))
    assert found[-1] < found[0] / 3


def test_hosts_that_nobody_remembers_cost_no_memory():
    about = LinksAboutTheirPage()
    for number in range(21_000):
        about.add_page(f"http://h{number}.example/print/7", f"http://h{number}.example/t/7", 0.0)
    assert len(about.hosts()) == 20_000


def test_a_page_is_called_by_its_name_as_a_whole():
    page = f"{HOST}/t/7"
    assert is_about_its_page(f"{HOST}/log-in?return=%2Ft%2F7", page)
    assert not is_about_its_page(f"{HOST}/print/77", page)
    assert not is_about_its_page(f"{HOST}/other", f"{HOST}/")
    assert not is_about_its_page("http://i.example/print/7", page)
    assert not is_about_its_page(page, "")
    assert not is_about_its_page("http://[/7", page)


def test_the_last_lines_say_that_pages_about_their_pages_stood_back():
    credit = crawled(newness=0.0)
    words = stood_back(credit, IdleParameters(), Mirrors(), OneTitle())
    assert any("h.example (pages about another page" in each for each in words)
