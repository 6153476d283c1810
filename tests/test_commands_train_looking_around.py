"""`scrapy train --seeds` looks around: it learns from some pages of the web that the topic is for what is not the topic."""

from __future__ import annotations

import json
import statistics
import time
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
from commands import Finished, crawl, environment, scrapy
from hand_made import html
from sites import Site

from focused.frontier.random_links import place_of
from focused.method.page.reader import PageReader
from focused.method.topic import load_topic
from focused.method.topic.judge import Judge
from focused.retraining.around_seeds import PagesAroundSeeds
from focused.retraining.judged_pages import JudgedPage
from focused.retraining.pages_met import train_on_pages_met
from focused.webs.demo.web import DemoWeb

if TYPE_CHECKING:
    from pathlib import Path

TOPIC = [f"star{i}" for i in range(20)]
OF_WEB = [f"web{i}" for i in range(40)]
BESIDE = [f"rock{i}" for i in range(20)]
QUICK = ("-s", "DOWNLOAD_DELAY=0", "-s", "AUTOTHROTTLE_ENABLED=False", "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=4")


def a_text(kind: str, seed: int) -> str:
    """Words of this web, and as many of the topic or of something else."""
    rng = np.random.default_rng(seed)
    own = TOPIC if kind == "stars" else BESIDE
    return " ".join([*rng.choice(OF_WEB, 20).tolist(), *rng.choice(own, 20).tolist()])


def pages() -> dict[str, bytes]:
    """A front page of six folders; two of them are about stars, and one nobody may enter."""
    folders = ["stars/a", "stars/b", "rocks/a", "rocks/b", "rocks/c", "closed"]
    site = {
        "/": html("Welcome.", *((f"/{folder}/0", "go on") for folder in folders)),
        "/robots.txt": b"User-agent: *\nDisallow: /closed/\n",
    }
    for place, folder in enumerate(folders):
        for number in range(20):
            text = a_text(folder.partition("/")[0], 100 * place + number)
            links = [(f"/{folder}/{following}", "next") for following in (number + 1, number + 2)]
            site[f"/{folder}/{number}"] = html(text, *links)
    return site


def asked_of(site: Site) -> list[str]:
    return [path for path in site.asked if path != "/robots.txt"]


@pytest.fixture
def site():
    with Site(pages()) as found:
        yield found


def write_examples(folder: Path) -> None:
    """Write 15 pages about stars that are not of the site."""
    texts = [a_text("stars", 1000 + number) for number in range(15)]
    folder.mkdir(exist_ok=True)
    (folder / "p.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))


def train(folder: Path, *argv: object, name: str = "stars", quick: tuple[str, ...] = QUICK) -> Finished:
    """Train from 15 pages that are not of the site."""
    write_examples(folder)
    given = () if "--keywords" in argv else ("--positive", "p.jsonl", "--quick")
    return scrapy(
        *("train", name, *given, "--language", "en", *map(str, argv), *quick),
        cwd=folder,
        env=environment(folder / "models"),
    )


def relevances(folder: Path, *kinds: str) -> list[float]:
    """What the topic says of pages that it has not seen, one of each kind."""
    topic = load_topic("stars", folder / "models")
    judge, reader = Judge(topic), PageReader(topic.analyzer)
    read = [reader.read(html(a_text(kind, 9000)), "http://site.example/x", "text/html") for kind in kinds]
    return [judge.judge(page).page for page in read]


def test_it_learns_from_pages_spread_over_the_web_of_the_seeds_what_there_is_not_the_topic(site, tmp_path):
    done = train(tmp_path, "--seeds", f"{site.url}/", "--look-around", 30, "-s", "FOCUSED_CONTACT=me@example.org")
    assert done.exit_code == 0, done.err
    asked = asked_of(site)
    assert len(asked) == 29  # the thirtieth is the one that robots.txt forbids
    folders = Counter(path.rpartition("/")[0] for path in asked if path != "/")
    assert set(folders) == {"/stars/a", "/stars/b", "/rocks/a", "/rocks/b", "/rocks/c"}  # robots.txt forbids the sixth
    assert max(folders.values()) <= 8
    assert all("me@example.org" in agent for agent in site.agents)
    assert "Looking around from the seeds: up to 30 pages" in done.err
    assert "pages around the seeds serve" in done.out
    topic = load_topic("stars", tmp_path / "models")
    about = topic.manifest["examples"]["looked_around"]
    assert about["n_pages"] > about["n_drawn"] >= 25
    of_stars, of_rocks = relevances(tmp_path, "stars", "rocks")
    assert of_rocks < topic.threshold("page") <= of_stars
    # The background alone takes any page of this web for the topic.
    assert train(tmp_path, "--seeds", f"{site.url}/", "--look-around", 0, "--force").exit_code == 0
    assert asked_of(site) == asked
    assert min(relevances(tmp_path, "stars", "rocks")) >= load_topic("stars", tmp_path / "models").threshold("page")


def test_nothing_is_said_of_more_examples_by_a_curve_against_the_background_where_these_pages_serve(site, tmp_path):
    """That the curve is drawn where they do not serve tests/test_commands_train.py says."""
    write_examples(tmp_path)
    around = ("--positive", "p.jsonl", "--seeds", f"{site.url}/", "--look-around", "30", "--language", "en")
    done = scrapy("train", "stars", *around, *QUICK, cwd=tmp_path, env=environment(tmp_path / "models"))
    assert done.exit_code == 0, done.err
    assert "pages around the seeds serve" in done.out
    assert "Would more examples help?" not in done.out
    assert load_topic("stars", tmp_path / "models").manifest["learning_curve"] is None


def test_the_delays_and_the_scope_of_the_topics_file_are_kept(site, tmp_path):
    around = ("--seeds", f"{site.url}/", "--look-around", 4)
    assert train(tmp_path, *around).exit_code == 0
    file = tmp_path / "models" / "stars" / "topic.toml"
    own = "DOWNLOAD_DELAY = 1.6\nCLOSESPIDER_TIMEOUT = 1\n"
    head, settings, tail = file.read_text().partition("[settings]")
    assert settings
    file.write_text(f"{head}[scope]\ndeny = ['/rocks/']\n{settings}{tail}{own}")
    site.asked.clear()
    answer, times = site.pages, []
    site.pages = lambda path: times.append(time.monotonic()) or answer.get(path)
    done = train(tmp_path, *around, "--force", quick=("-s", "RANDOMIZE_DOWNLOAD_DELAY=False"))
    assert done.exit_code == 0, done.err
    assert len(asked_of(site)) == 3
    assert not any(path.startswith("/rocks/") for path in site.asked)
    # The project's own delay is a second.
    assert 1.5 < statistics.median(later - earlier for earlier, later in pairwise(times)) < 3


@pytest.mark.parametrize("argv", [("--unlabeled", "p.jsonl"), ("--learner", "wvc"), ("-s", "FOCUSED_UNLABELED=topic")])
def test_nothing_is_asked_for_where_crawls_do_not_look_around_either(site, tmp_path, argv):
    train(tmp_path, "--seeds", f"{site.url}/", *argv)  # whether these few pages will do is not the question
    assert site.asked == []


def test_a_topic_of_the_demo_web_looks_around_there_also_when_it_is_trained_again(tmp_path):
    demo = "--examples", "astronomy", "of-demo", "--positive", "15", "--unlabeled", "1"
    assert scrapy("demo", *demo, cwd=tmp_path, env=environment(tmp_path / "models")).exit_code == 0
    around = ("--positive", "of-demo/positive.jsonl", "--quick", "--seeds", DemoWeb().seeds("astronomy")[0])
    for argv in (("--web", "demo"), ("--force",)):
        done = scrapy(
            *("train", "stars", *around, "--look-around", "12", *argv, *QUICK),
            cwd=tmp_path,
            env=environment(tmp_path / "models"),
        )
        assert done.exit_code == 0, done.err
        assert "around the seeds serve" in done.out


def test_examples_that_are_like_no_page_around_the_seeds_keep_the_background_and_the_report_says_so(tmp_path):
    done = train(tmp_path, "--seeds", DemoWeb().seeds("astronomy")[0], "--look-around", 12, "--web", "demo")
    assert done.exit_code == 0, done.err
    assert "the examples come from other sites than these pages" in " ".join(done.out.split())
    assert "looked_around" not in load_topic("stars", tmp_path / "models").manifest["examples"]


def test_where_nothing_can_be_reached_the_background_stays_and_the_report_says_so(tmp_path):
    done = train(tmp_path, "--seeds", "http://127.0.0.1:9/")
    assert done.exit_code == 0, done.err
    assert "WARNING: looking around from the seeds brought no page (1 robots.txt cannot be fetched" in done.out
    assert "the general background of" in done.out
    assert "looked_around" not in load_topic("stars", tmp_path / "models").manifest["examples"]


def test_a_topic_from_words_learns_what_stands_beside_them_on_the_web_of_the_seeds(site, tmp_path):
    words = ("--keywords", *TOPIC[:4], "--seeds", f"{site.url}/")
    done = train(tmp_path, *words)
    assert done.exit_code == 0, done.err
    assert "pages around the seeds hold a word" in done.out
    assert {*TOPIC[4:]} & {*load_topic("stars", tmp_path / "models").terms}
    far = train(tmp_path / "far", "--keywords", "zyx", "wvu", "--seeds", f"{site.url}/")
    assert "None of the words stands in any of the" in far.out


def test_a_topic_that_has_looked_around_is_crawled_for_as_one_that_has_not_and_learns_from_both(site, tmp_path):
    assert train(tmp_path, "--seeds", f"{site.url}/", "--look-around", 20).exit_code == 0
    done = crawl(
        tmp_path / "models",
        tmp_path,
        settings={"DOWNLOAD_DELAY": 0, "AUTOTHROTTLE_ENABLED": False, "CONCURRENT_REQUESTS_PER_DOMAIN": 1},
        seeds=f"{site.url}/",
        max_pages=25,
    )
    assert done.exit_code == 0, done.err
    assert "pages around the seeds alone. The harvest is estimated from some page after the 20th on" in done.err
    assert done.stats["focused/retraining/drawn_count"] >= 8


def test_pages_looked_at_count_as_drawn_in_a_crawls_training_unless_it_has_met_them_again(site, tmp_path):
    assert train(tmp_path, "--seeds", f"{site.url}/", "--look-around", 20).exit_code == 0
    topic = load_topic("stars", tmp_path / "models")
    assert topic.examples is not None
    n_looked_at = int((~topic.examples.positive).sum())

    def met(number: int, url: str) -> JudgedPage:
        text = Counter(a_text("rocks", 7000 + number).split())
        return JudgedPage(number, url, 0.1, 1, 1, None, dict(text), is_drawn=True)

    new = [met(number, f"http://elsewhere.example/{number}") for number in range(1, 7)]
    made = train_on_pages_met(topic, new, {})
    assert made.manifest["retraining"]["n_drawn"] == n_looked_at + 6
    drawn = next(path for path in asked_of(site) if path.startswith("/rocks/"))
    again = train_on_pages_met(topic, [*new, met(7, f"{site.url}{drawn}")], {})
    assert again.manifest["retraining"]["n_drawn"] == n_looked_at + 6


def test_links_are_drawn_from_the_folders_that_were_asked_least_and_from_hosts_without_pages_last():
    around = PagesAroundSeeds(["http://h.example/"], 20)
    assert around.first() == ["http://h.example/"]
    links = [f"http://h.example/{folder}/{number}" for folder in "abc" for number in range(10)]
    dead = ["http://dead.example/1", "http://dead.example/2/", "http://h.example:81/d/1"]
    around.add("http://h.example/", [*links, *dead])
    for url in ("http://dead.example/0", "http://h.example:81/0"):  # a dead port takes no other with it
        around.note_no_page(url)
    drawn = [around.next() for _ in range(9)]
    assert Counter(place_of(url)[1] for url in drawn if url) == {"/a": 3, "/b": 3, "/c": 3}
    assert around.depth(drawn[0] or "") == 1
    assert len([url for url in iter(around.next, None)]) == 10  # twenty in all


BIKES = [
    "Die Kette des Fahrrads muss alle drei Monate geölt werden, sonst rostet sie und der Antrieb wird laut und schwer.",
    "Wer die Bremse einstellen will, braucht dazu nur einen Schlüssel und ein wenig Geduld, denn der Zug dehnt sich mit der Zeit.",
    "In der Werkstatt wird der Reifen gewechselt und der Sattel so hoch gestellt, dass die Beine fast gestreckt sind.",
    "Am Wochenende fuhren wir durch den Wald bis an den See und haben dort in einem kleinen Gasthaus zu Mittag gegessen.",
]
WORDS = ("Fahrrad", "Kette", "Bremse", "Sattel", "Reifen", "Werkstatt")


@pytest.mark.parametrize(
    ("n_pages", "expected"), [(8, "de (that of 9 of 9 pages around the seeds)"), (0, "en (assumed")]
)
def test_the_language_of_words_that_do_not_show_theirs_is_that_of_most_pages_around_the_seeds(
    tmp_path, n_pages, expected
):
    site = {"/": html(" ".join(BIKES), *((f"/{n}", "weiter") for n in range(n_pages)))}
    site |= {f"/{n}": html(" ".join([*BIKES[n % 4 :], *BIKES[: n % 4], f"Seite{n}"])) for n in range(n_pages)}
    with Site(site) as found:
        around = ("--keywords", *WORDS, "--seeds", f"{found.url}/", "--look-around", str(n_pages + 1 if n_pages else 0))
        done = scrapy("train", "rad", *around, *QUICK, cwd=tmp_path, env=environment(tmp_path / "models"))
    assert done.exit_code == 0, done.err
    assert f"Language:   {expected}" in done.out
    assert load_topic("rad", tmp_path / "models").language == expected[:2]
