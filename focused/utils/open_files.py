"""The files that a process may have open: raises their limit, and tells how many may still be opened."""

from __future__ import annotations

import errno
import os
from contextlib import suppress

try:
    import resource
except ImportError:  # not on this system
    resource = None  # type: ignore[assignment]

MOST_FILES = 65_536
"""The limit is raised to this, if the system lets a process have so many."""
_SPARE = 16
"""For files that are opened and closed, such as those that a page is written to."""


def raise_limit() -> int | None:
    """Raise the limit of open files to ``MOST_FILES``; return the new limit, None where there is none."""
    n_files = None
    if resource is not None:
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        most = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
        n_files = None if soft == resource.RLIM_INFINITY else soft
        if n_files is not None and n_files < most:
            with suppress(OSError, ValueError):  # some systems allow less than they say
                resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
                n_files = most
    return n_files


def has_room(n_requests: int) -> bool:
    """Tell whether one more request can have a connection, if ``n_requests`` others may be about to open theirs.

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
