"""Write numbers of things."""

from __future__ import annotations

import re

_THINGS = re.compile(r"\b(byte|context|link|page|record|request|response|row|seed|training)s\b")


def quantity(count: int, things: str) -> str:
    """Return a count with its noun.

    Parameters
    ----------
    count : int
    things : str
        In the plural; the first plural is the noun that is counted.

    >>> quantity(1200, "pages with many links"), quantity(1, "pages with many links")
    ('1,200 pages with many links', '1 page with many links')
    """
    return f"{count:,} {things if count != 1 else _THINGS.sub(lambda found: found[1], things, count=1)}"


# Control characters of a page: XML has no way to write them, so one would spoil a whole feed.
_CONTROLS = [*range(9), 11, *range(14, 32), 127, 0xFFFE, 0xFFFF]
_NO_CONTROLS = dict.fromkeys(_CONTROLS)
_EACH_CONTROL = list(map(chr, _CONTROLS))


def printable(text: str) -> str:
    """Return a text without control characters."""
    # To look for each of them takes a tenth of the time, and hardly a page has any.
    return text.translate(_NO_CONTROLS) if any(map(text.__contains__, _EACH_CONTROL)) else text
