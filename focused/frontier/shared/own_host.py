"""A host that is a worker's own, with the best of its waiting links in memory.

Memory holds the waiting links up to a horizon, a rank; what lies beyond is in the database and is fetched when little is left.
Links that this worker has let stand back lie beyond it in memory, too: the database, which has them in their old places, would
bring them again and again.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING

from focused.frontier.shared.links_wanted import AHEAD, LinksWanted, marks
from focused.utils.origins import origin_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from focused.frontier.shared.link_rows import WaitingLink

_MOST = 4 * AHEAD
_FEW = AHEAD // 4
MOST_BACK = 1_000
"""Links of a host in memory that stand back beyond the horizon. With so many their turn comes before what lies there."""
_NOWHERE = -(1 << 63)


@dataclass(slots=True, eq=False)
class OwnHost:
    """A host that is this worker's."""

    name: str
    #: Its registered domain, as of `focused.frontier.shared.keys`.
    domain: int
    number: int
    news: int
    #: Links that were ever asked for.
    n_asked: int
    #: All waiting links of lower ranks are in memory; None: all are.
    horizon: int | None = _NOWHERE
    links: dict[int, WaitingLink] = field(default_factory=dict)
    heap: list[tuple[int, int]] = field(default_factory=list)
    #: Numbers of those of `links` that stand back beyond the horizon.
    back: set[int] = field(default_factory=set)
    #: Links that are passed over while their origins rest.
    aside: dict[int, WaitingLink] = field(default_factory=dict)
    n_under_way: int = 0
    #: Ended links that are not durable yet.
    n_unwritten: int = 0
    #: Whether links are being read.
    is_being_read: bool = False
    #: Whether a waiting link was removed from memory since that began.
    has_forgotten: bool = False
    #: Whether it goes to another worker as soon as it is idle.
    is_leaving: bool = False
    #: Whether others have found links of it since the last look.
    has_news: bool = False

    @property
    def is_idle(self) -> bool:
        """Whether none of its links is under way, unwritten, or being read."""
        return not (self.n_under_way or self.n_unwritten or self.is_being_read)

    @property
    def is_empty(self) -> bool:
        """Whether none of its links waits, as far as this worker knows."""
        return not (self.links or self.aside) and self.horizon is None and not self.has_news

    @property
    def is_all_aside(self) -> bool:
        """Whether all its waiting links are put aside because their origins rest."""
        return bool(self.aside) and not self.links and self.horizon is None and not self.has_news

    @property
    def wants_links(self) -> bool:
        """Whether links should be read from the database."""
        return not self.is_being_read and (self.has_news or self._is_short)

    @property
    def _is_short(self) -> bool:
        """Whether links from beyond the horizon should be read."""
        if self.horizon is None or len(self.back) >= MOST_BACK:
            return False
        return len(self.links) - len(self.back) < _FEW or self.best() is None

    def begin_reading(self) -> LinksWanted:
        """Return which links to read: those others have found up to the horizon, and some beyond it if few are left."""
        self.is_being_read, self.has_forgotten = True, False
        horizon = None if self._is_short else self.horizon
        # Those on their way still wait in the database.
        return LinksWanted(AHEAD + self.n_under_way + self.n_unwritten, horizon, marks(self._known()))

    def links_read(self, links: list[WaitingLink], wanted: LinksWanted) -> None:
        """Move the horizon: the links that were wanted have been read."""
        self.is_being_read = self.has_news = False
        # Equals of the last may lie beyond it; they come with the next that are fetched.
        horizon = links[-1].rank + 1 if links and len(links) >= wanted.most else wanted.horizon
        if self.has_forgotten and wanted.known and self.horizon is not None:
            # What was known then, and has been let go since, is not among these links.
            horizon = self.horizon if horizon is None else min(horizon, self.horizon)
        self._set_horizon(horizon)

    def lacks_link(self, number: int, rank: int) -> bool:
        """Tell whether a link is missing: its rank lies within the horizon, and it is not in memory."""
        return self.known(number) is None and self.horizon is not None and rank < self.horizon

    def known(self, number: int) -> WaitingLink | None:
        """Return a link that waits in memory; None if there is none."""
        return self.links.get(number) or self.aside.get(number)

    def _known(self) -> Iterator[WaitingLink]:
        return chain(self.links.values(), self.aside.values())

    def best(self) -> WaitingLink | None:
        """Return the best link in memory; None if there is none, or if better ones may lie beyond the horizon."""
        heap, links = self.heap, self.links
        while heap:
            rank, number = heap[0]
            link = links.get(number)
            if link is not None and link.rank == rank:
                is_within = self.horizon is None or rank < self.horizon or len(self.back) >= MOST_BACK
                return link if is_within else None
            heapq.heappop(heap)
        return None

    def put(self, link: WaitingLink) -> bool:
        """Add or update a link if it lies within the horizon or is put aside; tell whether it is in memory now."""
        if link.number in self.aside:
            link.host = self.number
            self.aside[link.number] = link
            return True
        self.back.discard(link.number)
        if self.horizon is not None and link.rank >= self.horizon:
            if not _stands_back(link) or len(self.back) >= MOST_BACK:
                self.has_forgotten |= self.links.pop(link.number, None) is not None
                return False
            self.back.add(link.number)
        link.host = self.number
        self.links[link.number] = link
        heapq.heappush(self.heap, (link.rank, link.number))
        if len(self.links) - len(self.back) > _MOST:
            self._forget_worst()
        elif len(self.heap) > 2 * len(self.links) + 100:
            self._tidy()
        return link.number in self.links

    def put_aside(self, rests: Callable[[str], bool], most: int) -> bool:
        """Put the best links aside as long as ``rests`` is true of their URLs; return False if there are too many."""
        while (link := self.best()) is not None and len(self.aside) < most and rests(link.url):
            self.aside[link.number] = self.links.pop(link.number)
            self.back.discard(link.number)
        return len(self.aside) < most

    def restore_origin(self, origin: str) -> None:
        """Put links of an origin that were put aside back in their places."""
        for link in [link for link in self.aside.values() if origin_of(link.url) == origin]:
            del self.aside[link.number]
            self.has_forgotten |= not self.put(link)

    def drop(self, number: int) -> None:
        """Remove a link."""
        self.links.pop(number, None)
        self.back.discard(number)
        self.aside.pop(number, None)

    def forget_origin(self, origin: str) -> None:
        """Leave the links of an origin to the database, which lets them fail; what lies beyond may be another origin's."""
        for link in [link for link in self._known() if origin_of(link.url) == origin]:
            self.drop(link.number)
        self.has_news = self.horizon is not None

    def forget_all(self) -> None:
        """Forget what waits: it is dropped."""
        self.links.clear()
        self.back.clear()
        self.aside.clear()
        self.horizon = None

    def _set_horizon(self, horizon: int | None) -> None:
        """Move the horizon, and note which links stand back beyond it."""
        self.horizon = horizon
        beyond = [] if horizon is None else [link for link in self.links.values() if link.rank >= horizon]
        self.back = {link.number for link in beyond if _stands_back(link)}

    def _forget_worst(self) -> None:
        """Leave the worse half to the database, except for links that stand back."""
        within = (link for number, link in self.links.items() if number not in self.back)
        horizon = sorted(link.rank for link in within)[_MOST // 2]
        self._set_horizon(horizon)
        self.has_forgotten = True
        # Equals of the horizon's rank lie beyond it, too.
        for number in [link.number for link in self.links.values() if link.rank >= horizon and not _stands_back(link)]:
            del self.links[number]
        self._tidy()

    def _tidy(self) -> None:
        self.heap = [(link.rank, link.number) for link in self.links.values()]
        heapq.heapify(self.heap)


def _stands_back(link: WaitingLink) -> bool:
    """Tell whether a link stands behind its place in the database, which does not know of that."""
    return link.extra < 0 and link.request is None
