"""Lets links sink into folders whose pages all have one title and bring less than other pages.

Many pages with one title are one page in many forms: a soft 404, a calendar, a form, a list in other orders. A whole site may
have one title, too: so it counts what the place has brought. Pure: no Scrapy, no file.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field

from focused.frontier.url_groups import groups_of
from focused.method.scoring.priority import LEVELS
from focused.utils.origins import host_of

_PRIOR_PAGES = 2.0
"""A place is taken to be like others, whose pages have titles of their own, until so many of its pages are known."""
_LED = 0.5
"""How much a page counts for the place where its link was found: it might have been found elsewhere, too."""
_DECAY = 0.99
"""Each further page of a place leaves this much of what is known of it: some 100 pages count."""
_N_TITLES = 4
"""Titles of a place that are remembered, the latest: a page that has none of them has a title of its own."""
_MOSTLY = 0.5
"""A place with at least this share of pages whose titles are not their own is no measure for others."""
_SOME = 1 / 3
"""A place with more than this share has some pages of one title: three are enough."""
_MAX_PLACES = 50_000
_HOST = "/"
"""Begins the name under which the pages of a host are counted together."""


@dataclass(slots=True)
class _Place:
    """Pages of a place; the latest count most."""

    n_pages: float = 0.0
    #: With a title of another page of the place.
    n_alike: float = 0.0
    #: What they have brought, and pages that were found on them.
    gain: float = 0.0
    #: Of this, what pages of the place brought that were found on others of it.
    own_gain: float = 0.0
    titles: tuple[int, ...] = field(default=(), init=False)

    def add_page(self, title: int, gain: float, is_alike: bool) -> None:
        """Count a page. ``title``: a hash of its title, 0 if it has none."""
        self.n_pages = _DECAY * self.n_pages + 1
        self.n_alike = _DECAY * self.n_alike + is_alike
        self.gain = _DECAY * self.gain + gain
        self.own_gain *= _DECAY
        if title and not is_alike:
            self.titles = (title, *self.titles[: _N_TITLES - 1])

    @property
    def alike(self) -> float:
        """Share of its pages whose titles are not their own, in [0, 1)."""
        return self.n_alike / (self.n_pages + _PRIOR_PAGES)

    def shortfall(self, rate: float, elsewhere: float = 0.0) -> float:
        """Return by which share a page of the place brings less than others do, in [0, 1].

        ``elsewhere``: share of the other pages of its host that have titles of their own. The more they are, the less counts
        what pages of the place brought that were found on one another: one page in many forms leads to itself.
        """
        gain = self.gain - elsewhere * self.own_gain
        own = (gain + _PRIOR_PAGES * rate) / (self.n_pages + _PRIOR_PAGES)
        return max(0.0, 1 - own / rate)


class OneTitle:
    """Says how many levels links stand back to places whose pages have one title."""

    def __init__(self) -> None:
        self._places: OrderedDict[str, _Place] = OrderedDict()
        #: Pages of other places, and what these have brought.
        self._n_rated = 0
        self._gain = 0.0

    def add_page(self, url: str, title: int, referrer: str, gain: float, is_copy: bool) -> None:
        """Count a page.

        ``title``: a hash of its title without numbers, 0 if it has none. ``gain``: how new it is, in [0, 1], if it is
        relevant, else 0. Of a copy only its place counts, not as a measure for others.
        """
        own, leading = _places_of(url), _places_of(referrer)
        alike = [title in self._place(name).titles for name in own]
        for name, is_alike in zip(own, alike, strict=True):
            self._place(name).add_page(title, gain, is_alike)
        if own:
            self._place(_host_of(url)).add_page(0, gain, any(alike))
        for name in leading:
            place = self._place(name)
            place.gain += _LED * gain
            if name in own:
                place.own_gain += (1 + _LED) * gain
        if not is_copy and self._is_measure(own):
            self._n_rated += 1
            self._gain += gain
        if self._is_measure(leading):
            self._gain += _LED * gain

    def places_that_stand_back(self) -> list[tuple[str, float]]:
        """Return each place whose links stand half a scale back or more, with its pages; 100 are the most."""
        rate = self._rate
        return [
            (name, place.n_pages)
            for name, place in self._places.items()
            if name[0] != _HOST and place.alike * self._shortfall(name, place, rate) >= _MOSTLY
        ]

    @property
    def _rate(self) -> float:
        """What a page brings where pages have titles of their own, with what is found on it."""
        return (self._gain + _PRIOR_PAGES) / (self._n_rated + 2 * _PRIOR_PAGES)

    def _is_measure(self, names: tuple[str, ...]) -> bool:
        return bool(names) and all(self._places[name].alike < _MOSTLY for name in names)

    def levels(self, url: str) -> int:
        """Return how many levels a link stands back, from 0 to LEVELS."""
        rate = self._rate
        known = [
            (name, place) for name in _places_of(url) if (place := self._places.get(name)) is not None and place.n_alike
        ]
        return round(
            LEVELS * max((place.alike * self._shortfall(name, place, rate) for name, place in known), default=0.0)
        )

    def is_of_one_form(self, url: str) -> bool:
        """Tell whether some pages of a link's place are known, and have one title: further ones show nothing else."""
        known = [place for name in _places_of(url) if (place := self._places.get(name)) is not None]
        return any(place.alike > _SOME for place in known)

    def _shortfall(self, name: str, place: _Place, rate: float) -> float:
        host = self._places.get(_host_of(f"http://{name}"))
        if host is None:
            return place.shortfall(rate)
        n_others = max(0.0, host.n_pages - place.n_pages)
        n_alike = max(0.0, host.n_alike - place.n_alike)
        return place.shortfall(rate, max(0.0, n_others - n_alike) / (n_others + _PRIOR_PAGES))

    def _place(self, name: str) -> _Place:
        found = self._places.get(name)
        if found is None:
            found = self._places[name] = _Place()
        self._places.move_to_end(name)
        if len(self._places) > _MAX_PLACES:
            self._places.popitem(last=False)
        return found


def _host_of(url: str) -> str:
    """Return the name under which the pages of a URL's host are counted together."""
    return f"{_HOST}{host_of(url)}"


def _places_of(url: str) -> tuple[str, ...]:
    """Return the narrowest folder of a URL, the names in it that begin alike, and its query parameters."""
    groups = groups_of(url)
    n_folders = sum("?" not in group and not group.endswith("*") for group in groups)
    return groups[n_folders - 1 :]
