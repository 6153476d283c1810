"""Sitemaps and feeds, read: files that list pages.

Sitemaps as sitemaps.org describes them (XML or plain text, sitemap indexes), RSS 0.9 to 2.0, and Atom [RFC 4287].
"""

from __future__ import annotations

import re
import zlib
from contextlib import suppress
from html import unescape
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from lxml import etree

from focused.method.page.link_list import FEED, INDEX, SITEMAP, LinkList, ListedPage
from focused.method.page.robots_directives import seconds_of
from focused.method.page.xml_references import with_references, without_references

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

MAX_BYTES = 20_000_000
"""Of an unpacked source. 50,000 URLs, the most that a sitemap may have, take 5 to 10 MB."""
MAX_ENTRIES = 50_000
_PIECE_BYTES = 65_536  # some 5 ms
_MAX_URL_CHARS, _MAX_TITLE_CHARS, _MAX_TEXT_CHARS = 2_083, 300, 600
_MAX_RAW_CHARS = 4_000  # of a description, with its tags
_GZIP = b"\x1f\x8b"
_BLANKS = b"\xef\xbb\xbf \t\r\n"

_ENTRY_OF = {"urlset": "url", "sitemapindex": "sitemap", "rss": "item", "RDF": "item", "feed": "entry"}
_KIND_OF = {"urlset": SITEMAP, "sitemapindex": INDEX, "rss": FEED, "RDF": FEED, "feed": FEED}
_FIELD_OF = {
    "loc": "url",
    "link": "url",
    "guid": "guid",
    "title": "title",
    **dict.fromkeys(("description", "summary", "content", "encoded"), "text"),
    **dict.fromkeys(("lastmod", "pubDate", "date", "updated", "published", "publication_date"), "date"),
}
_NEWS = "sitemap-news"
"""Part of the namespace whose elements say something of a page in a sitemap: title and date."""
_BASE = "{http://www.w3.org/XML/1998/namespace}base"
_declares_entity = re.compile(rb"<!ENTITY").search
_first_element = re.compile(rb"<[A-Za-z_]").search
_tags = re.compile(r"<[^<>]*>")


def read_in_steps(body: bytes, *, max_bytes: int = MAX_BYTES) -> Generator[int, None, LinkList | None]:
    """Read a source; None if the body is neither a sitemap nor a feed.

    In steps, each of which yields about how many bytes it has read. No more than ``max_bytes`` are unpacked. Entities that
    the document declares itself are not needed in any of these formats: a document with some is none.
    """
    body, is_cut = unpacked(body, max_bytes)
    body = body.lstrip(_BLANKS)
    start = _first_element(body)
    if body[:4].lower() == b"http":
        found = _of_text(body)
    elif start is None or _declares_entity(body, 0, start.start() + 1):
        return None
    else:
        target = _Target()
        parser = etree.XMLParser(
            target=target, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=True
        )
        try:
            for piece in without_references(body, _PIECE_BYTES):
                parser.feed(piece)
                yield _PIECE_BYTES
            parser.close()
        except (etree.XMLSyntaxError, _NoSourceError):
            is_cut = True
        if target.found is None:
            return None
        found, is_cut = target.found, is_cut or target.depth > 0
    found.is_cut = is_cut
    return found


def unpacked(body: bytes, max_bytes: int) -> tuple[bytes, bool]:
    """Return a body, unpacked if it is gzip, up to ``max_bytes``, and whether that is not all of it.

    >>> import gzip
    >>> unpacked(gzip.compress(b"<" * 1000), 10)
    (b'<<<<<<<<<<', True)
    """
    if not body.startswith(_GZIP):
        return body[:max_bytes], len(body) > max_bytes
    pieces, room = [], max_bytes
    try:
        while body.startswith(_GZIP) and room > 0:  # one file may hold several
            inflater = zlib.decompressobj(31)
            pieces.append(inflater.decompress(body, room))
            room -= len(pieces[-1])
            if not inflater.eof:
                return b"".join(pieces), True
            body = inflater.unused_data
    except zlib.error:
        return b"".join(pieces), True
    return b"".join(pieces), body.startswith(_GZIP)


class _NoSourceError(Exception):
    """The root of the document is none of a source."""


class _Target:
    """Takes the parser's events; keeps no more of the document than its entries."""

    def __init__(self) -> None:
        self.found: LinkList | None = None
        #: Open elements.
        self.depth = 0
        self._entry_depth = self._field_depth = 0
        self._entry_tag = ""
        self._field = ""
        self._pieces: list[str] = []
        self._n_chars = 0
        self._fields: dict[str, str] = {}
        #: What relative URLs are resolved against, by the depths of the open elements that say so.
        self._bases: dict[int, str] = {}

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Take the start of an element."""
        self.depth += 1
        namespace, _, name = tag.rpartition("}")
        if (base := attributes.get(_BASE)) and not self._field:
            self._bases[self.depth] = self._resolved(with_references(base))
        if self.found is None:
            if name not in _KIND_OF:
                raise _NoSourceError
            self.found, self._entry_tag = LinkList(_KIND_OF[name]), _ENTRY_OF[name]
        elif self._field:
            return
        elif not self._entry_depth:
            if name == self._entry_tag:
                self._entry_depth, self._fields = self.depth, {}
            elif name == "title" and self.depth <= 3 and not self.found.title:
                self._begin("title")
        elif (self.depth == self._entry_depth + 1 and name in _FIELD_OF) or _NEWS in namespace:
            self._begin_field(name, attributes)

    def end(self, tag: str) -> None:
        """Take the end of an element."""
        if self._field and self.depth == self._field_depth:
            text = with_references("".join(self._pieces)).strip()
            if self._entry_depth:
                is_url = self._field in ("url", "guid")
                self._fields.setdefault(self._field, self._resolved(text) if is_url else text)
            elif self.found is not None:
                self.found.title = plain_text(text, _MAX_TITLE_CHARS)
            self._field = ""
        elif self._entry_depth == self.depth:
            self._entry_depth = 0
            self._add()
        if self._bases and not self._field:
            self._bases.pop(self.depth, None)
        self.depth -= 1

    def data(self, text: str) -> None:
        """Take a piece of text."""
        if self._field and self._n_chars < _MAX_RAW_CHARS:
            self._pieces.append(text[:_MAX_RAW_CHARS])
            self._n_chars += len(text)

    def close(self) -> None:
        """Do nothing at the end of a document; lxml requires the method."""

    def _resolved(self, url: str) -> str:
        """Return a URL, resolved against the `xml:base` of the elements around it; it may still be relative."""
        if self._bases and url:
            with suppress(ValueError):
                return urljoin(next(reversed(self._bases.values())), url)
        return url

    def _begin(self, name: str) -> None:
        self._field, self._field_depth, self._pieces, self._n_chars = name, self.depth, [], 0

    def _begin_field(self, name: str, attributes: Mapping[str, str]) -> None:
        wanted = _FIELD_OF.get(name, "")
        if wanted == "guid" and attributes.get("isPermaLink", "true").lower() == "false":
            return
        if name == "link" and "href" in attributes:
            if attributes.get("rel", "alternate") == "alternate":
                self._fields.setdefault("url", self._resolved(with_references(attributes["href"])))
        elif wanted and not self._fields.get(wanted):
            self._fields.pop(wanted, None)  # what was empty
            self._begin(wanted)

    def _add(self) -> None:
        assert self.found is not None
        said = self._fields
        url = (said.get("url") or said.get("guid") or "").strip()
        if not url or len(url) > _MAX_URL_CHARS:
            return
        if len(self.found.entries) >= MAX_ENTRIES:
            self.found.n_left += 1
            return
        date = (seconds_of(said["date"]) if said.get("date") else None) or 0.0
        title = plain_text(said.get("title", ""), _MAX_TITLE_CHARS)
        self.found.entries.append(ListedPage(url, title, plain_text(said.get("text", ""), _MAX_TEXT_CHARS), date))


def plain_text(text: str, most: int) -> str:
    """Return a text without tags and entities, white space folded, cut at a number of characters.

    >>> plain_text("<p>Bees &amp; <b>wasps</b> </p>", 12)
    'Bees & wasps'
    """
    if "<" in text or "&" in text:
        text = unescape(_tags.sub(" ", text))
    return " ".join(text.split())[:most]


def _of_text(body: bytes) -> LinkList:
    """Return a sitemap of plain text: a URL a line."""
    lines = body.decode("utf-8", "replace").split("\n")
    urls = [line.strip() for line in lines if line[:4].lower() == "http" and len(line) <= _MAX_URL_CHARS]
    entries = [ListedPage(url) for url in dict.fromkeys(urls)]
    return LinkList(SITEMAP, entries=entries[:MAX_ENTRIES], n_left=max(len(entries) - MAX_ENTRIES, 0))
