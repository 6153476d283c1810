"""Strategies that look at the content block a link stands in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from focused.method.page.text_units import ANCHOR, BLOCK, CONTEXT
from focused.method.scoring.base import (
    BY_ANCHOR,
    BY_BLOCK,
    BY_CONTEXT,
    BY_JFE,
    LinkScores,
    Strategy,
    block_of_links,
    first_that_passes,
)
from focused.utils.parameters import parameter
from focused.utils.setting import TOPIC

if TYPE_CHECKING:
    from focused.method.page.page import Page
    from focused.method.scoring.base import Visit
    from focused.method.topic.judge import PageRelevance


class ContentBlock(Strategy):
    """The relevance of the block; links of irrelevant blocks are below the threshold [P13, Sect. 3.1]."""

    name = "cbp"
    kinds = frozenset({BLOCK})

    def score(self, page: Page, relevance: PageRelevance, visit: Visit) -> LinkScores:
        """Return for each link the relevance of its block."""
        blocks = block_of_links(page, relevance.blocks)
        return first_that_passes([(blocks, relevance.thresholds[BLOCK], BY_BLOCK)])


class ContentBlockSelectiveLinkContext(Strategy):
    """The block where it is relevant, else as SLC for each of its links [P13, Alg. 4]."""

    name = "cbp_slc"
    kinds = frozenset({BLOCK, ANCHOR, CONTEXT})

    def score(self, page: Page, relevance: PageRelevance, visit: Visit) -> LinkScores:
        """Return for each link the first of block, anchor text and context that is relevant."""
        return first_that_passes(
            [
                (block_of_links(page, relevance.blocks), relevance.thresholds[BLOCK], BY_BLOCK),
                (relevance.anchors, relevance.thresholds[ANCHOR], BY_ANCHOR),
                (relevance.contexts, relevance.thresholds[CONTEXT], BY_CONTEXT),
            ]
        )


@dataclass(frozen=True)
class LinkPriorityEvaluation(Strategy):
    """The block where it is relevant, else joint feature evaluation where that is [L16, Alg. 1].

    Joint feature evaluation is lambda times the anchor text's relevance plus 1 - lambda times the context's
    [L16, eq. 11]. L16 compares by cosine; FOCUSED_SIMILARITY chooses.
    """

    jfe_lambda: float = parameter(
        "FOCUSED_JFE_LAMBDA",
        0.5,
        "Weight of the anchor text in joint feature evaluation, the rest is the context's; lambda [L16, eq. 11].",
        least=0,
        most=1,
        set_by=TOPIC,
    )

    name = "lpe"
    kinds = frozenset({BLOCK, ANCHOR, CONTEXT})

    def score(self, page: Page, relevance: PageRelevance, visit: Visit) -> LinkScores:
        """Return for each link the first of block and joint feature evaluation that is relevant."""
        weight, thresholds = self.jfe_lambda, relevance.thresholds
        jfe = weight * relevance.anchors + (1 - weight) * relevance.contexts
        threshold = weight * thresholds[ANCHOR] + (1 - weight) * thresholds[CONTEXT]
        return first_that_passes(
            [(block_of_links(page, relevance.blocks), thresholds[BLOCK], BY_BLOCK), (jfe, threshold, BY_JFE)]
        )
