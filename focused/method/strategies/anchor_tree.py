"""Anchor texts judged by a decision tree that was trained on the topic's own links."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from focused.method.scoring.base import BELOW, BY_MODEL, LinkScores, Strategy
from focused.method.strategies.link_counts import TermColumns
from focused.method.strategies.training_links import training_links
from focused.utils.parameters import parameter
from focused.utils.setting import TOPIC

if TYPE_CHECKING:
    from typing_extensions import Self

    from focused.method.page.page import Page
    from focused.method.scoring.base import Visit
    from focused.method.topic import Topic
    from focused.method.topic.judge import PageRelevance

logger = logging.getLogger(__name__)

Floats = npt.NDArray[np.float64]

# A leaf's share of relevant targets is drawn to the share among all links as if it held two more of those.
_PRIOR_LINKS = 2.0
# Where links are few, a deeper tree would learn them by heart.
_SHALLOW, _LARGE_LEAF = 3, 5


@dataclass(frozen=True)
class AnchorTree(Strategy):
    """The probability that a decision tree over the terms of the anchor text gives [L14, Sect. 5.3; Li et al. 2005].

    The tree asks whether terms stand in the anchor text; a leaf's share of links that led to relevant pages is the
    score. It is trained on the links among the topic's examples. L14 names neither algorithm nor parameters: the
    splits are by entropy, as in C4.5 (docs/method/, D50). A link with several anchors has the best of their scores.
    """

    max_depth: int = parameter(
        "FOCUSED_ANCHOR_TREE_DEPTH",
        20,
        "Most questions from the tree's root to a leaf; 3 where there are few links to learn from.",
        least=1,
        most=1000,
        set_by=TOPIC,
    )
    min_leaf: int = parameter(
        "FOCUSED_ANCHOR_TREE_MIN_LEAF",
        2,
        "Least number of links in a leaf; 5 where there are few links to learn from.",
        least=1,
        set_by=TOPIC,
    )
    threshold: float = parameter(
        "FOCUSED_ANCHOR_TREE_THRESHOLD",
        0.5,
        "Probability from which a link is admitted.",
        least=0,
        most=1,
        set_by=TOPIC,
    )
    #: Columns of terms, scikit-learn's tree (None: there is nothing to ask), and the score of each of its nodes.
    columns: TermColumns | None = field(default=None, repr=False, compare=False)
    tree: Any = field(default=None, repr=False, compare=False)
    leaf_scores: Floats = field(default_factory=lambda: np.zeros(1), repr=False, compare=False)

    name = "anchor_tree"

    def prepare(self, topic: Topic) -> Self:
        """Return the strategy with its tree, trained on the topic's examples; TopicError if there are none."""
        training = training_links(topic, self.name)
        examples, labels = training.examples, training.links
        held = np.bincount(examples.anchors.indices, minlength=len(examples.terms))
        chosen = np.flatnonzero(held >= 2)
        columns = TermColumns([examples.terms[column] for column in chosen])
        n_relevant = int(labels.sum())
        if training.are_few:
            logger.warning(
                "anchor_tree learns from %d links among the examples of topic %s, of which %d lead to relevant pages: "
                "its scores are hardly more than a guess. More examples that link to each other help.",
                *(len(labels), topic.name, n_relevant),
            )
        if not 0 < n_relevant < len(labels) or not len(chosen):
            prior = topic.model.calibrations["anchor"].prior
            return replace(self, columns=columns, tree=None, leaf_scores=np.array([prior]))
        from sklearn.tree import DecisionTreeClassifier

        classifier = DecisionTreeClassifier(
            criterion="entropy",
            max_depth=min(self.max_depth, _SHALLOW) if training.are_few else self.max_depth,
            min_samples_leaf=max(self.min_leaf, _LARGE_LEAF) if training.are_few else self.min_leaf,
            random_state=0,
        )
        classifier.fit(_presence(examples.anchors[:, chosen]), labels)
        tree = classifier.tree_
        shares = tree.value[:, 0, 1] / tree.value[:, 0].sum(axis=1)
        n_links = tree.n_node_samples
        scores = (n_links * shares + _PRIOR_LINKS * labels.mean()) / (n_links + _PRIOR_LINKS)
        return replace(self, columns=columns, tree=tree, leaf_scores=scores)

    def score(self, page: Page, relevance: PageRelevance, visit: Visit) -> LinkScores:
        """Return for each link the probability of the leaf that its best anchor text comes to."""
        if self.columns is None:
            raise ValueError("anchor_tree must be prepared for a topic before it scores.")
        if self.tree is None or not page.n_links:
            scores = np.full(page.n_links, self.leaf_scores[0])
        else:
            leaves = self.tree.apply(_presence(self.columns.anchors(page)))
            scores = page.best_of_anchors(self.leaf_scores[leaves])
        return LinkScores(scores, np.where(scores >= self.threshold, BY_MODEL, BELOW))


def _presence(counts: Any) -> Any:
    """Return counts as 1 and 0, in the form that scikit-learn's trees are made of."""
    rows = counts.astype(np.float32)
    rows.data[:] = 1
    rows.sort_indices()
    return rows
