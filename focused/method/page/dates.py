"""Reads dates as pages write them."""

from __future__ import annotations

import datetime
import re
from email.utils import parsedate

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MAX_CHARS = 60
_iso = re.compile(r"(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?(?=$|[T ;,])").match
_compact = re.compile(r"(\d{4})(\d\d)(\d\d)(?=$|T|\d{6}$)").match
_day_first = re.compile(r"(?:[a-z]+,? )?(\d{1,2})(?:st|nd|rd|th)? ([a-z]{3})[a-z]*\.?,? (\d{4})", re.IGNORECASE).match
_month_first = re.compile(r"(?:[a-z]+,? )?([a-z]{3})[a-z]*\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})", re.IGNORECASE).match
_in_path = re.compile(r"/((?:19|20)\d\d)[/-](\d{1,2})[/-](\d{1,2})(?![0-9])").search
_LEAST_YEAR = 1000


def iso_date(text: str, latest: str = "") -> str:
    """Return a date as ISO 8601 has it, as exactly as it was given: a year, a month, or a day. Empty if it is none.

    ``latest``: an ISO date; what is later is none, but for one day, because of time zones. English names of months are read,
    other languages' are not, nor days before numbers of months: 03/04/2020 has two meanings.

    >>> [iso_date(each) for each in ("2020-03-04T10:00:00Z", "Wed, 4 Mar 2020 10:00 GMT", "March 4th, 2020", "2020-3", "1887")]
    ['2020-03-04', '2020-03-04', '2020-03-04', '2020-03', '1887']
    >>> [iso_date(each) for each in ("2020-02-31", "03/04/2020", "yesterday", "0000")]
    ['', '', '', '']
    """
    text = " ".join(text[:_MAX_CHARS].split())
    if found := _iso(text) or _compact(text):
        parts = [int(each) for each in found.groups() if each]
    elif found := _day_first(text):
        parts = [int(found[3]), _month(found[2]), int(found[1])]
    elif found := _month_first(text):
        parts = [int(found[3]), _month(found[1]), int(found[2])]
    else:
        try:
            mail = parsedate(text)
        except (ValueError, IndexError, TypeError):
            return ""
        if mail is None:
            return ""
        parts = list(mail[:3])
    return _checked(parts, latest)


def date_of_path(url: str, latest: str = "") -> str:
    """Return the date in the path of a URL, as news sites write it; empty if there is none.

    >>> date_of_path("http://h.org/2019/7/04/stars.html"), date_of_path("http://h.org/2019/07/")
    ('2019-07-04', '')
    """
    found = _in_path(url.partition("?")[0])
    return _checked([int(each) for each in found.groups()], latest) if found else ""


def _month(name: str) -> int:
    name = name.lower()
    return _MONTHS.index(name) + 1 if name in _MONTHS else 0


def _checked(parts: list[int], latest: str) -> str:
    year, month, day = (*parts, 1, 1)[:3]
    try:
        date = datetime.date(year, month, day)
        if latest and date > datetime.date.fromisoformat(latest[:10]) + datetime.timedelta(days=1):
            return ""
    except (ValueError, OverflowError):
        return ""
    return date.isoformat()[: (4, 7, 10)[len(parts) - 1]] if year >= _LEAST_YEAR else ""
