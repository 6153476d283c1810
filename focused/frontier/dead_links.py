"""Lets links stand back whose group keeps leading to no page: to errors (404, 410, 403, 500), or to files that are no pages.

An error costs no page of the budget, but it costs time, and it makes a host rest that fails three times in a row. Pure: no
Scrapy, no file.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

from focused.frontier.url_groups import N_OF_HOST, SISTERS, groups_of

if TYPE_CHECKING:
    from collections.abc import Callable

_PRIOR_LINKS = 2.0
"""A group is taken to be like the one that it lies in until so many of its links have ended."""
_DECAY = 0.99
"""Each further link of a group leaves this much of what is known of it: some 100 links count."""
_ENOUGH = 0.5
"""A group does not stand back if at least this share of its links leads to a page: an error costs a request, and no page."""
_NOWHERE = 0.1
"""Beyond this shortfall, which takes three errors or more, a link is not drawn to look around, and its host is not blamed for
its errors."""
_MAX_GROUPS = 20_000


class DeadLinks:
    """Counts, for groups of URLs some of whose links have led to no page, how many did.

    A host as a whole is no group here: each page of it may name one dead folder.
    """

    def __init__(self) -> None:
        #: Of each group with such a link: links that ended, and those of them that led to a page; the latest count most.
        self._groups: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def add_dead(self, url: str, n_pages_of: Callable[[str], float]) -> None:
        """Count a link that led to no page. ``n_pages_of``: returns how many pages a group has had so far, the latest."""
        for group in groups_of(url)[N_OF_HOST:]:
            n_before = 0.0 if group in self._groups else n_pages_of(group)
            n_links, n_alive = self._groups.pop(group, (n_before, n_before))
            self._groups[group] = _DECAY * n_links + 1, _DECAY * n_alive
            if len(self._groups) > _MAX_GROUPS:
                self._groups.popitem(last=False)

    def add_page(self, url: str) -> None:
        """Count a link that led to a page."""
        if not self._groups:
            return
        for group in groups_of(url)[N_OF_HOST:]:
            if (known := self._groups.get(group)) is not None:
                self._groups[group] = _DECAY * known[0] + 1, _DECAY * known[1] + 1

    def shortfall(self, url: str) -> float:
        """Return how far a link's groups fall short of leading to pages: 0 if half of their links do, 1 if none does.

        Of several query parameters the one counts that has led to fewest pages.
        """
        if not self._groups:
            return 0.0
        share, of_parameters, wider = 1.0, 1.0, (0.0, 0.0)
        for group in groups_of(url)[N_OF_HOST:]:
            if (known := self._groups.get(group)) is None:
                continue
            # What is known of a group is known of the wider one, too, and counts once.
            n_others, n_others_alive = (max(0.0, of_wider - own) for of_wider, own in zip(wider, known, strict=True))
            expected = (n_others_alive + _PRIOR_LINKS) / (n_others + _PRIOR_LINKS)
            here = min(1.0, (known[1] + _PRIOR_LINKS * expected) / (known[0] + _PRIOR_LINKS))
            if "?" in group:
                of_parameters = min(of_parameters, here)
            elif SISTERS in group:
                share = min(share, here)
            else:
                share, wider = here, known
        return 1 - min(1.0, share / _ENOUGH, of_parameters / _ENOUGH)

    def leads_nowhere(self, url: str) -> bool:
        """Tell whether hardly any of the links like one led to a page."""
        return self.shortfall(url) > _NOWHERE

    def groups(self) -> list[tuple[str, float, float]]:
        """Return each group that is counted, with its links that ended and those of them that led to a page."""
        return [(group, n_links, n_alive) for group, (n_links, n_alive) in self._groups.items()]
