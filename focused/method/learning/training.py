"""Train a topic: counts of positive and unlabelled pages in, a `TrainedModel` of plain numbers out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from focused.method.learning.cross_fitting import CrossFitting, FinalModel, texts_to_judge
from focused.method.learning.learners import LEARNERS, knows_vectors
from focused.method.learning.metrics import brier_score, figures_at_thresholds, page_figures
from focused.method.learning.page_parts import PageMarks, assign_parts
from focused.method.learning.pu_calibration import STRENGTH
from focused.method.learning.share_rule import ShareRule
from focused.method.learning.topic_calibration import (
    DrawnPages,
    ThresholdRule,
    calibrations_of_links,
    examples_of_population,
    line_of_pages,
)
from focused.method.learning.trained_model import TrainedModel, TrainingFigures, strongest_terms
from focused.method.learning.training_set import LinkExamples, TermRule
from focused.method.learning.unit_calibration import calibrate_pages
from focused.method.text.weighting import weighted_rows

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from focused.method.learning.calibration import Calibration
    from focused.method.learning.training_set import TrainingSet

    Floats = NDArray[np.float64]

__all__ = ["LinkExamples", "PageMarks", "ShareRule", "TermRule", "ThresholdRule", "TrainedModel", "train_topic"]

_TERMS, _MARKS, _SHARE, _THRESHOLD = TermRule(), PageMarks(), ShareRule(), ThresholdRule()  # what is usual


def train_topic(
    counts: Any,
    y: ArrayLike,
    *,
    link_examples: LinkExamples | None = None,
    learner: str = LEARNERS[0],
    terms: TermRule = _TERMS,
    marks: PageMarks = _MARKS,
    share: ShareRule = _SHARE,
    threshold: ThresholdRule = _THRESHOLD,
    slope_strength: float = STRENGTH,
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
    link_examples : LinkExamples, optional
        Links among the training pages. Without them, anchor texts and contexts are believed half as much as text on the page
        itself. Where the unlabelled pages are a background they should be of pages that the topic's links can lead to, such
        as those of a crawl.
    learner : str
        A name of `focused.method.learning.learners.LEARNERS`.
    terms : TermRule
        Which terms the model knows.
    marks : PageMarks
        What is known of the pages beside their labels.
    share : ShareRule
        How many pages are relevant.
    threshold : ThresholdRule
        From which relevance a page counts as relevant.
    slope_strength : float
        Number of examples that the expected slope of the pages' calibration counts for.
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
    if n_folds < 2:
        raise ValueError(f"n_folds must be at least 2. Got {n_folds}.")
    rng = np.random.default_rng(random_state)
    if not knows_vectors(learner):
        terms = replace(terms, vectors=None)

    # Which pages there are, and what each is for.
    data, parts = assign_parts(counts, y, link_examples, terms, marks)
    texts = texts_to_judge(data, parts.drawn, rng)

    # A model of all pages, and what models say of texts that they have not seen.
    fitting = CrossFitting(
        *(learner, data, parts),
        term_vectors=None if terms.vectors is None else terms.vectors[data.terms],
        n_folds=min(n_folds, int(data.positive.sum()), int((~data.positive).sum())),
        random_state=random_state,
        n_jobs=n_jobs,
    )
    final = fitting.final(estimates_share=share.given is None and parts.unlabeled_are_a_draw)
    decisions = fitting.decisions(final, texts)

    # How many pages of the web at large are relevant.
    found, is_shown, rows = decisions[0][parts.drawn], data.positive[parts.drawn], data.rows[parts.drawn]
    prior = share.given or final.hidden_share or share.estimated(found[is_shown], found[~is_shown], rows[~is_shown])
    n_known = texts[0].n_known
    drawn = DrawnPages(rows, found, n_known[parts.drawn], is_shown, prior, share.is_background)

    # From decisions to relevances, and from which relevance a page counts as relevant.
    line = line_of_pages(drawn, decisions[0], n_known, parts.verdicts, strength=slope_strength)
    pages, short = examples_of_population(line, drawn, parts, texts, decisions)
    page, block = calibrate_pages(line, pages, short)
    held_out = np.full(counts.shape[0], np.nan)
    held_out[data.rows[parts.is_given]] = page.log_odds(decisions[0], n_known)[parts.is_given]
    page = replace(page, threshold=threshold.chosen(page, drawn, held_out))
    relevance = page.relevance(decisions[0], n_known)
    of_links = calibrations_of_links(data, page, relevance, texts[2:], decisions[2:], short)
    calibrations = {"page": page, "block": block, **of_links}

    for_prior = found if final.first_decisions is None else final.first_decisions[parts.drawn]
    figures = TrainingFigures(
        **_figures_of_examples(fitting, final),
        **_figures_of_pages(drawn, relevance[parts.drawn], page.threshold, for_prior, rng),
    )
    return replace(_model(learner, final.estimator, data, calibrations, figures), held_out_log_odds=held_out)


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
