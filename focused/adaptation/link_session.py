"""One crawl's memory of links, and the model that it is scored by: learns from every page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from focused.adaptation.link_features import PageLinks, page_links
from focused.adaptation.link_memory import EVIDENCE_OF_LINK, LinkMemory
from focused.adaptation.link_model import LinkModel
from focused.adaptation.link_prior import NO_PRIOR, Prior
from focused.adaptation.link_starts import NOBODY
from focused.strategies.base import BY_ADAPTIVE, LinkScores
from focused.strategies.session import Session

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from focused.page.page import Page
    from focused.relevance import PageRelevance
    from focused.strategies.base import Visit

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

_FIRST_FIT = 5
_SLOWER_FROM = 20
"""Beyond 20 times the interval between two fits it grows with the crawl, so that learning costs the same for each page."""

# What a frontier is told after a fit: the best links, ten for each page until the next fit, and of the rest a few with every
# page; to move one costs 8 us. Never more than a thousand at a time: a page may have changed thousands.
_N_BEST, _BEST_FOR_PAGE, _N_REST = 1_000, 10, 10

_WORK_OF_PAGE = 1_000_000
"""Rows dealt with after each page, of fits and of what follows: some 30 ms. Counted in rows, not in time, so that the same
pages teach the same. Up to some thousand pages a fit is done within its page."""
_FORGOTTEN_OF_PAGE, _FAR_TOO_MANY = 1_000, 9 / 8
"""Links forgotten with each page where there are too many; where there are far too many, a quarter more than came."""
_LEVELS = 1_000
_NONE: Integers = np.zeros(0, dtype=np.int64)


class LinkSession(Session):
    """Learns which links lead to relevant pages.

    Parameters
    ----------
    every_pages : int
        Pages between two fits of the model.
    credit : float
        In [0, 1]; see :class:`LinkModel`.
    exploration : float
        In [0, 1]: share of the pages that are fetched to learn from them.
    max_links : int
        Links that are remembered.
    warm_up_pages : int
        Until so many pages are in, fewer are asked for at a time.
    seed : int
        Of what is explored.
    prior : Prior, optional
        What the model begins with.
    fairness : float
        At least 0: how far links come forward that were reached from a seed that has had less than an equal share of the
        pages (:class:`StartShares`); with a single seed, from one of its links that has.
    """

    def __init__(
        self,
        *,
        every_pages: int = 25,
        credit: float = 0.0,
        exploration: float = 0.0,
        max_links: int = 100_000,
        warm_up_pages: int = 50,
        seed: int = 0,
        prior: Prior = NO_PRIOR,
        fairness: float = 0.0,
    ) -> None:
        self.memory = LinkMemory(max_links)
        self.model = LinkModel(self.memory, credit, prior)
        self._every_pages = every_pages
        self._exploration = exploration
        self._fairness = fairness
        self._warm_up_pages = warm_up_pages
        self._random = np.random.default_rng(seed)
        self._next_fit = min(_FIRST_FIT, every_pages)
        self._n_fits = 0
        self._owed = 0.0
        #: Links whose scores may have changed since the frontier was told, and these scores; what came last counts.
        self._changed: list[tuple[Integers, Floats]] = []
        self._rest = _NONE
        self._records: dict[str, PageLinks] = {}
        self._has_frontier = False
        self._work: Iterator[int] | None = None
        self._going = _NONE
        self._is_waiting = np.zeros(0, dtype=np.bool_)
        self._n_new = 0
        #: Pages that came while it learns anew; None where it does not.
        self._arrived: list[PageLinks] | None = None

    def score(self, page: Page, relevance: PageRelevance, visit: Visit) -> LinkScores:
        """Learn from a page, and return a score for each of its links."""
        found = page_links(page, relevance, visit.urls or (page.url,))
        if self._has_frontier:
            self._records[found.urls[0]] = found
        links = self._learn(found)
        scores = self._changed[-1][1] if self._has_frontier else self._scores(links)
        return LinkScores(scores, np.full(len(scores), BY_ADAPTIVE, dtype=np.int64))

    def same(self, url: str, known_as: str) -> None:
        """Note that a link led to a page that had been fetched under another URL."""
        self.memory.same(url, known_as)

    @property
    def figures(self) -> dict[str, float]:
        """Stats: how often the model was fitted, and of the last time, to what and how well."""
        found: dict[str, float] = {"focused/adaptive/fits_count": self._n_fits}
        if self.memory.n_forgotten:
            found["focused/adaptive/forgotten_count"] = self.memory.n_forgotten
        if (last := self.model.last) is not None:
            found["focused/adaptive/outcomes_count"] = last.n_outcomes
            found["focused/adaptive/terms_count"] = last.n_terms
            found["focused/adaptive/loss"] = round(last.loss, 4)
            found["focused/adaptive/loss_of_mean"] = round(last.loss_of_mean, 4)
        return found

    def max_under_way(self) -> int | None:
        """Return how many requests may be under way: a few while next to nothing is known, so that all can profit."""
        n_pages = self.memory.n_pages
        return 2 + n_pages // 5 if n_pages < self._warm_up_pages else None

    # --- With a frontier that can change scores

    def placed(self, url: str, number: int, score: float) -> None:
        """Note the number and the score with which a frontier has taken in a link."""
        self._has_frontier = True
        link = self.memory.number(url)
        if link is not None:
            self.memory.links["frontier"][link] = number
            self.memory.links["level"][link] = round(score * _LEVELS)

    def moved(self, *, is_last: bool = False) -> list[tuple[int, float]]:
        """Return numbers and new scores of waiting links.

        Those that a page has changed; after a fit the best; and of the rest a few each time, best first. When a crawl ends,
        all: a frontier that nobody changes any more should say what is known.
        """
        links, found = self.memory.links, dict[int, float]()
        changed, self._changed = self._changed, []
        n_rest = len(self._rest) if is_last else _N_REST
        rest, self._rest = self._rest[:n_rest], self._rest[n_rest:]
        if len(rest):
            changed.append((rest, self._scores(rest)))
        for ids, scores in changed:
            # Most of a page's links wait no more, or are where they belong.
            before, after = links["level"][ids], _levels(scores)
            rows = np.flatnonzero((before != after) & (links["frontier"][ids] >= 0))
            if len(rows) > (room := _N_BEST - len(found)) and not is_last:
                rows = rows[np.argsort(-np.maximum(before, after)[rows], kind="stable")]
                self._changed.append((ids[rows[room:]], scores[rows[room:]]))
                rows = rows[:room]
            if len(rows):
                links["level"][ids[rows]] = after[rows]
                found.update(zip(links["frontier"][ids[rows]].tolist(), scores[rows].tolist(), strict=True))
        return list(found.items())

    def gone(self, numbers: Sequence[int]) -> None:
        """Note that links do not wait any more."""
        column = self.memory.links["frontier"]
        column[np.isin(column, numbers)] = -1

    def record(self, url: str) -> tuple[int, bytes] | None:
        """Return, once, what was learnt from the page that a link led to."""
        found = self._records.pop(url, None)
        return None if found is None else (len(found.links), found.pack())

    @property
    def max_recorded_links(self) -> int:
        """As many as the memory may hold."""
        return EVIDENCE_OF_LINK * self.memory.max_links

    @property
    def n_pages(self) -> int:
        """Number of the pages that it has learnt from."""
        return self.memory.n_pages

    def learn_again(self, fresh: Session, judged: Iterable[tuple[Page, PageRelevance, Visit]]) -> Iterator[int]:
        """Learn anew from pages that another model judges: what their links and blocks say, and what came of links.

        Yields
        ------
        int
            About how many rows of a table a step has dealt with.
        """
        assert isinstance(fresh, LinkSession)
        arrived: list[PageLinks] = []
        self._arrived = arrived
        for page, relevance, visit in judged:
            fresh._take_in(page_links(page, relevance, visit.urls or (page.url,)))
            yield page.n_links
        yield from fresh._fitting()
        while arrived or fresh._work is not None:
            if arrived:
                fresh._learn(arrived.pop(0))
            elif fresh._work is not None:
                fresh._go_on(fresh._work)
            yield _WORK_OF_PAGE
        self._arrived = None
        self._take_over(fresh)
        yield from self._telling()

    def replay(self, record: bytes) -> None:
        """Learn again from what ``record`` returned."""
        self._take_in(PageLinks.unpack(record))

    def resume(self) -> None:
        """Fit the model to all that was replayed, if that is enough for a first fit."""
        self._has_frontier = True
        if self.memory.n_pages >= self._next_fit:
            for _ in self._fitting():
                pass

    # --- Inside

    def _take_in(self, found: PageLinks) -> None:
        """Remember a page, and fit nothing."""
        self._make_room()
        links, _ = self.memory.add(found)
        self._n_new = len(links)

    def _take_over(self, fresh: LinkSession) -> None:
        """Go on with what another session has learnt; where links wait is not forgotten."""
        mine, theirs = self.memory.both(fresh.memory)
        fresh.memory.links["start"][:] = fresh.memory.links["branch"][:] = NOBODY
        fresh.memory.starts, fresh.memory.branches = self.memory.starts, self.memory.branches
        for name in ("frontier", "level", "explores", "start", "branch"):
            fresh.memory.links[name][theirs] = self.memory.links[name][mine]
        self.memory, self.model = fresh.memory, fresh.model
        self._n_fits += fresh._n_fits
        self._next_fit, self._n_new = fresh._next_fit, fresh._n_new
        self._work, self._going, self._rest = None, _NONE, _NONE  # numbers of links that are others now
        self._changed.clear()

    def _learn(self, found: PageLinks) -> Integers:
        """Take in a page, go on with what there is to do, and return the numbers of the page's links."""
        if self._arrived is not None:
            self._arrived.append(found)
        if self._work is None:
            self._make_room()
        links, evidence = self.memory.add(found)
        self._n_new = len(links)
        self.memory.links["frontier"][self.memory.numbers(found.urls)] = -1
        if self._work is None and self.memory.n_pages >= self._next_fit:
            self._work = self._fitting()
        if self._work is None and not self._n_fits:
            self.model.refresh()
        else:
            self.model.add(links, evidence)
        if self._work is not None:
            self._go_on(self._work)
        if self._has_frontier:  # there is a frontier that asks for it
            self._changed.append((links, self._scores(links)))
        return links

    def _go_on(self, work: Iterator[int]) -> None:
        n_rows = 0
        for n in work:
            n_rows += n
            if n_rows >= _WORK_OF_PAGE:
                return
        self._work = None

    def _fitting(self) -> Iterator[int]:
        """Fit the model, and find out what a frontier has to be told; yields as `LinkModel.fitting` does."""
        n_pages = self.memory.n_pages
        has_learnt = yield from self.model.fitting()
        interval = max(self._every_pages if has_learnt else 1, n_pages // _SLOWER_FROM)
        self._next_fit = n_pages + interval
        self._n_fits += has_learnt
        if not self._has_frontier:
            return
        yield 0
        if has_learnt:
            self._explore(self._exploration * interval)
        yield from self._telling()

    def _telling(self) -> Iterator[int]:
        """Find out which waiting links a frontier has to move."""
        links = self.memory.links
        waiting = np.flatnonzero(links["frontier"] >= 0)
        scores = self._scores(waiting)
        yield 20 * len(waiting)
        levels = _levels(scores)
        # In the frontier a link counts for what it was placed with: one that has become worse is moved as early as one
        # that has become as much better.
        better, is_other = np.maximum(levels, links["level"][waiting]), levels != links["level"][waiting]
        rows = np.flatnonzero(is_other)
        rows = rows[np.argsort(-better[rows], kind="stable")]
        n_pages = self._next_fit - self.memory.n_pages
        first = rows[: min(max(_BEST_FOR_PAGE * n_pages, _BEST_FOR_PAGE * self._every_pages), _N_BEST)]
        self._changed.append((waiting[first], scores[first]))
        self._rest = waiting[rows[len(first) :]]

    def _explore(self, n_pages: float) -> None:
        """Let links drawn by lot come first."""
        self._owed += n_pages
        links = self.memory.links
        waiting = np.flatnonzero((links["frontier"] >= 0) & ~links["explores"])
        n_drawn = min(int(self._owed), len(waiting))
        if n_drawn:
            self._owed -= n_drawn
            links["explores"][self._random.choice(waiting, n_drawn, replace=False)] = True

    def _make_room(self) -> None:
        """Forget some links if there are too many: which, is settled for an eighth of all at once."""
        memory = self.memory
        if not len(self._going):
            if not memory.is_full:
                return
            self._going = memory.first_to_go(self.model.scores(slice(None)), self.model.is_learnt_from())
            self._is_waiting = np.isnan(memory.links["outcome"][self._going])
        n = max(_FORGOTTEN_OF_PAGE, self._n_new + self._n_new // 4 if memory.share_in_use > _FAR_TOO_MANY else 0)
        gone, was_waiting = self._going[:n], self._is_waiting[:n]
        self._going, self._is_waiting = self._going[n:], self._is_waiting[n:]
        values = self.model.values()
        memory.forget(gone[np.isnan(values[gone]) == was_waiting], values)  # but for those fetched meanwhile

    def _scores(self, links: Integers) -> Floats:
        # Half the log-odds: where few links lead to relevant pages a frontier with a thousand levels tells them apart.
        found: Floats = expit((self.model.scores(links) + self._advantages(links)) / 2)
        return np.where(self.memory.links["explores"][links], 1.0, found)

    def _advantages(self, links: Integers) -> Floats:
        """Return by how much links come forward behind seeds that have had few pages: less, where most pages are relevant."""
        memory = self.memory
        rate = (memory.relevance + 0.5) / (memory.n_pages + 1)
        # A single seed is a portal: what it names are the places to begin at.
        has_several = memory.starts.n_starts > 1
        shares, column = (memory.starts, "start") if has_several else (memory.branches, "branch")
        found: Floats = self._fairness * (1 - rate) * shares.advantages(memory.links[column][links])
        return found


def _levels(scores: Floats) -> npt.NDArray[np.int32]:
    return np.rint(scores * _LEVELS).astype(np.int32)
