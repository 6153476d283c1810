"""What the model of links is fitted to: the features of fetched links, computed slice by slice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from focused.method.page.url_features import N_COLUMNS
from focused.method.strategies.linkmodel.memory_tables import EVIDENCE_GROUPS, LINK_GROUPS

if TYPE_CHECKING:
    from collections.abc import Generator

    from scipy import sparse

    from focused.method.strategies.linkmodel.memory import LinkMemory
    from focused.method.strategies.linkmodel.rates import Rates

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

_OF_PAGES = [f"{kind} {what}" for kind in ("page", "block", "anchor", "context") for what in ("mean", "best")]
DENSE = ("bias", *_OF_PAGES, *LINK_GROUPS, *EVIDENCE_GROUPS, "source best", "referrers")
"""The features that are not terms: logit relevances over the pages that link there, logit rates of the groups that a
link belongs to, and how many pages link there."""

LENGTH = 2.0
"""Of the vector of a URL's terms, or of an anchor text's."""
LINKS_AT_A_TIME = 250


def training_matrix(
    memory: LinkMemory, links: Integers, values: Floats, rates: Rates
) -> Generator[int, None, tuple[Floats, sparse.csr_matrix, Integers]]:
    """Return the features of fetched links, their own outcomes left out of the rates; yields rows that a step has dealt with.

    There are less than 65,536 links; `values` are the outcomes of all links. Returns the dense features, shape (n_outcomes,
    n_dense); a CSR matrix of shape (n_outcomes, n_terms) of the terms of URLs, and those of anchor texts averaged over pages,
    some entries in parts, which add up; and which terms these are, shape (n_terms,).
    """
    # Not at the top: loading it takes 35 ms, and crawls with other strategies do not need it.
    from scipy import sparse

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
    for name in LINK_GROUPS:
        features[name] = rates.leave_one_out(name, table[name][links], own)
    for name in EVIDENCE_GROUPS:
        found = rates.leave_one_out(name, evidence[name][rows], own[at])
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
