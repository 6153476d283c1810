from __future__ import annotations

import numpy as np
import pytest
from topics import pages

from focused.method.learning.estimators.screened_svm import ScreenedSVM
from focused.method.learning.training import train_topic
from focused.method.text.weighting import weighted_rows

pytestmark = pytest.mark.usefixtures("whole_intervals")


@pytest.fixture(scope="module")
def few():
    """Ten positives and twenty unlabelled texts, as a crawl has met at its first training."""
    return pages(10, 20, words=20, seed=4)


def unit(vector: np.ndarray) -> np.ndarray:
    return vector / np.linalg.norm(vector)


def test_given_document_frequencies_take_the_place_of_those_of_the_documents(few):
    counts, y, _ = few
    idf = np.linspace(1, 3, counts.shape[1])
    np.testing.assert_array_equal(ScreenedSVM(idf=idf, random_state=0).fit(counts, y).term_weights_, idf)


def test_one_document_frequency_a_term_is_needed(few):
    counts, y, _ = few
    with pytest.raises(ValueError, match=rf"idf must hold one number a term \({counts.shape[1]}\)\. Got an array of"):
        ScreenedSVM(idf=np.ones(3)).fit(counts, y)


@pytest.mark.parametrize("share", [-0.1, 1.0])
def test_a_share_of_the_centroids_that_leaves_no_svm_is_refused(few, share):
    counts, y, _ = few
    with pytest.raises(ValueError, match=r"centroid_share must be in \[0, 1\)\. Got"):
        ScreenedSVM(centroid_share=share).fit(counts, y)


def test_the_direction_lies_between_those_of_the_svm_and_of_the_centroids_by_their_share(few):
    counts, y, _ = few
    svm = ScreenedSVM(random_state=0).fit(counts, y)
    rows, positive = weighted_rows(counts, svm.term_weights_, sublinear=True), y == 1
    kept = np.isin(np.arange(len(y)), svm.screened_out_, invert=True)
    of_positives, of_others = (np.asarray(rows[each & kept].mean(axis=0)).ravel() for each in (positive, ~positive))
    rocchio = unit(of_positives) - 0.6 * unit(of_others)  # Rocchio 1971, with vectors of length 1
    joined = ScreenedSVM(centroid_share=0.25, random_state=0).fit(counts, y)
    expected = 0.25 * unit(rocchio) + 0.75 * unit(svm.coef_[0])
    np.testing.assert_allclose(unit(joined.coef_[0]), unit(expected), atol=1e-12)


def test_the_mean_decision_of_each_class_is_that_of_the_svm_alone(few):
    counts, y, _ = few
    alone, joined = (ScreenedSVM(centroid_share=share, random_state=0).fit(counts, y) for share in (0.0, 0.5))
    learnt = np.isin(np.arange(len(y)), alone.screened_out_, invert=True)
    for label in (0, 1):
        means = [model.decision_function(counts[learnt & (y == label)]).mean() for model in (alone, joined)]
        assert means[1] == pytest.approx(means[0])
    assert not np.allclose(alone.coef_, joined.coef_)


def test_classes_with_one_centroid_keep_the_decision_of_the_svm():
    counts, y = np.ones((8, 3)), np.array([1, 1, 1, 1, 0, 0, 0, 0])
    alone, joined = (ScreenedSVM(centroid_share=share, random_state=0).fit(counts, y) for share in (0.0, 0.5))
    np.testing.assert_array_equal(joined.coef_, alone.coef_)


def test_against_pages_met_the_centroids_have_their_share_and_terms_the_given_weights():
    counts, y, _ = pages(10, 60, words=20, seed=6)
    idf = np.linspace(1, 3, counts.shape[1])
    model = train_topic(counts, y, are_met=True, idf=idf, n_folds=2)
    np.testing.assert_array_equal(model.term_weights, idf[model.term_indices])
    svm = ScreenedSVM(idf=idf, random_state=0).fit(counts, y)
    with_centroids = ScreenedSVM(idf=idf, centroid_share=0.35, random_state=0).fit(counts, y)
    np.testing.assert_allclose(model.coef, with_centroids.coef_[0][model.term_indices])
    assert not np.allclose(model.coef, svm.coef_[0][model.term_indices])
