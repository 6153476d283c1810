"""The part of a page's title that the title of its referring page does not have."""

from __future__ import annotations

import re

_WORD = re.compile(r"[^\W_]+")
_THE_OTHER = "\N{WHITE SQUARE}"


def own_title(title: str, around: str, is_about: bool = False) -> str:
    """Return a title without what it says of another page, and a mark in the place of that.

    ``around``: what the other page is called, by its title or also by its URL. Unless ``is_about``, all of it has to be there.

    >>> own_title("Comments on Sun spots", "Sun spots"), own_title("Sun spots: history - Wiki", "Sun spots - Wiki")
    ('comments on \u25a1', 'history \u25a1')
    >>> own_title("Sun flares", "Sun spots"), own_title("Sun spots", "Sun spots")
    ('Sun flares', 'Sun spots')
    >>> own_title("Changes: Sun_sp", "Sun spots Sun_sp", is_about=True)
    'changes \u25a1'
    """
    words, others = _words(title), set(_words(around))
    rest = [word for word in words if word not in others]
    if not rest or len(rest) == len(words) or not (is_about or others.issubset(words)):
        return title
    return " ".join([*rest, _THE_OTHER])


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())
