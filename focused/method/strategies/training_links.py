"""What strategies with a model of their own learn from: the topic's examples, labelled, in folds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from focused.method.topic.counted import relevance_of_counts
from focused.method.topic.names import TopicError, retrain_advice

if TYPE_CHECKING:
    from focused.method.topic import Topic, TopicExamples

Flags = npt.NDArray[np.bool_]
Rows = npt.NDArray[np.int64]

FEW = 10
"""With fewer links to relevant pages, or to other ones, a model of links is hardly more than a guess."""


@dataclass(frozen=True)
class TrainingLinks:
    """The examples of a topic with their labels."""

    examples: TopicExamples
    #: Which pages are taken for relevant, shape (n_pages,).
    pages: Flags

    @property
    def links(self) -> Flags:
        """Which links lead to a page that is taken for relevant, shape (n_links,)."""
        found: Flags = self.pages[self.examples.targets]
        return found

    @property
    def are_few(self) -> bool:
        """Whether there are too few links, of one kind or the other, to learn from."""
        n_relevant = int(self.links.sum())
        return min(n_relevant, self.examples.n_links - n_relevant) < FEW


def training_links(topic: Topic, strategy: str) -> TrainingLinks:
    """Return the examples of a topic, labelled; TopicError if it has none.

    Taken for relevant are the positives, and the unlabelled pages that the topic's own classifier takes for relevant, as a
    crawl would: of links to the positives alone there are few (docs/method/, D49).
    """
    examples = topic.examples
    if examples is None:
        raise TopicError(
            f"The strategy {strategy} learns from the examples of a topic, and topic {topic.name!r} brings none: it was "
            f"trained before they were kept. {retrain_advice(topic.name, topic.manifest)}; or choose another strategy: "
            f"-a strategy=NAME"
        )
    relevant = relevance_of_counts(topic, examples.terms, examples.pages, "page") >= topic.threshold("page")
    return TrainingLinks(examples, examples.positive | relevant)


def drawn(labels: Flags, limit: int, random_state: int) -> Rows:
    """Return at most `limit` rows in ascending order: a seeded draw, up to half of it relevant ones."""
    if len(labels) <= limit:
        return np.arange(len(labels))
    rng = np.random.default_rng(random_state)
    relevant, others = np.flatnonzero(labels), np.flatnonzero(~labels)
    n_relevant = max(min(len(relevant), limit // 2), limit - len(others))
    chosen = [rng.choice(relevant, n_relevant, replace=False), rng.choice(others, limit - n_relevant, replace=False)]
    return np.sort(np.concatenate(chosen))


def folds(labels: Flags, groups: Rows, n_folds: int, random_state: int) -> list[tuple[Rows, Rows]]:
    """Return rows to train on and rows to judge, for each fold; empty where one kind has less than two groups.

    What belongs together is never torn apart: links to one page say the same of it, and a model that has seen one of them
    knows the others. Each fold holds rows of both kinds; there are fewer where one kind has fewer groups. All rows of a group
    have one label.
    """
    rng = np.random.default_rng(random_state)
    kinds = [rng.permutation(np.unique(groups[flags])) for flags in (labels, ~labels)]
    n_folds = min(n_folds, *map(len, kinds))
    if n_folds < 2:
        return []
    fold_of = {group: n % n_folds for kind in kinds for n, group in enumerate(kind.tolist())}
    fold = np.array([fold_of[group] for group in groups.tolist()])
    return [(np.flatnonzero(fold != n), np.flatnonzero(fold == n)) for n in range(n_folds)]
