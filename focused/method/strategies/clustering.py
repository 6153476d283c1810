"""Link contexts judged by the cluster that they fall into."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from focused.method.page.limits import MAX_UNIT_TERMS
from focused.method.page.text_units import OTHER_ANCHORS
from focused.method.scoring.base import BELOW, BY_CLUSTER, LinkScores, Strategy
from focused.method.strategies.link_counts import TermColumns
from focused.method.strategies.page_clusters import CLUSTER_LAMBDA, CLUSTER_MAX_UNITS, LinkDirection
from focused.method.topic.judge import COSINE_THRESHOLD
from focused.utils.parameters import parameter

if TYPE_CHECKING:
    from typing_extensions import Self

    from focused.method.page.page import Page
    from focused.method.scoring.base import Visit
    from focused.method.topic import Topic
    from focused.method.topic.judge import PageRelevance


@dataclass(frozen=True)
class Clustering(Strategy):
    """The cosine of the topic vector with the cluster that the link context falls into [P15, Sect. 4 and 6.2].

    The contexts of a page are clustered afresh: short ones are judged by what the longer ones like them say. Nothing
    is learnt from the topic's examples.
    """

    lambda_: float = parameter(CLUSTER_LAMBDA)
    max_units: int = parameter(CLUSTER_MAX_UNITS)
    #: Links with a cosine of at least this are admitted.
    threshold: float = parameter(COSINE_THRESHOLD)
    context_anchors: str = parameter(OTHER_ANCHORS)
    max_terms: int = parameter(MAX_UNIT_TERMS)
    #: The topic vector.
    topic_direction: LinkDirection | None = field(default=None, repr=False, compare=False)

    name = "clustering"

    def prepare(self, topic: Topic) -> Self:
        """Return the strategy with the topic vector."""
        direction = LinkDirection(
            TermColumns(topic.terms),
            topic.model.term_weights,
            topic.model.topic_vector,
            topic.model.sublinear_tf,
            other_anchors=self.context_anchors == "include",
            max_terms=self.max_terms,
        )
        return replace(self, topic_direction=direction)

    def score(self, page: Page, relevance: PageRelevance, visit: Visit) -> LinkScores:
        """Return the cosine of each link's cluster with the topic vector."""
        if self.topic_direction is None:
            raise ValueError("clustering must be prepared for a topic before it scores.")
        found = self.topic_direction.of_links(page, lambda_=self.lambda_, max_units=self.max_units)
        # Term weights are not negative, but sums of rounded numbers may leave [0, 1] by a hair.
        scores = np.clip(found, 0.0, 1.0)
        return LinkScores(scores, np.where(scores >= self.threshold, BY_CLUSTER, BELOW))
