"""The bins of priority in which waiting links are counted: narrow where many links lie close together."""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise

from focused.frontier.store.ranks import priority_of
from focused.method.scoring.priority import LEVELS, to_priority

# Scores of rare topics are near 0, those of sure links near 1: there bins are narrow.
_STEPS = (*range(1, 8), 10, 13, 17, 22, 28, 36, 46, 60, 78, 100, 130, 170, 220, 290, 380)
_DEFERRED = 8


def _bounds() -> list[int]:
    """Return the least priority of each bin but the first, in order: narrow bins where scores are near 0 or 1."""
    steps = sorted({0, *_STEPS, LEVELS // 2, *(LEVELS - step for step in _STEPS), LEVELS})
    deferred = [to_priority(number / _DEFERRED, False) for number in range(_DEFERRED + 1)]
    return [*deferred, *(to_priority(0.0, True) + step for step in steps), to_priority(1.0, True) + 1]


BOUNDS = _bounds()
"""The least priority of each bin but the first."""
N_BINS = len(BOUNDS) + 1
_ENDS = [to_priority(0.0, False), *BOUNDS, to_priority(1.0, True)]
MIDDLE_PRIORITIES = [(low + high) / 2 for low, high in pairwise(_ENDS)]
"""The priority in the middle of each bin."""


def _middles() -> list[float]:
    """Return the score in the middle of each bin; of links below the threshold less 1."""
    first = to_priority(0.0, True)
    return [
        min(max((mean - first) / LEVELS, 0.0), 1.0) if mean >= first else (mean - to_priority(1.0, False)) / LEVELS
        for mean in MIDDLE_PRIORITIES
    ]


MIDDLES = _middles()
"""The score in the middle of each bin."""
LOWEST, BEYOND = BOUNDS[0], BOUNDS[-1]
"""Links have priorities from ``LOWEST`` to below ``BEYOND``; seeds and the spider's own requests lie above."""


def bin_of(rank: int) -> int:
    """Return the bin of a link's rank; the best links are in the last."""
    return bisect_right(BOUNDS, priority_of(rank))
