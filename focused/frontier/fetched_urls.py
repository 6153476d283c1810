"""Which pages have been fetched, by the URLs that the pages have, so that none is counted twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_PAGES = 2_000_000


class FetchedUrls:
    """Hashes of URLs. Memory is bounded: where there are too many, all are forgotten.

    Parameters
    ----------
    max_pages : int
    """

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

    def load(self, urls: Iterable[str]) -> Iterator[str]:
        """Note pages of an earlier run, as many as there is room for; yields them."""
        for url in urls:
            if len(self._keys) >= self._max_pages:
                return
            self._keys.add(hash(url))
            yield url
