"""Chooses the page that a person judges next: one that teaches the model most, or a random one, for the figures.

Four kinds of picks. *Uncertain*: the model's decision, as the verdicts so far have moved it (`focused.collection.belief`), is
near the threshold, and other pages are like this one. *New side*: the page is called irrelevant, and little is known of pages
like it. *Random*: the next page in the random order (`focused.collection.random_order`), among those that are called relevant
or among the others. *Top*: the highest relevance.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from focused.collection.belief import Belief, decision
from focused.collection.page_table import PageTable, QueuedPage
from focused.collection.queue_kinds import NEW_SIDE, RANDOM, TOP, UNCERTAIN

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Floats = npt.NDArray[np.float64]
    Flags = npt.NDArray[np.bool_]

ORDERS: dict[str, dict[str, float]] = {
    "mixed": {UNCERTAIN: 0.5, NEW_SIDE: 0.2, RANDOM: 0.3},
    "uncertain": {UNCERTAIN: 1.0},
    "random": {RANDOM: 1.0},
    "top": {TOP: 1.0},
}
"""Share of each kind of pick."""

ACCEPTED_SHARE = 2 / 3
"""Of the random picks those that the model calls relevant: precision needs them, and a new user wants that first."""
MAX_LOOKED = 4000
"""Pages that uncertain ones and those of a new side are chosen from: those nearest to the threshold."""
DENSITY = 0.3
"""How much it counts that many pages are like one: a verdict on it says something of all of them."""
_GROWTH = 1.1
"""The pages that are looked at are chosen anew when there are so many times as many."""


@dataclass(frozen=True, slots=True)
class Pick:
    """The page that is shown next."""

    page: QueuedPage
    #: Why: one of the four kinds.
    kind: str
    #: Of random ones: with what chance a page of its group was drawn so far, in (0, 1].
    probability: float | None = None


@dataclass(slots=True)
class _ClosestPages:
    """The pages that are looked at closely."""

    rows: npt.NDArray[np.int64]
    belief: Belief
    n_pages: int
    learnt: set[int] = field(default_factory=set)


class Queue:
    """Chooses one page after the other; the same pages and verdicts give the same queue.

    Parameters
    ----------
    order : str
        A name of `ORDERS`.
    seed : str
        Of the random order; the same for all people who judge a crawl, so that they draw one sample together.
    terms_of : callable
        Returns the term counts of a page, by its URL.
    max_looked : int
        As of `MAX_LOOKED`.
    pages : PageTable
        The pages, where somebody else adds them; by default the queue has its own.
    """

    def __init__(
        self,
        order: str,
        seed: str,
        terms_of: Callable[[str], Mapping[str, int]],
        *,
        max_looked: int = MAX_LOOKED,
        pages: PageTable | None = None,
    ) -> None:
        self._max_looked = max_looked
        self._shares = ORDERS[order]
        self._seed = seed
        self._terms_of = terms_of
        self.pages = PageTable() if pages is None else pages
        self._verdicts: dict[int, bool] = {}
        self._aside: set[int] = set()
        self._shown: dict[str, str] = {}
        self._looked: _ClosestPages | None = None

    def add(self, page: QueuedPage) -> None:
        """Add a page, or what is new of one that is there."""
        self.pages.put(page)

    def count(self, url: str, kind: str | None) -> None:
        """Count a page that this person was shown, now or in an earlier session, by its kind; None: it was not.

        The shares of the kinds are those of all sessions.
        """
        if kind is None:
            self._shown.pop(url, None)
        else:
            self._shown[url] = kind

    def learn(self, verdicts: Mapping[str, bool]) -> None:
        """Take all verdicts in, by URL: those that are not there any more are forgotten."""
        known = {row: said for url, said in verdicts.items() if (row := self.pages.row_of(url)) is not None}
        if any(known.get(row) != said for row, said in self._verdicts.items()):
            self._looked = None  # a verdict was changed or taken back
        self._verdicts = known

    def set_aside(self, url: str, *, is_aside: bool = True) -> None:
        """Do not show a page again; or show it after all."""
        if (row := self.pages.row_of(url)) is not None:
            (self._aside.add if is_aside else self._aside.discard)(row)

    def next(self) -> Pick | None:
        """Return what is shown next; None if every page has a verdict or was put aside."""
        counts = Counter(kind for kind in self._shown.values() if kind in self._shares)
        behind = {kind: share * (counts.total() + 1) - counts[kind] for kind, share in self._shares.items()}
        for kind in sorted(behind, key=lambda kind: -behind[kind]):
            found = self._drawn() if kind == RANDOM else self._chosen(kind)
            if found is not None:
                return found
        return self._drawn()

    def _is_open(self) -> Flags:
        """Return which pages may be shown now; shape (n_pages,)."""
        found = self.pages.has_text & self.pages.is_shown
        found[list(self._verdicts)] = False
        found[list(self._aside)] = False
        return found

    def _drawn(self) -> Pick | None:
        """Return the next page in the random order."""
        pages, is_open = self.pages, self._is_open()
        relevant, is_shown, places = pages.relevant, pages.is_shown, pages.places(self._seed)
        rows_of_drawn = (pages.row_of(url) for url, kind in self._shown.items() if kind == RANDOM)
        drawn = [row for row in rows_of_drawn if row is not None]
        wanted = int(relevant[drawn].sum()) <= ACCEPTED_SHARE * len(drawn)
        for group in (wanted, not wanted):
            of_group = (relevant == group) & is_shown
            rows = np.flatnonzero(is_open & of_group)
            if len(rows):
                row = int(rows[np.argmin(places[rows])])
                chance = float((places[of_group] <= places[row]).mean())
                return Pick(pages.page(row), RANDOM, round(chance, 6))
        return None

    def _chosen(self, kind: str) -> Pick | None:
        is_open = self._is_open()
        if not is_open.any():
            return None
        if kind == TOP:
            return Pick(self.pages.page(int(np.argmax(np.where(is_open, self.pages.relevance, -1.0)))), TOP)
        looked = self._pages_looked_at(is_open)
        belief, is_open = looked.belief, is_open[looked.rows]
        if kind == NEW_SIDE:
            score = belief.mean + belief.spread
            is_open = is_open & (belief.mean < 0)
        else:
            score = -np.abs(belief.mean)
        if not is_open.any():
            return None
        score = score + DENSITY * np.log(belief.unknown_like(is_open))
        row = int(looked.rows[np.argmax(np.where(is_open, score, -np.inf))])
        return Pick(self.pages.page(row), kind)

    def _pages_looked_at(self, is_open: Flags) -> _ClosestPages:
        """Return the pages that are looked at, with what the verdicts say of them."""
        if self._looked is None or len(self.pages) > _GROWTH * self._looked.n_pages:
            relevance, threshold = self.pages.relevance, self.pages.threshold
            far = np.abs(decision(relevance, threshold))
            far[list(self._verdicts)] = -1.0  # what has a verdict is looked at: others are like it
            far[~is_open & (far >= 0)] = np.inf
            rows = np.sort(np.argsort(far, kind="stable")[: self._max_looked])
            rows = rows[np.isfinite(far[rows])]
            terms = (self._terms_of(self.pages.url(row)) for row in rows.tolist())
            belief = Belief(relevance[rows], threshold[rows], terms)
            self._looked = _ClosestPages(rows, belief, len(self.pages))
        looked = self._looked
        new = [row for row in self._verdicts if row not in looked.learnt]
        found = np.searchsorted(looked.rows, new)
        is_there = [int(at) < len(looked.rows) and looked.rows[at] == row for at, row in zip(found, new, strict=True)]
        looked.learnt.update(new)
        chosen = [(int(at), self._verdicts[row]) for at, row, there in zip(found, new, is_there, strict=True) if there]
        looked.belief.learn([at for at, _ in chosen], [said for _, said in chosen])
        return looked
