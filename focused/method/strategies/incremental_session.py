"""A crawl guided by clusters that grow and an SVM that learns while it goes on [P15, Sect. 4-5, Alg. 1]."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from focused.method.scoring.base import BELOW, BY_CLUSTER, BY_MODEL, LinkScores
from focused.method.scoring.session import Session
from focused.method.strategies.cfu_forest import NONE, Forest
from focused.method.strategies.cfu_insertion import insert_units
from focused.method.strategies.context_record import ContextRecord
from focused.method.strategies.page_clusters import CUT

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from focused.method.page.page import Page
    from focused.method.scoring.base import Visit
    from focused.method.strategies.page_clusters import LinkDirection
    from focused.method.topic.judge import PageRelevance

Floats = npt.NDArray[np.float64]

MAX_REMEMBERED_LINKS = 100_000
"""Links whose contexts wait for an outcome; the oldest are forgotten first."""


class IncrementalSession(Session):
    """Clusters the link contexts of fetched pages as they come, and learns from what the links led to.

    Each different context of a page is inserted into the crawl's CFu-trees; a link is judged by the SVM on the cluster that
    its context falls into. When a link has been fetched, its context becomes an example with the page's verdict. After
    `every_outcomes` of them the SVM goes on with Alg. 1 on these, its support vectors and DARK (`partial_fit`).

    A link keeps the score with which it was found, as the paper's do (docs/method/, D62). What P15 leaves open is D85.
    ``to_scores`` turns decisions into scores. ``lambda_`` None: each context is judged by itself. Beyond `max_tree_units`
    units, new trees begin: a cluster of long ago is forgotten.
    """

    def __init__(
        self,
        svm: Any,
        direction: LinkDirection,
        to_scores: Callable[[Floats], Floats],
        *,
        lambda_: float | None,
        max_units: int,
        every_outcomes: int,
        max_tree_units: int,
    ) -> None:
        self.svm = deepcopy(svm)
        self._direction, self._to_scores = direction, to_scores
        self._lambda, self._max_units = lambda_, max_units
        self._every, self._max_tree_units = every_outcomes, max_tree_units
        self.forest: Forest | None = None
        self.outcomes: list[tuple[Any, bool]] = []
        self.n_fits = self.n_outcomes = self.n_forgotten = self._n_pages = 0
        self._waiting: dict[str, tuple[ContextRecord, int]] = {}
        self._records: dict[str, tuple[int, bytes]] = {}
        self._has_frontier = False

    def score_in_steps(self, page: Page, relevance: PageRelevance, visit: Visit) -> Generator[int, None, LinkScores]:
        """Learn from a page, and return a score for each of its links."""
        contexts = self._direction.contexts(page, self._max_units)
        yield page.n_links
        if contexts.n_cut:
            page.cuts[CUT] += contexts.n_cut
        urls = list(page.link_numbers)
        found = ContextRecord(
            visit.urls or (page.url,),
            relevance.page >= relevance.thresholds["page"],
            [urls[link] for link in contexts.links.tolist()],
            contexts.unit_of,
            contexts.counts,
        )
        of_units = self.learn(found)
        if self._has_frontier:
            self._records[found.urls[0]] = page.n_links, found.pack()
        # What is left is judged by the SVM as it is now, too: by each link's own context.
        values = self._direction.contexts(page, 0).values if contexts.n_cut else contexts.values
        values[contexts.links] = of_units[contexts.unit_of]
        scores = self._to_scores(values + float(self.svm.intercept_[0]))
        by = BY_MODEL if self._lambda is None else BY_CLUSTER
        return LinkScores(scores, np.where(scores >= 0.5, by, BELOW))

    def learn(self, found: ContextRecord) -> Floats:
        """Take in a page: the outcome of the link that led to it, and its contexts; return what each unit is worth.

        The products of the units' clusters with the SVM's direction, shape (n_units,).
        """
        self._n_pages += 1
        for url in found.urls:
            waited = self._waiting.pop(url, None)
            if waited is not None:
                record, unit = waited
                self.outcomes.append((record.counts[unit], found.is_relevant))
        if len(self.outcomes) >= self._every:
            self._fit()
        for url, unit in zip(found.links, found.unit_of.tolist(), strict=True):
            self._waiting.setdefault(url, (found, unit))
        while len(self._waiting) > MAX_REMEMBERED_LINKS:
            del self._waiting[next(iter(self._waiting))]
            self.n_forgotten += 1
        rows, coef = self._direction.rows(found.counts), self.svm.coef_[0]
        if self._lambda is None or not rows.shape[0]:
            return np.asarray(rows @ coef)
        return self._of_clusters(rows, coef, self._lambda)

    def _of_clusters(self, rows: Any, coef: Floats, lambda_: float) -> Floats:
        from scipy import sparse

        forest = self.forest
        if forest is None or forest.rows.shape[0] + rows.shape[0] > self._max_tree_units:
            forest = self.forest = Forest(rows[:0], lambda_, "smaller")
        n_units, n_nodes = forest.rows.shape[0], len(forest.unit)
        forest.rows = sparse.vstack([forest.rows, rows], format="csr")
        insert_units(forest, range(n_units, forest.rows.shape[0]))
        of_units = np.zeros(rows.shape[0])
        of_root: dict[int, float] = {}
        for node in range(n_nodes, len(forest.unit)):
            unit = forest.unit[node]
            if unit != NONE:
                root = forest.root(node)
                if root not in of_root:
                    of_root[root] = forest.cosine(root, coef)
                of_units[unit - n_units] = of_root[root]
        return of_units

    def _fit(self) -> None:
        from scipy import sparse

        counts = sparse.vstack([row for row, _ in self.outcomes], format="csr")
        self.svm.partial_fit(counts, np.array([is_relevant for _, is_relevant in self.outcomes]))
        self.n_outcomes += len(self.outcomes)
        self.n_fits += 1
        self.outcomes = []
        self._direction = replace(self._direction, direction=self.svm.coef_[0])

    @property
    def figures(self) -> dict[str, float]:
        """Stats: outcomes learnt from, trainings, clusters, links whose contexts were forgotten."""
        found: dict[str, float] = {
            "focused/incremental/fits_count": self.n_fits,
            "focused/incremental/outcomes_count": self.n_outcomes,
        }
        if self.forest is not None:
            found["focused/incremental/clusters_count"] = len(self.forest.roots)
        if self.n_forgotten:
            found["focused/incremental/forgotten_count"] = self.n_forgotten
        return found

    @property
    def n_pages(self) -> int:
        """Number of the pages that it has learnt from."""
        return self._n_pages

    # --- With a frontier that keeps what is learnt

    def note_waiting(self, url: str, number: int, score: float) -> None:
        """Note that there is a frontier that keeps records."""
        self._has_frontier = True

    def take_record(self, url: str) -> tuple[int, bytes] | None:
        """Return, once, what was learnt from the page that a link led to."""
        return self._records.pop(url, None)

    @property
    def max_recorded_links(self) -> int:
        """As many as may wait for an outcome."""
        return MAX_REMEMBERED_LINKS

    def replay(self, record: bytes) -> None:
        """Learn again from what `take_record` returned; ValueError if it is something else."""
        self.learn(ContextRecord.unpack(record, n_terms=self._direction.columns.n_terms))

    def finish_replay(self) -> None:
        """Go on after the last of the records."""
        self._has_frontier = True
