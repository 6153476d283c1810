"""Link score to request priority: the only place that turns one into the other.

Scrapy orders by whole numbers, larger first; a redirect adds 2 to a request's priority and a retry takes 1 off. On a
scale of a thousand levels (D45) that is noise; between the classes there is room for it.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

LEVELS = 1000
_GAP = 500
SEED = 10 * LEVELS
"""Seeds come before every link [L16, Sect. 5]."""


def to_priority(score: float, admitted: bool) -> int:
    """Return the priority of a link with a score in [0, 1], to which it is cut; deferred if it is below the threshold.

    Admitted links lie above zero, deferred ones below: every deferred link comes after every admitted one (D42).

    >>> to_priority(1.0, True), to_priority(0.0, True), to_priority(1.0, False), to_priority(0.0, False)
    (1500, 500, -500, -1500)
    """
    level = round(min(max(score, 0.0), 1.0) * LEVELS)
    return _GAP + level if admitted else level - LEVELS - _GAP


def to_priorities(scores: npt.NDArray[np.float64], admitted: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Return the priorities of many links, each as :func:`to_priority` gives it.

    >>> to_priorities(np.array([1.0, 0.25]), np.array([True, False])).tolist()
    [1500, -1250]
    """
    levels = np.rint(np.clip(scores, 0.0, 1.0) * LEVELS).astype(np.int64)
    return np.where(admitted, _GAP + levels, levels - LEVELS - _GAP)
