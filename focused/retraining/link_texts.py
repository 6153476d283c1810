"""The texts of the link that led to a judged page: its outcome is known, so it is an example of a link."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focused.method.page.link_context import url_terms
from focused.method.training.term_counting import count, counted_link
from focused.retraining.judged_pages import LinkTexts, term_counts

if TYPE_CHECKING:
    from collections.abc import Callable

    from focused.items import PageItem
    from focused.method.topic import Analyzer
    from focused.retraining.interface import ModelInUse
    from focused.retraining.kept_pages import KeptPages


class LinkTextFinder:
    """Finds the texts of links on the latest pages.

    Parameters
    ----------
    pages : KeptPages
        One of them may hold the link that led to a page.
    number_of : function
        Returns the number of a judged page by its URL; None of other URLs.
    model : ModelInUse
        Its judge says which terms belong to a link's context.
    analyzer : Analyzer
    """

    def __init__(
        self, pages: KeptPages, number_of: Callable[[str], int | None], model: ModelInUse, analyzer: Analyzer
    ) -> None:
        self._pages = pages
        self._number_of = number_of
        self._model = model
        self._analyzer = analyzer

    def find(self, item: PageItem) -> LinkTexts | None:
        """Return the texts of the link that led to a page; None for seeds, and if the link's page is no longer kept."""
        kept, source = self._pages.get(item.referrer), self._number_of(item.referrer)
        if kept is None or source is None:
            return None
        numbers = kept.page.link_numbers
        number = numbers.get(item.url, numbers.get(item.known_as))
        if number is None:
            return None  # behind a redirect
        judge, ids = self._model.judge, self._analyzer.ids
        link = counted_link(kept.page, number, other_anchors=judge.other_anchors, max_terms=judge.max_terms)
        texts = (link.anchor, link.context, count(ids(link.window)), count(ids(url_terms(link.url))))
        return LinkTexts(source, *map(term_counts, texts))
