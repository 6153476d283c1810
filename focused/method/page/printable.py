"""Text of pages without control characters."""

from __future__ import annotations

# Control characters of a page: XML has no way to write them, so one would spoil a whole feed.
_CONTROLS = [*range(9), 11, *range(14, 32), 127, 0xFFFE, 0xFFFF]
_NO_CONTROLS = dict.fromkeys(_CONTROLS)
_EACH_CONTROL = list(map(chr, _CONTROLS))


def printable(text: str) -> str:
    """Return a text without control characters."""
    # To look for each of them takes a tenth of the time, and hardly a page has any.
    return text.translate(_NO_CONTROLS) if any(map(text.__contains__, _EACH_CONTROL)) else text
