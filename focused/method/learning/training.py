"""Train a topic: counts of positive and unlabelled pages in, a `TrainedModel` of plain numbers out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from focused.method.learning.cross_fitting import CrossFitting, FinalModel, texts_to_judge
from focused.method.learning.estimators.class_prior import estimate_prior
from focused.method.learning.learners import LEARNERS, knows_vectors
from focused.method.learning.metrics import brier_score, figures_at_thresholds, page_figures
from focused.method.learning.page_parts import assign_parts
from focused.method.learning.pu_calibration import STRENGTH
from focused.method.learning.topic_calibration import (
    DrawnPages,
    ThresholdRule,
    calibrations_of_links,
    examples_of_population,
    line_of_pages,
)
from focused.method.learning.trained_model import TrainedModel, TrainingFigures, strongest_terms
from focused.method.learning.training_set import LinkExamples
from focused.method.learning.unit_calibration import calibrate_pages
from focused.method.text.weighting import weighted_rows

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    from focused.method.learning.calibration import Calibration
    from focused.method.learning.training_set import TrainingSet

    Floats = NDArray[np.float64]
    PriorEstimator = Callable[[Floats, Floats, NDArray[np.int64]], float]
    ThresholdRaiser = Callable[[float, Floats], float]

__all__ = ["LinkExamples", "TrainedModel", "train_topic"]


def train_topic(
    counts: Any,
    y: ArrayLike,
    *,
    words: ArrayLike | None = None,
    link_examples: LinkExamples | None = None,
    learner: str = LEARNERS[0],
    background_prior: float | None = None,
    links_are_met: bool = False,
    learnt_only: ArrayLike | None = None,
    known_prior: float | None = None,
    estimates_prior: PriorEstimator | None = None,
    left_aside: ArrayLike | None = None,
    only_judged: ArrayLike | None = None,
    verdicts: ArrayLike | None = None,
    every_term: bool = False,
    slope_strength: float = STRENGTH,
    least_threshold: float = 0.0,
    least_recall: float = 0.0,
    raises_threshold: ThresholdRaiser | None = None,
    kept_threshold: float | None = None,
    term_vectors: NDArray[np.floating[Any]] | None = None,
    n_folds: int = 10,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> TrainedModel:
    """Learn a topic from positive and unlabelled pages.

    Parameters
    ----------
    counts : sparse matrix of shape (n_pages, n_columns)
        Term counts of the training pages; a column is a term, in any fixed numbering.
    y : array-like of shape (n_pages,)
        True (or 1, or the larger of two labels) for positive pages, the other label for unlabelled ones.
    words : array-like of shape (n_words,), optional
        Columns of words that name the topic. A page that holds each once is learnt from as one more positive; nothing else is
        told from it.
    link_examples : LinkExamples, optional
        Links among the training pages. Without them, anchor texts and contexts are believed half as much as text on the page
        itself. Not used with `background_prior`: pages of a background are no targets of the topic's links.
    learner : str
        A name of `focused.method.learning.learners.LEARNERS`.
    background_prior : float, optional
        Assumed share of relevant pages in a crawl, in (0, 1), if the unlabelled pages are a general background without
        relevant pages. Default: the share is estimated from the unlabelled pages.
    links_are_met : bool
        With `background_prior`: use the links, because they come from a crawl whose pages are among the unlabelled ones.
    learnt_only : array-like of bool of shape (n_pages,), optional
        Pages that train the classifier but are no random sample, such as those of a focused crawl. The prior, the
        calibrations of pages and blocks, the threshold and the figures come from all other pages.
    known_prior : float, optional
        Share of relevant pages among the unlabelled ones, in (0, 1), if it is known. Default: it is estimated.
    estimates_prior : function, optional
        How it is estimated, from held-out decisions: of positive pages, of unlabelled ones, and the rows of the latter.
        Default: `estimate_prior`, which takes the unlabelled pages for a draw from the web.
    left_aside : array-like of bool of shape (n_pages,), optional
        Unlabelled pages that may well be relevant: neither training nor calibration uses them. As targets of links they have
        the relevance that the classifier gives them.
    only_judged : array-like of bool of shape (n_pages,), optional
        Unlabelled pages that belong to the population but do not train the classifier: they are probably relevant.
    verdicts : array-like of float of shape (n_pages,), optional
        What people say of pages: 1 relevant, 0 not, NaN where nobody has said anything. They correct the line from
        decisions to relevances (`line_by_verdicts`): that of P and U alone may be far off where nearly all of U is relevant.
    every_term : bool
        Keep all terms, also those of one page. Among a few dozen pages most terms are rare, and each tells pages apart.
    slope_strength : float
        Number of examples that the expected slope of the pages' calibration counts for.
    least_threshold : float
        Relevance, in [0, 1), that a page must have to be called relevant, if the best threshold is lower.
    least_recall : float
        Share of the positives, in [0, 1), each held out, that are called relevant at least: the threshold is lower if need be.
    raises_threshold : function, optional
        Returns the threshold that counts instead, from the best one and the held-out log-odds of all pages, shape (n_pages,),
        NaN where a page was left out. `least_recall` bounds that, too.
    kept_threshold : float, optional
        Relevance, in (0, 1), from which pages are relevant. Default: the best one for P and U.
    term_vectors : ndarray of shape (n_columns, n_dimensions), optional
        Word vectors of the terms, zeros where there is none. A learner that knows of them judges terms that no page holds by
        them (docs/method/, D86); for other learners they are left out.
    n_folds : int
        Folds of the cross-fitting; fewer if there are fewer positives.
    random_state : int
        Seed of every random draw: the same input and seed give the same model.
    n_jobs : int, optional
        Folds trained at the same time, as in joblib.

    Raises
    ------
    ValueError
        If nothing can be learnt, with the reason: no positives, fewer than three, positives without words, no unlabelled page
        left, no term frequent enough, too few reliable negatives.
    """
    _check_ranges(background_prior, known_prior, n_folds)
    is_background = background_prior is not None
    rng = np.random.default_rng(random_state)
    if not knows_vectors(learner):
        term_vectors = None

    # Which pages there are, and what each is for.
    data, parts = assign_parts(
        *(counts, y, link_examples if not is_background or links_are_met else None),
        words=words,
        learnt_only=learnt_only,
        left_aside=left_aside,
        only_judged=only_judged,
        verdicts=verdicts,
        every_term=every_term,
        term_vectors=term_vectors,
    )
    texts = texts_to_judge(data, parts.drawn, rng)

    # A model of all pages, and what models say of texts that they have not seen.
    fitting = CrossFitting(
        *(learner, data, parts),
        term_vectors=None if term_vectors is None else term_vectors[data.terms],
        n_folds=min(n_folds, int(data.positive.sum()), int((~data.positive).sum())),
        random_state=random_state,
        n_jobs=n_jobs,
    )
    given_prior = background_prior or known_prior
    final = fitting.final(estimates_share=given_prior is None and parts.unlabeled_are_a_draw)
    decisions = fitting.decisions(final, texts)

    # How many pages of the web at large are relevant.
    found, is_shown, rows = decisions[0][parts.drawn], data.positive[parts.drawn], data.rows[parts.drawn]
    estimates = estimates_prior or _prior_of_a_draw
    prior = given_prior or final.hidden_share or estimates(found[is_shown], found[~is_shown], rows[~is_shown])
    n_known = texts[0].n_known
    drawn = DrawnPages(rows, found, n_known[parts.drawn], is_shown, prior, is_background)

    # From decisions to relevances, and from which relevance a page counts as relevant.
    line = line_of_pages(drawn, decisions[0], n_known, parts.verdicts, strength=slope_strength)
    pages, short = examples_of_population(line, drawn, parts, texts, decisions)
    page, block = calibrate_pages(line, pages, short)
    held_out = np.full(counts.shape[0], np.nan)
    held_out[data.rows[parts.is_given]] = page.log_odds(decisions[0], n_known)[parts.is_given]
    rule = ThresholdRule(least_threshold, least_recall, raises_threshold, kept_threshold)
    page = replace(page, threshold=rule.chosen(page, drawn, held_out))
    relevance = page.relevance(decisions[0], n_known)
    of_links = calibrations_of_links(data, page, relevance, texts[2:], decisions[2:], short)
    calibrations = {"page": page, "block": block, **of_links}

    for_prior = found if final.first_decisions is None else final.first_decisions[parts.drawn]
    figures = TrainingFigures(
        **_figures_of_examples(fitting, final),
        **_figures_of_pages(drawn, relevance[parts.drawn], page.threshold, for_prior, rng),
    )
    return replace(_model(learner, final.estimator, data, calibrations, figures), held_out_log_odds=held_out)


def _check_ranges(background_prior: float | None, known_prior: float | None, n_folds: int) -> None:
    for name, prior in (("background_prior", background_prior), ("known_prior", known_prior)):
        if prior is not None and not 0 < prior < 1:
            raise ValueError(f"{name} must lie between 0 and 1. Got {prior}.")
    if n_folds < 2:
        raise ValueError(f"n_folds must be at least 2. Got {n_folds}.")


def _prior_of_a_draw(positive: Floats, unlabeled: Floats, _: NDArray[np.int64]) -> float:
    return estimate_prior(positive, unlabeled).prior


def _figures_of_examples(fitting: CrossFitting, final: FinalModel) -> dict[str, Any]:
    """Return how many examples there are, and what the learner tells of its training."""
    data = fitting.data
    reliable = getattr(final.estimator, "reliable_negatives_", None)
    return {
        "n_positive": int((data.positive & fitting.parts.is_given).sum()),
        "n_unlabeled": int((~data.positive).sum()),
        "n_terms": len(data.terms),
        "n_links": len(data.links.target_rows),
        "n_folds": fitting.n_folds,
        "n_reliable_negatives": None if reliable is None else len(reliable),
        "lambda_": getattr(final.estimator, "lambda_", None),
        "most_common": getattr(final.estimator, "most_common_", None),
        "n_iterations": getattr(final.estimator, "n_iter_", None),
        "termination": getattr(final.estimator, "termination_condition_", None),
    }


def _figures_of_pages(
    drawn: DrawnPages, relevance: Floats, threshold: float, decisions: Floats, rng: np.random.Generator
) -> dict[str, Any]:
    """Return how well the drawn pages are told apart; ``decisions``: those that the prior comes from, of these pages."""
    assumed: dict[str, Any] = {"prior": drawn.prior, "prior_is_assumed": drawn.is_background}
    return {
        "prior_is_assumed": drawn.is_background,
        **page_figures(decisions, relevance >= threshold, drawn.positive, rng, **assumed),
        "at_thresholds": figures_at_thresholds(relevance, drawn.positive, threshold, **assumed),
        "brier": brier_score(relevance, drawn.positive, **assumed),
    }


def _model(
    learner: str, estimator: Any, data: TrainingSet, calibrations: dict[str, Calibration], figures: TrainingFigures
) -> TrainedModel:
    rows = weighted_rows(data.counts[data.positive], estimator.term_weights_, sublinear=estimator.sublinear_tf)
    mean = np.asarray(rows.mean(axis=0)).ravel()
    coef = estimator.coef_[0]
    positive_terms, negative_terms = strongest_terms(data.terms, coef)
    return TrainedModel(
        learner=learner,
        sublinear_tf=estimator.sublinear_tf,
        n_columns=data.n_columns,
        term_indices=data.terms,
        term_weights=estimator.term_weights_,
        coef=coef,
        intercept=float(estimator.intercept_[0]),
        topic_vector=mean / max(float(np.linalg.norm(mean)), 1e-300),
        calibrations=calibrations,
        positive_terms=positive_terms,
        negative_terms=negative_terms,
        figures=figures,
        left_out=tuple(data.left_out.tolist()),
    )
