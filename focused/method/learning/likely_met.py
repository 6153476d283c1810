"""Fit a topic whose examples come from other sites to the web that it is crawled on (docs/method/, D94)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from scipy import sparse
from scipy.special import expit, logit

from focused.method.learning.calibration import Calibration, CalibrationExamples, fit_line, no_calibration
from focused.method.learning.held_out import Units, short_texts
from focused.method.learning.keywords import N_STRONGEST, PRIOR
from focused.method.learning.keywords_met import spread_alike
from focused.method.learning.learners import make_learner
from focused.method.learning.trained_model import KeywordFigures, TrainedModel
from focused.method.learning.unit_calibration import calibrate_links, calibrate_pages
from focused.method.text.vocabulary import canonical, document_frequencies
from focused.method.text.weighting import inverse_document_frequency, weighted_rows

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from focused.method.learning.estimators.base import LinearCountClassifier
    from focused.method.learning.model import TopicModel
    from focused.method.learning.training_set import LinkExamples

_LIKELY = 0.1
"""Share of the pages met that is taken for relevant: those with the highest decisions of the former model. As many that come
next may be either, and are left out."""
_LEAST_LIKELY = 3
_BORDER = 1.0
"""Standard deviations of the decisions on the pages met between the mean of those that were drawn and relevance 1/2."""
_OF_DRAWN = 0.01
"""Relevance of a page with the mean decision of those that were drawn."""


def fit_likely(
    model: TopicModel,
    term_columns: ArrayLike,
    counts: Any,
    drawn: ArrayLike,
    *,
    learner: str,
    link_examples: LinkExamples | None = None,
    random_state: int = 0,
) -> TrainedModel:
    """Return a model that judges as the former one does, and by what the pages that it prefers have in common on this web.

    Its direction is the sum of two, which count alike: the former model's, in the weights of the pages met, and that of a
    classifier that tells the pages met that the former model prefers from the rest. No page of another web takes part in the
    second: so it knows the topic's words on this web, and no word that only says where a page is from. How many pages are
    relevant nobody knows: it is assumed, from the decisions on the pages that were drawn.

    Parameters
    ----------
    model : TopicModel
        The former model, with n_terms terms.
    term_columns : array-like of shape (n_terms,)
        The columns of its terms.
    counts : sparse matrix of shape (n_pages, n_columns)
        Term counts of the pages met.
    drawn : array-like of bool of shape (n_pages,)
        Which of them were drawn whatever their links' scores are.
    learner : str
        A name of `focused.method.learning.learners.LEARNERS`.
    link_examples : LinkExamples, optional
        Links among the pages met.
    random_state : int
        Seed of every random draw.
    """
    met, own = canonical(counts), np.asarray(term_columns, dtype=np.int64)
    told = np.zeros(met.shape[1])
    told[own] = model.coef * model.term_weights
    frequencies = document_frequencies(met)
    terms = np.flatnonzero((frequencies > 0) | (told != 0))
    known = met[:, terms]
    # What no page of the web holds weighs as what one does.
    idf = inverse_document_frequency(np.maximum(frequencies[terms], 1), met.shape[0])
    rows = weighted_rows(known, idf, sublinear=True)

    def in_weights_of_met(weighted: NDArray[np.float64]) -> NDArray[np.float64]:
        coef = np.divide(weighted, idf, out=np.zeros(len(terms)), where=idf > 0)
        return spread_alike(coef, rows @ coef)

    former = in_weights_of_met(told[terms])
    learnt, is_likely = _likely(np.asarray(rows @ former))
    estimator = cast("LinearCountClassifier", make_learner(learner, random_state).fit(known[learnt], is_likely))
    coef = former + in_weights_of_met(estimator.coef_[0] * estimator.term_weights_)
    decisions, n_known = np.asarray(rows @ coef), np.diff(known.indptr).astype(np.float64)
    middle = float(decisions[np.asarray(drawn, dtype=np.bool_)].mean())
    border = middle + _BORDER * max(float(decisions.std()), 1e-9)
    relevance = np.asarray(expit(logit(_OF_DRAWN) * (border - decisions) / (border - middle)))

    rng = np.random.default_rng(random_state)

    def examples(units: Units, labels: NDArray[np.float64]) -> CalibrationExamples:
        found = weighted_rows(units.counts, idf, sublinear=True) @ coef
        return CalibrationExamples(np.asarray(found), units.n_known, labels, np.ones(len(labels)))

    short = short_texts(known, np.arange(known.shape[0]), rng)
    short_examples = examples(short, relevance[short.pages])
    pages = CalibrationExamples(decisions, n_known, relevance, np.ones(len(relevance)))
    page, block = calibrate_pages(fit_line(no_calibration("page", PRIOR), pages), pages, short_examples)
    page = replace(page, threshold=max(0.5, float(np.nextafter(PRIOR, 1.0))))
    calibrations: dict[str, Calibration] = {"page": page, "block": block}
    for kind in ("anchor", "context"):
        found = None
        if link_examples is not None:
            of_links = link_examples.anchor_counts if kind == "anchor" else link_examples.context_counts
            texts = canonical(sparse.csr_matrix(of_links))[:, terms]
            units = Units(texts, np.asarray(link_examples.source_rows))
            found = examples(units, relevance[link_examples.target_rows])
        calibrations[kind] = calibrate_links(kind, page, found, short_examples)
    by_strength = np.argsort(-coef, kind="stable")
    return TrainedModel(
        learner=learner,
        sublinear_tf=True,
        n_columns=met.shape[1],
        term_indices=terms,
        term_weights=idf,
        coef=coef,
        intercept=0.0,
        topic_vector=coef / max(float(np.linalg.norm(coef)), 1e-300),
        calibrations=calibrations,
        positive_terms=tuple((int(terms[i]), float(coef[i])) for i in by_strength[:N_STRONGEST] if coef[i] > 0),
        negative_terms=tuple((int(terms[i]), float(coef[i])) for i in by_strength[::-1][:N_STRONGEST] if coef[i] < 0),
        figures=KeywordFigures(
            met.shape[0], 0, len(terms), 0 if link_examples is None else len(link_examples.target_rows), PRIOR, _LIKELY
        ),
    )


def _likely(decisions: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the rows of the pages to learn from, and which of these are taken for relevant."""
    order = np.argsort(-decisions, kind="stable")
    n_likely = max(_LEAST_LIKELY, round(_LIKELY * len(order)))
    learnt = np.concatenate([order[:n_likely], order[2 * n_likely :]])
    return learnt, np.arange(len(learnt)) < n_likely
