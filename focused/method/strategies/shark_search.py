"""Shark search: what a link inherits from the pages before it, and what is written on it and around it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from focused.method.page.text_units import ANCHOR, CONTEXT
from focused.method.scoring.base import BY_INHERITED, BY_NEIGHBOURHOOD, LinkScores, Strategy
from focused.method.scoring.evidence import better_with_most_carried
from focused.utils.parameters import parameter
from focused.utils.setting import TOPIC

if TYPE_CHECKING:
    from focused.method.page.page import Page
    from focused.method.scoring.base import Visit
    from focused.method.scoring.evidence import Evidence
    from focused.method.topic.judge import PageRelevance

# Relevances that differ by less come from the same numbers, added in another order.
_SAME = 1e-9


@dataclass(frozen=True)
class SharkSearch(Strategy):
    """Fish search with scores that fade along a path instead of a depth [Hersovici et al. 1998, Fig. 2].

    score         = 0.1 inherited + 0.9 neighbourhood
    inherited     = 0.5 relevance of the page, if it is relevant, else 0.5 times what the page inherited (a seed: 0)
    neighbourhood = 0.8 sim(anchor text) + 0.2 context, with context = 1 if sim(anchor text) > 0, else sim(context)

    A calibrated relevance is never 0: "> 0" reads "more than a text has in which the topic knows no word" (D47).
    Nothing is below the threshold. Of a link seen again the larger score and the larger inheritance stand.
    """

    decay: float = parameter(
        "FOCUSED_SHARK_DECAY",
        0.5,
        "What is left of a score one link on; the paper's delta.",
        least=0,
        most=1,
        set_by=TOPIC,
    )
    inherited_weight: float = parameter(
        "FOCUSED_SHARK_INHERITED_WEIGHT",
        0.1,
        "Weight of what is inherited, the rest is the neighbourhood's; the paper's gamma.",
        least=0,
        most=1,
        set_by=TOPIC,
    )
    anchor_weight: float = parameter(
        "FOCUSED_SHARK_ANCHOR_WEIGHT",
        0.8,
        "Weight of the anchor text in the neighbourhood, the rest is the context's; the paper's beta.",
        least=0,
        most=1,
        set_by=TOPIC,
    )

    name = "shark_search"
    kinds = frozenset({ANCHOR, CONTEXT})

    def score(self, page: Page, relevance: PageRelevance, visit: Visit) -> LinkScores:
        """Return the potential score of each link, and what the linked page inherits."""
        own = relevance.page if relevance.is_relevant else visit.carried or 0.0
        inherited = self.decay * own
        anchors = relevance.anchors
        says_something = anchors > relevance.nothing.get(ANCHOR, 0.0) + _SAME
        contexts = np.where(says_something, 1.0, relevance.contexts)
        neighbourhood = self.anchor_weight * anchors + (1 - self.anchor_weight) * contexts
        from_before, from_here = self.inherited_weight * inherited, (1 - self.inherited_weight) * neighbourhood
        reasons = np.where(from_before > from_here, BY_INHERITED, BY_NEIGHBOURHOOD)
        return LinkScores(from_before + from_here, reasons, np.full(page.n_links, inherited))

    def merge(self, known: Evidence, new: Evidence) -> Evidence:
        """Return the better of both, with the larger inheritance."""
        return better_with_most_carried(known, new)
