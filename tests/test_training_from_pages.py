"""Pages to a topic: what is learnt, what the manifest says, and that neither clock nor order leaves a trace."""

from __future__ import annotations

import json
import platform
import random
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from focused.method.page.reader import PageReader
from focused.method.text.analyzer import TERMS
from focused.method.text.background import Background, load_background
from focused.method.topic import Topic, load_topic
from focused.method.topic.judge import Judge
from focused.method.training.example_content import PageContent, Refusals
from focused.method.training.example_sources import Candidate, OpenSources, candidates_at
from focused.method.training.from_pages import BACKGROUND_PRIOR, LearntModel, learn
from focused.method.training.page_set import ExampleReader, PageSet, urls_of
from focused.method.training.trained_topic import make_topic, versions

STARS = "star moon galaxy comet orbit telescope nebula planet".split()
OTHERS = "bread cheese onion butter window engine garden river market football trumpet history law".split()
COMMON = "people time place number water light question report letter morning".split()
N_POSITIVE, N_UNLABELED = 15, 90


def body(random_: random.Random, topical: bool, links: list[str]) -> bytes:
    words = COMMON * 3 + random_.choices(STARS if topical else OTHERS, k=25)
    random_.shuffle(words)
    anchors = "".join(f'<p>{random_.choice(OTHERS)} <a href="{url}">{anchor_of(url)}</a></p>' for url in links)
    return f"<html><title>{words[0]}</title><p>{' '.join(words)}</p>{anchors}</html>".encode()


def is_topical(url: str) -> bool:
    return "/p" in url or int(url.rpartition("u")[2]) % 6 == 0


def anchor_of(url: str) -> str:
    return "galaxy of stars" if is_topical(url) else "kitchen garden"


@pytest.fixture(scope="module")
def site() -> dict[str, bytes]:
    """A made-up site: pages p are about stars, and so is every sixth of the pages u; some link to others."""
    draw = random.Random(0)
    urls = [f"http://h.org/p{n}" for n in range(N_POSITIVE)] + [f"http://h.org/u{n}" for n in range(N_UNLABELED)]
    return {url: body(draw, is_topical(url), draw.sample(urls, 12) if draw.random() < 0.3 else []) for url in urls}


def candidates(site: dict[str, bytes], kind: str) -> list[Candidate]:
    return [
        Candidate(url, url, lambda url=url: PageContent(url, site[url], "text/html"))
        for url in site
        if url.startswith(f"http://h.org/{kind}")
    ]


def read(site: dict[str, bytes]) -> tuple[PageSet, PageSet]:
    positive, unlabeled = candidates(site, "p"), candidates(site, "u")
    wanted = urls_of([*positive, *unlabeled])
    reader = ExampleReader("en")
    positives = reader.positives(positive, Refusals(), wanted)
    return positives, reader.unlabeled(unlabeled, Refusals(), wanted, positives)


@pytest.fixture(scope="module")
def sets(site: dict[str, bytes]) -> tuple[PageSet, PageSet]:
    return read(site)


@pytest.fixture(scope="module")
def learnt(sets: tuple[PageSet, PageSet]) -> LearntModel:
    return learn(*sets)


def topic_of(learnt: LearntModel, positive: PageSet, unlabeled: PageSet | Background, **options) -> Topic:
    return make_topic(
        Topic("stars", "Stars", "en", ["http://h.org/"]),
        learnt,
        positive,
        unlabeled,
        command="scrapy train x",
        **options,
    )


def test_pages_of_the_topic_are_told_from_others(learnt: LearntModel, sets: tuple[PageSet, PageSet]) -> None:
    topic = topic_of(learnt, *sets)
    draw, judge, reader = random.Random(99), Judge(topic), PageReader(topic.analyzer)
    relevant = [judge.judge(reader.read(body(draw, True, []), "http://x.org/")) for _ in range(20)]
    others = [judge.judge(reader.read(body(draw, False, []), "http://x.org/")) for _ in range(20)]
    assert all(page.is_relevant for page in relevant)
    assert not any(page.is_relevant for page in others)


def test_strongest_terms_are_named_by_their_stems(learnt: LearntModel) -> None:
    strongest_for, strongest_against = learnt.strongest()
    assert {term for term, _ in strongest_for[:5]} <= {"star", "moon", "galaxi", "comet", "orbit", "telescop"} | {
        "nebula",
        "planet",
    }
    weights = [weight for _, weight in strongest_for]
    assert weights == sorted(weights, reverse=True)
    assert all(weight < 0 for _, weight in strongest_against)


def test_links_among_the_pages_are_learnt_from(learnt: LearntModel, sets: tuple[PageSet, PageSet]) -> None:
    n_links = sum(len(page.links) for pages in sets for page in pages.pages)
    assert learnt.model.figures.n_links == n_links > 200
    calibration = learnt.model.calibrations["anchor"]
    assert calibration.n_examples == n_links
    columns = {term: column for column, term in enumerate(learnt.terms)}
    counts = np.zeros((2, len(columns)), dtype=np.int64)
    counts[0, [columns["galaxi"], columns["star"]]] = 1
    counts[1, [columns["kitchen"], columns["garden"]]] = 1
    decisions, n_known = learnt.model.decisions(sparse.csr_matrix(counts))
    good, bad = learnt.model.relevance("anchor", decisions, n_known)
    assert good >= calibration.threshold
    assert good > 2 * bad


def test_links_to_pages_that_were_refused_are_none(site: dict[str, bytes]) -> None:
    broken = {url: b"" if url == "http://h.org/u0" else page for url, page in site.items()}
    positive, unlabeled = read(broken)
    assert len(unlabeled) == N_UNLABELED - 1
    n_to_it = sum(
        link.target == "http://h.org/u0" for pages in (positive, unlabeled) for p in pages.pages for link in p.links
    )
    assert n_to_it > 0
    n_links = sum(len(page.links) for pages in (positive, unlabeled) for page in pages.pages)
    assert learn(positive, unlabeled).model.figures.n_links == n_links - n_to_it


def test_the_same_pages_give_the_same_files_in_any_process(
    site: dict[str, bytes], learnt: LearntModel, sets: tuple[PageSet, PageSet], tmp_path: Path
) -> None:
    topic_of(learnt, *sets).save(tmp_path / "one")
    # Another history of the process gives the same terms other numbers.
    for term in ("zzz", "onion", "aaa", *(f"term{n}" for n in range(1000))):
        TERMS.intern(term)
    again = read(site)
    topic_of(learn(*again), *again).save(tmp_path / "two")
    one, two = ({p.name: p.read_bytes() for p in (tmp_path / name / "stars").iterdir()} for name in ("one", "two"))
    assert one == two


def test_another_random_state_gives_other_folds_and_says_so(
    learnt: LearntModel, sets: tuple[PageSet, PageSet], tmp_path: Path
) -> None:
    other = learn(*sets, random_state=7)
    topic = topic_of(other, *sets, random_state=7)
    assert topic.manifest["random_state"] == 7
    topic.save(tmp_path)
    assert load_topic("stars", tmp_path).manifest["random_state"] == 7


def test_a_trained_topic_judges_the_same_when_it_is_loaded(
    learnt: LearntModel, sets: tuple[PageSet, PageSet], site: dict[str, bytes], tmp_path: Path
) -> None:
    topic = topic_of(learnt, *sets)
    topic.save(tmp_path)
    loaded = load_topic("stars", tmp_path)
    for url in ("http://h.org/p0", "http://h.org/u0"):
        judged = [
            Judge(each).judge(PageReader(each.analyzer).read(site[url], url), ("block", "anchor", "context"))
            for each in (topic, loaded)
        ]
        assert judged[0].page == pytest.approx(judged[1].page, abs=1e-4)
        for name in ("blocks", "anchors", "contexts"):
            assert np.allclose(getattr(judged[0], name), getattr(judged[1], name), atol=1e-4)


def test_the_manifest_says_what_the_model_was_made_from(
    learnt: LearntModel, sets: tuple[PageSet, PageSet], tmp_path: Path
) -> None:
    positive, unlabeled = sets
    refusals = Refusals()  # of its own: other tests use these sets, too
    refusals.add("empty", "x.html")
    directory = topic_of(learnt, positive, replace(unlabeled, refusals=refusals)).save(tmp_path)
    manifest = json.loads((directory / "manifest.json").read_text())
    assert manifest["command"] == "scrapy train x"
    assert manifest["versions"] == versions()
    assert manifest["versions"]["python"] == platform.python_version()
    assert set(manifest["versions"]) >= {"focused", "scikit-learn", "numpy", "PyStemmer"}
    described = manifest["examples"]
    assert described["positive"]["n_pages"] == N_POSITIVE
    assert described["unlabeled"]["n_pages"] == N_UNLABELED
    assert sum(described["positive"]["languages"].values()) == N_POSITIVE
    assert described["unlabeled"]["refused"] == {"empty": 1}
    assert len(described["sha256"]) == 64
    figures = manifest["figures"]
    assert figures["n_positive"] == N_POSITIVE
    assert 0 <= figures["f1_low"] <= figures["f1"] <= figures["f1_high"] <= 1
    assert set(manifest["calibrations"]) == {"page", "block", "anchor", "context"}
    assert manifest["terms_for"][0][1] > 0 > manifest["terms_against"][0][1]


def test_the_digest_changes_with_the_examples_and_not_with_their_order(site: dict[str, bytes]) -> None:
    def digest(pages: dict[str, bytes]) -> str:
        positive, unlabeled = read(pages)
        topic = topic_of(LearntModel(model, terms), positive, unlabeled)
        return str(topic.manifest["examples"]["sha256"])

    first = read(site)
    found = learn(*first)
    model, terms = found.model, found.terms
    backwards = dict(reversed(site.items()))
    assert digest(site) == digest(backwards)
    assert digest(site) != digest(site | {"http://h.org/u1": b"<p>another garden"})


@pytest.mark.slow
def test_the_background_stands_in_for_unlabelled_pages(sets: tuple[PageSet, PageSet]) -> None:
    background = load_background()
    learnt = learn(sets[0], background)
    figures = learnt.model.figures
    assert figures.prior_is_assumed
    assert figures.prior == BACKGROUND_PRIOR
    assert figures.n_unlabeled == background.n_pages
    assert figures.n_links == 0  # what links among the positives lead to says nothing of what one leads to in a crawl
    topic = topic_of(learnt, sets[0], background)
    described = topic.manifest["examples"]
    assert described["background"] == {"background_sha256": background.sha256, "n_pages": background.n_pages}
    assert "unlabeled" not in described
    assert {"star", "galaxi"} <= {term for term, _ in learnt.strongest()[0]}


def test_background_counts_reach_the_terms_they_count(sets: tuple[PageSet, PageSet]) -> None:
    # A background in which the topic's words are everywhere and the others nowhere turns the model around.
    terms = sorted(["star", "moon", "galaxi", "comet", "zebra"])
    rows = np.tile([3 if term != "zebra" else 1 for term in terms], (60, 1))
    learnt = learn(sets[0], Background(terms, sparse.csr_matrix(rows)))
    weight = dict(zip([learnt.terms[c] for c in learnt.model.term_indices], learnt.model.coef.tolist(), strict=True))
    assert weight["star"] < weight["orbit"]
    assert weight["zebra"] < 0 < weight["planet"]


@pytest.mark.parametrize("learner", ["svm", "wvc"])
def test_other_learners_are_named_in_the_manifest(sets: tuple[PageSet, PageSet], learner: str) -> None:
    topic = topic_of(learn(*sets, learner=learner), *sets)
    assert topic.manifest["learner"] == learner
    assert (topic.manifest["figures"]["n_reliable_negatives"] is not None) == (learner == "wvc")


def test_what_cannot_be_learnt_is_one_line(sets: tuple[PageSet, PageSet]) -> None:
    lone = PageSet(pages=sets[0].pages[:1], digests=sets[0].digests[:1])
    empty = PageSet()
    for positive, unlabeled in ((lone, sets[1]), (sets[0], empty), (empty, sets[1])):
        with pytest.raises(ValueError, match=r"\S") as caught:
            learn(positive, unlabeled)
        assert "\n" not in str(caught.value)
    with pytest.raises(ValueError, match="oracle"):
        learn(*sets, learner="oracle")


def test_pages_of_a_folder_can_be_learnt_from(
    site: dict[str, bytes], sets: tuple[PageSet, PageSet], tmp_path: Path
) -> None:
    for url, page in site.items():
        if "/p" in url:
            (tmp_path / url[13:]).write_bytes(page)
    with ExitStack() as stack:
        found = candidates_at(tmp_path, OpenSources(Refusals(), None, stack))
        positive = ExampleReader("en").positives(found, Refusals(), urls_of(found))
    assert sorted(positive.digests) == sorted(sets[0].digests)


def test_unlabelled_pages_of_something_else_altogether_do_not_make_the_prior_zero(
    sets: tuple[PageSet, PageSet], site: dict[str, bytes]
) -> None:
    draw = random.Random(5)
    others = {f"http://h.org/u{n}": body(draw, False, []) for n in range(80)}
    positive, unlabeled = read({url: page for url, page in site.items() if "/p" in url} | others)
    learnt = learn(positive, unlabeled)
    assert learnt.model.figures.prior_is_assumed
    assert learnt.model.figures.prior == BACKGROUND_PRIOR
    topic = topic_of(learnt, positive, unlabeled)
    judged = Judge(topic).judge(PageReader(topic.analyzer).read(body(draw, True, []), "http://x.org/"))
    assert judged.page > 0.5
    # Where relevant pages hide among them, their share is estimated.
    assert not learn(*sets).model.figures.prior_is_assumed
