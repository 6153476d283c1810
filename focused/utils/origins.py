"""Where the server of a URL is: its host, and its origin."""

from __future__ import annotations

from functools import lru_cache
from urllib.parse import urlsplit


def host_of(url: str) -> str:
    """Return the name of a URL's host in lower case; empty if it has none.

    >>> host_of("http://Stars.example:8080/a")
    'stars.example'
    """
    return _host_of_origin(origin_of(url))


@lru_cache(maxsize=10_000)  # it is asked for of each link, several times
def _host_of_origin(origin: str) -> str:
    try:
        return urlsplit(origin).hostname or ""
    except ValueError:
        return ""


def origin_of(url: str) -> str:
    """Return scheme, host and port of a URL as they are spelled: where its server is.

    >>> origin_of("http://stars.example:8080/a?b=c")
    'http://stars.example:8080'
    """
    return "/".join(url.split("/", 3)[:3])
