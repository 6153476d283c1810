"""What the makers share: HTML by hand, and how well a made web hangs together."""

from __future__ import annotations

import re
from collections import Counter
from html import escape, unescape
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urldefrag

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from manuals.web import ManualWeb

T = TypeVar("T")

_HREF = re.compile(rb'href="([^"]+)"')


def document(title: str, body: str, language: str = "en") -> bytes:
    """Return a whole HTML page; the title is plain text, the body HTML."""
    head = f'<!DOCTYPE html><html lang="{language}"><head><meta charset="utf-8"><title>{escape(title)}</title></head>'
    return f"{head}<body>{body}</body></html>".encode("utf-8", "replace")


def link(url: str, text: str) -> str:
    """Return a link whose text is plain."""
    return f'<a href="{escape(url)}">{escape(text)}</a>'


def row(items: Iterable[tuple[str, str]], between: str = " | ") -> str:
    """Return links in a row, from pairs of URL and text."""
    return between.join(link(url, text) for url, text in items)


def bullets(items: Iterable[tuple[str, str]], title: str = "") -> str:
    """Return links as a list under a headline; nothing if there are none."""
    listed = "".join(f"<li>{link(url, text)}</li>" for url, text in items)
    return listed and f"{title and f'<h3>{escape(title)}</h3>'}<ul>{listed}</ul>"


def paragraphs(text: str) -> str:
    """Return plain text as paragraphs; blank lines part them."""
    return "".join(f"<p>{escape(part)}</p>" for part in re.split(r"\n\s*\n", text) if part.strip())


def chunks(items: Sequence[T], size: int) -> list[Sequence[T]]:
    """Part a sequence; of an empty one there is one part, an empty one."""
    return [items[first : first + size] for first in range(0, len(items), size)] or [items]


def links_of(body: bytes) -> Iterator[str]:
    """Yield the URLs that a made page links to."""
    return (urldefrag(unescape(url.decode())).url for url in _HREF.findall(body))


def hops(web: ManualWeb) -> dict[str, int]:
    """Return how many links from the front page each page is; pages that no way leads to are missing."""
    found = {web.front: 0}
    waiting = [web.front]
    for url in waiting:
        for target in links_of(web.pages[url]):
            if target in web.pages and target not in found:
                found[target] = found[url] + 1
                waiting.append(target)
    return found


def summary(web: ManualWeb) -> str:
    """Return how the pages hang together, as a line."""
    n_links = sum(len(set(links_of(body))) for body in web.pages.values())
    near = Counter(hops(web).values())
    reached = 0
    shares = []
    for distance in sorted(near):
        reached += near[distance]
        shares.append(f"{distance}: {reached / len(web.pages):.0%}")
    return (
        f"{n_links / len(web.pages):.0f} links a page; reached from the seed within hops {', '.join(shares[:6])};"
        f" {reached} of {len(web.pages)} within {max(near)}"
    )
