"""How a crawl came to a page, and what a strategy says of the page's links."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from focused.method.scoring.reasons import REASONS, reason_kind

Floats = npt.NDArray[np.float64]

BELOW = reason_kind("below threshold")
# Sums of shares may miss 0 and 1 by so much.
_ROUNDING = 1e-6


def is_score(value: float) -> bool:
    """Tell whether a number is from 0 to 1; NaN is not."""
    return -_ROUNDING <= value <= 1 + _ROUNDING


class WrongScoresError(ValueError):
    """A strategy does not return what it must."""


@dataclass(frozen=True, slots=True)
class Visit:
    """How the crawl came to a page."""

    #: Links from a seed.
    depth: int = 0
    #: What the page that linked here gave along (``LinkScores.carried``); None for a seed.
    carried: float | None = None
    #: Pages judged before this one in this crawl.
    number: int = 0
    #: The URLs that led here: the link's, those it was redirected to, the one the web names.
    urls: tuple[str, ...] = ()
    #: Irrelevant pages on the path from the seed to this page, this page not counted.
    irrelevant_on_path: int = 0
    #: Whether it is no page but a sitemap or a feed: nothing is learnt from its relevance.
    is_source: bool = False
    #: Pages that the crawl is meant to fetch in all; 0: no limit.
    goal_pages: int = 0


@dataclass(frozen=True, slots=True)
class LinkScores:
    """One row for each link of a page."""

    #: In [0, 1], shape (n_links,). Of a link below the threshold: the best score it has.
    scores: Floats
    #: Kinds of reasons, numbers of :func:`focused.method.scoring.reasons.reason_kind`; shape (n_links,).
    reasons: npt.NDArray[np.int64]
    #: What each linked page is given along, as its ``Visit.carried``; shape (n_links,).
    carried: Floats | None = None
    #: What the scores were computed from, for ``Strategy.merge``; shape (n_links, n_parts).
    parts: Floats | None = None

    @property
    def admitted(self) -> npt.NDArray[np.bool_]:
        """Which links are not below the threshold."""
        return np.asarray(self.reasons != BELOW)


def checked(found: Any, strategy: str, n_links: int, url: str) -> LinkScores:
    """Return what a strategy returned for a page's links: their scores, as they are.

    Raises
    ------
    WrongScoresError
        If it is not what it must be; the message names the strategy and what it returned.
    """
    if not isinstance(found, LinkScores):  # of another package, whose types nobody has checked
        raise WrongScoresError(f"Strategy {strategy} must return LinkScores from score(). Got {_seen(found)} on {url}.")
    scores, reasons = found.scores, found.reasons
    if not (_holds(scores, "fiub") and _holds(reasons, "iu")):
        wrong = reasons if _holds(scores, "fiub") else scores
        what = "numbers of reason_kind() as reasons" if wrong is reasons else "numbers as scores"
        raise WrongScoresError(f"Strategy {strategy} must return an array of {what}. Got {_seen(wrong)} on {url}.")
    if scores.shape != (n_links,) or reasons.shape != (n_links,):
        got = f"{scores.size:,} scores and {reasons.size:,} reasons of {n_links:,}"
    elif len(wrong := scores[~((scores >= -_ROUNDING) & (scores <= 1 + _ROUNDING))]):
        got = f"{float(wrong[0])}"
    elif n_links and not (reasons.min() >= 0 and reasons.max() < len(REASONS)):
        got = f"the reason {reasons.max() if reasons.min() >= 0 else reasons.min()}, which reason_kind() did not give,"
    else:
        return found
    raise WrongScoresError(
        f"Strategy {strategy} must return a score from 0 to 1 and a reason for each link of a page. Got {got} on {url}."
    )


def _holds(values: Any, kinds: str) -> bool:
    """Tell whether values are an array of numbers of some of numpy's kinds."""
    return isinstance(values, np.ndarray) and values.dtype.kind in kinds


def _seen(value: Any) -> str:
    """Return a value as a message shows it: in one line, not at length."""
    return f"{type(value).__name__} {' '.join(repr(value).split())[:60]}"
