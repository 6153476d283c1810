"""The result of a search for reliable negatives, and the guard against finding too few of them."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

logger = logging.getLogger(__name__)

TOO_FEW = ("error", "all", "lowest")


class TooFewReliableNegativesError(ValueError):
    """Too few documents of U are safely off topic."""


class ReliableNegatives(NamedTuple):
    """What a search found."""

    unlabeled_rows: NDArray[np.intp]
    """Rows of the unlabelled matrix that are reliable negatives, ascending: those with scores up to the threshold."""
    scores: NDArray[np.float64]
    """Similarity of each unlabelled document to the positives, shape (n_unlabeled,); the scale depends on the method."""
    threshold: float
    evidence: dict[str, Any]
    """What the method learnt, by name."""


def needed_negatives(n_positive: int, n_unlabeled: int, min_share: float) -> int:
    """Return max(|P|, `min_share` |U|), the least number of reliable negatives (docs/method/, D13).

    ValueError if `min_share` is not in [0, 1], or P or U is empty.
    """
    if not 0 <= min_share <= 1:
        raise ValueError(f"min_share must be in [0, 1]. Got {min_share}.")
    if not n_positive or not n_unlabeled:
        raise ValueError(
            "Reliable negatives need at least one positive and one unlabelled document. "
            f"Got {n_positive} and {n_unlabeled}."
        )
    return max(n_positive, int(np.ceil(min_share * n_unlabeled)))


def check_too_few(too_few: str) -> None:
    """Raise ValueError for an unknown name."""
    if too_few not in TOO_FEW:
        raise ValueError(f"too_few must be one of {', '.join(TOO_FEW)}. Got {too_few!r}.")


def too_few_error(method: str, needed: int, n_unlabeled: int, got: str) -> TooFewReliableNegativesError:
    """Return the error that says how many are needed, how many were found, and what to do."""
    return TooFewReliableNegativesError(
        f"{method} must find at least {needed} reliable negatives among {n_unlabeled} unlabelled documents. "
        f"Got {got} Bring more unlabelled pages, less like the positives, or choose a learner that needs no reliable "
        "negatives (screened_svm)."
    )


def select(
    method: str,
    scores: NDArray[np.float64],
    threshold: float,
    evidence: dict[str, Any],
    *,
    n_positive: int,
    min_share: float,
    too_few: str,
    reason: str = "",
) -> ReliableNegatives:
    """Take the documents with scores up to `threshold` as reliable negatives, if there are enough.

    If there are too few, `too_few="error"` fails, `"all"` takes all of U, and `"lowest"` takes the documents with the lowest
    scores, ties included, until they are enough or U is used up (docs/method/, D14). `reason` completes the error message.
    """
    check_too_few(too_few)
    needed = needed_negatives(n_positive, len(scores), min_share)
    rows = np.flatnonzero(scores <= threshold)
    if len(rows) < needed:
        if too_few == "error":
            raise too_few_error(method, needed, len(scores), f"{len(rows)}{reason}.")
        rank = len(scores) if too_few == "all" else min(needed, len(scores))
        n_found, threshold = len(rows), float(np.partition(scores, rank - 1)[rank - 1])
        rows = np.flatnonzero(scores <= threshold)
        instead = (
            "%s found %d reliable negatives and needs %d: the %d documents with the lowest scores stand in for them"
        )
        logger.info(instead, method, n_found, needed, len(rows))
    return ReliableNegatives(rows, scores, threshold, evidence)


def noise_threshold(values: NDArray[np.float64], noise: float) -> float:
    """Return the largest threshold with at most a share `noise`, in [0, 1), of the values at or below it.

    >>> 1.0 <= noise_threshold(np.array([3.0, 1.0, 2.0, 4.0]), 0.25) < 2.0
    True
    """
    if not 0 <= noise < 1:
        raise ValueError(f"noise must be in [0, 1). Got {noise}.")
    n_below = int(np.floor(noise * len(values) + 1e-9))
    return float(np.nextafter(np.sort(values)[n_below], -np.inf))
