"""Raises the outcomes of links where the judge believes hardly any page (docs/method/, D104).

A judge that has been trained against few pages of its web often tells the relevant ones from the others, but gives them .05
and the others .01. Such outcomes would teach next to nothing: all of them say that a link is worth nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy.special import expit, logit

if TYPE_CHECKING:
    from focused.method.strategies.linkmodel.memory import LinkMemory

Floats = npt.NDArray[np.float64]

LEAST_MEAN = 0.2
"""Mean that outcomes are raised to. Chosen on crawls of WebKB with delays, where 0.1 gave less."""
_FEW = 5
"""Outcomes without which nothing can be said of their mean."""
_LEAST, _MOST_SHIFT, _HALVINGS = 1e-4, 10.0, 30
_SAMPLE = 2_000
"""Outcomes that say by how much to raise all: of 100,000 all would take 20 ms, with each page while links are forgotten."""


def raised_outcomes(memory: LinkMemory) -> Floats:
    """Return the outcome of each link, raised if their mean is low; NaN of links that have none.

    All odds are multiplied alike, so the order stays, and how many times as likely one is than another. The mean is that of
    links that a page is known to link to: seeds are none.
    """
    outcomes: Floats = memory.links["outcome"].copy()
    known = _known(memory, outcomes)
    if len(known) < _FEW or known.mean() >= LEAST_MEAN:
        return outcomes
    log_odds, low, high = _log_odds(known[:: 1 + len(known) // _SAMPLE]), 0.0, _MOST_SHIFT
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if expit(log_odds + middle).mean() < LEAST_MEAN else (low, middle)
    done = ~np.isnan(outcomes)
    outcomes[done] = expit(_log_odds(outcomes[done]) + low)
    return outcomes


def mean_of_raised(memory: LinkMemory) -> float:
    """Return the mean relevance of a crawl's pages, raised as outcomes are: what a rate of outcomes is compared with."""
    is_enough = len(_known(memory, memory.links["outcome"])) >= _FEW
    return max(memory.mean_relevance, LEAST_MEAN) if is_enough else memory.mean_relevance


def _known(memory: LinkMemory, outcomes: Floats) -> Floats:
    known: Floats = outcomes[~np.isnan(outcomes) & (memory.links["n_referrers"] > 0)]
    return known


def _log_odds(outcomes: Floats) -> Floats:
    found: Floats = logit(np.clip(outcomes, _LEAST, 1 - _LEAST))
    return found
