from __future__ import annotations

import hashlib
import re
import tracemalloc
from collections import Counter
from urllib.parse import urljoin, urlsplit
from urllib.robotparser import RobotFileParser

import pytest
from w3lib.url import canonicalize_url

from focused.webs.demo import DemoWeb
from focused.webs.demo import site as demo_site
from focused.webs.demo import urls as demo_urls
from focused.webs.demo.words import GENERAL, TOPICS

HREF = re.compile(rb'href="([^"]+)"')
WORD = re.compile(r"[a-z]+")


@pytest.fixture(scope="module")
def web() -> DemoWeb:
    return DemoWeb(n_pages=1200)


@pytest.fixture(scope="module")
def pages(web: DemoWeb) -> dict[str, bytes]:
    return {url: web.answer(url).body for url, _ in web.labels()}


@pytest.fixture(scope="module")
def links(pages: dict[str, bytes]) -> dict[str, list[str]]:
    return {url: [urljoin(url, href.decode()) for href in HREF.findall(body)] for url, body in pages.items()}


def location(answer) -> str | None:
    return dict(answer.headers).get("Location")


def test_default_web_has_the_promised_size():
    web = DemoWeb()
    labels = dict(web.labels())
    assert len(labels) == web.n_pages >= 2000
    assert len({urlsplit(url).netloc for url in labels}) == len(web.origins) == 40
    assert len(web.topics) == 8
    assert set(labels.values()) == {*web.topics, None}


@pytest.mark.parametrize(("n_pages", "n_hosts", "n_topics"), [(100, 5, 2), (340, 17, 8), (1500, 70, 5)])
def test_any_size_has_exactly_its_pages_and_every_topic(n_pages, n_hosts, n_topics):
    web = DemoWeb(n_pages, n_hosts, n_topics)
    labels = dict(web.labels())
    assert len(labels) == n_pages
    assert len(web.origins) == n_hosts
    for topic in web.topics:
        assert web.relevant_count(topic) == sum(label == topic for label in labels.values()) > 0
    assert all(web.answer(url).status == 200 for url in labels)


@pytest.mark.parametrize(
    ("name", "value"),
    [("n_pages", 799), ("n_pages", 1_000_001), ("n_hosts", 16), ("n_hosts", 50_001), ("n_topics", 1), ("n_topics", 9)],
)
def test_number_out_of_range_is_refused_by_name(name, value):
    with pytest.raises(ValueError, match=rf"{name} of the demo web must be .*Got {value}"):
        DemoWeb(**{name: value})


def test_same_seed_gives_the_same_web_in_any_order(web, pages):
    again = DemoWeb(n_pages=1200)
    assert list(again.labels()) == list(web.labels())
    for url in reversed(list(pages)[::37]):
        assert again.answer(url) == web.answer(url)


def test_web_is_the_same_on_every_machine(pages):
    # A change of the generator changes this number, and with it every result on the demo web.
    digest = hashlib.sha256(b"".join(pages.values())).hexdigest()
    assert digest[:16] == "41791c3f499ba21c"


def test_another_seed_gives_another_web(web):
    assert set(dict(DemoWeb(1200, seed=1).labels())) & set(dict(web.labels())) <= homes(web)


def test_page_answers_under_its_canonical_url_only(web, pages):
    for url in pages:
        assert canonicalize_url(url) == url
        assert web.answer(url).match == "exact"
    for url in list(pages)[1:200:7]:
        if not url.endswith(".example/"):
            assert web.answer(url + "x").match == "missing"


@pytest.mark.parametrize(
    "url",
    [
        "",
        "http://",
        "http://nowhere.example/",
        "ftp://www.webring-central.example/",
        "http://www.webring-central.example",
        "http://www.webring-central.example/\ud800",
        "http://www.webring-central.example/go/zzzzzzzzz",
        "http://www.webring-central.example/calendar/99999999999999999999/01/",
        "http://www.webring-central.example/calendar/\u0662\u0660\u0662\u0664/05/",
        "http://www.webring-central.example/" + "a" * 100_000,
        "http://fortnight-review.example/node/\u0661",
        "not a url",
    ],
)
def test_hostile_url_is_answered(web, url):
    assert web.answer(url).status in (200, 404)
    assert web.label(url) is None


def test_every_page_can_be_reached_from_the_seeds_of_any_topic(web, links):
    for topic in web.topics:
        reached = set(web.seeds(topic))
        waiting = list(reached)
        while waiting:
            for url in links[waiting.pop()]:
                if url not in reached and url in links:
                    reached.add(url)
                    waiting.append(url)
        assert len(reached) == web.n_pages


def test_seeds_are_general_pages(web):
    for topic in web.topics:
        seeds = web.seeds(topic)
        assert len(set(seeds)) == 5
        assert all(web.is_page(url) and web.label(url) is None for url in seeds)
        assert seeds == web.seeds(topic)
    assert len(web.seeds("chess", 1)) == 1


def test_robots_txt_forbids_the_calendar_on_every_host_and_nothing_else(web, pages):
    for origin in web.origins:
        answer = web.answer(f"{origin}/robots.txt")
        assert answer.status == 200
        rules = RobotFileParser()
        rules.parse(answer.body.decode().splitlines())
        assert not rules.can_fetch("focused", f"{origin}/calendar/2024/05/")
        assert rules.can_fetch("focused", f"{origin}/")
    assert not any(urlsplit(url).path.startswith("/calendar/") for url in pages)


def test_calendar_goes_on_forever(web, links):
    url = next(url for url in links[web.seeds("music")[0]] if "/calendar/" in url)
    seen = set()
    for _ in range(50):
        assert url not in seen
        seen.add(url)
        answer = web.answer(url)
        assert answer.status == 200
        assert web.label(url) is None
        assert not web.is_page(url)
        url = HREF.findall(answer.body)[-1].decode()
    assert "/calendar/2074/" in url
    assert web.answer("http://www.webring-central.example/calendar/2024/13/").status == 404


def test_every_page_links_to_the_calendar(links):
    assert all(any("/calendar/" in url for url in targets) for targets in links.values())


def test_some_links_are_redirected_dead_or_failing(web, links):
    found = {url for targets in links.values() for url in targets if not web.is_page(url) and "/calendar/" not in url}
    answers = {url: web.answer(url) for url in found}
    by_status = Counter(answer.status for answer in answers.values())
    assert set(by_status) == {301, 302, 404, 500}
    n_links = sum(map(len, links.values()))
    for status, count in by_status.items():
        assert 0 < count < 0.05 * n_links, status
    for answer in answers.values():
        assert (answer.match == "missing") == (answer.status == 404)
        if answer.status in (301, 302):
            assert web.is_page(location(answer))


def test_some_pages_repeat_a_page_of_another_host(web, pages):
    by_body: dict[bytes, list[str]] = {}
    for url, body in pages.items():
        by_body.setdefault(body, []).append(url)
    mirrored = [urls for urls in by_body.values() if len(urls) > 1]
    assert len(mirrored) >= 5
    for urls in mirrored:
        assert len({urlsplit(url).netloc for url in urls}) > 1
        assert len({web.label(url) for url in urls}) == 1


def test_one_host_is_slow(web, pages):
    latencies: dict[str, set[float]] = {}
    for url in pages:
        latencies.setdefault(urlsplit(url).netloc, set()).add(web.answer(url).latency_secs)
    slow = {host: secs for host, secs in latencies.items() if secs != {0.0}}
    assert len(slow) == 1
    (secs,) = slow.values()
    assert 0.2 <= min(secs) < max(secs) < 0.8


def test_label_is_what_most_topic_words_of_the_page_are_about(web, pages):
    right = labelled = 0
    vocabularies = [
        {word for entry in (*topic.things, *topic.stuff, *topic.kinds) for word in WORD.findall(entry)}
        for topic in TOPICS
    ]
    for url, body in pages.items():
        topic = web.label(url)
        if topic is None:
            continue
        words = WORD.findall(" ".join(re.findall(r"<p>([^<]*)", body.decode("cp1252", "replace"))).lower())
        counts = [sum(word in vocabulary for word in words) for vocabulary in vocabularies]
        labelled += 1
        right += counts[web.topics.index(topic)] == max(counts)
    assert 0.85 < right / labelled < 0.999  # good evidence, not perfect


def test_neighbouring_topics_share_words():
    for first, second in zip(TOPICS[::2], TOPICS[1::2], strict=True):
        one, other = ({*topic.things, *topic.stuff, *topic.acts, *topic.kinds} for topic in (first, second))
        assert len(one & other) >= 10
        assert 120 <= len(one) <= 200


def test_words_and_urls_need_no_escaping(pages):
    for lexicon in (*TOPICS, GENERAL):
        for words in (lexicon.things, lexicon.stuff, lexicon.acts, lexicon.kinds, lexicon.names, lexicon.sites):
            assert not set("".join(words)) & set("<>&\"'_")
    assert not any(set(url) & set("<>&\"' ") for url in pages)


def test_pages_differ_in_layout_language_charset_and_kind_of_url(web, pages):
    bodies = list(pages.values())
    for mark in (b"<main>", b"<table class=page>", b"<dl>", b"<div id=wrapper>", b"<article>", b"<img alt="):
        assert any(mark in body for body in bodies)
    languages = Counter(re.search(rb'<html lang="(..)"', body)[1].decode() for body in bodies)
    assert set(languages) == {"en", "de", "fr", "es"}
    assert languages["en"] > 0.97 * len(bodies)
    silent = [url for url in pages if dict(web.answer(url).headers)["Content-Type"] == "text/html"]
    undeclared = [pages[url] for url in silent if b"charset" not in pages[url]]
    assert any(b"caf\xe9" in body for body in undeclared)
    assert any("café".encode() in body for body in undeclared)
    opaque = sum(bool(re.search(r"/(p/|node/|index\.php)", url)) for url in pages)
    assert 0.3 < opaque / len(pages) < 0.7


def test_links_of_a_relevant_page_mislead(web, links):
    on_topic, off_topic = [], []
    for url, targets in links.items():
        label = web.label(url)
        if label is not None:
            shown = [target for target in targets if urlsplit(target).netloc != urlsplit(url).netloc]
            on_topic += [web.label(target) == label for target in shown if web.is_page(target)]
        else:
            off_topic += [web.label(target) == "chess" for target in targets]
    assert 0.3 < sum(on_topic) / len(on_topic) < 0.6
    assert 0.03 < sum(off_topic) / len(off_topic) < 0.15


def test_some_relevant_hosts_are_found_through_irrelevant_pages_only(web, links):
    linking: dict[str, set[str]] = {origin: set() for origin in web.origins}
    for url, targets in links.items():
        here = url[: url.index("/", 8)]
        for target in targets:
            there = target[: target.index("/", 8)]
            if there != here:
                linking[there].add(url)
    hidden = []
    for origin, referrers in linking.items():
        topics = Counter(web.label(url) for url in links if url.startswith(f"{origin}/"))
        topic, count = topics.most_common(1)[0]
        # Home pages of specialists are about a topic of their own: a partner list stands on those, too.
        if (
            topic
            and count > 0.6 * topics.total()
            and all(web.label(url) is None or url in homes(web) for url in referrers)
        ):
            hidden.append(topic)
    assert set(hidden) == set(web.topics)


def homes(web: DemoWeb) -> set[str]:
    return {f"{origin}/" for origin in web.origins}


def test_examples_are_pages_of_the_topic(web, pages):
    examples = web.examples("sailing", 30, random_state=1)
    assert len(dict(examples)) == 30
    assert all(web.label(url) == "sailing" and body == pages[url] for url, body in examples)
    assert examples == web.examples("sailing", 30, random_state=1)
    assert examples != web.examples("sailing", 30, random_state=2)


def test_unlabeled_pages_are_drawn_from_the_whole_web(web):
    drawn = web.unlabeled(500, random_state=3)
    assert len(dict(drawn)) == 500
    assert {web.label(url) for url, _ in drawn} == {*web.topics, None}
    assert len(web.unlabeled(1200)) == 1200


def test_positives_and_unlabeled_pages_are_drawn_independently(web):
    positive = dict(web.examples("railways", 30))
    unlabeled = dict(web.unlabeled(300))
    assert 0 < len(positive.keys() & unlabeled.keys()) < 20  # 7.5 expected: a quarter of the web


def test_what_the_web_does_not_have_is_refused(web):
    with pytest.raises(ValueError, match=r"has the topics astronomy, .*Got 'geology'"):
        web.seeds("geology")
    n_relevant = web.relevant_count("chess")
    with pytest.raises(ValueError, match=f"has {n_relevant} pages about chess. Got n={n_relevant + 1}"):
        web.examples("chess", n_relevant + 1)
    with pytest.raises(ValueError, match=r"has 1200 pages. Got n=1201"):
        web.unlabeled(1201)


@pytest.mark.slow
def test_million_pages_are_computed_and_not_held(monkeypatch):
    monkeypatch.setattr(demo_site, "_CACHED_PAGES", 500)  # full after 40 pages, so that all else would show
    monkeypatch.setattr(demo_urls, "_CACHED_URLS", 500)
    tracemalloc.start()
    try:
        web = DemoWeb(n_pages=1_000_000)
        sizes = [tracemalloc.get_traced_memory()[0]]
        for turn in range(4):
            drawn = dict(web.unlabeled(100, random_state=turn))
            assert len(drawn) == 100
            assert all(web.is_page(url) for url in drawn)
            drawn.clear()
            sizes.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    assert max(sizes) < 2_000_000
    assert sizes[-1] - sizes[-2] < 25_000  # the caches are full by then


def test_closing_is_harmless(web):
    web.close()
    web.close()
    assert web.answer(web.seeds("music")[0]).status == 200
