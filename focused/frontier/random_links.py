"""Draws links to look around: they are fetched whatever their scores, to learn what else there is on the web."""

from __future__ import annotations

import random
import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from focused.method.scoring.base import LOOK_AROUND
from focused.method.scoring.priority import LEVELS
from focused.utils.about_page import is_about_its_page
from focused.utils.origins import host_of, origin_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from focused.frontier.known_links import KnownLinks
    from focused.frontier.store.link import DrawnLink, Leased

_N_CANDIDATES = 64
"""Waiting links that are drawn; the one from the least known place is taken."""

Place = tuple[str, str]

_NUMBER = re.compile(r"[0-9]+(?:[-_.][0-9]+)*")
_NUMBERED_PAGE = re.compile(r"/[0-9]+(?:\.\w+)?(?:\?|$)|=[0-9]+(?:[&;]|$)")
"""A page whose name, or a value of whose query, is a number: ``/q/4711``, ``/show.cgi?bug=4711``."""
_LEAST_SHARE = 2 / 3
"""Links of numbered folders and pages are drawn at least this often, as a part of their share of the links that wait.

Chosen on the wire, whose stories lie in folders by date (docs/results/pages-met-tried.md).
"""

_STANDS_BACK = LEVELS // 10
"""A link that stands back by so many levels is drawn only if there are no others: two or three pages of its group brought
nothing, and that is enough to look at."""

MOST_IN_VAIN = 2.0
"""Drawn links without a page, for each that brought one, beyond which others are drawn in their place.

A crawl must see something of its web; each page more that is drawn is one less that is chosen. Chosen on HyperPhysics, WebKB
and FOLDOC (docs/results/pages-met-tried.md).
"""

_MOST_IN_A_ROW = 50
"""After so many drawn links in a row without a page no other is drawn in their place, until one brings a page: a page with
thousands of dead links would keep a crawl busy for hours."""


@dataclass(eq=False)
class RandomLinks:
    """Leases links drawn from all that wait; those from the places with the fewest known pages come first.

    A place is a folder of a host; numbers in folders stand for one another (`how_known`). Origins whose drawn links
    brought no page come last: dead links would be drawn one after the other, for of their places no page is known. The same
    links, ends and seed give the same draws.
    """

    links: KnownLinks
    seed: int = 0

    def __post_init__(self) -> None:
        #: Links that are still to be drawn.
        self.n_wanted = 0
        #: Of each place; counted from the first link that is wanted on, for few crawls draw any.
        self._n_fetched: Counter[Place] | None = None
        #: Links that were drawn of each place, by this process.
        self._n_drawn: Counter[Place] = Counter()
        #: Of each origin: links that were drawn and brought no page.
        self._n_in_vain: Counter[str] = Counter()
        #: Links that were drawn and brought one.
        self._n_pages = 0
        #: Links that were drawn since the last that brought a page.
        self._n_in_a_row = 0
        self._random = random.Random(self.seed)

    def note_fetched(self, url: str) -> None:
        """Count a page that was fetched."""
        if self._n_fetched is not None:
            self._n_fetched[place_of(url)] += 1

    def note_end(self, link: Leased, *, is_page: bool) -> None:
        """Note whether a link brought a page; where hardly any that was drawn does, draw another in its place."""
        if link.evidence.reason != LOOK_AROUND:
            return
        self._n_pages += is_page
        self._n_in_a_row = 0 if is_page else self._n_in_a_row + 1
        if not is_page:
            self._n_in_vain[origin_of(link.url)] += 1
            is_one_more = self._n_in_vain.total() > MOST_IN_VAIN * self._n_pages
            self.n_wanted += is_one_more and self._n_in_a_row < _MOST_IN_A_ROW

    def next(self, ready_at: Callable[[str], float], now: float) -> Leased | None:
        """Lease a link whose host may be asked now; None if none is wanted, or none of those drawn may be asked for.

        Links like those that led to no page are not drawn. If all that were drawn are such, one link less is wanted.
        """
        if not self.n_wanted:
            return None
        n_fetched = self._n_fetched
        if n_fetched is None:
            n_fetched = self._n_fetched = Counter(map(place_of, self.links.store.done_urls()))
        drawn = self.links.store.drawn(self._random, _N_CANDIDATES)
        standing_back = self.links.store.standing_back
        rests_until, leads_nowhere = standing_back.rests_until, standing_back.leads_nowhere
        alive = [link for link in drawn if not leads_nowhere(link.url)]
        if drawn and not alive:
            self.n_wanted -= 1  # nearly all that waits is dead
            return None
        ready = [link for link in alive if ready_at(host_of(link.url)) <= now and rests_until(link.url) <= now]
        # Stable: of equally known places the link that was drawn first.
        in_vain = self._n_in_vain
        known = how_known(n_fetched, self._n_drawn, [link.url for link in drawn])
        for each in sorted(
            ready,
            key=lambda link: (in_vain[origin_of(link.url)], self._stands_back(link), known[place_of(link.url)]),
        ):
            link = self.links.lease(each.number)
            if link is not None:
                self.n_wanted -= 1
                self._n_drawn[place_of(link.url)] += 1
                return link._replace(evidence=replace(link.evidence, reason=LOOK_AROUND))
        return None

    def _stands_back(self, link: DrawnLink) -> bool:
        """Tell whether a link is known well enough: a copy teaches nothing of the web, nor does another page of one form."""
        standing_back = self.links.store.standing_back
        # What a link stands on says something of it only where it is about that page.
        referrer = link.referrer if is_about_its_page(link.url, link.referrer) else ""
        by_groups = (
            standing_back.link_levels is not None and standing_back.link_levels(link.url, referrer) >= _STANDS_BACK
        )
        return by_groups or standing_back.is_of_one_form(link.url)


def place_of(url: str) -> Place:
    """Return the host of a URL and the folder of its path, where ``#`` stands for a number.

    >>> place_of("http://stars.example/sun/spots.html?day=1"), place_of("http://stars.example/")
    (('stars.example', '/sun'), ('stars.example', ''))
    >>> place_of("http://stars.example/events/2024/05-06/7")
    ('stars.example', '/events/#/#')
    >>> place_of("http://stars.example/shop/brand-4/price-1/")
    ('stars.example', '/shop/brand-#/price-#')
    """
    return host_of(url), _NUMBER.sub("#", urlsplit(url).path.rpartition("/")[0])


def how_known(n_known: Mapping[Place, int], n_drawn: Mapping[Place, int], waiting: Iterable[str]) -> Counter[Place]:
    """Return how many pages are known of the places of some waiting URLs, which stand for all that wait.

    Otherwise each month of an endless calendar would be another unknown folder, so numbered folders are one place. On
    other webs the articles lie there. So such a place counts as not known while less than two thirds were drawn of it of what
    its links are of all that wait. Pages that were chosen by their scores do not count for that: they are of the topic, and
    say nothing of what else lies there. The same holds for a folder most of whose pages have numbers for names.

    >>> urls = ["http://h.example/2024/05/a", "http://h.example/2024/06/b", "http://h.example/about/c"]
    >>> articles, about = map(place_of, urls[1:])
    >>> how_known({articles: 7}, {articles: 5, about: 4}, urls)[articles]
    7
    >>> how_known({articles: 7}, {articles: 4, about: 6}, urls)[articles]
    0
    >>> bugs = [f"http://h.example/cgi-bin/show.cgi?bug={n}" for n in (1, 2)]
    >>> how_known({place_of(bugs[0]): 7}, {articles: 1}, [*bugs, *urls])[place_of(bugs[0])]
    0

    Parameters
    ----------
    n_known : mapping of place to int
        Pages that were fetched.
    n_drawn : mapping of place to int
        Links that were drawn.
    waiting : iterable of str
        URLs that were drawn from all that wait.
    """
    urls = list(waiting)
    places, total = Counter(map(place_of, urls)), sum(n_drawn.values())
    pages_of_number = Counter(place_of(url) for url in urls if _NUMBERED_PAGE.search(url))

    def is_known(place: Place, n_links: int) -> bool:
        is_numbered = "#" in place[1] or 2 * pages_of_number[place] > n_links
        return not is_numbered or n_drawn.get(place, 0) * len(urls) > _LEAST_SHARE * n_links * total

    return Counter({place: n_known.get(place, 0) for place, n_links in places.items() if is_known(place, n_links)})
