"""The traps of the hostile web: what each answers to a path. Every trap of a topic has hosts of its own, under ``.example``.

A trap attracts with links in the words of its topic. What is behind them has no end, says nothing new, or both.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from zlib import crc32

from focused.webs.demo.document import Block, DemoLink, Document, Paragraph
from focused.webs.demo.hosts import Host
from focused.webs.demo.prose import TEASERS, TITLES, Writer
from focused.webs.demo.seeded_random import Dice, mix
from focused.webs.demo.words import TOPICS, TOWNS

if TYPE_CHECKING:
    from collections.abc import Callable

TRAPS = {
    "farm": "library",
    "session": "forum",
    "endless": "guide",
    "calendar": "society",
    "subdomains": "world",
    "mirrors": "mirror",
    "exchange": "exchange",
    "soft404": "archive",
    "cloaked": "offers",
    "robots5xx": "closed",
}
"""The traps by their names, with the word that their hosts' names have beside the topic's."""

N_MIRRORS = 3
_N_RING = 40
_RING_PAGES = 12
_N_ARTICLES = 30
_FOLDERS = ("history", "images", "basics", "links", "notes", "latest")
_MONTHS = "January February March April May June July August September October November December".split()


@dataclass(frozen=True, slots=True)
class Place:
    """A URL in a trap. ``name``: the trap's. ``label``: what stands before the trap's domain in the host's name."""

    name: str
    topic: int
    origin: str
    label: str
    path: str

    @property
    def is_entry(self) -> bool:
        """Whether honest pages link here."""
        return self.path == "/" and self.label in ("", "www", "0")


class TrapPages:
    """Writes the pages of traps. ``seed``: of the web. ``relevant_entries``: whether entry pages are about their topic."""

    def __init__(self, seed: int, *, relevant_entries: bool) -> None:
        self._seed = seed
        self._relevant_entries = relevant_entries
        self._writers: dict[str, Callable[[Place], Document | None]] = {
            "farm": self._farm,
            "session": self._session,
            "endless": self._endless,
            "calendar": self._calendar,
            "subdomains": self._subdomains,
            "exchange": self._exchange,
            "soft404": self._soft404,
            "cloaked": self._cloaked,
            "robots5xx": self._closed,
        }

    def document(self, place: Place) -> Document | None:
        """Return the page of a place; None if there is none."""
        doc = self._writers[place.name](place)
        if doc is not None and place.is_entry:
            topic = place.topic if self._relevant_entries else None
            dice = self._dice(place, "entry")
            doc.title = Writer(dice, topic).one_of(TITLES)
            doc.paragraphs = _paragraphs(dice, topic, 4)
        return doc

    def host(self, place: Place) -> Host:
        """Return the host of a place, for its layout."""
        title = f"{TOPICS[place.topic].title} {TRAPS.get(place.name, place.name)}"
        layout = ("modern", "blog", "lists")[crc32(place.name.encode()) % 3]
        hue = 37 * place.topic % 360
        return Host(
            0, "S", title, place.origin, (place.topic,), 0, 1, 1, layout, "words", "utf-8 header", hue, True, False
        )

    def _dice(self, place: Place, *about: object) -> Dice:
        return Dice(mix(self._seed, 50, place.topic, crc32(repr((place.name, *about)).encode())))

    def _page(self, place: Place, title: str, paragraphs: list[str], links: list[DemoLink], heading: str) -> Document:
        doc = Document(title, self.host(place).title, "/")
        doc.paragraphs = [Paragraph(text) for text in paragraphs]
        doc.main = [Block("listing", heading, tuple(links))]
        return doc

    def _titled(self, place: Place, dice: Dice, urls: list[str]) -> list[DemoLink]:
        """Link to each URL with a title and a sentence in the words of the topic."""
        writer = Writer(dice, place.topic)
        return [DemoLink(url, writer.one_of(TITLES), teaser=writer.one_of(TEASERS)) for url in urls]

    # --- The traps

    def _farm(self, place: Place) -> Document:
        """New text about the topic on every page, without end."""
        dice = self._dice(place, place.path)
        title = Writer(dice, place.topic).one_of(TITLES)
        links = self._titled(place, dice, [f"/read/{dice.below(1 << 30)}.html" for _ in range(8)])
        return self._written(place, dice, title, links)

    def _session(self, place: Place) -> Document | None:
        """A few articles, each under a new session id wherever it is linked."""
        path, _, query = place.path.partition("?")
        number = dict(part.partition("=")[::2] for part in query.split("&")).get("id", "")
        if path != "/" and (path != "/topic.php" or not _is_number(number) or int(number) >= _N_ARTICLES):
            return None
        dice = self._dice(place, number)
        title = Writer(dice, place.topic).one_of(TITLES)
        visit = self._dice(place, place.path)
        urls = [f"/topic.php?id={dice.below(_N_ARTICLES)}&amp;sid={visit.below(1 << 30):08x}" for _ in range(8)]
        return self._written(place, dice, title, self._titled(place, dice, urls))

    def _endless(self, place: Place) -> Document:
        """Relative links that lead one folder deeper, to the text of the last folder."""
        last = place.path.rstrip("/").rpartition("/")[2]
        dice = self._dice(place, last)
        title = f"{Writer(dice, place.topic).one_of(TITLES)}: {last}"
        return self._written(place, dice, title, self._titled(place, dice, [f"{name}/" for name in _FOLDERS]))

    def _calendar(self, place: Place) -> Document | None:
        """Months and days without events, under the text of the society, for ever."""
        parts = place.path.strip("/").split("/")
        if parts == [""]:
            parts = ["events", "2024", "05"]
        if parts[0] != "events" or not all(_is_number(part) and len(part) <= 6 for part in parts[1:]) or len(parts) > 4:
            return None
        year, month, day = (*map(int, parts[1:]), 0, 0, 0)[:3]
        month = min(max(month, 1), 12)
        about = _paragraphs(self._dice(place, "society"), place.topic, 2)
        name = f"{day or ''} {_MONTHS[month - 1]} {year}".strip()
        text = [*(paragraph.text for paragraph in about), f"There are no events in {name}. Look at another month."]
        near = [(year, month - 1), (year, month + 1), (year - 1, month), (year + 1, month)]
        links = [
            DemoLink(
                f"/events/{y + (m - 1) // 12:04}/{(m - 1) % 12 + 1:02}/",
                f"{_MONTHS[(m - 1) % 12]} {y + (m - 1) // 12}",
            )
            for y, m in near
        ]
        dice = self._dice(place, "days")
        days = self._titled(place, dice, [f"/events/{year:04}/{month:02}/{1 + dice.below(28):02}/" for _ in range(6)])
        return self._page(place, f"Events: {name}", text, [*links, *days], "More events")

    def _subdomains(self, place: Place) -> Document:
        """One text on every subdomain, with its name put in."""
        dice = self._dice(place, place.label)
        name = place.label.strip("0123456789").title() or "Welcome"
        text = [paragraph.text for paragraph in _paragraphs(self._dice(place, "text"), place.topic, 5)]
        text[0] = f"{name}: {text[0]}"
        text[-1] = f"{text[-1]} All about {name}."
        domain = place.origin.partition("://")[2].removeprefix(f"{place.label}.")
        words = TOPICS[place.topic].things
        urls = [f"http://{dice.pick(words).replace(' ', '-')}{dice.below(1 << 20)}.{domain}/" for _ in range(8)]
        return self._page(
            place, f"The world of {name}", text, self._titled(place, self._dice(place, "links"), urls), "More worlds"
        )

    def _exchange(self, place: Place) -> Document | None:
        """Pages about nothing on many domains, which link to each other in the words of the topic."""
        if not _is_number(place.label) or int(place.label) >= _N_RING:
            return None
        number = place.path.strip("/").removeprefix("links").removesuffix(".html") or "0"
        if not _is_number(number) or int(number) >= _RING_PAGES:
            return None
        dice = self._dice(place, place.label, number)
        title = Writer(dice, None).one_of(TITLES)
        text = [paragraph.text for paragraph in _paragraphs(dice, None, 12)]
        domain = place.origin.partition("://")[2].removeprefix(f"{TOPICS[place.topic].name}-{place.label}-")
        urls = [
            f"http://{TOPICS[place.topic].name}-{dice.below(_N_RING)}-{domain}/links{dice.below(_RING_PAGES)}.html"
            for _ in range(6)
        ]
        writer = Writer(dice, place.topic)
        links = [DemoLink(url, writer.one_of(TITLES)) for url in urls]
        return self._page(place, title, text, links, f"{TOPICS[place.topic].title} links")

    def _soft404(self, place: Place) -> Document:
        """An error page for whatever is asked for, answered 200, with suggestions."""
        dice = self._dice(place, place.path)
        said = place.path.strip("/").rpartition("/")[2].removesuffix(".html").replace("-", " ")
        text = [
            f"We are sorry: the page {said} was not found on this server. It may have been moved, renamed or deleted. "
            "Please check the address, use the search at the top of the page, or try one of these suggestions."
        ]
        words = [word.replace(" ", "-") for word in TOPICS[place.topic].things]
        urls = [f"/{dice.pick(words)}-{dice.pick(words)}-{dice.below(1 << 20)}.html" for _ in range(8)]
        return self._page(
            place, "Page not found", text, self._titled(place, self._dice(place, "links"), urls), "Suggestions"
        )

    def _cloaked(self, place: Place) -> Document:
        """Doorway pages: what crawlers are shown is one text with another town put in; people see an advertisement."""
        dice = self._dice(place, place.path)
        town = dice.pick(TOWNS)
        sentences = [paragraph.text for paragraph in _paragraphs(self._dice(place, "doorway"), place.topic, 5)]
        text = [f"{sentence} {TOPICS[place.topic].title} in {town}!" for sentence in sentences]
        urls = [f"/{dice.pick(TOWNS).lower().replace(' ', '-')}-{dice.below(1 << 20)}.html" for _ in range(10)]
        return self._page(
            place,
            f"{TOPICS[place.topic].title} {town}",
            text,
            self._titled(place, self._dice(place, "links"), urls),
            "Near you",
        )

    def _closed(self, place: Place) -> Document | None:
        """Pages about the topic on a host whose robots.txt fails: none of them may be asked for."""
        dice = self._dice(place, place.path)
        title = Writer(dice, place.topic).one_of(TITLES)
        return self._written(
            place, dice, title, self._titled(place, dice, [f"/{dice.below(200)}.html" for _ in range(8)])
        )

    def _written(self, place: Place, dice: Dice, title: str, links: list[DemoLink]) -> Document:
        return self._page(place, title, [each.text for each in _paragraphs(dice, place.topic, 4)], links, "Read on")

    def start(self, place: Place, traps: tuple[str, ...]) -> Document:
        """Return a page about nothing that links to traps."""
        dice = self._dice(place, traps)
        doc = self._page(place, "Start here", [Writer(dice, None).paragraph(3)], [], "")
        doc.main = [Block("listing", TOPICS[place.topic].title, tuple(lure(dice, name, place.topic) for name in traps))]
        return doc

    def advertisement(self, place: Place) -> Document:
        """Return what people see of a cloaked page."""
        doc = Document("Best offers today", self.host(place).title, "/")
        doc.paragraphs = [Paragraph(Writer(self._dice(place, "advert"), None).paragraph(3))]
        return doc


def origin(name: str, topic: int) -> str:
    """Return scheme and host of the page of a trap that honest pages link to."""
    first = {"subdomains": "www.", "exchange": f"{TOPICS[topic].name}-0-", "mirrors": f"{TOPICS[topic].name}-0-"}
    domain = f"{TOPICS[topic].name}-{TRAPS[name]}.example"
    if name in ("exchange", "mirrors"):
        return f"http://{first[name]}{TRAPS[name]}.example"
    return f"http://{first.get(name, '')}{domain}"


def lure(dice: Dice, name: str, topic: int) -> DemoLink:
    """Return a link to a trap as an honest page has it: in the words of the topic."""
    writer = Writer(dice, topic, 0.8)
    return DemoLink(f"{origin(name, topic)}/", writer.one_of(TITLES), teaser=writer.one_of(TEASERS))


def _paragraphs(dice: Dice, topic: int | None, n: int) -> list[Paragraph]:
    writer = Writer(dice, topic, 0.6, favourites=True)
    return [Paragraph(writer.paragraph(2 + dice.below(2))) for _ in range(n)]


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10
