"""What the links among a topic's examples teach before the crawl."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import hand_made
import numpy as np
import pytest
from scipy import sparse

from focused.method.page.reader import PageReader
from focused.method.page.text_units import KINDS
from focused.method.page.url_features import hashed, place_key, url_features
from focused.method.scoring import Visit
from focused.method.strategies import make_strategy
from focused.method.strategies.linkmodel.examples import _ExampleMemory, learnt_prior
from focused.method.strategies.linkmodel.memory_tables import MAX_REFERRERS
from focused.method.strategies.linkmodel.page_links import PageLinks
from focused.method.strategies.linkmodel.prior import NO_PRIOR
from focused.method.strategies.linkmodel.session import LinkSession
from focused.method.text.analyzer import Analyzer
from focused.method.topic import EXAMPLES_FILE, Topic, TopicExamples, load_topic
from focused.method.topic.examples import N_PLACES
from focused.method.topic.judge import Judge

ROOT = Path(__file__).resolve().parent.parent


WORDS = ["go", "see"]  # of anchor texts; the topic knows neither
TERMS = [*hand_made.FOR, *hand_made.AGAINST, *WORDS]
N_EACH = 30


def counts(texts: list[list[str]]) -> sparse.csr_matrix:
    rows = np.zeros((len(texts), len(TERMS)))
    for row, text in enumerate(texts):
        for term in text:
            rows[row, TERMS.index(term)] += 1
    return sparse.csr_matrix(rows)


def places(urls: list[str]) -> np.ndarray:
    found = np.zeros((len(urls), N_PLACES), dtype=np.int64)
    for row, url in enumerate(urls):
        features = url_features(url)
        found[row, :2] = place_key(features.folder), place_key(features.host)
        found[row, 2 : 2 + len(features.columns)] = features.columns
    return found


def examples(*, anchors: bool = False, folders: bool = False) -> TopicExamples:
    """Pages about stars and about food, each with links to three of either; told apart by anchor text, by folder, or not."""
    n = 2 * N_EACH
    sources = np.repeat(np.arange(n), 6)
    targets = np.concatenate([[(s + k) % N_EACH + half for k in (1, 2, 3) for half in (0, N_EACH)] for s in range(n)])
    is_star = targets < N_EACH
    texts = counts([[WORDS[not star] if anchors else WORDS[row // 2 % 2]] for row, star in enumerate(is_star)])
    names = np.where(is_star, "right", "left") if folders else np.where(targets % 2, "right", "left")
    none = counts([[]] * len(targets))
    return TopicExamples(
        terms=TERMS,
        pages=counts([hand_made.FOR] * N_EACH + [hand_made.AGAINST] * N_EACH),
        positive=np.arange(n) < N_EACH // 2,
        sources=sources,
        targets=targets,
        anchors=texts,
        contexts=none,
        windows=texts,
        urls=none,
        places=places([f"http://h.org/{name}/{target}.html" for name, target in zip(names, targets, strict=True)]),
    )


def topic(found: TopicExamples | None) -> Topic:
    made = hand_made.topic()
    made.examples = found
    return made


def session(found: TopicExamples | None, **settings) -> LinkSession:
    return make_strategy("adaptive", settings).prepare(topic(found)).session()


def first_scores(found: LinkSession, *links: tuple[str, str]) -> list[float]:
    page = PageReader(Analyzer("en")).read(hand_made.html("Welcome.", *links), "http://h.org/", "text/html")
    relevance = Judge(hand_made.topic()).judge(page, KINDS)
    return found.score(page, relevance, Visit(urls=("http://h.org/",))).scores.tolist()


LINKS = [("/right/991.html", "go"), ("/left/992.html", "see")]


@pytest.mark.parametrize("what", ["anchors", "folders"])
def test_links_like_those_that_led_to_relevant_examples_come_first_from_the_first_page_on(what):
    better, worse = first_scores(session(examples(**{what: True})), *LINKS)
    assert better > worse + 0.05


@pytest.mark.parametrize(
    ("found", "settings"),
    [(None, {}), (examples(), {}), (examples(anchors=True, folders=True), {"FOCUSED_ADAPTIVE_EXAMPLES": 0.0})],
    ids=["no examples", "examples that tell nothing", "not wanted"],
)
def test_where_examples_teach_nothing_such_links_are_alike(found, settings):
    better, worse = first_scores(session(found, **settings), *LINKS)
    assert better == pytest.approx(worse, abs=0.02)


def test_few_links_teach_nothing():
    few = examples(anchors=True)
    texts = {name: getattr(few, name)[:9] for name in ("anchors", "contexts", "windows", "urls", "places")}
    assert learnt_prior(topic(replace(few, sources=few.sources[:9], targets=few.targets[:9], **texts)), 1.0) is NO_PRIOR


def test_the_more_an_example_counts_the_further_it_moves_the_weights():
    column = hashed("go") + 2**16
    found = [learnt_prior(topic(examples(anchors=True)), weight) for weight in (0.05, 0.2, 1.0)]
    weights = [each.terms()[column] for each in found]
    sureness = [each.sparse_penalty[each.columns == column].item() for each in found]
    assert 0 < weights[0] < weights[1] < weights[2]
    assert 3 < sureness[0] < sureness[1] < sureness[2]


def test_the_own_url_of_an_example_says_nothing():
    """A link to a relevant example is worth as much as one to a page beside it."""
    known, new = first_scores(session(examples(folders=True)), ("/right/0.html", "go"), ("/right/9.html", "go"))
    assert known == new


def test_what_the_crawl_finds_overrules_the_examples():
    """Examples say that what is called "go" leads to stars; in this crawl it leads to food."""
    found = session(examples(anchors=True), FOCUSED_ADAPTIVE_EVERY_PAGES=5)
    reader, judge = PageReader(Analyzer("en")), Judge(hand_made.topic())
    links = [(f"/x/{number}.html", WORDS[number % 2]) for number in range(120)]
    before = first_scores(found, *links)
    assert before[0] > before[1]
    for number in range(80):
        url = f"http://h.org/x/{number}.html"
        page = reader.read(hand_made.html(hand_made.STARS if number % 2 else hand_made.FOOD), url, "text/html")
        found.score(page, judge.judge(page, KINDS), Visit(urls=(url,)))
    go, see = first_scores(found, ("/x/100.html", "go"), ("/x/101.html", "see"))
    assert see > go


def test_topics_that_keep_no_places_teach_by_their_anchor_texts():
    better, worse = first_scores(session(replace(examples(anchors=True), places=None)), *LINKS)
    assert better > worse + 0.05


def test_damaged_examples_cost_what_they_could_teach_and_not_the_crawl(tmp_path: Path, caplog):
    directory = topic(examples()).save(tmp_path)
    (directory / EXAMPLES_FILE).write_bytes(b"damaged")
    with caplog.at_level(logging.WARNING):
        prepared = make_strategy("adaptive", {}).prepare(load_topic("stars", tmp_path))
    assert "adaptive begins without" in caplog.text
    assert len(first_scores(prepared.session(), *LINKS)) == 2


def test_places_are_saved_and_loaded(tmp_path: Path):
    found = examples(folders=True)
    topic(found).save(tmp_path)
    loaded = load_topic("stars", tmp_path).examples
    assert loaded is not None
    assert loaded.places is not None
    assert (loaded.places == found.places).all()


def test_hosts_and_folders_have_the_same_numbers_in_every_process():
    code = "from focused.method.page.url_features import place_key; print(place_key('h.org/right'))"
    numbers = {
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, check=True, env=os.environ | {"PYTHONHASHSEED": seed}
        ).stdout
        for seed in ("1", "2")
    }
    assert numbers == {f"{place_key('h.org/right')}{os.linesep}".encode()}


def test_only_what_needs_it_loads_scikit_learn_or_sparse_matrices():
    code = (
        "import sys, pathlib; from focused.method.strategies import make_strategy; from focused.method.topic import load_topic\n"
        "def loaded(): return [name for name in ('scipy.sparse', 'sklearn') if name in sys.modules]\n"
        "print(loaded()); make_strategy('adaptive').prepare(load_topic('demo', pathlib.Path('models'))); print(loaded())"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:2] == ["[]", "['scipy.sparse']"]


def test_examples_added_at_once_are_remembered_as_pages_added_one_by_one() -> None:
    given = load_topic("demo", ROOT / "models").examples
    assert given is not None
    n_pages = given.pages.shape[0]
    rng = np.random.default_rng(0)
    outcomes, logits = rng.random(n_pages), rng.normal(size=(given.n_links, 4))
    texts = [tuple(sorted(rng.choice(40, size=2, replace=False).tolist())) for _ in range(given.n_links)]
    at_once, one_by_one = _ExampleMemory(given), _ExampleMemory(given)

    at_once.add_examples(given, outcomes, logits, texts)

    for page in range(n_pages):
        rows = np.flatnonzero((given.sources == page) & (given.targets != page))
        rows = rows[np.unique(given.targets[rows], return_index=True)[1]]
        if not len(rows) and page not in given.targets:
            one_by_one.n_pages += 1
            one_by_one.relevance += float(outcomes[page])
            continue
        none, links = np.zeros(len(rows), dtype=np.int64), [str(target) for target in given.targets[rows]]
        anchors = [texts[row] for row in rows]
        one_by_one.add(PageLinks((str(page),), float(outcomes[page]), "", links, none, none, logits[rows], anchors))
    assert (at_once.links["n_referrers"] > MAX_REFERRERS).any()  # so the limit is part of what is compared
    assert (at_once.n_pages, at_once.relevance) == (one_by_one.n_pages, one_by_one.relevance)
    of_seeds = ("start", "branch")  # no example is a seed
    for name in at_once.links._kinds:
        if name not in of_seeds:
            np.testing.assert_array_equal(at_once.links[name], one_by_one.links[name], name)
    for name in at_once.evidence._kinds:
        np.testing.assert_array_equal(at_once.evidence[name], one_by_one.evidence[name], name)
    for kind, groups in at_once.groups.items():
        for name in groups.table._kinds:
            np.testing.assert_array_equal(groups.table[name], one_by_one.groups[kind].table[name], f"{kind} {name}")
