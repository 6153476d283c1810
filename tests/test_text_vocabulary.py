from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from focused.method.text.vocabulary import canonical, document_frequencies, select_terms, total_frequencies


def test_frequencies_count_documents_and_occurrences():
    counts = sparse.csr_matrix(np.array([[3, 0, 1], [2, 0, 0], [0, 0, 4]]))
    assert document_frequencies(counts).tolist() == [2, 0, 2]
    assert total_frequencies(counts).tolist() == [5, 0, 5]


def test_stored_zeros_hold_no_term():
    counts = sparse.csr_matrix((np.array([0, 2]), np.array([0, 1]), np.array([0, 2])), shape=(1, 2))
    assert document_frequencies(counts).tolist() == [0, 1]


def test_a_term_is_kept_for_two_positives_or_five_documents_if_it_occurs_five_times():
    positive = np.array([True, True] + [False] * 6)
    counts = np.zeros((8, 5), dtype=int)
    counts[[0, 1], 0] = [2, 3]  # in two positives, five times
    counts[[0, 1], 1] = [2, 2]  # in two positives, four times
    counts[2:6, 2] = 5  # in four unlabelled ones, often
    counts[2:7, 3] = 1  # in five documents, five times
    counts[0, 4] = 50  # in one positive only
    assert select_terms(sparse.csr_matrix(counts), positive).tolist() == [0, 3]


def test_flags_that_do_not_fit_the_documents_are_refused():
    with pytest.raises(ValueError, match="one flag a document"):
        select_terms(sparse.csr_matrix((3, 2)), [True, False])


def test_canonical_adds_duplicates_and_leaves_the_argument_alone():
    doubled = sparse.csr_matrix((np.array([1.0, 2.0, 0.0]), np.array([1, 1, 0]), np.array([0, 3])), shape=(1, 2))
    assert canonical(doubled).toarray().tolist() == [[0, 3]]
    assert canonical(doubled).nnz == 1
    assert doubled.data.tolist() == [1.0, 2.0, 0.0]
