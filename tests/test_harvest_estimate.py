"""The harvest as the calibrated judge estimates it: holds the truth where it can be told, and says where it cannot."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hand_made import topic as hand_made_topic

from focused.crawl.harvest_so_far import HarvestSoFar
from focused.method.learning import share_of_relevant
from focused.method.learning.estimators.class_prior import estimate_prior, upper_gaussian
from focused.method.learning.share_of_relevant import estimate_share, prior_of_pages_met
from focused.method.topic import load_topic
from focused.method.topic.harvest_estimate import HarvestEstimate, of_relevances, with_pages_since
from focused.method.topic.weak_model import why_weak
from focused.utils.places import SHIPPED_MODELS_DIR

MET = HarvestEstimate(0.4, 0.3, 0.5)


def decisions(share: float, *, n: int = 280, apart: float = 3.0, seed: int = 0) -> tuple[np.ndarray, ...]:
    """Return decisions of 30 positives and of pages met, of which none that was drawn is relevant."""
    rng = np.random.default_rng(seed)
    drawn = np.arange(n) < 30
    relevant = ~drawn & (rng.random(n) < share * n / (n - 30))
    met = rng.normal(0, 1, n) + apart * relevant - 0.5 * drawn
    return rng.normal(apart, 1, 30), met, drawn, relevant


@pytest.mark.parametrize("share", [0.06, 0.3, 0.8])
def test_the_share_of_relevant_pages_is_found_whether_they_are_rare_or_most(share):
    n_held = 0
    for seed in range(6):
        positive, met, drawn, relevant = decisions(share, seed=seed)
        found = estimate_share(positive, met, drawn)
        n_held += found.low <= relevant.mean() <= found.high
        assert found.share == pytest.approx(relevant.mean(), rel=0.4, abs=0.03)
    assert n_held >= 4


def test_where_the_pages_cannot_be_told_apart_the_interval_says_so():
    clear, blurred = (estimate_share(*decisions(0.3, apart=apart)[:3]) for apart in (3.0, 0.7))
    assert blurred.high - blurred.low > 1.5 * (clear.high - clear.low)


def test_what_models_said_of_pages_before_they_learnt_from_them_moves_the_share_and_widens_its_interval():
    positive, met, drawn, _ = decisions(0.3)
    alone, seen = estimate_share(positive, met, drawn), estimate_share(positive, met, drawn, np.full(200, 0.05))
    assert seen.share < alone.share
    assert seen.high / seen.low > alone.high / alone.low


def test_where_nearly_all_that_a_crawl_finds_is_relevant_its_prior_is_nearer_to_the_truth_than_that_of_rare_topics(
    monkeypatch,
):
    """Followed pages all look like the topic, and more so than its examples: an overlap that stands for a rare topic."""
    rng = np.random.default_rng(0)
    drawn = np.arange(80) < 12
    met = np.where(drawn, rng.normal(-1, 0.7, 80), rng.normal(0.6, 0.7, 80))
    positive = rng.normal(0.3, 0.7, 30)
    rare, found, truth = estimate_prior(positive, met).prior, prior_of_pages_met(positive, met, drawn), 1 - 12 / 80
    monkeypatch.setattr(share_of_relevant, "share_by_drawn", lambda *_: None)  # the prior does not ask drawn pages
    share = estimate_share(positive, met, drawn).share
    assert abs(found - truth) < abs(rare - truth) - 0.1
    odds = [value / (1 - value) for value in (rare, share)]
    assert found / (1 - found) == pytest.approx((odds[0] * odds[1]) ** 0.5)


@pytest.mark.parametrize("seed", range(4))
def test_where_examples_and_pages_met_are_one_heap_most_pages_are_relevant(seed):
    """Two Gaussians find one heap, and take it for pages that are not relevant; topics are rare to `estimate_prior`."""
    rng = np.random.default_rng(seed)
    positive, met, drawn = rng.normal(-1.5, 1.5, 30), rng.normal(-1.6, 1.5, 160), np.arange(160) < 12
    assert upper_gaussian(positive, met) < 0.1
    assert estimate_prior(positive, met).prior < 0.1
    found = estimate_share(positive, met, drawn)
    assert found.share > 0.5
    assert found.high > 0.75


@pytest.mark.parametrize("seed", range(4))
def test_relevant_pages_of_another_kind_than_the_examples_are_counted_where_they_lie_apart(seed):
    """All of them look less like the topic than the examples do: shares among these would bound them at a tenth."""
    rng = np.random.default_rng(seed)
    drawn, relevant = np.arange(180) < 28, np.arange(180) >= 140
    met = np.where(relevant, rng.normal(-1.5, 0.6, 180), rng.normal(-6.4, 0.6, 180))
    positive = rng.normal(-0.5, 0.8, 30)
    assert estimate_prior(positive, met).prior < 0.12
    found = estimate_share(positive, met, drawn)
    assert found.share == pytest.approx(relevant.mean(), abs=0.05)
    assert found.low <= relevant.mean() <= found.high
    assert prior_of_pages_met(positive, met, drawn) == pytest.approx(found.share)


def test_a_heap_in_which_drawn_pages_lie_is_not_that_of_the_topic():
    """Pages of one template may look like the topic, too; of those that are drawn, many are of it."""
    rng = np.random.default_rng(0)
    drawn, of_template = np.arange(180) < 28, (np.arange(180) < 8) | (np.arange(180) >= 80)
    met = np.where(of_template, rng.normal(-1.5, 0.6, 180), rng.normal(-6.4, 0.6, 180))
    positive = rng.normal(-0.5, 0.8, 30)
    assert estimate_share(positive, met, drawn).share < 0.5 * of_template.mean()


def test_a_heap_above_the_examples_is_not_all_of_the_topic():
    """A few pages lie apart, above all examples: the other relevant pages lie with these, among the rest."""
    rng = np.random.default_rng(0)
    drawn = np.arange(100) < 28
    met = np.where(np.arange(100) >= 93, rng.normal(6, 0.5, 100), rng.normal(0, 0.6, 100))
    positive = rng.normal(0.3, 0.5, 30)
    assert prior_of_pages_met(positive, met, drawn) > 0.15


@pytest.mark.parametrize("seed", range(4))
def test_a_heap_that_lies_apart_and_looks_like_the_examples_is_the_topic_s_though_it_is_most_of_what_is_met(seed):
    """What earlier models said of its pages, and the least of many ratios, were too low for it."""
    rng = np.random.default_rng(seed)
    drawn, relevant = np.arange(200) < 24, np.arange(200) >= 50
    met = np.where(relevant, rng.normal(1.4, 0.8, 200), rng.normal(-2.8, 0.6, 200))
    found = estimate_share(rng.normal(1.2, 0.9, 30), met, drawn, np.full(150, 0.4))
    assert found.share == pytest.approx(relevant.mean(), abs=0.03)
    assert found.low <= relevant.mean() <= found.high


def test_a_heap_of_most_pages_that_looks_less_like_the_topic_than_the_examples_is_not_all_of_it():
    """On a forum about computers all threads may lie apart from its menus, and few of them are about graphics."""
    rng = np.random.default_rng(0)
    drawn = np.arange(200) < 24
    met = np.where(np.arange(200) >= 50, rng.normal(1.4, 0.8, 200), rng.normal(-2.8, 0.6, 200))
    assert estimate_share(rng.normal(2.6, 0.8, 30), met, drawn).share < 0.5


def test_pages_since_the_last_training_make_the_harvest_less_certain():
    since = [0.9] * 50
    later = with_pages_since(MET, 100, since, 150)
    assert later.share > MET.share
    assert later.high - later.low > MET.high - MET.low
    assert with_pages_since(MET, 150, [], 150) == MET


def test_the_harvest_is_not_known_before_the_first_training_and_known_after_it():
    estimate = HarvestSoFar(is_against_met=True)
    for _ in range(30):
        estimate.add(0.9, True)
    assert (estimate.now(), estimate.text()) == (None, "not known yet")
    estimate.note_training(20, {})  # a training of examples from other sites
    assert estimate.now() is None
    assert "the examples come from other sites" in estimate.why_not_yet
    estimate.note_training(30, MET._asdict())
    assert estimate.now() == MET
    assert estimate.text() == "0.40 (0.30 to 0.50)"


@pytest.mark.parametrize("n_relevant", [0, 1])
def test_where_no_page_looks_like_the_examples_nobody_knows_whether_there_are_none(n_relevant):
    estimate = HarvestSoFar(is_against_met=True)
    for _ in range(20):  # by the background, to which every page looks like the topic
        estimate.add(0.9, True)
    estimate.note_training(20, {"share": 0.01, "low": 0.0, "high": 0.03})
    for number in range(49):
        estimate.add(0.01, number < n_relevant)
    assert estimate.now() is not None
    estimate.add(0.01, False)
    assert (estimate.now() is None) == (n_relevant == 0)
    assert ("written in another way" in estimate.why_not_yet) == estimate.finds_no_relevant == (n_relevant == 0)
    estimate.add(0.9, True)
    assert estimate.now() is not None


def test_a_model_that_was_trained_on_its_web_says_its_harvest_by_its_relevances():
    estimate = HarvestSoFar()
    for number in range(100):
        assert (estimate.now() is None) is (number < 20)  # of a few pages no share is said
        estimate.add(0.7 if number % 2 else 0.1, bool(number % 2))
    assert tuple(estimate.now() or ()) == pytest.approx(of_relevances([0.1, 0.7] * 50, 0.5))


@pytest.mark.parametrize(
    ("examples", "settings", "why"),
    [
        ({"keywords": {"terms": ["star"]}}, {}, "a topic from words"),
        ({"background": {}}, {"FOCUSED_UNLABELED": "topic"}, "scrapy train --unlabeled, or FOCUSED_UNLABELED=met"),
        ({"unlabeled": {}}, {"FOCUSED_PAGE_CLASSIFIER": "a.b.C"}, "FOCUSED_PAGE_CLASSIFIER"),
        ({"unlabeled": {}}, {}, ""),
    ],
)
def test_where_nothing_tells_the_harvest_the_crawl_says_why(examples, settings, why):
    topic = hand_made_topic()
    topic.manifest |= {"examples": examples, "figures": {"f1": 0.9}}
    estimate = HarvestSoFar.of_crawl(topic, settings)
    assert why in estimate.why_unknown
    assert bool(why) is bool(estimate.why_unknown)


def test_a_worker_that_sees_a_part_of_the_pages_says_who_estimates_the_harvest_of_all():
    topic = hand_made_topic()
    topic.manifest |= {"examples": {"background": {}}, "figures": {"f1": 0.9}, "learner": "screened_svm"}
    topic.examples = SimpleNamespace(positive=np.ones(9, dtype=np.bool_))
    assert (
        "scrapy report postgresql://.../CRAWL says it of all"
        in HarvestSoFar.of_crawl(topic, {"FOCUSED_DATABASE": "postgresql://h/a"}).why_unknown
    )
    assert not HarvestSoFar.of_crawl(topic, {}).why_unknown


def test_a_resumed_crawl_knows_the_relevances_of_the_pages_before(tmp_path):
    path = tmp_path / "fetched.csv"
    rows = "".join(f"{n},u,{r},{int(r == 0.5)}\n" for n, r in enumerate([0.5, "", 0.25] * 10))
    path.write_text(f"number,url,relevance,relevant\n{rows}")
    estimate = HarvestSoFar()
    estimate.restore(path, 30)
    assert tuple(estimate.now() or ()) == pytest.approx(of_relevances([0.5, 0.0, 0.25] * 10, 1 / 3))


def test_shipped_topics_can_be_told_from_the_rest_and_pages_drawn_at_random_cannot():
    names = [path.parent.name for path in SHIPPED_MODELS_DIR.glob("*/manifest.json")]
    assert names
    assert not any(why_weak(load_topic(name, SHIPPED_MODELS_DIR).manifest["figures"]) for name in names)
    # 20 pages drawn at random from the unlabelled ones of a shipped topic, the best of eight draws; see the results.
    assert "F1 of 0.26" in why_weak({"f1": 0.26, "brier": 0.07, "prior": 0.07})
    assert "Brier skill of 0.04" in why_weak({"f1": 0.45, "brier": 0.107, "prior": 0.128})
    assert not why_weak({"share": 0.05})  # a topic from words has no such figures
