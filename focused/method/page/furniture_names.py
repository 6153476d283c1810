"""Classes, ids and roles by which authors name the furniture of their pages: menus, sidebars, advertisements."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_ROLES = frozenset({"navigation", "complementary", "contentinfo", "banner", "search", "menu", "menubar"})
_STRUCTURE = frozenset(
    "nav navbar navi navigation navheader navfooter navigator topnav subnav sidenav menu menubar submenu sidebar sidebars "
    "breadcrumb breadcrumbs footer foot pagefooter sitefooter siteheader pagination pager paginator".split()
)
_CLASSES = _STRUCTURE | frozenset(
    "menus crumbs related advert adverts advertisement advertising ad ads sponsor sponsored promo banner share sharing "
    "sharebar social cookie cookies consent newsletter subscribe copyright skip skiplink toolbar popular trending "
    "searchbox searchform".split()
)
# Page builders put all that they place into a "something-widget".
_WHOLE_CLASSES = frozenset({"widget", "widgets"})
# Ids may be made of the words of a heading: "related-work", "menu-design".
_BESIDE_IN_IDS = frozenset(
    "main site page left right top bottom primary secondary global local sub header bar wrapper".split()
)
# "has-sidebar" names what holds the content, too.
_HOLDERS = frozenset({"has", "with", "no", "without", "not", "is"})
_words = re.compile(r"[A-Z]?[a-z]+|[A-Z]+").findall
_MAX_CHARS = 200  # of a class or id; the rest is not looked at


def names_furniture(attributes: Mapping[str, str]) -> bool:
    """Tell whether the attributes of an element name it as furniture.

    >>> [names_furniture({"class": each}) for each in ("site-Footer wide", "has-sidebar", "widget", "some-widget")]
    [True, False, True, False]
    >>> [names_furniture({"id": each}) for each in ("leftNav", "menu", "menu-design", "cookies")]
    [True, True, False, False]
    """
    if "class" in attributes and _is_class(attributes["class"][:_MAX_CHARS]):
        return True
    if "id" in attributes and _is_id(attributes["id"][:_MAX_CHARS]):
        return True
    return "role" in attributes and attributes["role"].strip().lower() in _ROLES


@lru_cache(maxsize=4096)
def _is_class(text: str) -> bool:
    for name in text.split():
        words = {word.lower() for word in _words(name)}
        if name in _WHOLE_CLASSES or (not words.isdisjoint(_CLASSES) and words.isdisjoint(_HOLDERS)):
            return True
    return False


@lru_cache(maxsize=4096)
def _is_id(text: str) -> bool:
    words = {word.lower() for word in _words(text)}
    return not words.isdisjoint(_STRUCTURE) and words <= _STRUCTURE | _BESIDE_IN_IDS
