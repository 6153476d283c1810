"""Finds hosts that repeat another one page by page: the same texts under the same paths.

Pure: no Scrapy, no file.
"""

from __future__ import annotations

from collections import OrderedDict
from urllib.parse import urlsplit

from focused.method.scoring.priority import LEVELS

_LEAST_PAGES = 3
"""Pages that two hosts must have in common before one is taken for a mirror of the other."""
_LEAST_TO_ONE = 10
"""Common pages that are needed for each path at which the two hosts differ. Many hosts have one page in common, such as their
terms; a mirror repeats nearly all."""
_MAX_PARTNERS, _MAX_HOSTS, _MAX_PATHS = 8, 20_000, 50_000


class Mirrors:
    """Learns from pages which of two hosts is a mirror: the one that was met later.

    A host is compared with those that it has a page in common with, from then on.
    """

    def __init__(self) -> None:
        self._first: OrderedDict[str, int] = OrderedDict()
        #: Of hosts that have pages in common with others: which others, and the hashes of their pages' places.
        self._partners: dict[str, list[str]] = {}
        self._places: OrderedDict[int, None] = OrderedDict()
        #: Of two hosts, the one met first and the other: paths with one text, and paths with two.
        self._pairs: dict[tuple[str, str], list[int]] = {}
        #: Mirrors, and what they are mirrors of.
        self.original: dict[str, str] = {}

    def add_page(self, url: str, copy_of: str) -> None:
        """Learn from a page. ``copy_of``: URL of the page that it repeats, or empty."""
        host, path = _host_and_path(url)
        if not host:
            return
        self._first.setdefault(host, len(self._first))
        if len(self._first) > _MAX_HOSTS:
            self._first.popitem(last=False)
        if copy_of:
            other, other_path = _host_and_path(copy_of)
            if other and other != host and other_path == path:
                self._compare(host, other, is_same=True)
        else:
            for other in self._partners.get(host, ()):
                if hash((other, path)) in self._places:
                    self._compare(host, other, is_same=False)
        if host in self._partners:
            self._places[hash((host, path))] = None
            if len(self._places) > _MAX_PATHS:
                self._places.popitem(last=False)

    def levels(self, host: str) -> int:
        """Return how many levels of priority a host stands back: a whole scale if it is a mirror, else 0."""
        return LEVELS if host in self.original else 0

    def _compare(self, host: str, other: str, *, is_same: bool) -> None:
        first, second = sorted((host, other), key=lambda each: self._first.get(each, -1))
        pair = self._pairs.get((first, second))
        if pair is None:
            mine, others = self._partners.setdefault(host, []), self._partners.setdefault(other, [])
            if max(len(mine), len(others)) >= _MAX_PARTNERS:
                return
            mine.append(other)
            others.append(host)
            pair = self._pairs[first, second] = [0, 0]
        pair[0 if is_same else 1] += 1
        if pair[0] >= max(_LEAST_PAGES, _LEAST_TO_ONE * pair[1]):
            self.original[second] = first
        elif self.original.get(second) == first:
            del self.original[second]


def _host_and_path(url: str) -> tuple[str, str]:
    try:
        parts = urlsplit(url)
        return parts.hostname or "", f"{parts.path or '/'}?{parts.query}"
    except ValueError:
        return "", ""
