"""Kept pages are judged again by the model in use."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from focused.method.topic.judge import PageRelevance
    from focused.retraining.interface import ModelInUse
    from focused.retraining.kept_pages import KeptPage, KeptPages

SAID_RELEVANT, SAID_IRRELEVANT = 0.95, 0.05
"""Relevance of a page by a verdict. People make mistakes, too."""


class Rejudging:
    """Judges kept pages again; a verdict on a page stands above what the model says of the page as a whole.

    Parameters
    ----------
    model : ModelInUse
    pages : KeptPages
    verdict_on : function
        Returns the verdict on a page by its URL; None if there is none that the model has learnt from.
    """

    def __init__(self, model: ModelInUse, pages: KeptPages, verdict_on: Callable[[str], bool | None]) -> None:
        self.model = model
        self._pages = pages
        self._verdict_on = verdict_on

    @property
    def n_pages(self) -> int:
        """Number of the pages that are kept."""
        return len(self._pages)

    def pages(self) -> Iterator[tuple[KeptPage, PageRelevance]]:
        """Judge all pages again that are kept now, those judged first first."""
        judge, kinds = self.model.judge, self.model.strategy.kinds
        for kept in self._pages:
            found, said = judge.judge(kept.page, kinds), self._verdict_on(kept.page.url)
            if said is not None:
                found = replace(found, page=SAID_RELEVANT if said else SAID_IRRELEVANT, is_relevant=said)
            yield kept, found
