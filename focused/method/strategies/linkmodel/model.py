"""Predicts which links lead to relevant pages: a logistic regression on their features, fitted to the outcomes of others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from focused.method.page.url_features import N_COLUMNS
from focused.method.strategies.linkmodel.descent import descend
from focused.method.strategies.linkmodel.loss import Loss
from focused.method.strategies.linkmodel.memory_tables import EVIDENCE_GROUPS, LINK_GROUPS
from focused.method.strategies.linkmodel.prior import NO_PRIOR, Prior, Weights
from focused.method.strategies.linkmodel.raised_outcomes import mean_of_raised, raised_outcomes
from focused.method.strategies.linkmodel.rates import Rates, slices
from focused.method.strategies.linkmodel.training_matrix import LENGTH, training_matrix
from focused.utils.steps import Steps, finish

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from focused.method.strategies.linkmodel.growing_table import GrowingTable
    from focused.method.strategies.linkmodel.memory import LinkMemory

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

_MAX_ITERATIONS = 30
_LATEST, _RELEVANT = 5_000, 1_000


@dataclass(frozen=True, slots=True)
class Fit:
    """What the last fit was made from, and how well it describes that."""

    n_outcomes: int
    n_terms: int
    #: Mean log-loss over the outcomes it was fitted to, in nats; and of the crawl's mean outcome.
    loss: float
    loss_of_mean: float


class LinkModel:
    """Scores links. It is fitted again and again during the crawl.

    Between two fits the rates of groups stay as they are; new evidence for a link is added at once. A fit can be made in
    steps, with pages in between; it takes effect with its last step. Of the outcomes of the links found on a page the share
    `credit`, in [0, 1], counts as the outcome of the link to it. Each outcome counts as `certainty` of one, above 0 and at
    most 1: the less sure the relevances of pages are, the less they teach (docs/method/, D99).
    """

    def __init__(
        self, memory: LinkMemory, credit: float = 0.0, prior: Prior = NO_PRIOR, certainty: float = 1.0
    ) -> None:
        self.memory = memory
        self.credit, self.certainty = credit, certainty
        self.prior = prior
        self.weights = prior.weights()
        for name, known in prior.groups.items():
            memory.groups[name].prior_rates = known
        self.last: Fit | None = None

    def add(self, links: Integers, evidence: Integers) -> None:
        """Add what more pages say: the numbers of their links, and their new rows of evidence."""
        memory, table = self.memory, self.memory.links
        table["url"][links] = _term_sums(table, links, self.weights.urls)
        texts = _term_sums(memory.anchors, memory.evidence["anchor"][evidence], self.weights.anchors)
        rates = {name: memory.groups[name].table["rate"] for name in EVIDENCE_GROUPS}
        values, best = self._of_evidence(evidence, self.weights, rates)
        ids = memory.evidence["link"][evidence]
        found, n_rows = np.unique(ids, return_counts=True)
        table["group_top"][found[table["n_kept"][found] == n_rows]] = -np.inf  # links without earlier evidence
        np.add.at(table["group_sum"], ids, values + texts)
        np.maximum.at(table["group_top"], ids, best)

    def scores(self, links: Integers | slice) -> Floats:
        """Return the log-odds of links by number."""
        table, weights = self.memory.links, self.weights
        n = table["n_referrers"][links]
        total = weights.of("bias") + weights.of("referrers") * np.log1p(n.astype(float))
        # Not by a product of matrices: see `dot`.
        total += np.einsum("ij,j->i", table["sums"][links], weights.dense[1:9:2]) / np.maximum(n, 1)
        total += np.einsum("ij,j->i", table["tops"][links], weights.dense[2:9:2])
        for name in LINK_GROUPS:
            total += weights.of(name) * self.memory.groups[name].table["rate"][table[name][links]]
        total += table["group_sum"][links] / np.maximum(table["n_kept"][links], 1)
        total += weights.of("source best") * table["group_top"][links]
        found: Floats = total + table["url"][links]
        return found

    def refresh(self) -> None:
        """Compute the rates of all groups again, and what follows from them for each link."""
        finish(self.fit_in_steps(learns=False))

    def fit_in_steps(self, *, learns: bool = True) -> Generator[int, None, bool]:
        """Fit the model to the outcomes of links so far, in steps; return whether there was enough to learn from.

        Minimises the log-loss against the soft outcomes plus a quadratic penalty towards the prior weights, by L-BFGS from
        the last weights on. Between two steps pages may be added, nothing may be forgotten. Each step yields about how many
        rows of a table it has dealt with: a million take some 20 ms.
        """
        self.memory.append_only(True)
        values, training = self.outcomes_with_credit(), np.flatnonzero(self.is_learnt_from())
        rates = Rates(self.memory, values, mean_of_raised(self.memory), self.certainty)
        yield 4 * len(values)
        yield from rates.count()
        weights, has_learnt = self.weights, learns and len(training) > 1
        if has_learnt:
            weights = yield from self._learn_in_steps(training, values, rates)
        yield from self._computing(weights, rates.of_groups)
        self.memory.append_only(False)
        return has_learnt

    def outcomes_with_credit(self) -> Floats:
        """Return the outcome of each link, with credit for the pages it led to; NaN of links that have none.

        Where hardly any page is believed, outcomes are raised first (docs/method/, D104).
        """
        table = self.memory.links
        outcome = raised_outcomes(self.memory)
        if not self.credit or not len(outcome):
            return outcome
        done = np.flatnonzero(~np.isnan(outcome))
        found = done[(table["discoverer"][done] >= 0) & (table["discoverer"][done] != table["page"][done])]
        by, size = table["discoverer"][found], self.memory.n_pages + self.memory.n_sources
        mean = np.bincount(by, outcome[found], minlength=size) / (np.bincount(by, minlength=size) + 2.0)
        outcome[done] = 1 - (1 - outcome[done]) * (1 - self.credit * mean[table["page"][done]])
        return outcome

    def is_learnt_from(self) -> Bools:
        """Return which links are learnt from: those fetched last, and relevant ones from before."""
        outcome, n = self.memory.links["outcome"], self.memory.links["n_referrers"]
        done = np.flatnonzero(~np.isnan(outcome) & (n > 0))
        done = done[np.argsort(self.memory.links["page"][done], kind="stable")]
        earlier = done[: max(len(done) - _LATEST, 0)]
        is_one = np.zeros(len(outcome), dtype=np.bool_)
        is_one[done[len(earlier) :]] = True
        is_one[earlier[outcome[earlier] >= 0.5][-_RELEVANT:]] = True
        return is_one

    # --- Inside

    def _learn_in_steps(self, training: Integers, values: Floats, rates: Rates) -> Generator[int, None, Weights]:
        """Return new weights, fitted to the outcomes of some links."""
        dense, terms, columns = yield from training_matrix(self.memory, training, values, rates)
        both, n_dense = np.concatenate((self.weights.urls, self.weights.anchors)), len(self.weights.dense)
        prior, penalty = self.prior.of(columns)
        penalty[1:] /= self.certainty  # the bias stays free: how many links are relevant differs from crawl to crawl
        loss = Loss(dense, terms, values[training], prior, penalty)
        start = np.concatenate((self.weights.dense, both[columns]))
        cost = terms.nnz // 4 + 20 * len(training)
        yield 2 * cost
        descent = Steps(descend(loss, start, loss.curvature(start), max_iterations=_MAX_ITERATIONS))
        for _ in descent:
            yield cost
        found, _ = descent.result
        self.last = Fit(len(training), len(columns), *loss.means(found))
        both = self.prior.terms()  # terms that no outcome has say what they said before
        both[columns] = found[n_dense:]
        return Weights(found[:n_dense], both[:N_COLUMNS], both[N_COLUMNS:])

    def _computing(self, weights: Weights, rates: Mapping[str, Floats]) -> Generator[int, None, None]:
        """Compute what weights and rates say of each link, then use both; yields as `fit_in_steps` does."""
        memory, table = self.memory, self.memory.links
        texts = urls = sums = np.zeros(0)
        tops = np.zeros(0)
        for part in slices(0, memory.anchors.size):
            texts = np.concatenate((texts, _term_sums(memory.anchors, part, weights.anchors)))
            yield 4 * len(texts[part])
        for part in slices(0, table.size):
            urls = np.concatenate((urls, _term_sums(table, part, weights.urls)))
            yield 4 * len(urls[part])
        start = 0
        while True:
            # Pages may have come since the last step.
            texts = np.concatenate((texts, _term_sums(memory.anchors, slice(len(texts), None), weights.anchors)))
            urls = np.concatenate((urls, _term_sums(table, slice(len(urls), None), weights.urls)))
            sums = np.concatenate((sums, np.zeros(table.size - len(sums))))
            tops = np.concatenate((tops, np.full(table.size - len(tops), -np.inf)))
            part = next(slices(start, memory.evidence.size), slice(start, start))
            values, best = self._of_evidence(part, weights, rates)
            links = memory.evidence["link"][part]
            np.add.at(sums, links, values + texts[memory.evidence["anchor"][part]])
            np.maximum.at(tops, links, best)
            start = part.stop
            if start >= memory.evidence.size:
                break
            yield 6 * len(links)
        table["url"][:], table["group_sum"][:] = urls, sums
        table["group_top"][:] = np.where(np.isfinite(tops), tops, 0.0)
        for name, of_groups in rates.items():
            memory.groups[name].table["rate"][: len(of_groups)] = of_groups
        self.weights = weights

    def _of_evidence(
        self, rows: Integers | slice, weights: Weights, rates: Mapping[str, Floats]
    ) -> tuple[Floats, Floats]:
        """Return what rows of evidence add to the log-odds of their links, but for anchor texts; rates of their pages."""
        found = {name: _at(rates[name], self.memory.evidence[name][rows]) for name in EVIDENCE_GROUPS}
        total: Floats = sum((weights.of(name) * found[name] for name in EVIDENCE_GROUPS), np.zeros(1))
        return total, found["source"]


def _at(rates: Floats, groups: Integers) -> Floats:
    """Return the rates of groups; of those that are new, 0: that of the crawl."""
    if not len(rates):
        return np.zeros(len(groups))
    found: Floats = np.where(groups < len(rates), rates[np.minimum(groups, len(rates) - 1)], 0.0)
    return found


def _term_sums(table: GrowingTable, rows: Integers | slice, weights: Floats) -> Floats:
    """Return the products of rows of terms with weights; column 0, which stands for none, has weight 0."""
    found: Floats = weights[table["columns"][rows]].sum(axis=1) * LENGTH / np.sqrt(table["n_columns"][rows])
    return found
