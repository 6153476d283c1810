"""Page and anchor text in equal parts, over all pages that are known to link to a target."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from focused.method.page.text_units import ANCHOR
from focused.method.scoring.base import BY_ANCHOR, BY_PAGE, LinkScores, Strategy
from focused.method.scoring.evidence import better
from focused.utils.parameters import parameter
from focused.utils.setting import TOPIC

if TYPE_CHECKING:
    from focused.method.page.page import Page
    from focused.method.scoring.base import Visit
    from focused.method.scoring.evidence import Evidence
    from focused.method.topic.judge import PageRelevance

_N_PARTS = 2
"""Page and anchor text."""


@dataclass(frozen=True)
class PatelSchmidt(Strategy):
    """1/2 mean of Sim(page, topic) over all n known referrers + 1/2 Sim(anchor text, topic) [L16, eq. 1].

    The anchor text is the best of all referrers' (D48). Nothing is below the threshold.
    """

    page_weight: float = parameter(
        "FOCUSED_PATEL_PAGE_WEIGHT",
        0.5,
        "Weight of the pages that link there, the rest is the anchor text's [L16, eq. 1].",
        least=0,
        most=1,
        set_by=TOPIC,
    )

    name = "patel_schmidt"
    kinds = frozenset({ANCHOR})

    def score(self, page: Page, relevance: PageRelevance, visit: Visit) -> LinkScores:
        """Return for each link what this page alone says of it; the parts are page and anchor text."""
        pages = np.full(page.n_links, relevance.page)
        anchors = relevance.anchors
        of_page, of_anchor = self.page_weight * pages, (1 - self.page_weight) * anchors
        reasons = np.where(of_anchor > of_page, BY_ANCHOR, BY_PAGE)
        return LinkScores(of_page + of_anchor, reasons, parts=np.stack([pages, anchors], axis=1))

    def merge(self, known: Evidence, new: Evidence) -> Evidence:
        """Return the priority over the referrers of both; the path is that of the one that says more for the link."""
        if not (len(known.parts) == len(new.parts) == _N_PARTS):
            return better(known, new)  # a seed that waits rests on no page, and is first whoever links to it
        n = known.n_referrers + new.n_referrers
        if not n:  # sitemaps and feeds
            return better(known, new)
        page = (known.n_referrers * known.parts[0] + new.n_referrers * new.parts[0]) / n
        anchor = max(known.parts[1], new.parts[1])
        of_page, of_anchor = self.page_weight * page, (1 - self.page_weight) * anchor
        return replace(
            better(known, new),
            score=of_page + of_anchor,
            reason=BY_ANCHOR if of_anchor > of_page else BY_PAGE,
            parts=(page, anchor),
        )
