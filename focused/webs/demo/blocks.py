"""Blocks of links in the demo web (beside and below the text of a page), and the links in the text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focused.webs.demo.document import Block, DemoLink, Paragraph
from focused.webs.demo.links import BARE_SHARE
from focused.webs.demo.prose import TITLES, Writer
from focused.webs.demo.templates import WEAK_ANCHORS
from focused.webs.demo.words import TOPICS

if TYPE_CHECKING:
    from focused.webs.demo.links import LinkMaker
    from focused.webs.demo.seeded_random import Dice
    from focused.webs.demo.site import DemoPage, Site

_RELATED = ("Related", "See also", "More on this", "You may also like", "Further reading")
_POPULAR = ("Most read", "Popular now", "Editor\u2019s choice", "Trending", "Readers\u2019 favourites")


class Blocks:
    """Draws the blocks of one page, honest and misleading ones."""

    def __init__(self, site: Site, place: DemoPage, link: LinkMaker, dice: Dice) -> None:
        self._site = site
        self._place = place
        self._link = link
        self._dice = dice

    def _same_topic(self) -> int:
        """Draw a page that this page's author would call related."""
        place, host = self._place, self._place.host
        for _ in range(3):
            if place.section >= 0 and (host.role == "I" or self._dice.chance(0.35)):
                front = host.section_start(place.section)
                number = front + self._dice.below(host.section_size(place.section))
            else:
                number = self._site.about(place.topic, self._dice)
            if self._site.place(number).topic == place.topic and number != place.number:
                break
        return number

    def related(self) -> Block:
        """Link to pages of the same topic, sometimes with a paid link among them."""
        numbers = dict.fromkeys(self._same_topic() for _ in range(7 + self._dice.below(3)))
        links = [self._link.item(number, BARE_SHARE) for number in numbers]
        if self._dice.chance(0.35):
            links.append(self._link.misleading(self._place.topic, self._site.anywhere(self._dice)))
        return Block("related", self._dice.pick(_RELATED), tuple(links))

    def paragraph(self, writer: Writer) -> Paragraph:
        """Write a paragraph that may link to something related, or to anything."""
        dice = self._dice
        text = writer.paragraph(2 + dice.below(3))
        if not dice.chance(0.5):
            return Paragraph(text)
        honest = dice.chance(0.8)
        number = self._same_topic() if honest else self._site.anywhere(dice)
        link = self._link.titled(number)
        if dice.chance(0.35):
            link = DemoLink(link.url, dice.pick(WEAK_ANCHORS))
        elif not honest and dice.chance(0.5):
            link = DemoLink(link.url, writer.one_of(TITLES))
        return Paragraph(f"{text} See", link, f". {writer.paragraph(1)}")

    def pager(self) -> Block:
        """Link to the neighbours in the section."""
        place, host = self._place, self._place.host
        front, size = host.section_start(place.section), host.section_size(place.section)
        around = [n for n in (place.number - 1, place.number + 1) if front <= n < front + size]
        words = ["« previous" if n < place.number else self._dice.pick(("next »", "next")) for n in around]
        return Block("pager", "", tuple(map(self._link.plain, around, words)))

    def popular(self, n: int) -> Block:
        """Link to any pages, as lists of popular pages do."""
        heading = self._dice.pick(_POPULAR)
        links = tuple(self._link.item(self._site.anywhere(self._dice)) for _ in range(n))
        return Block("popular", heading, links)

    def desk(self) -> Block:
        """Link to articles about one topic, whatever the page's own is."""
        topic = self._dice.below(self._site.n_topics)
        links = tuple(self._link.titled(self._site.about(topic, self._dice)) for _ in range(4))
        return Block("desk", TOPICS[topic].title, links)

    def adverts(self) -> Block:
        """Link to pages about everyday things in the words of this page's topic."""
        dice = self._dice
        links = tuple(
            self._link.advert(self._place.topic, self._site.about(None, dice)) for _ in range(1 + dice.below(2))
        )
        return Block("adverts", "Advertisement", links)
