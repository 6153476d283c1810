"""Makes a small page of links from a sitemap or a feed; it is then processed like any page."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, NamedTuple

from focused.method.page.link_context import path_terms

if TYPE_CHECKING:
    from collections.abc import Iterable

SITEMAP, INDEX, FEED = "sitemap", "sitemap index", "feed"
"""What a link source may be."""


@dataclass(frozen=True, slots=True)
class LinkSource:
    """A sitemap or a feed that was fetched. The link middleware reads it and requests its links; it is no page.

    A spider whose method ``parse_source`` yields one for each response is asked to fetch some.
    """

    #: `sitemap` or `feed`; or a probe, which is asked for in the same way: see `focused.crawl.soft_404_probes`.
    kind: str
    #: Host, with its port, whose pages asked for it.
    host: str
    #: Sitemap indexes that it lies behind.
    depth: int = 0


class ListedPage(NamedTuple):
    """What a source says of a page."""

    #: As written.
    url: str
    title: str = ""
    text: str = ""
    #: When the page was published or changed, in seconds since the epoch; 0 if the source does not say.
    date: float = 0.0


@dataclass
class LinkList:
    """A source as it was read."""

    kind: str
    title: str = ""
    entries: list[ListedPage] = field(default_factory=list)
    #: Entries beyond MAX_ENTRIES.
    n_left: int = 0
    #: Whether the source was longer than MAX_BYTES, or is broken from some place on.
    is_cut: bool = False


def as_page(entries: Iterable[ListedPage], title: str = "") -> bytes:
    """Return a page that says of each link what its source says: title and description, or else the words of its URL.

    Each link with a title stands in an item of its own, which is a content block; the others are one block together: the few
    words of a URL cannot be judged as those of a block are.

    >>> as_page([ListedPage("/b", "Bees & wasps", "Stings."), ListedPage("/big-stars/7.html")])[15:-1].decode()
    '<div><li><a href="/b">Bees &amp; wasps</a> Stings.</li> <a href="/big-stars/7.html">big stars</a></div'
    """
    items = (
        f'<li><a href="{escape(each.url)}">{escape(each.title)}</a> {escape(each.text)}</li>'
        if each.title
        else f'<a href="{escape(each.url)}">{escape(path_terms(each.url))}</a>'
        for each in entries
    )
    return f"<title>{escape(title)}</title><div>{' '.join(items)}</div>".encode("utf-8", "replace")


def newest_first(entries: Iterable[ListedPage]) -> list[ListedPage]:
    """Return entries with the newest first; of equal date, and without one, in the order in which they stand."""
    return sorted(entries, key=lambda each: -each.date)
