"""How rare terms are on the web that a crawl is in: from the pages met, and the topic's background beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from focused.method.text.vocabulary import document_frequencies
from focused.method.text.weighting import smoothed_inverse_document_frequency

if TYPE_CHECKING:
    from focused.method.topic import Topic, TopicExamples

_BACKGROUND_PAGES = 100.0
"""Pages that the topic's own unlabelled pages count for. A few dozen pages met say little of the frequency of most terms; the
background says what is rare in its language."""


def idf_of_pages_met(examples: TopicExamples, topic: Topic) -> npt.NDArray[np.float64]:
    """Return the inverse document frequency of each term of some examples, shape (n_terms,) (docs/method/, D91).

    The positives do not count: among a few dozen pages they are so many that the topic's words would pass for common ones.

    Parameters
    ----------
    examples : TopicExamples
        Positives, and the pages met as unlabelled pages.
    topic : Topic
        With examples, of which the unlabelled pages are the background.
    """
    assert topic.examples is not None
    met = examples.pages[~examples.positive]
    frequencies, n_pages = document_frequencies(met).astype(np.float64), float(met.shape[0])
    own = topic.examples
    background = own.pages[~own.positive]
    if background.shape[0]:
        share = _BACKGROUND_PAGES / background.shape[0]
        of_term = dict(zip(own.terms, (share * document_frequencies(background)).tolist(), strict=True))
        frequencies += [of_term.get(term, 0.0) for term in examples.terms]
        n_pages += _BACKGROUND_PAGES
    return smoothed_inverse_document_frequency(frequencies, n_pages)
