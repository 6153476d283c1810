"""Clusters of link contexts judged by an incremental SVM."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from focused.method.page.limits import MAX_UNIT_TERMS
from focused.method.page.text_units import OTHER_ANCHORS
from focused.method.scoring.base import BELOW, BY_CLUSTER, BY_MODEL, LinkScores, Strategy
from focused.method.strategies.link_counts import TermColumns
from focused.method.strategies.page_clusters import CLUSTER_LAMBDA, CLUSTER_MAX_UNITS, LinkDirection
from focused.method.strategies.training_links import drawn, folds, training_links
from focused.method.topic.names import TopicError
from focused.utils.parameters import parameter
from focused.utils.setting import TOPIC

if TYPE_CHECKING:
    from typing_extensions import Self

    from focused.method.page.page import Page
    from focused.method.scoring.base import Visit
    from focused.method.strategies.incremental_session import IncrementalSession
    from focused.method.strategies.training_links import TrainingLinks
    from focused.method.topic import Topic
    from focused.method.topic.judge import PageRelevance

logger = logging.getLogger(__name__)

Floats = npt.NDArray[np.float64]

_N_FOLDS = 5
_LEAST_SLOPE = 1e-3


@dataclass(frozen=True)
class Incremental(Strategy):
    """The incremental SVM's verdict on the cluster that the link context falls into [P15, Sect. 5 and 6.2].

    The SVM is trained on the contexts of the links among the topic's examples, those that lead to relevant pages against
    all others; on the pages themselves where such links are few. Its decision becomes a score in [0, 1] by a sigmoid that
    is fitted to held-out decisions, both classes weighing the same; from 0.5 on a link is admitted (docs/method/, D53).

    With `every_outcomes` the crawl itself is incremental: see `IncrementalSession`.
    """

    clusters: bool = parameter(
        "FOCUSED_INCREMENTAL_CLUSTERING",
        True,
        "False judges each context by itself [P15, Sect. 6.2].",
        set_by=TOPIC,
    )
    lambda_: float = parameter(CLUSTER_LAMBDA)
    max_units: int = parameter(CLUSTER_MAX_UNITS)
    mu: float = parameter(
        "FOCUSED_INCREMENTAL_MU",
        10.0,
        "Percentage of the rightly classified examples that are trained on again, the unclear ones; mu [P15, Alg. 1].",
        least=0,
        most=100,
        set_by=TOPIC,
    )
    negatives: str = parameter(
        "FOCUSED_INCREMENTAL_NEGATIVES",
        "all",
        "What is negative: all links that lead to other pages, or those of them that 1-DNFII finds reliable.",
        choices=("all", "reliable"),
        set_by=TOPIC,
    )
    max_examples: int = parameter(
        "FOCUSED_INCREMENTAL_MAX_EXAMPLES",
        5000,
        "Links, or pages, that the SVM is trained on; of more, a seeded draw.",
        least=20,
        most=100_000,
        set_by=TOPIC,
    )
    every_outcomes: int = parameter(
        "FOCUSED_INCREMENTAL_EVERY_OUTCOMES",
        0,
        "Fetched links after which the SVM learns what they led to; contexts of all pages are then clustered in one set of "
        "CFu-trees [P15, Sect. 4, Alg. 1]. 0: each page is clustered afresh and nothing is learnt during the crawl.",
        least=0,
        most=10_000,
        set_by=TOPIC,
    )
    max_tree_units: int = parameter(
        "FOCUSED_INCREMENTAL_TREE_UNITS",
        2000,
        "With FOCUSED_INCREMENTAL_EVERY_OUTCOMES: contexts in the crawl's CFu-trees, beyond which new trees begin; the time "
        "of each page grows with it.",
        least=1,
        most=100_000,
        set_by=TOPIC,
    )
    context_anchors: str = parameter(OTHER_ANCHORS)
    max_terms: int = parameter(MAX_UNIT_TERMS)
    #: The SVM, and what turns its decisions into scores.
    model: LinkDirection | None = field(default=None, repr=False, compare=False)
    intercept: float = field(default=0.0, repr=False, compare=False)
    sigmoid: tuple[float, float] = field(default=(1.0, 0.0), repr=False, compare=False)
    svm: Any = field(default=None, repr=False, compare=False)

    name = "incremental"

    def prepare(self, topic: Topic) -> Self:
        """Return the strategy with its SVM, trained on the topic's examples.

        TopicError if the topic has no examples, or none of them is relevant.
        """
        training = training_links(topic, self.name)
        counts, labels, groups = _texts(training, topic, self.name)
        chosen = drawn(labels, self.max_examples, random_state=0)
        counts, labels, groups = counts[chosen], labels[chosen], groups[chosen]
        held = np.flatnonzero(np.bincount(counts.indices, minlength=counts.shape[1]) >= 2)
        counts = counts[:, held]
        svm = self._svm().fit(counts, labels)
        direction = LinkDirection(
            TermColumns([training.examples.terms[column] for column in held]),
            svm.term_weights_,
            svm.coef_[0],
            svm.sublinear_tf,
            other_anchors=self.context_anchors == "include",
            max_terms=self.max_terms,
        )
        decisions = np.full(len(labels), np.nan)
        for learnt, judged in folds(labels, groups, _N_FOLDS, random_state=0):
            decisions[judged] = self._svm().fit(counts[learnt], labels[learnt]).decision_function(counts[judged])
        sigmoid = _sigmoid(decisions, labels)
        return replace(self, model=direction, intercept=float(svm.intercept_[0]), sigmoid=sigmoid, svm=svm)

    def session(self) -> IncrementalSession | None:
        """Return what learns during the crawl, if it shall."""
        if not self.every_outcomes or self.model is None:
            return None
        from focused.method.strategies.incremental_session import IncrementalSession

        return IncrementalSession(
            self.svm,
            self.model,
            self._to_scores,
            lambda_=self.lambda_ if self.clusters else None,
            max_units=self.max_units,
            every_outcomes=self.every_outcomes,
            max_tree_units=self.max_tree_units,
        )

    def score(self, page: Page, relevance: PageRelevance, visit: Visit) -> LinkScores:
        """Return the calibrated verdict on each link's cluster."""
        if self.model is None:
            raise ValueError("incremental must be prepared for a topic before it scores.")
        lambda_ = self.lambda_ if self.clusters else None
        found = self.model.of_links(page, lambda_=lambda_, max_units=self.max_units)
        scores = self._to_scores(found + self.intercept)
        return LinkScores(scores, np.where(scores >= 0.5, BY_CLUSTER if self.clusters else BY_MODEL, BELOW))

    def _to_scores(self, decisions: Floats) -> Floats:
        slope, offset = self.sigmoid
        scores: Floats = expit(slope * decisions + offset)
        return scores

    def _svm(self) -> Any:
        from focused.method.learning.two_step.incremental_svm import IncrementalSVM

        is_complete = self.negatives == "all"
        return IncrementalSVM(mu=self.mu, unlabeled_are_negative=is_complete, sublinear_tf=True, random_state=0)


def _texts(training: TrainingLinks, topic: Topic, strategy: str) -> tuple[Any, Any, Any]:
    """Return the texts to learn from, which are relevant, and what belongs together."""
    examples = training.examples
    if not training.are_few:
        return examples.contexts, training.links, examples.targets
    n_relevant = int(training.pages.sum())
    if not 1 < n_relevant < len(training.pages) - 1:
        raise TopicError(
            f"The strategy {strategy} must have relevant pages and others among the examples of topic {topic.name!r}. "
            f"Got {n_relevant} relevant of {len(training.pages)}. Train the topic with example pages, or choose another "
            f"strategy: -a strategy=NAME"
        )
    logger.warning(
        "%s learns from the examples' pages instead of their links: of %d links among the examples of topic %s %d lead to "
        "relevant pages. More examples that link to each other help.",
        *(strategy, examples.n_links, topic.name, int(training.links.sum())),
    )
    return examples.pages, training.pages, np.arange(len(training.pages))


def _sigmoid(decisions: Floats, labels: Any) -> tuple[float, float]:
    """Return slope and offset of the sigmoid that explains held-out decisions best, both classes weighing the same."""
    from sklearn.linear_model import LogisticRegression

    known = np.isfinite(decisions)
    if len(np.unique(labels[known])) < 2:
        return 1.0, 0.0
    found = LogisticRegression(C=1e3, class_weight="balanced").fit(decisions[known, np.newaxis], labels[known])
    # A falling curve would turn the SVM's order round: then it knows nothing, and the slope is next to nothing.
    return max(float(found.coef_[0, 0]), _LEAST_SLOPE), float(found.intercept_[0])
