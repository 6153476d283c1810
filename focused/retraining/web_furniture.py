"""Leaves out words of a web's own furniture, by which its pages differ from examples from elsewhere (docs/method/, D93).

Examples may come from other sites than those that a crawl visits. Then nearly every page met has words of menus and footers
that no example has. They tell the examples from all pages of this web, relevant or not, better than any word of the topic: a
model that learns them calls nothing relevant, and takes the share of relevant pages for next to nothing. A word that stands
on nearly all pages of a web does not tell them apart, so nothing is lost without it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from focused.method.training.untitled import MOST_OF_OWN, without_columns

if TYPE_CHECKING:
    from collections.abc import Collection

    from focused.method.topic.examples import TopicExamples

FURNITURE_SHARE = 0.6
"""Share of the pages met that hold a word of furniture, at least."""
_LEAST_PAGES = 10
"""With fewer pages met it cannot be told."""


def without_furniture(examples: TopicExamples, n_own: int, kept: Collection[str] = ()) -> TopicExamples:
    """Return examples whose pages have lost the words of the web's furniture.

    Parameters
    ----------
    examples : TopicExamples
        The topic's own positives, and under them the pages met.
    n_own : int
        How many are its own.
    kept : collection of str
        Terms that name the topic: they stay in any case.
    """
    has = examples.pages > 0
    n_met = has.shape[0] - n_own
    if n_own == 0 or n_met < _LEAST_PAGES:
        return examples
    of_own, of_met = (np.asarray(rows.mean(axis=0)).ravel() for rows in (has[:n_own], has[n_own:]))
    is_furniture = (of_met >= FURNITURE_SHARE) & (of_own < MOST_OF_OWN * of_met)
    named = set(kept)
    is_furniture &= np.fromiter(
        (term not in named for term in examples.terms), dtype=np.bool_, count=len(examples.terms)
    )
    return replace(examples, pages=without_columns(examples.pages, is_furniture)) if is_furniture.any() else examples
