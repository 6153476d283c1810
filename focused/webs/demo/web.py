"""The demo web: a generated web to crawl without a network, of any size, the same for the same seed.

Every page is computed on demand from a hash of the seed and its number; only one record a host and caches of bounded size are
kept.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING
from zlib import crc32

from focused.webs.demo import special_urls
from focused.webs.demo.graph import document
from focused.webs.demo.pages import html
from focused.webs.demo.seeded_random import Dice, mix, share
from focused.webs.demo.site import Site
from focused.webs.demo.urls import Urls
from focused.webs.demo.words import TOPICS
from focused.webs.recorded.answer import Answer, missing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from focused.webs.demo.document import Document
    from focused.webs.demo.site import DemoPage

MAX_PAGES = 1_000_000
MIN_PAGES_PER_HOST = 20
_FAILING = re.compile(r"/render/[0-9]{5}\.html")


class DemoWeb:
    """A generated web (implements `Web`).

    ``n_pages``: pages that answer 200, all counted in the labels: 20 a host to 1,000,000. ``n_hosts``: hosts, at least 2 *
    n_topics + 1, so that every topic has a host of its own. ``n_topics``: 2 to 8, the first of the eight topics; neighbours
    share words. ``seed``: another seed gives another web. Raises ValueError if a number is out of its range.
    """

    def __init__(self, n_pages: int = 6000, n_hosts: int = 40, n_topics: int = 8, seed: int = 0) -> None:
        _check("n_topics", n_topics, 2, len(TOPICS))
        _check("n_hosts", n_hosts, 2 * n_topics + 1, MAX_PAGES // MIN_PAGES_PER_HOST)
        _check("n_pages", n_pages, n_hosts * MIN_PAGES_PER_HOST, MAX_PAGES)
        self.n_pages = int(n_pages)
        self.topics: tuple[str, ...] = tuple(topic.name for topic in TOPICS[:n_topics])
        self._seed = int(seed)
        self._site = Site(int(n_pages), int(n_hosts), int(n_topics), int(seed))
        self._urls = Urls(self._site)
        self._counts: Counter[str | None] | None = None

    def answer(self, url: str) -> Answer:
        """Answer a URL as the server would; a page that is not there is a 404 with match "missing"."""
        split = self._urls.split(url)
        if split is None:
            return missing()
        host, path = split
        latency_secs = _latency_secs(path) if host.slow else 0.0
        number = self._urls.page(host, path)
        if number is not None:
            return self._page(number, latency_secs)
        if path == "/robots.txt":
            return special_urls.robots(latency_secs)
        number = self._urls.target(host, path)
        if number is not None:
            return special_urls.redirect(self._urls.url(number), number % 2 == 0, latency_secs)
        if _FAILING.fullmatch(path):
            return special_urls.failure(latency_secs)
        return special_urls.calendar(host, path, self._seed, latency_secs) or missing()

    def _page(self, number: int, latency_secs: float) -> Answer:
        place = self._site.place(number)
        if place.kind == "copy":
            # The source's host renders it, so a copy is equal byte for byte.
            place = self._site.place(place.source)
        body, content_type = special_urls.encode(html(self._document(place), place.host), place.host)
        return special_urls.respond(200, content_type, body, latency_secs)

    def _document(self, place: DemoPage) -> Document:
        return document(self._site, self._urls, place)

    def close(self) -> None:
        """Do nothing: no file is open."""

    @property
    def origins(self) -> list[str]:
        """All hosts, as scheme and name."""
        return list(self._site.hosts.by_origin)

    def is_page(self, url: str) -> bool:
        """Tell whether a URL is one of the pages (and no redirect, error, calendar or robots.txt)."""
        return self._page_number(url) is not None

    def label(self, url: str) -> str | None:
        """Return the topic of a page; None for hubs, pages about everyday things, and URLs that are no page."""
        number = self._page_number(url)
        return None if number is None else self._topic(number)

    def _page_number(self, url: str) -> int | None:
        split = self._urls.split(url)
        return None if split is None else self._urls.page(*split)

    def labels(self) -> Iterator[tuple[str, str | None]]:
        """Iterate over all pages: URL and topic (None for hubs and pages about everyday things)."""
        for number in range(self.n_pages):
            yield self._urls.url(number), self._topic(number)

    def relevant_count(self, topic: str) -> int:
        """Count the pages of a topic; the first call visits every page (a few seconds a million)."""
        self._number_of(topic)
        if self._counts is None:
            self._counts = Counter(map(self._topic, range(self.n_pages)))
        return self._counts[topic]

    def seeds(self, topic: str, n: int = 5) -> list[str]:
        """Return up to n URLs to start from: home and hub pages of general hosts that cover the topic."""
        number = self._number_of(topic)
        dice = Dice(mix(self._seed, 30, number))
        hosts = [host for host in self._site.hosts.hubs if number in host.topics] or self._site.hosts.hubs
        found = [self._site.hosts.all[0].start]  # from here everything can be reached
        for _ in range(50 * n):
            host = dice.pick(hosts)
            page = host.start + dice.below(host.size)
            if self._site.place(page).kind in ("hub", "home") and page not in found:
                found.append(page)
        return [self._urls.url(page) for page in found[:n]]

    def examples(self, topic: str, n: int, random_state: int = 0) -> list[tuple[str, bytes]]:
        """Draw n pages of a topic as training examples: (URL, HTML)."""
        return self._draw(topic, n, random_state)

    def unlabeled(self, n: int, random_state: int = 0) -> list[tuple[str, bytes]]:
        """Draw n pages of the whole web: (URL, HTML)."""
        return self._draw(None, n, random_state)

    def _draw(self, topic: str | None, n: int, random_state: int) -> list[tuple[str, bytes]]:
        numbers: list[int] = []
        # Each topic has another order, so that positives and unlabelled pages of one random state are drawn independently.
        order = 0 if topic is None else 1 + self._number_of(topic)
        for number in Dice(mix(self._seed, 40, int(random_state), order)).permutation(self.n_pages):
            if len(numbers) == n:
                break
            if topic is None or self._topic(number) == topic:
                numbers.append(number)
        if len(numbers) == n:
            return [(self._urls.url(number), self._page(number, 0.0).body) for number in numbers]
        what = f"pages about {topic}" if topic else "pages"
        raise ValueError(f"The demo web has {len(numbers)} {what}. Got n={n}: ask for fewer, or make it larger.")

    def _topic(self, number: int) -> str | None:
        topic = self._site.place(number).topic
        return None if topic is None else self.topics[topic]

    def _number_of(self, topic: str) -> int:
        if topic not in self.topics:
            raise ValueError(f"The demo web has the topics {', '.join(self.topics)}. Got {topic!r}.")
        return self.topics.index(topic)


def _latency_secs(path: str) -> float:
    return 0.2 + 0.6 * share(mix(crc32(path.encode("utf-8", "replace"))))


def _check(name: str, value: int, lowest: int, highest: int) -> None:
    if not lowest <= value <= highest:
        raise ValueError(f"{name} of the demo web must be {lowest} to {highest}. Got {value}.")
