"""What a page's title says counts for the page once more, as terms of its own, and for nothing else in it."""

from __future__ import annotations

from collections import Counter

import hand_made
import numpy as np
import pytest
from pages import page_of

from focused.method.explanation.explain import explain
from focused.method.explanation.rendering import to_text
from focused.method.page.page import Page
from focused.method.page.reader import PageReader
from focused.method.page.text_units import KINDS, page_units
from focused.method.strategies import make_strategy
from focused.method.text.analyzer import FIRST_TERM, RARE, TERMS, Analyzer, TermTable
from focused.method.topic.judge import Judge
from focused.method.topic.product import UnitProduct
from focused.method.training.term_counting import counted_page
from focused.utils.url_forms import canonical_form

BODY = (
    '<body><div><p>Galaxies turn.</p></div><div><p>Read <a href="a.html">on stars</a> now.</p><p>More text <a href="b.html">'
    "of nebulae</a></p></div></body>"
)


def reader() -> PageReader:
    return PageReader(Analyzer("en"))


def read(html: str) -> Page:
    return reader().read(html.encode(), "http://site.example/p.html")


def terms_of(page: Page) -> Counter[str]:
    return Counter(TERMS.term(number) for number in page.terms.tolist())


def test_a_page_whose_title_says_it_is_told_from_one_whose_text_says_it():
    in_title, in_text = read("<title>Our courses</title><p>Stars.</p>"), read("<p>Our courses. Stars.</p>")
    assert terms_of(in_title) == {"our": 1, "cours": 1, "star": 1, "title: our": 1, "title: cours": 1}
    assert terms_of(in_text) == {"our": 1, "cours": 1, "star": 1}
    assert in_title.n_words == in_text.n_words == 3


def test_a_page_without_a_title_or_with_one_of_stopwords_has_no_such_terms():
    for html in ("<p>Stars</p>", "<title></title><p>Stars</p>", "<title>The 1998</title><p>Stars</p>", ""):
        assert not any(term.startswith("title: ") for term in terms_of(read(html)))


def test_a_text_cannot_hold_a_term_of_a_title():
    assert set(terms_of(read("<p>title: star title:star</p>"))) == {"titl", "star"}


def test_terms_of_the_title_belong_to_the_page_and_to_no_block_anchor_or_context():
    page = read(f"<title>Stars and nebulae</title>{BODY}")
    own = [TERMS.intern(f"title: {term}") for term in ("star", "nebula")]
    columns = np.full(len(TERMS), -1, dtype=np.int32)
    columns[own] = [0, 1]
    product = UnitProduct(columns, np.ones(2), np.ones((1, 2)), True)
    known = product.known(page.terms, page.chunk_start)
    for other_anchors in (False, True):
        units = page_units(page, KINDS, chunk_start=known.chunk_start, other_anchors=other_anchors)
        n_known = product(known, units).n_known
        assert n_known[0] == 2
        assert len(n_known) > 5
        assert not n_known[1:].any()


def test_blocks_anchors_and_contexts_hold_the_same_terms_with_a_title_as_without():
    def counts(page: Page) -> list[list[list[int]]]:
        terms = np.unique(read(BODY).terms)
        columns = np.full(len(TERMS), -1, dtype=np.int32)
        columns[terms] = np.arange(len(terms))
        directions = np.eye(len(terms))
        product = UnitProduct(columns, np.ones(len(terms)), directions, False)
        known = product.known(page.terms, page.chunk_start)
        units = page_units(page, KINDS, chunk_start=known.chunk_start)
        return [sums[1:].tolist() for sums in product(known, units).sums]

    assert counts(read(f"<title>Soup</title>{BODY}")) == counts(read(BODY))


def test_an_example_page_is_counted_with_them_and_its_links_without():
    page = read(f"<title>Stars</title>{BODY}")
    counted = counted_page(page, set(), {canonical_form(f"http://site.example/{name}.html") or "" for name in "ab"})
    assert "title: star" in {TERMS.term(number) for number in counted.terms.ids.tolist()}
    assert len(counted.links) == 2
    for link in counted.links:
        for text in (link.anchor, link.context):
            assert not any(TERMS.term(number).startswith("title: ") for number in text.ids.tolist())


def test_a_topic_judges_by_them_and_explain_shows_them():
    topic = hand_made.topic()
    topic.terms[topic.terms.index("orbit")] = "title: orbit"
    judge = Judge(topic)
    in_title = reader().read(hand_made.html("An orbit.", title="Orbits"), "http://site.example/")
    in_text = reader().read(hand_made.html("An orbit, orbits.", title=""), "http://site.example/")
    assert judge.judge(in_title).page > judge.judge(in_text).page
    found = explain(in_title, judge, make_strategy("best_first").prepare(topic), drops=False)
    assert [share.term for share in found.terms_for] == ["title: orbit"]
    assert found.n_words == 2
    assert "title: orbit" in to_text(found, 20)


def test_of_a_full_table_only_the_terms_that_a_topic_brings_are_known():
    table = TermTable(max_terms=2)
    analyzer = Analyzer("en", table)
    ids = analyzer.ids("stars nebulae")
    assert table.title_ids(ids).tolist() == [RARE, RARE]
    own = table.intern("title: star", always=True)
    assert table.title_ids(ids).tolist() == [own, RARE]
    assert table.title_ids(np.array([RARE, FIRST_TERM], dtype=np.int32)).tolist() == [own]


@pytest.mark.parametrize("n", [10, 100_000])
def test_however_long_a_title_is_each_of_its_words_counts(n):
    page = page_of(f"<title>{' '.join(f'w{number}x' for number in range(n))}</title><p>Stars</p>")
    assert len(page.terms) == 2 * n + 1
