"""Judges texts that are there as term counts by a topic's model: examples, and pages that a crawl has written down."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from scipy import sparse

    from focused.method.topic.topic import Topic


def relevance_of_counts(
    topic: Topic, terms: Sequence[str], counts: sparse.csr_matrix, kind: str
) -> npt.NDArray[np.float64]:
    """Return the relevance of texts by their term counts, shape (n_texts,), in [0, 1].

    ``terms``: the term of each column; those that the topic does not know say nothing. ``counts`` of shape (n_texts,
    n_terms). ``kind``: what the texts are, of ``focused.method.page.text_units.KINDS``.
    """
    # Not before: most crawls ask for none of it, and should not wait half a second for scikit-learn.
    from scipy import sparse

    from focused.method.text.weighting import weighted_rows

    column_of = {term: column for column, term in enumerate(topic.terms)}
    column = np.array([column_of.get(term, -1) for term in terms], dtype=np.int64)
    is_known = column >= 0
    known = counts[:, np.flatnonzero(is_known)]
    shape = (known.shape[0], len(topic.terms))
    moved = sparse.csr_matrix((known.data, column[is_known][known.indices], known.indptr), shape=shape)
    model = topic.model
    weighted = weighted_rows(moved, model.term_weights, sublinear=model.sublinear_tf)
    return model.relevance(kind, weighted @ model.coef + model.intercept, np.diff(weighted.indptr))


def relevance_of_texts(topic: Topic, texts: Sequence[Mapping[str, int]], kind: str) -> npt.NDArray[np.float64]:
    """Return the same for texts that each have their own counts by term."""
    from scipy import sparse

    column_of: dict[str, int] = {}
    columns = [column_of.setdefault(term, len(column_of)) for text in texts for term in text]
    counts = [float(n) for text in texts for n in text.values()]
    starts = np.cumsum([0, *map(len, texts)])
    rows = sparse.csr_matrix((counts, columns, starts), shape=(len(texts), len(column_of)))
    return relevance_of_counts(topic, list(column_of), rows, kind)


def contributions(topic: Topic, counts: Mapping[str, int]) -> dict[str, float]:
    """Return what each known term of a text adds to the classifier's decision; with the intercept they sum to it.

    The contribution of term j is tf_j idf_j coef_j / ||tf idf||; tf is the count or, where the topic says so, 1 + its
    logarithm.
    """
    model, column_of = topic.model, {term: column for column, term in enumerate(topic.terms)}
    known = [(term, column_of[term], count) for term, count in counts.items() if term in column_of]
    tf = [1 + math.log(count) if model.sublinear_tf else count for _, _, count in known]
    weight = [n * float(model.term_weights[column]) for n, (_, column, _) in zip(tf, known, strict=True)]
    norm = math.sqrt(math.fsum(each**2 for each in weight)) or 1.0
    return {
        term: each * float(model.coef[column]) / norm for each, (term, column, _) in zip(weight, known, strict=True)
    }
