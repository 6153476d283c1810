"""Build the link graph of a recorded web, with links as a crawl sees them."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

import numpy as np
from protego import Protego
from scrapy.http import Headers, TextResponse
from scrapy.responsetypes import responsetypes
from w3lib.url import safe_url_string

from focused.crawl.reader_and_judge import make_reader
from focused.evaluation.graph import NOWHERE, LinkGraph, load_graph
from focused.method.page.encoding import may_be_text
from focused.method.page.urls import NOT_A_PAGE
from focused.method.topic import Analyzer
from focused.method.training.example_sources import header
from focused.method.training.page_set import untracked
from focused.utils.crawl_settings import NOFOLLOW_ENABLED, PAGE_READER
from focused.webs import REDIRECTS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from focused.method.training.page_set import Track
    from focused.webs import Answer, RecordedWeb

FORMAT = 4
"""Version of the graphs; it rises when older graphs would be wrong."""

_NOTHING = "User-agent: *\nDisallow: /"
_MAX_SPELLINGS = 4
"""Most readings of a page under other URLs, on average: a tolerant web could have endless URLs."""


class PageResolver:
    """Finds the page of a web that a URL leads to, as a crawl would.

    Settings read: REDIRECT_MAX_TIMES, ROBOTSTXT_OBEY, USER_AGENT, ROBOTSTXT_USER_AGENT.
    """

    def __init__(self, web: RecordedWeb, settings: Any) -> None:
        self.web = web
        self._max_redirects = settings.getint("REDIRECT_MAX_TIMES")
        self._obeys = settings.getbool("ROBOTSTXT_OBEY")
        self._agent = str(settings.get("ROBOTSTXT_USER_AGENT") or settings.get("USER_AGENT"))
        self._robots: dict[str, Protego | None] = {}

    def page_of(self, url: str) -> str | None:
        """Return the web's URL of the page that a URL leads to; None if it leads to none.

        The page may be without text.
        """
        answered = self.answered(url)
        return None if answered is None else answered[0]

    def answered(self, url: str) -> tuple[str, str] | None:
        """Return the web's URL of the page that a URL leads to, and the last URL after redirects."""
        return self._followed(url, self._may_fetch)

    def _followed(self, url: str, may_fetch: Callable[[str], bool]) -> tuple[str, str] | None:
        for _ in range(self._max_redirects + 1):
            url = url.partition("#")[0]
            found = self.web.index.find(url)
            if found is None or not may_fetch(url):
                return None
            page, _match = found
            if 200 <= page.status < 300:
                return page.url, url
            if page.status and page.status not in REDIRECTS:
                return None
            answer = self.web.answer(url)
            if 200 <= answer.status < 300:  # a revisit: its status is in another record
                return page.url, url
            location = header(answer, "location")
            if answer.status not in REDIRECTS or not location:
                return None
            try:
                url = urljoin(url, safe_url_string(location.encode("latin-1")))
            except (ValueError, UnicodeError):
                return None
        return None

    def _may_fetch(self, url: str) -> bool:
        if not self._obeys:
            return True
        try:
            parts = urlsplit(url)
        except ValueError:
            return False
        origin = f"{parts.scheme}://{parts.netloc}"
        if origin not in self._robots:
            self._robots[origin] = self._read_robots(f"{origin}/robots.txt")
        rules = self._robots[origin]
        return rules is None or bool(rules.can_fetch(url, self._agent))

    def _read_robots(self, url: str) -> Protego | None:
        place = self._followed(url, lambda _: True)
        if place is None:
            found = self.web.index.find(url)
            # If it cannot be fetched, nothing is allowed; a missing one allows everything.
            return Protego.parse(_NOTHING) if found is not None and found[0].status >= 500 else None
        body = self.web.answer(place[0]).body
        return Protego.parse(body.decode("utf-8", "ignore"))


def graph_of(web: RecordedWeb, sha256: str, settings: Any, fallback: Path, track: Track) -> tuple[LinkGraph, Path]:
    """Return the link graph of a web, from the disk if it exists, and its path.

    It is kept beside the web's index, or in the fallback folder if that cannot be written.
    URLs that the settings of the crawls refuse are no links. ``track`` wraps a list, named by its second argument, to show
    progress; ``sha256`` is of the web's file.
    """
    key = _key(sha256, settings)
    name = web.path.name
    places = [web.index.path.with_name(f"{name}.{key}.graph.npz"), fallback / f"{name}.{key}.graph.npz"]
    for path in places:
        graph = load_graph(path)
        if graph is not None:
            return graph, path
    graph = build_graph(web, settings, track)
    try:
        graph.save(places[0])
    except OSError:
        graph.save(places[1])
        return graph, places[1]
    return graph, places[0]


def _key(sha256: str, settings: Any) -> str:
    names = ["REDIRECT_MAX_TIMES", "ROBOTSTXT_OBEY", "USER_AGENT", "ROBOTSTXT_USER_AGENT", NOFOLLOW_ENABLED.name]
    names += sorted(name for name in map(str, settings) if name.startswith("FOCUSED_PAGE_MAX_"))
    names += [PAGE_READER.name] if PAGE_READER.read(settings) else []
    about = [FORMAT, sha256, *(f"{name}={settings.get(name)}" for name in names)]
    return hashlib.sha256(json.dumps(about).encode()).hexdigest()[:12]


def build_graph(web: RecordedWeb, settings: Any, track: Track = untracked) -> LinkGraph:
    """Read every page of a web, and resolve each of its links.

    A tolerant web answers a page under several URLs, and relative links depend on the requested one. So a page has the links
    of all URLs that lead to it.
    """
    reader = make_reader(Analyzer("en"), settings)
    reader.not_a_page = NOT_A_PAGE  # the crawls of an evaluation read no PDF files
    follows_nofollow = not NOFOLLOW_ENABLED.read(settings)
    resolver = PageResolver(web, settings)
    pages: dict[str, int] = {}
    links: dict[str, int] = {}
    page_links: list[dict[int, None]] = []

    def read(url: str, name: str) -> None:
        """Read a page under one of its URLs."""
        answer = web.answer(name)
        if not 200 <= answer.status < 300 or not is_text(name, answer):
            return
        page = reader.read(answer.body, url, header(answer, "content-type") or "")
        if pages.setdefault(name, len(pages)) == len(page_links):
            page_links.append({})
        may_refuse = not follows_nofollow and (page.marked_text.nofollow or page.marked_text.nofollow_links)
        page_links[pages[name]] |= {
            links.setdefault(link, len(links)): None
            for link, number in page.link_numbers.items()
            if not (may_refuse and page.is_nofollow(page.links[number]))
        }

    for page in track([page for page in web.index.pages() if not page.status or 200 <= page.status < 300], "pages"):
        read(page.url, page.url)
    leads_to: list[int] = []
    known = set(pages)
    n_spellings = _MAX_SPELLINGS * len(pages)
    while len(leads_to) < len(links):
        for link in track(list(links)[len(leads_to) :], "links"):
            answered = resolver.answered(link)
            leads_to.append(NOWHERE if answered is None else pages.get(answered[0], NOWHERE))
            if answered is not None and leads_to[-1] != NOWHERE and answered[1] not in known and n_spellings:
                known.add(answered[1])
                n_spellings -= 1
                read(answered[1], answered[0])
    return LinkGraph(
        list(pages),
        list(links),
        np.array(leads_to, dtype=np.int64),
        np.cumsum([0, *map(len, page_links)], dtype=np.int64),
        np.array([link for found in page_links for link in found], dtype=np.int64),
    )


def is_text(url: str, answer: Answer) -> bool:
    """Tell whether a crawl treats an answer as a page: text for Scrapy, neither empty nor binary for us."""
    headers = Headers()
    for name, value in answer.headers:
        headers.appendlist(name.encode("latin-1", "replace"), value.encode("latin-1", "replace"))
    kind = responsetypes.from_args(headers=headers, url=url, body=answer.body)
    return issubclass(kind, TextResponse) and may_be_text(answer.body)
