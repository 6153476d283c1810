"""How rare terms are on the web that a crawl is in: by the pages met, with the background beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from focused.method.text.vocabulary import document_frequencies
from focused.method.text.weighting import smoothed_inverse_document_frequency

if TYPE_CHECKING:
    from focused.method.topic.examples import TopicExamples

_BACKGROUND_PAGES = 100.0
"""Pages that the background counts for. A few dozen pages met say little of the frequency of most terms; the background says
which are rare in its language."""


def idf_of_unlabeled(examples: TopicExamples, background: TopicExamples) -> npt.NDArray[np.float64]:
    """Return the inverse document frequency of each term of some examples, shape (n_terms,) (docs/method/, D91).

    Only unlabelled pages count. Among a few dozen pages the positives are so many that the topic's words would pass for common
    ones. ``examples``: their unlabelled pages are those that a crawl met. ``background``: its unlabelled pages are of other
    webs, and count for 100; it may have none.
    """
    met = examples.pages[~examples.positive]
    frequencies, n_pages = document_frequencies(met).astype(np.float64), float(met.shape[0])
    of_background = background.pages[~background.positive]
    if of_background.shape[0]:
        share = _BACKGROUND_PAGES / of_background.shape[0]
        of_term = dict(zip(background.terms, (share * document_frequencies(of_background)).tolist(), strict=True))
        frequencies += [of_term.get(term, 0.0) for term in examples.terms]
        n_pages += _BACKGROUND_PAGES
    return smoothed_inverse_document_frequency(frequencies, n_pages)
