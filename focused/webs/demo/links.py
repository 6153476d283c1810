"""Write one link of the demo web: honest, weak or misleading; direct, redirected or dead."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focused.webs.demo.document import DemoLink
from focused.webs.demo.prose import ADVERTS, TEASERS, TITLES, Writer
from focused.webs.demo.templates import BARE_ANCHORS, WEAK_ANCHORS

if TYPE_CHECKING:
    from focused.webs.demo.seeded_random import Dice
    from focused.webs.demo.site import Site
    from focused.webs.demo.urls import Urls

_REDIRECTED_SHARE = 0.02
_DEAD_SHARE = 0.01
_FAILING_SHARE = 0.004
BARE_SHARE = 0.2  # in blocks whose links belong together


class LinkMaker:
    """Writes the links of one page; those to its own host without ``relative_to`` (scheme and host) if that is given."""

    def __init__(self, site: Site, urls: Urls, dice: Dice, relative_to: str | None) -> None:
        self._site = site
        self._urls = urls
        self._dice = dice
        self._own = f"{relative_to}/" if relative_to else None

    def url(self, number: int) -> str:
        """Return a URL that surely reaches a page."""
        return self._near(self._urls.url(number))

    def _near(self, url: str) -> str:
        return url[len(self._own) - 1 :] if self._own and url.startswith(self._own) else url

    def _loose_url(self, number: int) -> str:
        # A careless author links to the page, to its old address, or to a page that is gone.
        chance = self._dice.random()
        if chance < _REDIRECTED_SHARE:
            return self._near(self._urls.alias(number))
        if chance < _REDIRECTED_SHARE + _DEAD_SHARE + _FAILING_SHARE:
            folder = "archive" if chance < _REDIRECTED_SHARE + _DEAD_SHARE else "render"
            return self._near(f"{self._site.place(number).host.origin}/{folder}/{number % 99991:05}.html")
        return self._near(self._urls.url(number))

    def _teaser(self, number: int) -> str:
        return Writer(self._dice, self._site.place(number).topic, 0.8).one_of(TEASERS)

    def plain(self, number: int, anchor: str = "") -> DemoLink:
        """Link reliably, by title or the given anchor: menus and listings."""
        return DemoLink(self.url(number), anchor or self._site.title(number))

    def titled(self, number: int) -> DemoLink:
        """Link by title, nothing beside it."""
        return DemoLink(self._loose_url(number), self._site.title(number))

    def teased(self, number: int) -> DemoLink:
        """Link by title, with a sentence about the page."""
        return DemoLink(self._loose_url(number), self._site.title(number), teaser=self._teaser(number))

    def weak(self, number: int) -> DemoLink:
        """Link by an anchor that says nothing; the sentence beside it does."""
        url, anchor = self._loose_url(number), self._dice.pick(WEAK_ANCHORS)
        return DemoLink(url, anchor, lead=self._site.title(number), teaser=self._teaser(number))

    def pictured(self, number: int) -> DemoLink:
        """Link by a picture with the title as its alternative text."""
        return DemoLink(self._loose_url(number), self._site.title(number), teaser=self._teaser(number), image=True)

    def bare(self, number: int) -> DemoLink:
        """Link by a word or the site's name, nothing beside it: only the neighbouring links tell the topic."""
        site = self._site.place(number).host.title
        return DemoLink(self._loose_url(number), self._dice.pick((*BARE_ANCHORS, site, site)))

    def misleading(self, topic: int | None, number: int) -> DemoLink:
        """Link to a page with the title and the sentence of another topic."""
        writer = Writer(self._dice, topic, 0.8)
        return DemoLink(self._loose_url(number), writer.one_of(TITLES), teaser=writer.one_of(TEASERS))

    def advert(self, topic: int | None, number: int) -> DemoLink:
        """Advertise: catchy words, some of them of the page's topic, whatever the target is."""
        return DemoLink(self._loose_url(number), Writer(self._dice, topic, 0.8).one_of(ADVERTS))

    def item(self, number: int, bare: float = 0.0) -> DemoLink:
        """Link in one of the honest ways, as lists of articles do; with a share of bare links in [0, 1]."""
        if bare and self._dice.chance(bare):
            return self.bare(number)
        chance = self._dice.random()
        if chance < 0.3:
            return self.weak(number)
        if chance < 0.5:
            return self.teased(number)
        return self.pictured(number) if chance < 0.57 else self.titled(number)
