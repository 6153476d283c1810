"""How a crawl came to a page, and what a strategy says of the page's links."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from focused.method.scoring.reasons import reason_kind

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

    def checked(self, strategy: str, n_links: int, url: str) -> LinkScores:
        """Return the scores that a strategy gives to a page's links, as they are.

        Raises
        ------
        WrongScoresError
            If they are not what they must be; the message names the strategy and what it returned.
        """
        if np.shape(self.scores) != (n_links,) or np.shape(self.reasons) != (n_links,):
            got = f"{np.size(self.scores):,} scores and {np.size(self.reasons):,} reasons of {n_links:,}"
        elif len(wrong := self.scores[~((self.scores >= -_ROUNDING) & (self.scores <= 1 + _ROUNDING))]):
            got = f"{float(wrong[0])}"
        else:
            return self
        raise WrongScoresError(
            f"Strategy {strategy} must return a score from 0 to 1 and a reason for each link of a page. Got {got} on {url}."
        )

    @property
    def admitted(self) -> npt.NDArray[np.bool_]:
        """Which links are not below the threshold."""
        return np.asarray(self.reasons != BELOW)
