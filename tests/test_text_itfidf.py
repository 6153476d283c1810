from __future__ import annotations

import numpy as np
import pytest
from research.fields import field_frequencies
from scipy import sparse
from topics import pages

from focused.method.page.sections import SectionWeights
from focused.method.text.itfidf import information_gain, itfidf, mutual_information
from focused.method.text.weighting import tfc

COUNTS = np.array([[2, 0, 1, 0, 0], [2, 1, 0, 0, 0], [0, 1, 3, 0, 0], [0, 2, 0, 0, 4]])
POSITIVE = [True, True, False, False]


def entropy(masses: np.ndarray) -> float:
    p = masses[masses > 0] / masses.sum()
    return -(p * np.log2(p)).sum()


def test_mutual_information_is_that_with_the_class_that_has_more_of_the_term():
    # Shares of documents: term 0 only in P; 1 in one of P and both of N; 2 in one of each; 3 nowhere; 4 only in N.
    expected = [np.log(2), np.log(4 / 3), 0.0, -np.inf, np.log(2)]
    assert mutual_information(sparse.csr_matrix(COUNTS), POSITIVE) == pytest.approx(expected)


def test_mutual_information_does_not_depend_on_which_class_is_called_positive():
    counts, y, _ = pages()
    assert mutual_information(counts, y) == pytest.approx(mutual_information(counts, ~y))
    assert mutual_information(counts, y).min() >= 0


def test_mutual_information_needs_both_classes():
    with pytest.raises(ValueError, match="documents of both classes"):
        mutual_information(sparse.csr_matrix(COUNTS), [False] * 4)


def test_information_gain_is_the_entropy_of_documents_less_that_of_the_terms_occurrences():
    gain = information_gain(sparse.csr_matrix(COUNTS))
    of_documents = entropy(COUNTS.sum(axis=1))
    for term in (0, 1, 2):
        assert gain[term] == pytest.approx(max(of_documents - entropy(COUNTS[:, term]), 0))
    assert gain[3] == 0
    assert gain[4] == pytest.approx(of_documents)


def test_a_term_spread_like_the_lengths_gains_nothing_and_none_is_below_zero():
    lengths = np.array([1.0, 2, 3, 4, 10])
    assert information_gain(sparse.csr_matrix(np.outer(lengths, [1, 9]))) == pytest.approx([0, 0], abs=1e-12)
    counts = np.column_stack([9 * lengths, np.ones(5)])
    assert entropy(counts.sum(axis=1)) < entropy(counts[:, 1])
    assert information_gain(sparse.csr_matrix(counts))[1] == 0


def test_no_words_gain_nothing():
    assert information_gain(sparse.csr_matrix((3, 2))).tolist() == [0, 0]


def test_itfidf_is_printed_equation_4():
    idf, gain = np.array([0.5, 1.0, 2.0, 1.0, 3.0]), np.array([1.0, 3.0, 0.5, 1.0, 2.0])
    weights = itfidf(sparse.csr_matrix(COUNTS), idf, gain).toarray()
    for d, counts in enumerate(COUNTS):
        assert weights[d] == pytest.approx(counts * idf * gain / np.sqrt(((counts * idf) ** 2).sum()))


def test_without_a_gain_itfidf_is_tfc():
    counts, idf = sparse.csr_matrix(COUNTS), np.arange(1.0, 6.0)
    assert (itfidf(counts, idf, np.ones(5)) != tfc(counts, idf)).nnz == 0


def test_fields_add_up_by_their_weights():
    headline, keywords, anchor, body = (sparse.csr_matrix(row) for row in ([[1, 0]], [[0, 1]], [[0, 2]], [[5, 0]]))
    assert field_frequencies(headline, keywords, anchor, body).toarray().tolist() == [[9, 7]]
    weights = SectionWeights(10, 6, 2.5, 1.5)
    assert field_frequencies(headline, keywords, anchor, body, weights).toarray().tolist() == [[17.5, 11]]


def test_fields_are_neither_changed_nor_densified(monkeypatch):
    counts = pages()[0]
    before = counts.copy()
    monkeypatch.setattr(sparse.csr_matrix, "toarray", lambda *_: pytest.fail("densified"))
    assert (field_frequencies(counts, counts, counts, counts) != 10 * counts).nnz == 0
    assert (counts != before).nnz == 0


@pytest.mark.parametrize("weights", [(4, 3, 2, 0.5), (3, 3, 2, 1), (1, 2, 3, 4), (4, 3, 1, 2)])
def test_field_weights_out_of_order_are_refused(weights):
    one = sparse.csr_matrix([[1]])
    with pytest.raises(ValueError, match="headline > keywords > anchor > body >= 1"):
        field_frequencies(one, one, one, one, SectionWeights(*weights))


def test_sections_of_different_shape_are_refused():
    one, two = sparse.csr_matrix([[1]]), sparse.csr_matrix([[1, 1]])
    with pytest.raises(ValueError, match="of one shape"):
        field_frequencies(one, one, two, one)
