"""``benchmarks/webs.py``: each kind of web, made of a few texts by hand in place of packages' and corpora's."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from focused.webs.recorded import RecordedWeb

BENCHMARKS = Path(__file__).resolve().parent.parent / "benchmarks"
# Last: some of its modules are called as some of the tests'.
sys.path.append(str(BENCHMARKS))

import compare_strategies  # noqa: E402
import webs  # noqa: E402
from web_makers import forum, kinds, languages, quotes, shop, sites, wiki, wire  # noqa: E402
from web_makers.pages import hops, links_of  # noqa: E402
from web_makers.sources import Sources, read_paragraphs, tags_of  # noqa: E402
from web_makers.tags import Package, topics_of  # noqa: E402


def a_forum(seed):
    posts = []
    for group, subjects in (
        ("rec.autos", ("Brakes squeal", "Best tyres")),
        ("sci.space", ("Shuttle delayed", "Moon base")),
    ):
        for number in range(24):
            subject = subjects[number % 2] if number < 20 else f"Odd question {number}"
            author = f"u{number % 5}@x.example (User {number % 5})"
            body = (
                f"In {group} it was said:\n\n> noise {number}\n> more\n\nI say {subject} in {group}, number {number}."
            )
            posts.append(forum.Post(group, f"Re: {subject}" if number > 1 else subject, author, body, number / 24))
    return forum.build(posts, seed, share=0.9)


def a_wire(seed):
    stories = []
    for number in range(40):
        place, day = ("LONDON", "NEW YORK", "ROME")[number % 3], number // 10 + 1
        title = f"ACME CORP {number} <ACM> HEARD OF THINGS" if number % 4 else f"WEATHER {number} IS MILD"
        text = f"\n\n{title}\n\n    {place}, March {day} - It was said that day {day} was fine.\n    More soon <ACM>.\n"
        topics = {"topic-ship"} if number % 2 else {"topic-ship", "topic-gold"} if number % 4 else set()
        stories.append(wire.Story(number + 100, text, frozenset(topics)))
    return wire.build(stories, seed, n_stories=32)


def a_wiki(seed):
    text = "  preface of the dictionary\n"
    for number in range(60):
        mark, about = [("(Bot.)", "herb with leaves"), ("(Naut. & Mil.)", "rope on board"), ("", "thing")][number % 3]
        text += (
            f"Word{number} \\Word*{number}\\, n. [L. wordus.] {mark}\n   A {about}; see {{Word{number + 3}}} and {{Nowhere}}. "
            f"[1913 Webster]\n   {'It is long. ' * 20}\n\n         As they say of it.   --Milton.\n\n"
        )
    text += (
        "Box \\Box\\, n.\n"
        + "".join(f"   {n}. A case.\n\n" for n in range(1, 9))
        + "   9. (Bot.) A tree.\n"
        + "   x" * 99
    )
    return wiki.build(wiki.entries(text), seed, n_pages=70)


def a_shop(seed):
    products = [
        shop.Product(
            *(
                f"org.x.App{n}",
                f"App {n}",
                f"Does thing {n}",
                f"<p>A tool for thing {n}.</p>",
                ("MIT", "GPL-3.0+")[n % 2],
            ),
            *(f"Maker {n % 7}", n * 10**6, n * 100, frozenset({f"x/{n % 9}"}), frozenset({"libc6", f"lib{n % 4}"})),
            frozenset({("Board", "Chess")[n % 2]}) if n % 5 else frozenset(),
        )
        for n in range(80)
    ]
    return shop.build(products, seed)


def packages_of(language_sets):
    tags = (
        {"game::board"},
        {"field::biology:bioinformatics"},
        {"sound::player"},
        {"works-with::mail"},
        {"use::driver"},
    )
    return [
        Package(
            *(f"tool{n}", f"tool{n - n % 2}", f"1.{n}", f"Team {n % 9}", (f"tool{(n + 7) % 90}", "libc6")),
            tags=frozenset(tags[n // 2 % 5] | {"role::program"}),
            texts={
                language: (
                    f"{language} tool {n}",
                    f"What {language} says of tool {n}.\n\n" + f"{language}{n} is long. " * 20,
                )
                for language in language_sets[n % len(language_sets)]
            },
        )
        for n in range(90)
    ]


def some_sites(seed):
    return sites.build(packages_of([["en"]]), seed, n_sites=35)


def some_languages(seed):
    return languages.build(packages_of([["en", "de", "ru"], ["en", "fr", "it"]]), seed, n_packages=48)


def some_quotes(seed):
    texts = [
        f'Saying {n} of {("balls", "beans")[n % 2]} that nobody <else> said{n // 4}.\n\t\t-- Sayer {n % 9}, "On it"\n'
        for n in range(80)
    ]
    files = {"sports": "%\n".join(texts[::2]), "food": "%\n".join([*texts[1::2], "Anonymous beans.\n", texts[0]])}
    return quotes.build(quotes.quotations(files), seed)


KINDS = {
    "quotes": (some_quotes, {"subject sports", "subject food"}),
    "sites": (some_sites, {"topic games", "topic biology"}),
    "languages": (some_languages, {"topic sound", "topic mail"}),
    "shop": (a_shop, {"category Board", "category Chess"}),
    "wiki": (a_wiki, {"field botany", "field seafaring", "field military"}),
    "forum": (a_forum, {"rec.autos", "sci.space"}),
    "wire": (a_wire, {"topic-ship", "topic-gold"}),
}


@pytest.fixture(params=KINDS)
def made(request):
    make, labels = KINDS[request.param]
    return make, labels, make(1)


def test_topics_are_known_and_other_pages_have_none(made):
    _, labels, web = made
    assert {label for found in web.labels.values() for label in found} == labels
    assert any(not web.labels.get(url) for url in web.pages)
    assert web.labels.keys() <= web.pages.keys()


def test_labels_stand_in_no_url_and_on_no_page(made):
    _, labels, web = made
    for url, body in web.pages.items():
        for label in labels:
            assert label not in url, url
            assert label.encode() not in body.lower(), url


def test_every_page_can_be_reached_from_the_seed_and_no_link_of_the_web_is_dead(made):
    _, _, web = made
    assert hops(web).keys() == web.pages.keys()
    hosts = {url.split("/")[2] for url in web.pages}
    for url, body in web.pages.items():
        dead = [target for target in links_of(body) if target.split("/")[2] in hosts and target not in web.pages]
        assert not dead, url


def test_the_same_seed_gives_the_same_web_and_another_seed_another(made):
    make, _, web = made
    again = make(1)
    assert (again.pages, again.labels) == (web.pages, web.labels)
    assert make(2).pages != web.pages


def test_a_web_is_written_as_scrapy_evaluate_reads_it(made, tmp_path):
    _, labels, web = made
    about = web.write(tmp_path, {"source": "1.0"})
    assert about["labels"].keys() == labels
    lines = (tmp_path / f"{web.name}.labels.tsv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "url\tlabels"
    with_labels = dict(line.split("\t") for line in lines[1:])
    assert set(with_labels) == set(web.pages)
    recorded = RecordedWeb(tmp_path / f"{web.name}.warc.gz")
    assert recorded.answer((tmp_path / f"{web.name}.seeds.txt").read_text().strip()).status == 200
    assert all(recorded.answer(url).body == body for url, body in web.pages.items())
    recorded.close()


def test_replies_are_in_the_thread_that_they_answer_and_quotes_are_marked():
    web = a_forum(1)
    squeal = [body.decode() for body in web.pages.values() if b"<h1>Brakes squeal" in body]
    assert len(squeal) == 2  # ten posts, eight on a page
    assert "<blockquote>noise 2\nmore</blockquote>" in squeal[0] + squeal[1]
    assert "I say Brakes squeal in this group" in squeal[0]


def test_stories_stand_under_the_day_and_the_place_of_their_dateline():
    web = a_wire(1)
    url = next(url for url, body in web.pages.items() if b"<h1>Acme corp 15" in body)
    assert url == "http://wire.example.com/1987/03/02/00115.html"
    found = set(links_of(web.pages[url]))
    assert {"http://wire.example.com/places/london.html", "http://wire.example.com/quotes/ACM"} <= found
    assert url in set(links_of(web.pages["http://wire.example.com/1987/03/02/"]))


def test_marks_of_fields_are_taken_out_of_entries_and_few_senses_make_no_topic():
    web = a_wiki(1)
    page = web.pages["http://wiki.example.org/wiki/Word3"].decode()
    assert "A herb with leaves; see" in page
    assert not any(mark in body for body in web.pages.values() for mark in (b"Bot.", b"Naut", b"1913 Webster"))
    found = set(links_of(page.encode()))
    assert {"http://wiki.example.org/wiki/Word6", "http://wiki.example.org/wiki/Author:Milton"} <= found
    assert web.labels["http://wiki.example.org/wiki/Word3"] == {"field botany"}
    assert web.labels["http://wiki.example.org/wiki/Box"] == set()


def test_products_are_listed_page_by_page_and_linked_by_what_they_share():
    web = a_shop(1)
    app = {n: next(url for url, body in web.pages.items() if f"<h1>App {n}<".encode() in body) for n in (3, 12)}
    assert app[12] in set(links_of(web.pages[app[3]]))  # both open files of one type
    assert "https://shop.example.com/licence?is=GPL-3.0%2B" in set(links_of(web.pages[app[3]]))
    assert "https://shop.example.com/products?page=3" in web.pages


def test_a_quotation_of_two_files_has_two_subjects_and_its_author_a_page():
    web = some_quotes(1)
    url = next(url for url, labels in web.labels.items() if len(labels) == 2)
    page = web.pages[url].decode()
    assert "<blockquote><p>Saying 0 of balls that nobody &lt;else&gt; said0.</p></blockquote>" in page
    author = next(target for target in links_of(page.encode()) if "/author/" in target and ">Sayer 0</a>" in page)
    assert "Saying 36 of balls" in web.pages[author].decode() or "Saying 36 of balls" in page
    unknown = next(body.decode() for body in web.pages.values() if b"<p>Anonymous beans." in body)
    assert "unknown" in unknown


def test_every_kind_is_tried_here_and_has_five_topics_to_compare_strategies_on():
    assert set(kinds.KINDS) == set(KINDS)
    assert all(len(set(kind.topics.split(","))) == 5 for kind in kinds.KINDS.values())


def test_each_source_is_a_host_and_half_of_them_stand_in_no_list_of_sites():
    web = some_sites(1)
    hosts = {url.split("/")[2] for url in web.labels}
    assert len(hosts) == 35
    lists = [body for url, body in web.pages.items() if url.startswith("http://www.directory.example/sites-")]
    listed = {target.split("/")[2] for body in lists for target in links_of(body)} & hosts
    assert 10 <= len(listed) < 30
    for host in hosts:  # its parts have its topic, its page of links has none
        own = {url: web.labels.get(url) for url in web.pages if url.split("/")[2] == host}
        assert own.pop(f"http://{host}/links.html") is None
        assert len({frozenset(found) for found in own.values()}) == 1


def test_a_topic_is_the_same_in_all_languages_and_pages_link_to_their_translations():
    web = some_languages(1)
    for url, labels in web.labels.items():
        number = url.rpartition("/")[2]
        others = {other for other in web.labels if other.endswith(f"/{number}") and other != url}
        assert others <= set(links_of(web.pages[url]))
        assert len(others) == 2
        assert all(web.labels[other] == labels for other in others)
    russian = [body.decode() for url, body in web.pages.items() if url.startswith("http://ru.")]
    assert all('<html lang="ru">' in page and "Главная" in page for page in russian)


def test_a_tag_stands_for_the_tags_below_it():
    topics = {"games": ("game::",), "biology": ("field::biology",)}
    assert topics_of(frozenset({"game::board:chess"}), topics) == {"topic games"}
    assert topics_of(frozenset({"field::biology:bioinformatics"}), topics) == {"topic biology"}
    assert topics_of(frozenset({"field::biologyless", "use::gameplaying"}), topics) == set()


def test_control_files_are_read_with_their_continued_fields():
    first, second = read_paragraphs(
        "Package: a\nTag: game::board, use::learning,\n field::physics\n\nPackage: b\nX:\n y\n"
    )
    assert tags_of(first) == {"game::board", "use::learning", "field::physics"}
    assert tags_of(second) == set()
    assert second["X"] == "\n y"


@pytest.mark.slow
def test_what_is_missing_is_said(tmp_path, monkeypatch):
    def ends(program, *arguments) -> str:
        monkeypatch.setattr(sys, "argv", [f"{program.__name__}.py", *map(str, arguments)])
        with pytest.raises(SystemExit) as end:
            program.main()
        return str(end.value)

    command = [sys.executable, str(BENCHMARKS / "webs.py"), "--out", tmp_path, "--only", "forum", "--data", tmp_path]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, timeout=300)
    assert (done.returncode, "20news.tar.xz must be in the folder that --data names" in done.stderr) == (1, True)
    assert "Traceback" not in done.stderr
    assert "Got fourm." in ends(webs, "--out", tmp_path, "--only", "fourm")
    assert f"{tmp_path} has no wiki.warc.gz" in ends(compare_strategies, "--only", "wiki", "--webs", tmp_path)


def test_without_apt_the_user_is_told_what_the_web_needs(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit, match="needs apt-get and dpkg-deb"):
        Sources(tmp_path, tmp_path / "work").update(["en"])
