"""A page classifier and a link classifier, added up."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from focused.method.page.link_context import WINDOW_CHARS
from focused.method.scoring.base import BELOW, BY_MODEL, LinkScores, Strategy
from focused.method.strategies.link_counts import TermColumns
from focused.method.strategies.rbf_classifier import RbfClassifier
from focused.method.strategies.training_links import drawn, folds, training_links
from focused.method.topic.names import TopicError
from focused.utils.parameters import parameter
from focused.utils.setting import TOPIC

if TYPE_CHECKING:
    from typing_extensions import Self

    from focused.method.page.page import Page
    from focused.method.scoring.base import Visit
    from focused.method.strategies.training_links import Flags, Rows, TrainingLinks
    from focused.method.text.analyzer import Analyzer
    from focused.method.topic import Topic
    from focused.method.topic.judge import PageRelevance

logger = logging.getLogger(__name__)

_N_FOLDS = 5


@dataclass(frozen=True)
class TextModel:
    """A classifier with the columns of its terms."""

    columns: TermColumns
    classifier: RbfClassifier


@dataclass(frozen=True)
class Hybrid(Strategy):
    """w1 times the score of the page plus w2 times the score of the link, admitted above 0.5 [I18, eq. 1].

    Both scores are probabilities of C-SVMs with a radial kernel on tf-idf rows [I18, Table 2]: the one judges the page
    that holds the link, the other the anchor text with 50 characters on each side (FOCUSED_WINDOW_CHARS). They are trained on
    the topic's examples, the second on the links among these. Both classes weigh the same, as I18's nearly do
    (docs/method/, D54).
    """

    page_weight: float = parameter(
        "FOCUSED_HYBRID_PAGE_WEIGHT",
        0.1,
        "Weight of the page's score, the rest is the link's; w1 [I18, eq. 1].",
        least=0,
        most=1,
        set_by=TOPIC,
    )
    threshold: float = parameter(
        "FOCUSED_HYBRID_THRESHOLD",
        0.5,
        "Links that score more are admitted.",
        least=0,
        most=1,
        set_by=TOPIC,
    )
    with_urls: bool = parameter(
        "FOCUSED_HYBRID_URL_TERMS",
        False,
        "True counts the words of the link's URL among its text; I18 does not, but it helps where addresses name the "
        "subject.",
        set_by=TOPIC,
    )
    penalty: float = parameter(
        "FOCUSED_HYBRID_C",
        1.0,
        "Penalty of the SVMs [I18, Table 2].",
        least=1e-6,
        most=1_000_000,
        set_by=TOPIC,
    )
    gamma: float = parameter(
        "FOCUSED_HYBRID_GAMMA",
        0.0,
        "Gamma of the radial kernel; 0: one over the number of terms [I18, Table 2].",
        least=0,
        most=1_000_000,
        set_by=TOPIC,
    )
    tolerance: float = parameter(
        "FOCUSED_HYBRID_TOLERANCE",
        0.001,
        "Where the SVMs' solver stops [I18, Table 2].",
        least=1e-9,
        most=1,
        set_by=TOPIC,
    )
    max_examples: int = parameter(
        "FOCUSED_HYBRID_MAX_EXAMPLES",
        2000,
        "Pages, and links, that the SVMs are trained on; of more, a seeded draw. Time and memory grow with the square.",
        least=20,
        most=20_000,
        set_by=TOPIC,
    )
    #: On each side of the anchor, as the topic's examples have it.
    window_chars: int = field(default=WINDOW_CHARS.default, repr=False, compare=False)
    analyzer: Analyzer | None = field(default=None, repr=False, compare=False)
    pages: TextModel | None = field(default=None, repr=False, compare=False)
    links: TextModel | None = field(default=None, repr=False, compare=False)

    name = "hybrid"

    def prepare(self, topic: Topic) -> Self:
        """Return the strategy with its two classifiers, trained on the topic's examples.

        TopicError if the topic has no examples, or too few relevant ones.
        """
        training = training_links(topic, self.name)
        examples = training.examples
        pages = self._model(examples.pages, training.pages, np.arange(len(training.pages)), examples.terms)
        if pages is None:
            raise TopicError(
                f"The strategy hybrid must have two relevant pages and two others among the examples of topic "
                f"{topic.name!r}. Got {int(training.pages.sum())} relevant of {len(training.pages)}. Train the topic with "
                f"example pages, or choose another strategy: -a strategy=NAME"
            )
        links = self._link_model(training)
        if links is None:
            logger.warning(
                "hybrid judges links as if they were pages: of %d links among the examples of topic %s %d lead to relevant "
                "pages. More examples that link to each other help.",
                *(examples.n_links, topic.name, int(training.links.sum())),
            )
        width = topic.window_chars
        return replace(self, analyzer=topic.analyzer, window_chars=width, pages=pages, links=links or pages)

    def score(self, page: Page, relevance: PageRelevance, visit: Visit) -> LinkScores:
        """Return the weighted sum of both probabilities; of a link's anchors the best counts."""
        if self.pages is None or self.links is None or self.analyzer is None:
            raise ValueError("hybrid must be prepared for a topic before it scores.")
        if not page.n_links:
            return LinkScores(np.zeros(0), np.zeros(0, dtype=np.int64))
        of_page = float(self.pages.classifier.probabilities(self.pages.columns.page(page))[0])
        windows = self.links.columns.windows(page, self.analyzer, self.window_chars, with_urls=self.with_urls)
        of_links = page.best_of_anchors(self.links.classifier.probabilities(windows))
        scores = self.page_weight * of_page + (1 - self.page_weight) * of_links
        return LinkScores(scores, np.where(scores > self.threshold, BY_MODEL, BELOW))

    def _link_model(self, training: TrainingLinks) -> TextModel | None:
        if training.are_few:
            return None
        examples = training.examples
        counts = examples.windows + examples.urls if self.with_urls else examples.windows
        return self._model(counts, training.links, examples.targets, examples.terms)

    def _model(self, counts: Any, labels: Flags, groups: Rows, terms: list[str]) -> TextModel | None:
        """Train a classifier, or return None where one kind of text has less than two groups."""
        chosen = drawn(labels, self.max_examples, random_state=0)
        counts, labels, groups = counts[chosen], labels[chosen], groups[chosen]
        splits = folds(labels, groups, _N_FOLDS, random_state=0)
        if not splits:
            return None
        held = np.flatnonzero(np.bincount(counts.indices, minlength=counts.shape[1]) >= 2)
        classifier = RbfClassifier(
            counts[:, held], labels, splits, C=self.penalty, gamma=self.gamma, tolerance=self.tolerance
        )
        return TextModel(TermColumns([terms[column] for column in held]), classifier)
