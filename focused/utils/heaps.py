"""Sets how much memory the C library keeps for threads."""

from __future__ import annotations

import ctypes
from contextlib import suppress

_M_ARENA_MAX = -8


def share_heaps(n_heaps: int = 2) -> None:
    """Make all threads share so many heaps.

    glibc gives each thread its own, up to eight a core, and what one has freed no other can use. Other C libraries have
    nothing like it, and are left as they are.
    """
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, n_heaps)
