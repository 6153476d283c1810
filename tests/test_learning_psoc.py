from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import average_precision_score
from topics import pages

from focused.method.learning.two_step.particle_swarm import maximize
from focused.method.learning.two_step.psoc import PSOC, pu_fitness
from focused.method.learning.two_step.wvc import WVC

SOURCE = {"weighting": "tfc", "reliable": "1-dnfii"}


def hill(points: np.ndarray) -> np.ndarray:
    """Highest, with 0, at (0.2, 0.8, 0.5)."""
    return -((points - [0.2, 0.8, 0.5]) ** 2).sum(axis=1)


def test_the_swarm_finds_the_top_of_a_hill():
    found = maximize(hill, np.zeros(3), max_iterations=100, random_state=0)
    assert found.position == pytest.approx([0.2, 0.8, 0.5], abs=1e-2)


def test_the_swarm_finds_a_top_in_a_corner_and_stays_in_the_cube():
    asked = []

    def slope(points):
        asked.append(points)
        return points.sum(axis=1)

    found = maximize(slope, np.full(4, 0.5), random_state=0)
    assert found.position == pytest.approx(np.ones(4), abs=1e-2)
    assert all(((points >= 0) & (points <= 1)).all() for points in asked)


def test_the_fitness_starts_at_the_start_and_never_falls():
    found = maximize(hill, np.array([0.9, 0.9, 0.9]), random_state=1)
    assert found.fitness[0] == pytest.approx(hill(np.full((1, 3), 0.9))[0])
    assert (np.diff(found.fitness) >= 0).all()
    assert found.fitness[-1] == pytest.approx(hill(found.position[np.newaxis])[0])


def test_a_swarm_on_a_plain_stays_at_the_start_and_says_why_it_stopped():
    found = maximize(lambda points: np.zeros(len(points)), np.array([0.3, 0.4]), patience=4, random_state=0)
    assert found.position.tolist() == [0.3, 0.4]
    assert found.termination == "stalled"
    assert maximize(hill, np.zeros(3), max_iterations=3, random_state=0).termination == "max_iterations"


def test_the_swarm_repeats_itself_with_a_seed():
    first, same, other = (maximize(hill, np.zeros(3), max_iterations=5, random_state=seed) for seed in (3, 3, 4))
    assert (first.position == same.position).all()
    assert (first.position != other.position).any()


def test_a_start_outside_the_cube_and_an_empty_swarm_are_refused():
    with pytest.raises(ValueError, match=r"start must lie in \[0, 1\]\. Got \[2\.\]"):
        maximize(hill, np.array([2.0]))
    with pytest.raises(ValueError, match=r"n_particles must be at least 1\. Got 0"):
        maximize(hill, np.zeros(3), n_particles=0)


def test_fitness_is_squared_recall_over_the_accepted_share_at_the_best_threshold():
    of_positive = np.array([[3.0, 2.0, -5.0]])
    of_unlabeled = np.array([[4.0, 1.0, 0.0, -1.0, -2.0, -3.0, -4.0, -4.5, -6.0]])
    # At 3: (1/3)^2 / (2/10); at 2: (2/3)^2 / (2/10); at -5: 1 / (9/10). The scale of a vote does not matter.
    for scale in (1.0, 0.1):
        assert pu_fitness(np.array([[scale]]), of_positive, of_unlabeled) == pytest.approx([(4 / 9) / 0.2])


def test_fitness_of_several_votes_is_that_of_each():
    rng = np.random.default_rng(0)
    votes, of_positive, of_unlabeled = rng.random((5, 3)), rng.normal(size=(3, 7)), rng.normal(size=(3, 40))
    alone = [pu_fitness(vote[np.newaxis], of_positive, of_unlabeled)[0] for vote in votes]
    assert pu_fitness(votes, of_positive, of_unlabeled) == pytest.approx(alone)


@pytest.fixture(scope="module")
def fitted():
    counts, y, relevant = pages(20, 300, words=12, seed=0)
    return PSOC(**SOURCE, random_state=0).fit(counts, y), counts, y, relevant


def test_the_swarms_position_is_the_vote(fitted):
    model, counts, _, _ = fitted
    assert model.n_iter_ > 2
    assert model.voter_weights_ == pytest.approx(model.swarm_position_ / model.swarm_position_.sum())
    assert model.coef_[0] == pytest.approx(model.voter_weights_ @ model.voter_coefs_)
    assert list(model.staged_decision_function(counts))[-1] == pytest.approx(model.decision_function(counts))


def test_the_weights_found_rate_above_those_of_wvc(fitted):
    model, counts, y, _ = fitted
    vote = WVC(**SOURCE, random_state=0).fit(counts, y)
    assert (model.voter_coefs_ == vote.voter_coefs_).all()
    assert model.swarm_fitness_[-1] > model.swarm_fitness_[0]
    assert model.swarm_termination_ in ("stalled", "max_iterations")


def test_it_ranks_hidden_positives_as_well_as_wvc(fitted):
    model, counts, y, relevant = fitted
    vote = WVC(**SOURCE, random_state=0).fit(counts, y)
    found, other = (average_precision_score(relevant[~y], m.decision_function(counts[~y])) for m in (model, vote))
    assert found > other - 0.05


def test_the_seed_fixes_the_weights():
    counts, y, _ = pages(20, 300, words=12, seed=0)
    first, same = (PSOC(**SOURCE, random_state=5).fit(counts, y).voter_weights_ for _ in range(2))
    assert (first == same).all()


def test_one_positive_is_enough_to_train_on():
    counts, y, _ = pages(20, 300, words=12, seed=0)
    one = np.arange(len(y)) < 1
    assert np.isfinite(PSOC(**SOURCE, too_few="lowest", random_state=0).fit(counts, one).coef_).all()
