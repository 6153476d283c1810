"""Strategies that look at the page alone, or at nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from focused.method.scoring.base import BY_PAGE, DISCOVERY, LinkScores, Strategy

if TYPE_CHECKING:
    from focused.method.page.page import Page
    from focused.method.scoring.base import Visit
    from focused.method.topic.judge import PageRelevance


class BreadthFirst(Strategy):
    """Links in the order they were discovered. Every link has the same score; the frontier is first in, first out."""

    name = "breadth_first"
    merges = False  # every page says the same

    def score(self, page: Page, relevance: PageRelevance, visit: Visit) -> LinkScores:
        """Return the same score for every link."""
        n_links = page.n_links
        return LinkScores(np.ones(n_links), np.full(n_links, DISCOVERY))


class DepthFirst(BreadthFirst):
    """Links in reverse order of discovery [P13, Sect. 2]: the frontier is last in, first out."""

    name = "depth_first"
    order = "newest"


class BestFirst(Strategy):
    """A link is worth what the page it stands on is worth."""

    name = "best_first"

    def score(self, page: Page, relevance: PageRelevance, visit: Visit) -> LinkScores:
        """Return the page's relevance for every link."""
        n_links = page.n_links
        return LinkScores(np.full(n_links, relevance.page), np.full(n_links, BY_PAGE))
