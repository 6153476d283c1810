"""What is found among positives: copies, two topics at once, pages about something else; and no false alarm."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from focused.method.learning.diagnosis import diagnose, near_duplicates, outliers, two_groups
from focused.method.text.weighting import normalized

N_TERMS = 400
FIRST, SECOND, OTHER = np.arange(0, 60), np.arange(60, 120), np.arange(120, N_TERMS)


def page(rng: np.random.Generator, about: np.ndarray) -> np.ndarray:
    words = np.concatenate([rng.choice(about, 30), rng.choice(OTHER, 30)])
    return np.bincount(words, minlength=N_TERMS)


def examples(n_first: int, n_second: int, n_other: int = 0, seed: int = 0) -> tuple[sparse.csr_matrix, np.ndarray]:
    """Positives about a first and a second topic and about anything, then 200 unlabelled pages about anything."""
    rng = np.random.default_rng(seed)
    about = [FIRST] * n_first + [SECOND] * n_second + [OTHER] * (n_other + 200)
    rows = np.array([page(rng, each) for each in about])
    return sparse.csr_matrix(rows), np.arange(len(rows)) < n_first + n_second + n_other


@pytest.mark.parametrize("n", [8, 15, 40])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_one_topic_raises_no_alarm(n: int, seed: int) -> None:
    found = diagnose(*examples(n, 0, seed=seed))
    assert found.groups == ()
    assert found.duplicates == ()
    assert len(found.outliers) == 0


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_two_topics_are_told_apart_page_by_page(seed: int) -> None:
    found = diagnose(*examples(18, 12, seed=seed))
    first, second = found.groups
    assert first.tolist() == list(range(18))
    assert second.tolist() == list(range(18, 30))
    assert set(found.group_terms[0]) <= set(FIRST.tolist())
    assert set(found.group_terms[1]) <= set(SECOND.tolist())


def test_a_few_odd_pages_are_outliers_and_no_second_topic() -> None:
    found = diagnose(*examples(27, 0, 3))
    assert found.groups == ()
    assert set(found.outliers.tolist()) == {27, 28, 29}


def test_copies_are_grouped_and_do_not_make_a_topic() -> None:
    rows = examples(12, 0)[0].toarray()
    copies = [3, 3, 3, 3, 5]
    changed = rows[copies].copy()
    changed[:, 399] += 1  # nearly the same
    counts = sparse.csr_matrix(np.vstack([rows[:12], changed, rows[12:]]))
    found = diagnose(counts, np.arange(counts.shape[0]) < 17)
    assert [group.tolist() for group in found.duplicates] == [[3, 12, 13, 14, 15], [5, 16]]
    assert found.groups == ()


def test_pages_of_a_few_words_are_no_copies() -> None:
    rows = normalized(sparse.csr_matrix(np.tile([1.0, 1.0, 0.0], (4, 1))))
    assert near_duplicates(rows) == []


def test_too_few_positives_are_not_judged() -> None:
    assert diagnose(*examples(4, 3)).groups == ()
    few = sparse.csr_matrix(np.eye(3))
    assert two_groups(few, few) is None
    assert len(outliers(few, few)) == 0


def test_positives_without_a_known_word_do_no_harm() -> None:
    counts, positive = examples(10, 0)
    rows = counts.toarray()
    rows[:4] = 0
    found = diagnose(sparse.csr_matrix(rows), positive)
    assert set(found.outliers.tolist()) <= {0, 1, 2, 3}
    assert diagnose(sparse.csr_matrix(np.zeros((30, 5))), np.arange(30) < 10).groups == ()


def test_of_very_many_positives_a_seeded_sample_is_looked_at() -> None:
    rows = np.random.default_rng(0).poisson(0.2, (1300, 60))
    counts = sparse.csr_matrix(rows)
    positive = np.arange(1300) < 1200
    found = [diagnose(counts, positive, random_state=state) for state in (3, 3)]
    assert all(np.array_equal(*pair) for pair in zip(found[0].groups, found[1].groups, strict=True))
    assert np.array_equal(found[0].outliers, found[1].outliers)
