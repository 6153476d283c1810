"""Fit a topic made from words to the web that it is crawled on, by what stands beside the words there (docs/method/, D75)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from focused.method.learning.assumed_relevance import PRIOR
from focused.method.learning.keywords import SHARE, keyword_direction
from focused.method.learning.trained_model import KeywordFigures, TrainedModel, strongest_terms
from focused.method.learning.word_classes import word_classes
from focused.method.text.vocabulary import canonical, document_frequencies
from focused.method.text.weighting import inverse_document_frequency, weighted_rows

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from focused.method.learning.model import TopicModel

Floats = np.ndarray[Any, np.dtype[np.float64]]


def fit_keywords(model: TopicModel, term_columns: ArrayLike, counts: Any, columns: ArrayLike) -> TrainedModel:
    """Return a model from words that knows pages of a web as well.

    Its direction is the sum of two, which count alike: the former model's, and that of the words in these pages
    (`keyword_direction`). In both a word counts by what it tells of the pages (`word_classes`; docs/method/, D100): one that
    stands everywhere, or with none of the others, says little of the topic.

    Both are told in the weights of these pages, for what is frequent on a web says nothing there. The
    decisions on these pages keep their mean and their spread, so the former calibrations hold: what was assumed of the share
    of relevant pages still is.

    Parameters
    ----------
    model : TopicModel
        The former model, with n_terms terms.
    term_columns : array-like of shape (n_terms,)
        The columns of its terms.
    counts : sparse matrix of shape (n_pages, n_columns)
        Term counts of pages of the web.
    columns : array-like of shape (n_keywords,)
        The columns of the words.
    """
    met, words = canonical(counts), np.unique(np.asarray(columns, dtype=np.int64))
    own = np.asarray(term_columns, dtype=np.int64)
    n_pages, n_columns = met.shape
    frequencies = document_frequencies(met)
    weights = word_classes((met[:, words] > 0).toarray()).weights
    told = np.zeros(n_columns)
    told[own] = model.coef * model.term_weights
    told[words] *= weights
    terms = np.flatnonzero((frequencies > 0) | (told != 0) | np.isin(np.arange(n_columns), words))
    # What no page of the web holds weighs as what one does.
    idf = inverse_document_frequency(np.maximum(frequencies[terms], 1), n_pages)
    rows = weighted_rows(met[:, terms], idf, sublinear=True)
    former = np.divide(told[terms], idf, out=np.zeros(len(terms)), where=idf > 0)
    beside = keyword_direction(rows, idf, np.searchsorted(terms, words), weights=weights)
    coef = scale_to_unit_deviation(former, rows @ former) + scale_to_unit_deviation(beside, rows @ beside)
    before = weighted_rows(met[:, own], model.term_weights, sublinear=model.sublinear_tf) @ model.coef + model.intercept
    coef, intercept = _as_before(coef, np.asarray(rows @ coef), np.asarray(before))
    n_with_words = int((np.diff(met[:, words].indptr) > 0).sum())
    positive_terms, negative_terms = strongest_terms(terms, coef)
    return TrainedModel(
        learner="keywords",
        sublinear_tf=True,
        n_columns=n_columns,
        term_indices=terms,
        term_weights=idf,
        coef=coef,
        intercept=intercept,
        topic_vector=coef / max(float(np.linalg.norm(coef)), 1e-300),
        calibrations=model.calibrations,
        positive_terms=positive_terms,
        negative_terms=negative_terms,
        figures=KeywordFigures(n_pages, n_with_words, len(terms), 0, PRIOR, SHARE["background"]),
    )


def scale_to_unit_deviation(direction: Floats, decisions: Floats) -> Floats:
    """Return a direction whose decisions have the standard deviation 1, or as it is if they do not differ."""
    spread = float(np.std(decisions))
    return direction / spread if spread > 0 else direction


def _as_before(coef: Floats, decisions: Floats, before: Floats) -> tuple[NDArray[np.float64], float]:
    """Return coefficients and intercept whose decisions have the mean and the spread of others on the same pages."""
    spread, wanted = float(np.std(decisions)), float(np.std(before))
    scale = wanted / spread if spread > 0 and wanted > 0 else 1.0
    return coef * scale, float(np.mean(before) - scale * np.mean(decisions))
