"""Classes, ids and roles by which authors name the furniture of their pages: menus, sidebars, advertisements."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_NAMES = frozenset(
    "nav navbar navi navigation navheader navfooter navigator topnav subnav sidenav menu menus menubar submenu sidebar "
    "sidebars breadcrumb breadcrumbs crumbs footer foot pagefooter sitefooter siteheader pagination pager paginator "
    "related widget widgets advert adverts advertisement advertising ad ads sponsor sponsored promo banner share "
    "sharing sharebar social cookie cookies consent newsletter subscribe copyright skip skiplink toolbar popular "
    "trending login search searchbox searchform".split()
)
_ROLES = frozenset({"navigation", "complementary", "contentinfo", "banner", "search", "menu", "menubar"})
# "has-sidebar" names what holds the content, too.
_HOLDERS = frozenset({"has", "with", "no", "without", "not", "is", "main", "content", "page", "body", "wrapper", "container"})
_words = re.compile(r"[A-Z]?[a-z]+|[A-Z]+").findall
_MAX_CHARS = 200  # of a class or id; the rest is not looked at


def names_furniture(attributes: Mapping[str, str]) -> bool:
    """Tell whether the attributes of an element name it as furniture.

    >>> names_furniture({"class": "site-Footer wide"}), names_furniture({"class": "has-sidebar"})
    (True, False)
    """
    if "class" in attributes and _is_name(attributes["class"][:_MAX_CHARS]):
        return True
    if "id" in attributes and _is_name(attributes["id"][:_MAX_CHARS]):
        return True
    return "role" in attributes and attributes["role"].strip().lower() in _ROLES


@lru_cache(maxsize=4096)
def _is_name(text: str) -> bool:
    for name in text.split():
        words = {word.lower() for word in _words(name)}
        if words & _NAMES and not words & _HOLDERS:
            return True
    return False
