"""Raises the limit of files that a process may have open."""

from __future__ import annotations

from contextlib import suppress

try:
    import resource
except ImportError:  # not on this system
    resource = None  # type: ignore[assignment]

MOST_FILES = 65_536
"""The limit is raised to this, if the system lets a process have so many."""


def raise_limit() -> int | None:
    """Let this process open up to ``MOST_FILES`` files; return how many it may open, None where that is not limited."""
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
