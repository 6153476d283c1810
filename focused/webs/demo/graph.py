"""Who links to whom in the demo web: the text and the link blocks of every kind of page.

It has two kinds of links. Listings (home page -> section -> article, home page -> other hosts) are reliable: they reach every
page. All others are written by careless authors and advertisers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from focused.webs.demo import other_languages
from focused.webs.demo.blocks import Blocks
from focused.webs.demo.document import Block, DemoLink, Document, Paragraph
from focused.webs.demo.links import BARE_SHARE, LinkMaker
from focused.webs.demo.prose import Writer
from focused.webs.demo.seeded_random import Dice, mix, share
from focused.webs.demo.site import LONG_SECTION
from focused.webs.demo.words import TOPICS

if TYPE_CHECKING:
    from focused.webs.demo.site import DemoPage, Site
    from focused.webs.demo.urls import Urls

_FRONTS_ON_HOME = 8
_FRONTS_PER_FRONT = 6
_PARTNERS = 4
_LISTING = ("In this section", "Articles", "Latest", "Contents")
_VAGUE_HEADINGS = ("Worth a visit", "Elsewhere", "Good neighbours", "For a rainy day", "From the pile", "Miscellany")


def document(site: Site, urls: Urls, place: DemoPage) -> Document:
    """Write one page (for a copy, pass its source)."""
    return _Page(site, urls, place).document()


class _Page:
    """Draws everything of one page in a fixed order from the page's own dice."""

    def __init__(self, site: Site, urls: Urls, place: DemoPage) -> None:
        self.site = site
        self.place = place
        self.host = place.host
        self.dice = Dice(mix(place.state, 8))
        self.link = LinkMaker(site, urls, self.dice, None if self.host.absolute_links else self.host.origin)
        self.blocks = Blocks(site, place, self.link, self.dice)

    def document(self) -> Document:
        host, place, link = self.host, self.place, self.link
        doc = Document(self.site.title(place.number), host.title, link.url(host.start))
        doc.nav = [link.plain(host.section_start(s)) for s in range(min(_FRONTS_ON_HOME, host.n_sections))]
        doc.nav.append(DemoLink(link.url(host.start) + "calendar/2024/05/", "Calendar"))
        if place.section >= 0:
            doc.trail = [link.plain(host.start), link.plain(host.section_start(place.section))]
        _WRITERS[place.kind](self, doc)
        doc.side.append(self.blocks.adverts())
        doc.footer = [link.plain(host.start, "Home")]
        if self.dice.chance(0.3):
            doc.footer.append(link.titled(self.site.anywhere(self.dice)))
        doc.main = [block for block in doc.main if block.links]
        return doc

    def _article(self, doc: Document) -> None:
        place, dice = self.place, self.dice
        weak_page = share(mix(place.state, 9)) < 0.15
        strength = 0.15 + 0.15 * dice.random() if weak_page else 0.4 + 0.35 * dice.random()
        second = dice.below(self.site.n_topics) if dice.chance(0.3) else None
        writer = Writer(dice, place.topic, strength, second=second, second_share=0.3, favourites=True)
        for _ in range(3 + dice.below(5)):
            doc.paragraphs.append(self.blocks.paragraph(writer))
        doc.main.append(self.blocks.related())
        doc.main.append(self.blocks.pager())
        doc.side.append(self.blocks.popular(4))
        if dice.chance(0.25):
            doc.side.append(self.blocks.desk())

    def _foreign(self, doc: Document) -> None:
        doc.language, doc.title, paragraphs = other_languages.write(self.dice)
        doc.paragraphs = [Paragraph(text) for text in paragraphs]
        doc.main.append(self.blocks.pager())
        doc.side.append(self.blocks.popular(4))

    def _front(self, doc: Document) -> None:
        host, place = self.host, self.place
        writer = Writer(self.dice, place.topic, 0.6, favourites=True)
        doc.paragraphs = [Paragraph(writer.paragraph(3))]
        start, size = place.number - place.slot, host.section_size(place.section)
        is_long = size > LONG_SECTION
        half = 2 + (size - 2) // 2 if is_long else size
        numbers = range(half, size) if place.slot == 1 else range(1 + is_long, half)
        listed = tuple([self._listed(start + number) for number in numbers])
        doc.main.append(Block("listing", self.dice.pick(_LISTING), listed))
        if is_long and place.slot == 0:
            doc.main.append(Block("pager", "", (self.link.plain(start + 1, self.dice.pick(("Older", "next", "2"))),)))
        first = _FRONTS_ON_HOME + _FRONTS_PER_FRONT * place.section
        more = range(first, min(first + _FRONTS_PER_FRONT, host.n_sections))
        if more and place.slot == 0:
            fronts = tuple(self.link.plain(host.section_start(section)) for section in more)
            doc.side.append(Block("sections", "More sections", fronts))
        doc.side.append(self.blocks.popular(4))

    def _home(self, doc: Document) -> None:
        host, link, dice = self.host, self.link, self.dice
        writer = Writer(dice, self.place.topic, 0.5, favourites=True)
        doc.paragraphs = [Paragraph(writer.paragraph(2)), Paragraph(writer.paragraph(3))]
        for section in range(min(_FRONTS_ON_HOME, host.n_sections)):
            front = host.section_start(section)
            size = host.section_size(section)
            shown = [link.item(front + local) for local in dice.sample(range(1, size), 2)]
            shown.append(link.plain(front, dice.pick(("More", "All articles", "»"))))
            doc.main.append(Block("section", self.site.title(front), tuple(shown)))
        first = _PARTNERS * host.number + 1
        if partners := self.site.hosts.all[first : first + _PARTNERS]:
            doc.side.append(Block("partners", "Partner sites", tuple(link.plain(each.start) for each in partners)))
        doc.side.append(self.blocks.popular(4))

    def _hub(self, doc: Document) -> None:
        dice = self.dice
        doc.paragraphs = [Paragraph(Writer(dice, None).paragraph(3))]
        for topic in dice.sample(range(self.site.n_topics), 4 + dice.below(3)):
            heading = TOPICS[topic].title if dice.chance(0.65) else dice.pick(_VAGUE_HEADINGS)
            links = []
            for _ in range(4):
                honest = dice.chance(0.88)
                number = self.site.about(topic, dice) if honest else self.site.anywhere(dice)
                links.append(self.link.item(number, BARE_SHARE) if honest else self.link.misleading(topic, number))
            doc.main.append(Block("topic", heading, tuple(links)))
        doc.side.append(self.blocks.popular(4))

    def _gateway(self, doc: Document) -> None:
        dice, site = self.dice, self.site
        doc.paragraphs = [Paragraph(Writer(dice, None).paragraph(2))]
        links = []
        for _ in range(7):
            number = site.islet(dice.below(site.n_topics), dice)
            place = site.place(number)
            target = place.host.start if dice.chance(0.4) else place.host.section_start(place.section)
            links.append(self.link.plain(target) if dice.chance(0.5) else self.link.weak(target))
        doc.main.append(Block("links", dice.pick(_VAGUE_HEADINGS), tuple(links)))

    def _listed(self, number: int) -> DemoLink:
        """List a page of the same section, reliably: its address is never redirected or dead."""
        written = self.link.item(number, BARE_SHARE)
        return DemoLink(self.link.url(number), written.anchor, written.lead, written.teaser, written.image)


_WRITERS = {
    "article": _Page._article,
    "foreign": _Page._foreign,
    "front": _Page._front,
    "list": _Page._front,
    "home": _Page._home,
    "hub": _Page._hub,
    "gateway": _Page._gateway,
}
