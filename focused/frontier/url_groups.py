"""Lists the groups of URLs that a URL belongs to: its registered domain, its host, its folders, its query parameters.

What pages of a group have brought says what its other pages will bring. Pure functions.
"""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import urlsplit

from focused.utils.numbers import NUMBERS
from focused.utils.registered_domain import registered_domain

MAX_PARAMETERS = 4
"""Further parameters of a query, by name, make no groups."""
N_OF_HOST = 2
"""The first groups of a URL are those of its host: its registered domain, and the host."""
SISTERS = "/*/"
"""In the name of a group: any folder in the place of this one, as in ``/item/*/reviews``."""
_MAX_TAIL = 3
_NAME = re.compile(r"[^\W\d_]+[\W_]?")
_FROM_LETTERS = re.compile(r"[^\W\d_].*")
_MAX_CHARS = 200


@lru_cache(maxsize=2**13)  # a link's are asked for when it is handed out and again when its page ends
def groups_of(url: str) -> tuple[str, ...]:
    """Return the groups of a URL, each within the one before it; the last ones are its query parameters.

    Numbers and hashes in folders stand for one another, so that a calendar's months are one folder. The narrowest of them are
    the names in it that begin alike, up to the first character that is no letter, or, of those that begin with a number, up to
    the first letter. A number behind a name is one of that name, whatever stands between. A parameter is one of its path, and
    of its folders. Before the narrowest come the names behind the second folder, whichever that is: pages behind each item.

    >>> groups_of("http://www.h.example/events/2024/05/7-x.html")
    ('h.example', 'www.h.example', 'www.h.example/events/', 'www.h.example/events/0/', 'www.h.example/events/0/0-*')
    >>> groups_of("http://h.example/work/sun-spots/zoom/3")[3:]
    ('h.example/work/sun-spots/', 'h.example/work/*/zoom/0*', 'h.example/work/sun-spots/zoom/0*')
    >>> groups_of("http://h.example/wiki/Talk:Sun_spots")[2:], groups_of("http://h.example/p/12")[2:]
    (('h.example/wiki/', 'h.example/wiki/Talk:*'), ('h.example/p/', 'h.example/p/0*'))
    >>> groups_of("http://h.example/2024/05/31/sun-spots/gallery/3")[3:], groups_of("http://h.example/2024/05/")[3:]
    (('h.example/0/0/', 'h.example/0/0/gallery/0*'), ('h.example/0/0/', 'h.example/0/0/*'))
    >>> groups_of("http://h.example/blob/3f2a9c1d/readme.txt")[2::2], groups_of("http://h.example/commit/a1b2c3d4")[3:]
    (('h.example/blob/', 'h.example/blob/*/readme.txt*'), ('h.example/commit/0*',))
    >>> groups_of("http://h.example/topic.php?id=7")
    ('h.example', 'h.example/', 'h.example/topic.*', 'h.example/topic.php?id', 'h.example/*?id')
    """
    try:
        split = urlsplit(url)
        host = split.hostname or ""
    except ValueError:
        return ()
    if not host:
        return ()
    domain = registered_domain(host)
    found = [domain, host if host != domain else f"{host}/"]
    folders = split.path[:_MAX_CHARS].split("/")[1:-1]
    place = host
    for folder in folders[:2]:
        place = f"{place}/{NUMBERS.sub('0', folder)}"
        found.append(f"{place}/")
    names = [each for each in split.path[:_MAX_CHARS].split("/")[1 + len(folders[:2]) :] if each]
    if names or folders:
        if len(folders) > 1 and (tail := _tail(names)):
            found.append(f"{place.rpartition('/')[0]}{SISTERS}{tail}*")
        found.append(f"{place}/{_beginning(names)}*")
    if split.query:
        path = f"{host}{NUMBERS.sub('0', split.path[:_MAX_CHARS])}"
        names_asked = sorted(parameters(split.query))[:MAX_PARAMETERS]
        found += [f"{path}?{name}" for name in names_asked] + [f"{place}/*?{name}" for name in names_asked]
    return tuple(found)


def kind_of(url: str) -> str:
    """Return the narrowest group of a URL's path; empty if it has no host.

    >>> kind_of("http://h.example/search?q=sun"), kind_of("http://h.example/t/12")
    ('h.example/search*', 'h.example/t/0*')
    """
    return next((group for group in reversed(groups_of(url)) if "?" not in group), "")


def _beginning(names: list[str]) -> str:
    """Return what the names behind a folder have in common with names like them; nothing if there are none."""
    if not names:
        return ""
    last = NUMBERS.sub("0", names[-1])
    if letters := _NAME.match(last):
        return letters[0]
    before = _NAME.match(NUMBERS.sub("0", names[-2])) if len(names) > 1 else None
    number = _FROM_LETTERS.sub("", last)
    return f"{before[0]}/{number}" if before else number


def _tail(names: list[str]) -> str:
    """Return the names behind a folder, without their numbers; nothing if the first one is a number, or if there are many."""
    tail = [NUMBERS.sub("0", name) for name in names]
    return "/".join(tail) if 0 < len(tail) <= _MAX_TAIL and _NAME.match(tail[0]) else ""


def path_group(url: str) -> str:
    """Return the group of URLs with the path of a URL, and parameters of the same names.

    >>> path_group("http://h.example/p/12?size=l&colour=red"), path_group("http://h.example/p/12")
    ('h.example/p/0?colour&size&', 'h.example/p/0?&')
    """
    split = urlsplit(url)
    names = "&".join(sorted(parameters(split.query))[:MAX_PARAMETERS])
    return f"{split.hostname or ''}{NUMBERS.sub('0', split.path[:_MAX_CHARS])}?{names}&"


def parameters(query: str) -> dict[str, str]:
    """Return the parameters of a query by their names, as they are written.

    >>> parameters("id=7&sid=ab&sid=cd&x")
    {'id': '7', 'sid': 'ab&cd', 'x': ''}
    """
    found: dict[str, str] = {}
    for part in query.split("&"):
        name, _, value = part.partition("=")
        if name:
            found[name] = f"{found[name]}&{value}" if name in found else value
    return found


def without(url: str, names: frozenset[str] | set[str]) -> str:
    """Return a URL without some parameters of its query, else as it is.

    >>> without("http://h.example/t?id=7&sid=ab#x", {"sid"}), without("http://h.example/t?sid=ab", {"sid"})
    ('http://h.example/t?id=7#x', 'http://h.example/t')
    """
    before, mark, rest = url.partition("?")
    if not mark:
        return url
    query, hash_mark, fragment = rest.partition("#")
    kept = "&".join(part for part in query.split("&") if part.partition("=")[0] not in names)
    return f"{before}{'?' * bool(kept)}{kept}{hash_mark}{fragment}"
