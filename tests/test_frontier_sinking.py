"""What the frontier learns of the query parameters of excerpts."""

from __future__ import annotations

from types import SimpleNamespace

from test_crawl_known_texts import HOST, Pages, words

from focused.frontier.credit import Credit
from focused.frontier.host_penalty import HostPenalty
from focused.frontier.sinking import Harvests, Sinking


def a_sinking() -> Sinking:
    store = SimpleNamespace(standing=SimpleNamespace(n_sunk=0))
    return Sinking(store, SimpleNamespace(), Harvests(Credit(), HostPenalty(0)), stats=None)


def weblog(*, is_front_page_relevant: bool):
    """Pages that ended, as they are stored: a front page with whole posts, other pages, and then these posts by themselves."""
    pages = Pages()
    first = [(f"{HOST}/", [word for number in range(5) for word in words(number)], is_front_page_relevant)]
    others = [(f"{HOST}/archive/{number}", words(100 + number), True) for number in range(8)]
    posts = [(f"{HOST}/?p={number}", words(number), True) for number in range(5)]
    for url, text, relevant in (*first, *others, *posts):
        met = pages.meet(url, text, relevant=relevant)
        yield url, met.repeats, "", relevant and not met.duplicate_of, met.sketch


def test_a_parameter_that_names_posts_is_not_idle_because_the_front_page_has_some_of_them_whole():
    for is_relevant in (True, False):
        ended = list(weblog(is_front_page_relevant=is_relevant))
        assert [each[1] for each in ended[-5:]] == [f"{HOST}/"] * 5
        live, resumed = a_sinking(), a_sinking()
        for each in ended:
            live.page(*each)
        resumed.restore(ended)
        for sinking in (live, resumed):
            assert sinking.idle.form(f"{HOST}/?p=77", "h.example") == f"{HOST}/?p=77"


def test_a_parameter_whose_pages_are_the_same_text_again_is_idle():
    sinking, pages = a_sinking(), Pages()
    sinking.restore(
        (url, met.repeats, "", not met.duplicate_of, met.sketch)
        for url in (f"{HOST}/", *(f"{HOST}/?sid={number}" for number in range(3)))
        for met in [pages.meet(url, words(1))]
    )
    assert sinking.idle.form(f"{HOST}/?sid=77", "h.example") == f"{HOST}/"
