"""How a crawl came to a page, and what a strategy says of the page's links."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from focused.method.scoring.reasons import reason_kind

Floats = npt.NDArray[np.float64]

BELOW = reason_kind("below threshold")


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
