"""Train a topic whose examples come from other sites with the pages that its crawl meets (docs/method/, D94).

Examples of other sites differ from all pages of a web in far more than in the topic: in menus and footers, in how people
write there. A model that learns examples against the pages met learns that, and ranks the web at chance. So it is noticed:
hardly any word that most of the examples have is as frequent among the pages met, and the other way round. Such a topic keeps
what it knows against the general background, and learns from the pages met that look most like it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from focused.method.learning.likely_met import fit_likely
from focused.method.learning.training_set import LinkExamples
from focused.method.text.word_vectors import word_vectors_of
from focused.retraining.augmentation import AugmentedExamples, keys_among, keys_of, links_of, with_terms
from focused.retraining.pages_met import MAX_PAGES, MIN_PAGES
from focused.retraining.training import with_model

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from focused.method.topic import Topic
    from focused.method.topic.examples import TopicExamples
    from focused.retraining.judged_pages import JudgedPage

Floats = npt.NDArray[np.float64]

ENOUGH_VERDICTS = 14
"""With so many a topic is trained against the pages met, from its examples and from what people say."""
_LEAST_MET = 10
"""Of fewer pages met nobody can tell."""
_FREQUENT, _MOST_SHARED = 0.4, 0.22
"""Of words that this share of the examples or of the pages met has, pages of one web share more than that."""
_FREQUENT_OF_OWN, _MOST_OF_OWN_SHARED = 0.3, 0.3
"""The same, of words that this share of the examples has: texts without menus share them, and are learnt as pages are."""


def comes_from_elsewhere(topic: Topic, pages: Sequence[JudgedPage]) -> bool:
    """Tell whether the examples of a topic come from other sites than the pages that a crawl met."""
    if topic.examples is None or topic.keyword_terms or topic.looked_at:
        return False
    own = topic.examples.where(topic.examples.positive)
    met = _others(own, pages)
    if len(met) < _LEAST_MET:
        return False
    joined = AugmentedExamples(own, met)
    has = joined.with_labels(dict.fromkeys((page.number for page in met), False)).pages > 0
    of_own, of_met = (np.asarray(r.mean(axis=0)).ravel() for r in (has[: joined.n_own], has[joined.n_own :]))
    return (
        _shared(of_own, of_met, np.maximum(of_own, of_met) >= _FREQUENT) < _MOST_SHARED
        and _shared(of_own, of_met, of_own >= _FREQUENT_OF_OWN) < _MOST_OF_OWN_SHARED
    )


def _shared(of_own: Floats, of_met: Floats, chosen: npt.NDArray[np.bool_]) -> float:
    """Return the sum of the smaller share of pages that have a word, over the sum of the larger; 1 where no word is chosen."""
    if not chosen.any():
        return 1.0
    return float(np.minimum(of_own, of_met)[chosen].sum() / np.maximum(of_own, of_met)[chosen].sum())


def train_from_elsewhere(
    topic: Topic,
    pages: Sequence[JudgedPage],
    verdicts: Mapping[int, bool],
    *,
    about: Mapping[str, Any] | None = None,
    random_state: int = 0,
) -> Topic:
    """Return a topic that judges by what it knows and by what the pages met that look most like it have in common.

    Its share of relevant pages is assumed, so it says nothing of the harvest.

    Parameters
    ----------
    topic : Topic
        Learnt from examples against the general background.
    pages : sequence of JudgedPage
        All pages of the crawl.
    verdicts : mapping
        What people say of pages, by their numbers.
    about : mapping, optional
        What the manifest says of it, under ``retraining``.

    Raises
    ------
    ValueError
        If too few of the pages were drawn.
    """
    assert topic.examples is not None
    own = topic.examples.where(topic.examples.positive)
    latest = {page.number for page in pages[-MAX_PAGES:]}
    met = [page for page in _others(own, pages) if page.is_drawn or page.number in latest or page.number in verdicts]
    drawn = np.array([page.is_drawn for page in met], dtype=np.bool_)
    if drawn.sum() < MIN_PAGES:
        raise ValueError(f"At least {MIN_PAGES} pages that were drawn are needed. Got {int(drawn.sum())}.")
    joined = AugmentedExamples(topic.examples, met)
    examples = joined.with_labels(dict.fromkeys((page.number for page in met), False))
    vectors = word_vectors_of(topic.language)
    if vectors is not None:
        examples = with_terms(examples, vectors.terms)
    n_own = joined.n_own
    is_background = ~examples.positive & (np.arange(len(examples.positive)) < n_own)
    links = links_of(examples)
    model = fit_likely(
        *(examples.pages[examples.positive], examples.pages[is_background], examples.pages[n_own:], drawn),
        learner=topic.learner,
        verdicts=[float(verdicts[page.number]) if page.number in verdicts else np.nan for page in met],
        term_vectors=None if vectors is None else vectors.of_terms(examples.terms),
        link_examples=None if links is None else _among_met(links, n_own),
        random_state=random_state,
    )
    added = {"n_unlabeled": len(met), "n_drawn": int(drawn.sum()), "n_left_aside": 0, "is_from_elsewhere": True}
    made = with_model(topic, model, examples.terms, topic.examples, {**(about or {}), **added})
    # Of the pages met nothing is known but what was assumed.
    made.manifest["figures"] = {**topic.manifest["figures"], "n_links": model.figures.n_links}
    return made


def _among_met(links: LinkExamples, n_own: int) -> LinkExamples:
    """Return the links among the pages met, which stand under the topic's own."""
    chosen = np.flatnonzero((links.source_rows >= n_own) & (links.target_rows >= n_own))
    sources, targets = links.source_rows[chosen] - n_own, links.target_rows[chosen] - n_own
    return LinkExamples(sources, targets, links.anchor_counts[chosen], links.context_counts[chosen])


def _others(own: TopicExamples, pages: Sequence[JudgedPage]) -> list[JudgedPage]:
    """Return the pages met that have words and are no examples themselves."""
    known = set(keys_among(own).keys.tolist())
    return [page for page in pages if page.terms and known.isdisjoint(keys_of(page))]
