"""Fit a topic whose examples come from other sites to the web that it is crawled on (docs/method/, D94)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from scipy.special import expit, logit

from focused.method.learning.assumed_relevance import PRIOR, AssumedRelevance
from focused.method.learning.calibration import fit_line, no_calibration
from focused.method.learning.keywords_met import scale_to_unit_deviation
from focused.method.learning.learners import knows_vectors, make_learner
from focused.method.learning.trained_model import KeywordFigures, TrainedModel, strongest_terms
from focused.method.learning.unit_calibration import calibrate_pages
from focused.method.text.vocabulary import canonical, document_frequencies
from focused.method.text.weighting import smoothed_inverse_document_frequency, weighted_rows

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from focused.method.learning.training_set import LinkExamples

_FURNITURE_SHARE, _MOST_OF_MET = 0.6, 0.5
"""A word that this share of the examples has, and less than half as large a share of the pages met, belongs to the sites that
the examples are from. It is left out of them: it would tell them from the background better than any word of the topic."""
_LIKELY = 0.1
"""Share of the pages met that is taken for relevant: those most like the examples. As many that come next may be either, and
are left out."""
_LEAST_LIKELY = 3
_MET_WEIGHT = 2.0
"""What the likely pages teach counts for so much of what the examples do."""
_BORDER = 0.75
"""Standard deviations of the decisions on the pages met between the mean of those that were drawn and relevance 1/2."""
_OF_DRAWN = 0.01
"""Relevance of a page with the mean decision of those that were drawn."""


def fit_likely(
    examples: Any,
    background: Any,
    counts: Any,
    drawn: ArrayLike,
    *,
    learner: str,
    verdicts: ArrayLike | None = None,
    term_vectors: NDArray[np.floating[Any]] | None = None,
    link_examples: LinkExamples | None = None,
    random_state: int = 0,
) -> TrainedModel:
    """Return a model that knows examples from other sites against a background, and what pages met that are like them share.

    Its direction is the sum of two. The first tells the examples from the background. The second tells the pages met that the
    first prefers from the rest. No page of another web takes part in the second: so it knows the topic's words on this web,
    and no word that only says where a page is from. How many pages are relevant nobody knows: it is assumed, from the
    decisions on the pages that were drawn.

    Parameters
    ----------
    examples, background, counts : sparse matrix of shape (n_pages, n_columns)
        Term counts of the examples, of pages of a general background, and of the pages met.
    drawn : array-like of bool of shape (n_pages_met,)
        Which of the pages met were drawn whatever their links' scores are.
    learner : str
        A name of `focused.method.learning.learners.LEARNERS`.
    verdicts : array-like of float of shape (n_pages_met,), optional
        What people say of the pages met: 1 relevant, 0 not, NaN where nobody has said anything. It stands above likeness.
    term_vectors : ndarray of shape (n_columns, n_dimensions), optional
        Word vectors of the terms, zeros where there is none.
    link_examples : LinkExamples, optional
        Links among the pages met.
    random_state : int
        Seed of every random draw.
    """
    others, met = canonical(background), canonical(counts)
    own = _without_furniture(canonical(examples), met)
    all_vectors = np.asarray(term_vectors) if term_vectors is not None and knows_vectors(learner) else None
    has_page = document_frequencies(sparse.vstack([own, others, met], format="csr")) > 0
    terms = np.flatnonzero(has_page if all_vectors is None else has_page | all_vectors.any(axis=1))
    vectors = None if all_vectors is None else all_vectors[terms]
    own, others, known = own[:, terms], others[:, terms], met[:, terms]
    idf = smoothed_inverse_document_frequency(document_frequencies(known), known.shape[0])
    rows = weighted_rows(known, idf, sublinear=True)

    def told_apart(positive: sparse.csr_matrix, rest: sparse.csr_matrix) -> NDArray[np.float64]:
        """Return a direction, in the weights of the pages met, on whose decisions these have the standard deviation 1."""
        both = sparse.vstack([positive, rest], format="csr")
        estimator = make_learner(learner, random_state, vectors)
        estimator.fit(both, np.arange(both.shape[0]) < positive.shape[0])
        coef = estimator.coef_[0] * estimator.term_weights_ / idf
        return scale_to_unit_deviation(coef, rows @ coef)

    coef = told_apart(own, others)
    given = np.full(known.shape[0], np.nan) if verdicts is None else np.asarray(verdicts, dtype=np.float64)
    likely, unlikely = _likely_and_unlikely(np.asarray(rows @ coef), given)
    coef = coef + _MET_WEIGHT * told_apart(known[likely], known[unlikely])

    decisions = np.asarray(rows @ coef)
    relevance = _relevance_by_drawn(decisions, np.asarray(drawn, dtype=np.bool_))
    assumed = AssumedRelevance(known, idf, coef, decisions, relevance)
    short = assumed.short(np.arange(known.shape[0]), np.random.default_rng(random_state))
    page, block = calibrate_pages(fit_line(no_calibration("page", PRIOR), assumed.pages), assumed.pages, short)
    page = replace(page, threshold=max(0.5, float(np.nextafter(PRIOR, 1.0))))
    positive_terms, negative_terms = strongest_terms(terms, coef)
    return TrainedModel(
        learner=learner,
        sublinear_tf=True,
        n_columns=met.shape[1],
        term_indices=terms,
        term_weights=idf,
        coef=coef,
        intercept=0.0,
        topic_vector=coef / max(float(np.linalg.norm(coef)), 1e-300),
        calibrations=assumed.calibrations(page, block, short, link_examples, terms),
        positive_terms=positive_terms,
        negative_terms=negative_terms,
        figures=KeywordFigures(
            met.shape[0], 0, len(terms), 0 if link_examples is None else len(link_examples.target_rows), PRIOR, _LIKELY
        ),
    )


def _likely_and_unlikely(
    decisions: NDArray[np.float64], verdicts: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows of the pages met that are taken for relevant, and of those that are taken for irrelevant.

    Verdicts decide where there are some. As many pages as are likely come next in order, and are in neither.
    """
    order = np.argsort(-decisions, kind="stable")
    order = order[np.isnan(verdicts[order])]
    n_likely = max(_LEAST_LIKELY, round(_LIKELY * len(order)))
    likely = np.concatenate([order[:n_likely], np.flatnonzero(verdicts == 1)])
    return likely, np.concatenate([order[2 * n_likely :], np.flatnonzero(verdicts == 0)])


def _relevance_by_drawn(decisions: NDArray[np.float64], drawn: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the relevance of each page met: `_OF_DRAWN` at the mean decision of those drawn, log-odds linear."""
    middle = float(decisions[drawn].mean())
    border = middle + _BORDER * max(float(decisions.std()), 1e-9)
    return np.asarray(expit(logit(_OF_DRAWN) * (border - decisions) / (border - middle)))


def _without_furniture(own: sparse.csr_matrix, met: sparse.csr_matrix) -> sparse.csr_matrix:
    """Return the rows of the examples without the words of their own sites' furniture."""
    of_own, of_met = (document_frequencies(rows) / rows.shape[0] for rows in (own, met))
    is_furniture = (of_own >= _FURNITURE_SHARE) & (of_met < _MOST_OF_MET * of_own)
    rest = own.copy()
    rest.data[is_furniture[rest.indices]] = 0
    rest.eliminate_zeros()
    return rest
