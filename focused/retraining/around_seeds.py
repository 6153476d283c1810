"""Chooses pages around the seeds to look at before a topic's first crawl (docs/method/, D74)."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from focused.frontier.random_links import how_known, place_of
from focused.method.training.seeds import seeds_from
from focused.utils.origins import origin_of
from focused.utils.url_forms import canonical_form

if TYPE_CHECKING:
    from collections.abc import Iterable

_N_CANDIDATES = 64


@dataclass(eq=False)
class PagesAroundSeeds:
    """Chooses the pages: up to ten seeds, then links, drawn as a crawl draws them (docs/method/, D74).

    Of 64 links that wait, the one from the place is taken of which fewest pages were asked for; a place is a folder of a host,
    and folders that are numbers stand for one another (`focused.frontier.random_links.how_known`).
    """

    seeds: list[str]
    budget: int
    random_state: int = 0
    #: Where the topic's crawls ask for pages: the live web, or the demo web or a WARC file.
    web: str = "live"
    #: What was asked for, in order, and whether it was drawn; seeds were not.
    asked: dict[str, bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._waiting: list[str] = []
        #: Of a link: how many links lie between a seed and it.
        self._depth: dict[str, int] = {}
        self._known = set(map(canonical_form, self.seeds))
        self._n_asked: Counter[tuple[str, str]] = Counter()
        self._n_drawn: Counter[tuple[str, str]] = Counter()
        self._n_in_vain: Counter[str] = Counter()
        self._random = random.Random(self.random_state)

    def first(self) -> list[str]:
        """Return the seeds that are asked for, of as many hosts as possible."""
        found = seeds_from(self.seeds)[: self.budget]
        for url in found:
            self._ask(url, is_drawn=False)
        return found

    def depth(self, url: str) -> int:
        """Return how many links lie between a seed and a URL that was asked for."""
        return self._depth.get(url, 0)

    def add(self, source: str, urls: Iterable[str]) -> None:
        """Add the links of a page to those that wait; known ones are ignored."""
        for url in urls:
            form = canonical_form(url)
            if form is not None and form not in self._known:
                self._known.add(form)
                self._waiting.append(url)
                self._depth[url] = self.depth(source) + 1

    def note_no_page(self, url: str) -> None:
        """Note that a URL brought no page: links to its origin come last from now on."""
        self._n_in_vain[origin_of(url)] += 1

    def next(self) -> str | None:
        """Return the next link; None if none waits, or as many were asked for as may be."""
        if not self._waiting or len(self.asked) >= self.budget:
            return None
        drawn = self._random.sample(range(len(self._waiting)), min(_N_CANDIDATES, len(self._waiting)))
        in_vain = self._n_in_vain
        known = how_known(self._n_asked, self._n_drawn, map(self._waiting.__getitem__, drawn))
        ranks = {
            number: (in_vain[origin_of(url)], known[place_of(url)])
            for number in drawn
            if (url := self._waiting[number])
        }
        place = min(drawn, key=ranks.__getitem__)
        self._waiting[place], self._waiting[-1] = self._waiting[-1], self._waiting[place]
        url = self._waiting.pop()
        self._ask(url, is_drawn=True)
        return url

    def _ask(self, url: str, *, is_drawn: bool) -> None:
        self.asked[url] = is_drawn
        self._n_asked[place_of(url)] += 1
        self._n_drawn[place_of(url)] += is_drawn
