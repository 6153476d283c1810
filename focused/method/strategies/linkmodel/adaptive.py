"""The strategy `adaptive`: it learns during the crawl which links lead to relevant pages."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from focused.method.page.text_units import ANCHOR, BLOCK, CONTEXT
from focused.method.scoring.base import LinkScores, Strategy
from focused.method.strategies.linkmodel.examples import learnt_prior
from focused.method.strategies.linkmodel.prior import NO_PRIOR, Prior
from focused.method.strategies.linkmodel.session import LinkSession
from focused.method.topic.names import TopicError
from focused.utils.parameters import parameter
from focused.utils.setting import TOPIC

if TYPE_CHECKING:
    from typing_extensions import Self

    from focused.method.page.page import Page
    from focused.method.scoring.base import Visit
    from focused.method.topic import Topic
    from focused.method.topic.judge import PageRelevance

logger = logging.getLogger(__name__)

_OF_WORDS = 0.2
"""What an outcome counts as for a topic from words. Half of the relevant pages may hold none of the words: a list that leads
to them must not be given up because its first pages seem irrelevant. Chosen on a portal of small hosts (docs/method/, D99)."""


@dataclass(frozen=True)
class Adaptive(Strategy):
    """Begins with page, block, anchor text and context in equal parts, and learns from the outcome of every link.

    The model is a logistic regression on the relevances of all pages that link to a page, on the terms of URLs and anchor
    texts, and on the outcomes of other links of the same page, block, place, text, folder and host
    (docs/method/link-model.md). Nothing is below the threshold. The score is the logistic function of half the log-odds.
    """

    every_pages: int = parameter(
        "FOCUSED_ADAPTIVE_EVERY_PAGES",
        25,
        "Pages between two fits of the model; from 500 pages on a twentieth of the pages fetched. The first fit is after 5. "
        "Smaller: it learns sooner and costs more.",
        least=1,
        set_by=TOPIC,
    )
    credit: float = parameter(
        "FOCUSED_ADAPTIVE_CREDIT",
        0.3,
        "Share that the mean outcome of the links found on a page has in the outcome of the link to that page.",
        least=0,
        most=1,
        set_by=TOPIC,
    )
    exploration: float = parameter(
        "FOCUSED_ADAPTIVE_EXPLORATION",
        0.0,
        "Share of the pages that are drawn by lot among the waiting links, to learn from them. Only with the durable "
        "frontier.",
        least=0,
        most=1,
        set_by=TOPIC,
    )
    max_links: int = parameter(
        "FOCUSED_ADAPTIVE_MAX_LINKS",
        100_000,
        "Links that are remembered, about 2 kB each. Beyond that, those fetched long ago are forgotten first, then the worst; "
        "they keep the score they have.",
        least=1000,
        set_by=TOPIC,
    )
    warm_up_pages: int = parameter(
        "FOCUSED_ADAPTIVE_WARM_UP_PAGES",
        50,
        "Until so many pages have arrived, at most 2 + a fifth of them are requested at a time, so that something is learnt "
        "before the first choices. Hosts that leave a request unanswered for 3 s do not count. Only with the durable "
        "frontier.",
        least=0,
        set_by=TOPIC,
    )
    fairness: float = parameter(
        "FOCUSED_ADAPTIVE_FAIRNESS",
        1.0,
        "How far links come forward that were reached from a seed that has had less than an equal share of the pages (with a "
        "single seed: from one of its links); 0: not at all.",
        least=0,
        set_by=TOPIC,
    )
    discovery: float = parameter(
        "FOCUSED_ADAPTIVE_DISCOVERY",
        0.6,
        "How far links come forward that others may lie behind: those of kinds of pages that have led to relevant ones, and "
        "of kinds that were tried little. It counts as far as the harvest has fallen below half of that of the crawl's best "
        "time, less and less in the second half of the page budget, and not in crawls for topics from words. 0: not at all.",
        least=0,
        set_by=TOPIC,
    )
    seed: int = parameter(
        "FOCUSED_ADAPTIVE_SEED",
        0,
        "Seed of the draw; another one draws other links to explore.",
        least=0,
        set_by=TOPIC,
    )
    examples: float = parameter(
        "FOCUSED_ADAPTIVE_EXAMPLES",
        0.2,
        "Outcomes that each link among the topic's examples counts as before the crawl begins; 0: nothing is learnt from "
        "them.",
        least=0,
        most=1,
        set_by=TOPIC,
    )
    #: What an outcome of a link counts as.
    certainty: float = field(default=1.0, repr=False)
    #: What they teach.
    prior: Prior | None = field(default=None, repr=False, compare=False)

    name = "adaptive"
    merges = False  # its memory holds what every page says, and moves the links itself
    kinds = frozenset({BLOCK, ANCHOR, CONTEXT})

    def prepare(self, topic: Topic) -> Self:
        """Return the strategy with what the links among the topic's examples teach; without such links, with nothing.

        A topic from words is too vague to say what a kind of page has led to: its crawls do not discover (D87), and what comes
        of a link counts for less (D99).
        """
        strategy = replace(self, discovery=0.0, certainty=_OF_WORDS) if topic.keyword_terms else self
        try:
            return replace(strategy, prior=learnt_prior(topic, self.examples))
        except TopicError as error:
            logger.warning("adaptive begins without what the topic's examples could teach. %s", error)
            return strategy

    @property
    def remark(self) -> str:
        """What a reader of scores has to know outside of a crawl."""
        knows = (
            "nothing of links: among the topic's examples there are too few"
            if self.prior is None or self.prior is NO_PRIOR
            else "what the links among the topic's examples teach"
        )
        return (
            f"{self.name} learns during a crawl. The scores above are those of its first page: it then knows {knows}.\n"
            f"What a crawl has made of a link says: scrapy frontier RUN_DIR --why URL"
        )

    def session(self) -> LinkSession:
        """Return the memory of a crawl that begins."""
        return LinkSession(
            every_pages=self.every_pages,
            credit=self.credit,
            exploration=self.exploration,
            max_links=self.max_links,
            warm_up_pages=self.warm_up_pages,
            seed=self.seed,
            prior=self.prior or NO_PRIOR,
            fairness=self.fairness,
            discovery=self.discovery,
            certainty=self.certainty,
        )

    def why(self, page: Page, relevance: PageRelevance, visit: Visit) -> list[str]:
        """Return what the scores of the links rest on in a crawl that has seen nothing but this page."""
        session = self.session()
        session.score(page, relevance, visit)
        return [session.why(link.url) for link in page.links]

    def score(self, page: Page, relevance: PageRelevance, visit: Visit) -> LinkScores:
        """Return the scores of a crawl that knows nothing but this page."""
        return self.session().score(page, relevance, visit)
