"""Holds moves of waiting links for a while before they are written: a learning strategy moves a link again and again.

In memory a move holds at once. Each that is written costs the server a new row, so they are held for a moment: of each link
only the last is written, and none of a link that has ended meanwhile.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from focused.frontier.shared.boot_clock import now

if TYPE_CHECKING:
    from collections.abc import Iterable

    from focused.frontier.shared.page import Move

HELD_SECS = 2.0
"""How long a move is held; what other workers are to fetch is known that much later."""
_MOST = 2_000
"""Moves of one transaction: it locks their links."""


class HeldMoves:
    """The last move of each link, until it is time to write them."""

    def __init__(self) -> None:
        self._moves: dict[int, Move] = {}
        self._since = 0.0
        #: Share of `HELD_SECS` for which moves are held.
        self.pace = 1.0

    def __bool__(self) -> bool:
        """Tell whether there are any."""
        return bool(self._moves)

    def add(self, moves: Iterable[Move]) -> None:
        """Hold moves of links; each replaces the link's last one."""
        if not self._moves:
            self._since = now()
        self._moves.update((move.fingerprint, move) for move in moves)

    def drop(self, fingerprint: int) -> None:
        """Forget the move of a link that waits no more."""
        self._moves.pop(fingerprint, None)

    def take(self, *, all_at_once: bool = False) -> list[Move]:
        """Return the moves that should be written now, and hold them no longer."""
        if not self._moves or not (
            all_at_once or len(self._moves) >= _MOST or now() - self._since >= self.pace * HELD_SECS
        ):
            return []
        moves, self._moves = list(self._moves.values()), {}
        return moves
