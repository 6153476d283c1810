"""L-BFGS that can be interrupted: SciPy's runs to its end."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

Floats = npt.NDArray[np.float64]

_HISTORY = 10
_ENOUGH = 1e-4
_SHORTEST_STEP = 1e-10


def descend(
    loss: Callable[[Floats], tuple[float, Floats]],
    start: Floats,
    curvatures: Floats,
    *,
    max_iterations: int,
    tolerance: float = 1e-5,
) -> Generator[None, None, tuple[Floats, int]]:
    """Minimise a smooth convex function; yields after each time that it was computed.

    Parameters
    ----------
    loss : function
        Of a point: value and gradient.
    start : ndarray of shape (n,)
    curvatures : ndarray of shape (n,)
        About the diagonal of the Hessian, positive: the closer, the fewer iterations.
    max_iterations : int
    tolerance : float
        It ends where an iteration gains less than this part of the value.

    Returns
    -------
    point : ndarray of shape (n,)
    n_iterations : int
    """
    at, (value, slope) = start, loss(start)
    yield
    known: deque[tuple[Floats, Floats, float]] = deque(maxlen=_HISTORY)
    for n_iterations in range(max_iterations):
        direction = -_newton(slope, curvatures, known)
        gain, size = float(slope @ direction), 1.0
        while True:
            there = at + size * direction
            value_there, slope_there = loss(there)
            yield
            if value_there <= value + _ENOUGH * size * gain:
                break
            size /= 2
            if size < _SHORTEST_STEP:
                return at, n_iterations
        step, change, before = there - at, slope_there - slope, value
        at, value, slope = there, value_there, slope_there
        if (product := float(step @ change)) > 0:
            known.append((step, change, product))
        if before - value <= tolerance * max(abs(before), abs(value), 1.0):
            return at, n_iterations + 1
    return at, max_iterations


def _newton(slope: Floats, curvatures: Floats, known: deque[tuple[Floats, Floats, float]]) -> Floats:
    """Return the gradient times what the last steps say of the inverse Hessian (two loops over them)."""
    found, factors = slope.copy(), []
    for step, change, product in reversed(known):
        factors.append(float(step @ found) / product)
        found -= factors[-1] * change
    found /= curvatures
    for (step, change, product), factor in zip(known, reversed(factors), strict=True):
        found += (factor - float(change @ found) / product) * step
    return found
