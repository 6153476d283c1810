"""The kinds of webs that can be made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from web_makers import forum, languages, shop, sites, wiki, wire

if TYPE_CHECKING:
    from collections.abc import Callable

    from manuals.web import ManualWeb

    from web_makers.sources import Sources


@dataclass(frozen=True)
class Kind:
    """How a web is made: what it is made of is read first."""

    read: Callable[[Sources], Any]
    build: Callable[[Any, int], ManualWeb]


KINDS = {
    "forum": Kind(forum.read, forum.build),
    "wire": Kind(wire.read, wire.build),
    "wiki": Kind(wiki.read, wiki.build),
    "shop": Kind(shop.read, shop.build),
    "sites": Kind(sites.read, sites.build),
    "languages": Kind(languages.read, languages.build),
}
