"""Knows groups of URLs most of whose pages are collages: put together of parts of other pages. Pure: no Scrapy, no file."""

from __future__ import annotations

from collections import OrderedDict

_DECAY = 0.9
"""Each further page of a group leaves this much of what is known of it: some ten pages count."""
_MOST = 0.5
_PRIOR_PAGES = 2.0
"""Pages of a group, none of them a collage, that are assumed beforehand: two collages of two pages are not enough."""
_MAX_GROUPS = 20_000


class CollageGroups:
    """Counts the collages among the latest pages of each group that has had one."""

    def __init__(self) -> None:
        #: Pages since the first collage, and collages among them.
        self._groups: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def count(self, group: str, *, is_collage: bool) -> bool:
        """Count a page of a group; return whether it is a collage."""
        known = self._groups.pop(group, None)
        if known is None and not is_collage:
            return False
        n_pages, n_collages = known or (0.0, 0.0)
        self._groups[group] = _DECAY * n_pages + 1, _DECAY * n_collages + is_collage
        if len(self._groups) > _MAX_GROUPS:
            self._groups.popitem(last=False)
        return is_collage

    def are_most(self, group: str) -> bool:
        """Tell whether most of the latest pages of a group are collages.

        >>> groups = CollageGroups()
        >>> [groups.count("h.example/s*", is_collage=nth > 0) and groups.are_most("h.example/s*") for nth in range(4)]
        [False, False, False, True]
        """
        n_pages, n_collages = self._groups.get(group, (0.0, 0.0))
        return n_collages > _MOST * (n_pages + _PRIOR_PAGES)
