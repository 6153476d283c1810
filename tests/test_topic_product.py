"""The one product of all units of a page, against the same computed unit by unit with scikit-learn from the texts."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from scipy import sparse
from sklearn.preprocessing import normalize

from focused.method.learning.calibration import KINDS, Calibration
from focused.method.learning.model import TopicModel
from focused.method.page.reader import PageReader
from focused.method.page.text_units import ANCHOR, CONTEXT
from focused.method.text.analyzer import TERMS, TITLE_PREFIX
from focused.method.topic import Topic
from focused.method.topic.judge import Judge
from focused.webs.demo import DemoWeb
from focused.webs.recorded import RecordedWeb

N_TERMS, N_OF_TITLES = 350, 50
HAND_MADE = [
    b"",
    b"<title>only a title of stars</title>",
    b"<p>no links, some words",
    b"<a href=/a>stars</a>",
    b"<p><a href=/a>stars <b>and</b> sun</a> orbit <a href=/a>stars</a><a href=/b><img alt=moon></a><a href=#x>top</a>",
    # one target three times, once inside the aggregation node of another
    b"<div>sun <a href=/a>one</a><p>mars <a href=/a>two</a><a href=/b>b</a></p></div><div><a href=/a>six</a> io</div>",
    b"<map><area href=/x alt='north star'></map><frameset><frame src=/f title=nebula></frameset>",
]


@pytest.fixture(scope="module")
def bodies(request) -> list[tuple[str, bytes]]:
    """Pages of the demo web and, where they are at hand, of a real site."""
    found = [(f"http://h.org/{n}", body) for n, body in enumerate(HAND_MADE)]
    web = DemoWeb(n_pages=800, n_hosts=20)
    found += web.unlabeled(24)
    try:
        data = request.getfixturevalue("data_dir")
    except pytest.skip.Exception:
        return found
    lines = (data / "hyperphysics.labels.tsv").read_text().splitlines()[1:]
    recorded = RecordedWeb(data / "hyperphysics.warc.gz", request.getfixturevalue("tmp_path_factory").mktemp("cache"))
    found += [(url, recorded.answer(url).body) for url in (line.split("\t")[0] for line in lines[::400])]
    recorded.close()
    return found


@pytest.fixture(scope="module", params=[False, True], ids=["tf", "1 + ln tf"])
def topic(request, bodies) -> Topic:
    """Random weights on the most frequent terms of the pages and of their titles, as a model has them."""
    rng = np.random.default_rng(7)
    reader = PageReader(Topic("random", "", "en", []).analyzer)
    counts = Counter(number for url, body in bodies for number in reader.read(body, url).terms.tolist())
    ranked = [TERMS.term(number) for number, _ in counts.most_common()]
    of_titles = [term for term in ranked if term.startswith(TITLE_PREFIX)][:N_OF_TITLES]
    terms = [term for term in ranked if not term.startswith(TITLE_PREFIX)][:N_TERMS] + of_titles
    vector = np.abs(rng.normal(size=len(terms)))
    return Topic(
        "random", "", "en", [],
        terms=terms,
        model=TopicModel(
            term_weights=rng.uniform(0.1, 7, len(terms)),
            coef=rng.normal(size=len(terms)),
            topic_vector=vector / np.linalg.norm(vector),
            intercept=-0.3,
            sublinear_tf=request.param,
            calibrations={
                kind: Calibration(kind, 1.5 + number, 0.1 * number, 0.1 + 0.1 * number, 0.5 + number, 0.55, 10)
                for number, kind in enumerate(KINDS)
            },
        ),
    )  # fmt: skip


def expected(topic: Topic, kind: str, texts: list[str], similarity: str, title: str = "") -> np.ndarray:
    """What each text's relevance is: count, weigh, normalise and multiply with scikit-learn, then calibrate.

    The terms of a page's title are terms of their own, besides being words of its text.
    """
    column = {term: number for number, term in enumerate(topic.terms)}
    rows = sparse.lil_matrix((len(texts), len(column)))
    for row, text in enumerate(texts):
        terms = [TERMS.term(number) for number in topic.analyzer.ids(text).tolist()]
        terms += [f"{TITLE_PREFIX}{TERMS.term(number)}" for number in topic.analyzer.ids(title).tolist()]
        for term, count in Counter(terms).items():
            if (place := column.get(term)) is not None:
                rows[row, place] = count
    counts = rows.tocsr()
    weights = counts.copy()
    if topic.model.sublinear_tf:
        weights.data = 1 + np.log(weights.data)
    rows = normalize(weights @ sparse.diags(topic.model.term_weights))
    if similarity == "cosine" and kind != "page":
        return rows @ topic.model.topic_vector
    return topic.model.relevance(kind, rows @ topic.model.coef + topic.model.intercept, counts.getnnz(axis=1))


def context_of(page, anchors: list[int], other_anchors: bool) -> str:
    """The chunks in the subtrees of a link's aggregation nodes, each once; its own anchors, others or not."""
    outline = page.outline
    inside = {
        chunk for node in outline.link_nodes for chunk in range(outline.first_chunk[node], outline.last_chunk[node])
    }
    own = {
        chunk
        for anchor in anchors
        for chunk in range(outline.first_chunk[page.anchors[anchor]], outline.last_chunk[page.anchors[anchor]])
    }
    kept = {
        chunk
        for node in map(page.aggregation_node, anchors)
        for chunk in range(outline.first_chunk[node], outline.last_chunk[node])
        if other_anchors or chunk in own or chunk not in inside
    }
    return "\n".join(page.marked_text.chunks[chunk] for chunk in sorted(kept))


def whole_text(page) -> str:
    return "\n".join(page.marked_text.chunks)


@pytest.mark.parametrize("similarity", ["calibrated", "cosine"])
@pytest.mark.parametrize("other_anchors", [False, True], ids=["exclude", "include"])
def test_every_unit_of_every_page_is_judged_as_alone(topic, bodies, other_anchors, similarity):
    reader, judge = PageReader(topic.analyzer), Judge(topic, other_anchors=other_anchors, similarity=similarity)
    n_units = 0
    for url, body in bodies:
        page = reader.read(body, url)
        found = judge.judge(page, KINDS)
        whole = expected(topic, "page", [whole_text(page)], similarity, title=page.marked_text.chunks[0])[0]
        assert found.page == pytest.approx(whole, abs=1e-12)
        blocks = [page.block_text(number) for number in range(page.n_blocks)]
        if blocks:
            np.testing.assert_allclose(found.blocks, expected(topic, "block", blocks, similarity), atol=1e-12)
        links = page.link_anchors
        assert len(found.anchors) == len(found.contexts) == len(links)
        n_units += 1 + len(blocks) + 2 * len(links)
        if not links:
            continue
        texts = [page.anchor_text(anchor) for anchor in range(len(page.anchors))]
        values = expected(topic, ANCHOR, texts, similarity)
        best = [max(values[anchor] for anchor in anchors) for anchors in links]
        np.testing.assert_allclose(found.anchors, best, atol=1e-12)
        contexts = [context_of(page, anchors, other_anchors) for anchors in links]
        np.testing.assert_allclose(found.contexts, expected(topic, CONTEXT, contexts, similarity), atol=1e-12)
    assert n_units > 1000


def test_what_is_not_asked_for_changes_nothing(topic, bodies):
    reader, judge = PageReader(topic.analyzer), Judge(topic)
    for url, body in bodies:
        page = reader.read(body, url)
        all_kinds = judge.judge(page, KINDS)
        assert judge.judge(page).page == pytest.approx(all_kinds.page, abs=1e-12)
        for kind in ("block", "anchor", "context"):
            alone = getattr(judge.judge(page, {kind}), f"{kind}s")
            np.testing.assert_allclose(alone, getattr(all_kinds, f"{kind}s"), atol=1e-12)


def test_terms_met_after_the_topic_was_loaded_are_in_no_vocabulary(topic):
    judge, reader = Judge(topic), PageReader(topic.analyzer)
    before = judge.judge(reader.read(b"<p>stars", "http://h.org/")).page
    after = judge.judge(reader.read(b"<p>stars qwzrtpsdf xkcdvbnmlk", "http://h.org/")).page
    assert after == before
