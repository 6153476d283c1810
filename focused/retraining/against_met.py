"""Trains a topic against the pages that a crawl met: from examples, or from words and what stands beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from focused.retraining.pages_met import train_on_pages_met
from focused.retraining.words_met import train_words_on_pages_met

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from focused.method.topic import Topic
    from focused.retraining.judged_pages import JudgedPage


def train_against_met(
    topic: Topic,
    pages: Sequence[JudgedPage],
    verdicts: Mapping[int, bool],
    *,
    about: Mapping[str, Any] | None = None,
    threshold: float | None = None,
    filters_label_noise: bool = True,
    is_for_good: bool = False,
    random_state: int = 0,
) -> Topic:
    """Return a topic, trained with the pages met; parameters and errors are those of the two functions behind it."""
    if topic.keyword_terms:
        return train_words_on_pages_met(topic, pages, about=about)
    return train_on_pages_met(
        topic,
        pages,
        verdicts,
        about=about,
        threshold=threshold,
        filters_label_noise=filters_label_noise,
        is_for_good=is_for_good,
        random_state=random_state,
    )
