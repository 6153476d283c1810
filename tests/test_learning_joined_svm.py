from __future__ import annotations

import numpy as np
import pytest
from topics import pages

from focused.method.learning.estimators.joined_svm import JoinedSVM
from focused.method.learning.estimators.screened_svm import ScreenedSVM
from focused.method.learning.training import ShareRule, train_topic

pytestmark = pytest.mark.usefixtures("whole_intervals")


@pytest.fixture(scope="module")
def few():
    """Six positives and 600 unlabelled texts of few words."""
    return pages(6, 600, words=8, seed=4)


def ranked(model, counts, relevant) -> float:
    """Return the share of relevant texts among the likeliest, as many as there are."""
    return float(relevant[np.argsort(-model.decision_function(counts))[: relevant.sum()]].mean())


def test_hidden_positives_that_join_show_words_that_few_positives_lack(few):
    counts, y, relevant = few
    unseen, _, truth = pages(6, 600, words=8, seed=8)
    screened = ScreenedSVM(random_state=0).fit(counts, y)
    joined = JoinedSVM(hidden_share=relevant[y == 0].mean(), random_state=0).fit(counts, y)
    assert ranked(joined, unseen, truth) > ranked(screened, unseen, truth)


def test_no_more_than_the_expected_share_joins_and_no_labelled_page_twice(few):
    counts, y, _ = few
    joined = JoinedSVM(hidden_share=0.1, random_state=0).fit(counts, y).joined_
    assert len(joined) == round(0.4 * 0.1 * 600)
    assert not y[joined].any()


def test_without_an_expected_share_nothing_joins(few):
    counts, y, _ = few
    joined = JoinedSVM(random_state=0).fit(counts, y)
    assert not len(joined.joined_)
    np.testing.assert_array_equal(joined.coef_, ScreenedSVM(random_state=0).fit(counts, y).coef_)


@pytest.mark.parametrize("share", [0.0, 1.0, -0.1])
def test_a_share_that_is_none_is_refused(few, share):
    counts, y, _ = few
    with pytest.raises(ValueError, match=r"hidden_share must lie between 0 and 1\. Got"):
        JoinedSVM(hidden_share=share, random_state=0).fit(counts, y)


@pytest.mark.parametrize("given", [ShareRule(assumed=0.05), ShareRule(known=0.1)])
def test_nothing_joins_where_the_unlabelled_pages_are_no_draw_whose_prior_is_estimated(few, given):
    counts, y, _ = few
    models = [train_topic(counts, y, learner=name, n_folds=2, share=given) for name in ("screened_svm", "joined_svm")]
    np.testing.assert_array_equal(*(model.coef for model in models))


def test_the_prior_is_that_of_the_decisions_before_anything_joined(few):
    counts, y, _ = few
    screened, joined = (train_topic(counts, y, learner=name, n_folds=3) for name in ("screened_svm", "joined_svm"))
    assert joined.figures.prior == screened.figures.prior
    assert not np.array_equal(joined.coef, screened.coef)
