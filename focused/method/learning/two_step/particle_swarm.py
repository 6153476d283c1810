"""Particle swarm optimisation in the unit cube (Kennedy and Eberhart 1995)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

# Clerc and Kennedy 2002: with these a particle's path contracts around the best known points.
_INERTIA = 0.7298
_PULL = 1.49618


class Swarm(NamedTuple):
    """What a swarm found."""

    position: NDArray[np.float64]
    """The best point, shape (n_dimensions,), in [0, 1]."""
    fitness: NDArray[np.float64]
    """The fitness of the start, then the best so far: after placing the swarm and after each move. Never falls."""
    termination: str
    """Why it ended: "stalled" or "max_iterations"."""


def maximize(
    fitness: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    start: NDArray[np.float64],
    *,
    n_particles: int = 20,
    max_iterations: int = 60,
    patience: int = 15,
    random_state: Any = None,
) -> Swarm:
    """Search the unit cube for a point of high fitness.

    Each particle is drawn to the best point of its own path and to the best of all. The first particle starts at `start`, so
    the result is never worse; the others start at random.

    Parameters
    ----------
    fitness : callable
        From points of shape (n_particles, n_dimensions) to their fitness, shape (n_particles,).
    start : ndarray of shape (n_dimensions,)
        In [0, 1].
    n_particles : int
        At least 1.
    max_iterations : int
        Not negative.
    patience : int
        Stop after this many moves without a better point.
    random_state : int, RandomState instance or None
        Seed of all random numbers.

    Raises
    ------
    ValueError
        If `start` leaves the unit cube or there is no particle.
    """
    if not ((start >= 0) & (start <= 1)).all():
        raise ValueError(f"start must lie in [0, 1]. Got {start}.")
    if n_particles < 1:
        raise ValueError(f"n_particles must be at least 1. Got {n_particles}.")
    rng = check_random_state(random_state)
    shape = (n_particles, len(start))
    positions = rng.uniform(size=shape)
    positions[0] = start
    velocities = rng.uniform(-0.5, 0.5, size=shape)
    own_best, own_fitness = positions.copy(), np.array(fitness(positions))
    leader = int(own_fitness.argmax())
    history = [float(own_fitness[0]), float(own_fitness[leader])]
    termination, idle = "max_iterations", 0
    for _ in range(max_iterations):
        if idle == patience:
            termination = "stalled"
            break
        to_own, to_leader = rng.uniform(size=shape), rng.uniform(size=shape)
        velocities = _INERTIA * velocities + _PULL * (
            to_own * (own_best - positions) + to_leader * (own_best[leader] - positions)
        )
        moved = positions + velocities
        positions = np.clip(moved, 0.0, 1.0)
        # A particle stops at a wall; otherwise it would press against it for many rounds.
        velocities[positions != moved] = 0.0
        values = fitness(positions)
        better = values > own_fitness
        own_best[better], own_fitness[better] = positions[better], values[better]
        leader = int(own_fitness.argmax())
        idle = idle + 1 if own_fitness[leader] == history[-1] else 0
        history.append(float(own_fitness[leader]))
    return Swarm(own_best[leader].copy(), np.array(history), termination)
