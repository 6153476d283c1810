"""Remembers in memory what the frontier knows of its links, so that most evidence need not go to its file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

UNKNOWN, SETTLED = -32_768, 32_767
"""No levels: the file has to be asked; the link waits no more."""

_WAYS = 8
MAX_PAGES = 2_000_000


class LinkLevels:
    """URLs, each with its link's number in the frontier, its score in the file, and the evidence found since.

    A hash table of numpy arrays, eight places a bucket, that doubles until it has room for ``max_links``, rounded up to a
    power of two. From then on a link that finds its bucket full takes the place of another, which is forgotten (``forgets``
    is given what ``unsaved`` returns of it): the table is a cache, and URLs that are not in it are looked up in the frontier
    itself. A place takes 40 bytes.
    """

    def __init__(
        self, max_links: int = 1_000_000, forgets: Callable[[list[tuple[float, int, int]]], None] = lambda _: None
    ) -> None:
        self._forgets = forgets
        self._max_places = max(_WAYS, 1 << (max_links - 1).bit_length())
        self._n_used = 0
        self._make(min(self._max_places, 4096))

    def __len__(self) -> int:
        return self._n_used

    def _make(self, n_places: int) -> None:
        self._keys: Integers = np.zeros(n_places, dtype=np.int64)
        self.numbers: Integers = np.zeros(n_places, dtype=np.int64)
        #: Priority, score and number of referring pages in the file.
        self.levels: npt.NDArray[np.int16] = np.zeros(n_places, dtype=np.int16)
        self.scores: Floats = np.zeros(n_places)
        self.n_pages: npt.NDArray[np.int32] = np.zeros(n_places, dtype=np.int32)
        #: Pages that were found since, and the sum of their scores.
        self.n_unsaved: npt.NDArray[np.int16] = np.zeros(n_places, dtype=np.int16)
        self.unsaved_scores: Floats = np.zeros(n_places)
        self._renew_views()

    def _renew_views(self) -> None:
        # Single places are read and written in a fifth of the time through these.
        self._key_at = self._keys.data
        self._mask = len(self._keys) // _WAYS - 1

    def find(self, urls: Iterable[str]) -> Integers:
        """Return the place of each URL; -1 where it is not known."""
        keys = np.array([hash(url) or 1 for url in urls], dtype=np.int64)
        if not len(keys):
            return keys
        buckets = keys & self._mask
        hits = self._keys.reshape(-1, _WAYS)[buckets] == keys[:, None]
        return np.where(hits.any(axis=1), buckets * _WAYS + hits.argmax(axis=1), -1)

    def place_of(self, url: str) -> int:
        """Return the place of a URL; -1 if it is not known."""
        key = hash(url) or 1
        first = (key & self._mask) * _WAYS
        for place in range(first, first + _WAYS):
            if self._key_at[place] == key:
                return place
        return -1

    def put(self, url: str, number: int, level: int, score: float = 0.0, n_pages: int = 1) -> None:
        """Note what the file says of a link; no evidence has been found since."""
        place = self.place_of(url)
        if place < 0:
            place = self._place_for(hash(url) or 1)
        self.numbers[place], self.levels[place] = number, level
        self.scores[place], self.n_pages[place] = score, n_pages
        self.n_unsaved[place], self.unsaved_scores[place] = 0, 0.0

    def forget(self, url: str) -> None:
        """Forget a link: it is not in the file."""
        place = self.place_of(url)
        if place >= 0:
            self._keys[place] = 0
            self.n_unsaved[place], self.unsaved_scores[place] = 0, 0.0
            self._n_used -= 1

    def unsaved(self, places: Integers | None = None) -> list[tuple[float, int, int]]:
        """Return the evidence of links that is not in the file: sum of scores, number of pages, the link's number."""
        if places is None:
            places = np.flatnonzero(self.n_unsaved)
        found = (self.unsaved_scores[places].tolist(), self.n_unsaved[places].tolist(), self.numbers[places].tolist())
        return list(zip(*found, strict=True))

    def forget_levels(self) -> None:
        """Forget the levels of all waiting links, so that the file is asked again: their scores have changed."""
        waits = self.levels != SETTLED
        self.levels[waits] = UNKNOWN
        self.n_unsaved[waits] = 0
        self.unsaved_scores[waits] = 0.0

    def forget_waiting(self) -> None:
        """Forget all waiting links: some of them have been pruned, and it is not known which."""
        waits = (self.levels != SETTLED) & (self._keys != 0)
        self._keys[waits] = 0
        self._n_used -= int(waits.sum())

    def _place_for(self, key: int) -> int:
        if self._n_used * 2 >= len(self._keys) < self._max_places:
            self._double()
        first = (key & self._mask) * _WAYS
        for place in range(first, first + _WAYS):
            if not self._key_at[place]:
                self._n_used += 1
                break
        else:
            place = first + (key >> 48) % _WAYS
            if self.n_unsaved[place]:
                self._forgets(self.unsaved(np.array([place])))
        self._key_at[place] = key
        return place

    def _double(self) -> None:
        """Double the table: each bucket becomes two, which one more bit of the keys tells apart."""
        keys = self._keys
        goes_up = (keys & (self._mask + 1)) != 0
        self.numbers, self.levels = np.tile(self.numbers, 2), np.tile(self.levels, 2)
        self.scores, self.n_pages = np.tile(self.scores, 2), np.tile(self.n_pages, 2)
        self.unsaved_scores, self.n_unsaved = np.tile(self.unsaved_scores, 2), np.tile(self.n_unsaved, 2)
        self._keys = np.concatenate((np.where(goes_up, 0, keys), np.where(goes_up, keys, 0)))
        self._renew_views()


class FetchedUrls:
    """Hashes of the URLs of fetched pages. If there are too many, all are forgotten: memory is bounded."""

    def __init__(self, max_pages: int = MAX_PAGES) -> None:
        self._max_pages = max_pages
        self._keys: set[int] = set()

    def note(self, url: str) -> bool:
        """Note a page; tell whether it was noted before."""
        key = hash(url)
        if key in self._keys:
            return True
        if len(self._keys) >= self._max_pages:
            self._keys.clear()
        self._keys.add(key)
        return False

    def forget(self, url: str) -> None:
        """Forget a page: it will be fetched again."""
        self._keys.discard(hash(url))

    def load(self, urls: Iterable[str]) -> Iterator[str]:
        """Note pages of an earlier run, as many as there is room for; yields them."""
        for url in urls:
            if len(self._keys) >= self._max_pages:
                return
            self._keys.add(hash(url))
            yield url
