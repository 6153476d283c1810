"""Mutual information, information gain and ITFIDF of terms [L16, Sect. 3]."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from focused.method.text.vocabulary import canonical, document_frequencies
from focused.method.text.weighting import weighted_rows

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from scipy import sparse


def mutual_information(counts: Any, positive: ArrayLike) -> NDArray[np.float64]:
    """Return for each term the larger of its mutual informations with the two classes [L16, eq. 2].

    MI(t, C) = ln(p(t, C) / (p(t) p(C))); probabilities are shares of documents. The larger of the two is never negative. It
    is 0 if the term is equally common in both classes, and -infinity if no document holds the term.

    ``counts`` of shape (n_documents, n_terms): term counts or frequencies. ``positive`` of shape (n_documents,): True for one
    class, False for the other; both must have documents. The result is of shape (n_terms,).
    """
    rows = canonical(counts)
    is_positive = np.asarray(positive, dtype=bool)
    held = document_frequencies(rows)
    largest = np.full(rows.shape[1], -np.inf)
    for members in (is_positive, ~is_positive):
        n_members = int(members.sum())
        if not n_members:
            raise ValueError("Mutual information must have documents of both classes. One class has none.")
        in_class = document_frequencies(rows[members])
        some = in_class > 0
        ratio = in_class[some] * len(is_positive) / (held[some] * n_members)
        largest[some] = np.maximum(largest[some], np.log(ratio))
    return largest


def information_gain(frequencies: Any) -> NDArray[np.float64]:
    """Return IG = H(D) - H(D|t) of each term, in bits [L16, eq. 5-8].

    IG is the information that a word's being t gives about the word's document. H(D) is the entropy of the documents'
    lengths, p(d) = |d| / sum |d| (our reading of eq. 8, which is lost), and H(D|t) that of the term's occurrences, p(d|t) =
    tf_dt / sum_s tf_st. A term of one document has IG = H(D), a term distributed like the lengths 0. A term distributed more
    evenly would have a negative gain and gets 0, because a negative weight makes no probability (docs/method/, D12); so is a
    term that no document holds.

    ``frequencies`` of shape (n_documents, n_terms): weighted by section or not. The result is of shape (n_terms,).
    """
    rows = canonical(frequencies)
    lengths = np.asarray(rows.sum(axis=1)).ravel()
    totals = np.bincount(rows.indices, weights=rows.data, minlength=rows.shape[1])
    # With p = f / F, sum p log p = (sum f log f) / F - log F: this needs no quotient for each entry.
    of_entries = np.bincount(rows.indices, weights=_x_log_x(rows.data), minlength=rows.shape[1])
    held = totals > 0
    gain = np.zeros(rows.shape[1])
    gain[held] = _entropy(lengths) + of_entries[held] / totals[held] - np.log2(totals[held])
    return np.maximum(gain, 0.0)


def itfidf(frequencies: Any, idf: ArrayLike, gain: ArrayLike, *, sublinear: bool = False) -> sparse.csr_matrix:
    """Return w = tf idf IG / sqrt(sum (tf idf)^2): tfc rows times the information gain [L16, eq. 4].

    As printed, the normalisation leaves IG out, so the rows are not of length 1. ``frequencies`` of shape (n_documents,
    n_terms): tf, e.g. from `research.fields.field_frequencies`. ``idf`` and ``gain`` of shape (n_terms,): ln(N/n_i), and IG
    from `information_gain`; a gain of 1 for each term gives TFIDF. ``sublinear``: use 1 + ln tf in place of tf (docs/method/,
    D7).
    """
    rows = weighted_rows(frequencies, idf, sublinear=sublinear)
    rows.data *= np.asarray(gain, dtype=np.float64)[rows.indices]
    return rows


def _entropy(masses: NDArray[np.float64]) -> float:
    total = float(masses.sum())
    return float(np.log2(total) - _x_log_x(masses).sum() / total) if total else 0.0


def _x_log_x(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(values * np.log2(np.where(values > 0, values, 1.0)), dtype=np.float64)
