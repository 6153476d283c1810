"""Tells how many files this process may still open."""

from __future__ import annotations

import errno
import os

try:
    import resource
except ImportError:  # not on this system
    resource = None  # type: ignore[assignment]

_SPARE = 16
"""For files that are opened and closed, such as those that a page is written to."""


def has_room(n_requests: int) -> bool:
    """Tell whether one more request can have a connection, besides so many of which nobody knows whether they have theirs.

    The lowest number that is free says how many are taken at least; to ask for it takes 2 us.
    """
    number = _lowest_free()
    if number is None:
        return False
    limit = _limit()
    return limit is None or limit - number > n_requests + _SPARE


def is_none_left() -> bool:
    """Tell whether no file can be opened any more."""
    return _lowest_free() is None


def _lowest_free() -> int | None:
    """Return the number that the next file would get; None if it would get none."""
    try:
        number = os.open(os.devnull, os.O_RDONLY)
    except OSError as error:
        return None if error.errno in (errno.EMFILE, errno.ENFILE) else 0
    os.close(number)
    return number


def _limit() -> int | None:
    """Return how many files this process may open; None where that is not limited."""
    if resource is not None:
        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        if soft != resource.RLIM_INFINITY:
            return soft
    return None
