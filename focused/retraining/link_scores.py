"""New scores of waiting links, from the pages that link to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from focused.frontier.store.rescoring import NewScores
from focused.method.scoring.base import BELOW
from focused.method.scoring.evidence import Evidence

if TYPE_CHECKING:
    from collections.abc import Callable

    from focused.frontier.store.rescoring import WaitingSlice
    from focused.method.page.page import Page
    from focused.method.scoring import LinkScores


class LinkScoresByUrl:
    """The evidence for links, by URL.

    Parameters
    ----------
    merge : function or None
        Joins what two pages say of a link; None: the first page's evidence stands (docs/method/, D43).

    Attributes
    ----------
    n_scored, n_left : int
        Waiting links that got a new score, and those whose pages are no longer kept.
    """

    def __init__(self, merge: Callable[[Evidence, Evidence], Evidence] | None) -> None:
        self._merge = merge
        self._found: dict[str, Evidence] = {}
        self.n_scored = self.n_left = 0

    def add(self, page: Page, scores: LinkScores) -> None:
        """Add what a page says of its links."""
        found, merge = self._found, self._merge
        carried = [None] * page.n_links if scores.carried is None else scores.carried.tolist()
        parts = [()] * page.n_links if scores.parts is None else map(tuple, scores.parts.tolist())
        rows = zip(
            scores.scores.tolist(), scores.reasons.tolist(), scores.admitted.tolist(), carried, parts, strict=True
        )
        for url, (score, reason, admitted, left, each) in zip(page.link_numbers, rows, strict=True):
            new = Evidence(score, reason, admitted, referrer=page.url, carried=left, parts=each)
            known = found.get(url)
            if known is None:
                found[url] = new
            elif merge is not None:
                found[url] = merge(known, new)

    def of_waiting(self, waiting: WaitingSlice) -> NewScores:
        """Return the scores of a slice of the waiting links; for `focused.frontier.store.rescoring.rescore`."""
        scores, reasons = waiting.scores.copy(), waiting.reasons.copy()
        admitted = reasons != BELOW
        for row, url in enumerate(waiting.urls):
            found = self._found.get(url)
            if found is None:
                self.n_left += 1
                continue
            admitted[row], scores[row], reasons[row] = found.admitted, found.score, found.reason
            self.n_scored += 1
        return NewScores(scores, reasons, np.asarray(admitted, dtype=np.bool_))
