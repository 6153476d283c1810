"""Checks in one place which pages somebody asks for: the options of ``scrapy export`` and of the dashboard."""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING

from focused.collection.view import PageFilter, host_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

OPTIONS = ("which", "relevance", "language", "since", "before", "host", "words")
WHICH = {"delivered": True, "refused": False, "all": None}
_DATE = re.compile(r"[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?")
_LANGUAGE = re.compile(r"[a-zA-Z]{2,3}")
_HOST = re.compile(r"[^\s/:?#@]+|\[[0-9a-fA-F:.]+\]")


def asked_filter(said: Mapping[str, str], name_of: Callable[[str], str]) -> PageFilter:
    """Return the filter that options (`OPTIONS`) ask for; empty ones ask nothing.

    ``name_of``: what an option is called where it was given.

    >>> asked_filter({"host": "a.example, b.example", "relevance": "0.5"}, "--{}".format).hosts
    ('a.example', 'b.example')

    Raises
    ------
    ValueError
        It names the option, what it must be, and what it got.
    """

    def refuse(option: str, right: str) -> ValueError:
        return ValueError(f"{name_of(option)} must be {right}. Got {said.get(option, '')[:100]!r}.")

    which = said.get("which") or "delivered"
    if which not in WHICH:
        raise refuse("which", f"one of {', '.join(WHICH)}")
    least = None
    if said.get("relevance"):
        try:
            least = float(said["relevance"])
        except ValueError:
            least = -1.0
        if not 0 <= least <= 1:
            raise refuse("relevance", "a number from 0 to 1")
    for option in ("since", "before"):
        if said.get(option) and not _is_date(said[option]):
            raise refuse(option, "a date such as 2024, 2024-05 or 2024-05-31")
    languages, hosts = (
        tuple(filter(None, re.split(r"[,\s]+", said.get(option, "")))) for option in ("language", "host")
    )
    if not all(map(_LANGUAGE.fullmatch, languages)):
        raise refuse("language", "codes of two or three letters, such as en,de")
    hosts = tuple(host_of(each if "://" in each else f"http://{each}") for each in hosts)
    if not all(map(_HOST.fullmatch, hosts)):
        raise refuse("host", "names of hosts such as example.org")
    since, before = said.get("since"), said.get("before")
    if since and before and since >= before:
        raise ValueError(f"{name_of('since')} must be earlier than {name_of('before')}. Got {since!r} and {before!r}.")
    return PageFilter(
        delivered=WHICH[which], least_relevance=least, languages=languages, since=said.get("since") or None,
        before=said.get("before") or None, hosts=hosts, words=said.get("words", ""),
    )  # fmt: skip


def _is_date(text: str) -> bool:
    """Tell whether a text is a day, a month or a year.

    >>> _is_date("2024"), _is_date("2024-02-30")
    (True, False)
    """
    if not _DATE.fullmatch(text):
        return False
    try:
        date.fromisoformat(text + "-01" * (2 - text.count("-")))
    except ValueError:
        return False
    return True
