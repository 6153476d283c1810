"""L-BFGS in one thread, with a break after each time that the function was computed."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable

Floats = npt.NDArray[np.float64]

_MEMORY = 10
"""Steps that the curvature is estimated from."""
_LEAST_GAIN, _MOST_TRIES = 1e-4, 20
_FLAT = 1e-5


def descend(
    loss: Callable[[Floats], tuple[float, Floats]],
    start: Floats,
    curvature: Floats,
    *,
    max_iterations: int,
    tolerance: float = 1e-5,
) -> Generator[None, None, tuple[Floats, int]]:
    """Minimise a smooth convex function; yields after each time that it was computed.

    Limited-memory BFGS with a diagonal to begin with, and steps that are shortened until they gain enough (Nocedal and Wright
    2006, algorithms 7.5 and 3.1). SciPy's runs to its end once it is called: breaks would take a second thread. `loss`
    returns value and gradient; `curvature` is about the second derivatives at the start, each above 0. It ends where an
    iteration gains less than the part `tolerance` of the value. Returns the point and the number of iterations.
    """
    point = start
    value, gradient = loss(point)
    yield
    pairs: deque[tuple[Floats, Floats, float]] = deque(maxlen=_MEMORY)
    for n_iterations in range(max_iterations):
        if not np.abs(gradient).max(initial=0.0) > _FLAT:
            return point, n_iterations
        direction = -_over_curvature(gradient, pairs, curvature)
        slope, length = dot(direction, gradient), 1.0
        for _ in range(_MOST_TRIES):
            there = point + length * direction
            found, gradient_there = loss(there)
            yield
            if found <= value + _LEAST_GAIN * length * slope:
                break
            # Where the parabola through both values and the slope is lowest, but neither at once nor too short.
            lowest = -slope * length**2 / (2 * (found - value - slope * length))
            length = min(max(lowest, length / 10), length / 2)
        else:
            return point, n_iterations  # no nearer point is lower by anything that numbers could show
        gained = value - found
        step, change = there - point, gradient_there - gradient
        if (product := dot(step, change)) > 0:
            pairs.append((step, change, product))
        point, value, gradient = there, found, gradient_there
        if gained <= tolerance * max(abs(value), abs(value + gained), 1.0):
            return point, n_iterations + 1
    return point, max_iterations


def dot(one: Floats, other: Floats) -> float:
    """Return the product of two vectors, by one thread: a linear algebra library's threads wait for work and take time."""
    return float(np.einsum("i,i->", one, other))


def _over_curvature(gradient: Floats, pairs: Iterable[tuple[Floats, Floats, float]], curvature: Floats) -> Floats:
    """Return the gradient over what is known of the second derivatives."""
    found, shares = gradient.copy(), []
    last_first = list(pairs)[::-1]
    for step, change, product in last_first:
        share = dot(step, found) / product
        found -= share * change
        shares.append(share)
    found /= curvature
    if last_first:
        _, change, product = last_first[0]
        found *= product / dot(change, change / curvature)
    for (step, change, product), share in zip(last_first[::-1], shares[::-1], strict=True):
        found += (share - dot(change, found) / product) * step
    return found
