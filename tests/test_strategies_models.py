"""Strategies with a model of their own: what they learn from, how they score, and what they do without examples."""

from __future__ import annotations

import logging
from dataclasses import replace

import hand_made
import numpy as np
import pytest
from research.cfu_tree import CFuTree
from scipy import sparse
from sklearn.calibration import CalibratedClassifierCV
from sklearn.svm import SVC
from sklearn.utils.class_weight import compute_sample_weight

from focused.method.page.link_context import window_context
from focused.method.page.reader import PageReader
from focused.method.page.text_units import CONTEXT
from focused.method.scoring import REASONS, LinkScores, Strategy, Visit
from focused.method.strategies import make_strategy
from focused.method.strategies.link_counts import TermColumns, context_counts, context_units
from focused.method.strategies.page_clusters import LinkDirection
from focused.method.strategies.rbf_classifier import RbfClassifier
from focused.method.strategies.training_links import drawn, folds, training_links
from focused.method.text.analyzer import Analyzer
from focused.method.text.weighting import weighted_rows
from focused.method.topic import Topic, TopicError, TopicExamples
from focused.method.topic.judge import Judge
from focused.method.training.term_counting import counted_page

LEARNING = ["anchor_tree", "incremental", "hybrid"]
ALL = [*LEARNING, "clustering"]
TERMS = [*hand_made.FOR, *hand_made.AGAINST, "page", "note", "list"]
ANALYZER = Analyzer("en")


def counts(texts: list[str]) -> sparse.csr_matrix:
    column_of = {term: column for column, term in enumerate(TERMS)}
    rows = np.zeros((len(texts), len(TERMS)))
    for row, text in enumerate(texts):
        for term in text.split():
            rows[row, column_of[term]] += 1
    return sparse.csr_matrix(rows)


def examples(n_each: int = 24, n_links: int = 96) -> TopicExamples:
    """Pages about stars, every second positive and the others unlabelled, and pages about food; links among them."""
    rng = np.random.default_rng(0)

    def text(words: list[str], n: int) -> str:
        return " ".join([*rng.choice(words, n), *rng.choice(["page", "note", "list"], 2)])

    pages = [text(hand_made.FOR, 6) for _ in range(n_each)] + [text(hand_made.AGAINST, 6) for _ in range(n_each)]
    positive = np.arange(2 * n_each) < n_each // 2
    targets = rng.integers(0, 2 * n_each, n_links)
    words = [hand_made.FOR if target < n_each else hand_made.AGAINST for target in targets]
    anchors, contexts, windows = ([text(kind, n) for kind in words] for n in (1, 4, 3))
    urls = counts([kind[0] for kind in words])
    return TopicExamples(
        *(TERMS, counts(pages), positive, rng.integers(0, 2 * n_each, n_links), targets),
        *(counts(anchors), counts(contexts), counts(windows), urls),
    )


def topic(found: TopicExamples | None) -> Topic:
    topic = hand_made.topic(name="stars")
    topic.manifest = {"command": "scrapy train stars --positive pages"}
    topic.examples = found
    return topic


@pytest.fixture(scope="module")
def trained() -> Topic:
    return topic(examples())


def read(html: bytes):
    return PageReader(ANALYZER).read(html, "http://h.org/")


def scored(strategy: Strategy, topic: Topic, html: bytes) -> LinkScores:
    page = read(html)
    return strategy.score(page, Judge(topic).judge(page, strategy.kinds), Visit())


PAGE = hand_made.html(
    "A list of things.", ("/a", "telescopes and a nebula"), ("/b", "butter and flour"), ("/c", "a nebula in orbit")
)


@pytest.mark.parametrize("name", ALL)
def test_links_that_promise_the_topic_score_more_than_others(trained: Topic, name: str) -> None:
    found = scored(make_strategy(name).prepare(trained), trained, PAGE)
    stars, food, more_stars = found.scores.tolist()
    assert min(stars, more_stars) > 0.5 > food
    assert found.admitted.tolist() == [True, False, True]
    assert all(0 <= score <= 1 for score in found.scores)


@pytest.mark.parametrize("name", ALL)
def test_the_same_topic_gives_the_same_scores(trained: Topic, name: str) -> None:
    first, second = (scored(make_strategy(name).prepare(trained), trained, PAGE) for _ in range(2))
    assert first.scores.tolist() == second.scores.tolist()


@pytest.mark.parametrize("name", ALL)
def test_preparing_leaves_the_strategy_as_it_was(trained: Topic, name: str) -> None:
    strategy = make_strategy(name)
    assert strategy.prepare(trained) is not strategy
    with pytest.raises(ValueError, match=f"{name} must be prepared"):
        scored(strategy, trained, PAGE)


@pytest.mark.parametrize("name", ALL)
def test_a_page_without_links_or_words_is_scored(trained: Topic, name: str) -> None:
    strategy = make_strategy(name).prepare(trained)
    assert scored(strategy, trained, b"<p>Nothing.").scores.shape == (0,)
    assert scored(strategy, trained, b"").reasons.shape == (0,)
    unknown = scored(strategy, trained, b"<a href=/x><img src=y></a> <a href=/z>xyzzy</a>")
    assert len(unknown.scores) == 2
    assert np.isfinite(unknown.scores).all()


@pytest.mark.parametrize("name", LEARNING)
def test_a_topic_without_examples_is_refused_with_what_to_do(name: str) -> None:
    with pytest.raises(
        TopicError, match=rf"strategy {name} learns .*Retrain it: scrapy train stars .*--force.*strategy="
    ):
        make_strategy(name).prepare(topic(None))


def test_clustering_needs_no_examples() -> None:
    assert scored(make_strategy("clustering").prepare(topic(None)), topic(None), PAGE).admitted.any()


@pytest.mark.parametrize("name", LEARNING)
@pytest.mark.parametrize("n_links", [0, 1, 12])
def test_with_few_links_it_says_so_and_scores_all_the_same(
    name: str, n_links: int, caplog: pytest.LogCaptureFixture
) -> None:
    few = topic(examples(n_links=n_links))
    with caplog.at_level(logging.WARNING):
        strategy = make_strategy(name).prepare(few)
    assert f"{n_links} links" in caplog.text
    stars, food, _ = scored(strategy, few, PAGE).scores.tolist()
    if name != "anchor_tree":  # these learn from the pages instead
        assert stars > food
    elif n_links < 12:
        assert stars == food == few.model.calibrations["anchor"].prior


@pytest.mark.parametrize("name", ["incremental", "hybrid"])
def test_examples_of_one_kind_only_are_refused(name: str) -> None:
    found = examples(n_links=0)
    food_only = replace(found, pages=found.pages[24:], positive=np.zeros(24, dtype=bool))
    with pytest.raises(TopicError, match="Got 0 relevant of 24"):
        make_strategy(name).prepare(topic(food_only))


def test_unlabelled_pages_that_the_classifier_takes_for_relevant_count_as_such(trained: Topic) -> None:
    found = training_links(trained, "x")
    assert found.pages.tolist() == [True] * 24 + [False] * 24
    assert found.links.tolist() == (found.examples.targets < 24).tolist()


def test_folds_keep_links_to_one_page_together_and_hold_both_kinds() -> None:
    groups = np.repeat(np.arange(12), 5)
    labels = groups < 4
    parts = folds(labels, groups, 3, random_state=0)
    assert len(parts) == 3
    for learnt, judged in parts:
        assert not set(groups[learnt]) & set(groups[judged])
        assert len(set(labels[learnt])) == len(set(labels[judged])) == 2
    assert sorted(np.concatenate([judged for _, judged in parts])) == list(range(60))
    assert folds(labels, np.where(labels, 0, groups), 3, random_state=0) == []


def test_a_draw_keeps_the_few() -> None:
    labels = np.arange(1000) < 30
    rows = drawn(labels, 100, random_state=0)
    assert len(rows) == 100
    assert labels[rows].sum() == 30
    assert drawn(~labels, 100, random_state=0).tolist() != rows.tolist()
    assert (~labels)[drawn(~labels, 100, random_state=0)].sum() == 70
    assert len(drawn(labels, 5000, random_state=0)) == 1000


# --- anchor_tree


def test_a_leaf_scores_the_share_of_relevant_targets_drawn_to_the_share_of_all() -> None:
    """20 of 20 links "star" lead to relevant pages, 0 of 60 others: (20 + 2/4) / 22 and (0 + 2/4) / 62."""
    found = examples(n_links=80)
    is_star = np.arange(80) < 20
    texts = counts(["star" if star else "butter" for star in is_star])
    few = topic(replace(found, targets=np.where(is_star, 0, 30), anchors=texts))
    scores = scored(
        make_strategy("anchor_tree").prepare(few), few, b"<a href=/a>stars</a> <a href=/b>butter</a>"
    ).scores
    assert scores == pytest.approx([20.5 / 22, 0.5 / 62])


def test_of_several_anchors_the_best_counts(trained: Topic) -> None:
    both = b"<p><a href=/a>butter</a> and <a href=/a>nebula</a></p>"
    tree = make_strategy("anchor_tree").prepare(trained)
    assert scored(tree, trained, both).scores[0] == scored(tree, trained, b"<a href=/a>nebula</a>").scores[0]


def test_a_deeper_tree_asks_more(trained: Topic) -> None:
    depths = [make_strategy("anchor_tree", max_depth=n).prepare(trained).tree.max_depth for n in (1, 3)]
    assert depths == [1, 3]


# --- clustering


def contexts(*texts: str) -> bytes:
    return "".join(f"<p>{text} <a href=/{n}>x</a></p>" for n, text in enumerate(texts)).encode()


def flat_topic(vector: dict[str, float]) -> Topic:
    """A topic of the words of P15's example, each of weight 1."""
    words = ["footbal", "box", "basketbal", "cook"]
    weights = np.array([vector.get(word, 0.0) for word in words])
    return hand_made.topic(
        terms=words, term_weights=np.ones(4), coef=np.zeros(4), topic_vector=weights / np.linalg.norm(weights)
    )


@pytest.mark.parametrize(("lambda_", "is_merged"), [(3, False), (4, True)])
def test_two_contexts_of_the_papers_example_are_merged_at_lambda_4(lambda_: float, is_merged: bool) -> None:
    """`football boxing`, `football basketball` (cosine 0.5) against the topic football + basketball [P15, eq. 1-2]."""
    sports = flat_topic({"footbal": 1, "basketbal": 1})
    clustering = make_strategy("clustering", lambda_=lambda_).prepare(sports)
    found = scored(clustering, sports, contexts("Football, boxing", "Football, basketball", "Cooking"))
    # The sum of both is (2, 1, 1) / sqrt 6: its cosine with (1, 0, 1) / sqrt 2 is 3 / sqrt 12.
    both = 3 / np.sqrt(12)
    assert found.scores == pytest.approx([both, both, 0.0] if is_merged else [0.5, 1.0, 0.0])
    assert [REASONS[reason] for reason in found.reasons] == ["cluster", "cluster", "below threshold"]


def test_clusters_are_those_of_the_cfu_tree(trained: Topic) -> None:
    rng = np.random.default_rng(3)
    page = read(contexts(*(" ".join(rng.choice([*hand_made.FOR, "soup", "oven"], 4)) for _ in range(60))))
    columns = TermColumns(trained.terms)
    known = columns.known(page)
    units = context_units(page, known)
    rows = weighted_rows(
        context_counts(known, units, np.arange(page.n_links), columns.n_terms), trained.model.term_weights
    )
    different = sparse.csr_matrix(np.unique(rows.toarray().round(12), axis=0))
    tree = CFuTree(lambda_=3.0).fit(different)
    of_row = {tuple(row): label for row, label in zip(different.toarray().tolist(), tree.labels_, strict=True)}
    centers = (tree.cluster_centers_ @ trained.model.topic_vector).tolist()
    expected = [centers[of_row[tuple(row)]] for row in rows.toarray().round(12).tolist()]
    found = make_strategy("clustering").prepare(trained).score(page, None, Visit())  # type: ignore[arg-type]
    assert tree.n_clusters_ < different.shape[0]
    # Of pairs that are equally alike the order decides: most links must agree, whatever it is.
    assert np.mean(np.isclose(found.scores, expected)) > 0.8


def test_beyond_the_limit_links_are_judged_by_their_own_context_and_counted() -> None:
    sports = flat_topic({"footbal": 1, "basketbal": 1})
    html = contexts("Football, boxing", "Football, boxing, boxing, boxing", "Football, basketball", "Cooking, boxing")
    page = read(html)
    strategy = make_strategy("clustering", lambda_=100.0, max_units=2).prepare(sports)
    found = strategy.score(page, None, Visit())  # type: ignore[arg-type]
    alone = make_strategy("clustering", lambda_=0.01).prepare(sports).score(read(html), None, Visit())  # type: ignore[arg-type]
    assert page.cuts["clusters"] == 2
    assert found.scores[:2] != pytest.approx(alone.scores[:2])
    assert found.scores[0] == pytest.approx(found.scores[1])
    assert found.scores[2:] == pytest.approx(alone.scores[2:])


def test_links_that_share_a_long_text_stay_within_the_limit_of_terms(trained: Topic) -> None:
    words = [f"w{chr(97 + n // 26)}{chr(97 + n % 26)}q" for n in range(600)]
    long = hand_made.topic(
        terms=words, term_weights=np.ones(600), coef=np.zeros(600), topic_vector=np.full(600, 600**-0.5)
    )
    own = [f"{words[n]} <a href=/{n}>{words[-n]} {words[2 * n]}</a>" for n in range(200)]
    page = read(f"<p>{' '.join(words)} {' '.join(own)}</p>".encode())
    found = make_strategy("clustering").prepare(long).score(page, None, Visit())  # type: ignore[arg-type]
    assert page.cuts["clusters"] == 100  # 60,000 terms are the contexts of 100 links
    assert (found.scores > 0.9).all()


def test_a_text_that_repeats_itself_counts_once() -> None:
    sports = flat_topic({"basketbal": 1})
    clustering = make_strategy("clustering", lambda_=4.0).prepare(sports)
    once = scored(clustering, sports, contexts("Football, boxing", "Football, basketball"))
    often = scored(clustering, sports, contexts(*["Football, boxing"] * 9, "Football, basketball"))
    assert once.scores[-1] == pytest.approx(often.scores[-1])


def test_a_page_of_thousands_of_links_stays_within_the_limit(trained: Topic) -> None:
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice([*hand_made.FOR, *hand_made.AGAINST], 5)) for _ in range(5000)]
    page = read(contexts(*texts))
    found = make_strategy("clustering").prepare(trained).score(page, None, Visit())  # type: ignore[arg-type]
    assert found.scores.shape == (5000,)
    assert page.cuts["clusters"] >= 4500


@pytest.mark.parametrize("other_anchors", [False, True])
def test_contexts_are_counted_as_they_are_judged(trained: Topic, other_anchors: bool) -> None:
    """Each row of counts, weighted, has the cosine that the crawl's product gives the link."""
    page = read(
        b"<ul><li>star <a href=/a>planet orbit</a> soup <a href=/b>oven</a></li></ul>"
        b"<div>nebula nebula <a href=/b>galaxy</a></div><p><a href=/c>butter</a></p>"
    )
    columns = TermColumns(trained.terms)
    known = columns.known(page)
    units = context_units(page, known, other_anchors=other_anchors)
    rows = weighted_rows(context_counts(known, units, np.arange(3), columns.n_terms), trained.model.term_weights)
    product = trained.product(trained.product.known(page.terms, page.chunk_start), units)
    expected = product.cosines()[1][units.link_rows.stop :]
    assert rows @ trained.model.topic_vector == pytest.approx(expected)
    assert context_counts(known, units, np.array([2, 0]), columns.n_terms).toarray().tolist() == [
        context_counts(known, units, np.arange(3), columns.n_terms).toarray()[n].tolist() for n in (2, 0)
    ]


def test_contexts_that_were_cut_are_counted_once() -> None:
    page = read(contexts(*["star planet orbit"] * 40))
    columns = TermColumns(hand_made.FOR)
    Judge(hand_made.topic(), max_terms=50).judge(page, {CONTEXT})
    n_cut = page.cuts["contexts"]
    assert n_cut
    context_units(page, columns.known(page), max_terms=50)
    assert page.cuts["contexts"] == n_cut


# --- incremental


def test_without_clustering_each_context_is_judged_by_itself(trained: Topic) -> None:
    html = contexts("star nebula", "star nebula planet", "star soup oven butter", "soup butter")
    by_itself = make_strategy("incremental", clusters=False).prepare(trained)
    found = scored(by_itself, trained, html)
    alone = [scored(by_itself, trained, contexts(text)).scores[0] for text in ("star nebula", "star nebula planet")]
    assert found.scores[:2] == pytest.approx(alone)
    assert "model" in {REASONS[reason] for reason in found.reasons}
    together = scored(make_strategy("incremental").prepare(trained), trained, html)
    assert together.scores[0] == together.scores[1]
    assert "cluster" in {REASONS[reason] for reason in together.reasons}


@pytest.mark.parametrize("negatives", ["all", "reliable"])
def test_either_kind_of_negatives_tells_links_apart(trained: Topic, negatives: str) -> None:
    stars, food, _ = scored(make_strategy("incremental", negatives=negatives).prepare(trained), trained, PAGE).scores
    assert stars > 0.5 > food


def test_links_with_too_many_terms_to_cluster_are_judged_by_their_own_contexts(
    trained: Topic, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("focused.method.strategies.page_clusters._MAX_ENTRIES", 2)  # those of one context
    strategy = make_strategy("incremental").prepare(trained)
    assert isinstance(strategy.model, LinkDirection)
    page = read(contexts("star nebula", "star soup", "soup butter"))
    alone = strategy.model.of_links(page, lambda_=None, max_units=200)
    assert page.cuts["clusters"] == 0
    clustered = strategy.model.of_links(page, lambda_=1.0, max_units=200)
    assert clustered.tolist() == alone.tolist()
    assert alone.all()
    assert page.cuts["clusters"] == 3


def test_incremental_scores_rise_with_the_svms_decision(trained: Topic) -> None:
    strategy = make_strategy("incremental", clusters=False).prepare(trained)
    assert isinstance(strategy.model, LinkDirection)
    page = read(contexts("star nebula", "star soup", "soup butter", "xyzzy"))
    found = strategy.model.of_links(page, lambda_=None, max_units=200)
    scores = strategy.score(page, None, Visit()).scores  # type: ignore[arg-type]
    assert (found != 0).tolist() == [True, True, True, False]
    assert np.argsort(found).tolist() == np.argsort(scores).tolist()


# --- hybrid


def test_hybrid_scores_are_the_sum_of_its_classifiers(trained: Topic) -> None:
    page = read(PAGE)
    for weight in (0.0, 0.1, 1.0):
        strategy = make_strategy("hybrid", page_weight=weight).prepare(trained)
        assert strategy.pages is not None
        assert strategy.links is not None
        of_page = strategy.pages.classifier.probabilities(strategy.pages.columns.page(page))[0]
        of_links = strategy.links.classifier.probabilities(strategy.links.columns.windows(page, ANALYZER, 50))
        scores = strategy.score(page, None, Visit()).scores  # type: ignore[arg-type]
        assert scores == pytest.approx(weight * of_page + (1 - weight) * of_links)


def test_at_its_threshold_hybrid_does_not_admit_yet(trained: Topic) -> None:
    strategy = make_strategy("hybrid").prepare(trained)
    best = float(scored(strategy, trained, PAGE).scores.max())
    assert not scored(replace(strategy, threshold=best), trained, PAGE).admitted.any()
    assert scored(replace(strategy, threshold=best - 1e-9), trained, PAGE).admitted.sum() == 1


def test_hybrid_reads_windows_as_wide_as_those_of_the_topics_examples(trained: Topic) -> None:
    narrow = topic(trained.examples)
    narrow.manifest["window_chars"] = 5
    html = hand_made.html("", title="") + b"<p>note star galaxy <a href='/a'>list</a></p>"
    wide, close = (
        scored(make_strategy("hybrid", page_weight=0.0).prepare(each), each, html).scores for each in (trained, narrow)
    )
    assert wide[0] > close[0] + 0.05


@pytest.mark.parametrize("side", ["before", "behind"])
def test_hybrid_reads_fifty_characters_on_each_side_of_an_anchor(trained: Topic, side: str) -> None:
    """A word about stars counts if it ends at the fiftieth character, and not at the fifty-first."""
    strategy = make_strategy("hybrid", page_weight=0.0).prepare(trained)

    def score(n_between: int, word: str) -> float:
        between = "x" * n_between
        before, behind = (f"{word} {between}", "") if side == "before" else ("", f"{between} {word}")
        html = f"<p>{before} <a href=/a>page</a> {behind}</p>"
        return float(scored(strategy, trained, html.encode()).scores[0])

    assert score(50 - len(" nebula"), "nebula") > score(51 - len(" nebula"), "nebula") == score(44, "xyzzy")


def test_url_terms_count_where_they_are_wanted(trained: Topic) -> None:
    html = b"<p><a href=http://h.org/star/1>page</a></p><p><a href=http://h.org/recip/2>page</a></p>"
    without, with_urls = (
        scored(make_strategy("hybrid", with_urls=flag).prepare(trained), trained, html).scores for flag in (False, True)
    )
    assert without[0] == without[1]
    assert with_urls[0] > with_urls[1]


def test_probabilities_are_those_of_scikit_learn() -> None:
    """The same C-SVM with a radial kernel, trained and calibrated by scikit-learn alone, and asked by it."""
    found = examples()
    labels = np.arange(48) < 24
    parts = folds(labels, np.arange(48), 4, random_state=0)
    ours = RbfClassifier(found.pages, labels, parts, C=1.0, gamma=0.0, tolerance=1e-6)
    svm = SVC(C=1.0, gamma=1 / len(TERMS), tol=1e-6)
    theirs = CalibratedClassifierCV(svm, cv=parts, ensemble=False)
    theirs.fit(ours.rows(found.pages), labels, sample_weight=compute_sample_weight("balanced", labels))
    expected = theirs.predict_proba(ours.rows(found.windows))[:, 1]
    assert ours.probabilities(found.windows) == pytest.approx(expected, abs=1e-4)
    assert expected.std() > 0.1


def test_windows_are_counted_as_the_windows_of_each_anchor() -> None:
    page = read(b"<p>A star and <a href=/a>a planet</a> in orbit. <a href=/b>Soup</a> of butter and flour</p>")
    columns = TermColumns(TERMS)
    found = columns.windows(page, ANALYZER, 50)
    assert found.shape == (2, len(TERMS))
    for anchor in range(2):
        alone = TermColumns(TERMS)._matrix(
            np.zeros(len(ids := ANALYZER.ids(window_context(page, anchor))), dtype=np.int64), ids, 1
        )
        assert (found[anchor] != alone).nnz == 0
    assert found[0].sum() == 3  # star, planet, orbit


def test_words_met_after_training_are_unknown_and_do_no_harm(trained: Topic) -> None:
    strategy = make_strategy("hybrid").prepare(trained)
    before = scored(strategy, trained, PAGE).scores
    scored(strategy, trained, f"<p><a href=/n>{' '.join(f'neverseen{chr(97 + n)}q' for n in range(26))}</a>".encode())
    assert scored(strategy, trained, PAGE).scores.tolist() == before.tolist()


def test_windows_of_no_width_hold_the_anchor_alone() -> None:
    html = b"<p>star nebula planet galaxy telescope orbit <a href=/x>list</a> soup butter oven flour</p>"
    page, found = read(html), {}
    wanted = {"http://h.org/x"}
    for n_chars in (0, 50):
        narrow = topic(examples())
        narrow.manifest["window_chars"] = n_chars
        found[n_chars] = make_strategy("hybrid", page_weight=0.0).prepare(narrow).score(page, None, Visit()).scores[0]  # type: ignore[arg-type]
        [link] = counted_page(page, set(), wanted, window_chars=n_chars).links
        assert link.window == window_context(page, 0, n_chars)
    assert window_context(page, 0, 0) == "list"
    assert found[0] != pytest.approx(found[50], abs=1e-3)
