"""Tells the kind of page that a URL names: pages that one program has made, such as all lists of a day, have one shape."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"[0-9]+")
_WORD = re.compile(r"[a-z]+")
_MAX_WORDS_BESIDE_NUMBERS = 2


def url_kind(path: str, query: str) -> str:
    """Return the shape of a path, in small letters, and of a query: numbers are alike, and so are names.

    A name counts where it tells one kind from another: before a query, before a colon, and beside a number.

    >>> url_kind("/1987/03/09/2.html", ""), url_kind("/places/caracas.html", ""), url_kind("/", "")
    ('/#/#/#/#.html', '/places/*.html', '//')
    >>> url_kind("/showthread.php", "t=12&page=3"), url_kind("/wiki/author:gray", "")
    ('/showthread.php?page&t', '/wiki/author:')
    >>> url_kind("/sites-9.html", ""), url_kind("/notes-of-a-neighbour-12", "")
    ('/sites-#.html', '/*')
    """
    folder, _, name = path.rpartition("/")
    return f"{_NUMBER.sub('#', folder)}/{_shape(name, query)}"


def _shape(name: str, query: str) -> str:
    if query:
        keys = sorted({part.partition("=")[0] for part in query.lower().split("&")})
        return f"{_NUMBER.sub('#', name)}?{_NUMBER.sub('#', '&'.join(keys))}"
    if ":" in name:
        return name.partition(":")[0] + ":"
    if not name:
        return "/"
    stem, dot, extension = name.rpartition(".")
    if _NUMBER.search(name) and len(_WORD.findall(stem if dot else name)) <= _MAX_WORDS_BESIDE_NUMBERS:
        return _NUMBER.sub("#", name)
    return f"*.{extension[:6]}" if dot else "*"
