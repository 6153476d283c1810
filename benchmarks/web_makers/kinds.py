"""The kinds of webs that can be made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from web_makers import forum, languages, quotes, shop, sites, wiki, wire

if TYPE_CHECKING:
    from collections.abc import Callable

    from manuals.web import ManualWeb

    from web_makers.sources import Sources


@dataclass(frozen=True)
class Kind:
    """How a web is made: what it is made of is read first."""

    read: Callable[[Sources], Any]
    build: Callable[[Any, int], ManualWeb]
    #: What its strategies are compared on; fixed before the first crawl.
    topics: str


KINDS = {
    "forum": Kind(forum.read, forum.build, "comp.graphics,rec.autos,sci.med,sci.space,talk.politics.mideast"),
    "wire": Kind(wire.read, wire.build, "crude,grain,interest,ship,trade"),
    "wiki": Kind(wiki.read, wiki.build, "field botany,field chemistry,field law,field music,field seafaring"),
    "shop": Kind(
        *(shop.read, shop.build),
        "category Audio,category Education,category Graphics,category Network,category Science",
    ),
    "sites": Kind(
        *(sites.read, sites.build),
        "topic biology,topic electronics,topic finance,topic geography,topic mathematics",
    ),
    "languages": Kind(
        *(languages.read, languages.build),
        "topic databases,topic mail,topic pictures,topic secrets,topic sound",
    ),
    "quotes": Kind(
        *(quotes.read, quotes.build),
        "subject drugs,subject education,subject love,subject politics,subject science",
    ),
}
