"""Write numbers of things."""

from __future__ import annotations

import re

_THINGS = re.compile(
    r"\b(byte|context|crawl|file|host|link|negative|page|place|positive|record|repeat|request|response|revisit|row|seed|topic|"
    r"training|URL|verdict)"
    r"s\b"
)


def quantity(count: int, things: str) -> str:
    """Return a count with its noun, the first plural of the things.

    >>> quantity(1200, "pages with many links"), quantity(1, "pages with many links")
    ('1,200 pages with many links', '1 page with many links')
    """
    return f"{count:,} {things if count != 1 else _THINGS.sub(lambda found: found[1], things, count=1)}"


def duration(secs: float) -> str:
    """Return a time as people say it, in one unit.

    >>> duration(90), duration(300), duration(20_000)
    ('90 s', '5 min', '5.6 h')
    """
    return f"{secs:.0f} s" if secs <= 90 else f"{secs / 60:.0f} min" if secs < 5400 else f"{secs / 3600:.1f} h"


def with_preset(strategy: str, preset: str) -> str:
    """Return the name of a strategy for people, with the preset that it was crawled with if there was one.

    >>> with_preset("cbp", "p13"), with_preset("cbp", "")
    ('p13 cbp', 'cbp')
    """
    return f"{preset} {strategy}" if preset else strategy
