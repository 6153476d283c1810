"""The class prior of U by kernel mean embedding: KM2 of Ramaswamy, Scott and Tewari (ICML 2016)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import nnls

from focused.method.learning.estimators.mixture_proportion import MixtureEstimate, check_decisions, mixture_estimate

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Cells that decision values are gathered in; the widths tried are many cells wide.
_N_CELLS = 256
# Kernel widths tried, in units of the median distance [RST16].
_WIDTHS = np.logspace(-1, 1, 5)
# Weight of the first slope against the distance of the two means in the slope looked for [RST16].
_FIRST_SLOPE_WEIGHT = 0.8
_FIRST_STEP = 0.05
_MAX_PRIOR = 0.95


def km2_prior(positive: NDArray[np.float64], unlabeled: NDArray[np.float64]) -> MixtureEstimate:
    """Estimate the class prior of U by gradient thresholding on kernel mean embeddings [RST16, KM2].

    With mean embeddings F of U and H of P, lambda F + (1 - lambda) H is the embedding of a distribution (that of the
    negatives, at lambda = 1 / (1 - prior)) up to some lambda, and of none beyond. d(lambda) is its distance from the
    embeddings of all distributions on the sample: near 0 first, then rising linearly. The bend is taken at the slope
    0.8 times the first slope + 0.2 times |F - H|.

    Departure (docs/method/, D33): the points are the decision values in 256 cells of equal width, not the
    documents' features; the projections are non-negative least squares in the eigenvectors of the kernel.

    Parameters
    ----------
    positive : ndarray of shape (n_positive,)
        Held-out decision values of the labelled positives.
    unlabeled : ndarray of shape (n_unlabeled,)
        Held-out decision values of the unlabelled documents.

    Raises
    ------
    ValueError
        If decisions are missing or not finite.
    """
    check_decisions(positive, unlabeled)
    embedding, of_unlabeled, of_positive = _embedded(positive, unlabeled)
    direction = embedding @ (of_unlabeled - of_positive)
    distance = float(np.linalg.norm(direction))

    def slope_and_distance(lambda_: float) -> tuple[float, float]:
        target = embedding @ (lambda_ * of_unlabeled + (1 - lambda_) * of_positive)
        residual = target - embedding @ nearest_distribution(embedding, target)
        away = float(np.linalg.norm(residual))
        # The derivative of the distance: the nearest point is optimal, so only the target's change with lambda counts.
        return (float(residual @ direction) / away if away > 1e-9 * distance else 0.0), away

    if distance < 1e-9:  # U is like P
        return mixture_estimate(_MAX_PRIOR, positive, unlabeled)
    first = slope_and_distance(1 + _FIRST_STEP)[1] / _FIRST_STEP
    looked_for = _FIRST_SLOPE_WEIGHT * first + (1 - _FIRST_SLOPE_WEIGHT) * distance
    low, high = 0.0, _MAX_PRIOR
    while high - low > 1e-4:
        prior = (low + high) / 2
        if slope_and_distance(1 / (1 - prior))[0] > looked_for:
            high = prior
        else:
            low = prior
    return mixture_estimate(max(high, 1e-4), positive, unlabeled)


def nearest_distribution(embedding: NDArray[np.float64], target: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weights w >= 0 with sum 1 for which `embedding @ w` is nearest to `target`.

    Parameters
    ----------
    embedding : ndarray of shape (n_dimensions, n_points)
    target : ndarray of shape (n_dimensions,)
    """
    # The nearest point of the cone over the simplex lifted to a great height is on the simplex itself.
    height = 1e3
    lifted = np.vstack([embedding, np.full(embedding.shape[1], height)])
    weights, _ = nnls(lifted, np.append(target, height), maxiter=100 * embedding.shape[1])
    return np.asarray(weights / weights.sum())


def _embedded(
    positive: NDArray[np.float64], unlabeled: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return coordinates of each cell in the kernel's space, and the shares of U and of P in each cell.

    The kernel width that separates P and U most is taken.
    """
    values = np.concatenate([positive, unlabeled])
    edges = np.linspace(values.min(), max(values.max(), values.min() + 1e-9), _N_CELLS + 1)
    shares = [np.histogram(each, edges)[0] / len(each) for each in (unlabeled, positive)]
    held = (shares[0] + shares[1]) > 0
    of_unlabeled, of_positive = shares[0][held], shares[1][held]
    places = ((edges[:-1] + edges[1:]) / 2)[held]
    distances = np.abs(places[:, None] - places)
    together = len(unlabeled) * of_unlabeled + len(positive) * of_positive
    median = _weighted_median(distances.ravel(), np.outer(together, together).ravel())
    best, furthest = np.ones_like(distances), -1.0
    for width in _WIDTHS * max(median, 1e-9):
        kernel = np.exp(-0.5 * (distances / width) ** 2)
        apart = float((of_unlabeled - of_positive) @ kernel @ (of_unlabeled - of_positive))
        if apart > furthest:
            best, furthest = kernel, apart
    sizes, vectors = np.linalg.eigh(best)
    kept = sizes > 1e-12 * sizes[-1]
    return np.sqrt(sizes[kept])[:, None] * vectors[:, kept].T, of_unlabeled, of_positive


def _weighted_median(values: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    order = np.argsort(values)
    below = np.cumsum(weights[order])
    return float(values[order[np.searchsorted(below, below[-1] / 2)]])
