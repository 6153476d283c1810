"""`LinksWanted`: which waiting links of a host should be read from the database: those that are not in memory.

With two workers nearly every host has news at each look. To read all of its best links again took more than to find them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from focused.frontier.shared.array_text import array_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from focused.frontier.shared.link_rows import WaitingLink

AHEAD = 64
"""Links of a host that are fetched ahead."""
_BEYOND_ALL = (1 << 63) - 1


class LinksWanted(NamedTuple):
    """The best links of a host that are not known, at most so many."""

    most: int = AHEAD
    #: Links of this rank and of higher ones are not wanted; None: all are.
    horizon: int | None = None
    #: The marks of those that are known, ascending.
    known: tuple[int, ...] = ()

    @property
    def values(self) -> tuple[int, int, str]:
        """What the statement takes."""
        return self.most, _BEYOND_ALL if self.horizon is None else self.horizon, array_text(self.known)


def marks(links: Iterable[WaitingLink]) -> tuple[int, ...]:
    """Return the marks of links as the database has them: one that has another place there by now is not known."""
    return tuple(sorted(link.number ^ (link.rank if link.stored is None else link.stored) for link in links))
