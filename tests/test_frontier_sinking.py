"""What the frontier learns of the query parameters of excerpts."""

from __future__ import annotations

from types import SimpleNamespace

from test_crawl_known_texts import HOST, Pages, words

from focused.frontier.credit import Credit
from focused.frontier.host_penalty import HostPenalty
from focused.frontier.sinking import Harvests, Sinking
from focused.method.scoring.priority import LEVELS, to_priority


def a_sinking() -> Sinking:
    store = SimpleNamespace(standing_back=SimpleNamespace(n_sunk=0))
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
            live.add_page(*each)
        resumed.restore(ended)
        for sinking in (live, resumed):
            assert sinking.idle.form(f"{HOST}/?p=77", "h.example") == f"{HOST}/?p=77"


def test_a_link_whose_group_brings_nothing_comes_behind_those_that_a_strategy_puts_off():
    sinking = a_sinking()
    sinking.restore((f"{HOST}/quote/{n}", f"{HOST}/t/1", f"{HOST}/quote/{n - 1}", False, b"") for n in range(30))
    levels = sinking.store.standing_back.link_levels(f"{HOST}/quote/77", f"{HOST}/quote/29")
    assert to_priority(1.0, admitted=True) - levels < to_priority(0.1, admitted=False)


def test_a_link_found_on_a_copy_comes_before_what_is_put_off_while_its_group_brings_new_texts():
    sinking = a_sinking()
    sinking.restore((f"{HOST}/s/{n}", f"{HOST}/t/{n}" if n % 2 else "", "", True, b"") for n in range(40))
    levels = sinking.store.standing_back.link_levels(f"{HOST}/s/77", f"{HOST}/s/1")
    assert levels > LEVELS / 2
    assert to_priority(0.5, admitted=True) - levels > to_priority(1.0, admitted=False)


def test_links_that_only_lead_to_known_pages_sink_but_neither_twins_nor_their_host():
    sinking = a_sinking()
    sinking.restore((f"{HOST}/item/{n}", "", "", True, b"") for n in range(20))
    for number in range(20):
        sinking.note_redirect(f"{HOST}/cart/add/{number}", f"{HOST}/cart")
        sinking.note_redirect(f"{HOST}/item/{number}?ref=1", f"{HOST}/item/{number}")
    sinking.note_redirect(f"{HOST}/cart/add/20", "http://[broken/")  # it ends no crawl
    levels = sinking.store.standing_back.link_levels
    assert levels(f"{HOST}/cart/add/77", "") > LEVELS / 2
    assert levels(f"{HOST}/item/77", "") == levels(f"{HOST}/news", "") == 0
    assert sinking.store.standing_back.host_levels("h.example") == 0


def test_lists_that_say_nothing_themselves_sink_a_little_at_most():
    sinking, pages = a_sinking(), Pages()
    for number in range(20):
        links = "".join(f'<a href="/s/{number}-{each}">{word}</a> ' for each, word in enumerate(words(number, 30)))
        page = pages.reader.read(f"<ul>{links}</ul>".encode(), f"{HOST}/list/{number}", "text/html")
        met = pages.known.find_copy_or_remember(page, page.url)
        sinking.restore([(f"{HOST}/list/{number}", met.duplicate_of, "", False, met.sketch)])
    sinking.credit.add_page(f"{HOST}/s/1", f"{HOST}/s/0", "", False)
    assert 0 < sinking.credit.link_levels(f"{HOST}/list/77", "") < LEVELS / 2


def test_pages_of_little_new_text_sink_and_those_of_half_the_usual_text_do_not():
    sinking, pages = a_sinking(), Pages()
    for number in range(30):
        for folder, n_words in (("long", 300), ("half", 200), ("login", 22)):
            url = f"{HOST}/{folder}/{number}"
            met = pages.meet(url, words(number + 100 * n_words, n_words))
            sinking.restore([(url, met.duplicate_of, "", False, met.sketch)])
    levels = {folder: sinking.credit.link_levels(f"{HOST}/{folder}/77", "") for folder in ("long", "half", "login")}
    assert levels["login"] > LEVELS / 10
    assert levels["long"] == levels["half"] == 0


def test_a_parameter_whose_pages_are_the_same_text_again_is_idle():
    sinking, pages = a_sinking(), Pages()
    sinking.restore(
        (url, met.repeats, "", not met.duplicate_of, met.sketch)
        for url in (f"{HOST}/", *(f"{HOST}/?sid={number}" for number in range(3)))
        for met in [pages.meet(url, words(1))]
    )
    assert sinking.idle.form(f"{HOST}/?sid=77", "h.example") == f"{HOST}/"
