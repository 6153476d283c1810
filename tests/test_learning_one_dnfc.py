from __future__ import annotations

import logging

import numpy as np
import pytest
from scipy import sparse
from topics import pages

from focused.method.learning.two_step.one_dnf import positive_features
from focused.method.learning.two_step.one_dnfc import one_dnfc_negatives
from focused.method.learning.two_step.reliable_negatives import TooFewReliableNegativesError


def rows(*texts: str) -> sparse.csr_matrix:
    """Documents as strings of one-letter terms a-f."""
    return sparse.csr_matrix(np.array([[text.count(term) for term in "abcdef"] for text in texts]))


def find(counts, y, **options):
    y = np.asarray(y, dtype=bool)
    return one_dnfc_negatives(counts[y], counts[~y], **options)


def test_a_positive_feature_is_commoner_in_p_than_in_u_and_above_lambda():
    in_p, in_u = np.array([0.5, 0.2, 0.3, 0.9]), np.array([0.1, 0.0, 0.4, 0.9])
    assert positive_features(in_p, in_u, 0.2).tolist() == [0]
    assert positive_features(in_p, in_u, 0.1).tolist() == [0, 1]


def test_reliable_negatives_are_the_unlabelled_documents_without_a_positive_feature():
    counts = rows("ab", "ac", "bd", "cd", "de", "aee", "ff", "df")
    found = find(counts, [1, 1, 0, 0, 0, 0, 0, 0])
    assert found.evidence["positive_features_"].tolist() == [0, 1, 2]
    assert found.unlabeled_rows.tolist() == [2, 4, 5]
    assert found.evidence["lambda_"] == 0.2


@pytest.fixture
def collapsing():
    """A word ("c") that 60 % of the positives hold stands in all but one unlabelled page's text, too."""
    counts = np.zeros((110, 4), dtype=int)
    counts[:10, 0] = 1  # the topic's own word
    counts[:6, 1] = 1  # common to the site, a little more common on the topic's pages
    counts[10:64, 1] = 1
    counts[64:109, 2] = 1
    counts[:3, 2] = 1
    counts[10:15, 0] = 1
    counts[64:, 3] = 1
    counts[:5, 3] = 1  # 50 % of the positives, 46 % of the rest
    return sparse.csr_matrix(counts), np.arange(110) < 10


def test_lambda_rises_where_the_papers_value_leaves_nearly_nothing(collapsing, caplog):
    counts, y = collapsing
    at_paper_value = positive_features((counts[y] > 0).mean(axis=0).A1, (counts[~y] > 0).mean(axis=0).A1, 0.2)
    left = ((counts[~y][:, at_paper_value] > 0).sum(axis=1).A1 == 0).sum()
    assert left == 0
    with caplog.at_level(logging.INFO, logger="focused.method.learning.two_step.one_dnfc"):
        found = find(counts, y)
    assert found.evidence["lambda_"] == 0.5
    assert len(found.unlabeled_rows) >= 10
    assert "lambda raised from 0.20 to 0.50" in caplog.text


def test_lambda_stays_where_the_papers_value_is_enough():
    assert find(*pages(words=12)[:2]).evidence["lambda_"] == 0.2


def test_training_fails_where_no_lambda_is_enough():
    counts = sparse.csr_matrix(np.vstack([np.ones((5, 1)), np.ones((99, 1)), np.zeros((1, 1))]))
    y = np.arange(105) < 5
    with pytest.raises(TooFewReliableNegativesError, match=r"at least 5 .* among 100 .* Got at most 1 .* 0\.95"):
        find(counts, y)
    assert len(find(counts, y, too_few="all").unlabeled_rows) == 100


def test_training_fails_where_no_term_is_a_positive_feature():
    counts = rows("a", "b", "c", "ab", "bc", "ac", "abc")
    with pytest.raises(ValueError, match="no positive feature is left"):
        find(counts, [1, 1, 1, 0, 0, 0, 0])


def test_at_least_five_percent_of_u_are_asked_for():
    counts = np.zeros((203, 2), dtype=int)
    counts[:3, 0] = 1
    counts[3:194, 0] = 1  # leaves 9 of 200: as many as positives, but under 5 %
    with pytest.raises(TooFewReliableNegativesError, match="at least 10"):
        find(sparse.csr_matrix(counts), np.arange(203) < 3)
    assert len(find(sparse.csr_matrix(counts), np.arange(203) < 3, min_share=0.0).unlabeled_rows) == 9


def test_lambda_outside_its_range_is_refused():
    with pytest.raises(ValueError, match=r"lambda_start must be in \[0, 1\)\. Got 1\.0"):
        find(*pages()[:2], lambda_start=1.0)
