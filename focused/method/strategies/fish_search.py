"""Fish search: links near relevant pages first, and no further than a few links into irrelevant ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from focused.method.scoring.base import BELOW, BY_PAGE, LinkScores, Strategy
from focused.method.scoring.evidence import better_with_most_carried
from focused.utils.parameters import parameter
from focused.utils.setting import TOPIC

if TYPE_CHECKING:
    from focused.method.page.page import Page
    from focused.method.scoring.base import Visit
    from focused.method.scoring.evidence import Evidence
    from focused.method.topic.judge import PageRelevance


@dataclass(frozen=True)
class FishSearch(Strategy):
    """A school of fish that breeds where there is food [De Bra and Post 1994, as P13, Sect. 2, and L16, Sect. 2 cite it].

    On a relevant page the first 1.5 * width links (rounded down) score 1, the next width 0.5, the others 0, and the
    linked pages have the full depth ahead of them. On an irrelevant page the first width score 0.5, the others 0, and
    the linked pages have one less ahead than the page; links of one that has 0 are below the threshold (D46). Of a link
    seen again the larger score and the larger depth stand [Hersovici et al. 1998, Fig. 1].
    """

    width: int = parameter("FOCUSED_FISH_WIDTH", 5, "Links of a page that are of interest.", least=0, set_by=TOPIC)
    depth: int = parameter(
        "FOCUSED_FISH_DEPTH",
        3,
        "How many links away from a relevant page, or a seed, the crawl goes through irrelevant ones.",
        least=0,
        set_by=TOPIC,
    )
    relevant_factor: float = parameter(
        "FOCUSED_FISH_RELEVANT_FACTOR",
        1.5,
        "How many times wider a relevant page is; the product is rounded down.",
        least=0,
        set_by=TOPIC,
    )

    name = "fish_search"

    def score(self, page: Page, relevance: PageRelevance, visit: Visit) -> LinkScores:
        """Return the score of each link by its place on the page, and the depth that is left beyond it."""
        n_links = page.n_links
        scores = np.zeros(n_links)
        if relevance.is_relevant:
            n_best = int(self.relevant_factor * self.width)
            scores[n_best : n_best + self.width] = 0.5
            scores[:n_best] = 1.0
            return LinkScores(scores, np.full(n_links, BY_PAGE), np.full(n_links, float(self.depth)))
        left = self.depth if visit.carried is None else visit.carried
        if left <= 0:
            return LinkScores(scores, np.full(n_links, BELOW), np.zeros(n_links))
        scores[: self.width] = 0.5
        return LinkScores(scores, np.full(n_links, BY_PAGE), np.full(n_links, left - 1.0))

    def merge(self, known: Evidence, new: Evidence) -> Evidence:
        """Return the better of both, with the larger depth left."""
        return better_with_most_carried(known, new)
