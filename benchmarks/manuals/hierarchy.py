"""Find the chapter of a manual's page by the page's link upwards."""

from __future__ import annotations

import html
import posixpath
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

    from manuals.web import ManualWeb

# As Texinfo, DocBook and BoostBook write it.
_UP = re.compile(rb'<a accesskey="u" href="([^"#]+)|<link href="([^"#]+)" rel="up"')
_MAX_STEPS = 20


def chains_upwards(web: ManualWeb, urls: Mapping[str, str]) -> dict[str, list[str]]:
    """Return for each path of a manual the paths from that page up to the top, itself first.

    A page without a link upwards is its own chain; a cycle ends where it closes.
    """
    parents = {}
    for path, url in urls.items():
        if match := _UP.search(web.pages[url]):
            target = html.unescape((match[1] or match[2]).decode())
            parents[path] = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    chains = {}
    for path in urls:
        chain, here = [path], parents.get(path)
        while here and here not in chain and len(chain) < _MAX_STEPS:
            chain.append(here)
            here = parents.get(here)
        chains[path] = chain
    return chains


def label_chapters(web: ManualWeb, urls: Mapping[str, str], chapters: Mapping[str, Container[str]]) -> None:
    """Give each page the labels whose chapters (paths of their first pages) it is, or is below of."""
    for path, chain in chains_upwards(web, urls).items():
        web.labels[urls[path]] |= {label for label, tops in chapters.items() if any(up in tops for up in chain)}


def chapters_in_contents(contents: str) -> list[tuple[str, str]]:
    """Return (path, chapter) of each entry in the table of contents of a Publican book, in its order.

    Parts of a chapter on other pages belong to it; a path may occur more than once.
    """
    entries = re.findall(r'<span class="(chapter|section|preface|appendix)"><a href="([^"#]+)(?:#[^"]*)?"', contents)
    chapter, found = "", []
    for kind, path in entries:
        if kind != "section":
            chapter = path.removesuffix(".html")
        found.append((path, chapter))
    return found
