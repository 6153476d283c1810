"""What every strategy is given and gives back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from focused.page.page import Page
    from focused.relevance import PageRelevance

Floats = npt.NDArray[np.float64]

REASONS = ("discovery", "page", "block", "anchor", "context", "jfe", "below threshold")
"""What a link's score rests on; :class:`LinkScores` holds indices into this."""

DISCOVERY, BY_PAGE, BY_BLOCK, BY_ANCHOR, BY_CONTEXT, BY_JFE, BELOW = range(len(REASONS))


@dataclass(frozen=True, slots=True)
class LinkScores:
    """One row for each link of a page."""

    #: In [0, 1], shape (n_links,). Of a link below the threshold: the best score it has.
    scores: Floats
    #: Indices into ``REASONS``, shape (n_links,).
    reasons: npt.NDArray[np.int64]

    @property
    def admitted(self) -> npt.NDArray[np.bool_]:
        """Which links are not below the threshold."""
        passes: npt.NDArray[np.bool_] = self.reasons != BELOW
        return passes


@dataclass(frozen=True)
class Strategy:
    """Scores the links of a page.

    A strategy is a class with a ``name``, the ``kinds`` of text units it looks at (nothing else is weighed), and
    ``score``. It is pure: the same page and relevance give the same scores.
    """

    #: Weight of the anchor text in joint feature evaluation, in [0, 1]; the paper's lambda [L16, eq. 11].
    jfe_lambda: float = 0.5

    name: ClassVar[str] = ""
    kinds: ClassVar[frozenset[str]] = frozenset()

    def __post_init__(self) -> None:
        if not 0 <= self.jfe_lambda <= 1:
            raise ValueError(f"FOCUSED_JFE_LAMBDA must be a number from 0 to 1. Got {self.jfe_lambda!r}.")

    def score(self, page: Page, relevance: PageRelevance) -> LinkScores:
        """Return a score and its reason for each link of the page."""
        raise TypeError(f"{type(self).__name__} must define score()")


def block_of_links(page: Page, blocks: Floats) -> Floats:
    """Return for each link the relevance of its block; of several blocks, the best [P13, Sect. 3.2].

    Parameters
    ----------
    page : Page
    blocks : ndarray of shape (n_blocks,)

    Returns
    -------
    ndarray of shape (n_links,)
    """
    return page.best_of_anchors(blocks[page.anchor_blocks])


def first_that_passes(candidates: list[tuple[Floats, float, int]]) -> LinkScores:
    """Give each link the first score that reaches its threshold; where none does, the best one, below threshold.

    Parameters
    ----------
    candidates : list of (scores, threshold, reason)
        In order of preference; scores of shape (n_links,).
    """
    scores = np.maximum.reduce([candidate[0] for candidate in candidates])
    reasons = np.full(len(scores), BELOW, dtype=np.int64)
    for values, threshold, reason in reversed(candidates):
        passes = values >= threshold
        scores = np.where(passes, values, scores)
        reasons[passes] = reason
    return LinkScores(scores, reasons)
