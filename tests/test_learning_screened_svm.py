from __future__ import annotations

import numpy as np
import pytest
from topics import pages

from focused.method.learning.estimators.screened_svm import ScreenedSVM
from focused.method.learning.training import train_topic

pytestmark = pytest.mark.usefixtures("whole_intervals")


@pytest.fixture(scope="module")
def few():
    """Ten positives and twenty unlabelled texts, as a crawl has met at its first training."""
    return pages(10, 20, words=20, seed=4)


def test_given_document_frequencies_take_the_place_of_those_of_the_documents(few):
    counts, y, _ = few
    idf = np.linspace(1, 3, counts.shape[1])
    np.testing.assert_array_equal(ScreenedSVM(idf=idf, random_state=0).fit(counts, y).term_weights_, idf)


def test_one_document_frequency_a_term_is_needed(few):
    counts, y, _ = few
    with pytest.raises(ValueError, match=rf"idf must hold one number a term \({counts.shape[1]}\)\. Got an array of"):
        ScreenedSVM(idf=np.ones(3)).fit(counts, y)


def test_a_topic_is_trained_with_the_given_document_frequencies():
    counts, y, _ = pages(10, 60, words=20, seed=6)
    idf = np.linspace(1, 3, counts.shape[1])
    model = train_topic(counts, y, every_term=True, idf=idf, n_folds=2)
    np.testing.assert_array_equal(model.term_weights, idf[model.term_indices])
