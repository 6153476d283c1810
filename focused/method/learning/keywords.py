"""Make a topic from words alone: unlabelled pages show which other words occur beside them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import logit

from focused.method.learning.assumed_relevance import AT_MEDIAN, PRIOR, AssumedRelevance, assumed_relevance
from focused.method.learning.calibration import ANY_TERM, Calibration, fit_line, no_calibration
from focused.method.learning.trained_model import KeywordFigures, TrainedModel, strongest_terms
from focused.method.learning.unit_calibration import calibrate_pages
from focused.method.text.vocabulary import canonical, document_frequencies, select_terms
from focused.method.text.weighting import inverse_document_frequency, term_frequency, weighted_rows

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from scipy import sparse

    from focused.method.learning.calibration import CalibrationExamples
    from focused.method.learning.training_set import LinkExamples

SHARE = {"unlabeled": 0.05, "background": 0.01}
"""Share of the unlabelled pages, those nearest to the words, that is taken as relevant. A general background holds fewer
pages of a topic than the topic's surroundings do."""

# The words themselves count as much as all their neighbours. Half as much changes average precision by +0.01 with pages of
# one site, and by -0.01 with a background.
_WORDS_WEIGHT = 1.0
# Short texts are drawn from at most this many pages.
_MAX_SHORTENED = 3000


def train_keywords(
    counts: Any,
    columns: ArrayLike,
    *,
    title_columns: ArrayLike = (),
    is_background: bool = False,
    near_columns: ArrayLike = (),
    nearness: ArrayLike = (),
    link_examples: LinkExamples | None = None,
    random_state: int = 0,
) -> TrainedModel:
    """Make a topic from words and unlabelled pages.

    Its direction is `keyword_direction`. The share `SHARE` of the pages, those nearest to it, is taken as relevant. From this
    the relevance of pages, blocks, anchor texts and contexts is calibrated as in
    `focused.method.learning.training.train_topic`. Without examples its quality cannot be estimated.

    Parameters
    ----------
    counts : sparse matrix of shape (n_pages, n_columns)
        Term counts of unlabelled pages.
    columns : array-like of shape (n_keywords,)
        The columns of the words. A word that no page holds counts as a word of a single page, without neighbours. If no page
        holds any of them, a page of middling length that held one of them would be relevant.
    title_columns : array-like of shape (n_title_terms,)
        Columns of the words in titles. They count as the words do, but have no neighbours. Rare ones are left out: by their
        idf they would outweigh all words.
    is_background : bool
        Whether the pages are a general background.
    near_columns, nearness : array-like of shape (n_near,)
        Columns of other words that mean something similar, by word vectors, and how near they are to the words, above 0.
        They count as much as the words and what stands beside these together (docs/method/, D86).
    link_examples : LinkExamples, optional
        Links among the pages; not used with a background.
    random_state : int
        Seed of the short texts.

    Raises
    ------
    ValueError
        If there are fewer than three pages.
    """
    matrix = canonical(counts)
    if matrix.shape[0] < 3:
        raise ValueError(f"At least 3 unlabelled pages are needed. Got {matrix.shape[0]}.")
    frequent = select_terms(matrix, np.zeros(matrix.shape[0], dtype=bool))
    keywords = np.unique(np.asarray(columns, dtype=np.int64))
    titles = np.intersect1d(np.asarray(title_columns, dtype=np.int64), frequent)
    near = np.asarray(near_columns, dtype=np.int64)
    terms = np.union1d(np.union1d(frequent, keywords), near)
    places, title_places, near_places = (np.searchsorted(terms, each) for each in (keywords, titles, near))
    known = matrix[:, terms]
    idf = _idf_with_named(known, np.union1d(places, near_places))
    rows = weighted_rows(known, idf, sublinear=True)
    coef = keyword_direction(rows, idf, places, title_places)
    if len(near):
        coef = _unit(coef + _similar_direction(near_places, nearness, len(terms)))

    decisions = np.asarray(rows @ coef)
    share = SHARE["background" if is_background else "unlabeled"]
    assumed = AssumedRelevance(known, idf, coef, decisions, assumed_relevance(decisions, share))
    rng = np.random.default_rng(random_state)
    shortened = np.sort(rng.choice(known.shape[0], min(known.shape[0], _MAX_SHORTENED), replace=False))
    short = assumed.short(shortened, rng)
    if decisions.any():
        page, block = _calibrate_by_share(assumed, short, share)
    else:  # no page has anything to do with the words
        page = one_word_calibration(decision_of_one_word(known, idf, coef, places))
        block = replace(page, kind="block")
    links = None if is_background else link_examples
    positive_terms, negative_terms = strongest_terms(terms, coef)
    return TrainedModel(
        learner="keywords",
        sublinear_tf=True,
        n_columns=matrix.shape[1],
        term_indices=terms,
        term_weights=idf,
        coef=coef,
        intercept=0.0,
        topic_vector=coef,
        calibrations=assumed.calibrations(page, block, short, links, terms),
        positive_terms=positive_terms,
        negative_terms=negative_terms,
        figures=KeywordFigures(
            n_unlabeled=known.shape[0],
            n_with_keywords=int((np.diff(known[:, places].indptr) > 0).sum()),
            n_terms=len(terms),
            n_links=0 if links is None else len(links.target_rows),
            prior=PRIOR,
            share=share,
        ),
    )


def _similar_direction(places: NDArray[np.int64], nearness: ArrayLike, n_terms: int) -> NDArray[np.float64]:
    """Return the direction, of length 1, of similar words: each by its nearness, at its place among the terms."""
    similar = np.zeros(n_terms)
    similar[places] = np.asarray(nearness, dtype=np.float64)
    return _unit(similar)


def _idf_with_named(known: sparse.csr_matrix, named: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the idf of all terms; a named word that no page holds counts as a word of a single page.

    Given are term counts of shape (n_pages, n_terms), and the columns of the named words.
    """
    frequencies = document_frequencies(known)
    frequencies[named] = np.maximum(frequencies[named], 1)
    return inverse_document_frequency(frequencies, known.shape[0])


def _calibrate_by_share(
    assumed: AssumedRelevance, short: CalibrationExamples, share: float
) -> tuple[Calibration, Calibration]:
    """Return the calibrations of pages and of blocks; this share of the pages is relevant.

    The threshold is not fitted for F1, because the relevances and the number of relevant pages are assumed.
    """
    page, block = calibrate_pages(fit_line(no_calibration("page", PRIOR), assumed.pages), assumed.pages, short)
    border = float(np.quantile(page.relevance(assumed.decisions, assumed.pages.n_known), 1 - share))
    return replace(page, threshold=max(border, float(np.nextafter(PRIOR, 1.0)))), block


def keyword_direction(
    rows: sparse.csr_matrix,
    idf: NDArray[np.float64],
    keywords: NDArray[np.int64],
    titles: NDArray[np.int64] | None = None,
    weights: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Return the direction of a topic that is named by words, of length 1.

    Each word brings its neighbours: the mean of the pages that hold it, less the mean of all pages. A page's weight is the
    word's share of the page times the page's similarity to all words together (so that "key" beside "cipher" counts, and on a
    keyboard does not). These means, each of length idf, are summed. The words themselves are added with the same total
    length.

    Parameters
    ----------
    rows : CSR matrix of shape (n_pages, n_terms)
        L2-normalised tfc rows of unlabelled pages.
    idf : ndarray of shape (n_terms,)
    keywords : ndarray of shape (n_keywords,)
        Columns of the words.
    titles : ndarray of shape (n_title_terms,), optional
        Columns of the words in titles, with the same weight as elsewhere.
    weights : ndarray of shape (n_keywords,), optional
        What each word and its neighbours count for, above 0; by default 1.
    """
    told = np.ones(len(keywords)) if weights is None else weights
    words = np.zeros(rows.shape[1])
    words[keywords] = idf[keywords] * told
    if not words.any():  # words that every page holds
        words[keywords] = 1.0
    length = float(np.linalg.norm(words))
    words /= length
    nearness = np.asarray(rows @ words)
    anyhow = np.asarray(rows.mean(axis=0)).ravel()
    by_term = rows[:, keywords].tocsc()
    spread = np.zeros(rows.shape[1])
    for place, column in enumerate(keywords):
        weights = by_term[:, [place]].toarray().ravel() * nearness
        if weights.any():
            spread += told[place] * idf[column] * _unit(rows.T @ (weights / weights.sum()) - anyhow)
    if titles is not None:
        words[titles] += idf[titles] / length
    return _unit(_unit(spread) + _WORDS_WEIGHT * words)


def decision_of_one_word(
    known: sparse.csr_matrix, idf: NDArray[np.float64], coef: NDArray[np.float64], keywords: NDArray[np.int64]
) -> float:
    """Return the decision on a page of middling length that holds one of the words, once.

    Given are term counts of shape (n_pages, n_terms), the terms' idf and coefficients, each of shape (n_terms,), and the
    columns of the words.
    """
    weights = term_frequency(known, sublinear=True).multiply(idf).tocsr()
    lengths = np.sqrt(np.asarray(weights.multiply(weights).sum(axis=1)).ravel())
    weight = float(np.median(idf[keywords]))
    return weight * float(np.median(coef[keywords])) / float(np.hypot(np.median(lengths), weight))


def one_word_calibration(decision: float) -> Calibration:
    """Return the calibration of pages where no word is known: relevance 1/2 at this decision, 0.01 at 0, log-odds linear."""
    start = no_calibration("page", PRIOR)
    offset = float(logit(AT_MEDIAN))
    return replace(start, slope=-offset / max(decision, 1e-9), offset=offset, half_terms=ANY_TERM)


def _unit(vector: NDArray[np.float64]) -> NDArray[np.float64]:
    length = float(np.linalg.norm(vector))
    return vector / length if length > 0 else vector
