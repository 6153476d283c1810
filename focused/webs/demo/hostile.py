"""The hostile web: the demo web, some of whose pages link to traps."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from focused.webs.demo import special_urls
from focused.webs.demo.document import Block
from focused.webs.demo.pages import html
from focused.webs.demo.seeded_random import Dice, mix
from focused.webs.demo.traps import N_MIRRORS, TRAPS, Place, TrapPages, lure
from focused.webs.demo.web import DemoWeb
from focused.webs.demo.words import TOPICS
from focused.webs.recorded.answer import Answer, missing

if TYPE_CHECKING:
    from focused.webs.demo.document import Document
    from focused.webs.demo.site import DemoPage

ALL, NONE = "all", "none"
ENTRIES = ("relevant", "irrelevant")

_LURED_SHARE = 0.1
"""Of the pages about a topic: so many link to one of its traps. Homes and hubs link to every trap."""
_HOST = re.compile(
    rf"http://(?:(?P<label>[a-z0-9-]+)\.)?(?P<topic>[a-z]+)-(?:(?P<number>[0-9]{{1,3}})-)?(?P<word>{'|'.join(TRAPS.values())})"
    r"\.example(?P<path>/.*|)"
)
_START = re.compile(r"http://www\.(?P<topic>[a-z]+)-start\.example/")
_OF_WORD = {word: name for name, word in TRAPS.items()}


class HostileWeb(DemoWeb):
    """A demo web with traps (implements `Web`). Pages, labels and seeds are the demo web's; no page of a trap is among them.

    ``traps``: names of `focused.webs.demo.traps.TRAPS`, separated by commas; ``all`` or ``none``. ``entries``: whether the
    page of a trap that honest pages link to is ``relevant``, that is about the topic of the links to it, or ``irrelevant``.
    The other arguments are those of `DemoWeb`. Raises ValueError if there is no such trap.
    """

    def __init__(
        self,
        n_pages: int = 6000,
        n_hosts: int = 40,
        n_topics: int = 8,
        seed: int = 0,
        traps: str = ALL,
        entries: str = ENTRIES[0],
    ) -> None:
        super().__init__(n_pages, n_hosts, n_topics, seed)
        self.traps = _names(traps)
        if entries not in ENTRIES:
            raise ValueError(f"entries of the hostile web must be {' or '.join(ENTRIES)}. Got {entries!r}.")
        self._pages = TrapPages(int(seed), relevant_entries=entries == ENTRIES[0])

    def answer(self, url: str) -> Answer:
        """Answer a URL as the server would answer a crawler."""
        place = self._trap_place(url)
        if place is not None:
            return self._trap_answer(place)
        found = _START.fullmatch(url)
        if found is not None and found["topic"] in self.topics:
            start = Place("start", self.topics.index(found["topic"]), url[:-1], "", "/")
            return self._respond(self._pages.start(start, self.traps), start)
        return super().answer(url)

    def answer_person(self, url: str) -> Answer:
        """Answer a URL as the server would answer a person's browser: cloaked pages are other ones."""
        place = self._trap_place(url)
        if place is None or place.name != "cloaked":
            return self.answer(url)
        return self._respond(self._pages.advertisement(place), place)

    def start(self, topic: str) -> str:
        """Return the URL of a page that links to each trap of a topic, in its words: a seed that leads into all of them."""
        return f"http://www.{self.topics[self._number_of(topic)]}-start.example/"

    def trap(self, url: str) -> str | None:
        """Return the name of the trap that a URL belongs to; None for other URLs."""
        place = self._trap_place(url)
        return None if place is None else place.name

    def _document(self, place: DemoPage) -> Document:
        doc = super()._document(place)
        dice = Dice(mix(place.state, 60))
        topics = [topic for topic in place.host.topics if topic is not None]
        if not self.traps or not topics:
            return doc
        lured: list[tuple[str, int]] = []
        if place.kind in ("home", "hub"):
            lured = [(name, dice.pick(topics)) for name in self.traps]
        elif place.topic is not None and dice.chance(_LURED_SHARE):
            lured = [(dice.pick(self.traps), place.topic)]
        if lured:
            doc.side.append(Block("partners", "Recommended", tuple(lure(dice, *each) for each in lured)))
        return doc

    def _trap_place(self, url: str) -> Place | None:
        found = _HOST.fullmatch(url)
        if found is None or _OF_WORD[found["word"]] not in self.traps:
            return None
        name = _OF_WORD[found["word"]]
        numbered = name in ("exchange", "mirrors")
        if (found["topic"] not in self.topics) or (found["number"] is not None) != numbered:
            return None
        if found["label"] is not None and name != "subdomains":
            return None
        path = found["path"] or "/"
        label = found["number"] if numbered else found["label"] or ""
        return Place(name, self.topics.index(found["topic"]), url[: len(url) - len(found["path"])], label, path)

    def _trap_answer(self, place: Place) -> Answer:
        if place.path == "/robots.txt":
            if place.name == "robots5xx":
                return special_urls.respond(503, "text/plain; charset=utf-8", b"", 0.0)
            return missing()
        if place.name == "mirrors":
            return self._mirrored(place)
        doc = self._pages.document(place)
        return missing() if doc is None else self._respond(doc, place)

    def _respond(self, doc: Document, place: Place) -> Answer:
        host = self._pages.host(place)
        body, content_type = special_urls.encode(html(doc, host), host)
        return special_urls.respond(200, content_type, body, 0.0)

    def _mirrored(self, place: Place) -> Answer:
        """Answer as the first specialist host of the topic, under the mirror's own name."""
        if int(place.label) >= N_MIRRORS:
            return missing()
        source = next(host for host in self._site.hosts.all if host.role in "SI" and host.topics[0] == place.topic)
        answer = super().answer(source.origin + place.path)
        body = answer.body.replace(f'"{source.origin}'.encode(), f'"{place.origin}'.encode())
        if place.is_entry:
            others = "".join(
                f'<p><a href="{place.origin.replace("-0-", f"-{n}-")}/">{TOPICS[place.topic].title} mirror {n}</a></p>'
                for n in range(1, N_MIRRORS)
            )
            body = body.replace(b"</body>", others.encode() + b"</body>")
        headers = tuple(
            (name, str(len(body)) if name == "Content-Length" else value.replace(source.origin, place.origin))
            for name, value in answer.headers
        )
        return Answer(answer.status, headers, body, answer.latency_secs, answer.match)


def _names(traps: str) -> tuple[str, ...]:
    if traps == ALL:
        return tuple(TRAPS)
    names = [] if traps == NONE else [name.strip() for name in traps.split(",")]
    if unknown := [name for name in names if name not in TRAPS]:
        raise ValueError(
            f"traps of the hostile web must be {ALL}, {NONE} or some of {', '.join(TRAPS)}. Got {unknown[0]!r}."
        )
    return tuple(dict.fromkeys(names))
