"""Judges kept pages again after a change of model, and gives the links that wait the scores that follow."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from focused.frontier.store.rescoring import NewScores, rescore_for
from focused.method.scoring.base import BELOW
from focused.method.scoring.evidence import Evidence
from focused.method.scoring.link_scores import WrongScoresError, checked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from focused.frontier.interface import Frontier
    from focused.frontier.store.rescoring import WaitingSlice
    from focused.method.page.page import Page
    from focused.method.scoring import LinkScores, Visit
    from focused.method.topic.judge import PageRelevance
    from focused.retraining.interface import ModelInUse
    from focused.retraining.kept_pages import KeptPage, KeptPages

SAID_RELEVANT, SAID_IRRELEVANT = 0.95, 0.05
"""Relevance of a page by a verdict. People make mistakes, too."""
_SLICE_SECS = 0.05
_SLICE_LINKS = 1000
_SHARE_OF_PAGES = 0.9
"""A session learns anew only if at least this share of the pages that it has learnt from is kept: it forgets the others."""


@dataclass(eq=False)
class Rejudging:
    """Judges kept pages by the model in use; a verdict on a page stands above what the model says of the whole page."""

    model: ModelInUse
    kept: KeptPages
    #: Returns the verdict on a page by its URL; None if there is none that the model has learnt from.
    verdict_on: Callable[[str], bool | None]

    def pages(self) -> Iterator[tuple[KeptPage, PageRelevance]]:
        """Judge all pages again that are kept now, those judged first first."""
        judge, kinds = self.model.judge, self.model.strategy.kinds
        for kept in self.kept:
            found, said = judge.relevance(kept.page, kinds), self.verdict_on(kept.page.url)
            if said is not None:
                found = replace(found, page=SAID_RELEVANT if said else SAID_IRRELEVANT, is_relevant=said)
            yield kept, found


class LinkScoresByUrl:
    """The evidence for links, by URL; `merge` joins what two pages say, without it the first page's stands (D43)."""

    def __init__(self, merge: Callable[[Evidence, Evidence], Evidence] | None = None) -> None:
        self._merge = merge
        self._found: dict[str, Evidence] = {}
        #: Waiting links that got a new score, and those whose pages are no longer kept.
        self.n_scored = self.n_left = 0

    def add(self, page: Page, scores: LinkScores) -> None:
        """Add what a page says of its links."""
        found, merge = self._found, self._merge
        carried = [None] * page.n_links if scores.carried is None else scores.carried.tolist()
        parts = [()] * page.n_links if scores.parts is None else map(tuple, scores.parts.tolist())
        of_each = scores.scores.tolist(), scores.reasons.tolist(), scores.admitted.tolist(), carried, parts
        for url, (score, reason, admitted, left, each) in zip(
            page.link_numbers, zip(*of_each, strict=True), strict=True
        ):
            new = Evidence(score, reason, admitted, referrer=page.url, carried=left, parts=each)
            known = found.get(url)
            if known is None:
                found[url] = new
            elif merge is not None:
                found[url] = merge(known, new)

    def all(self) -> Iterable[tuple[str, Evidence]]:
        """Return all URLs with what is known of them."""
        return self._found.items()

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


@dataclass(eq=False)
class Rescoring:
    """Scores waiting links in slices, whenever the crawl has time for one (docs/method/, D62)."""

    rejudging: Rejudging
    #: Returns the links that wait; the scheduler that holds them is made after this.
    frontier: Callable[[], Frontier]
    #: Joins what two pages say of a link; None: the first page's evidence stands.
    merge: Callable[[Evidence, Evidence], Evidence] | None = None
    #: Links that may come first after a change of model to find other subtopics; see `Session.learn_again`.
    max_explored: int = 0
    #: Ends the crawl, with a message, if the strategy returns no scores.
    on_error: Callable[[str], None] = lambda why: None

    def __post_init__(self) -> None:
        self._work: Iterator[int] | None = None
        #: Of the last rescoring, so far.
        self.scores, self.seconds = LinkScoresByUrl(), 0.0

    @property
    def is_under_way(self) -> bool:
        """Whether there is more to do."""
        return self._work is not None

    def start(self) -> None:
        """Begin, if the frontier can change scores: Scrapy's own queues cannot. A session learns anew instead."""
        session, n_kept = self.rejudging.model.session, len(self.rejudging.kept)
        if not n_kept or not self.frontier().can_rescore:
            return
        if session is not None and n_kept < _SHARE_OF_PAGES * session.n_pages:
            return
        self.scores, self.seconds = LinkScoresByUrl(self.merge), 0.0
        self._work = self._steps()

    def work(self) -> bool:
        """Do a slice; return whether it was the last."""
        assert self._work is not None
        if self.rejudging.model.turn.is_taken:
            return False  # a page is half judged
        start = time.perf_counter()
        if not rescore_for(self._work, _SLICE_SECS):
            self._work = None
        self.seconds += time.perf_counter() - start
        return self._work is None

    def _steps(self) -> Iterator[int]:
        """Do all of it; yield how many links each step was about."""
        model = self.rejudging.model
        strategy, fresh = model.strategy, model.strategy.session()
        if model.session is not None and fresh is not None:
            yield from model.session.learn_again(fresh, self._judged_pages(), self.max_explored)
            return
        for kept, relevance in self.rejudging.pages():
            page = kept.page
            try:
                found = checked(strategy.score(page, relevance, kept.visit), strategy.name, page.n_links, page.url)
            except WrongScoresError as error:
                self.on_error(str(error))
                return
            self.scores.add(page, found)
            yield page.n_links
        yield from self._move_links()

    def _judged_pages(self) -> Iterator[tuple[Page, PageRelevance, Visit]]:
        """Yield the kept pages, each judged again, for a session to learn from."""
        return ((kept.page, relevance, kept.visit) for kept, relevance in self.rejudging.pages())

    def _move_links(self) -> Iterator[int]:
        """Give the links that wait their new scores; yield how many each step was about."""
        version = self.rejudging.model.version
        yield from self.frontier().rescore(self.scores.of_waiting, model_version=version, slice_links=_SLICE_LINKS)
