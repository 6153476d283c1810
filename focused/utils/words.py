"""Writes numbers of things in words."""

from __future__ import annotations

import re

_NOUNS = (
    *(
        "answer",
        "byte",
        "context",
        "crawl",
        "feed",
        "file",
        "host",
        "line",
        "link",
        "minute",
        "negative",
        "page",
        "place",
        "soft 404",
    ),
    *("positive", "record", "repeat", "request", "response", "revisit", "row", "run", "seed", "sitemap", "topic"),
    *("training", "URL", "verdict", "web", "worker"),
)
_THINGS = re.compile(rf"\b({'|'.join(_NOUNS)})s\b(?: and ({'|'.join(_NOUNS)})s\b)?")


def quantity(count: float, things: str) -> str:
    """Return a count with its noun, the first plural of the things.

    >>> quantity(1200, "pages with many links"), quantity(1, "pages with many links"), quantity(1, "sitemaps and feeds left")
    ('1,200 pages with many links', '1 page with many links', '1 sitemap or feed left')
    >>> quantity(1, "soft 404s")
    '1 soft 404'
    >>> quantity(1.0, "minutes"), quantity(2.5, "minutes")
    ('1 minute', '2.5 minutes')
    """
    number = f"{count:,}" if isinstance(count, int) else f"{count:g}"
    return f"{number} {things if count != 1 else _THINGS.sub(_singular, things, count=1)}"


def _singular(found: re.Match[str]) -> str:
    return f"{found[1]} or {found[2]}" if found[2] else found[1]


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
