"""Each strategy on one page, with relevances set by hand."""

from __future__ import annotations

import numpy as np
import pytest

from focused.method.page.reader import PageReader
from focused.method.page.text_units import KINDS
from focused.method.scoring import REASONS, Visit
from focused.method.strategies import STRATEGIES, make_strategy
from focused.method.text.analyzer import Analyzer
from focused.method.topic.judge import PageRelevance

# Two content blocks; /b is linked from both.
HTML = b"""<body>
<div><p>First block <a href=/a>one</a> and <a href=/b>two</a></p></div>
<div><p>Second block <a href=/b>three</a> and <a href=/c>four</a> and <a href=/d>five</a></p></div>
</body>"""
THRESHOLDS = {"page": 0.5, "block": 0.5, "anchor": 0.4, "context": 0.6}
BLOCKS, ANCHORS, CONTEXTS = [0.3, 0.8], [0.45, 0.1, 0.2, 0.9], [0.7, 0.9, 0.1, 0.0]


@pytest.fixture(scope="module")
def page():
    page = PageReader(Analyzer("en")).read(HTML, "http://h.org/")
    assert list(page.link_numbers) == [f"http://h.org/{name}" for name in "abcd"]
    assert page.n_blocks == 2
    return page


def relevance(page=0.35, blocks=BLOCKS, anchors=ANCHORS, contexts=CONTEXTS) -> PageRelevance:
    return PageRelevance(page, page >= 0.5, *map(np.array, (blocks, anchors, contexts)), THRESHOLDS)


def rows(page, name, options=None, **values) -> list[tuple[float, str]]:
    found = make_strategy(name, **(options or {})).score(page, relevance(**values), Visit())
    assert found.admitted.tolist() == [REASONS[reason] != "below threshold" for reason in found.reasons]
    return [
        (round(score, 3), REASONS[reason]) for score, reason in zip(found.scores.tolist(), found.reasons, strict=True)
    ]


BELOW = "below threshold"

EXPECTED = {
    "breadth_first": [(1.0, "discovery")] * 4,
    "depth_first": [(1.0, "discovery")] * 4,
    "best_first": [(0.35, "page")] * 4,
    "anchor_text": [(0.45, "anchor"), (0.1, BELOW), (0.2, BELOW), (0.9, "anchor")],
    "link_context": [(0.7, "context"), (0.9, "context"), (0.1, BELOW), (0.0, BELOW)],
    # the anchor text where it is relevant, whatever the context says
    "slc": [(0.45, "anchor"), (0.9, "context"), (0.2, BELOW), (0.9, "anchor")],
    # /b stands in both blocks: the better counts
    "cbp": [(0.3, BELOW), (0.8, "block"), (0.8, "block"), (0.8, "block")],
    "cbp_slc": [(0.45, "anchor"), (0.8, "block"), (0.8, "block"), (0.8, "block")],
    # four links of an irrelevant page: all within the width
    "fish_search": [(0.5, "page")] * 4,
    # nothing is inherited; 0.9 * (0.8 anchor + 0.2)
    "shark_search": [
        (0.504, "neighbourhood"),
        (0.252, "neighbourhood"),
        (0.324, "neighbourhood"),
        (0.828, "neighbourhood"),
    ],
    "patel_schmidt": [(0.4, "anchor"), (0.225, "page"), (0.275, "page"), (0.625, "anchor")],
    # the same on every machine, for the same links
    "random": [(0.09, "discovery"), (0.243, "discovery"), (0.592, "discovery"), (0.999, "discovery")],
    # without a file
    "oracle": [(0.0, BELOW)] * 4,
    "lpe": [(0.575, "jfe"), (0.8, "block"), (0.8, "block"), (0.8, "block")],
    # where nothing has been learnt: a quarter of the logits of page, block, anchor text and context, and half of that
    "adaptive": [(0.474, "adaptive"), (0.524, "adaptive"), (0.413, "adaptive"), (0.406, "adaptive")],
}


def test_the_table_is_complete():
    with_models = {"anchor_tree", "clustering", "incremental", "hybrid"}  # tests/test_strategies_models.py
    assert set(EXPECTED) == set(STRATEGIES) - with_models


@pytest.mark.parametrize("name", EXPECTED)
def test_a_strategy_scores_as_its_paper_says(page, name):
    assert rows(page, name) == EXPECTED[name]


def test_in_irrelevant_blocks_cbp_slc_does_as_slc(page):
    blocks = [0.3, 0.2]
    slc = [(max(score, block) if reason == BELOW else score, reason)
           for (score, reason), block in zip(rows(page, "slc"), [0.3, 0.3, 0.2, 0.2], strict=True)]  # fmt: skip
    assert rows(page, "cbp_slc", blocks=blocks) == slc


def test_below_the_threshold_the_best_score_is_kept(page):
    low = {"blocks": [0.1, 0.2], "anchors": [0.3, 0.0, 0.1, 0.1], "contexts": [0.2, 0.5, 0.1, 0.3]}
    assert rows(page, "cbp_slc", **low) == [(0.3, BELOW), (0.5, BELOW), (0.2, BELOW), (0.3, BELOW)]


def test_a_score_at_its_threshold_is_admitted(page):
    at = {"anchors": [0.4, 0.399, 0.0, 0.0]}
    assert [reason for _, reason in rows(page, "anchor_text", **at)] == ["anchor", BELOW, BELOW, BELOW]


@pytest.mark.parametrize(("weight", "score"), [(1.0, 0.45), (0.0, 0.7), (0.2, 0.65)])
def test_lambda_weighs_the_anchor_text_against_the_context(page, weight, score):
    assert rows(page, "lpe", {"jfe_lambda": weight})[0] == (score, "jfe")


def test_jfe_needs_the_weighted_threshold(page):
    """Half of 0.4 and half of 0.6: 0.5."""
    anchors, contexts = [0.41, 0.39, 0, 0], [0.6, 0.6, 0, 0]
    found = rows(page, "lpe", blocks=[0.0, 0.0], anchors=anchors, contexts=contexts)
    assert [reason for _, reason in found[:2]] == ["jfe", BELOW]


@pytest.mark.parametrize("name", EXPECTED)
def test_a_page_without_links_has_no_scores(name):
    empty = PageReader(Analyzer("en")).read(b"<p>Nothing.", "http://h.org/")
    nothing = PageRelevance(0.5, True, np.array([0.5]), np.zeros(0), np.zeros(0), THRESHOLDS)
    found = make_strategy(name).score(empty, nothing, Visit())
    assert found.scores.shape == found.reasons.shape == (0,)


@pytest.mark.parametrize("name", EXPECTED)
def test_a_strategy_looks_at_no_more_than_it_says(page, name):
    kinds = make_strategy(name).kinds
    assert kinds <= set(KINDS)
    values = {
        f"{kind}s": np.full(2 if kind == "block" else 4, 0.3) if kind in kinds else np.zeros(0)
        for kind in ("block", "anchor", "context")
    }
    assert len(rows(page, name, **values)) == 4


def test_a_mistyped_strategy_is_told_the_one_that_was_meant():
    with pytest.raises(ValueError, match=r"Got 'best-first'\. Did you mean 'best_first'\?$"):
        make_strategy("best-first")


def test_unknown_names_and_parameters_are_refused():
    with pytest.raises(ValueError, match=r"one of breadth_first, depth_first, best_first.*Got 'shark'"):
        make_strategy("shark")
    for value in (-0.1, 1.1, float("nan")):
        with pytest.raises(ValueError, match="FOCUSED_JFE_LAMBDA must be a number from 0 to 1"):
            make_strategy("lpe", jfe_lambda=value)
