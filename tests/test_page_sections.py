"""Words of titles, keywords and links count several times [L16, eq. 3], in training and in a crawl alike."""

from __future__ import annotations

from collections import Counter

import numpy as np
from research.fields import field_frequencies
from scipy import sparse

from focused.method.page.own_text import SECTIONS
from focused.method.page.reader import PageReader
from focused.method.page.text_units import page_units
from focused.method.text.analyzer import TERMS, Analyzer

HTML = (
    b'<head><title>Galaxy</title><meta name="keywords" content="nebula"></head><body><h1>Quasar <a href="/p">pulsar</a></h1>'
    b'<p>comet comet <a href="/m">meteor</a> asteroid</p></body>'
)
TIMES = {"galaxi": 4, "nebula": 3, "quasar": 4, "pulsar": 4, "comet": 2, "meteor": 2, "asteroid": 1}


def read(html: bytes = HTML) -> object:
    return PageReader(Analyzer("en")).read(html, "http://h.org/")


def times(page: object) -> Counter[str]:
    return Counter(TERMS.term(number) for number in page.judged_terms(SECTIONS).tolist())


def test_each_word_counts_as_often_as_its_section_weighs_and_stands_in_one_section_only():
    assert times(read()) == TIMES


def test_the_counts_are_those_of_the_weighted_sum_of_sections():
    words = list(TIMES)
    parts = ({"galaxi": 1, "quasar": 1, "pulsar": 1}, {"nebula": 1}, {"meteor": 1}, {"comet": 2, "asteroid": 1})
    rows = [sparse.csr_matrix([[part.get(word, 0) for word in words]]) for part in parts]
    assert field_frequencies(*rows).toarray()[0].tolist() == [times(read())[word] for word in words]


def test_a_crawl_counts_the_words_that_training_counts():
    page = read()
    units = page_units(page, page_text=SECTIONS)
    of_page = [(s, e) for s, e, row in zip(units.start, units.end, units.row, strict=True) if row == 0]
    assert np.concatenate([page.terms[s:e] for s, e in of_page]).tolist() == page.judged_terms(SECTIONS).tolist()


def test_pages_without_sections_or_text_are_read():
    assert times(read(b"<p>comet</p>")) == {"comet": 1}
    assert not times(read(b""))
