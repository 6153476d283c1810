"""What the sites have in common: items about a topic and others, pages by URL, and what a crawl of them fetched."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections import Counter
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, ClassVar, NamedTuple
from urllib.parse import parse_qsl, urlsplit

from web_makers.pages import document, link

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from site_makers.items import Item

    #: Makes the title and the body of the page of a URL.
    Maker = Callable[[str], tuple[str, str]]

N_EXAMPLES = 30
#: Sections that no site is about: what people say beside its items.
_SMALL_TALK = ("hamradio", "electronics", "fonts", "cli-mono")


class Target(NamedTuple):
    """A URL of a site, in parts."""

    folders: list[str]
    query: dict[str, str]

    @classmethod
    def of(cls, url: str) -> Target:
        """Return the parts of a whole URL, or of its path and query."""
        parts = urlsplit(url)
        return cls(parts.path.strip("/").split("/"), dict(parse_qsl(parts.query)))


class Site(ABC):
    """A site whose pages are made when they are asked for; the same seed gives the same pages.

    Parameters
    ----------
    items : sequence of Item
        Texts to draw from.
    seed : int
        Of all that is drawn.
    has_traps : bool
        Whether pages link to traps. Honest pages have the same texts and links to one another either way.
    """

    name: ClassVar[str]
    topic: ClassVar[str]
    #: Sections of the other items.
    others: ClassVar[tuple[str, ...]]
    #: Items about the topic, and others.
    n_items: ClassVar[tuple[int, int]]
    #: The kind of an item's own page.
    item_kind: ClassVar[str]
    #: Other kinds that are no traps.
    honest: ClassVar[frozenset[str]]
    traps: ClassVar[frozenset[str]]

    def __init__(self, items: Sequence[Item], seed: int, *, has_traps: bool) -> None:
        self.has_traps = has_traps
        self._seed = seed
        draw = self.draw("items")
        n_relevant, n_others = self.n_items
        about = draw.sample([each for each in items if each.section == self.topic], n_relevant + N_EXAMPLES)
        self._examples, chosen = about[:N_EXAMPLES], about[N_EXAMPLES:]
        chosen += draw.sample([each for each in items if each.section in self.others], n_others)
        draw.shuffle(chosen)
        self.items = chosen
        self._relevant = [number for number, item in enumerate(chosen) if item.section == self.topic]
        self._irrelevant = [number for number, item in enumerate(chosen) if item.section != self.topic]
        self._small_talk = [each.text[:200] for each in items if each.section in _SMALL_TALK]

    @abstractmethod
    def kind(self, url: str) -> str:
        """Return what kind of page a URL is, empty if there is none."""

    @property
    @abstractmethod
    def makers(self) -> Mapping[str, Maker]:
        """What makes the title and the body of each kind of page."""

    @abstractmethod
    def framed(self, url: str, title: str, body: str) -> bytes:
        """Return a page with what the site puts around each."""

    def page(self, url: str) -> bytes | None:
        """Return the page of a URL; none if there is none."""
        kind = self.kind(url)
        return self.framed(url, *self.makers[kind](url)) if kind else None

    def status(self, url: str) -> int:
        """Return what the site answers with where there is a page."""
        return 200

    def number(self, url: str) -> int:
        """Return which item the page of an item shows."""
        return int(Target.of(url).folders[1])

    def repeats(self, url: str) -> str:
        """Return the kind of an item's page whose item was fetched before under another URL."""
        return "again"

    def is_relevant(self, number: int) -> bool:
        """Say whether an item is about the topic."""
        return self.items[number].section == self.topic

    def examples(self) -> list[bytes]:
        """Return pages about the topic that are not among those of the site."""
        return [document(each.summary, self.whole(each)) for each in self._examples]

    def whole(self, item: Item) -> str:
        """Return an item's headline and text."""
        return f"<h1>{escape(item.summary)}</h1>{told(item.paragraphs)}"

    def draw(self, *key: object) -> random.Random:
        """Return a source of chance that is the same for the same key."""
        return random.Random(f"{self.name} {self._seed} {key}")

    def near(self, number: int, count: int) -> list[int]:
        """Return items that an item's page links to: four of ten surely of its own side, the others any."""
        draw = self.draw("near", number)
        side = self._relevant if self.is_relevant(number) else self._irrelevant
        return [draw.choice(side) if draw.random() < 0.4 else draw.randrange(len(self.items)) for _ in range(count)]

    def to(self, number: int, url: str, before: str = "", after: str = "") -> str:
        """Return a link whose text is an item's summary."""
        return link(url, f"{before}{self.items[number].summary}{after}")


@dataclass(frozen=True)
class Tally:
    """What a crawl fetched of a site."""

    kinds: Counter[str]
    n_relevant: int
    n_traps: int

    @property
    def n_pages(self) -> int:
        """All pages."""
        return self.kinds.total()

    @property
    def share_of_traps(self) -> float:
        """Share of the pages that are no honest ones."""
        return self.n_traps / max(self.n_pages, 1)

    @property
    def harvest_of_the_rest(self) -> float:
        """Share of the honest pages that are about the topic."""
        return self.n_relevant / max(self.n_pages - self.n_traps, 1)


def tally(site: Site, urls: Iterable[str]) -> Tally:
    """Count pages by kind; an item counts once, as what it is, and as a trap when it comes again."""
    kinds: Counter[str] = Counter()
    seen: set[int] = set()
    for url in urls:
        kind = site.kind(url) or "unknown"
        if kind == site.item_kind:
            number = site.number(url)
            kind = site.repeats(url) if number in seen else kind
            seen.add(number)
        kinds[kind] += 1
    honest = {site.item_kind, *site.honest}
    n_traps = sum(count for kind, count in kinds.items() if kind not in honest)
    return Tally(kinds, sum(map(site.is_relevant, seen)), n_traps)


def told(texts: Iterable[str]) -> str:
    """Return paragraphs of plain text as HTML."""
    return "".join(f"<p>{escape(text)}</p>" for text in texts)
