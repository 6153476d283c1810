"""Splits numbers into two groups, each as close together as can be [Otsu 1979, eq. 18].

N. Otsu, A Threshold Selection Method from Gray-Level Histograms, IEEE Transactions on Systems, Man, and Cybernetics 9 (1979).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

_LEAST = 5
"""Numbers in a group at least."""


def size_of_upper_group(values: npt.ArrayLike) -> int | None:
    """Return how many of the numbers form the upper group; None if there are too few for two groups, or all are the same.

    The variance between the groups is the largest.

    Parameters
    ----------
    values : array-like of shape (n,)

    Examples
    --------
    >>> size_of_upper_group([9.0] * 6 + [1.0, 2.0, 1.5, 2.5, 1.0, 0.0, 2.0])
    6
    """
    ordered = np.sort(np.asarray(values, dtype=np.float64))[::-1]
    n = len(ordered)
    if n < 2 * _LEAST or ordered[0] == ordered[-1]:
        return None
    sums, sizes = np.cumsum(ordered), np.arange(_LEAST, n - _LEAST + 1)
    above = sums[sizes - 1]
    between = sizes * (n - sizes) * (above / sizes - (sums[-1] - above) / (n - sizes)) ** 2
    return int(sizes[np.argmax(between)])
