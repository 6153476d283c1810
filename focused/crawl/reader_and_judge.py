"""Makes the page reader and the judge that settings describe: the same in crawls, training, explanations, evaluations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from focused.method.page.limits import MAX_UNIT_TERMS, PageLimits
from focused.method.page.link_context import WINDOW_CHARS
from focused.method.page.own_text import AUTO, OWN, PAGE_TEXT, WHOLE
from focused.method.page.page_language import language_codes
from focused.method.page.pdf_process import not_a_page
from focused.method.page.reader import BLOCK_ALPHA, BLOCK_MIN_LINKS, BLOCK_TAGS, PageReader
from focused.method.page.text_units import OTHER_ANCHORS
from focused.method.topic.judge import COSINE_THRESHOLD, LINK_THRESHOLD, RELEVANCE_THRESHOLD, SIMILARITY, Judge
from focused.utils.crawl_settings import LANGUAGES, PAGE_CLASSIFIER, PAGE_READER
from focused.utils.output_settings import MARKDOWN
from focused.utils.parameters import read_parameters
from focused.utils.plugins import PlugInPlace

if TYPE_CHECKING:
    from focused.method.topic import Analyzer, Topic

READERS = PlugInPlace("page reader", "focused.page_readers", "focused.method.page.reader.PageReader")
CLASSIFIERS = PlugInPlace("page classifier", "focused.page_classifiers", "focused.method.topic.judge.Judge")

_Kind = TypeVar("_Kind", PageReader, Judge)


def make_reader(analyzer: Analyzer, settings: Any) -> PageReader:
    """Return the page reader that settings describe, for the language of an analyzer."""
    kind = _plugged_in(READERS, PAGE_READER.read(settings), PageReader)
    reader: PageReader = READERS.make(
        kind,
        analyzer,
        block_tags=BLOCK_TAGS.read(settings),
        alpha=BLOCK_ALPHA.read(settings),
        min_links=BLOCK_MIN_LINKS.read(settings),
        limits=PageLimits(**read_parameters(PageLimits, settings)),
    )
    reader.not_a_page = not_a_page(settings)
    reader.keeps_emphasis = MARKDOWN.read(settings) == "on"
    found: PageReader = READERS.returned(reader.with_settings(settings), kind, "with_settings")
    return found


def learnt_texts(settings: Any, *, has_background: bool) -> dict[str, Any]:
    """Return the texts of pages that settings tell a topic to be learnt from: arguments of an `ExampleReader`.

    ``has_background``: whether the unlabelled pages are those of the general background. The model then learns what is not
    the topic from the few pages that the crawl meets. These are too few to tell which words of link lists say nothing
    (docs/method/, D73).
    """
    text = PAGE_TEXT.read(settings)
    if text == AUTO:
        text = OWN if has_background else WHOLE
    return {
        "page_text": text,
        "other_anchors": OTHER_ANCHORS.read(settings) == "include",
        "window_chars": WINDOW_CHARS.read(settings),
    }


def make_judge(topic: Topic, settings: Any) -> Judge:
    """Return the judge, which is the page classifier, that settings describe."""
    kind = _plugged_in(CLASSIFIERS, PAGE_CLASSIFIER.read(settings), Judge)
    judge: Judge = CLASSIFIERS.make(
        kind,
        topic,
        threshold=RELEVANCE_THRESHOLD.read(settings),
        link_threshold=LINK_THRESHOLD.read(settings),
        similarity=SIMILARITY.read(settings),
        cosine_threshold=COSINE_THRESHOLD.read(settings),
        other_anchors=OTHER_ANCHORS.read(settings) == "include",
        max_terms=MAX_UNIT_TERMS.read(settings),
    )
    judge.languages = language_codes(LANGUAGES.read(settings))
    found: Judge = CLASSIFIERS.returned(judge.with_settings(settings), kind, "with_settings")
    return found


def _plugged_in(place: PlugInPlace, name: Any, shipped: type[_Kind]) -> type[_Kind]:
    """Return the class that a setting names; the project's own if the setting is empty."""
    return place.load(name) if name else shipped
