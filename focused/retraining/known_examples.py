"""Pages of a crawl that are among a topic's examples already."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focused.method.topic.page_keys import page_keys, text_keys
from focused.retraining.judged_pages import that_join
from focused.utils.url_forms import canonical_form

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from focused.method.topic import TopicExamples
    from focused.method.topic.page_keys import PageKeys
    from focused.retraining.judged_pages import JudgedPage


def keys_of(page: JudgedPage) -> list[int]:
    """Return the keys by which a page of a crawl is recognised: of its canonical URL, and of its text."""
    form = canonical_form(page.url)
    return page_keys([] if form is None else [form], page.terms)


def keys_among(examples: TopicExamples) -> PageKeys:
    """Return the keys of a topic's pages; where none were kept, those of the texts."""
    return examples.keys if examples.keys is not None else text_keys(examples.terms, examples.pages)


def known_pages(examples: TopicExamples, pages: Sequence[JudgedPage], labels: Mapping[int, bool]) -> set[int]:
    """Return the numbers of the pages that need not join: they are among the examples with the same label.

    They are positives among the positives, or negatives among the other pages. A page whose label is new, or another than
    before, joins.

    Parameters
    ----------
    examples : TopicExamples
    pages : sequence of JudgedPage
    labels : mapping
        Of a page's number: whether it is relevant.
    """
    keys, rows = keys_among(examples)
    of_label = {label: set(keys[examples.positive[rows] == label].tolist()) for label in (True, False)}
    return {
        page.number for page in that_join(pages, labels) if not of_label[labels[page.number]].isdisjoint(keys_of(page))
    }
