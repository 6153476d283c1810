"""A strategy that learns, while it crawls, which links lead to relevant pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from focused.page.units import ANCHOR, BLOCK, CONTEXT
from focused.strategies.base import LinkScores, Strategy
from focused.strategies.parameters import parameter

if TYPE_CHECKING:
    from focused.adaptation.link_session import LinkSession
    from focused.page.page import Page
    from focused.relevance import PageRelevance
    from focused.strategies.base import Visit


@dataclass(frozen=True)
class Adaptive(Strategy):
    """Begins with page, block, anchor text and context in equal parts, and learns from what comes of every link.

    The model is a logistic regression on the relevances of all pages that link somewhere, on the terms of URLs and anchor
    texts, and on what came of other links of the same page, block, place, text, folder and host (docs/method.md,
    "Adaptive"). Nothing is below the threshold. The score is the logistic function of half the log-odds.
    """

    #: Pages between two fits.
    every_pages: int = parameter("FOCUSED_ADAPTIVE_EVERY_PAGES", 25, least=1)
    #: What of the outcomes of the links found on a page counts as the outcome of the link to it.
    credit: float = parameter("FOCUSED_ADAPTIVE_CREDIT", 0.3, least=0, most=1)
    #: Share of the pages that are drawn by lot.
    exploration: float = parameter("FOCUSED_ADAPTIVE_EXPLORATION", 0.0, least=0, most=1)
    #: Links that are remembered.
    max_links: int = parameter("FOCUSED_ADAPTIVE_MAX_LINKS", 100_000, least=1000)
    #: Until so many pages are in, fewer are asked for at a time.
    warm_up_pages: int = parameter("FOCUSED_ADAPTIVE_WARM_UP_PAGES", 50, least=0)
    #: Another one draws other links.
    seed: int = parameter("FOCUSED_ADAPTIVE_SEED", 0, least=0)

    name = "adaptive"
    merges = False  # its memory holds what every page says, and moves the links itself
    kinds = frozenset({BLOCK, ANCHOR, CONTEXT})

    def session(self) -> LinkSession:
        """Return the memory of a crawl that begins."""
        from focused.adaptation.link_session import LinkSession  # other crawls should not wait for what it imports

        return LinkSession(
            every_pages=self.every_pages,
            credit=self.credit,
            exploration=self.exploration,
            max_links=self.max_links,
            warm_up_pages=self.warm_up_pages,
            seed=self.seed,
        )

    def score(self, page: Page, relevance: PageRelevance, visit: Visit) -> LinkScores:
        """Return the scores of a crawl that knows nothing but this page."""
        return self.session().score(page, relevance, visit)
