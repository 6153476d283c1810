"""Strategies that look at a link's own text: anchor text, link context, or the one where the other fails."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focused.method.page.text_units import ANCHOR, CONTEXT
from focused.method.scoring.base import BY_ANCHOR, BY_CONTEXT, LinkScores, Strategy, first_that_passes

if TYPE_CHECKING:
    from focused.method.page.page import Page
    from focused.method.scoring.base import Visit
    from focused.method.topic.judge import PageRelevance


class AnchorText(Strategy):
    """The relevance of the anchor text."""

    name = "anchor_text"
    kinds = frozenset({ANCHOR})

    def score(self, page: Page, relevance: PageRelevance, visit: Visit) -> LinkScores:
        """Return the relevance of each link's best anchor text."""
        return first_that_passes([(relevance.anchors, relevance.thresholds[ANCHOR], BY_ANCHOR)])


class LinkContext(Strategy):
    """The relevance of the link context."""

    name = "link_context"
    kinds = frozenset({CONTEXT})

    def score(self, page: Page, relevance: PageRelevance, visit: Visit) -> LinkScores:
        """Return the relevance of each link's context."""
        return first_that_passes([(relevance.contexts, relevance.thresholds[CONTEXT], BY_CONTEXT)])


class SelectiveLinkContext(Strategy):
    """The anchor text where it is relevant, else the link context where that is relevant [L14, Alg. 1]."""

    name = "slc"
    kinds = frozenset({ANCHOR, CONTEXT})

    def score(self, page: Page, relevance: PageRelevance, visit: Visit) -> LinkScores:
        """Return for each link the first of both that is relevant."""
        return first_that_passes(
            [
                (relevance.anchors, relevance.thresholds[ANCHOR], BY_ANCHOR),
                (relevance.contexts, relevance.thresholds[CONTEXT], BY_CONTEXT),
            ]
        )
