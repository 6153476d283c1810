"""Numbers of things, as people say them."""

from __future__ import annotations

import re

_THINGS = re.compile(r"\b(byte|context|link|page|record|request|response|row|seed|training)s\b")


def quantity(count: int, things: str) -> str:
    """Return a number of things.

    Parameters
    ----------
    count : int
    things : str
        In the plural; of several the first is what is counted.

    >>> quantity(1200, "pages with many links"), quantity(1, "pages with many links")
    ('1,200 pages with many links', '1 page with many links')
    """
    return f"{count:,} {things if count != 1 else _THINGS.sub(lambda found: found[1], things, count=1)}"
