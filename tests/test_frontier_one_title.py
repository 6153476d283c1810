from __future__ import annotations

from focused.frontier.one_title import OneTitle
from focused.method.scoring.priority import LEVELS

ONE = 7


def crawled(pages) -> OneTitle:
    """Pages as (URL, title, referrer, gain)."""
    found = OneTitle()
    for page in pages:
        found.add_page(*page, is_copy=False)
    return found


def stories(n: int):
    """Pages with titles of their own, half of them relevant."""
    for number in range(n):
        yield f"http://h.example/s/{number}", 100 + number, f"http://h.example/s/{number // 2}", float(number % 2)


def test_a_place_whose_pages_have_one_title_and_bring_nothing_sinks_and_its_sisters_do_not():
    found = crawled([*stories(40), *((f"http://h.example/old/{n}", ONE, "", 0.0) for n in range(20))])
    assert found.levels("http://h.example/old/77") > LEVELS / 2
    assert found.levels("http://h.example/s/77") == 0


def test_a_place_whose_pages_have_titles_of_their_own_does_not_sink_whatever_it_brings():
    found = crawled([*stories(40), *((f"http://h.example/people/{n}", 1000 + n, "", 0.0) for n in range(20))])
    assert found.levels("http://h.example/people/77") == 0


def test_a_site_with_one_title_for_all_its_pages_does_not_sink_if_they_bring_what_others_do():
    site = [(f"http://i.example/{n}.html", ONE, f"http://i.example/{n // 2}.html", float(n % 2)) for n in range(40)]
    found = crawled([*stories(40), *site])
    assert found.levels("http://i.example/77.html") < LEVELS / 10


def test_what_pages_of_one_title_bring_that_were_found_on_one_another_does_not_count_where_others_have_titles_of_their_own():
    old = [(f"http://h.example/old/{n}", ONE, f"http://h.example/old/{n - 1}", 0.75) for n in range(20)]
    from_stories = [(url, title, f"http://h.example/s/{n}", gain) for n, (url, title, _, gain) in enumerate(old)]
    assert crawled([*stories(40), *old]).levels("http://h.example/old/77") > LEVELS / 2
    assert crawled([*stories(40), *from_stories]).levels("http://h.example/old/77") < LEVELS / 5


def test_three_pages_with_one_title_show_the_form_of_a_place_whatever_they_bring():
    found = crawled([*stories(40), *((f"http://h.example/facet/{n}", ONE, "", 1.0) for n in range(3))])
    assert found.is_of_one_form("http://h.example/facet/77")
    assert not found.is_of_one_form("http://h.example/s/77")


def test_lists_with_one_title_do_not_sink_while_relevant_pages_are_found_on_them():
    lists = [(f"http://h.example/list?page={n}", ONE, "", 0.0) for n in range(20)]
    led = [(f"http://h.example/s/{1000 + n}", 1000 + n, f"http://h.example/list?page={n // 3}", 1.0) for n in range(60)]
    found = crawled([*stories(40), *lists, *led])
    assert found.levels("http://h.example/list?page=77") == 0
    assert crawled([*stories(40), *lists]).levels("http://h.example/list?page=77") > LEVELS / 2


def test_copies_are_no_measure_for_others():
    pages = [*stories(40), *((f"http://h.example/old/{n}", ONE, "", 0.25) for n in range(20))]
    with_copies = crawled(pages)
    for n in range(40):
        with_copies.add_page(f"http://h.example/print/{n}", 0, "", 0.0, is_copy=True)
    assert with_copies.levels("http://h.example/old/77") == crawled(pages).levels("http://h.example/old/77") > 0


def test_pages_that_were_found_on_no_page_say_nothing_of_what_pages_lead_to():
    relevant = [(f"http://h.example/s/{n}", 100 + n, "", 1.0) for n in range(40)]
    old = [(f"http://i.example/old/{n}", ONE, "", 1.0) for n in range(20)]
    assert crawled([*relevant, *old]).levels("http://i.example/old/77") == 0
