"""The page reader and the judge that settings describe: the same ones in crawls, training, explanations, evaluations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from focused.crawl import arguments as given
from focused.method.page.limits import PageLimits
from focused.method.page.reader import PageReader
from focused.method.topic.judge import Judge

if TYPE_CHECKING:
    from focused.method.topic import Topic


def make_reader(topic: Topic, settings: Any) -> PageReader:
    """Return the page reader that settings describe, for a topic's language."""
    limits = {name: given.whole(f"FOCUSED_PAGE_{name.upper()}", settings) for name in PageLimits.__slots__}
    return PageReader(
        topic.analyzer,
        block_tags=settings.get("FOCUSED_BLOCK_TAGS"),
        alpha=given.number("FOCUSED_BLOCK_ALPHA", settings),
        min_links=given.whole("FOCUSED_BLOCK_MIN_LINKS", settings),
        limits=PageLimits(**limits),
    )


def make_judge(topic: Topic, settings: Any) -> Judge:
    """Return the judge that settings describe."""
    others = given.one_of("FOCUSED_CONTEXT_OTHER_ANCHORS", settings, ("exclude", "include"))
    return Judge(
        topic,
        threshold=_number_or_none("FOCUSED_RELEVANCE_THRESHOLD", settings),
        link_threshold=_number_or_none("FOCUSED_LINK_THRESHOLD", settings),
        similarity=settings.get("FOCUSED_SIMILARITY"),
        cosine_threshold=given.number("FOCUSED_COSINE_THRESHOLD", settings),
        other_anchors=others == "include",
        max_terms=given.whole("FOCUSED_PAGE_MAX_UNIT_TERMS", settings),
    )


def _number_or_none(name: str, settings: Any) -> float | None:
    """Return a setting that may be a number."""
    return None if settings.get(name) in (None, "", "None") else given.number(name, settings)
