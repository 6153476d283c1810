"""A spider of the project's own: it chooses where to begin, and what to do with each page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import scrapy

from observatory.items import Observation

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from scrapy.http import Response


class StarsSpider(scrapy.Spider):
    """Begins at a portal (``-a portal=URL``). Its catalogues are its own business; all other links are scored."""

    name = "stars"
    portal = "http://hyperphysics.phy-astr.gsu.edu/hbase/astro/astcon.html"

    async def start(self) -> AsyncIterator[Any]:
        """Ask for the portal."""
        yield scrapy.Request(self.portal)

    def parse(self, response: Response) -> Iterator[Any]:
        """Hand a page over: its links are scored, the best of them come back here."""
        yield Observation.from_response(response, n_images=len(response.css("img")))
        for link in response.css("a[rel=catalogue]"):
            # Links have priorities from -1500 to 1500: this comes before all of them.
            yield response.follow(
                link, self.parse_catalogue, priority=2000, cb_kwargs={"title": link.css("::text").get("")}
            )

    def parse_catalogue(self, response: Response, title: str) -> Iterator[Any]:
        """Ask for each page that a catalogue names: the project's own requests keep callback, priority and the rest."""
        for url in response.text.split():
            yield response.follow(url, self.parse_listed, priority=1000, meta={"catalogue": title})

    def parse_listed(self, response: Response) -> Iterator[Any]:
        """Hand over a page that a catalogue names."""
        yield Observation.from_response(response, catalogue=response.meta["catalogue"])
