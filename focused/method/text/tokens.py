"""Look up the codes of all tokens of a text at once.

Cutting a text into strings and looking each up in a dict takes 0.2 microseconds a token: more than any other step after a
page is parsed. Here tokens stay numbers in an array. One sum over the bytes gives each token a 64-bit polynomial hash, and a
table of known hashes is searched for all of them at once.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Codes = npt.NDArray[np.int32]
Hashes = npt.NDArray[np.uint64]

SEPARATOR = b"\0"
"""Stands between tokens."""

UNKNOWN = -1
_WINDOW = 32_768  # bytes processed together: their arrays fit into a processor's cache
_LONGEST = 192  # bytes of a token that is remembered: longer ones hardly recur
_FIRST_BITS = 12
_MARGIN = 1 << 11
_EMPTY = np.uint64(0)

# The hash of the bytes b0, b1, ... is b0 B + b1 B^2 + ... modulo 2^64. B is secret, so nobody can write tokens that share a
# hash. To sum over a whole text at once, byte i is weighted by B^(i + 1), and the sum of a token that begins at i is divided
# by B^i; B is odd, so its inverse exists.
_BASE = random.SystemRandom().getrandbits(64) | 1


def _powers(base: int) -> Hashes:
    factors = np.full(_WINDOW + 1, base, dtype=np.uint64)
    factors[0] = 1
    return np.multiply.accumulate(factors)


_POWERS = _powers(_BASE)
_WEIGHTS = _POWERS[1:]
_DIVISORS = _powers(pow(_BASE, -1, 1 << 64))


class TokenCodes:
    """Gives each different token a code, an integer of 32 bits, and remembers it.

    ``think``: returns the code of a token that is not remembered; any code but ``UNKNOWN``. ``max_tokens``: tokens that are
    remembered; when there are more, all are forgotten.
    """

    def __init__(self, think: Callable[[bytes], int], max_tokens: int) -> None:
        self._think = think
        self._max_tokens = max_tokens
        self.forget()

    def __len__(self) -> int:
        """Return the number of tokens that are remembered."""
        return self._n_tokens

    def forget(self) -> None:
        """Forget all tokens."""
        self._n_tokens = 0
        self._set_bits(_FIRST_BITS)

    def of_text(self, text: bytes) -> Codes:
        """Return the code of each token of a text; separators delimit tokens."""
        found = [self._of_window(window) for window in _windows(text)]
        return found[0] if len(found) == 1 else np.concatenate(found)

    def _of_window(self, window: bytes) -> Codes:
        """Return the codes of the tokens of a text that begins and ends with a separator."""
        if len(window) > _WINDOW:  # one endless token
            return np.array([self._think(window.strip(SEPARATOR))], dtype=np.int32)
        characters = np.frombuffer(window, dtype=np.uint8)
        is_inside = characters != 0
        edges = (is_inside[1:] != is_inside[:-1]).nonzero()[0]
        edges += 1
        starts, stops = edges[::2], edges[1::2]
        if not len(starts):
            return np.zeros(0, dtype=np.int32)
        hashes = np.add.reduceat(characters * _WEIGHTS[: len(characters)], starts)
        hashes *= _DIVISORS[starts]
        codes = self._find(hashes)
        if codes.min() < 0:
            thought: dict[bytes, int] = {}
            for place in (codes == UNKNOWN).nonzero()[0].tolist():
                token = window[starts[place] : stops[place]]
                if token not in thought:
                    thought[token] = self._think(token)
                    if len(token) <= _LONGEST:
                        self._remember(int(hashes[place]), thought[token])
                codes[place] = thought[token]
        return codes

    def _find(self, hashes: Hashes) -> Codes:
        """Return the codes of hashes, ``UNKNOWN`` for those that are not in the table."""
        slots = (hashes >> self._shift).view(np.int64)
        held = self._hashes.take(slots)
        codes = self._codes.take(slots)
        pending = ((held != hashes) & (held != _EMPTY)).nonzero()[0]
        if len(pending):
            # If another hash is in the slot, the hash may be in one of the next slots, up to the first empty one.
            slots, hashes = slots[pending], hashes[pending]
            while len(pending):
                slots += 1
                held = self._hashes.take(slots)
                codes[pending] = self._codes.take(slots)
                is_left = (held != hashes) & (held != _EMPTY)
                pending, slots, hashes = pending[is_left], slots[is_left], hashes[is_left]
        return codes

    def _remember(self, token_hash: int, code: int) -> None:
        if self._n_tokens >= self._max_tokens:
            self.forget()
        elif 4 * self._n_tokens >= 1 << self._n_bits:
            self._grow()
        slot = token_hash >> (64 - self._n_bits)
        while self._hashes[slot]:
            slot += 1
        self._hashes[slot], self._codes[slot] = token_hash, code
        self._n_tokens += 1

    def _set_bits(self, n_bits: int) -> None:
        """Make an empty table, with spare slots at its end for hashes that overflow."""
        self._n_bits = n_bits
        self._shift = np.uint64(64 - n_bits)
        self._hashes = np.zeros((1 << n_bits) + _MARGIN, dtype=np.uint64)
        self._codes = np.full(len(self._hashes), UNKNOWN, dtype=np.int32)

    def _grow(self) -> None:
        is_held = self._hashes != _EMPTY
        hashes, codes = self._hashes[is_held], self._codes[is_held]
        self._set_bits(self._n_bits + 2)
        # In ascending order each hash takes its own slot, or the one after the last taken slot.
        order = hashes.argsort()
        numbers = np.arange(len(order))
        slots = np.maximum.accumulate((hashes[order] >> self._shift).view(np.int64) - numbers) + numbers
        self._hashes[slots], self._codes[slots] = hashes[order], codes[order]


def _windows(text: bytes) -> Iterator[bytes]:
    """Cut a text between tokens; each piece begins and ends with a separator."""
    start = 0
    while len(text) - start > _WINDOW - 2:
        stop = text.rfind(SEPARATOR, start, start + _WINDOW - 2)
        if stop <= start:
            stop = text.find(SEPARATOR, start + 1)
            if stop < 0:
                break
        yield SEPARATOR + text[start : stop + 1]
        start = stop
    yield SEPARATOR + text[start:] + SEPARATOR
