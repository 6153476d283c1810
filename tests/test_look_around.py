"""Links that are drawn, and training against the pages met: a crawl learns what on its web is not the topic."""

from __future__ import annotations

import csv
import json
import random
import re
import shutil
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from commands import crawl, environment, scrapy
from hand_made import html
from scipy import sparse
from warcs import Warc

from focused.collection.view import CollectionView
from focused.crawl import words_not_found
from focused.frontier.known_links import KnownLinks
from focused.frontier.random_links import RandomLinks, place_of
from focused.frontier.store.link import FrontierLink, fingerprint_of
from focused.frontier.store.store import FrontierStore
from focused.method.learning.learners import LEARNERS, make_learner
from focused.method.scoring import Evidence
from focused.method.scoring.base import LOOK_AROUND
from focused.method.topic import Topic, TopicExamples, load_topic
from focused.method.topic.counted import relevance_of_counts
from focused.retraining.augmentation import known_pages
from focused.retraining.draw_schedule import n_drawn_wanted
from focused.retraining.judged_pages import JudgedPage, read_record
from focused.retraining.options import RetrainingOptions, read_options
from focused.retraining.page_labels import PageLabels
from focused.retraining.pages_met import MIN_PAGES, train_on_pages_met
from focused.retraining.training import Retraining
from focused.retraining.versions import last_version, read_attempts
from focused.utils.file_names import RETRAINING_FILE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

NOW = 100.0
TOPIC = [f"star{i}" for i in range(20)]
OF_WEB = [f"web{i}" for i in range(40)]
BESIDE = [f"rock{i}" for i in range(20)]
ELSEWHERE = [f"mail{i}" for i in range(40)]


# --- The frontier ---------------------------------------------------------------------------------------------------
@pytest.fixture
def frontier(tmp_path) -> Iterator[Callable[[list[str]], KnownLinks]]:
    """Returns a frontier in which links wait, those named first with the best scores."""
    stores = []

    def made(urls: list[str]) -> KnownLinks:
        store = FrontierStore(tmp_path / "frontier.db")
        stores.append(store)
        links = KnownLinks(store)
        for place, url in enumerate(urls):
            score = 1 - place / len(urls)
            links.add(FrontierLink(fingerprint_of(url, ""), url, Evidence(score, 3, True, referrer="http://h.org/")))
        return links

    yield made
    for store in stores:
        store.close()


def test_a_link_is_drawn_only_where_one_is_wanted(frontier):
    around = RandomLinks(frontier(["http://h.org/a/1"]))
    assert around.next(lambda host: 0.0, NOW) is None
    around.n_wanted = 2
    drawn = around.next(lambda host: 0.0, NOW)
    assert drawn is not None
    assert (drawn.url, drawn.evidence.reason) == ("http://h.org/a/1", LOOK_AROUND)
    assert around.n_wanted == 1
    assert around.next(lambda host: 0.0, NOW) is None  # nothing waits
    assert around.n_wanted == 1


def test_a_link_that_stands_back_is_drawn_only_where_there_is_no_other(frontier):
    links = frontier([f"http://h.org/print/{n}" for n in range(20)] + ["http://h.org/a/1"])
    links.store.standing_back.link_levels = lambda url, referrer: 150 if "/print/" in url else 0
    around = RandomLinks(links)
    around.n_wanted = 2
    drawn = [around.next(lambda host: 0.0, NOW).url]
    around.note_fetched(drawn[0])
    drawn.append(around.next(lambda host: 0.0, NOW).url)
    assert drawn[0] == "http://h.org/a/1"
    assert "/print/" in drawn[1]


def test_where_a_drawn_link_stands_counts_only_if_it_is_about_that_page(frontier):
    links = frontier(["http://h.org/b/1"])
    page = "http://h.org/a/1"
    for url in ("http://h.org/print/1", "http://h.org/c/2"):
        links.add(FrontierLink(fingerprint_of(url, ""), url, Evidence(0.5, 3, True, referrer=page)))
    links.store.standing_back.link_levels = lambda url, referrer: 150 if referrer == page else 0
    around = RandomLinks(links)
    around.n_wanted = 3
    assert [around.next(lambda host: 0.0, NOW).url for _ in range(3)][-1] == "http://h.org/print/1"


def test_pages_of_one_form_are_drawn_only_where_there_are_no_others(frontier):
    links = frontier([f"http://h.org/facet/{n}" for n in range(20)] + ["http://h.org/a/1"])
    links.store.standing_back.is_of_one_form = lambda url: "/facet/" in url
    around = RandomLinks(links)
    around.n_wanted = 1
    around.note_fetched("http://h.org/a/2")
    assert around.next(lambda host: 0.0, NOW).url == "http://h.org/a/1"


def test_folders_whose_names_differ_by_numbers_are_one_place(frontier):
    facets = [f"http://h.org/c/brand-{n}/price-{m}/" for n in range(4) for m in range(3)]
    around = RandomLinks(frontier([*facets, *(f"http://h.org/about/{n}" for n in range(12))]))
    around.n_wanted = 8
    found = Counter()
    for _ in range(8):
        drawn = around.next(lambda host: 0.0, NOW)
        around.note_fetched(drawn.url)
        found[drawn.url.split("/")[3]] += 1
    assert found == {"c": 4, "about": 4}


def test_links_from_places_of_which_fewest_pages_are_known_come_first_whatever_their_scores_are(frontier):
    urls = [f"http://h.org/{folder}/p{number}" for folder in ("best", "good", "poor") for number in range(10)]
    around = RandomLinks(frontier(urls))
    around.n_wanted = 1
    first = around.next(lambda host: 0.0, NOW)  # from here on it counts; before, nothing has been fetched
    assert first is not None
    for url in (*(f"http://h.org/best/x{number}" for number in range(5)), "http://h.org/good/x"):
        around.note_fetched(url)
    around.note_fetched(first.url)
    around.n_wanted = 11
    found = [place_of(first.url)[1]]
    for _ in range(11):
        drawn = around.next(lambda host: 0.0, NOW)
        assert drawn is not None
        around.note_fetched(drawn.url)
        found.append(place_of(drawn.url)[1])
    assert Counter(found) == {"/poor": 6, "/good": 5, "/best": 1}


@pytest.mark.parametrize("page", ["show.cgi?bug={}", "{}", "{}.html"])
def test_pages_with_numbers_for_names_are_drawn_though_all_that_was_chosen_lies_in_their_folder(frontier, page):
    """Else only lists and people were drawn, and the judge took every bug for one of the topic."""
    bugs = [f"http://h.org/bugs/{page.format(number)}" for number in range(60)]
    around = RandomLinks(frontier([*bugs, *(f"http://h.org/list{number}/all" for number in range(20))]))
    around.n_wanted = 1
    assert around.next(lambda host: 0.0, NOW) is not None
    for url in bugs[:20]:
        around.note_fetched(url)
    around.n_wanted = 16
    found = Counter(place_of(around.next(lambda host: 0.0, NOW).url)[1] == "/bugs" for _ in range(16))
    assert found[True] >= 7


def test_in_the_place_of_a_link_without_a_page_another_is_drawn_and_from_its_host_last(frontier):
    dead = [f"http://dead.org/{folder}/1" for folder in range(20)]
    around = RandomLinks(frontier([*dead, "http://h.org/a/1", "http://h.org/a/2"]))
    around.n_wanted = 1
    for url in ("http://h.org/a/0", "http://h.org/a/9"):
        around.note_fetched(url)
    drawn = []
    while around.n_wanted:
        link = around.next(lambda host: 0.0, NOW)
        assert link is not None
        drawn.append(link.host)
        if link.host == "dead.org":
            around.note_end(link, is_page=False)
        else:
            not_drawn = link._replace(evidence=replace(link.evidence, reason=0))
            around.note_end(not_drawn, is_page=False)  # another's business
    assert drawn in (["h.org"], ["dead.org", "h.org"])


def test_thousands_of_dead_links_are_not_drawn_one_after_the_other(frontier):
    around = RandomLinks(frontier([f"http://h.org/{folder}/1" for folder in range(400)]))
    around.n_wanted = 3
    n_drawn = 0
    while around.n_wanted:
        around.note_end(around.next(lambda host: 0.0, NOW), is_page=False)
        n_drawn += 1
    assert 50 <= n_drawn <= 53
    around.n_wanted = 2
    around.note_end(around.next(lambda host: 0.0, NOW), is_page=True)
    assert around.n_wanted == 1
    around.note_end(around.next(lambda host: 0.0, NOW), is_page=False)
    assert around.n_wanted == 1  # another is drawn in its place again


def test_a_link_like_those_that_led_to_no_page_is_not_drawn(frontier):
    links = frontier([f"http://h.org/dead/{n}" for n in range(20)] + ["http://h.org/a/1"])
    links.store.standing_back.leads_nowhere = lambda url: "/dead/" in url
    around = RandomLinks(links)
    around.n_wanted = 3
    assert around.next(lambda host: 0.0, NOW).url == "http://h.org/a/1"
    assert around.n_wanted == 2
    assert around.next(lambda host: 0.0, NOW) is None
    assert around.n_wanted == 1


def drawn_of(frontier, leads_to: Callable[[str], list[str]], n_links: int) -> Counter[str]:
    """First folders of so many links that are drawn one after the other, where each page links to others."""
    links = frontier(leads_to("/"))
    around = RandomLinks(links)
    found: Counter[str] = Counter()
    for _ in range(n_links):
        around.n_wanted = 1
        drawn = around.next(lambda host: 0.0, NOW)
        assert drawn is not None
        around.note_fetched(drawn.url)
        links.store.done(drawn.id)
        for url in leads_to(drawn.url):
            links.add(FrontierLink(fingerprint_of(url, ""), url, Evidence(0.5, 3, True, referrer=drawn.url)))
        found[drawn.url.split("/")[3]] += 1
    return found


FOLDERS = [f"http://h.org/{name}/" for name in ("s", "print", "list", "login", "old", "reply")]


def test_an_endless_calendar_is_one_of_the_places_that_links_are_drawn_from(frontier):
    source = random.Random(1)

    def leads_to(url: str) -> list[str]:
        cal = [
            f"http://h.org/cal/{source.randrange(2000, 2060)}/{source.randrange(12)}/{source.randrange(28)}"
            for _ in "12"
        ]
        if "/cal/" in url:
            return cal * 6
        return cal[:1] + [f"{folder}{source.randrange(900)}" for folder in FOLDERS]

    found = drawn_of(frontier, leads_to, 44)
    assert found["cal"] <= 44 / 4
    assert len(found) == 7


def test_articles_in_numbered_folders_are_drawn_though_there_is_no_end_of_other_folders(frontier):
    source = random.Random(1)

    def leads_to(url: str) -> list[str]:
        articles = [
            f"http://h.org/{source.randrange(2000, 2026)}/{source.randrange(12)}/{source.random()}" for _ in range(8)
        ]
        return [*articles, *(f"http://h.org/by/name{source.random()}/all" for _ in range(4))]

    found = drawn_of(frontier, leads_to, 44)
    assert 44 - found["by"] >= 44 / 6


def test_pages_that_were_chosen_by_their_scores_keep_no_link_of_their_numbered_folders_from_being_drawn(frontier):
    stories = [f"http://h.org/2024/05/{day:02}/{number}" for day in range(20) for number in range(4)]
    around = RandomLinks(frontier([*stories, *(f"http://h.org/quotes/{n}" for n in range(20))]))
    around.n_wanted = 20
    assert around.next(lambda host: 0.0, NOW) is not None
    for number in range(50):
        around.note_fetched(f"http://h.org/2024/05/02/x{number}")
    found = Counter()
    for _ in range(19):
        drawn = around.next(lambda host: 0.0, NOW)
        around.note_fetched(drawn.url)
        found[drawn.url.split("/")[3]] += 1
    assert found["2024"] >= 19 / 2


def test_a_dead_port_puts_no_link_of_another_port_last_and_no_link_of_it_is_drawn_while_it_rests(frontier):
    links = frontier([*(f"http://h.org:81/{folder}/1" for folder in range(9)), "http://h.org/b/1", "http://h.org/b/2"])
    around = RandomLinks(links)
    around.n_wanted = 3
    dead = around.next(lambda host: 0.0, NOW)
    assert dead is not None
    around.note_end(dead._replace(url="http://h.org:81/"), is_page=False)
    for number in range(9):
        around.note_fetched(f"http://h.org/b/{number}")
    second = around.next(lambda host: 0.0, NOW)
    assert second is not None
    assert second.url.startswith("http://h.org/b/")
    links.store.standing_back.rests_until = lambda url: NOW + 9 if ":81" in url else 0.0
    third = around.next(lambda host: 0.0, NOW)
    assert third is None or ":81" not in third.url


def test_where_a_third_of_the_drawn_links_brings_pages_no_others_are_drawn_for_the_rest(frontier):
    around = RandomLinks(frontier([f"http://h.org/{number}" for number in range(20)]))
    around.n_wanted = 4
    links = [around.next(lambda host: 0.0, NOW) for _ in range(4)]
    wanted = []
    for link, is_page in zip(links, (True, False, False, False), strict=True):
        around.note_end(link, is_page=is_page)
        wanted.append(around.n_wanted)
    assert wanted == [0, 0, 0, 1]


def test_a_host_that_must_rest_is_not_drawn_from(frontier):
    around = RandomLinks(frontier(["http://busy.org/1", "http://busy.org/2", "http://free.org/3"]))
    around.n_wanted = 3
    ready = {"busy.org": NOW + 1, "free.org": NOW}
    drawn = around.next(ready.__getitem__, NOW)
    assert drawn is not None
    assert drawn.host == "free.org"
    assert around.next(ready.__getitem__, NOW) is None


def test_a_drawn_link_is_leased_and_seeds_and_own_requests_are_never_drawn(frontier):
    links = frontier(["http://h.org/1"])
    links.add(FrontierLink(1, "http://h.org/seed", Evidence(1.0, 0, True), extra=10_000))
    own = Evidence(1.0, 0, True, referrer="http://h.org/")
    links.add(FrontierLink(2, "http://h.org/own", own, request='{"url": "http://h.org/own"}'))
    assert [url for _, url, _ in links.store.drawn(random.Random(0), 10)] == ["http://h.org/1"]
    around = RandomLinks(links, seed=1)
    around.n_wanted = 1
    drawn = around.next(lambda host: 0.0, NOW)
    assert drawn is not None
    assert links.store.counts()["leased"] == 1
    assert [links.next(lambda host: 0.0, NOW).url for _ in range(2)] == ["http://h.org/seed", "http://h.org/own"]
    assert links.next(lambda host: 0.0, NOW) is None
    links.store.done(drawn.id, relevant=False)
    assert links.store.counts()["done"] == 1


def test_many_are_drawn_at_first_then_ever_fewer():
    wanted = [n_drawn_wanted(n) for n in range(1, 1001)]
    assert wanted == sorted(wanted)
    assert wanted[19] >= MIN_PAGES  # the first training needs them
    assert wanted[-1] < 0.1 * 1000


# --- When it trains -------------------------------------------------------------------------------------------------
def test_against_the_pages_met_the_model_is_trained_again_after_20_40_60_pages_and_as_often_if_resumed():
    labels = PageLabels(RetrainingOptions(unlabeled="met"), is_against_met=True)
    due = []
    for number in range(1, 201):
        labels.add_page(number, 0.9)
        if labels.is_due:
            due.append(number)
            labels.reset_counts()
    assert due == [20, 40, 60, 80, 100, 125, 156, 195]
    resumed = PageLabels(RetrainingOptions(unlabeled="met"), is_against_met=True)
    for number in range(1, 120):
        resumed.add_page(number, 0.9)
    resumed.restore_counts(100, 119, {})
    assert not resumed.is_due
    for number in range(120, 126):
        resumed.add_page(number, 0.9)
    assert resumed.is_due


def test_a_training_that_verdicts_bring_does_not_put_the_next_one_off_also_if_resumed():
    labels = PageLabels(RetrainingOptions(unlabeled="met", every_pages=14), is_against_met=True)
    for number in range(1, 151):
        labels.add_page(number, 0.9)
    for number in range(137, 151):
        labels.add_verdict(number, number > 140)
    labels.restore_counts(125, 150, {})
    assert labels.is_due  # all judged pages came after the last training
    labels.reset_counts()
    due = []
    for number in range(151, 321):
        labels.add_page(number, 0.9)
        if labels.is_due:
            due.append(number)
            labels.reset_counts()
    assert due == [156, 195, 243, 303]


def test_the_unlabelled_pages_are_those_met_where_the_topics_own_are_a_background():
    against = Topic("t", "t", "en", [])
    for examples, unlabeled, mode, expected in (
        ({"background": {}, "positive": {}}, "auto", "off", True),
        ({"unlabeled": {}}, "auto", "off", False),
        ({"background": {}}, "auto", "automatic", False),  # I18's own algorithm
        ({"unlabeled": {}}, "met", "off", True),
        ({"background": {}}, "topic", "off", False),
    ):
        against.manifest = {"kind": "examples", "examples": examples}
        assert RetrainingOptions(mode, unlabeled=unlabeled).is_against_met(against) is expected


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_learner_that_may_find_too_few_negatives_among_the_pages_met_is_not_trained_with_them(learner):
    needs = make_learner(learner).get_params(deep=False)
    topic = Topic("t", "t", "en", [])
    topic.manifest = {"kind": "examples", "learner": learner, "examples": {"background": {}}}
    refuses = needs.get("too_few") == "error" and "reliable" in needs
    assert RetrainingOptions().is_against_met(topic) is not refuses
    if refuses:
        with pytest.raises(ValueError, match=f"without reliable negatives.* Topic 't' was trained with {learner}"):
            read_options({"FOCUSED_UNLABELED": "met"}, topic)


def test_a_topic_from_words_is_trained_with_the_pages_met_unless_people_judge_its_pages():
    topic = Topic("bees", "Bees", "en", [])
    topic.manifest = {"kind": "keywords", "examples": {"background": {}, "keywords": {"terms": ["bee"]}}}
    assert RetrainingOptions().is_against_met(topic)
    assert not RetrainingOptions("interactive").is_against_met(topic)
    topic.manifest["retraining"] = {}  # people's verdicts have become its examples
    assert not RetrainingOptions().is_against_met(topic)


def test_a_topic_from_words_that_learns_from_verdicts_is_not_trained_with_the_pages_met(models, tmp_path):
    topic = load_topic("words", models)
    verdicts = {"FOCUSED_RETRAINING": "interactive", "FOCUSED_VERDICTS": str(tmp_path)}
    assert not read_options(verdicts, topic).is_against_met(topic)
    with pytest.raises(ValueError, match="learns from no verdicts where a topic was made from words, as 'words' was"):
        read_options({**verdicts, "FOCUSED_UNLABELED": "met"}, topic)


def test_verdicts_bring_the_next_training_forward():
    labels = PageLabels(RetrainingOptions("interactive", every_pages=3, unlabeled="met"), is_against_met=True)
    for number in range(1, 21):
        labels.add_page(number, 0.9)
    labels.reset_counts()
    for number in (2, 5):
        labels.add_verdict(number, False)
    assert not labels.is_due
    labels.add_verdict(7, True)
    assert labels.is_due


def test_pages_cannot_join_by_their_relevance_and_be_the_unlabelled_ones():
    with pytest.raises(ValueError, match="FOCUSED_UNLABELED=met is for FOCUSED_RETRAINING=off or interactive"):
        read_options({"FOCUSED_UNLABELED": "met", "FOCUSED_RETRAINING": "automatic"})


# --- What it learns -------------------------------------------------------------------------------------------------
def words(rng: np.random.Generator, *vocabularies: list[str], n: int = 15) -> dict[str, int]:
    drawn = [word for each in vocabularies for word in rng.choice(each, n).tolist()]
    return dict(Counter(drawn))


def a_topic(rng: np.random.Generator) -> Topic:
    """Positives are pages of a web; the unlabelled pages are of another, so the words of the web look like the topic."""
    texts = [words(rng, TOPIC, OF_WEB) for _ in range(15)] + [words(rng, ELSEWHERE) for _ in range(60)]
    terms = [*TOPIC, *OF_WEB, *ELSEWHERE]
    rows = sparse.csr_matrix([[float(text.get(term, 0)) for term in terms] for text in texts])
    none, no_rows = sparse.csr_matrix((0, len(terms))), np.zeros(0, dtype=np.int64)
    topic = Topic("stars", "Stars", "en", [])
    topic.examples = TopicExamples(terms, rows, np.arange(75) < 15, no_rows, no_rows, none, none, none, none)
    topic.manifest = {"learner": "screened_svm"}
    return topic


def pages_met(rng: np.random.Generator, n: int = 60) -> tuple[list[JudgedPage], list[bool]]:
    """Every third page is relevant; every fourth was drawn, and of these none is."""
    pages, truth = [], []
    for number in range(1, n + 1):
        is_drawn = number % 4 == 0
        is_relevant = number % 3 == 0 and not is_drawn
        terms = words(rng, TOPIC if is_relevant else BESIDE, OF_WEB)
        pages.append(JudgedPage(number, f"http://h.org/{number}", 0.9, 1, 1, None, terms, is_drawn=is_drawn))
        truth.append(is_relevant)
    return pages, truth


def relevances(topic: Topic, pages: list[JudgedPage]) -> np.ndarray:
    terms = sorted({term for page in pages for term in page.terms})
    counts = sparse.csr_matrix([[float(page.terms.get(term, 0)) for term in terms] for page in pages])
    return relevance_of_counts(topic, terms, counts, "page")


def test_a_model_trained_against_the_pages_met_tells_the_topic_from_the_rest_of_the_web():
    rng = np.random.default_rng(0)
    topic = a_topic(rng)
    pages, _ = pages_met(rng)
    made = train_on_pages_met(topic, pages, {})
    unseen, truth = pages_met(rng)
    found = relevances(made, unseen)
    is_relevant = np.array(truth)
    assert found[is_relevant].min() > found[~is_relevant].max()
    accepted = found >= made.threshold("page")
    assert 0.8 <= accepted.sum() / is_relevant.sum() <= 1.25
    retraining = made.manifest["retraining"]
    assert retraining["n_drawn"] == 15
    assert retraining["n_unlabeled"] + retraining["n_left_aside"] == 60


def test_relevances_are_calibrated_to_the_share_of_the_pages_met(monkeypatch):
    """Drawn pages are told from followed ones, whatever stands between them, and examples are none of either."""
    rng = np.random.default_rng(0)
    topic = a_topic(rng)
    pages, _ = pages_met(rng)
    told = []

    def prior(positive, met, drawn, seen):
        told.append((len(positive), len(met), drawn.tolist(), seen.tolist()))
        return 0.3

    monkeypatch.setattr("focused.retraining.pages_met.prior_of_pages_met", prior)
    made = train_on_pages_met(topic, [*pages[:30], replace(pages[30], version=2, relevance=0.7), *pages[31:]], {})
    assert told == [(15, 60, [page.is_drawn for page in pages], [0.7])]
    assert made.model.calibrations["page"].prior == 0.3


@pytest.mark.parametrize("prior", [0.002, 0.3])
def test_no_version_loses_more_than_four_of_five_examples_however_rare_it_takes_the_topic_to_be(monkeypatch, prior):
    """Each is held out. The threshold gives way, and only where it must; what people say of pages keeps it."""
    rng = np.random.default_rng(0)
    topic, (pages, _) = a_topic(rng), pages_met(rng)
    monkeypatch.setattr("focused.retraining.pages_met.prior_of_pages_met", lambda *_: prior)
    made = train_on_pages_met(topic, pages, {})
    monkeypatch.setattr("focused.retraining.pages_met._LEAST_RECALL", 0.0)
    without = train_on_pages_met(topic, pages, {})
    assert (without.manifest["figures"]["recall"] < 0.2) == (prior == 0.002)
    assert made.manifest["figures"]["recall"] >= 0.2
    assert (made.threshold("page") < without.threshold("page")) == (prior == 0.002)
    assert np.array_equal(made.model.coef, without.model.coef)
    said = {page.number: False for page in pages[:3]}
    monkeypatch.setattr("focused.retraining.pages_met._LEAST_RECALL", 0.2)
    assert train_on_pages_met(topic, pages, said).threshold("page") >= 0.4


def test_a_version_calls_fewer_pages_relevant_where_those_before_it_called_too_many_so(monkeypatch):
    """The order of pages stays; examples that would be lost hold the threshold back, and what people say keeps it."""
    rng = np.random.default_rng(0)
    topic, (pages, truth) = a_topic(rng), pages_met(rng)
    monkeypatch.setattr("focused.retraining.pages_met._LEAST_RECALL", 0.0)

    def thresholds(verdicts: dict[int, bool], **options: bool) -> list[float]:
        found = []
        for of_others in (0.2, 0.75):  # what earlier versions said of pages that are not relevant
            met = [
                replace(page, version=2, relevance=0.85 if is_true else of_others)
                for page, is_true in zip(pages, truth, strict=True)
            ]
            made = train_on_pages_met(topic, met, verdicts, **options)
            found.append(made.threshold("page"))
            assert [
                row["is_chosen"] for row in made.manifest["figures"]["at_thresholds"] if row["threshold"] == found[-1]
            ]
        return found

    right, too_many = thresholds({})
    assert right < too_many <= 0.8
    right, too_many = thresholds({}, is_for_good=True)  # of `scrapy train --from-run`
    assert right == pytest.approx(too_many, abs=0.05)
    right, too_many = thresholds({page.number: False for page in pages[:3]})
    assert right == too_many <= 0.5


def test_the_same_pages_give_the_same_model():
    rng = np.random.default_rng(1)
    topic = a_topic(rng)
    pages, _ = pages_met(rng)
    first, second = (train_on_pages_met(topic, pages, {}, random_state=3) for _ in range(2))
    assert np.array_equal(first.model.coef, second.model.coef)
    assert first.model.calibrations == second.model.calibrations


def test_a_page_that_is_an_example_already_is_no_unlabelled_page_and_verdicts_stand_above_all():
    rng = np.random.default_rng(2)
    topic = a_topic(rng)
    assert topic.examples is not None
    row = topic.examples.pages[0].toarray()[0]
    terms = {term: int(n) for term, n in zip(topic.examples.terms, row, strict=True) if n}
    pages, _ = pages_met(rng)
    again = JudgedPage(61, "http://h.org/61", 0.9, 1, 1, None, terms)
    said = JudgedPage(62, "http://h.org/62", 0.9, 1, 1, None, words(rng, BESIDE, OF_WEB))
    made = train_on_pages_met(topic, [*pages, again, said], {62: True})
    assert made.examples is not None
    assert made.examples.positive.sum() == 16
    assert made.examples.pages.shape[0] + made.manifest["retraining"]["n_left_aside"] == 15 + 60 + 1


def test_of_a_long_crawl_the_latest_pages_are_learnt_from_and_all_that_were_drawn_or_have_a_verdict(monkeypatch):
    rng = np.random.default_rng(4)
    pages, _ = pages_met(rng, n=80)
    monkeypatch.setattr("focused.retraining.met_examples.MAX_MET", 20)
    made = train_on_pages_met(a_topic(rng), pages, {1: False})
    assert made.examples is not None
    # 20 latest, 15 drawn before them, one with a verdict, 15 positives of the topic.
    assert made.examples.pages.shape[0] + made.manifest["retraining"]["n_left_aside"] == 20 + 15 + 1 + 15


def test_what_was_left_aside_of_the_pages_met_does_not_speak_against_the_topic_when_it_is_trained_again():
    rng = np.random.default_rng(5)
    pages, truth = pages_met(rng)
    made = train_on_pages_met(a_topic(rng), pages, {})
    assert made.examples is not None
    assert made.manifest["retraining"]["n_left_aside"] >= 0.9 * sum(truth)
    kept = known_pages(made.examples, pages, dict.fromkeys(range(1, 61), False))
    assert sum(truth[number - 1] for number in kept) <= 0.1 * sum(truth)
    # It is given to a next crawl: half of what people judge there was met before.
    more, truth_of_more = pages_met(rng)
    met_again = [replace(page, number=page.number + 100) for page in more]
    judged = [*pages[:20], *met_again[:20]]
    labels = dict(zip([page.number for page in judged], [*truth[:20], *truth_of_more[:20]], strict=True))
    made.manifest["examples"] = {"unlabeled": {"n_pages": 1, "from_run": "first"}}
    again = Retraining(made, judged).train(labels, set(labels), widens=True)
    assert again.manifest["figures"]["prior"] == made.manifest["figures"]["prior"]
    assert again.manifest["retraining"]["errors_on_verdicts"]["new"] <= 2
    unseen, truth_of_unseen = pages_met(rng)
    accepted = relevances(again, unseen) >= again.threshold("page")
    assert (accepted == np.array(truth_of_unseen)).mean() > 0.95


def test_words_beside_the_examples_are_learnt_from_with_the_pages_met_and_are_no_page():
    rng = np.random.default_rng(6)
    topic, (pages, _) = a_topic(rng), pages_met(rng)
    named = a_topic(np.random.default_rng(6))
    named.manifest = {**named.manifest, "examples": {"words": {"terms": [TOPIC[0], "comet"]}}}
    without, found = (train_on_pages_met(each, pages, {}) for each in (topic, named))
    for word, at_least in ((TOPIC[0], 1.2), ("comet", 0.0)):
        weights = [dict(zip(each.terms, each.model.coef, strict=True)).get(word, 0.0) for each in (without, found)]
        assert weights[1] > at_least * weights[0]
    assert found.manifest["figures"]["n_positive"] == 15
    assert found.examples is not None
    assert without.examples is not None
    assert found.examples.pages.shape[0] == without.examples.pages.shape[0]


@pytest.mark.parametrize("n_judged", [40, 80])
def test_however_many_pages_a_careful_person_judges_the_pages_that_come_next_are_told_apart(n_judged):
    rng = np.random.default_rng(0)
    topic = a_topic(rng)
    rare = [f"rare{number}" for number in range(3000)]

    def hard(n: int) -> tuple[list[JudgedPage], np.ndarray]:
        """Pages with few words of their side and many that no other page has: a model knows those it has learnt by heart."""
        pages, truth = pages_met(rng, n)
        texts = [
            words(rng, TOPIC if is_relevant else BESIDE, TOPIC[:4], n=5)
            | words(rng, OF_WEB, n=10)
            | words(rng, rare, n=25)
            for is_relevant in truth
        ]
        return [replace(page, terms=terms) for page, terms in zip(pages, texts, strict=True)], np.array(truth)

    pages, truth = hard(80)
    made = train_on_pages_met(topic, pages, {n: bool(truth[n - 1]) for n in range(1, n_judged + 1)})
    unseen, is_relevant = hard(200)
    accepted = relevances(made, unseen) >= made.threshold("page")
    assert (accepted == is_relevant).mean() > 0.9


def test_too_few_drawn_pages_say_nothing_of_the_web():
    rng = np.random.default_rng(3)
    pages, _ = pages_met(rng, n=16)
    with pytest.raises(ValueError, match=f"At least {MIN_PAGES} pages that were drawn are needed. Got 4."):
        train_on_pages_met(a_topic(rng), pages, {})


def test_examples_of_some_pages_have_the_links_among_them_and_the_terms_of_both():
    ones = sparse.csr_matrix(np.eye(4))
    links = sparse.csr_matrix(np.eye(4)[[3, 1]])
    examples = TopicExamples(
        *(["a", "b", "c", "d"], ones, np.array([True, True, False, False]), np.array([0, 2]), np.array([1, 3])),
        *(links, links, links, links),
    )
    cut = examples.where(np.array([True, True, False, False]))
    assert (cut.terms, cut.pages.toarray().tolist()) == (["a", "b", "d"], [[1, 0, 0], [0, 1, 0]])
    assert (cut.sources.tolist(), cut.targets.tolist()) == ([0], [1])
    assert cut.anchors.toarray().tolist() == [[0, 0, 1]]
    bare = examples.without_links()
    assert (bare.n_links, bare.anchors.shape, bare.pages.shape) == (0, (0, 4), (4, 4))
    assert examples.where(np.array([False, False, True, True]), keeps_terms=1).terms == ["a", "b", "c", "d"]


# --- A whole crawl --------------------------------------------------------------------------------------------------
ORIGIN = "http://site.example"
N = 60
SETTINGS = {"CONCURRENT_REQUESTS": 1, "FOCUSED_METRICS_INTERVAL_SECS": 0, "FOCUSED_UNLABELED": "met"}


def a_text(region: str, number: int) -> str:
    rng = np.random.default_rng([len(region), number])
    about = TOPIC if region == "stars" else BESIDE
    return " ".join(rng.permutation([*rng.choice(about, 15), *rng.choice(OF_WEB, 15)]).tolist())


@pytest.fixture(scope="module")
def web(tmp_path_factory) -> Path:
    """A home page; a tree of pages about stars and one about rocks, with links from one to the other."""
    warc = Warc(tmp_path_factory.mktemp("web") / "site.warc.gz")
    warc.page(f"{ORIGIN}/", html("Welcome.", (f"{ORIGIN}/stars/0", "first"), (f"{ORIGIN}/rocks/0", "second")))
    for region, other in (("stars", "rocks"), ("rocks", "stars")):
        for number in range(N):
            links = [(f"{ORIGIN}/{other}/{(number * 7) % N}", "elsewhere")]
            links += [(f"{ORIGIN}/{region}/{k}", "more") for k in (2 * number + 1, 2 * number + 2) if k < N]
            warc.page(f"{ORIGIN}/{region}/{number}", html(a_text(region, number), *links))
    return warc.indexed()


@pytest.fixture(scope="module")
def models(tmp_path_factory) -> Path:
    """A topic whose unlabelled pages are of another web."""
    folder = tmp_path_factory.mktemp("models")
    rng = np.random.default_rng(5)
    texts = {
        "p": [a_text("stars", 1000 + number) for number in range(15)],
        "u": [" ".join(rng.choice(ELSEWHERE, 30).tolist()) for _ in range(60)],
    }
    for name, each in texts.items():
        (folder / f"{name}.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in each))
    made = scrapy(
        *("train", "stars", "--positive", "p.jsonl", "--unlabeled", "u.jsonl", "--seeds", f"{ORIGIN}/", "--quiet"),
        *("--quick", "--language", "en"),
        cwd=folder,
        env=environment(folder / "models"),
    )  # fmt: skip
    assert made.exit_code == 0, made.err
    for name, keywords in (("words", " ".join(TOPIC[:4])), ("nowhere", "zyx wvu")):
        made = scrapy(
            *("train", name, "--keywords", keywords, "--seeds", f"{ORIGIN}/", "--quiet", "--quick", "--language", "en"),
            *("--unlabeled", "u.jsonl"),
            cwd=folder,
            env=environment(folder / "models"),
        )  # fmt: skip
        assert made.exit_code == 0, made.err
    return folder / "models"


def rows_of(run_dir: Path) -> list[dict[str, str]]:
    with (run_dir / "fetched.csv").open() as file:
        return list(csv.DictReader(file))


@pytest.mark.slow
def test_a_crawl_learns_what_on_its_web_is_not_the_topic_and_says_which_pages_it_drew(web, models, tmp_path):
    def crawled(name: str, **settings: object) -> list[dict[str, str]]:
        run_dir = tmp_path / name
        done = crawl(
            *(models, tmp_path),
            settings={**SETTINGS, **settings},
            strategy="best_first",
            web=web,
            run_dir=run_dir,
            max_pages=100,
        )
        assert done.exit_code == 0
        return rows_of(run_dir)

    against_topic, against_met = crawled("topic", FOCUSED_UNLABELED="topic"), crawled("met")
    late = against_met[45:]
    right = [(row["relevant"] == "1") == ("/stars/" in row["url"]) for row in late]
    assert sum(right) >= 0.9 * len(late)
    assert sum(row["relevant"] == "1" for row in against_topic) > 1.5 * sum(
        "/stars/" in row["url"] for row in against_topic
    )
    harvest = json.loads((tmp_path / "met" / "run.json").read_text())["harvest"]
    truth = sum("/stars/" in row["url"] for row in against_met) / len(against_met)
    assert harvest["low"] <= truth <= harvest["high"]
    with (tmp_path / "met" / "harvest.csv").open() as file:
        shown = {int(row["pages"]): row["estimated"] for row in csv.DictReader(file)}
    assert [n for n, share in shown.items() if not share] == [10, 20]
    assert float(shown[100]) == harvest["share"]  # estimated once more at the end, 20 pages after the last training
    drawn = [row for row in against_met if row["link_reason"] == "look around"]
    assert not any(row["link_reason"] == "look around" for row in against_topic)
    pages, _ = read_record(tmp_path / "met" / RETRAINING_FILE)
    assert [page.url for page in pages if page.is_drawn] == [row["url"] for row in drawn]
    assert MIN_PAGES <= len(drawn) <= n_drawn_wanted(100)


@pytest.mark.slow
def test_a_crawl_that_ends_before_it_has_learnt_from_its_web_says_that_its_harvest_is_a_guess(web, models, tmp_path):
    settings = {"strategy": "best_first", "web": web}
    short = crawl(models, tmp_path, settings=SETTINGS, **settings, run_dir=tmp_path / "short", max_pages=12)
    longer = crawl(models, tmp_path, settings=SETTINGS, **settings, run_dir=tmp_path / "longer", max_pages=30)
    for done, is_warned in ((short, True), (longer, False)):
        assert "The harvest is estimated from some page after the 20th on" in done.err
        assert ("how many of them are relevant is a guess" in done.err) is is_warned
    found = re.search(r"until it has, a page is relevant from (0\.\d+) on, which half of the examples reach", short.err)
    assert found
    rows = rows_of(tmp_path / "short")
    assert all((row["relevant"] == "1") == (float(row["relevance"]) >= float(found[1])) for row in rows)
    stricter = crawl(
        models,
        tmp_path,
        settings={**SETTINGS, "FOCUSED_RELEVANCE_THRESHOLD": 0.2},
        **settings,
        run_dir=tmp_path / "low",
        max_pages=12,
    )
    assert "yet, so most of its pages may look relevant" in stricter.err
    assert "the harvest is probably too high" in stricter.err


@pytest.mark.slow
def test_a_crawl_that_is_resumed_draws_as_many_as_one_that_never_stopped(web, models, tmp_path):
    for run, max_pages in (("whole", 60), ("parts", 30), ("parts", 60)):
        common = {"strategy": "adaptive", "web": web, "run_dir": tmp_path / run, "max_pages": max_pages}
        assert crawl(models, tmp_path, settings=SETTINGS, **common).exit_code == 0
    whole, parts = (rows_of(tmp_path / run) for run in ("whole", "parts"))
    drawn = [sum(row["link_reason"] == "look around" for row in rows) for rows in (whole, parts)]
    assert len(parts) == 60
    # What came of the links it met, the strategy remembers itself: it must not be told twice.
    made = load_topic("stars", tmp_path / "whole" / "versions" / "2").examples
    assert made is not None
    assert made.pages.shape[0] > 20
    assert made.n_links == 0
    assert abs(drawn[0] - drawn[1]) <= 1


@pytest.mark.slow
def test_a_crawl_that_ends_is_judged_by_a_model_of_all_its_pages_and_resumed_with_the_one_before(web, models, tmp_path):
    run_dir = tmp_path / "run"

    def ended(max_pages: int) -> tuple[list[int], list[int], int, float]:
        """Return the trained versions, those that judge the collection, its relevant pages, and the harvest."""
        settings = {**SETTINGS, "FOCUSED_COLLECTION": "on"}
        common = {"strategy": "best_first", "web": web, "run_dir": run_dir, "max_pages": max_pages}
        assert crawl(models, tmp_path, settings=settings, **common).exit_code == 0
        with CollectionView(run_dir) as view:
            rows = list(view.pages())
        found = [each.version for each in read_attempts(run_dir)], sorted({row["model_version"] for row in rows})
        harvest = json.loads((run_dir / "run.json").read_text())["harvest"]
        return *found, sum(row["relevant"] for row in rows), harvest["share"]

    trained, judges, n_relevant, share = ended(55)
    assert (trained, judges) == ([2, 3], [4])
    assert last_version(run_dir) == 4
    assert abs(n_relevant - 55 * share) <= 1  # as many as the harvest says that the crawl shows
    trained, judges, *_ = ended(59)
    assert (trained, judges) == ([2, 3], [5])
    assert {row["model_version"] for row in rows_of(run_dir)[55:]} == {"3"}
    trained, judges, *_ = ended(59)  # nothing new: what the later version has judged stands
    assert (trained, judges) == ([2, 3], [5])
    assert [each.version for each in read_attempts(run_dir)] == [2, 3]


@pytest.mark.slow
def test_a_training_that_is_due_at_the_last_page_of_a_crawl_is_waited_for_and_judges_its_pages(web, models, tmp_path):
    run_dir = tmp_path / "run"
    settings = {**SETTINGS, "FOCUSED_COLLECTION": "on"}
    assert crawl(models, tmp_path, settings=settings, web=web, run_dir=run_dir, max_pages=80).exit_code == 0
    trained = read_attempts(run_dir)
    assert [(each.version, each.n_pages, each.accepted) for each in trained] == [
        (2, 20, True),
        (3, 40, True),
        (4, 60, True),
        (5, 80, True),
    ]
    with CollectionView(run_dir) as view:
        assert {row["model_version"] for row in view.pages()} == {5}
    assert json.loads((run_dir / "run.json").read_text())["harvest"]["share"] == round(trained[-1].harvest["share"], 4)


@pytest.mark.slow
def test_a_topic_can_be_trained_for_good_against_the_pages_that_a_crawl_met(web, models, tmp_path):
    own = tmp_path / "models"
    shutil.copytree(models, own)
    crawl(own, tmp_path, settings=SETTINGS, strategy="best_first", web=web, run_dir=tmp_path / "met", max_pages=60)
    report = scrapy("report", str(tmp_path / "met"), cwd=tmp_path, env=environment(own))
    assert report.exit_code == 0, report.err
    assert "Each was trained against the pages met by then" in (tmp_path / "met" / "report.html").read_text()
    made = scrapy("train", "stars", "--from-run", str(tmp_path / "met"), cwd=tmp_path, env=environment(own))
    assert made.exit_code == 0, made.err
    found = load_topic("stars", own).manifest["retraining"]["harvest"]  # the crawl said as much
    assert f"About {found['share']:.0%} of the pages met are relevant: {found['low']:.0%} to " in made.out
    topic = load_topic("stars", own)
    assert topic.manifest["examples"]["unlabeled"]["from_run"] == "met"
    assert not RetrainingOptions().is_against_met(topic)
    again = scrapy("train", "stars", "--from-run", str(tmp_path / "met"), cwd=tmp_path / "a", env=environment(own))
    assert again.exit_code == 1
    assert "Nothing new was learnt" in again.err
    argv = ("train", "stars", "--from-run", str(tmp_path / "met"))
    (tmp_path / "met" / "verdicts").mkdir()
    refused = next(row["url"] for row in rows_of(tmp_path / "met") if "/stars/" not in row["url"])
    (tmp_path / "met" / "verdicts" / "ann.csv").write_text(f"{refused},no\n")
    judged = scrapy(*argv, cwd=tmp_path / "j", env=environment(own))
    assert judged.exit_code == 0, judged.err  # without --force: it was trained from this very run
    settings = {**SETTINGS, "FOCUSED_UNLABELED": "auto"}
    crawl(own, tmp_path, settings=settings, strategy="best_first", web=web, run_dir=tmp_path / "next", max_pages=40)
    rows = rows_of(tmp_path / "next")
    assert not any(row["link_reason"] == "look around" for row in rows)
    right = [(row["relevant"] == "1") == ("/stars/" in row["url"]) for row in rows]
    assert sum(right) >= 0.9 * len(right)


# --- A topic from words ---------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def for_words(web, models, tmp_path_factory) -> Path:
    """The run directory of a crawl for a topic from words."""
    folder = tmp_path_factory.mktemp("words")
    settings = {"topic": "words", "strategy": "best_first", "web": web, "run_dir": folder / "met"}
    done = crawl(models, folder, settings=SETTINGS, **settings, max_pages=60)
    assert done.exit_code == 0, done.err
    return folder / "met"


@pytest.mark.slow
def test_a_crawl_for_words_learns_what_stands_beside_them_and_draws_links_until_it_has_met_one(models, for_words):
    rows = rows_of(for_words)
    first = next(number for number, row in enumerate(rows) if "/stars/" in row["url"])
    drawn = [number for number, row in enumerate(rows) if row["link_reason"] == "look around"]
    assert len(drawn) <= (first + 3) // 2  # every other, and one that was on its way
    before, after = load_topic("words", models), load_topic("words", for_words / "versions" / "2")
    beside = [term for term in TOPIC[4:] if term in after.terms]
    strength = dict(zip(after.terms, after.model.coef, strict=True))
    assert not set(beside) & set(before.terms)
    assert len(beside) > 10
    assert np.mean([strength[term] for term in beside]) > 0 > np.mean([strength[term] for term in BESIDE])


def looks_in_40_pages() -> None:
    words_not_found.ENOUGH_PAGES = 40


@pytest.mark.slow
def test_one_line_says_how_many_pages_the_last_model_delivers_and_takes_back(web, models, tmp_path):
    generous = {**SETTINGS, "FOCUSED_RELEVANCE_THRESHOLD": 0.1}
    done = crawl(models, tmp_path, settings=generous, strategy="best_first", web=web, max_pages=60)
    n_less = done.stats["focused/collection/withdrawn_count"]
    assert n_less > 0
    assert f" more are delivered, {n_less} no longer" in done.err
    assert "lines taken out" not in done.err  # of a file that has its new lines already: another count of the same


@pytest.mark.slow
def test_a_crawl_for_words_that_no_page_holds_ends_and_names_them(web, models, tmp_path):
    common = {"topic": "nowhere", "strategy": "best_first", "web": web}
    run_dir = tmp_path / "many"
    done = crawl(
        *(models, tmp_path), settings=SETTINGS, **common, run_dir=run_dir, max_pages=100, before=looks_in_40_pages
    )
    assert 40 <= len(rows_of(run_dir)) < 50
    assert "none of the topic's words stands in any of the 40 pages met: zyx wvu." in done.err
    assert "Finished (words_not_found)" in done.err
    assert done.exit_code == 1
    assert "With what is left of the budgets" not in done.err  # the crawl would not go on like this
    drawn = sum(row["link_reason"] == "look around" for row in rows_of(run_dir))
    assert 15 <= drawn <= 25
    short = crawl(models, tmp_path, settings=SETTINGS, **common, run_dir=tmp_path / "few", max_pages=30)
    assert "None of the topic's words stands in the 30 pages met: zyx wvu" in short.err


@pytest.mark.slow
def test_a_topic_from_words_can_be_trained_for_good_with_the_pages_that_a_crawl_met(models, for_words, tmp_path):
    own = tmp_path / "models"
    shutil.copytree(models, own)
    shutil.copytree(for_words, tmp_path / "met")
    made = scrapy("train", "words", "--from-run", str(tmp_path / "met"), cwd=tmp_path, env=environment(own))
    assert made.exit_code == 0, made.err
    topic = load_topic("words", own)
    assert topic.manifest["examples"]["unlabeled"]["from_run"] == "met"
    assert set(TOPIC[:4]) < set(topic.terms)
    assert len(topic.terms) > len(load_topic("words", models).terms)
    # People's word is learnt from as well, also where links were drawn.
    rows = rows_of(tmp_path / "met")
    assert any(row["link_reason"] == "look around" for row in rows)
    said = {row["url"]: "/stars/" in row["url"] for row in rows[-24:]}
    (tmp_path / "met" / "verdicts").mkdir()
    lines = [json.dumps({"url": url, "relevant": relevant}) for url, relevant in said.items()]
    (tmp_path / "met" / "verdicts" / "ann.jsonl").write_text("".join(f"{line}\n" for line in lines))
    shutil.rmtree(own)
    shutil.copytree(models, own)
    argv = ("train", "words", "--from-run", str(tmp_path / "met"), "--force")
    made = scrapy(*argv, cwd=tmp_path, env=environment(own))
    assert made.exit_code == 0, made.err
    n_yes = sum(said.values())
    assert f"{n_yes} pages that people said yes to are the topic's examples now" in made.out
    assert f"Of {24 - n_yes} pages that people judged {24 - n_yes} stand on their side" in made.out
    topic = load_topic("words", own)
    assert (topic.keyword_terms, int(topic.examples.positive.sum())) == ([], n_yes)
