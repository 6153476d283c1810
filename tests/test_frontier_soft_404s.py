"""Which hosts are asked for an address that nobody made, and which pages are like the answer."""

from __future__ import annotations

import json

import pytest

from focused.frontier.credit import Credit
from focused.frontier.host_penalty import HostPenalty
from focused.frontier.sinking import Harvests, Sinking
from focused.frontier.soft_404_answers import is_alike
from focused.frontier.soft_404s import Soft404s, probe_address
from focused.method.page.page_form import form_of
from focused.method.page.reader import PageReader
from focused.method.scoring.priority import LEVELS
from focused.method.text.analyzer import Analyzer, TermTable

HOST = "http://h.example"
READER = PageReader(Analyzer("en", TermTable()))
MENU = "<nav><a href=/>Home</a><a href=/list>All</a></nav>"
ARTICLE = f"{MENU}<main><article><h2>Sun {{n}}</h2><p>Words {{n}}.</p><p>More.</p></article><ul><li><a href=/{{n}}>x</a></ul></main>"
SORRY = f"{MENU}<main><h1>Nothing here {{n}}</h1><p>But see <a href={{n}}/more>this</a></p></main>"
LIST = f"{MENU}<main><ol><li><a href=/{{n}}>Sun</a></ol></main>"


def form(markup: str, number: int = 0) -> bytes:
    text = f"<title>{number}</title>{markup.format(n=number)}".encode()
    return form_of(READER.read(text, f"{HOST}/{number}", "text/html"))


def meet(soft_404s: Soft404s, url: str, markup: str, referrer: str = f"{HOST}/", number: int = 0) -> str:
    found = soft_404s.note_page_like_answer(url, lambda: form(markup, number), referrer)
    soft_404s.count_ended(found)
    return found


def site_with_sorry_pages() -> Soft404s:
    """Thirteen articles and the front page, which link to a page that is not there, and behind it lie six more."""
    soft_404s = Soft404s(20)
    meet(soft_404s, f"{HOST}/", LIST, "")
    for number in range(12):
        meet(soft_404s, f"{HOST}/a/{number}", ARTICLE, number=number)
    meet(soft_404s, f"{HOST}/old/1", SORRY, f"{HOST}/a/1")
    for number in range(6):
        assert soft_404s.next_probe(f"{HOST}/a/1") == ""
        meet(soft_404s, f"{HOST}/old/1/more/{number}", SORRY, f"{HOST}/old/1", number)
    return soft_404s


def asked_and_answered(soft_404s: Soft404s, markup: str) -> list[str] | None:
    return both_answered(soft_404s, soft_404s.next_probe(f"{HOST}/a/1"), form(markup, 99))


def both_answered(soft_404s: Soft404s, asked: str, answer: bytes) -> list[str] | None:
    """Answer both addresses with pages of one form and different words."""
    assert soft_404s.answered(asked, answer, range(10)) is None
    return soft_404s.answered(probe_address(asked), answer, range(10, 20))


def test_the_form_of_a_page_is_that_of_its_template_whatever_its_words_and_the_length_of_its_lists_are_but_not_that_of_its_text():
    longer = ARTICLE.replace("<p>More.</p>", "<p>And more.</p>" * 2).replace("<li>", "<li>x<li>" * 9)
    assert is_alike(form(ARTICLE, 1), form(longer, 2))
    assert not is_alike(form(ARTICLE), form(ARTICLE.replace("More", "galaxy " * 60)))
    assert form(ARTICLE) != form(SORRY) != form(LIST)


def test_pages_of_the_form_of_an_answer_are_soft_404s_and_others_are_none():
    soft_404s = site_with_sorry_pages()
    address = probe_address(f"{HOST}/old/1/more/0")
    proved = asked_and_answered(soft_404s, SORRY)
    assert proved is not None
    assert sorted(proved) == [f"{HOST}/old/1", *(f"{HOST}/old/1/more/{n}" for n in range(6))]
    assert meet(soft_404s, f"{HOST}/elsewhere/7", SORRY) == address
    assert meet(soft_404s, f"{HOST}/a/77", ARTICLE) == meet(soft_404s, f"{HOST}/list", LIST) == ""
    assert soft_404s.found() == [("h.example", 8)]


def test_a_host_is_asked_once_beside_its_deepest_page():
    soft_404s = site_with_sorry_pages()
    asked = soft_404s.next_probe(f"{HOST}/a/1")
    assert asked.startswith(f"{HOST}/old/1/more/")
    for number in range(50):
        meet(soft_404s, f"{HOST}/b/{number}", ARTICLE)
        assert soft_404s.next_probe(f"{HOST}/b/{number}") == ""


def test_a_host_with_few_of_the_pages_is_not_asked_nor_is_one_beyond_the_limit():
    soft_404s = Soft404s(1)
    for number in range(600):
        url = f"http://{'h' if number % 20 == 0 else f's{number % 200}'}.example/{number}"
        meet(soft_404s, url, ARTICLE)
        assert soft_404s.next_probe(url) == ""
    asked = []
    for number in range(200):
        for host in ("h", "other"):
            meet(soft_404s, f"http://{host}.example/b/{number}", ARTICLE)
            asked.append(soft_404s.next_probe(f"http://{host}.example/b/{number}"))
    assert len(list(filter(None, asked))) == 1


def test_no_host_is_asked_where_the_setting_says_so():
    soft_404s = Soft404s(0)
    for number in range(50):
        meet(soft_404s, f"{HOST}/a/{number}", ARTICLE)
        assert soft_404s.next_probe(f"{HOST}/a/{number}") == ""
    assert not soft_404s.are_probed


@pytest.mark.parametrize("answer", [ARTICLE, ""])
def test_where_unknown_addresses_bring_the_usual_page_or_none_nothing_is_a_soft_404(answer):
    soft_404s = site_with_sorry_pages()
    address = soft_404s.next_probe(f"{HOST}/a/1")
    assert both_answered(soft_404s, address, form(answer) if answer else b"") is None
    assert meet(soft_404s, f"{HOST}/a/77", ARTICLE) == meet(soft_404s, f"{HOST}/old/2", SORRY) == ""


def test_a_page_that_is_more_like_another_one_of_the_site_than_like_the_answer_is_none():
    soft_404s = Soft404s(20)
    blocks = "".join(
        f"<{tag}>x</{tag}>" for tag in ("h1", "h3", "h4", "pre", "blockquote", "header", "footer", "aside")
    )
    page, sorry = f"{blocks}<table><tr><td>y</table>", f"{blocks}<table><tr><td>y</table><h5>z</h5>"
    for number in range(20):
        meet(soft_404s, f"{HOST}/{number}", ARTICLE)
    assert asked_and_answered(soft_404s, sorry) == []
    assert meet(soft_404s, f"{HOST}/x", page) != ""
    soft_404s = Soft404s(20)
    for number in range(30):
        meet(soft_404s, f"{HOST}/{number}", ARTICLE if number % 2 else LIST)
    assert asked_and_answered(soft_404s, LIST.replace("<ol>", "<ul>").replace("</ol>", "</ul>")) == []
    assert meet(soft_404s, f"{HOST}/x", LIST) == ""


@pytest.mark.parametrize("has_many_lists", [False, True])
def test_articles_are_none_where_a_missing_one_is_a_page_of_their_template_that_says_so(has_many_lists):
    soft_404s, words = Soft404s(20), " ".join(f"word{n}q" for n in range(80))
    whole, missing = (
        f"{MENU}<main><h2>Sun {{n}}</h2><p>{text} {{n}}</p></main>" for text in (words, "No such article.")
    )
    for number in range(24):
        is_list = number < 16 and has_many_lists
        meet(soft_404s, f"{HOST}/{number}", LIST if is_list else whole, f"{HOST}/{max(0, number - 16)}", number)
    proved = asked_and_answered(soft_404s, missing)
    assert not proved
    assert (
        meet(soft_404s, f"{HOST}/a/77", whole, number=77) == meet(soft_404s, f"{HOST}/a/78", missing, number=78) == ""
    )


def test_what_was_answered_is_known_after_a_resume_and_nobody_is_asked_again():
    first = site_with_sorry_pages()
    asked_and_answered(first, SORRY)
    second = Soft404s(20)
    second.restore(json.loads(json.dumps(first.state())))
    assert meet(second, f"{HOST}/elsewhere/7", SORRY) == probe_address(f"{HOST}/old/1/more/0")
    assert second.proved(f"{HOST}/old/1") == probe_address(f"{HOST}/old/1/more/0")
    assert second.proved(f"{HOST}/a/1") == ""
    for number in range(50):
        meet(second, f"{HOST}/old/1/{number}", ARTICLE)
        assert second.next_probe(f"{HOST}/old/1/{number}") == ""


def test_a_host_is_asked_beside_each_of_a_few_places_with_many_pages_too_and_knows_them_after_a_resume():
    """Its deepest pages are articles; in one folder it answers anything."""
    soft_404s = Soft404s(20)
    for number in range(40):
        meet(soft_404s, f"{HOST}/a/of/{number}", ARTICLE, number=number)
    first = soft_404s.next_probe(f"{HOST}/a/of/1")
    assert both_answered(soft_404s, first, b"") is None
    asked = []
    for number in range(12):
        meet(soft_404s, f"{HOST}/old/{number}", SORRY, f"{HOST}/a/of/{number}", number)
        asked.append(soft_404s.next_probe(f"{HOST}/old/{number}"))
    assert asked[:9] == [""] * 9
    assert asked[9].startswith(f"{HOST}/old/")
    proved = both_answered(soft_404s, asked[9], form(SORRY, 99))
    assert proved is not None
    assert len(proved) == 10
    resumed = Soft404s(20)
    resumed.restore(json.loads(json.dumps(soft_404s.state())))
    for each in (soft_404s, resumed):
        assert meet(each, f"{HOST}/old/77", SORRY, number=77) == asked[9]
        assert meet(each, f"{HOST}/a/of/77", ARTICLE, number=77) == ""
        assert each.found()[0][0] == "h.example"


def test_requests_for_addresses_that_nobody_made_are_ten_of_a_host_at_most():
    soft_404s, n_asked = Soft404s(20), 0
    for number in range(2_000):
        url = f"{HOST}/{'abcdefgh'[number // 250]}/{number // 25 % 10}x/{number}"
        meet(soft_404s, url, ARTICLE, number=number)
        if asked := soft_404s.next_probe(url):
            n_asked += 1
            both_answered(soft_404s, asked, b"")
    assert 1 < n_asked <= 5


@pytest.mark.parametrize("terms", [range(10, 20), range(1, 9), range(20)])
def test_of_a_host_that_says_the_same_each_time_nothing_is_a_soft_404(terms):
    soft_404s = site_with_sorry_pages()
    asked = soft_404s.next_probe(f"{HOST}/a/1")
    soft_404s.answered(asked, form(SORRY, 1), range(10))
    proved = soft_404s.answered(probe_address(asked), form(SORRY, 2), terms)
    assert (proved is None) == (terms != range(10, 20))


@pytest.mark.parametrize("is_heard", [False, True])
@pytest.mark.parametrize("n_answers", [0, 1])
def test_whoever_has_a_host_when_the_second_answer_comes_knows_its_pages_and_the_first_answer(n_answers, is_heard):
    asks = site_with_sorry_pages()
    answers = [(form(SORRY, 1), range(10)), (form(SORRY, 2), range(10, 20))]
    asked = asks.next_probe(f"{HOST}/a/1")
    for answer in answers[:n_answers]:
        asks.answered(asked, *answer)
    takes_over = Soft404s(20)
    meet(takes_over, f"{HOST}/a/77", ARTICLE)
    (takes_over.merge if is_heard else takes_over.restore)(json.loads(json.dumps(asks.state())))
    assert takes_over.next_probe(f"{HOST}/a/1") == ""
    for answer in answers[n_answers:]:
        proved = takes_over.answered(asked, *answer)
    assert proved is not None
    assert len(proved) == 7
    assert takes_over.merge(takes_over.state()) == []
    asks.merge(json.loads(json.dumps(takes_over.state())))
    for each in (asks, takes_over):
        assert meet(each, f"{HOST}/elsewhere/7", SORRY) == asked


def test_what_an_earlier_version_kept_of_answers_is_read():
    soft_404s = Soft404s(20)
    soft_404s.restore({"h.example": [f"{HOST}/x", form(SORRY).hex(), [], [f"{HOST}/y"]], "b.example": ["", "", [], []]})
    assert meet(soft_404s, f"{HOST}/elsewhere/7", SORRY) == f"{HOST}/x"
    assert soft_404s.answered("http://b.example/x", form(SORRY)) is None


def test_links_of_pages_that_prove_soft_404s_stand_back_after_a_resume_too():
    def sinking() -> Sinking:
        store = type(
            "Store", (), {"standing_back": type("Standing", (), {"n_sunk": 0, "review_hosts": lambda self: None})()}
        )()
        return Sinking(store, type("Requests", (), {})(), Harvests(Credit(), HostPenalty(0)), stats=None)

    live, resumed = sinking(), sinking()
    live.soft_404s = site_with_sorry_pages()
    pages = [(f"{HOST}/", ""), *((f"{HOST}/a/{n}", f"{HOST}/") for n in range(12))]
    pages += [(f"{HOST}/old/1", f"{HOST}/a/1"), *((f"{HOST}/old/1/more/{n}", f"{HOST}/old/1") for n in range(6))]
    for url, referrer in pages:
        live.add_page(url, "", referrer, True, b"")
    before = live.store.standing_back.link_levels(f"{HOST}/old/1/more/77", f"{HOST}/old/1")
    asked = live.soft_404s.next_probe(f"{HOST}/a/1")
    assert not live.learn_answer(asked, form(SORRY), range(10))
    assert live.learn_answer(probe_address(asked), form(SORRY), range(10, 20))
    resumed.soft_404s = Soft404s(20)
    resumed.soft_404s.restore(live.changed()["soft_404s"])
    resumed.restore((url, "", referrer, 1, b"") for url, referrer in pages)
    for each in (live, resumed):
        levels = each.store.standing_back.link_levels
        assert levels(f"{HOST}/old/1/more/77", f"{HOST}/old/1") > before + LEVELS / 2
        assert levels(f"{HOST}/a/77", f"{HOST}/a/1") < LEVELS / 4
