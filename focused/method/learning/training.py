"""Train a topic: counts of positive and unlabelled pages in, a `TrainedModel` of plain numbers out."""

from __future__ import annotations

import logging
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from focused.method.learning.calibration import Calibration, CalibrationExamples
from focused.method.learning.estimators.class_prior import estimate_prior
from focused.method.learning.held_out import Units, held_out_decisions, short_texts
from focused.method.learning.learners import LEARNERS, knows_hidden_share, knows_vectors, make_learner
from focused.method.learning.metrics import brier_score, figures_at_thresholds, page_figures
from focused.method.learning.pu_calibration import STRENGTH
from focused.method.learning.threshold import with_best_page_threshold, within_bounds
from focused.method.learning.trained_model import TrainedModel, TrainingFigures, strongest_terms
from focused.method.learning.training_set import LinkExamples, TrainingSet, prepare, with_page_of_words
from focused.method.learning.unit_calibration import (
    background_population,
    calibrate_links,
    calibrate_pages,
    line_by_verdicts,
    page_line,
    population,
)
from focused.method.text.weighting import weighted_rows

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    from focused.method.learning.estimators.base import LinearCountClassifier

    Floats = NDArray[np.float64]
    PriorEstimator = Callable[[Floats, Floats, NDArray[np.int64]], float]
    ThresholdRaiser = Callable[[float, Floats], float]

__all__ = ["LinkExamples", "TrainedModel", "train_topic"]

logger = logging.getLogger(__name__)

# Short texts are drawn from at most this many unlabelled pages: enough to fit a few numbers.
_MAX_SHORTENED = 3000


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
    if background_prior is not None and not 0 < background_prior < 1:
        raise ValueError(f"background_prior must lie between 0 and 1. Got {background_prior}.")
    if n_folds < 2:
        raise ValueError(f"n_folds must be at least 2. Got {n_folds}.")
    if known_prior is not None and not 0 < known_prior < 1:
        raise ValueError(f"known_prior must lie between 0 and 1. Got {known_prior}.")
    n_pages = counts.shape[0]
    if words is not None:
        masks = (left_aside, only_judged, np.zeros(n_pages) if learnt_only is None else learnt_only)
        counts, y, (left_aside, only_judged, learnt_only) = with_page_of_words(words, counts, y, masks)
        verdicts = None if verdicts is None else np.append(np.asarray(verdicts, dtype=np.float64), np.nan)
    if not knows_vectors(learner):
        term_vectors = None
    links_used = link_examples if background_prior is None or links_are_met else None
    data = prepare(counts, y, links_used, every_term=every_term, term_vectors=term_vectors)
    if term_vectors is not None:
        term_vectors = term_vectors[data.terms]
    data = replace(data, left_out=data.left_out[data.left_out < n_pages])
    positive = data.positive
    learnt, drawn = np.ones(len(positive), dtype=np.bool_), np.ones(len(positive), dtype=np.bool_)
    if left_aside is not None:
        learnt = positive | ~np.asarray(left_aside, dtype=np.bool_)[data.rows]
    drawn &= learnt
    if only_judged is not None:
        learnt &= positive | ~np.asarray(only_judged, dtype=np.bool_)[data.rows]
    is_background, given_prior = background_prior is not None, background_prior or known_prior
    is_draw = given_prior is None and learnt_only is None and only_judged is None
    rng = np.random.default_rng(random_state)
    n_folds = min(n_folds, int(positive.sum()), int((~positive).sum()))

    # The pages that represent the web at large.
    if learnt_only is not None:
        drawn &= ~np.asarray(learnt_only, dtype=np.bool_)[data.rows]
    drawn &= data.rows < n_pages  # not the page of the words
    pages, short, *links = _units(data, drawn, rng)
    is_shown, n_known = positive[drawn], pages.n_known[drawn]
    judged = partial(
        held_out_decisions,
        learner,
        counts=data.counts,
        positive=positive,
        n_folds=n_folds,
        random_state=random_state,
        n_jobs=n_jobs,
        learnt_only=None if learnt_only is None else ~drawn,
        learnt=learnt,
        term_vectors=term_vectors,
        # What people refuse is learnt, however like the positives it is: perhaps nothing is left that is not.
        scale_by_classes=verdicts is not None,
    )

    def fitted(hidden_share: float | None = None) -> LinearCountClassifier:
        estimator = make_learner(learner, random_state, term_vectors, hidden_share)
        return cast("LinearCountClassifier", estimator.fit(data.counts[learnt], positive[learnt]))

    estimates = estimates_prior or _prior_of_a_draw
    estimator, for_prior, hidden_share = fitted(), None, None
    if is_draw and knows_hidden_share(learner):
        # Unlabelled pages that join the positives make others like them likely: so the prior is estimated before.
        for_prior = judged(final=estimator, units=[pages])[0][drawn]
        hidden_share = estimate_prior(for_prior[is_shown], for_prior[~is_shown]).prior
        estimator = fitted(hidden_share)
    decisions = judged(final=estimator, units=[pages, short, *links], hidden_share=hidden_share)
    found = decisions[0][drawn]
    for_prior = found if for_prior is None else for_prior
    prior = given_prior or hidden_share or estimates(found[is_shown], found[~is_shown], data.rows[drawn][~is_shown])
    line = page_line(prior, found, n_known, is_shown, is_background=is_background, strength=slope_strength)
    if verdicts is not None:
        said = np.asarray(verdicts, dtype=np.float64)[data.rows]
        line = line_by_verdicts(line, decisions[0], pages.n_known, said)
    # Pages of `learnt_only` have weight 0.
    labels, weights = np.zeros(len(positive)), np.zeros(len(positive))
    labels[drawn], weights[drawn] = (
        background_population(is_shown, prior)
        if is_background
        else population(is_shown, line.relevance(found, n_known))
    )
    # The short texts of the sampled unlabelled pages represent all unlabelled pages.
    shortened = np.bincount(short.pages[~positive[short.pages]], minlength=len(positive)) > 0
    stands_for = np.where(positive, 1.0, (~is_shown).sum() / max(shortened.sum(), 1))
    short_examples = CalibrationExamples(
        decisions[1], short.n_known, labels[short.pages], (weights * stands_for)[short.pages]
    )
    page_examples = CalibrationExamples(decisions[0], pages.n_known, labels, weights)
    page, block = calibrate_pages(line, page_examples, short_examples)
    page, _ = with_best_page_threshold(page, found, n_known, is_shown, prior=prior, is_background=is_background)
    of_positives = page.relevance(found, n_known)[is_shown]
    held_out = np.full(n_pages, np.nan)
    own = data.rows < n_pages  # not the page of the words
    held_out[data.rows[own]] = page.log_odds(decisions[0], pages.n_known)[own]
    threshold = kept_threshold or within_bounds(page.threshold, of_positives, least_threshold, least_recall)
    if raises_threshold is not None and not kept_threshold:
        raised = raises_threshold(threshold, held_out)
        threshold = within_bounds(raised, of_positives, least_threshold, least_recall)
    page = replace(page, threshold=threshold)
    calibrations = {"page": page, "block": block}
    relevance = page.relevance(decisions[0], pages.n_known)
    for kind, group, of_links in zip(("anchor", "context"), links, decisions[2:], strict=True):
        targets = data.links.target_rows
        link_labels, link_weights = population(positive[targets], relevance[targets])
        examples = CalibrationExamples(of_links, group.n_known, link_labels, link_weights)
        calibrations[kind] = calibrate_links(kind, page, examples, short_examples)

    relevance = relevance[drawn]
    measured = page_figures(
        for_prior, relevance >= page.threshold, is_shown, rng, prior=prior, prior_is_assumed=is_background
    )
    reliable = getattr(estimator, "reliable_negatives_", None)
    figures = TrainingFigures(
        n_positive=int((positive & (data.rows < n_pages)).sum()),
        n_unlabeled=int((~positive).sum()),
        n_terms=len(data.terms),
        n_links=len(data.links.target_rows),
        n_folds=n_folds,
        n_reliable_negatives=None if reliable is None else len(reliable),
        lambda_=getattr(estimator, "lambda_", None),
        most_common=getattr(estimator, "most_common_", None),
        n_iterations=getattr(estimator, "n_iter_", None),
        termination=getattr(estimator, "termination_condition_", None),
        prior_is_assumed=is_background,
        **measured,
        at_thresholds=figures_at_thresholds(
            relevance, is_shown, page.threshold, prior=prior, prior_is_assumed=is_background
        ),
        brier=brier_score(relevance, is_shown, prior=prior, prior_is_assumed=is_background),
    )
    return replace(_model(learner, estimator, data, calibrations, figures), held_out_log_odds=held_out)


def _prior_of_a_draw(positive: Floats, unlabeled: Floats, _: NDArray[np.int64]) -> float:
    return estimate_prior(positive, unlabeled).prior


def _units(data: TrainingSet, drawn: NDArray[np.bool_], rng: np.random.Generator) -> list[Units]:
    """Return the units to be judged: pages, short texts of the `drawn` pages, anchor texts, link contexts."""
    positive, unlabeled = np.flatnonzero(data.positive & drawn), np.flatnonzero(~data.positive & drawn)
    sample = np.sort(rng.choice(unlabeled, min(len(unlabeled), _MAX_SHORTENED), replace=False))
    return [
        Units(data.counts, np.arange(len(data.positive))),
        short_texts(data.counts, np.concatenate([positive, sample]), rng),
        Units(data.links.anchor_counts, data.links.source_rows),
        Units(data.links.context_counts, data.links.source_rows),
    ]


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
