"""What the links among a topic's examples teach before the crawl: weights to begin with, and rates of groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from focused.method.page.url_features import UrlFeatures, hashed
from focused.method.strategies.linkmodel.anchor_texts import MAX_ANCHOR_TERMS
from focused.method.strategies.linkmodel.descent import descend
from focused.method.strategies.linkmodel.loss import Loss
from focused.method.strategies.linkmodel.memory import LinkMemory
from focused.method.strategies.linkmodel.memory_tables import MAX_REFERRERS
from focused.method.strategies.linkmodel.page_links import logit
from focused.method.strategies.linkmodel.prior import NO_PRIOR, Prior
from focused.method.strategies.linkmodel.rates import Rates
from focused.method.strategies.linkmodel.training_matrix import DENSE, training_matrix
from focused.method.topic.counted import relevance_of_counts
from focused.utils.steps import finish

if TYPE_CHECKING:
    from focused.method.topic import Topic, TopicExamples

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

FEW = 10
"""Fewer linked examples teach nothing."""

# Examples do not say where in the page a link stands.
_UNKNOWN = [DENSE.index(name) for name in ("block", "place")]
_MAX_ITERATIONS = 100


class _ExampleMemory(LinkMemory):
    """Links whose URLs are the numbers of examples: of these, hashed features are known, and no addresses."""

    def __init__(self, examples: TopicExamples) -> None:
        super().__init__(max_links=2 * max(examples.pages.shape[0], examples.n_links, 1000))
        self._rows: dict[str, npt.NDArray[Any]] = {}
        if examples.places is not None:
            self._rows = {
                str(target): row for target, row in zip(examples.targets.tolist(), examples.places, strict=True)
            }

    def _features(self, url: str) -> UrlFeatures:
        row = self._rows.get(url)
        if row is None or not row[1]:
            return UrlFeatures([], f"?{url}", f"?{url}", "")
        return UrlFeatures([column for column in row[2:].tolist() if column], f"#{row[1]}", f"#{row[0]}", "")

    def add_examples(
        self, examples: TopicExamples, outcomes: Floats, logits: Floats, texts: list[tuple[int, ...]]
    ) -> None:
        """Add all examples at once, as adding them one by one would: a fifth of a crawl's start went into that.

        `outcomes` are those of the examples; `logits`, shape (n_links, 4), and `texts` belong to their links. Examples that no
        link leads from or to count as pages, and nothing else is known of them.
        """
        n_pages, links = len(outcomes), self.links
        sources, targets = examples.sources.astype(np.int64), examples.targets.astype(np.int64)
        to_others = np.flatnonzero(sources != targets)
        # Of several links from one page to another the first.
        pairs = sources[to_others] * n_pages + targets[to_others]
        rows = to_others[np.unique(pairs, return_index=True)[1]]
        is_linked = np.zeros(n_pages, dtype=np.bool_)
        is_linked[sources[rows]] = is_linked[targets] = True
        linked = np.flatnonzero(is_linked)
        numbers = np.zeros(n_pages, dtype=np.int64)
        numbers[linked] = self.groups["source"].add(len(linked))
        self.n_pages += n_pages
        self.relevance += sum(outcomes.tolist())
        # Of each page first its links, then itself.
        order = np.argsort(np.concatenate((sources[rows], linked)), kind="stable")
        is_link = order < len(rows)
        urls = np.concatenate((targets[rows], linked))[order].tolist()
        of_urls = self.add_urls(list(map(str, urls)))
        ids, led = of_urls[is_link], of_urls[~is_link]
        links["outcome"][led], links["page"][led] = outcomes[linked], numbers[linked]
        found, page = logits[rows].astype(np.float32), numbers[sources[rows]]
        ranks = _ranks(ids)
        first = ranks == 0
        links["discoverer"][ids[first]] = page[first]
        links["tops"][ids[first]] = found[first]
        np.maximum.at(links["tops"], ids, found)
        np.add.at(links["sums"], ids, found)
        np.add.at(links["n_referrers"], ids, 1)
        kept = np.flatnonzero(ranks < MAX_REFERRERS)
        np.add.at(links["n_kept"], ids[kept], 1)
        with_evidence, own = np.unique(page[kept], return_inverse=True)
        groups = {
            "source": page[kept],
            "block": self.groups["block"].add(len(with_evidence))[own],
            "anchor": self._anchors([texts[row] for row in rows[kept].tolist()], [""] * len(kept)),
            "place": np.repeat(self.groups["place"].numbers([hash(("", 0))]), len(kept)),
        }
        for name, of_rows in groups.items():
            self.groups[name].add_members(of_rows)
        links["last"][ids[kept]] = self.evidence.add(len(kept), {"link": ids[kept], **groups})

    def _key(self, place: str) -> int:
        return int(place[1:]) if place[0] == "#" else hash(place)


def learnt_prior(topic: Topic, weight: float) -> Prior:
    """Return what the links among the examples of a topic teach; TopicError if they cannot be read.

    The model is fitted to them as to a crawl, the outcome of a link being 1 where it leads to a positive and else what the
    topic's classifier says of its target. Each counts as `weight` outcomes, in [0, 1].
    """
    examples = topic.examples
    if not weight or examples is None or examples.n_links < FEW:
        return NO_PRIOR
    memory = _memory(topic, examples)
    outcome = memory.links["outcome"]
    training = np.flatnonzero(~np.isnan(outcome) & (memory.links["n_referrers"] > 0))
    if len(training) < FEW:
        return NO_PRIOR
    training = training[:60_000]  # more than a topic keeps
    rates = Rates(memory, outcome.copy(), memory.mean_relevance)
    for _ in rates.count():
        pass
    dense, terms, columns = finish(training_matrix(memory, training, outcome.copy(), rates))
    dense[:, _UNKNOWN] = 0.0
    terms.sum_duplicates()
    start, penalty = NO_PRIOR.of(columns)
    loss = Loss(dense, terms, outcome[training], start, penalty)
    steps = descend(loss, start, loss.curvature(start), max_iterations=_MAX_ITERATIONS, tolerance=1e-6)
    found, _ = finish(steps)
    curvature = loss.curvature(found) - penalty
    # What a weight would have become with `weight` of the examples, as far as it depends on itself alone.
    sure = weight * (penalty + curvature) / (penalty + weight * curvature)
    mean = start + (found - start) * np.where(curvature > 0, sure, 0.0)
    sureness = penalty + weight * curvature
    mean[0], sureness[0] = start[0], penalty[0]  # how many links are relevant is another matter in each crawl
    n = len(DENSE)
    groups = {name: _known(memory, rates, name, weight) for name in ("anchor", "folder", "host")}
    return Prior(mean[:n], sureness[:n], columns.astype(np.int64), mean[n:], sureness[n:], groups)


def _ranks(ids: Integers) -> Integers:
    """Return how often each number stood before, shape (n,).

    >>> _ranks(np.array([7, 3, 7, 7, 3])).tolist()
    [0, 0, 1, 2, 1]
    """
    order = np.argsort(ids, kind="stable")
    starts = np.flatnonzero(np.diff(ids[order], prepend=-1))
    lengths = np.diff(np.append(starts, len(ids)))
    found = np.empty(len(ids), dtype=np.int64)
    found[order] = np.arange(len(ids)) - np.repeat(starts, lengths)
    return found


def _memory(topic: Topic, examples: TopicExamples) -> LinkMemory:
    pages = relevance_of_counts(topic, examples.terms, examples.pages, "page")
    outcomes = np.where(examples.positive, 1.0, pages)
    anchors = logit(relevance_of_counts(topic, examples.terms, examples.anchors, "anchor"))
    contexts = logit(relevance_of_counts(topic, examples.terms, examples.contexts, "context"))
    columns = np.array([hashed(term) for term in examples.terms], dtype=np.int64)
    texts = [
        tuple(sorted(set(columns[examples.anchors.indices[first:last]].tolist()))[:MAX_ANCHOR_TERMS])
        for first, last in zip(examples.anchors.indptr[:-1], examples.anchors.indptr[1:], strict=True)
    ]
    # A block is not known: the context of a link says most of what its block would.
    logits = np.column_stack((logit(pages)[examples.sources], contexts, anchors, contexts))
    memory = _ExampleMemory(examples)
    memory.add_examples(examples, outcomes, logits, texts)
    return memory


def _known(memory: LinkMemory, rates: Rates, name: str, weight: float) -> dict[int, tuple[float, float]]:
    found, counts = rates.known(name)
    keys = memory.groups[name].table["key"]
    return {
        key: (rate, weight * count)
        for key, rate, count in zip(keys.tolist(), found.tolist(), counts.tolist(), strict=False)
        if count
    }
