"""Worked examples of the strategies that know how the crawl came to a page; computed by hand from the formulas."""

from __future__ import annotations

from itertools import permutations

import hand_made
import numpy as np
import pytest

from focused.method.page.reader import PageReader
from focused.method.scoring import REASONS, Evidence, Visit
from focused.method.scoring.base import DISCOVERY
from focused.method.strategies import STRATEGIES, make_strategy
from focused.method.text.analyzer import Analyzer
from focused.method.topic.judge import Judge, PageRelevance

THRESHOLDS = {"page": 0.5, "block": 0.5, "anchor": 0.5, "context": 0.5}


def page_of(n_links: int):
    links = "".join(f"<a href=/{number}>link</a> " for number in range(n_links))
    return PageReader(Analyzer("en")).read(f"<p>{links}</p>".encode(), "http://h.org/")


def relevance(page: float, n_links: int, *, anchors=None, contexts=None, nothing=None) -> PageRelevance:
    anchors = np.zeros(n_links) if anchors is None else np.array(anchors)
    contexts = np.zeros(n_links) if contexts is None else np.array(contexts)
    return PageRelevance(page, page >= 0.5, np.zeros(1), anchors, contexts, THRESHOLDS, nothing or {})


def scored(name: str, page: float, n_links: int = 20, visit: Visit = Visit(), options=None, **values):  # noqa: B008
    found = make_strategy(name, **(options or {})).score(page_of(n_links), relevance(page, n_links, **values), visit)
    return found.scores.tolist(), [REASONS[reason] for reason in found.reasons], found.carried, found.parts


# --- Fish search ----------------------------------------------------------------------------------------------------
def test_a_fish_on_a_relevant_page_takes_seven_links_then_five_then_none():
    """Width 5: 1.5 * 5 = 7.5, rounded down."""
    scores, reasons, carried, _ = scored("fish_search", 0.9, 20, Visit(depth=4, carried=1))
    assert scores == [1.0] * 7 + [0.5] * 5 + [0.0] * 8
    assert set(reasons) == {"page"}
    assert carried.tolist() == [3.0] * 20  # restored


def test_a_fish_on_an_irrelevant_page_takes_five_links_and_has_one_depth_less():
    scores, reasons, carried, _ = scored("fish_search", 0.1, 8, Visit(depth=1, carried=2))
    assert scores == [0.5] * 5 + [0.0] * 3
    assert set(reasons) == {"page"}
    assert carried.tolist() == [1.0] * 8


def test_without_depth_left_a_fish_follows_nothing_but_a_relevant_page_restores_it():
    scores, reasons, _, _ = scored("fish_search", 0.1, 8, Visit(depth=4, carried=0))
    assert scores == [0.0] * 8
    assert set(reasons) == {"below threshold"}
    assert scored("fish_search", 0.9, 8, Visit(depth=4, carried=0))[2].tolist() == [3.0] * 8


def test_from_a_seed_a_fish_swims_three_links_through_irrelevant_pages_and_no_further():
    visit, n_followed = Visit(), 0
    while True:
        _, reasons, carried, _ = scored("fish_search", 0.1, 3, visit)
        if reasons[0] == "below threshold":
            break
        n_followed += 1
        visit = Visit(visit.depth + 1, float(carried[0]))
    assert n_followed == 3


def test_width_depth_and_factor_are_what_the_settings_say():
    settings = {"FOCUSED_FISH_WIDTH": "2", "FOCUSED_FISH_DEPTH": "1", "FOCUSED_FISH_RELEVANT_FACTOR": "2"}
    fish = make_strategy("fish_search", settings)
    found = fish.score(page_of(8), relevance(0.9, 8), Visit())
    assert found.scores.tolist() == [1, 1, 1, 1, 0.5, 0.5, 0, 0]
    assert found.carried.tolist() == [1.0] * 8
    seed = fish.score(page_of(8), relevance(0.1, 8), Visit())
    assert seed.carried.tolist() == [0.0] * 8


def test_of_two_pages_that_link_to_one_fish_keep_the_larger_score_and_the_larger_depth():
    known = Evidence(0.5, 1, True, referrer="a", depth=2, carried=2.0)
    new = Evidence(1.0, 1, True, referrer="b", depth=5, carried=1.0)
    merged = make_strategy("fish_search").merge(known, new)
    assert (merged.score, merged.carried, merged.referrer, merged.depth, merged.n_referrers) == (1.0, 2.0, "b", 5, 2)


# --- Shark search ---------------------------------------------------------------------------------------------------
def test_shark_search_adds_what_is_inherited_and_what_is_near():
    """inherited 0.5 * 0.8 = 0.4; neighbourhoods 0.8 * 0.6 + 0.2 * 1 = 0.68 and 0.8 * 0 + 0.2 * 0.3 = 0.06."""
    scores, reasons, carried, _ = scored(
        "shark_search", 0.8, 3, anchors=[0.6, 0.0, 0.0], contexts=[0.1, 0.3, 0.0], visit=Visit(carried=0.123)
    )
    assert scores == pytest.approx([0.04 + 0.9 * 0.68, 0.04 + 0.9 * 0.06, 0.04])
    assert scores == pytest.approx([0.652, 0.094, 0.04])
    assert reasons == ["neighbourhood", "neighbourhood", "inherited"]
    assert carried.tolist() == pytest.approx([0.4] * 3)


def test_an_irrelevant_page_passes_on_half_of_what_it_inherited():
    scores, _, carried, _ = scored("shark_search", 0.3, 1, visit=Visit(carried=0.4))
    assert carried.tolist() == pytest.approx([0.2])
    assert scores == pytest.approx([0.02])


def test_an_irrelevant_seed_has_nothing_to_pass_on():
    scores, _, carried, _ = scored("shark_search", 0.3, 1)
    assert (scores, carried.tolist()) == ([0.0], [0.0])


def test_an_anchor_that_says_nothing_is_no_better_than_what_stands_around_it():
    """Calibrated: a text without known words has 0.1, not 0. 0.8 * 0.1 + 0.2 * 0.7 = 0.22; with a word for the topic
    0.8 * 0.11 + 0.2 = 0.288."""
    anchors, contexts = [0.1, 0.11], [0.7, 0.7]
    scores, *_ = scored("shark_search", 0.3, 2, anchors=anchors, contexts=contexts, nothing={"anchor": 0.1})
    assert scores == pytest.approx([0.9 * 0.22, 0.9 * 0.288])


@pytest.mark.parametrize(("similarity", "expected"), [("calibrated", 0.1), ("cosine", 0.0)])
def test_the_judge_knows_what_a_text_has_that_says_nothing(similarity, expected):
    topic = hand_made.topic()
    page = PageReader(topic.analyzer).read(
        b"<p>Whatever <a href=/a>more</a> and <a href=/b>nebula</a>", "http://h.org/"
    )
    found = Judge(topic, similarity=similarity).judge(page, {"anchor", "context"})
    assert found.nothing.get("anchor", 0.0) == pytest.approx(expected)
    assert found.anchors[0] == pytest.approx(found.nothing.get("anchor", 0.0), abs=1e-12)
    assert found.anchors[1] > 0.3


def test_decay_and_weights_are_what_the_settings_say():
    """inherited 0.25 * 0.8 = 0.2; neighbourhood 0.4 * 0.6 + 0.6 = 0.84; 0.3 * 0.2 + 0.7 * 0.84."""
    names = ("DECAY", "INHERITED_WEIGHT", "ANCHOR_WEIGHT")
    settings = {f"FOCUSED_SHARK_{name}": value for name, value in zip(names, ("0.25", "0.3", "0.4"), strict=True)}
    shark = make_strategy("shark_search", settings)
    found = shark.score(page_of(1), relevance(0.8, 1, anchors=[0.6], contexts=[0.0]), Visit())
    assert found.scores.tolist() == pytest.approx([0.648])
    assert found.carried.tolist() == pytest.approx([0.2])


# --- Patel and Schmidt ----------------------------------------------------------------------------------------------
def test_page_and_anchor_text_weigh_the_same():
    scores, reasons, _, parts = scored("patel_schmidt", 0.6, 2, anchors=[0.2, 0.9])
    assert scores == pytest.approx([0.4, 0.75])
    assert reasons == ["page", "anchor"]
    assert parts.tolist() == [[0.6, 0.2], [0.6, 0.9]]


def evidence(strategy, page: float, anchor: float, referrer: str) -> Evidence:
    found = strategy.score(page_of(1), relevance(page, 1, anchors=[anchor]), Visit())
    return Evidence(
        float(found.scores[0]), int(found.reasons[0]), True, referrer=referrer, parts=tuple(found.parts[0].tolist())
    )


def test_of_several_referrers_the_mean_counts_in_whatever_order_they_come():
    """1/2 (0.9 + 0.3 + 0.6) / 3 + 1/2 max(0.2, 0.8, 0.1) = 0.3 + 0.4."""
    strategy = make_strategy("patel_schmidt")
    a, b, c = (evidence(strategy, *each) for each in ((0.9, 0.2, "a"), (0.3, 0.8, "b"), (0.6, 0.1, "c")))
    for first, second, third in ((a, b, c), (c, a, b), (b, c, a)):
        merged = strategy.merge(strategy.merge(first, second), third)
        assert merged.score == pytest.approx(0.7)
        assert merged.parts == pytest.approx((0.6, 0.8))
        assert (merged.n_referrers, REASONS[merged.reason], merged.admitted) == (3, "anchor", True)


def test_a_bad_referrer_makes_a_link_worse():
    strategy = make_strategy("patel_schmidt")
    good, bad = evidence(strategy, 0.9, 0.5, "good"), evidence(strategy, 0.1, 0.0, "bad")
    merged = strategy.merge(good, bad)
    assert merged.score == pytest.approx(0.5 * 0.5 + 0.5 * 0.5)
    assert merged.score < good.score
    assert merged.referrer == "good"


def test_a_seed_stays_a_seed_whoever_links_to_it():
    strategy = make_strategy("patel_schmidt")
    seed, link = Evidence(1.0, DISCOVERY, True), evidence(strategy, 0.9, 0.5, "a")
    for merged in (
        strategy.merge(seed, link),
        strategy.merge(link, seed),
        strategy.merge(strategy.merge(seed, link), link),
    ):
        assert (merged.score, merged.reason, merged.referrer) == (1.0, DISCOVERY, "")


def test_the_page_s_weight_is_what_the_setting_says():
    scores, *_ = scored("patel_schmidt", 0.6, 1, options={"page_weight": 0.25}, anchors=[0.2])
    assert scores == pytest.approx([0.3])


# --- What holds for all that do not say otherwise -------------------------------------------------------------------
def test_of_several_pages_the_mean_counts_in_whatever_order_they_come_and_the_path_of_one_that_admits_the_link():
    merge = make_strategy("cbp_slc").merge
    admitted, deferred = Evidence(0.2, 2, True, referrer="a"), Evidence(0.9, 6, False, referrer="b")
    other = Evidence(0.1, 6, False, referrer="c", model_version=2)
    for first, second, third in permutations((admitted, deferred, other)):
        merged = merge(merge(first, second), third)
        assert merged.score == pytest.approx(0.4)
        assert (merged.referrer, merged.reason, merged.admitted) == ("a", 2, True)
        assert (merged.n_referrers, merged.model_version) == (3, 1)


def test_a_seed_that_waits_stays_as_it_is():
    merge = make_strategy("cbp_slc").merge
    seed, link = Evidence(1.0, DISCOVERY, True), Evidence(0.2, 2, True, referrer="a")
    for merged in (merge(seed, link), merge(link, seed), merge(merge(seed, link), link)):
        assert (merged.score, merged.reason, merged.referrer) == (1.0, DISCOVERY, "")


def test_nothing_is_merged_only_where_later_pages_have_nothing_to_add():
    names = {name for name, kind in STRATEGIES.items() if not kind.merges}
    assert names == {"breadth_first", "depth_first", "adaptive", "random", "oracle"}
