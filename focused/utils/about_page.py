"""Distinguishes links about the page that they stand on from links to other pages, by their URLs. Pure functions."""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import parse_qsl, unquote, urlsplit

_MOST_CHARS = 300


@lru_cache(maxsize=2**13)
def is_about_its_page(url: str, referrer: str) -> bool:
    """Tell whether a link names the page that it stands on: to print it, to answer it, to share it, its history.

    The name of a page is the last part of its path without an ending, and the values of its query. Of the same path with
    another query the link is, too.

    >>> page = "http://h.example/wiki/Sun_spots"
    >>> [is_about_its_page(f"http://h.example/{link}", page) for link in ("wiki/Talk:Sun_spots", "w?title=Sun_spots&do=edit")]
    [True, True]
    >>> is_about_its_page("http://h.example/wiki/Moon", page), is_about_its_page("http://h.example/print/177", "http://h.example/t/77")
    (False, False)
    >>> is_about_its_page("http://h.example/post/77-0", "http://h.example/t/77"), is_about_its_page(page + "?lang=de", page)
    (True, True)
    """
    try:
        link, page = urlsplit(url), urlsplit(referrer)
    except ValueError:
        return False
    if not referrer or link.netloc != page.netloc or url == referrer:
        return False
    if link.path == page.path:
        return True
    names = names_of(referrer)
    said = unquote(f"{link.path}?{link.query}"[: 2 * _MOST_CHARS])
    return bool(names) and all(re.search(rf"(?<![^\W_]){re.escape(each)}(?![^\W_])", said) for each in names)


def names_of(url: str) -> list[str]:
    """Return what a page is called by its URL: the values of its query, or else the last part of its path without an ending.

    >>> names_of("http://h.example/t.php?f=2&t=77"), names_of("http://h.example/wiki/Sun_spots"), names_of("http://h.example/")
    (['2', '77'], ['Sun_spots'], [])
    """
    split = urlsplit(url)
    values = [value for _, value in parse_qsl(split.query[:_MOST_CHARS])]
    name = unquote(split.path[:_MOST_CHARS]).rstrip("/").rpartition("/")[2].partition(".")[0]
    return values or ([name] if name else [])
