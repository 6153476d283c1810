"""Pages that are put together of parts of other pages: lists of teasers, results of searches."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from test_crawl_known_texts import HOST, Pages, words
from test_frontier_sinking import a_sinking

from focused.frontier.completion import Completion, EndedPage, PageText
from focused.frontier.credit import Credit
from focused.method.scoring.priority import LEVELS
from focused.method.scoring.stored_text import brought_by_links, with_brought


def a_site_with_searches(brought: float, n_searches: int = 12):
    """Items, and pages that each show the beginnings of some of them; ``brought``: how new the links of these are."""
    sinking, pages = a_sinking(), Pages()
    for number in range(40):
        url = f"{HOST}/item/{number}"
        sinking.restore([(url, "", "", True, pages.meet(url, words(number)).sketch)])
    for search in range(n_searches):
        shown = [*range(3 * search, 3 * search + 5), *range(100 + 7 * search, 107 + 7 * search)]
        url = f"{HOST}/search?q={search}"
        met = pages.meet(url, [word for number in shown for word in words(number)[:15]])
        assert met.duplicate_of == ""
        assert met.newness > 0.6
        sinking.restore([(url, "", "", True, with_brought(met.sketch, brought))])
    return sinking


def test_collages_sink_though_most_of_their_text_is_new_if_their_links_are_known_and_not_if_these_are_new():
    known, new = (a_site_with_searches(brought).store.standing_back.link_levels for brought in (0.1, 1.0))
    assert known(f"{HOST}/search?q=77", "") > LEVELS
    assert new(f"{HOST}/search?q=77", "") < LEVELS / 5
    assert known(f"{HOST}/item/77", "") == new(f"{HOST}/item/77", "") == 0


@pytest.mark.parametrize("n_before", [20, 90])
def test_pages_that_were_met_before_they_could_be_told_for_collages_keep_no_group_up(n_before):
    credit, other = Credit(), Credit()
    for each in (credit, other):
        for number in range(n_before):
            each.add_page(f"{HOST}/search?q={number}", "", "", True)
        for number in range(16):
            each.add_page(f"{HOST}/search?q={100 + number}", "", "", True, 0.0, is_collage=each is credit)
    told, not_told = (each.link_levels(f"{HOST}/search?q=x", "") for each in (credit, other))
    assert told > LEVELS / 4
    assert told > not_told + LEVELS / 10


def test_narrower_groups_that_were_new_once_do_not_lift_links_among_collages():
    credit = Credit()
    for number in range(60):
        style = number % 3 if number < 30 else 3 + number % 30
        credit.add_page(
            f"{HOST}/browse/style-x/{'abc'[style % 3]}{style}",
            "", "", True, 1.0 if number < 30 else 0.1, is_collage=number >= 30,
        )  # fmt: skip
    assert credit.link_levels(f"{HOST}/browse/style-x/a7", "") > LEVELS / 2


def test_what_a_collage_brings_are_its_new_links_to_pages_of_other_kinds():
    sinking, pages = a_sinking(), Pages()
    for number in range(20):
        pages.meet(f"{HOST}/item/{number}", words(number))
    met = pages.meet(f"{HOST}/search?q=1", [word for number in range(5) for word in words(number)[:15]])
    text = PageText(f"{HOST}/search?q=1", "", "", met.sketch)
    completion = Completion(None, None, SimpleNamespace(sinking=sinking), None)

    def brought(new: list[str], known: list[str]) -> float | None:
        page = EndedPage(None, text=text)
        page.links = [(None, SimpleNamespace(url=f"{HOST}/{each}")) for each in new]
        page.updated_links = [SimpleNamespace(url=f"{HOST}/{each}") for each in known]
        found = completion._with_links(page)
        assert found is not None
        return brought_by_links(found.sketch)

    others = [f"search?q={each}" for each in range(2, 9)]
    assert brought([*others, "item/77", "item/78"], ["item/1", "item/2"]) == pytest.approx(0.5, abs=0.01)
    assert brought(others, ["item/1", "item/2"]) == brought(others, []) == 0
    for number in range(20):  # pages to print them are copies
        sinking.credit.add_page(f"{HOST}/print/{number}", f"{HOST}/item/{number}", "", False)
    assert brought(["print/77", "print/78"], []) < 0.3
