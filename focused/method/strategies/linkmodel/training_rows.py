"""What the model of links is fitted to: features of fetched links, and the loss over them; slice by slice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import expit

from focused.method.strategies.linkmodel.features import N_COLUMNS, logit
from focused.method.strategies.linkmodel.groups import PRIOR_OUTCOMES
from focused.method.strategies.linkmodel.memory import OF_EVIDENCE, OF_LINKS

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from focused.method.strategies.linkmodel.memory import LinkMemory

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

_OF_PAGES = [f"{kind} {what}" for kind in ("page", "block", "anchor", "context") for what in ("mean", "best")]
DENSE = ("bias", *_OF_PAGES, *OF_LINKS, *OF_EVIDENCE, "source best", "referrers")
"""The features that are not terms: logit relevances over the pages that link there, logit rates of the groups that a
link belongs to, and how many pages link there."""

LENGTH = 2.0
"""Of the vector of a URL's terms, or of an anchor text's."""
LINKS_AT_A_TIME = 250
ROWS_AT_A_TIME = 2**15


def slices(start: int, stop: int) -> Iterator[slice]:
    """Yield slices of some ten thousand rows."""
    for first in range(start, stop, ROWS_AT_A_TIME):
        yield slice(first, min(first + ROWS_AT_A_TIME, stop))


class Rates:
    """How often links of each group led to relevant pages.

    Parameters
    ----------
    memory : LinkMemory
        It must be held while this is in use.
    values : ndarray of shape (n_links,)
        Outcomes; NaN of links without.
    """

    def __init__(self, memory: LinkMemory, values: Floats) -> None:
        self._memory = memory
        self._values = values
        self._mean = (memory.relevance + 0.5) / (memory.n_pages + 1)
        self.n_rows = memory.evidence.size
        #: Of each kind of group: sums and numbers of outcomes.
        self._sums: dict[str, tuple[Floats, Floats]] = {}
        #: Of each kind of group: by how much the logit of its rate differs from the crawl's.
        self.of_groups: dict[str, Floats] = {}

    def count(self) -> Iterator[int]:
        """Sum up outcomes by group; yields the number of rows that a step has dealt with."""
        memory, values = self._memory, self._values
        for name, groups in memory.groups.items():
            early, count = groups.table["early_rate"], groups.table["early_count"]
            sums = groups.table["past_sum"] + count * expit(early + logit(self._mean))
            self._sums[name] = sums, groups.table["past_count"] + count
        done = ~np.isnan(values) & (memory.links["n_referrers"][: len(values)] > 0)
        numbers = np.flatnonzero(done)
        for name in OF_LINKS:
            self._add(name, memory.links[name][numbers], values[numbers])
        yield len(values)
        for part in slices(0, self.n_rows):
            links = memory.evidence["link"][part]
            rows = np.flatnonzero(done[links])
            of_rows = values[links[rows]]
            for name in OF_EVIDENCE:
                self._add(name, memory.evidence[name][part][rows], of_rows)
            yield 4 * len(rows) + len(links)
        for name, (sums, counts) in self._sums.items():
            self.of_groups[name] = self.rate(sums, counts)
            yield len(sums)

    def _add(self, name: str, groups: Integers, values: Floats) -> None:
        sums, counts = self._sums[name]
        np.add.at(sums, groups, values)
        np.add.at(counts, groups, 1.0)

    def rate(self, sums: Floats, counts: Floats) -> Floats:
        """Return how the logit of a group's rate, drawn towards the crawl's, differs from the crawl's."""
        rate = (sums + PRIOR_OUTCOMES * self._mean) / (counts + PRIOR_OUTCOMES)
        return logit(rate) - logit(self._mean)

    def known(self, name: str) -> tuple[Floats, Floats]:
        """Return, of each group of a kind, by how much the logit of its plain rate differs, and its number of outcomes."""
        sums, counts = self._sums[name]
        plain = np.divide(sums, counts, out=np.full(len(sums), self._mean), where=counts > 0)
        return logit(plain) - logit(self._mean), counts

    def without(self, name: str, groups: Integers, own: Floats) -> Floats:
        """Return the rates of groups without one outcome each."""
        sums, counts = self._sums[name]
        return self.rate(sums[groups] - own, counts[groups] - 1)


def training_matrix(
    memory: LinkMemory, links: Integers, values: Floats, rates: Rates
) -> Generator[int, None, tuple[Floats, sparse.csr_matrix, Integers]]:
    """Return the features of fetched links, their own outcomes left out of the rates.

    Parameters
    ----------
    memory : LinkMemory
    links : ndarray of shape (n_outcomes,)
        Less than 65,536.
    values : ndarray of shape (n_links,)
        Outcomes of all links.
    rates : Rates

    Yields
    ------
    int
        Rows that a step has dealt with.

    Returns
    -------
    dense : ndarray of shape (n_outcomes, n_dense)
    terms : csr_matrix of shape (n_outcomes, n_terms)
        Terms of URLs, and those of anchor texts averaged over pages; some entries in parts, which add up.
    columns : ndarray of shape (n_terms,)
        Which terms these are.
    """
    n = len(links)
    place = np.full(memory.links.size, n)
    place[links] = np.arange(n)
    at = place[memory.evidence["link"][: rates.n_rows]]
    rows = np.flatnonzero(at < n)
    order = np.argsort(at[rows].astype(np.uint16), kind="stable")  # by counting: of wider numbers ten times as long
    rows = rows[order]
    at = at[rows]
    yield rates.n_rows + 4 * len(rows)
    dense, terms = [], list[tuple[Floats, Integers, Integers]]()
    for first in range(0, n, LINKS_AT_A_TIME):
        some = links[first : first + LINKS_AT_A_TIME]
        start, stop = np.searchsorted(at, (first, first + len(some)))
        found = _features(memory, some, rows[start:stop], at[start:stop] - first, values, rates)
        dense.append(found[0])
        terms.append(found[1])
        yield 20 * (len(some) + int(stop - start))
    values, indices, lengths = (np.concatenate(parts) for parts in zip(*terms, strict=True))
    yield len(indices) // 4
    columns = np.flatnonzero(np.bincount(indices, minlength=2 * N_COLUMNS))
    numbers = np.zeros(2 * N_COLUMNS, dtype=np.int32)
    numbers[columns] = np.arange(len(columns))
    ends = np.concatenate(([0], np.cumsum(lengths))).astype(np.int32)
    matrix = sparse.csr_matrix((values, numbers[indices], ends), shape=(n, len(columns)))
    yield len(indices) // 4
    return np.concatenate(dense), matrix, columns


def _features(
    memory: LinkMemory, links: Integers, rows: Integers, at: Integers, values: Floats, rates: Rates
) -> tuple[Floats, tuple[Floats, Integers, Integers]]:
    """Return dense features and terms of some links: rows of evidence, each of the link with number ``at``."""
    table, evidence, n = memory.links, memory.evidence, len(links)
    own, n_rows = values[links], np.maximum(np.bincount(at, minlength=n), 1)
    n_pages = table["n_referrers"][links].astype(float)
    features = {"bias": np.ones(n), "referrers": np.log1p(n_pages)}
    for number, kind in enumerate(("page", "block", "anchor", "context")):
        features[f"{kind} mean"] = table["sums"][links, number] / n_pages
        features[f"{kind} best"] = table["tops"][links, number].astype(float)
    for name in OF_LINKS:
        features[name] = rates.without(name, table[name][links], own)
    for name in OF_EVIDENCE:
        found = rates.without(name, evidence[name][rows], own[at])
        features[name] = np.bincount(at, found, minlength=n) / n_rows
        if name == "source":
            best = np.full(n, -np.inf)
            np.maximum.at(best, at, found)
            features["source best"] = np.where(np.isfinite(best), best, 0.0)
    dense = np.column_stack([features[name] for name in DENSE])
    return dense, _terms(memory, links, at, evidence["anchor"][rows], n_rows)


def _terms(
    memory: LinkMemory, links: Integers, at: Integers, anchors: Integers, n_rows: Integers
) -> tuple[Floats, Integers, Integers]:
    """Return the terms of URLs and those of anchor texts averaged over pages: values, columns, numbers of each link.

    A term of two anchor texts has two values, which together count for it.
    """
    table, texts = memory.links, memory.anchors
    # Most of a link's anchor texts are the same on all pages.
    pairs, n_same = np.unique(at * np.int64(texts.size) + anchors, return_counts=True)
    pair_rows, pair_texts = np.divmod(pairs, max(texts.size, 1))
    of_urls, of_texts = table["columns"][links], texts["columns"][pair_texts]
    is_url, is_text = of_urls > 0, of_texts > 0
    url_lengths, text_lengths = is_url.sum(axis=1), is_text.sum(axis=1)
    values = n_same / n_rows[pair_rows] * LENGTH / np.sqrt(texts["n_columns"][pair_texts])
    rows = np.concatenate((np.repeat(np.arange(len(links)), url_lengths), np.repeat(pair_rows, text_lengths)))
    columns = np.concatenate((of_urls[is_url], of_texts[is_text] + N_COLUMNS))
    every = np.concatenate(
        (np.repeat(LENGTH / np.sqrt(table["n_columns"][links]), url_lengths), np.repeat(values, text_lengths))
    )
    order = np.argsort(rows.astype(np.uint16), kind="stable")  # by counting
    return every[order], columns[order], np.bincount(rows, minlength=len(links))


class Loss:
    """Log-loss against soft outcomes, plus a quadratic penalty towards the prior weights.

    Parameters
    ----------
    dense : ndarray of shape (n_outcomes, n_dense)
    terms : csr_matrix of shape (n_outcomes, n_terms)
    outcomes : ndarray of shape (n_outcomes,)
        In [0, 1].
    prior, penalty : ndarray of shape (n_dense + n_terms,)
    """

    def __init__(
        self, dense: Floats, terms: sparse.csr_matrix, outcomes: Floats, prior: Floats, penalty: Floats
    ) -> None:
        # By column: sums without a linear algebra library, whose threads would wait for work while others need the processor.
        self._dense = np.ascontiguousarray(dense.T)
        self._terms = terms
        self._transposed = terms.T.tocsr()
        self._outcomes = outcomes
        self._prior = prior
        self._penalty = penalty

    def log_odds(self, weights: Floats) -> Floats:
        """Return the log-odds of all outcomes."""
        n_dense = len(self._dense)
        found: Floats = np.einsum("ji,j->i", self._dense, weights[:n_dense]) + self._terms @ weights[n_dense:]
        return found

    def __call__(self, weights: Floats) -> tuple[float, Floats]:
        """Return the loss and its gradient."""
        z, y = self.log_odds(weights), self._outcomes
        error, off = expit(z) - y, weights - self._prior
        towards = self._penalty * off
        value = (np.logaddexp(0, z) - y * z).sum() + (towards * off).sum() / 2
        gradient: Floats = self._over_outcomes(self._dense, self._transposed, error) + towards
        return float(value), gradient

    def curvature(self, weights: Floats) -> Floats:
        """Return the second derivative by each weight."""
        p = expit(self.log_odds(weights))
        squares = sparse.csr_matrix(
            (self._transposed.data**2, self._transposed.indices, self._transposed.indptr), self._transposed.shape
        )
        found: Floats = self._over_outcomes(self._dense**2, squares, p * (1 - p)) + self._penalty
        return found

    def _over_outcomes(self, dense: Floats, terms: sparse.csr_matrix, values: Floats) -> Floats:
        return np.concatenate((np.einsum("ji,i->j", dense, values), terms @ values))

    def means(self, weights: Floats) -> tuple[float, float]:
        """Return the mean log-loss in nats, without penalty; and that of the mean outcome."""
        z, y = self.log_odds(weights), self._outcomes
        mean = float(np.clip(y.mean(), 1e-6, 1 - 1e-6))
        of_mean = -(y * np.log(mean) + (1 - y) * np.log(1 - mean)).mean()
        return float((np.logaddexp(0, z) - y * z).mean()), float(of_mean)
