"""The links of a page, sorted by what a crawl knows of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from focused.method.scoring.evidence import Evidence


class UpdatedLink(NamedTuple):
    """A known link that a page links to again, and what that page says of it."""

    url: str
    #: Its number in the frontier's file.
    number: int
    evidence: Evidence


class SortedLinks(NamedTuple):
    """The links of one page, sorted by what happens to them next."""

    #: URLs to be requested.
    new: list[str]
    #: Links whose evidence is updated when the page ends.
    updated_links: Sequence[UpdatedLink] = ()
