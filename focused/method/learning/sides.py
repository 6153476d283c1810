"""Correct a linear page classifier by the smallest change that puts judged pages on their side (docs/method/, D89).

People's verdicts are examples among many others when a model is trained, so some judged pages stay on the wrong side of the
threshold. The weights w are then changed by as little as possible: minimise ||v||^2 / 2 so that y_i (d_i + v . x_i - c_i) >= m
for every judged page i, with its row x_i, its decision d_i, its verdict y_i = 1 or -1, the decision c_i that the threshold
needs, and a margin m. The solution is v = sum of a_i y_i x_i with a_i >= 0: a page is corrected by its own words, and pages
unlike all judged ones keep their relevance. a_i is bounded: pages with nearly the same words and opposite verdicts must not
outweigh the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import logit

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy import sparse

    from focused.method.learning.calibration import Calibration

MARGIN = 0.1
"""How far beyond the threshold a judged page is put, in log-odds: more than rounding, and a page with one word more passes."""
MOST = 20.0
"""Largest a_i, in multiples of what would correct the page alone: pages with contrary verdicts pull against each other."""
_N_SWEEPS = 200
_DONE = 1e-4


@dataclass(frozen=True, slots=True, eq=False)
class Correction:
    """The change v of the weights, and how the judged pages stand after it."""

    #: Shape (n_terms,).
    change: NDArray[np.float64]
    #: Whether each judged page stands on its side now, shape (n_pages,).
    is_right: NDArray[np.bool_]
    #: The same before the change.
    was_right: NDArray[np.bool_]


def needed_decisions(calibration: Calibration, n_known: NDArray[np.int64], threshold: float) -> NDArray[np.float64]:
    """Return the decision from which a page's relevance reaches the threshold; NaN for pages without a known term.

    The inverse of `Calibration.relevance`, shape (n_pages,). ``threshold`` in (0, 1).
    """
    prior, z = float(logit(calibration.prior)), log_odds_needed(calibration, threshold)
    n = n_known.astype(np.float64)
    evidence = n / np.maximum(n + calibration.half_terms, 1e-300)
    with np.errstate(divide="ignore", invalid="ignore"):
        needed = ((z - (1 - evidence) * prior) / evidence - calibration.offset) / calibration.slope
    return np.asarray(np.where(n_known > 0, needed, np.nan), dtype=np.float64)


def log_odds_needed(calibration: Calibration, threshold: float) -> float:
    """Return the log-odds, as `Calibration.log_odds` has them, from which a relevance reaches the threshold, in (0, 1)."""
    border, wanted = max(float(logit(calibration.prior)), 0.0), float(logit(threshold))
    return wanted if wanted <= border else border + float(np.sinh(wanted - border))


def correction(
    rows: sparse.csr_matrix,
    decisions: NDArray[np.float64],
    needed: NDArray[np.float64],
    relevant: NDArray[np.bool_],
    margin: float,
) -> Correction:
    """Return the smallest change of a linear classifier's weights that puts pages on their sides.

    Parameters
    ----------
    rows : CSR matrix of shape (n_pages, n_terms)
        Weighted rows of length 1, or 0 of pages without a known term.
    decisions, needed : ndarray of shape (n_pages,)
        The decision of each page, and the one from which it is relevant; NaN where nothing can be done.
    relevant : ndarray of bool of shape (n_pages,)
        The verdicts.
    margin : float
        In units of the decisions, not negative: how far beyond ``needed`` pages are put.
    """
    signs = np.where(relevant, 1.0, -1.0)
    can = ~np.isnan(needed)
    lacks = np.where(can, margin - signs * (decisions - np.where(can, needed, 0.0)), 0.0)
    was_right = can & (lacks <= margin)
    alphas = _solved(rows, signs, lacks, can)
    change = np.asarray((alphas * signs) @ rows).ravel()
    after = decisions + rows @ change
    is_right = can & np.where(relevant, after >= needed, after < needed)
    return Correction(change, is_right, was_right)


def _solved(
    rows: sparse.csr_matrix, signs: NDArray[np.float64], lacks: NDArray[np.float64], can: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Return the multipliers a_i by coordinate ascent: one page after the other is put right, until none moves any more."""
    alphas, n = np.zeros(len(signs)), len(signs)
    if not (lacks > 0).any():
        return alphas
    products = np.asarray((rows @ rows.T).todense(), dtype=np.float64) * signs[:, None] * signs
    norms = np.diag(products).copy()
    most = MOST * max(float(lacks.max()), 0.0)
    gains = np.zeros(n)  # y_i v . x_i
    for _ in range(_N_SWEEPS):
        moved = 0.0
        for i in np.flatnonzero(can & ((lacks - gains > 0) | (alphas > 0))).tolist():
            new = min(max(alphas[i] + (lacks[i] - gains[i]) / max(norms[i], 1e-12), 0.0), most)
            if new != alphas[i]:
                gains += (new - alphas[i]) * products[i]
                moved = max(moved, abs(new - alphas[i]))
                alphas[i] = new
        if moved <= _DONE * most / MOST:
            break
    return alphas
