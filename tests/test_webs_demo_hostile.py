from __future__ import annotations

import re
from threading import Thread
from urllib.parse import urljoin
from urllib.request import Request, urlopen

import pytest
from lxml import html

from focused.webs import WebError, open_web
from focused.webs.demo import DemoWeb, HostileWeb
from focused.webs.demo.server import DemoServer
from focused.webs.demo.traps import TRAPS, origin

ENDLESS = ("farm", "session", "endless", "calendar", "subdomains", "soft404", "cloaked")
REPEATING = ("session", "endless", "calendar", "subdomains", "soft404", "cloaked")


@pytest.fixture(scope="module")
def web() -> HostileWeb:
    return HostileWeb(n_pages=1200)


def links(web: HostileWeb, url: str) -> list[str]:
    found = html.fromstring(web.answer(url).body).xpath("//a/@href")
    return [urljoin(url, href) for href in found]


def own_text(web: HostileWeb, url: str) -> list[str]:
    """The words of the paragraphs of a page."""
    found = html.fromstring(web.answer(url).body).xpath("//p[not(.//a)][not(ancestor::div[@class='card'])]")
    return re.findall("[a-z]+", " ".join(each.text_content() for each in found).lower())


def walk(web: HostileWeb, name: str, n_pages: int) -> list[str]:
    """Follow links of a trap from its entry, breadth first, without its entry."""
    todo, seen = [f"{origin(name, 0)}/"], []
    while todo and len(seen) < n_pages:
        url = todo.pop(0)
        if url not in seen:
            seen.append(url)
            todo += [each for each in links(web, url) if web.trap(each) == name]
    return seen[1:]


def test_pages_labels_and_seeds_are_those_of_the_demo_web(web):
    plain = DemoWeb(n_pages=1200)
    assert dict(web.labels()) == dict(plain.labels())
    assert web.seeds("astronomy") == plain.seeds("astronomy")
    assert not any(web.trap(url) for url, _ in web.labels())
    assert HostileWeb(n_pages=1200, traps="none").answer(plain.seeds("astronomy")[0]) == plain.answer(
        plain.seeds("astronomy")[0]
    )


@pytest.mark.parametrize("name", TRAPS)
def test_every_trap_is_linked_from_the_seeds_and_can_stand_alone(name):
    alone = HostileWeb(n_pages=1200, traps=name)
    linked = {url for topic in alone.topics for seed in alone.seeds(topic) for url in links(alone, seed)}
    assert {alone.trap(url) for url in linked} == {None, name}
    assert alone.answer(f"{origin(name, 0)}/").status == 200
    other = next(each for each in TRAPS if each != name)
    assert alone.answer(f"{origin(other, 0)}/").status == 404


@pytest.mark.parametrize("name", ENDLESS)
def test_traps_without_an_end_go_on(web, name):
    urls = walk(web, name, 150)
    assert len(urls) == 149
    assert all(web.answer(url).status == 200 and not web.is_page(url) for url in urls)


@pytest.mark.parametrize("name", REPEATING)
def test_traps_that_repeat_say_little_new(web, name):
    texts = [own_text(web, url) for url in walk(web, name, 160)]
    n_words = len({word for text in texts[-40:] for word in text} - {word for text in texts[:119] for word in text})
    # New are names of places and months only.
    assert n_words < 45


def test_a_farm_has_new_text_on_every_page(web):
    texts = [" ".join(own_text(web, url)) for url in walk(web, "farm", 60)]
    assert len(set(texts)) == len(texts)


def test_a_mirror_has_the_pages_of_its_original(web):
    entry = f"{origin('mirrors', 0)}/"
    mirrored = next(url for url in links(web, entry) if web.trap(url) == "mirrors" and not url.endswith("/"))
    path = mirrored.partition(".example")[2]
    originals = [url for url, label in web.labels() if url.endswith(path) and label == "astronomy"]
    assert own_text(web, mirrored) in [own_text(web, url) for url in originals]
    assert "-1-mirror" in " ".join(links(web, entry))


def test_entries_are_about_the_topic_or_not():
    words = {"star", "planet", "orbit", "telescope", "galaxy", "lunar", "stellar", "comet"}
    found = {}
    for entries in ("relevant", "irrelevant"):
        web = HostileWeb(n_pages=1200, entries=entries)
        found[entries] = sum(len(words & set(own_text(web, f"{origin(name, 0)}/"))) for name in ENDLESS)
    assert found["relevant"] > 10 > found["irrelevant"] == 0


def test_a_closed_host_answers_robots_txt_with_503(web):
    assert web.answer(f"{origin('robots5xx', 0)}/robots.txt").status == 503


def test_a_browser_gets_another_page_than_a_crawler_where_it_is_cloaked(web):
    with DemoServer(web, 0) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        shown = urlopen(
            Request(f"http://127.0.0.1:{server.server_port}/astronomy-offers.example/x.html"), timeout=60
        ).read()
        server.shutdown()
    assert b"Best offers today" in shown
    assert b"Best offers today" not in web.answer("http://astronomy-offers.example/x.html").body


@pytest.mark.parametrize(
    "url",
    [
        "http://astronomy-library.example:80/", "http://astronomy-library.example", "http://x.astronomy-library.example/",
        "http://nonsense-library.example/", "http://astronomy-999-exchange.example/", "http://astronomy-9-mirror.example/",
        "http://astronomy-0-exchange.example/links99.html", "http://astronomy-forum.example/topic.php?id=99&sid=1",
        "http://astronomy-society.example/events/99999999/1/", "http://astronomy-society.example/events/x/",
        "http://astronomy-forum.example/topic.php?id=\u00b2", "https://astronomy-library.example/",
    ],
)  # fmt: skip
def test_no_url_of_a_trap_raises(web, url):
    assert web.answer(url).status in (200, 404)


def test_an_unknown_trap_is_refused_by_name():
    with pytest.raises(WebError, match=r"some of farm, session.*Got 'swamp'"):
        open_web("hostile", {"FOCUSED_DEMO_TRAPS": "farm,swamp"})
