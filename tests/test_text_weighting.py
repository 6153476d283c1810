from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer

from focused.method.text.weighting import (
    class_rates,
    inverse_document_frequency,
    smoothed_inverse_document_frequency,
    tfc,
    tfipndf,
    tfipndf_term_weights,
    weighted_rows,
)


@pytest.fixture
def l14():
    """L14 3.2: 20 documents, 10 + 10; term 0 stands once in 5 + 5 of them, term 1 once in 9 + 1."""
    positive = np.arange(20) < 10
    counts = np.zeros((20, 2))
    counts[[*range(5), *range(10, 15)], 0] = 1
    counts[[*range(9), 10], 1] = 1
    return sparse.csr_matrix(counts), positive


def test_worked_example_of_l14_number_for_number(l14):
    counts, positive = l14
    idf = inverse_document_frequency([10, 10], 20)
    assert idf == pytest.approx([0.6931, 0.6931], abs=5e-5)
    weights = tfipndf(counts, positive, idf, normalize=False).toarray()
    assert weights[0] == pytest.approx([0.3466, 0.6238], abs=5e-5)
    assert weights[10] == pytest.approx([0.3466, 0.0693], abs=5e-5)


def test_class_rates_of_the_worked_example(l14):
    in_positive, in_negative = class_rates(*l14)
    assert in_positive.tolist() == [0.5, 0.9]
    assert in_negative.tolist() == [0.5, 0.1]


def test_class_independent_weights_take_the_larger_rate(l14):
    assert tfipndf_term_weights(*l14, [2.0, 2.0]).tolist() == [1.0, 1.8]


def test_smoothed_idf_is_that_of_scikit_learn():
    counts = sparse.csr_matrix(np.array([[2, 1, 0, 0], [0, 3, 0, 1], [0, 1, 0, 0]]))
    idf = smoothed_inverse_document_frequency([1, 3, 0, 1], 3)
    reference = TfidfTransformer().fit(counts)
    assert idf == pytest.approx(reference.idf_)
    assert idf[1] == 1.0
    assert weighted_rows(counts, idf).toarray() == pytest.approx(reference.transform(counts).toarray())


def test_tfc_of_a_small_collection():
    counts = sparse.csr_matrix(np.array([[2, 1], [0, 1], [0, 0]]))
    idf = inverse_document_frequency([1, 2], 3)
    x = np.array([2 * np.log(3), np.log(1.5)])
    rows = tfc(counts, idf).toarray()
    assert rows[0] == pytest.approx(x / np.sqrt(x @ x))
    assert rows[1].tolist() == [0, 1]
    assert rows[2].tolist() == [0, 0]


def test_sublinear_term_frequency_is_one_plus_ln():
    rows = tfc(sparse.csr_matrix(np.array([[3, 1]])), [1.0, 1.0], sublinear=True).toarray()[0]
    assert rows[0] / rows[1] == pytest.approx(1 + np.log(3))


def test_terms_of_every_document_and_of_none_weigh_nothing():
    assert inverse_document_frequency([4, 0], 4).tolist() == [0, 0]


def test_rows_have_length_one_and_stay_sparse(l14):
    counts, positive = l14
    for rows in (tfc(counts, [1.0, 2.0]), tfipndf(counts, positive, [1.0, 2.0])):
        assert sparse.issparse(rows)
        lengths = np.sqrt(rows.multiply(rows).sum(axis=1)).A1
        assert lengths[np.diff(rows.indptr) > 0] == pytest.approx(1)


def test_tfipndf_without_one_class_is_refused(l14):
    with pytest.raises(ValueError, match=r"both classes\. Got 20 positive and 0 negative"):
        tfipndf(l14[0], np.ones(20, dtype=bool), [1.0, 1.0])


def test_weighting_leaves_the_counts_alone(l14):
    counts, positive = l14
    before = counts.toarray()
    tfc(counts, [1.0, 2.0], sublinear=True)
    tfipndf(counts, positive, [1.0, 2.0])
    assert (counts.toarray() == before).all()
