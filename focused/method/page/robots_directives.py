"""Reads what a page asks of robots: not to be indexed, or that its links are not followed.

A page says it in ``<meta name=robots>`` or in the header ``X-Robots-Tag``, to all robots or to one by its name.
"""

from __future__ import annotations

import re
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

ALL_ROBOTS = "robots"
_UNAVAILABLE_AFTER = "unavailable_after"
# What may stand before a colon and is no name of a robot.
_WITH_VALUES = frozenset({_UNAVAILABLE_AFTER, "max-snippet", "max-image-preview", "max-video-preview"})
_MAX_CHARS = 1_000
_MAX_METAS = 20
_SAID = ("noindex", "nofollow", "none", _UNAVAILABLE_AFTER)
_product = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*").match
_comma_or_semicolon = re.compile(r"[,;]")


class Directives(NamedTuple):
    """What a page asks of a robot."""

    #: Not to show the page to anybody.
    noindex: bool = False
    #: Not to follow its links.
    nofollow: bool = False

    def __or__(self, other: Directives) -> Directives:
        """Return what either asks."""
        return Directives(self.noindex or other.noindex, self.nofollow or other.nofollow)


NOTHING = Directives()


def agent_name(user_agent: str) -> str:
    """Return the name of a robot in small letters, from what it calls itself in requests; empty if it has none.

    >>> agent_name("Focused/1.2 (+me@example.org)"), agent_name("(none)")
    ('focused', '')
    """
    found = _product(user_agent.strip())
    return found[0].lower() if found else ""


def note_meta(metas: list[tuple[str, str]], name: str, content: str) -> None:
    """Add name and content of a ``<meta>`` to a list if it may be meant for robots. Name: in small letters."""
    said = content[:_MAX_CHARS].lower()  # a pattern that ignores case would take five times as long
    if name and len(metas) < _MAX_METAS and any(map(said.__contains__, _SAID)):
        metas.append((name, said))


def of_metas(metas: Iterable[tuple[str, str]], agents: Collection[str] = (), at: float = 0.0) -> Directives:
    """Return what a page's ``<meta>`` ask of all robots, or of one with these names; the strictest holds.

    ``metas``: name in small letters, and content. ``agents``: names in small letters. ``at``: seconds since the epoch; a date
    in ``unavailable_after`` that has passed by then is ``noindex``.

    >>> of_metas([("robots", "NOINDEX, follow"), ("focused", "nofollow"), ("googlebot", "none")], {"focused"})
    Directives(noindex=True, nofollow=True)
    """
    found = NOTHING
    for name, content in metas:
        if name == ALL_ROBOTS or name in agents:
            found |= _directives(_parts(content), None, at)
    return found


def of_headers(values: Iterable[str], agents: Collection[str], at: float = 0.0) -> Directives:
    """Return what headers ``X-Robots-Tag`` ask of all robots, or of one with these names; the strictest holds.

    A name and a colon address what follows them, up to the next name or the end of the header.

    >>> of_headers(["googlebot: noindex, nofollow", "nofollow"], {"focused"})
    Directives(noindex=False, nofollow=True)
    >>> of_headers(["googlebot: nofollow, Focused: none"], {"focused"})
    Directives(noindex=True, nofollow=True)
    >>> of_headers(["unavailable_after: Wed, 03 Jul 2019 13:00:00 GMT"], (), at=1.6e9)
    Directives(noindex=True, nofollow=False)
    """
    found = NOTHING
    for value in values:
        found |= _directives(_parts(value), agents, at)
    return found


def _parts(text: str) -> Iterator[tuple[str, str]]:
    """Yield the parts of a list of directives: a name and its value, the name of a robot and "", or "" and words."""
    parts = [part.strip() for part in _comma_or_semicolon.split(text[:_MAX_CHARS])]
    while parts:
        before, colon, rest = (each.strip() for each in parts.pop(0).partition(":"))
        name = before.lower()
        if not colon:
            yield "", name
        elif name not in _WITH_VALUES:
            yield name, ""
            parts.insert(0, rest)
        else:
            # Some dates have a comma behind the day of the week.
            if parts and name == _UNAVAILABLE_AFTER and not any(map(str.isdigit, rest)):
                rest = f"{rest}, {parts.pop(0)}"
            yield name, rest


def _directives(parts: Iterable[tuple[str, str]], agents: Collection[str] | None, at: float) -> Directives:
    """Return what parts ask; those for other robots than ``agents`` are left out. None: all parts are for us."""
    noindex = nofollow = False
    is_for_us = True
    for name, value in parts:
        if name and name not in _WITH_VALUES:
            is_for_us = agents is None or name in agents
        elif is_for_us and name == _UNAVAILABLE_AFTER:
            noindex = noindex or _is_past(value, at)
        elif is_for_us and not name:
            words = value.split()
            noindex = noindex or not {"noindex", "none"}.isdisjoint(words)
            nofollow = nofollow or not {"nofollow", "none"}.isdisjoint(words)
    return Directives(noindex, nofollow)


def _is_past(date: str, at: float) -> bool:
    """Tell whether a date has passed; one that cannot be read has not."""
    seconds = seconds_of(date)
    return seconds is not None and seconds <= at


def seconds_of(date: str) -> float | None:
    """Return a date as seconds since the epoch, UTC where it names no zone; None if it cannot be read.

    As ISO 8601 has it, or as mails and HTTP do [RFC 5322, RFC 9110].

    >>> seconds_of("1970-01-01T00:01:00Z"), seconds_of("Thu, 01 Jan 1970 00:01:00 GMT"), seconds_of("soon")
    (60.0, 60.0, None)
    """
    text = date.strip()
    try:
        found = datetime.fromisoformat(f"{text[:-1]}+00:00" if text.endswith(("Z", "z")) else text)
    except ValueError:
        try:
            found = parsedate_to_datetime(text)
        except (ValueError, TypeError, OverflowError, IndexError):
            return None
    try:
        return (found if found.tzinfo else found.replace(tzinfo=timezone.utc)).timestamp()
    except (ValueError, OverflowError):
        return None
