"""Retraining does not worsen what a topic decides: what a crawl's pages may move, and which new models are refused."""

from __future__ import annotations

import csv
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from commands import crawl, environment, scrapy
from test_retraining import OTHER_WORDS, STAR_WORDS, a_topic, judged, words

from focused.method.learning.held_out import Units, first_equal_rows, held_out_decisions
from focused.method.learning.learners import make_learner
from focused.method.learning.metrics import brier_score
from focused.method.topic import Topic, load_topic
from focused.retraining.acceptance import (
    AcceptanceFigures,
    HeldOutExamples,
    acceptance_figures,
    parts_of,
    why_forgets,
    without_contradicted,
)
from focused.retraining.acceptance_by_people import verdicts_decide, why_met_refused
from focused.retraining.augmentation import AugmentedExamples
from focused.retraining.drift import example_relevance
from focused.retraining.training import Retraining
from focused.retraining.training_child import train_version
from focused.retraining.training_task import Task

if TYPE_CHECKING:
    from pathlib import Path

    from focused.retraining.judged_pages import JudgedPage

FIRST = AcceptanceFigures(recall=0.95, f1=0.85, skill=0.7)
HIDDEN = 6


@pytest.fixture(scope="module")
def topic(tmp_path_factory) -> Topic:
    """About stars; of its 66 unlabelled pages six are relevant."""
    rng = np.random.default_rng(7)
    hidden = [judged(n, words(rng, STAR_WORDS)) for n in range(HIDDEN)]
    first = Retraining(a_topic(), hidden).train(dict.fromkeys(range(HIDDEN), False))
    first.manifest = {"learner": "screened_svm"}  # as if nothing were known of the unlabelled pages yet
    made = Retraining(first, []).train({})
    models = tmp_path_factory.mktemp("models")
    made.save(models)
    return load_topic("stars", models)


def met(about: list[str], numbers: range, seed: int = 3) -> list[JudgedPage]:
    rng = np.random.default_rng(seed)
    return [judged(n, words(rng, about)) for n in numbers]


def relevances(topic: Topic, model: Topic, pages: list[JudgedPage]) -> np.ndarray:
    assert topic.examples is not None
    labels = {page.number: True for page in pages}
    found = example_relevance(model, AugmentedExamples(topic.examples, pages).with_labels(labels))
    return found[topic.examples.pages.shape[0] :]


def test_pages_of_a_focused_crawl_do_not_move_the_share_of_relevant_pages_nor_their_relevance_down(topic):
    pages = met(STAR_WORDS, range(1, 101)) + met(OTHER_WORDS, range(101, 121))
    made = Retraining(topic, pages).train({page.number: page.number <= 100 for page in pages})
    assert made.manifest["figures"]["prior"] == topic.manifest["figures"]["prior"]
    new = met(STAR_WORDS, range(1, 61), seed=9)
    assert np.mean(relevances(topic, made, new) >= made.threshold("page")) > 0.9


def test_relevant_pages_that_are_taken_for_negatives_do_not_take_the_others_with_them(topic):
    # What a spiral does: pages of the topic join the other side, more with each training.
    pages = met(STAR_WORDS, range(1, 61))
    made = Retraining(topic, pages).train({page.number: page.number <= 30 for page in pages})
    new = met(STAR_WORDS, range(1, 61), seed=9)
    assert np.mean(relevances(topic, made, new) >= made.threshold("page")) > 0.9


@pytest.mark.parametrize(
    ("new", "names"),
    [
        (replace(FIRST, recall=0.6), "recall 0.600"),
        (replace(FIRST, f1=0.7), "F1 0.700"),
        (replace(FIRST, skill=0.4), "Brier skill 0.400"),
    ],
)
def test_a_model_that_decides_worse_is_refused_whichever_figure_tells(new, names):
    assert names in new.why_worse(FIRST, 0.02)
    assert new.why_worse(FIRST, 1.0) == ""


def test_what_chance_does_to_thirty_positives_is_no_reason_to_refuse():
    assert AcceptanceFigures(recall=0.9, f1=0.81, skill=0.65).why_worse(FIRST, 0.02) == ""


def test_verdicts_may_widen_a_topic_as_long_as_what_it_was_is_still_found():
    assert replace(FIRST, f1=0.5, skill=0.2).why_worse(FIRST, 0.02, widens=True) == ""
    assert replace(FIRST, recall=0.5).why_worse(FIRST, 0.02, widens=True)
    # Of a topic from words the examples are those that its words found.
    assert replace(FIRST, recall=0.0).why_worse(FIRST, 0.02, widens=True, is_assumed=True) == ""


def test_labels_that_the_topics_own_model_contradicts_do_not_join_but_verdicts_do(topic):
    pages = met(STAR_WORDS, range(1, 11)) + met(OTHER_WORDS, range(11, 21))
    right = {page.number: page.number <= 10 for page in pages}
    accepted = Retraining(topic, pages).accepted_before
    assert without_contradicted(accepted, right, ()) == right
    wrong = {number: not label for number, label in right.items()}
    assert without_contradicted(accepted, wrong, {3, 14}) == {3: False, 14: True}


def test_a_model_that_forgets_pages_that_joined_is_refused(topic):
    pages = met(STAR_WORDS, range(1, 21))
    labels = {page.number: True for page in pages}
    retraining = Retraining(topic, pages)
    assert why_forgets(retraining.accepted_before, labels, (), 0.02) == ""
    page = replace(topic.model.calibrations["page"], threshold=0.9999)
    strict = replace(topic, model=replace(topic.model, calibrations=topic.model.calibrations | {"page": page}))
    assert "20 of 20" in why_forgets(retraining.accepted(strict), labels, (), 0.02)
    assert why_forgets(retraining.accepted(strict), labels, set(labels), 0.02) == ""


def test_a_training_leaves_out_what_is_contradicted_and_says_what_the_model_decides(topic, tmp_path):
    stars, others = met(STAR_WORDS, range(1, 11)), met(OTHER_WORDS, range(11, 31))
    (tmp_path / "retraining.jsonl").write_text("".join(f"{page.to_line()}\n" for page in stars + others))
    # Five pages about stars are said to be none.
    task = a_task(topic, tmp_path, {page.number: page.number <= 5 for page in stars + others})
    found = train_version(task, topic, {})
    assert (found.accepted, found.n_contradicted, found.n_positive, found.n_negative) == (True, 5, 5, 20)
    made = load_topic("stars", tmp_path / "versions" / "2")
    assert found.decisions["new"]["recall"] == pytest.approx(acceptance_figures(made).recall, abs=1e-6)
    assert set(found.decisions) == {"new", "first"}
    # I18's alg. 2 has no veto: all pages join, and the model is used whatever it decides.
    as_printed = replace(task, version=3, has_veto=False, tolerance=0.0)
    printed = train_version(as_printed, topic, {})
    assert (printed.accepted, printed.n_contradicted, printed.n_positive, printed.n_negative) == (True, 0, 5, 25)


@pytest.mark.parametrize("by_a_coin", [False, True])
def test_verdicts_by_a_coin_bring_no_model_that_has_lost_the_topic(topic, tmp_path, by_a_coin):
    """Who says no to most pages agrees more with a model that refuses most of them, whichever they are."""
    rng = np.random.default_rng(0)
    pages = [
        replace(judged(n, words(rng, STAR_WORDS if n % 3 else OTHER_WORDS)), is_drawn=n % 4 == 0) for n in range(1, 121)
    ]
    said = {n: bool(rng.random() < 0.2) if by_a_coin else n % 3 != 0 for n in range(1, 81)}
    (tmp_path / "retraining.jsonl").write_text("".join(f"{page.to_line()}\n" for page in pages))
    task = replace(a_task(topic, tmp_path, said), verdicts=list(said), is_against_met=True)
    found = train_version(task, topic, {})
    errors = found.errors_on_verdicts
    assert errors["n_judged"] == 80  # slips included
    assert found.accepted is not by_a_coin
    if by_a_coin:
        assert errors["new"] < errors["first"]
        assert verdicts_decide(errors) is None
        assert "relevant; the topic's own model" in found.why
        made = replace(topic, manifest={"retraining": {"errors_on_verdicts": errors}, "figures": {"recall": 0.3}})
        assert why_met_refused(made, topic, topic)
        in_use = replace(topic, manifest={"figures": {"recall": 0.3}})
        assert why_met_refused(made, topic, in_use) == ""  # not worse than what judges now
        del made.manifest["retraining"]["errors_on_verdicts"]
        assert why_met_refused(made, topic, topic) == ""


def a_task(topic: Topic, run_dir: Path, labels: dict[int, bool]) -> Task:
    """The first training of a crawl."""
    assert topic.directory is not None
    return Task(
        version=2,
        in_use=1,
        topic="stars",
        models_dir=str(topic.directory.parent),
        run_dir=str(run_dir),
        n_bytes=10**9,
        labels={str(number): label for number, label in labels.items()},
        verdicts=[],
        tolerance=0.02,
        random_state=0,
        filters_label_noise=True,
        keeps_examples=False,
    )


def test_copies_of_a_page_are_judged_by_a_model_that_has_seen_none_of_them(topic):
    examples = topic.examples
    assert examples is not None
    hidden = np.flatnonzero(~examples.positive)[-HIDDEN:]
    n_own = len(examples.positive)
    texts = [
        dict(zip(examples.terms, examples.pages[row].toarray()[0].astype(int).tolist(), strict=True)) for row in hidden
    ]
    copies = [judged(n, {term: k for term, k in text.items() if k}) for n, text in enumerate(texts)]
    wide = AugmentedExamples(examples, copies).with_labels({page.number: True for page in copies})
    assert first_equal_rows(wide.pages)[n_own:].tolist() == hidden.tolist()
    learner = topic.manifest["learner"]
    model = make_learner(learner, 0).fit(wide.pages, wide.positive)
    (decisions,) = held_out_decisions(
        learner,
        model,
        wide.pages,
        wide.positive,
        [Units(wide.pages, np.arange(wide.pages.shape[0]))],
        n_folds=3,
        random_state=0,
        learnt_only=np.arange(wide.pages.shape[0]) >= n_own,
    )
    assert decisions[n_own:].tolist() == decisions[hidden].tolist()


def test_copies_of_examples_do_not_say_how_those_are_to_be_judged(topic):
    examples = topic.examples
    assert examples is not None
    part = np.where(parts_of(examples.positive, 0) == 0, 0, -1)  # one part is judged, all others are learnt from
    asked = np.flatnonzero(examples.positive & (part == 0))
    texts = [examples.pages[row] for row in asked.tolist()]
    copies = [
        judged(n, {examples.terms[j]: int(k) for j, k in zip(row.indices, row.data, strict=True)})
        for n, row in enumerate(texts)
    ]
    # Of each positive that is judged a copy that says the contrary: learnt, it would turn the order round.
    wide = AugmentedExamples(examples, copies).with_labels({page.number: False for page in copies})
    none_of_them = np.full(len(copies), -1)
    kept_part = np.concatenate([part, none_of_them])
    held_out = HeldOutExamples(topic.manifest["learner"], wide.pages, wide.positive, kept_part, 0)
    scores = [
        held_out.average_precision(np.concatenate([examples.positive, learnt_as]).astype(np.int8))
        for learnt_as in (none_of_them, np.zeros(len(copies)))
    ]
    assert scores[0] == scores[1] > 0.5


def test_the_brier_score_of_unlabelled_pages_is_that_of_the_labels_nobody_gave():
    rng = np.random.default_rng(4)
    is_relevant = rng.random(200_000) < 0.1
    relevance = np.clip(np.where(is_relevant, 0.7, 0.2) + rng.normal(0, 0.1, len(is_relevant)), 0, 1)
    true = np.mean((relevance - is_relevant) ** 2)
    shown = np.where(rng.random(20_000) < 1, 0.7, 0) + rng.normal(0, 0.1, 20_000)
    both = np.concatenate([np.clip(shown, 0, 1), relevance])
    positive = np.arange(len(both)) < len(shown)
    assert brier_score(both, positive, prior=0.1, prior_is_assumed=False) == pytest.approx(true, abs=0.003)
    background = np.concatenate([np.clip(shown, 0, 1), relevance[~is_relevant]])
    positive = np.arange(len(background)) < len(shown)
    assert brier_score(background, positive, prior=0.1, prior_is_assumed=True) == pytest.approx(true, abs=0.003)


@pytest.mark.slow
def test_a_crawl_that_is_retrained_by_relevance_still_calls_the_topics_pages_relevant(tmp_path):
    """On the demo web: a share of relevant pages that follows the crawl makes nine tenths of them irrelevant."""
    models = tmp_path / "models"
    home = "http://www.webring-central.example/"
    assert scrapy("demo", "--examples", "astronomy", "ex", cwd=tmp_path, env=environment(models)).exit_code == 0
    argv = ("--positive", "ex/positive.jsonl", "--unlabeled", "ex/unlabeled.jsonl", "--unlabeled-sample", "200")
    made = scrapy(
        *("train", "stars", *argv, "--seeds", home),
        *("--web", "demo", "--quick", "--quiet"),
        cwd=tmp_path,
        env=environment(models),
    )
    assert made.exit_code == 0, made.err
    settings = {"CONCURRENT_REQUESTS": 1, "FOCUSED_METRICS_INTERVAL_SECS": 0, "FOCUSED_RETRAINING": "automatic"}
    settings["FOCUSED_RETRAINING_EVERY_PAGES"] = 25
    run = crawl(models, tmp_path / "c", topic="stars", max_pages=90, settings=settings)
    assert run.exit_code == 0, run.err
    assert run.stats["focused/retraining/accepted_count"] >= 2
    with (run.run_dir / "fetched.csv").open(newline="") as file:
        relevant = [row["relevant"] == "1" for row in csv.DictReader(file)]
    assert sum(relevant) >= 0.9 * len(relevant)
    assert sum(relevant[-35:]) >= 0.85 * 35
