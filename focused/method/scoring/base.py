"""What every strategy is given and gives back."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

from focused.method.scoring.evidence import better
from focused.method.scoring.reasons import reason_kind
from focused.utils.parameters import check_parameters

if TYPE_CHECKING:
    from typing_extensions import Self

    from focused.method.page.page import Page
    from focused.method.scoring.evidence import Evidence
    from focused.method.scoring.session import Session
    from focused.method.topic import Topic
    from focused.method.topic.judge import PageRelevance

Floats = npt.NDArray[np.float64]

DISCOVERY = reason_kind("discovery")
BY_PAGE = reason_kind("page")
BY_BLOCK = reason_kind("block")
BY_ANCHOR = reason_kind("anchor")
BY_CONTEXT = reason_kind("context")
BY_JFE = reason_kind("jfe")
BELOW = reason_kind("below threshold")
BY_CLUSTER = reason_kind("cluster")
BY_MODEL = reason_kind("model")
BY_NEIGHBOURHOOD = reason_kind("neighbourhood")
BY_INHERITED = reason_kind("inherited")
BY_LABELS = reason_kind("labels")
BY_ADAPTIVE = reason_kind("adaptive")


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
        passes: npt.NDArray[np.bool_] = self.reasons != BELOW
        return passes


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

        A strategy with a model of its own returns a copy that holds it.

        Raises
        ------
        ValueError
            If the topic lacks what the strategy needs.
        """
        return self

    @property
    def remark(self) -> str:
        """What whoever sees scores outside of a crawl has to know; empty: nothing."""
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
        of the page that says more for it. A seed that waits rests on no page, and stays as it is.

        Asked for by the crawl where ``merges`` is true, once for each page that links to a waiting link.
        """
        best = better(known, new)
        if not (known.referrer and new.referrer):
            return best
        score = (known.n_referrers * known.score + new.n_referrers * new.score) / best.n_referrers
        return replace(best, score=score)


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
