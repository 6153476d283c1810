"""The relevance from which pages count as relevant until a crawl has trained a model against the pages it meets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from focused.method.learning.threshold import threshold_of_recall

if TYPE_CHECKING:
    from collections.abc import Iterator

    from focused.method.topic import Topic
    from focused.retraining.options import RetrainingOptions

_RECALL = 0.5
"""Share of the examples, each held out, that reach it. Beside a background of other webs nearly every page of a web looks like
them, so the fitted threshold calls all relevant (docs/method/, D78)."""


def first_threshold(topic: Topic, options: RetrainingOptions) -> float | None:
    """Return the relevance, in (0, 1), from which the topic's own model calls pages relevant; None: its own threshold holds.

    A crawl that trains against the pages met, for a topic that knows nothing but a general background, begins with the
    relevance that half of the examples reach, each held out. `FOCUSED_RELEVANCE_THRESHOLD` is stronger.
    """
    figures = topic.manifest.get("figures") or {}
    if options.threshold is not None or not options.is_against_met(topic) or not figures.get("prior_is_assumed"):
        return None
    known = list(_recalls(figures.get("at_thresholds")))
    return max(threshold_of_recall(known, _RECALL), topic.threshold("page")) if known else None


def _recalls(rows: Any) -> Iterator[tuple[float, float]]:
    """Yield thresholds with their recalls; rows of a stranger's topic that say neither are left out."""
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, dict) and _is_share(row.get("threshold")) and _is_share(row.get("recall")):
            yield row["threshold"], row["recall"]


def _is_share(value: Any) -> bool:
    return type(value) in (int, float) and 0 <= value <= 1
