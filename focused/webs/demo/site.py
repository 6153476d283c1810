"""The kind, topic and title of each page of the demo web, computed from its number, never stored."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate

from focused.webs.demo.hosts import Host, Hosts
from focused.webs.demo.prose import SECTION_NAMES, TITLES, VAGUE_TITLES, Writer
from focused.webs.demo.seeded_random import Dice, mix, share
from focused.webs.demo.templates import VAGUE_SECTIONS
from focused.webs.demo.words import TOPICS

# The pages in an ordinary slot of a section, by the role of the host; the rest are articles.
_SPECIAL = {
    "P": (("hub", 0.30), ("gateway", 0.10)),
    "U": (("hub", 0.12), ("gateway", 0.08)),
    "M": (("hub", 0.10),),
    "B": (("gateway", 0.05),),
}
_COPY_SHARE = 0.04
_FOREIGN_SHARE = 0.015
_SERIES = {
    "hub": ("Our pick, no.", "Worth reading, part", "Guide, page", "Best of the web, week", "Index, page"),
    "gateway": ("Links, page", "Friends of the house, part", "Other people, no.", "Resources, page"),
}
_STRAY_SHARE = {"P": 0.2, "U": 0.12, "M": 0.15, "B": 0.35, "S": 0.05, "I": 0.03}  # off their section's topic
LONG_SECTION = 8  # a longer section has a second page of its listing
_CACHED_PAGES = 1 << 14  # bounds memory; a crawl meets the same links again and again


@dataclass(frozen=True, slots=True)
class DemoPage:
    """One page: its place in the web, and its kind.

    Kinds: "home", "front" (of a section), "list" (its second page), "article", "hub" (several topics), "gateway" (links to
    islets), "copy" (another page's content), "foreign" (no English).
    """

    number: int
    host: Host
    section: int  # -1: the home page
    slot: int
    kind: str
    topic: int | None
    state: int  # hash, the source of all random numbers of this page
    source: int = -1  # the page that a copy repeats


class Site:
    """All pages of a demo web, by number. Every method is O(1) in the number of pages."""

    def __init__(self, n_pages: int, n_hosts: int, n_topics: int, seed: int) -> None:
        self.n_pages = n_pages
        self.n_topics = n_topics
        self.seed = seed
        self.hosts = Hosts(n_pages, n_hosts, n_topics, seed)
        topics = (*range(n_topics), None)
        self._shelves = {topic: _TopicSections(self.hosts.all, topic, islets=False) for topic in topics}
        self._islets = {topic: _TopicSections(self.hosts.all, topic, islets=True) for topic in topics}
        self.place = lru_cache(_CACHED_PAGES)(self._place)
        self.title = lru_cache(_CACHED_PAGES)(self._title)

    def _place(self, number: int) -> DemoPage:
        """Say what a page is."""
        place = self._original(number)
        if place.kind != "copy":
            return place
        source = self._original(self.about(place.topic, Dice(mix(place.state, 2))))
        # Only pages with absolute links can be copied byte for byte to another host.
        if source.kind == "article" and source.host.absolute_links and source.host is not place.host:
            return replace(place, topic=source.topic, source=source.number)
        return replace(place, kind="article")

    def _original(self, number: int) -> DemoPage:
        """Return a page without looking up a copy's source: two copies may point at each other."""
        host = self.hosts.of_page(number)
        state = mix(self.seed, 2, number)
        local = number - host.start
        if local == 0:
            return DemoPage(number, host, -1, 0, "home", host.topics[0] if host.role in "SI" else None, state)
        section, slot = divmod(local - 1, host.section_length)
        topic = host.section_topic(section)
        kind = "front" if slot == 0 else self._kind(host, section, slot, share(mix(state, 1)))
        if kind in ("hub", "gateway", "foreign"):
            topic = None
        elif kind == "article":
            stray = mix(state, 3)
            if share(stray) < _STRAY_SHARE[host.role]:
                topic = (*range(self.n_topics), None, None)[stray % (self.n_topics + 2)]
        return DemoPage(number, host, section, slot, kind, topic, state)

    def _kind(self, host: Host, section: int, slot: int, chance: float) -> str:
        if slot == 1 and host.section_size(section) > LONG_SECTION:
            return "list"
        for kind, part in (*_SPECIAL.get(host.role, ()), ("foreign", _FOREIGN_SHARE), ("copy", _COPY_SHARE)):
            if chance < part:
                return kind
            chance -= part
        return "article"

    def about(self, topic: int | None, dice: Dice) -> int:
        """Draw a page in a section about a topic, not on an islet."""
        shelf = self._shelves[topic]
        return shelf.draw(dice) if shelf else self.anywhere(dice)

    def islet(self, topic: int | None, dice: Dice) -> int:
        """Draw a page in an islet's section about a topic; any page about it if there is no islet."""
        shelf = self._islets[topic]
        return shelf.draw(dice) if shelf else self.about(topic, dice)

    def anywhere(self, dice: Dice) -> int:
        """Draw any page outside the islets."""
        while True:
            number = dice.below(self.n_pages)
            if self.hosts.of_page(number).role != "I":
                return number

    def _title(self, number: int) -> str:
        place = self.place(number)
        host = place.host
        if place.kind == "copy":
            return self.title(place.source)
        if place.kind == "home":
            return host.title
        dice = Dice(mix(place.state, 4))
        if place.kind == "front":
            return self._section_name(place, dice)
        if place.kind == "list":
            return f"{self.title(number - 1)}, page 2"
        if place.kind in _SERIES:
            return f"{dice.pick(_SERIES[place.kind])} {2 + dice.below(200)}"
        writer = Writer(dice, place.topic)
        return writer.one_of(VAGUE_TITLES if dice.chance(0.15) else TITLES)

    def _section_name(self, place: DemoPage, dice: Dice) -> str:
        host = place.host
        if host.role not in "SI" and dice.chance(0.25):
            return dice.pick(VAGUE_SECTIONS)
        name = Writer(dice, place.topic).one_of(SECTION_NAMES)
        if host.role in "SI" or place.topic is None:
            return name
        general = TOPICS[place.topic].title
        return general if place.section < len(host.topics) else f"{general}: {name.lower()}"


class _TopicSections:
    """The sections about one topic, by host: draws one of their pages by bisection."""

    def __init__(self, hosts: list[Host], topic: int | None, *, islets: bool) -> None:
        self._entries: list[tuple[Host, int]] = []  # (host, position in its cycle of topics)
        weights = []
        for host in hosts:
            if (host.role == "I") != islets:
                continue
            for position in range(min(len(host.topics), host.n_sections)):
                if host.topics[position] == topic:
                    self._entries.append((host, position))
                    weights.append(-(-(host.n_sections - position) // len(host.topics)))
        self._bounds = list(accumulate(weights))

    def __bool__(self) -> bool:
        return bool(self._entries)

    def draw(self, dice: Dice) -> int:
        which = bisect_right(self._bounds, dice.random() * self._bounds[-1])
        host, position = self._entries[which]
        cycle = len(host.topics)
        section = position + cycle * dice.below(-(-(host.n_sections - position) // cycle))
        return host.section_start(section) + dice.below(host.section_size(section))
