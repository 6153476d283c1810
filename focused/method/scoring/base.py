"""`Strategy`, the base class of strategies, and what they are written with."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from focused.method.scoring.evidence import better
from focused.method.scoring.link_scores import BELOW, Floats, LinkScores, Visit
from focused.method.scoring.reasons import reason_kind
from focused.utils.parameters import check_parameters

if TYPE_CHECKING:
    from typing_extensions import Self

    from focused.method.page.page import Page
    from focused.method.scoring.evidence import Evidence
    from focused.method.scoring.session import Session
    from focused.method.topic import Topic
    from focused.method.topic.judge import PageRelevance

__all__ = [
    "BELOW", "BY_ADAPTIVE", "BY_ANCHOR", "BY_BLOCK", "BY_CLUSTER", "BY_CONTEXT", "BY_FEED", "BY_INHERITED", "BY_JFE",
    "BY_LABELS", "BY_MODEL", "BY_NEIGHBOURHOOD", "BY_PAGE", "BY_SITEMAP", "DISCOVERY", "LOOK_AROUND", "LinkScores",
    "Strategy", "Visit", "block_of_links", "first_that_passes",
]  # fmt: skip

DISCOVERY = reason_kind("discovery")
BY_PAGE = reason_kind("page")
BY_BLOCK = reason_kind("block")
BY_ANCHOR = reason_kind("anchor")
BY_CONTEXT = reason_kind("context")
BY_JFE = reason_kind("jfe")
BY_CLUSTER = reason_kind("cluster")
BY_MODEL = reason_kind("model")
BY_NEIGHBOURHOOD = reason_kind("neighbourhood")
BY_INHERITED = reason_kind("inherited")
BY_LABELS = reason_kind("labels")
BY_ADAPTIVE = reason_kind("adaptive")
LOOK_AROUND = reason_kind("look around")
BY_SITEMAP = reason_kind("sitemap")
BY_FEED = reason_kind("feed")


@dataclass(frozen=True)
class Strategy:
    """Scores the links of a page.

    A strategy is a frozen dataclass with a ``name``, the ``kinds`` of text units it looks at (nothing else is weighed),
    and ``score``. Its parameters are fields declared with :func:`focused.utils.parameters.parameter`. It is pure:
    the same page, relevance and visit give the same scores; what a crawl remembers is not kept here.

    One from another package is named by its class path or by an entry point of ``focused.strategies``. The settings of its
    parameters begin with a prefix of its own: those with FOCUSED_ are the project's.
    """

    name: ClassVar[str] = ""
    kinds: ClassVar[frozenset[str]] = frozenset()
    #: Which of the links of equal score is fetched first: the "oldest" or the "newest".
    order: ClassVar[str] = "oldest"
    #: Whether what pages found later say of a link that waits is joined to what is known of it (``merge``).
    merges: ClassVar[bool] = True
    #: Whether it is only there for others to be compared with.
    is_reference: ClassVar[bool] = False

    def __post_init__(self) -> None:
        """Refuse parameters that are out of their range."""
        check_parameters(self)

    def prepare(self, topic: Topic) -> Self:
        """Return the strategy ready to crawl for a topic; called once, before the first page.

        A strategy with a model of its own returns a copy that holds it. ValueError if the topic lacks what it needs.
        """
        return self

    @property
    def remark(self) -> str:
        """What a reader of scores outside of a crawl has to know; empty if there is nothing."""
        return ""

    def session(self) -> Session | None:
        """Return what scores the links of one crawl and learns from it; None (the default): the strategy itself does."""
        return None

    def score(self, page: Page, relevance: PageRelevance, visit: Visit) -> LinkScores:
        """Return a score and its reason for each link of the page."""
        raise TypeError(f"{type(self).__name__} must define score()")

    def why(self, page: Page, relevance: PageRelevance, visit: Visit) -> list[str]:
        """Return in words what the score of each link rests on; of none (the default) the kind of reason says enough.

        Asked by ``explain``. In a crawl the words come from the session (``Session.why``).
        """
        return []

    def merge(self, known: Evidence, new: Evidence) -> Evidence:
        """Return what two pages together say of a link that waits: by default, the mean of their scores.

        Each page known to link there counts the same, so the order in which they come makes no difference to the score
        (docs/method/, D43). The link is admitted if any of them admits it (D44). Referrer, path and reason are those
        of the page that says more for it. A seed that waits rests on no page, and stays as it is. What a sitemap or a feed
        says counts for no page: where a page links to the link, its score is that of pages.

        Asked for by the crawl where ``merges`` is true, once for each page that links to a waiting link.
        """
        best = better(known, new)
        if not (known.referrer and new.referrer and best.n_referrers):
            return best
        score = (known.n_referrers * known.score + new.n_referrers * new.score) / best.n_referrers
        return replace(best, score=score)


def block_of_links(page: Page, blocks: Floats) -> Floats:
    """Return for each link the relevance of its block; of several blocks, the best [P13, Sect. 3.2].

    From shape (n_blocks,) to shape (n_links,).
    """
    return page.best_of_anchors(blocks[page.anchor_blocks])


def first_that_passes(candidates: list[tuple[Floats, float, int]]) -> LinkScores:
    """Give each link the first score that reaches its threshold; where none does, the best one, below threshold.

    Candidates are (scores of shape (n_links,), threshold, reason), in order of preference.
    """
    scores = np.maximum.reduce([candidate[0] for candidate in candidates])
    reasons = np.full(len(scores), BELOW, dtype=np.int64)
    for values, threshold, reason in reversed(candidates):
        passes = values >= threshold
        scores = np.where(passes, values, scores)
        reasons[passes] = reason
    return LinkScores(scores, reasons)
