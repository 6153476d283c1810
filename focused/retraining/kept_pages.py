"""The latest judged pages, so that their links can be scored again and the texts of a link that was followed be found."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from focused.frontier.store.rescoring import NewScores
from focused.method.scoring.base import BELOW
from focused.method.scoring.evidence import Evidence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from focused.frontier.store.rescoring import WaitingSlice
    from focused.method.page.page import Page
    from focused.method.scoring import LinkScores, Strategy, Visit
    from focused.method.topic.judge import Judge, PageRelevance


SAID_RELEVANT, SAID_IRRELEVANT = 0.95, 0.05
"""Relevance of a page by a verdict: people err, too."""


@dataclass(slots=True)
class KeptPage:
    """A page whose links can be scored again."""

    page: Page
    visit: Visit
    #: Of the model that its links' scores come from.
    version: int


class KeptPages:
    """Pages by their URLs, those judged first forgotten first.

    A link's score rests on what its page says; what of it would have to be kept with the link for each kind of strategy
    is most of the page. So the pages are kept, and each is judged again as it was the first time.

    Parameters
    ----------
    max_pages : int
    """

    def __init__(self, max_pages: int) -> None:
        self.max_pages = max_pages
        self.version = 1
        self.n_forgotten = 0
        #: Returns the verdict on a page by its URL; None where there is none that is learnt from.
        self.verdict_on: Callable[[str], bool | None] = lambda _: None
        #: Links that may come first after a change of model to find out what there is; see `Session.learn_again`.
        self.max_explored = 0
        self._pages: OrderedDict[str, KeptPage] = OrderedDict()

    def __len__(self) -> int:
        return len(self._pages)

    def keep(self, page: Page, visit: Visit, version: int) -> None:
        """Keep a page that has been judged by a version of the model."""
        self._pages.pop(page.url, None)
        self._pages[page.url] = KeptPage(page, visit, version)
        if len(self._pages) > self.max_pages:
            self._pages.popitem(last=False)
            self.n_forgotten += 1

    def get(self, url: str) -> KeptPage | None:
        """Return a page, None if it is not kept."""
        return self._pages.get(url)

    def score_again(self, judge: Judge, strategy: Strategy, scores: LinkScoresByUrl) -> Iterator[int]:
        """Judge all kept pages anew, those judged first first; yields after each the number of its links."""
        for kept in list(self._pages.values()):
            found = strategy.score(kept.page, self._judged(kept.page, judge, strategy), kept.visit)
            kept.version = self.version
            scores.add(kept.page, found)
            yield kept.page.n_links

    def judged_again(self, judge: Judge, strategy: Strategy) -> Iterator[tuple[Page, PageRelevance, Visit]]:
        """Judge all pages anew that are kept now, those judged first first."""
        for kept in list(self._pages.values()):
            kept.version = self.version
            yield kept.page, self._judged(kept.page, judge, strategy), kept.visit

    def _judged(self, page: Page, judge: Judge, strategy: Strategy) -> PageRelevance:
        """Judge a page; a verdict on it stands above what the model says of the page as a whole."""
        found = judge.judge(page, strategy.kinds)
        said = self.verdict_on(page.url)
        if said is None:
            return found
        return replace(found, page=SAID_RELEVANT if said else SAID_IRRELEVANT, is_relevant=said)


class LinkScoresByUrl:
    """What links are worth now: what the strategy makes of what the pages say of a link, or what the first says (D43).

    Parameters
    ----------
    merge : function or None
        Joins what two pages say of a link; None: the first one's word stands.
    """

    def __init__(self, merge: Callable[[Evidence, Evidence], Evidence] | None) -> None:
        self._merge = merge
        self._found: dict[str, Evidence] = {}
        #: Waiting links that got a new score, and those whose pages are no longer kept.
        self.n_scored = self.n_left = 0

    def add(self, page: Page, scores: LinkScores) -> None:
        """Take in what a page says of its links."""
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
        """Return the scores of some of the links that wait; for `focused.frontier.store.rescoring.rescore`."""
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
