"""A link's place in the order of fetching as one number: its priority, and its turn among links of that priority."""

from __future__ import annotations

from focused.frontier.store.schema import RANK_BITS

_TURN = (1 << RANK_BITS) - 1

MOST_PRIORITY = 1_000_000
"""Up to here priorities have a rank for each turn. Seeds, the highest of all links, have 10,000."""
# Beyond, a rank tells priorities of 61 bits apart, and larger ones of up to 2^15 bits by their first 46 bits.
_EXACT_BITS, _LEADING_BITS, _MAX_BITS = 61, 46, 1 << 15
MOST_EXACT = MOST_PRIORITY + (1 << _EXACT_BITS) - 1
"""Up to here `priority_of` gives back the priority that a rank was made of."""
_BASE = (MOST_PRIORITY + 1) << RANK_BITS


class Ranks:
    """Puts ranks together and takes them apart; less is better.

    Links of one level of priority are fetched in the order of discovery, or the newest first (docs/method/, D58). A spider's
    own requests may have any priority; beyond `MOST_PRIORITY` a rank holds no turn, and equals come in the order of discovery.

    >>> oldest, newest = Ranks(), Ranks(is_newest_first=True)
    >>> oldest.rank(7, 1) < oldest.rank(7, 2) < oldest.rank(6, 1)
    True
    >>> newest.rank(7, 2) < newest.rank(7, 1) < newest.rank(6, 2)
    True
    >>> newest.turn_of(newest.rank(7, 2)), priority_of(newest.rank(7, 2))
    (2, 7)
    >>> oldest.rank(2**70, 1) < oldest.rank(2**62, 1) < oldest.rank(10, 1) < oldest.rank(-2**62, 1) < oldest.rank(-2**70, 1)
    True
    >>> priority_of(oldest.rank(-2**60, 1)) == -2**60
    True
    """

    def __init__(self, *, is_newest_first: bool = False) -> None:
        self._is_newest_first = is_newest_first

    def rank(self, priority: int, turn: int) -> int:
        """Return the rank of a link that was found as the turn-th; 64 bits with sign, whatever the priority."""
        if not -MOST_PRIORITY <= priority <= MOST_PRIORITY:
            beyond = _BASE + _compressed(abs(priority) - MOST_PRIORITY)
            return -beyond if priority > 0 else beyond
        return (-priority << RANK_BITS) + (_TURN - turn if self._is_newest_first else turn)

    def turn_of(self, rank: int) -> int:
        """Return the turn that a rank was made of."""
        turn = rank & _TURN
        return _TURN - turn if self._is_newest_first else turn


def moved_to(rank: int, priority: int) -> int:
    """Return the rank of the same turn with another priority."""
    return (-priority << RANK_BITS) + (rank & _TURN)


def priority_of(rank: int) -> int:
    """Return the priority that a rank stands for; beyond `MOST_EXACT` one that has its first digits."""
    if not -_BASE < rank < _BASE:
        beyond = MOST_PRIORITY + _restored(abs(rank) - _BASE)
        return beyond if rank < 0 else -beyond
    return -(rank >> RANK_BITS)


def _compressed(number: int) -> int:
    """Return a number below 2^62 for one of any size: the same order, but for what its first bits do not tell."""
    bits = number.bit_length()
    if bits <= _EXACT_BITS:
        return number
    leading = number >> (bits - _LEADING_BITS) if bits <= _MAX_BITS else (1 << _LEADING_BITS) - 1
    # The first of the leading bits is always 1.
    place = (min(bits, _MAX_BITS) - _EXACT_BITS - 1) << (_LEADING_BITS - 1)
    return (1 << _EXACT_BITS) + place + leading - (1 << (_LEADING_BITS - 1))


def _restored(code: int) -> int:
    """Return the number that was compressed, as far as its first bits tell."""
    if code < 1 << _EXACT_BITS:
        return code
    n_more, leading = divmod(code - (1 << _EXACT_BITS), 1 << (_LEADING_BITS - 1))
    return (leading + (1 << (_LEADING_BITS - 1))) << (_EXACT_BITS + 1 + n_more - _LEADING_BITS)
