"""The link graph of a recorded web: the pages that a crawl can reach."""

from __future__ import annotations

import io
import zipfile
import zlib
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

Integers = npt.NDArray[np.int64]

NOWHERE = -1
"""Stands for the target of a dead link."""

_ARRAYS = ("pages", "links", "link_page", "start", "page_links")


@dataclass
class LinkGraph:
    """The pages of a web and their links as a crawl sees them: redirects are followed, robots.txt is obeyed."""

    #: URL of each page, as the web names it.
    pages: list[str]
    #: The different URLs that pages link to.
    links: list[str]
    #: The page that each link leads to, or ``NOWHERE``; shape (n_links,).
    link_page: Integers
    #: The links of page i are ``page_links[start[i]:start[i + 1]]``, in document order; shape (n_pages + 1,).
    start: Integers
    page_links: Integers

    @cached_property
    def page_number(self) -> dict[str, int]:
        """The number of each page, by URL."""
        return {url: number for number, url in enumerate(self.pages)}

    @cached_property
    def targets(self) -> list[list[int]]:
        """For each page the different pages it links to, without itself, in document order."""
        of_links = self.link_page[self.page_links].tolist()
        bounds = self.start.tolist()
        return [
            [target for target in dict.fromkeys(of_links[first:last]) if target not in (NOWHERE, page)]
            for page, (first, last) in enumerate(pairwise(bounds))
        ]

    def depths(self, seeds: Iterable[int], max_depth: int | None = None) -> Integers:
        """Return the length of the shortest path from the seeds to each page, in links; -1 if there is none.

        ``seeds``: page numbers. ``max_depth``: go no deeper. The result is of shape (n_pages,).
        """
        found = np.full(len(self.pages), -1, dtype=np.int64)
        level = list(dict.fromkeys(seeds))
        found[level] = depth = 0
        while level and (max_depth is None or depth < max_depth):
            depth += 1
            following: list[int] = []
            for page in level:
                for target in self.targets[page]:
                    if found[target] < 0:
                        found[target] = depth
                        following.append(target)
            level = following
        return found

    def save(self, path: Path) -> None:
        """Write the graph; the file is complete or absent."""
        buffer = io.BytesIO()
        np.savez_compressed(
            buffer,
            pages=_packed(self.pages),
            links=_packed(self.links),
            link_page=self.link_page,
            start=self.start,
            page_links=self.page_links,
        )
        part = path.with_name(f".{path.name}.part")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            part.write_bytes(buffer.getvalue())
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)


def load_graph(path: Path) -> LinkGraph | None:
    """Read a graph; None if the file is missing or damaged."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in _ARRAYS}
        pages, links = _unpacked(arrays["pages"]), _unpacked(arrays["links"])
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error):
        return None
    graph = LinkGraph(pages, links, arrays["link_page"], arrays["start"], arrays["page_links"])
    fits = len(graph.link_page) == len(links) and len(graph.start) == len(pages) + 1
    return graph if fits and graph.start[-1] == len(graph.page_links) else None


def _packed(urls: list[str]) -> npt.NDArray[np.uint8]:
    return np.frombuffer("\n".join(urls).encode(), dtype=np.uint8)


def _unpacked(data: npt.NDArray[np.uint8]) -> list[str]:
    return data.tobytes().decode().split("\n") if data.size else []
