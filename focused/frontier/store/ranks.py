"""A link's place in the order of fetching as one number: its priority, and its turn among links of that priority."""

from __future__ import annotations

from focused.frontier.store.schema import RANK_BITS

_TURN = (1 << RANK_BITS) - 1


class Ranks:
    """Puts ranks together and takes them apart; less is better.

    Links of one level of priority are fetched in the order of discovery, or the newest first (docs/method/, D58).

    >>> oldest, newest = Ranks(), Ranks(is_newest_first=True)
    >>> oldest.rank(7, 1) < oldest.rank(7, 2) < oldest.rank(6, 1)
    True
    >>> newest.rank(7, 2) < newest.rank(7, 1) < newest.rank(6, 2)
    True
    >>> newest.turn_of(newest.rank(7, 2)), priority_of(newest.rank(7, 2))
    (2, 7)
    """

    def __init__(self, *, is_newest_first: bool = False) -> None:
        self._is_newest_first = is_newest_first

    def rank(self, priority: int, turn: int) -> int:
        """Return the rank of a link that was found as the turn-th."""
        return (-priority << RANK_BITS) + (_TURN - turn if self._is_newest_first else turn)

    def turn_of(self, rank: int) -> int:
        """Return the turn that a rank was made of."""
        turn = rank & _TURN
        return _TURN - turn if self._is_newest_first else turn


def moved_to(rank: int, priority: int) -> int:
    """Return the rank of the same turn with another priority."""
    return (-priority << RANK_BITS) + (rank & _TURN)


def priority_of(rank: int) -> int:
    """Return the priority that a rank stands for."""
    return -(rank >> RANK_BITS)
