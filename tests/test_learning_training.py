from __future__ import annotations

import json
from dataclasses import asdict, replace

import numpy as np
import pytest
from scipy import sparse
from topics import N_TERMS, TOPICAL, pages, texts

from focused.method.learning.calibration import KINDS
from focused.method.learning.training import LinkExamples, ShareRule, ThresholdRule, TrainedModel, train_topic

pytestmark = pytest.mark.usefixtures("whole_intervals")


@pytest.fixture(scope="module")
def web():
    """Pages, and links between them whose anchors (three words) and contexts (twelve) are about their targets."""
    counts, y, relevant = pages(20, 300, words=20, seed=5)
    rng = np.random.default_rng(6)
    sources, targets = rng.integers(0, 320, 800), rng.integers(0, 320, 800)
    links = LinkExamples(sources, targets, texts(relevant[targets], 3, rng), texts(relevant[targets], 12, rng))
    return counts, y, links


@pytest.fixture(scope="module")
def model(web):
    counts, y, links = web
    return train_topic(counts, y, link_examples=links, random_state=1)


@pytest.fixture(scope="module")
def unseen():
    rng = np.random.default_rng(9)
    relevant = rng.random(600) < 0.1
    return relevant, {n_words: texts(relevant, n_words, rng) for n_words in (3, 12, 20, 40)}


def f1(relevant: np.ndarray, accepted: np.ndarray) -> float:
    return 2 * (relevant & accepted).sum() / (relevant.sum() + accepted.sum())


@pytest.mark.parametrize(("kind", "n_words", "least"), [("page", 20, 0.85), ("block", 12, 0.7), ("context", 12, 0.7)])
def test_unseen_texts_are_recognised_at_the_threshold_of_their_kind(model, unseen, kind, n_words, least):
    relevant, by_length = unseen
    relevance = model.relevance(kind, *model.decisions(by_length[n_words]))
    assert f1(relevant, relevance >= model.threshold(kind)) > least


@pytest.mark.parametrize(
    ("kind", "n_words"), [("page", 20), ("block", 12), ("block", 3), ("context", 12), ("anchor", 3)]
)
def test_relevance_is_a_probability_that_means_what_it_says(model, unseen, kind, n_words):
    relevant, by_length = unseen
    relevance = model.relevance(kind, *model.decisions(by_length[n_words]))
    assert relevance.mean() == pytest.approx(relevant.mean(), abs=0.05)
    base = relevant.mean() * (1 - relevant.mean())
    assert np.mean((relevance - relevant) ** 2) < 0.9 * base


def test_all_kinds_are_calibrated_and_unknown_text_has_the_prior_below_the_threshold(model):
    assert tuple(model.calibrations) == KINDS
    nothing = sparse.csr_matrix((1, N_TERMS))
    for kind, calibration in model.calibrations.items():
        relevance = model.relevance(kind, *model.decisions(nothing))[0]
        assert relevance == pytest.approx(calibration.prior)
        assert relevance < model.threshold(kind)
    assert model.calibrations["page"].prior == pytest.approx(model.figures.prior)


def test_the_ranking_of_pages_is_not_lost_to_rounding(model, unseen):
    decisions, n_known = model.decisions(unseen[1][40])
    relevance = model.relevance("page", decisions, n_known)
    assert len(np.unique(relevance)) == len(np.unique(np.column_stack([decisions, n_known]), axis=0))
    assert relevance.max() < 1


def test_the_figures_describe_the_training_and_enclose_the_truth(model, unseen):
    figures = model.figures
    assert (figures.n_positive, figures.n_unlabeled, figures.n_links, figures.n_folds) == (20, 300, 800, 10)
    assert figures.n_terms == len(model.term_indices)
    assert not figures.prior_is_assumed
    assert figures.prior_low <= 0.1 <= figures.prior_high
    relevant, by_length = unseen
    accepted = model.relevance("page", *model.decisions(by_length[20])) >= model.threshold("page")
    assert figures.f1_low <= f1(relevant, accepted) <= figures.f1_high
    for name in ("precision", "recall", "f1", "prior"):
        low, value, high = (getattr(figures, name + end) for end in ("_low", "", "_high"))
        assert 0 <= low <= value <= high <= 1
    json.dumps(asdict(figures))


def test_the_strongest_terms_for_are_the_topics_own(model):
    assert {column for column, _ in model.positive_terms[:10]} <= set(TOPICAL.tolist())
    assert len(model.positive_terms) == len(model.negative_terms) == 20
    assert not {column for column, _ in model.negative_terms} & set(TOPICAL.tolist())
    weights = [weight for _, weight in model.positive_terms]
    assert weights == sorted(weights, reverse=True)
    assert all(weight < 0 for _, weight in model.negative_terms)


def test_the_topic_vector_is_nearer_to_relevant_texts(model, unseen):
    relevant, by_length = unseen
    assert np.linalg.norm(model.topic_vector) == pytest.approx(1)
    cosine = model.rows(by_length[40]) @ model.topic_vector
    assert cosine[relevant].mean() > 1.5 * cosine[~relevant].mean()
    assert cosine.max() <= 1


def test_counts_and_vectors_alone_give_the_decision(model, web):
    text = web[0][3].toarray().ravel()[model.term_indices]
    x = np.where(text > 0, 1 + np.log(np.maximum(text, 1)), 0) * model.term_weights
    decision = model.intercept + x @ model.coef / np.sqrt(x @ x)
    decisions, n_known = model.decisions(web[0][3])
    assert decisions[0] == pytest.approx(decision)
    assert n_known[0] == (text > 0).sum()


@pytest.mark.slow
def test_the_same_seed_gives_the_same_model_also_on_two_processes(web, model):
    counts, y, links = web
    again = train_topic(counts, y, link_examples=links, random_state=1, n_jobs=2)
    assert (again.coef == model.coef).all()
    assert again.calibrations == model.calibrations
    assert again.figures == model.figures


def test_anchors_are_believed_less_than_blocks_where_no_link_shows_what_they_mean(web):
    counts, y, _ = web
    model = train_topic(counts, y)
    decision, n_known = np.array([1.0]), np.array([3])
    block, anchor = (model.relevance(kind, decision, n_known)[0] for kind in ("block", "anchor"))
    assert model.calibrations["anchor"].prior < anchor < block
    assert model.figures.n_links == model.calibrations["anchor"].n_examples == 0


def test_anchors_that_say_nothing_about_their_targets_stay_near_the_base_rate(web):
    counts, y, links = web
    rng = np.random.default_rng(0)
    misleading = replace(links, anchor_counts=links.anchor_counts[rng.permutation(800)])
    model = train_topic(counts, y, link_examples=misleading)
    relevance = model.relevance("anchor", *model.decisions(links.anchor_counts))
    assert np.quantile(relevance, 0.95) < 2.5 * model.calibrations["anchor"].prior


def test_a_background_takes_the_stated_prior(web):
    counts, y, _ = pages(15, 300, hidden=0.0, seed=7)
    model = train_topic(counts, y, share=ShareRule(assumed=0.2))
    assert model.figures.prior == model.figures.prior_low == model.figures.prior_high == 0.2
    assert model.figures.prior_is_assumed
    assert model.calibrations["page"].prior == pytest.approx(0.2)
    rng = np.random.default_rng(3)
    truth = rng.random(500) < 0.2
    relevance = model.relevance("page", *model.decisions(texts(truth, 40, rng)))
    assert f1(truth, relevance >= model.threshold("page")) > 0.9


@pytest.mark.parametrize("n_positive", [3, 10])
def test_few_positives_are_enough(n_positive, unseen):
    relevant, by_length = unseen
    counts, y, _ = pages(n_positive, 300, seed=8)
    model = train_topic(counts, y)
    accepted = model.relevance("page", *model.decisions(by_length[40])) >= model.threshold("page")
    assert f1(relevant, accepted) > (0.8 if n_positive == 10 else 0.5)
    assert model.figures.n_folds == n_positive


def test_the_voting_classifier_says_what_it_found(web):
    counts, y, _ = pages(20, 300, words=15, seed=4)
    model = train_topic(counts, y, learner="wvc")
    assert model.learner == "wvc"
    assert model.figures.n_reliable_negatives >= 20
    assert 0.2 <= model.figures.lambda_ < 1
    assert model.figures.n_iterations >= 1
    assert model.figures.termination == "no_new_negatives"


def test_learners_without_reliable_negatives_leave_their_figures_empty(web):
    counts, y, links = web
    model = train_topic(counts, y, link_examples=links, learner="logistic")
    assert model.figures.n_reliable_negatives is None
    assert model.figures.lambda_ is None


def test_positives_without_words_are_left_out_and_named_by_their_rows(web, model):
    counts, y, links = web
    emptied = counts.tolil()
    emptied[4] = 0
    without = train_topic(emptied.tocsr(), y, link_examples=links)
    assert without.figures.n_positive == 19
    assert without.left_out == (4,)
    assert model.left_out == ()
    gone = (links.source_rows == 4) | (links.target_rows == 4)
    assert without.figures.n_links == 800 - gone.sum()


def empty(n_rows: int) -> sparse.csr_matrix:
    return sparse.csr_matrix((n_rows, N_TERMS))


@pytest.mark.parametrize(
    ("counts", "y", "message"),
    [
        (pages()[0], np.zeros(220, bool), "There is no positive page"),
        (pages()[0], np.zeros(220, int), "There is no positive page"),
        (pages()[0], np.ones(220, bool), "No unlabelled page is left beside the 220 positive ones"),
        (sparse.vstack([empty(20), pages()[0][20:]]), pages()[1], "None of the 20 positive pages holds a known word"),
        (pages()[0], np.arange(220) < 2, r"At least 3 positive pages .* Got 2 and 218"),
        (sparse.vstack([empty(18), pages()[0][18:]]), pages()[1], r"At least 3 positive pages .* Got 2 and 200"),
        (sparse.vstack([pages()[0]] * 6), np.arange(1320) < 2, r"Got 2 and 1,318"),
        (pages()[0], np.arange(220) < 218, r"3 unlabelled pages .* Got 218 and 2"),
        (pages()[0][:30], np.zeros(20, bool), r"one label a page \(30\)"),
        (pages()[0], np.arange(220), "two labels"),
        (-pages()[0], pages()[1], "must not be negative"),
    ],
)
def test_examples_that_teach_nothing_are_refused_with_the_reason(counts, y, message):
    with pytest.raises(ValueError, match=message):
        train_topic(counts, y)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"source_rows": np.full(800, 320)}, "source_rows must be rows of the 320 pages. Got rows from 320 to 320"),
        ({"target_rows": np.full(800, -1)}, "target_rows must be rows of the 320 pages"),
        ({"target_rows": np.zeros(3, int)}, "one target, anchor and context a link"),
        ({"anchor_counts": empty(5)}, "anchors of shape"),
    ],
)
def test_links_that_do_not_fit_the_pages_are_refused(web, changes, message):
    counts, y, links = web
    with pytest.raises(ValueError, match=message):
        train_topic(counts, y, link_examples=replace(links, **changes))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_folds": 1}, "n_folds must be at least 2"),
        ({"learner": "magic"}, "The learner must be one of"),
    ],
)
def test_arguments_out_of_range_are_refused(arguments, message):
    counts, y, _ = pages()
    with pytest.raises(ValueError, match=message):
        train_topic(counts, y, **arguments)


@pytest.mark.parametrize("share", [0.0, 1.0, -0.1])
@pytest.mark.parametrize("name", ["assumed", "known"])
def test_a_share_of_relevant_pages_out_of_range_is_refused(name, share):
    with pytest.raises(ValueError, match=f"The {name} share of relevant pages must lie between 0 and 1. Got {share}"):
        ShareRule(**{name: share})


def test_units_in_other_columns_are_refused(model):
    with pytest.raises(ValueError, match=f"the model's {N_TERMS} columns. Got 3"):
        model.decisions(sparse.csr_matrix((1, 3)))


def test_a_threshold_may_be_raised_by_held_out_decisions_as_far_as_the_least_recall_lets_it(web):
    counts, y, _ = web
    seen = []

    def to(threshold: float):
        def raised(best: float, log_odds: np.ndarray) -> float:
            seen.append((best, len(log_odds)))
            return threshold

        return raised

    def trained(**rule) -> TrainedModel:
        return train_topic(counts, y, n_folds=3, threshold=ThresholdRule(**rule))

    best = trained().threshold("page")
    higher = trained(raises_threshold=to(best + 0.01)).threshold("page")
    assert (higher, seen[-1]) == (pytest.approx(best + 0.01), (best, len(y)))
    bounded = trained(raises_threshold=to(0.999), least_recall=0.5)
    assert best < bounded.threshold("page") < 0.999
    assert bounded.figures.recall >= 0.5
    assert trained(raises_threshold=to(0.999), kept_threshold=0.45).threshold("page") == 0.45
