"""The URLs of the demo web: from a page number to its URL and back."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from focused.webs.demo.seeded_random import mix

if TYPE_CHECKING:
    from focused.webs.demo.hosts import Host
    from focused.webs.demo.site import DemoPage, Site

# Page numbers are scrambled modulo this prime, so that a URL does not reveal its page's place.
_PRIME = 9999991
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_NO_SLUG = re.compile(r"[^a-z0-9]+")
_CODE = re.compile(r"(?:[/-]|id=)([0-9a-z]{1,7})(?:/|\.html?)?\Z")
_CACHED_URLS = 1 << 14


def slug(text: str) -> str:
    """Make the readable part of a URL.

    >>> slug("Why stars orbit: an answer")
    'why-stars-orbit-an-answer'
    """
    return _NO_SLUG.sub("-", text.lower()).strip("-")


def _base36(number: int) -> str:
    digits = ""
    while number or not digits:
        number, digit = divmod(number, 36)
        digits = _DIGITS[digit] + digits
    return digits


class Urls:
    """Maps page numbers to URLs and URLs to page numbers."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._factor = 2 + mix(site.seed, 5) % (_PRIME - 3)
        self._shift = mix(site.seed, 6) % _PRIME
        self._inverse = pow(self._factor, -1, _PRIME)
        self.url = lru_cache(_CACHED_URLS)(self._url)

    def _scramble(self, place: DemoPage) -> int:
        return ((place.number - place.host.start) * self._factor + self._shift + place.host.number) % _PRIME

    def _url(self, number: int) -> str:
        """Return the URL of a page, in canonical form."""
        place = self._site.place(number)
        return place.host.origin + self._path(place)

    def _path(self, place: DemoPage) -> str:
        if place.kind == "home":
            return "/"
        number = self._scramble(place)
        match place.host.url_style:
            case "number":
                return f"/node/{number}"
            case "query":
                return f"/index.php?id={number}"
            case "opaque":
                return f"/p/{_base36(number)}.htm"
        words = slug(self._site.title(place.number))
        code = _base36(number)
        if place.kind == "front":
            return f"/{words}-{code}/"
        if place.host.url_style == "dated":
            state = mix(place.state, 7)
            return f"/{2004 + state % 20}/{1 + (state >> 8) % 12:02}/{words}-{code}/"
        section = slug(self._site.title(place.host.section_start(place.section)))
        return f"/{section}/{words}-{code}.html"

    def alias(self, number: int) -> str:
        """Return the address that redirects to a page."""
        place = self._site.place(number)
        return f"{place.host.origin}/go/{_base36(self._scramble(place))}"

    def split(self, url: str) -> tuple[Host, str] | None:
        """Split a URL into a host of this web and the path with its query; None for any other URL."""
        slash = url.find("/", 8)
        origin, path = (url[:slash], url[slash:]) if slash > 0 else (url, "/")
        number = self._site.hosts.by_origin.get(origin)
        return None if number is None else (self._site.hosts.all[number], path)

    def page(self, host: Host, path: str) -> int | None:
        """Find the page of a path; None if there is no such page, or only under another spelling."""
        if path == "/":
            return host.start
        number = self._coded(host, path, 10 if host.url_style in ("number", "query") else 36)
        if number is None:
            return None
        return number if self._path(self._site.place(number)) == path else None

    def target(self, host: Host, path: str) -> int | None:
        """Find the page that an alias redirects to."""
        if not path.startswith("/go/"):
            return None
        number = self._coded(host, path, 36)
        return number if number is not None and self.alias(number) == host.origin + path else None

    def _coded(self, host: Host, path: str, base: int) -> int | None:
        found = _CODE.search(path)
        if found is None or (base == 10 and not found[1].isdigit()):
            return None
        local = (int(found[1], base) - self._shift - host.number) * self._inverse % _PRIME
        return host.start + local if local < host.size else None
