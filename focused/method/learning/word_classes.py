"""Tells pages of a topic from others by which of its words they hold [Lazarsfeld and Henry 1968, latent classes].

A page either is about the topic or is not, and holds each word with a probability of its class, whatever other words it
holds. Words that stand together more often than by chance show the classes, without a single label. The probabilities are
fitted by expectation maximisation [Dempster, Laird and Rubin 1977].
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import expit, logit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Floats = npt.NDArray[np.float64]

_START = np.array([0.02, 0.3, 0.8])
"""Probability that a page with no, one, or more of the words is about the topic, before the first step."""
_PSEUDO_PAGES = 2.0
"""Made-up pages, half of the topic: the share of few pages stays between 0 and 1."""
_MOST_STEPS, _SETTLED = 100, 1e-4
_ENOUGH = np.log(4.0)
_LEAST_WEIGHT = 0.02
"""What a word counts that tells nothing: if all words are such, the topic still has a direction."""


class WordClasses(NamedTuple):
    """What a fit has found."""

    weights: Floats
    """What each word tells, from 0.02 to 1: the root of its log-likelihood ratio, as a part of that of a word which is four
    times as frequent in pages of the topic as elsewhere; such a word tells enough."""
    log_odds: Floats
    """Log-odds that a page is about the topic, shape (n_pages,)."""


def held(texts: Sequence[Mapping[str, int]], words: Sequence[str]) -> npt.NDArray[np.bool_]:
    """Return which words each text holds; shape (n_texts, n_words)."""
    return np.array([[word in text for word in words] for text in texts], dtype=np.bool_).reshape(
        len(texts), len(words)
    )


def word_classes(holds: npt.ArrayLike) -> WordClasses:
    """Fit the two classes.

    Parameters
    ----------
    holds : array-like of bool of shape (n_pages, n_words)
        Which words each page holds; one page and one word at least.

    Examples
    --------
    "Said" stands everywhere, "oil" and "barrel" stand together.

    >>> pages = [[1, 1, 1]] * 5 + [[1, 0, 0]] * 20
    >>> word_classes(pages).weights.round(2).tolist()
    [0.02, 1.0, 1.0]
    """
    known = np.asarray(holds, dtype=np.float64)
    n_pages = len(known)
    relevance = _START[np.minimum(known.sum(axis=1), 2).astype(np.int64)]
    for _ in range(_MOST_STEPS):
        n_relevant = relevance.sum()
        share = (n_relevant + _PSEUDO_PAGES / 2) / (n_pages + _PSEUDO_PAGES)
        inside = (relevance @ known + 1.0) / (n_relevant + 2.0)
        outside = ((1 - relevance) @ known + 0.5) / (n_pages - n_relevant + 1.5)
        inside = np.maximum(inside, outside)  # a word never speaks against its topic
        ratio = np.log(inside / outside)
        log_odds = logit(share) + known @ ratio + (1 - known) @ np.log((1 - inside) / (1 - outside))
        before, relevance = relevance, expit(log_odds)
        if np.abs(relevance - before).max() < _SETTLED:
            break
    is_met = known.any(axis=0)
    if is_met.any():
        ratio = np.where(is_met, ratio, np.median(ratio[is_met]))
    weights = np.sqrt(np.minimum(ratio / _ENOUGH, 1.0))
    return WordClasses(np.maximum(weights, _LEAST_WEIGHT), log_odds)
