"""Words of titles are left out where the examples have no titles, as plain texts have none."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from commands import environment, scrapy
from scipy import sparse
from test_retraining import a_topic, judged

from focused.method.topic import load_topic
from focused.method.training.untitled import unusable_titles, without_columns
from focused.retraining.augmentation import AugmentedExamples

TERMS = ["star", "title: star", "table"]


def counts(n_titled_own: int, n_titled_others: int) -> tuple[sparse.csr_matrix, np.ndarray]:
    """Ten pages about stars and ten others; so many of each have a title."""
    rows = np.zeros((20, 3))
    rows[:10, 0] = rows[10:, 2] = 2
    rows[:n_titled_own, 1] = rows[10 : 10 + n_titled_others, 1] = 1
    return sparse.csr_matrix(rows), np.arange(20) < 10


@pytest.mark.parametrize(
    ("own", "others", "are_left_out"),
    [(0, 10, True), (4, 10, True), (5, 10, False), (10, 10, False), (0, 0, False), (2, 4, False)],
)
def test_words_of_titles_are_left_out_if_less_than_half_as_many_examples_have_titles_as_other_pages(
    own, others, are_left_out
):
    assert unusable_titles(*counts(own, others), TERMS).tolist() == [False, are_left_out, False]


def test_where_there_is_nothing_to_compare_with_nothing_is_left_out():
    pages, positive = counts(0, 10)
    assert not unusable_titles(pages, np.ones_like(positive), TERMS).any()
    assert not unusable_titles(pages[:, [0, 2]], positive, ["star", "table"]).any()


def test_columns_that_are_left_out_are_empty_and_the_others_as_they_were():
    pages, _ = counts(0, 10)
    rest = without_columns(pages, np.array([False, True, False]))
    assert rest.shape == pages.shape
    assert rest[:, 1].nnz == 0
    assert (rest[:, [0, 2]] != pages[:, [0, 2]]).nnz == 0


def test_what_joins_plain_texts_from_a_crawl_brings_no_words_of_titles():
    """Neither refused pages, nor wanted ones while few of the positives have titles."""
    pages, positive = counts(0, 10)
    own = a_topic().examples
    assert own is not None
    wide = sparse.csr_matrix(np.vstack([pages.toarray()]))
    none = sparse.csr_matrix((0, 3))
    examples = replace(
        own, terms=TERMS, pages=wide, positive=positive, anchors=none, contexts=none, windows=none, urls=none
    )
    refused = [judged(n, {"table": 2, "title: table": 1}) for n in range(1, 4)]
    wanted = judged(4, {"star": 2, "title: star": 1})
    joined = AugmentedExamples(examples, [*refused, wanted]).with_labels({1: False, 2: False, 3: False, 4: True})
    titles = [column for column, term in enumerate(joined.terms) if term.startswith("title: ")]
    assert titles
    assert joined.pages[:, titles].nnz == 0
    assert joined.pages[-1, joined.terms.index("star")] == 2


@pytest.mark.slow
def test_examples_that_are_plain_texts_teach_nothing_against_titles(tmp_path):
    """Of the same examples as HTML with titles the topic's word in a title speaks for it."""
    texts = [f"A star and a nova near galaxy {number}. The telescope shows the comet." for number in range(12)]
    pages = {
        "plain": [{"text": text} for text in texts],
        "html": [{"html": f"<title>Star {n}</title><body>{text}</body>"} for n, text in enumerate(texts)],
        "other": [
            {"html": f"<title>Star table {n}</title><body>A table, a chair and oak {n}</body>"} for n in range(40)
        ],
    }
    for name, examples in pages.items():
        lines = [json.dumps({"url": f"http://h.example/{name}/{n}", **each}) for n, each in enumerate(examples)]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines))
    weights = {}
    for name in ("plain", "html"):
        files = ["--positive", f"{name}.jsonl", "--unlabeled", "other.jsonl", "--language", "en", "--quick"]
        done = scrapy("train", name, *files, cwd=tmp_path, env=environment(tmp_path / "models"))
        assert done.exit_code == 0, done.err
        topic = load_topic(name, tmp_path / "models")
        weights[name] = dict(zip(topic.terms, topic.model.coef.tolist(), strict=True))
    assert not any(weight for term, weight in weights["plain"].items() if term.startswith("title: "))
    assert any(weight for term, weight in weights["html"].items() if term.startswith("title: "))
