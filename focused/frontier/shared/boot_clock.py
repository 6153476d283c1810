"""The clock of a worker's lease and of its hosts' delays."""

from __future__ import annotations

import time


def now() -> float:
    """Return the seconds of a clock that goes on while the process, or the machine, sleeps."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))
