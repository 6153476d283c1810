"""Which links lead to relevant pages: a logistic model of what is known of a link, fitted to what came of others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import expit

from focused.adaptation.link_features import N_COLUMNS, logit
from focused.adaptation.link_memory import OF_EVIDENCE, OF_LINKS

if TYPE_CHECKING:
    from focused.adaptation.link_memory import LinkMemory
    from focused.adaptation.link_rows import Rows

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

_OF_PAGES = [f"{kind} {what}" for kind in ("page", "block", "anchor", "context") for what in ("mean", "best")]
DENSE = ("bias", *_OF_PAGES, *OF_LINKS, *OF_EVIDENCE, "source best", "referrers")
"""The features that are not terms: logit relevances over the pages that link there, logit rates of the groups that a
link belongs to, and how many pages link there."""

# Where nothing has been learnt yet: the relevances count, in equal parts; rates, once there are any, nearly as much.
_PRIOR = np.array(
    [0.25 if name.endswith(" mean") else 0.3 if name in (*OF_LINKS, *OF_EVIDENCE) else 0.0 for name in DENSE]
)
_PENALTY = np.array([0.01] + [1.0] * (len(DENSE) - 1))
_SPARSE_PENALTY = 3.0
_LENGTH = 2.0
"""Of the vector of a URL's terms, or of an anchor text's."""
_PRIOR_OUTCOMES = 3.0
_MAX_ITERATIONS = 30
_LATEST, _RELEVANT = 5_000, 1_000


@dataclass(frozen=True, slots=True)
class Fit:
    """What the last fit was made from, and how well it describes that."""

    n_outcomes: int
    n_terms: int
    n_iterations: int
    #: Mean log-loss over the outcomes it was fitted to, in nats; and of the crawl's mean outcome.
    loss: float
    loss_of_mean: float


class LinkModel:
    """Scores links; fitted again and again while the crawl goes on.

    Between two fits the rates of groups stay as they were at the last; what is new of a link is added at once.

    Parameters
    ----------
    memory : LinkMemory
    credit : float
        In [0, 1]: what of the outcomes of the links found on a page counts as the outcome of the link to it.
    """

    def __init__(self, memory: LinkMemory, credit: float = 0.0) -> None:
        self.memory = memory
        self.credit = credit
        self._dense = _PRIOR.copy()
        self._urls = np.zeros(N_COLUMNS)
        self._anchors = np.zeros(N_COLUMNS)
        self._rates = {name: np.zeros(0) for name in (*OF_EVIDENCE, *OF_LINKS)}
        self.last: Fit | None = None

    def weight(self, name: str) -> float:
        """Return the weight of one of the ``DENSE`` features."""
        return float(self._dense[DENSE.index(name)])

    def add(self, links: Integers, evidence: slice) -> None:
        """Take in what one more page says: of links (numbers), in new rows of evidence."""
        table = self.memory.links
        table["url"][links] = _term_sums(table, links, self._urls)
        rows = {name: column[evidence] for name, column in self._evidence().items()}
        values, best = self._of_evidence(rows)
        ids = rows["link"]  # each once
        is_first = table["n_kept"][ids] == 1
        table["group_sum"][ids] += values
        table["group_top"][ids] = np.where(is_first, best, np.maximum(table["group_top"][ids], best))

    def scores(self, links: Integers | slice) -> Floats:
        """Return the log-odds of links by number."""
        table, weight = self.memory.links, dict(zip(DENSE, self._dense.tolist(), strict=True))
        n = table["n_referrers"][links].astype(float)
        n_pages, n_kept = np.maximum(n, 1), np.maximum(table["n_kept"][links], 1)
        total = weight["bias"] + weight["referrers"] * np.log1p(n)
        total += table["sums"][links] @ self._dense[1:9:2] / n_pages + table["tops"][links] @ self._dense[2:9:2]
        for name in OF_LINKS:
            total += weight[name] * _at(self._rates[name], table[name][links])
        total += table["group_sum"][links] / n_kept + weight["source best"] * table["group_top"][links]
        found: Floats = total + table["url"][links]
        return found

    def refresh(self) -> None:
        """Compute the rates of all groups anew, and what follows from them for each link."""
        self._count()
        self._recompute()

    def fit(self) -> bool:
        """Fit the model to what came of links; return whether there was enough to learn from.

        Minimises the log-loss against the soft outcomes plus a quadratic penalty towards the prior weights, by L-BFGS
        from the last weights on.
        """
        self._count()
        training = np.flatnonzero(self.is_learnt_from())
        has_learnt = len(training) > 1
        if has_learnt:
            self._fit(training)
        self._recompute()
        return has_learnt

    def values(self) -> Floats:
        """Return the outcome of each link, with credit for what it led to; NaN of those that have none."""
        table = self.memory.links
        outcome: Floats = table["outcome"].copy()
        if not self.credit or not len(outcome):
            return outcome
        done = np.flatnonzero(~np.isnan(outcome))
        found = done[(table["discoverer"][done] >= 0) & (table["discoverer"][done] != table["page"][done])]
        by, size = table["discoverer"][found], self.memory.n_pages
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

    # --- Rates

    def _count(self) -> None:
        """Sum up outcomes by group."""
        memory, table = self.memory, self.memory.links
        self._values = self.values()
        self._mean = (memory.relevance + 0.5) / (memory.n_pages + 1)
        done = ~np.isnan(self._values) & (table["n_referrers"] > 0)
        rows = np.flatnonzero(done[memory.evidence["link"]])
        of_rows = self._values[memory.evidence["link"][rows]]
        self._sums: dict[str, tuple[Floats, Floats]] = {}
        for name in (*OF_EVIDENCE, *OF_LINKS):
            of_links = name in OF_LINKS
            groups = table[name][done] if of_links else memory.evidence[name][rows]
            self._sums[name] = memory.sums(name, groups, self._values[done] if of_links else of_rows)
            self._rates[name] = self._rate(*self._sums[name])

    def _rate(self, sums: Floats, counts: Floats) -> Floats:
        """Return how the logit of a group's rate, drawn towards the crawl's, differs from the crawl's."""
        rate = (sums + _PRIOR_OUTCOMES * self._mean) / (counts + _PRIOR_OUTCOMES)
        return logit(rate) - logit(self._mean)

    # --- Scores

    def _evidence(self) -> dict[str, Integers]:
        return {name: self.memory.evidence[name] for name in ("link", *OF_EVIDENCE)}

    def _of_evidence(self, rows: dict[str, Integers]) -> tuple[Floats, Floats]:
        """Return what rows of evidence add to the log-odds of their links, and the rates of their pages."""
        sources = _at(self._rates["source"], rows["source"])
        total = self.weight("source") * sources
        for name in OF_EVIDENCE[1:]:
            total = total + self.weight(name) * _at(self._rates[name], rows[name])
        anchors = self.memory.anchors
        if len(rows["anchor"]) < len(anchors):
            texts = _term_sums(anchors, rows["anchor"], self._anchors)
        else:  # each text once
            texts = _term_sums(anchors, slice(None), self._anchors)[rows["anchor"]]
        return total + texts, sources

    def _recompute(self) -> None:
        table, rows = self.memory.links, self._evidence()
        values, best = self._of_evidence(rows)
        n_links = len(table)
        table["url"][:] = _term_sums(table, slice(None), self._urls)
        table["group_sum"][:] = np.bincount(rows["link"], values, minlength=n_links)
        top = np.full(n_links, -np.inf)
        np.maximum.at(top, rows["link"], best)
        table["group_top"][:] = np.where(np.isfinite(top), top, 0.0)

    # --- Fit

    def _fit(self, training: Integers) -> None:
        dense, terms, columns = self._matrix(training)
        y = self._values[training]
        n_dense = len(DENSE)
        transposed = terms.T.tocsr()
        prior = np.concatenate((_PRIOR, np.zeros(len(columns))))
        penalty = np.concatenate((_PENALTY, np.full(len(columns), _SPARSE_PENALTY)))
        both = np.concatenate((self._urls, self._anchors))

        def loss(weights: Floats) -> tuple[float, Floats]:
            z = dense @ weights[:n_dense] + terms @ weights[n_dense:]
            error, off = expit(z) - y, weights - prior
            value = (np.logaddexp(0, z) - y * z).sum() + (penalty * off * off).sum() / 2
            return float(value), np.concatenate((error @ dense, transposed @ error)) + penalty * off

        start = np.concatenate((self._dense, both[columns]))
        options = {"maxiter": _MAX_ITERATIONS, "maxcor": 10, "ftol": 1e-5}
        result = minimize(loss, start, jac=True, method="L-BFGS-B", options=options)
        self._dense = result.x[:n_dense]
        both[:] = 0.0  # terms that no outcome has say nothing
        both[columns] = result.x[n_dense:]
        self._urls, self._anchors = both[:N_COLUMNS].copy(), both[N_COLUMNS:].copy()
        z, mean = dense @ self._dense + terms @ result.x[n_dense:], float(np.clip(y.mean(), 1e-6, 1 - 1e-6))
        self.last = Fit(
            n_outcomes=len(y),
            n_terms=len(columns),
            n_iterations=int(result.nit),
            loss=float((np.logaddexp(0, z) - y * z).mean()),
            loss_of_mean=float(-(y * np.log(mean) + (1 - y) * np.log(1 - mean)).mean()),
        )

    def _matrix(self, links: Integers) -> tuple[Floats, sparse.csr_matrix, Integers]:
        """Return the features of fetched links, their own outcomes left out of the rates: dense ones, terms, columns."""
        table, evidence, n = self.memory.links, self.memory.evidence, len(links)
        place = np.full(len(table), -1, dtype=np.int64)
        place[links] = np.arange(n)
        rows = np.flatnonzero(place[evidence["link"]] >= 0)
        at = place[evidence["link"][rows]]
        own, n_kept = self._values[links], np.maximum(table["n_kept"][links], 1)
        n_pages = table["n_referrers"][links].astype(float)
        features = {"bias": np.ones(n), "referrers": np.log1p(n_pages)}
        for number, kind in enumerate(("page", "block", "anchor", "context")):
            features[f"{kind} mean"] = table["sums"][links, number] / n_pages
            features[f"{kind} best"] = table["tops"][links, number].astype(float)
        for name in OF_LINKS:
            sums, counts = self._sums[name]
            groups = table[name][links]
            features[name] = self._rate(sums[groups] - own, counts[groups] - 1)
        for name in OF_EVIDENCE:
            sums, counts = self._sums[name]
            groups = evidence[name][rows]
            rates = self._rate(sums[groups] - own[at], counts[groups] - 1)
            features[name] = np.bincount(at, rates, minlength=n) / n_kept
            if name == "source":
                best = np.full(n, -np.inf)
                np.maximum.at(best, at, rates)
                features["source best"] = np.where(np.isfinite(best), best, 0.0)
        dense = np.column_stack([features[name] for name in DENSE])
        return (dense, *self._terms(links, at, evidence["anchor"][rows], n_kept))

    def _terms(
        self, links: Integers, at: Integers, anchors: Integers, n_kept: Integers
    ) -> tuple[sparse.csr_matrix, Integers]:
        """Return the terms of URLs, and those of anchor texts averaged over pages, in the columns that are used."""
        table, texts = self.memory.links, self.memory.anchors
        urls = table["columns"][links]
        url_values = np.repeat(_LENGTH / np.sqrt(table["n_columns"][links]), urls.shape[1])
        # Most of a link's anchor texts are the same on all pages.
        pairs, n_same = np.unique(at * np.int64(len(texts)) + anchors, return_counts=True)
        pair_rows, pair_texts = np.divmod(pairs, max(len(texts), 1))
        columns = texts["columns"][pair_texts]
        values = n_same / n_kept[pair_rows] * _LENGTH / np.sqrt(texts["n_columns"][pair_texts])
        every_row = np.concatenate(
            (np.repeat(np.arange(len(links)), urls.shape[1]), np.repeat(pair_rows, columns.shape[1]))
        )
        every_column = np.concatenate((urls.ravel(), columns.ravel() + N_COLUMNS * (columns.ravel() > 0)))
        every_value = np.concatenate((url_values, np.repeat(values, columns.shape[1])))
        is_term = every_column > 0
        used, place = np.unique(every_column[is_term], return_inverse=True)
        shape = (len(links), len(used))
        matrix = sparse.coo_matrix((every_value[is_term], (every_row[is_term], place)), shape=shape).tocsr()
        return matrix, used.astype(np.int64)


def _at(rates: Floats, groups: Integers) -> Floats:
    """Return the rates of groups; of those that are new, 0: that of the crawl."""
    if not len(rates):
        return np.zeros(len(groups))
    found: Floats = np.where(groups < len(rates), rates[np.minimum(groups, len(rates) - 1)], 0.0)
    return found


def _term_sums(table: Rows, rows: Integers | slice, weights: Floats) -> Floats:
    """Return the products of rows of terms with weights; column 0, which stands for none, has weight 0."""
    found: Floats = weights[table["columns"][rows]].sum(axis=1) * _LENGTH / np.sqrt(table["n_columns"][rows])
    return found
