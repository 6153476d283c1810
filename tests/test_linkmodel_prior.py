"""What a fit of the model of links is drawn to, of the terms that a topic's examples taught and of others."""

from __future__ import annotations

import numpy as np
import pytest

from focused.method.page.url_features import N_COLUMNS
from focused.method.strategies.linkmodel.prior import NO_PRIOR, Prior

LAST = 2 * N_COLUMNS - 1
LEARNT = Prior(
    columns=np.array([3, 900, LAST - 1]), sparse=np.array([0.5, -2.0, 1.5]), sparse_penalty=np.array([4.0, 7.0, 9.0])
)


@pytest.mark.parametrize(
    ("columns", "weights", "penalties"),
    [
        ([3, 900, LAST - 1], [0.5, -2.0, 1.5], [4.0, 7.0, 9.0]),
        ([0, 3, 4, 901, LAST], [0, 0.5, 0, 0, 0], [3.0, 4.0, 3.0, 3.0, 3.0]),
        ([LAST], [0], [3.0]),
        ([], [], []),
    ],
)
def test_each_term_has_its_own_weight_and_penalty_and_an_unknown_one_those_of_none(columns, weights, penalties):
    prior, penalty = LEARNT.of(np.array(columns, dtype=np.int64))
    n = len(LEARNT.dense)
    assert (prior[:n].tolist(), penalty[:n].tolist()) == (LEARNT.dense.tolist(), LEARNT.dense_penalty.tolist())
    assert (prior[n:].tolist(), penalty[n:].tolist()) == (weights, penalties)


def test_where_nothing_was_learnt_all_terms_are_unknown():
    prior, penalty = NO_PRIOR.of(np.array([0, LAST]))
    n = len(NO_PRIOR.dense)
    assert (prior[n:].tolist(), penalty[n:].tolist()) == ([0, 0], [3.0, 3.0])


def test_weights_of_urls_and_of_anchor_texts_are_those_of_their_terms():
    found = LEARNT.weights()
    assert found.urls.nonzero()[0].tolist() == [3, 900]
    assert found.anchors.nonzero()[0].tolist() == [N_COLUMNS - 2]
    assert (found.urls[3], found.urls[900], found.anchors[-2]) == (0.5, -2.0, 1.5)
    assert len(found.urls) == len(found.anchors) == N_COLUMNS
