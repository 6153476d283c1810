"""The relevance from which pages count as relevant until a crawl has trained a model against the pages it meets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focused.method.learning.threshold import threshold_of_recall

if TYPE_CHECKING:
    from focused.method.topic import Topic
    from focused.retraining.options import RetrainingOptions

_RECALL = 0.5
"""Share of the examples, each held out, that reach it. Beside a background of other webs nearly every page of a web looks like
them, so the fitted threshold calls all relevant (docs/method/, D78)."""


def first_threshold(topic: Topic, options: RetrainingOptions) -> float | None:
    """Return the relevance, in (0, 1), from which the topic's own model calls pages of a crawl relevant; None: as it says.

    It is that which half of the examples reach, each held out, where the crawl trains against the pages met and the topic
    knows nothing but a general background. `FOCUSED_RELEVANCE_THRESHOLD` is stronger.
    """
    figures = topic.manifest.get("figures") or {}
    known = [(each["threshold"], each["recall"]) for each in figures.get("at_thresholds") or ()]
    if options.threshold is not None or not options.is_against_met(topic) or not figures.get("prior_is_assumed"):
        return None
    return max(threshold_of_recall(known, _RECALL), topic.threshold("page")) if known else None
