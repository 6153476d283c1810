"""The page reader and the judge that settings describe: the same ones in crawls, training, explanations, evaluations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from focused.crawl import arguments as given
from focused.method.page.limits import PageLimits
from focused.method.page.reader import PageReader
from focused.method.topic.judge import Judge
from focused.utils.plugins import PlugInPlace

if TYPE_CHECKING:
    from focused.method.text.analyzer import Analyzer
    from focused.method.topic import Topic

READERS = PlugInPlace("page reader", "focused.page_readers", "focused.method.page.reader.PageReader")
CLASSIFIERS = PlugInPlace("page classifier", "focused.page_classifiers", "focused.method.topic.judge.Judge")

_Kind = TypeVar("_Kind", PageReader, Judge)


def make_reader(analyzer: Analyzer, settings: Any) -> PageReader:
    """Return the page reader that settings describe, for the language of an analyzer."""
    kind = _plugged_in(READERS, settings.get("FOCUSED_PAGE_READER"), PageReader)
    limits = {name: given.whole(f"FOCUSED_PAGE_{name.upper()}", settings) for name in PageLimits.__slots__}
    reader = kind(
        analyzer,
        block_tags=settings.get("FOCUSED_BLOCK_TAGS"),
        alpha=given.number("FOCUSED_BLOCK_ALPHA", settings),
        min_links=given.whole("FOCUSED_BLOCK_MIN_LINKS", settings),
        limits=PageLimits(**limits),
    )
    return reader.with_settings(settings)


def make_judge(topic: Topic, settings: Any) -> Judge:
    """Return the judge, which is the page classifier, that settings describe."""
    kind = _plugged_in(CLASSIFIERS, settings.get("FOCUSED_PAGE_CLASSIFIER"), Judge)
    others = given.one_of("FOCUSED_CONTEXT_OTHER_ANCHORS", settings, ("exclude", "include"))
    judge = kind(
        topic,
        threshold=_number_or_none("FOCUSED_RELEVANCE_THRESHOLD", settings),
        link_threshold=_number_or_none("FOCUSED_LINK_THRESHOLD", settings),
        similarity=settings.get("FOCUSED_SIMILARITY"),
        cosine_threshold=given.number("FOCUSED_COSINE_THRESHOLD", settings),
        other_anchors=others == "include",
        max_terms=given.whole("FOCUSED_PAGE_MAX_UNIT_TERMS", settings),
    )
    return judge.with_settings(settings)


def _plugged_in(place: PlugInPlace, name: Any, shipped: type[_Kind]) -> type[_Kind]:
    """Return the class that a setting names; where it is empty, the project's own."""
    return place.load(name) if name else shipped


def _number_or_none(name: str, settings: Any) -> float | None:
    """Return a setting that may be a number."""
    return None if settings.get(name) in (None, "", "None") else given.number(name, settings)
