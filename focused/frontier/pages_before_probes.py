"""Keeps the pages of a host that its answers to probes are going to be compared with. Pure: no Scrapy, no file."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from focused.frontier.url_groups import N_OF_HOST, groups_of
from focused.utils.origins import host_of

if TYPE_CHECKING:
    from collections.abc import Callable

_OF_THE_HOST, _OF_A_PLACE = 30, 10
"""Pages of a host, its first, and of one place whose forms are remembered. Those of the place are fewer than a third, so that
their form is not taken for the usual one of the host."""
_MOST_PLACES = 50

PageForm = tuple[str, bytes, str]
"""URL, form, referrer."""


@dataclass(slots=True)
class _Place:
    n_pages: int = 0
    pages: list[PageForm] = field(default_factory=list)


class PagesBeforeProbes:
    """The first pages of a host and, once it was probed, of its places: of those that were met last."""

    def __init__(self) -> None:
        self.n_pages = 0
        #: The page whose URL has most folders: pages without end lie deep.
        self.deepest = ""
        #: Places that the host was probed beside.
        self.asked: set[str] = set()
        self._pages: list[PageForm] = []
        self._places: OrderedDict[str, _Place] = OrderedDict()

    def add(self, url: str, form: Callable[[], bytes], referrer: str) -> None:
        """Add a page; ``form`` returns its form, and is called for the first pages only."""
        self.n_pages += 1
        if _depth(url) > _depth(self.deepest):
            self.deepest = url
        is_one_of_the_first = len(self._pages) < _OF_THE_HOST
        if is_one_of_the_first:
            self._pages.append((url, form(), referrer))
        if not self.asked:  # most hosts never are
            return
        name = place_of(url)
        place = self._places.setdefault(name, _Place())
        self._places.move_to_end(name)
        if len(self._places) > _MOST_PLACES:
            self._places.popitem(last=False)
        place.n_pages += 1
        if not is_one_of_the_first and len(place.pages) < _OF_A_PLACE and name not in self.asked:
            place.pages.append((url, form(), referrer))

    def n_pages_of(self, place: str) -> int:
        """Return how many pages of a place were met since the host was probed first."""
        found = self._places.get(place)
        return 0 if found is None else found.n_pages

    def n_asked_with(self, place: str) -> int:
        """Return beside how many places in the first folder of a place the host was probed."""
        return sum(each.split("/")[:2] == place.split("/")[:2] for each in self.asked)

    def compared(self, place: str) -> list[PageForm]:
        """Return the pages that answers beside a place are compared with: the host's first, and some of the place."""
        found = self._places.get(place)
        return [*self._pages, *(found.pages if found else ())]


def place_of(url: str) -> str:
    """Return the second folder of a URL, or the first, by name; numbers in folders stand for one another.

    >>> place_of("http://h.example/work/old/3f2a9c1d/7.html?a=1"), place_of("http://www.h.example/7.html")
    ('h.example/work/old/', 'www.h.example')
    """
    folders = [group for group in groups_of(url)[N_OF_HOST:] if group.endswith("/")]
    return folders[-1] if folders else host_of(url)


def _depth(url: str) -> int:
    return url.partition("?")[0].count("/")
