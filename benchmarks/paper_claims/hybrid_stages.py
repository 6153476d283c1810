"""Tables 3 and 4 of I18 by its own classifier: w1 page score + w2 link score of RBF SVMs [I18, eq. 1, Table 2]."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from retraining_pages import labels_of, read_pages

from focused.method.learning.training import train_topic
from focused.method.strategies.rbf_classifier import RbfClassifier
from focused.method.strategies.training_links import folds
from focused.method.text.analyzer import Analyzer
from focused.method.training.term_counting import Columns, count, links_between
from focused.retraining.page_labels import label_by_relevance

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

N_POSITIVE, N_NEGATIVE = 80, 58
"""Pages of I18's training set [I18, Table 1]."""
N_TEST_POSITIVE, N_TEST_NEGATIVE = 46, 36
"""Twice the paper's 23 and 18: fewer of ours are linked to."""
N_SOURCES = 400
"""Further pages that are read for their links: the paper's links stand in its seeds."""
STAGES = (80, 90, 100)
PAGE_WEIGHT, THRESHOLD, T1, T2 = 0.1, 0.5, 0.8, 0.2
_N_FOLDS = 5


class Draw(NamedTuple):
    """Pages of one draw as counts, the links among them, and what is known of each page."""

    pages: Any
    windows: Any
    sources: NDArray[np.int64]
    targets: NDArray[np.int64]
    relevant: NDArray[np.bool_]
    training: NDArray[np.int64]
    testing: NDArray[np.int64]
    #: The tenth of the training data that each page belongs to; 8 and 9 come in the second and third stage.
    tenth: NDArray[np.int64]


def draw(warc: Path, labels: Path, topic: str, seed: int) -> Draw:
    """Draw training and test pages of a topic from a recorded web, and read them and their links."""
    of_url = labels_of(labels)
    rng = np.random.default_rng([seed, *topic.encode()])
    groups = [sorted(url for url in of_url if (topic in of_url[url]) == wanted) for wanted in (True, False)]
    yes, no = (rng.permutation(group).tolist() for group in groups)
    training = [*yes[:N_POSITIVE], *no[:N_NEGATIVE]]
    testing = [*yes[N_POSITIVE:][:N_TEST_POSITIVE], *no[N_NEGATIVE:][:N_TEST_NEGATIVE]]
    sources = (
        no[N_NEGATIVE + N_TEST_NEGATIVE :][: N_SOURCES // 2] + yes[N_POSITIVE + N_TEST_POSITIVE :][: N_SOURCES // 2]
    )
    read = read_pages(warc, [*training, *testing, *sources])
    order = list(read)
    row_of = {url: row for row, url in enumerate(order)}
    pages = [read[url] for url in order]
    found = links_between(pages)
    analyzer = Analyzer("en")
    windows = [count(analyzer.ids(link.window)) for _, _, link in found]
    columns = Columns(pages, texts=windows)
    in_training = np.array([row_of[url] for url in training if url in row_of])
    return Draw(
        columns.counts([page.terms for page in pages]),
        columns.counts(windows),
        np.array([source for source, _, _ in found]),
        np.array([target for _, target, _ in found]),
        np.array([topic in of_url[url] for url in order]),
        in_training,
        np.array([row_of[url] for url in testing if url in row_of]),
        rng.permutation(np.arange(len(in_training)) * 10 // len(in_training)),
    )


def stages(found: Draw, system: str = "printed") -> list[dict[str, Any]]:
    """Return a row for each mode and stage: examples, precision, recall and F of the test pages by their best link.

    ``system``: one of `SYSTEMS`.
    """
    rows = []
    for mode in ("interactive", "automatic"):
        is_first = found.tenth < STAGES[0] // 10
        known, labels = found.training[is_first], found.relevant[found.training[is_first]]
        trained: Printed | Todays | None = None
        for stage in STAGES:
            new = found.training[found.tenth == stage // 10 - 1] if trained else known[:0]
            if trained is not None:
                joins = joined(mode, found, new, trained)
                is_in = np.array([join is not None for join in joins], dtype=bool)
                known = np.concatenate([known, new[is_in]])
                labels = np.concatenate([labels, np.array([join for join in joins if join is not None], dtype=bool)])
            trained = SYSTEMS[system](found, known, labels)
            n = int(labels.sum())
            rows.append(
                {"mode": mode, "stage": stage, "positives": n, "others": len(labels) - n, "offered": len(new)}
                | measured(found, trained)
            )
    return rows


def joined(mode: str, found: Draw, new: NDArray[np.int64], trained: Printed | Todays) -> list[bool | None]:
    """Return the label that each new page joins with [I18, alg. 1 and 2]; None: it does not."""
    if mode == "interactive":
        return found.relevant[new].tolist()
    values = trained.of_pages(found.pages[new]).tolist()
    return [label_by_relevance(value, T1, T2) for value in values]


def models(found: Draw, known: NDArray[np.int64], labels: NDArray[np.bool_]) -> tuple[Classifier, Classifier | None]:
    """Train the page classifier on the known pages, and the link classifier on links to them."""
    label_of = dict(zip(known.tolist(), labels.tolist(), strict=True))
    chosen = np.array([n for n, target in enumerate(found.targets.tolist()) if target in label_of], dtype=np.int64)
    of_links = np.array([label_of[target] for target in found.targets[chosen].tolist()], dtype=bool)
    page_model = classifier(found.pages[known], labels, known)
    assert page_model is not None
    return page_model, classifier(found.windows[chosen], of_links, found.targets[chosen])


class Classifier:
    """A C-SVC of I18, table 2, over the terms of its training texts: gamma is one over their number."""

    def __init__(self, counts: Any, labels: NDArray[np.bool_], splits: list[Any]) -> None:
        self._terms = np.unique(counts.indices)
        self._svm = RbfClassifier(counts[:, self._terms], labels, splits, C=1.0, gamma=0.0, tolerance=1e-3)

    def probabilities(self, counts: Any) -> NDArray[np.float64]:
        """Return the probability of each text, shape (n_texts,)."""
        return self._svm.probabilities(counts[:, self._terms])


def classifier(counts: Any, labels: NDArray[np.bool_], groups: NDArray[np.int64]) -> Classifier | None:
    """Train a classifier; None where there is too little to learn from."""
    splits = folds(labels, groups, _N_FOLDS, random_state=0)
    return Classifier(counts, labels, splits) if splits else None


class Printed:
    """I18's classifiers: a link is as relevant as 0.1 times its page and 0.9 times its window say [I18, eq. 1]."""

    def __init__(self, found: Draw, known: NDArray[np.int64], labels: NDArray[np.bool_]) -> None:
        self._found = found
        self._page_model, self._link_model = models(found, known, labels)
        self.threshold = THRESHOLD

    def of_pages(self, counts: Any) -> NDArray[np.float64]:
        """Return how relevant pages are, shape (n_pages,)."""
        return self._page_model.probabilities(counts)

    def of_links(self, at: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return how relevant links are, by their places, shape (n_links,)."""
        found = self._found
        pages = self.of_pages(found.pages[found.sources[at]])
        links = pages if self._link_model is None else self._link_model.probabilities(found.windows[at])
        return PAGE_WEIGHT * pages + (1 - PAGE_WEIGHT) * links


class Todays:
    """Today's learner on the same pages: it judges pages and windows by one classifier, calibrated for each."""

    def __init__(self, found: Draw, known: NDArray[np.int64], labels: NDArray[np.bool_]) -> None:
        self._windows = found.windows
        self._model = train_topic(found.pages[known], labels)
        self.threshold = self._model.threshold("context")

    def of_pages(self, counts: Any) -> NDArray[np.float64]:
        """Return how relevant pages are, shape (n_pages,)."""
        return self._model.relevance("page", *self._model.decisions(counts))

    def of_links(self, at: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return how relevant links are, by their places, shape (n_links,)."""
        return self._model.relevance("context", *self._model.decisions(self._windows[at]))


SYSTEMS: dict[str, type[Printed | Todays]] = {"printed": Printed, "today": Todays}
"""What judges the pages of the tables."""


def measured(found: Draw, trained: Printed | Todays) -> dict[str, float]:
    """Judge the test pages by the best of their links, and return precision, recall and F."""
    at = np.flatnonzero(np.isin(found.targets, found.testing))
    best = np.zeros(len(found.relevant))
    np.maximum.at(best, found.targets[at], trained.of_links(at))
    judged = np.unique(found.targets[at])
    says, is_so = best[judged] > trained.threshold, found.relevant[judged]
    n_right = int((says & is_so).sum())
    precision, recall = n_right / max(int(says.sum()), 1), n_right / max(int(is_so.sum()), 1)
    return {
        "judged": len(judged),
        "precision": precision,
        "recall": recall,
        "f": 2 * precision * recall / max(precision + recall, 1e-9),
    }
