"""The hosts of the demo web: their roles, their topics, and their pages.

Pages are numbered across all hosts; a host owns a range of numbers. Its first page is its home page, the others form sections
of equal length. So a page's place follows from its number by arithmetic, and only one small record for each host is stored.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from focused.webs.demo import words
from focused.webs.demo.seeded_random import Dice, mix
from focused.webs.demo.words import TOPICS

if TYPE_CHECKING:
    from collections.abc import Sequence

# The roles of hosts, one letter for each host, repeated: Portal, University, Magazine, Specialist, Blog, and Islet. An islet
# is a specialist linked only from homes and gateways of other hosts, so a crawler must pass through irrelevant pages to
# find it.
ROLES = "PMSSUSISBISSMSISUSPISSBIMSSUSIPBMSBISMIU"
SIZE_WEIGHT = {"P": 1.3, "U": 1.1, "M": 1.5, "S": 1.0, "I": 0.9, "B": 0.7}
_WIDTH = {"P": 10, "U": 6, "M": 7, "B": 5}  # topics that a mixed host writes about
_NAMES = {"P": words.PORTALS, "U": words.UNIVERSITIES, "M": words.MAGAZINES, "B": words.BLOGS}
_SMALL_WORD = re.compile(r"(?<=.)\b(?:And|Of|The|To)\b")
LAYOUTS = ("modern", "table", "lists", "blog", "journal")
_LAYOUTS = {
    "P": ("modern", "table", "lists"),
    "U": ("modern", "table", "lists"),
    "M": ("modern", "journal", "table"),
    "S": LAYOUTS,
    "I": LAYOUTS,
    "B": ("blog", "blog", "journal"),
}
URL_STYLES = ("words", "dated", "number", "query", "opaque")
CHARSETS = ("utf-8 header", "utf-8 meta", "cp1252 header", "cp1252 meta", "cp1252 silent", "utf-8 silent")


@dataclass(frozen=True, slots=True)
class Host:
    """One host. ``topics`` is the cycle of topics of its sections; None stands for everyday things."""

    number: int
    role: str
    title: str
    origin: str  # scheme and host name, "http://www.starfield-journal.example"
    topics: tuple[int | None, ...]
    start: int  # number of its home page
    size: int  # pages
    section_length: int
    layout: str
    url_style: str
    charset: str
    hue: int  # of its colours, degrees
    absolute_links: bool
    slow: bool

    @property
    def n_sections(self) -> int:
        """Number of sections; the last one may have fewer pages."""
        return -(-(self.size - 1) // self.section_length)

    def section_topic(self, section: int) -> int | None:
        """Tell what a section is about."""
        return self.topics[section % len(self.topics)]

    def section_size(self, section: int) -> int:
        """Count the pages of a section."""
        return min(self.section_length, self.size - 1 - section * self.section_length)

    def section_start(self, section: int) -> int:
        """Return the number of a section's front page."""
        return self.start + 1 + section * self.section_length


class Hosts:
    """All hosts of a demo web. Memory is one record a host, whatever the number of pages."""

    def __init__(self, n_pages: int, n_hosts: int, n_topics: int, seed: int) -> None:
        roles = [ROLES[number % len(ROLES)] for number in range(n_hosts)]
        weights = list(accumulate(SIZE_WEIGHT[role] for role in roles))
        ends = [round(n_pages * weight / weights[-1]) for weight in weights]
        self._starts = [0, *ends[:-1]]
        seen: Counter[object] = Counter()
        self.all = [
            _host(number, role, seen, start, end - start, n_topics, seed)
            for number, (role, start, end) in enumerate(zip(roles, self._starts, ends, strict=True))
        ]
        self.by_origin = {host.origin: host.number for host in self.all}
        self.hubs = [host for host in self.all if host.role in "PUM"]

    def of_page(self, page: int) -> Host:
        """Find the host that owns a page number."""
        return self.all[bisect_right(self._starts, page) - 1]


def _host(number: int, role: str, seen: Counter[object], start: int, size: int, n_topics: int, seed: int) -> Host:
    """Make a host; ``seen`` counts the hosts so far of each role, and the specialists of each topic."""
    dice = Dice(mix(seed, 1, number))
    everything: list[int | None] = [*range(n_topics), None, None]
    topics: tuple[int | None, ...]
    if role in "SI":
        own = seen[role] % n_topics
        other = dice.pick([topic for topic in everything if topic != own])
        topics = (own, own, own, other, own)
        name = _name(TOPICS[own].sites, seen["about", own])
        seen["about", own] += 1
    else:
        topics = tuple(dice.sample(everything, _WIDTH[role]))
        name = _name(_NAMES[role], seen[role])
    seen[role] += 1
    return Host(
        number=number,
        role=role,
        title=_SMALL_WORD.sub(lambda word: word[0].lower(), name.replace("-", " ").title()),
        origin=f"{dice.pick(('http', 'http', 'https'))}://{dice.pick(('www.', 'www.', ''))}{name}.example",
        topics=topics,
        start=start,
        size=size,
        section_length=12 + dice.below(16),
        layout=_LAYOUTS[role][seen[role] % len(_LAYOUTS[role])],
        url_style=URL_STYLES[(number * 2 + dice.below(2)) % len(URL_STYLES)],
        charset=dice.pick(CHARSETS) if dice.chance(0.35) else "utf-8 header",
        hue=dice.below(360),
        absolute_links=dice.chance(0.5),
        slow=role == "U" and seen["U"] == 1,
    )


def _name(names: Sequence[str], nth: int) -> str:
    again, which = divmod(nth, len(names))
    return names[which] if not again else f"{names[which]}-{again + 1}"
