"""Reads a page's metadata: what it says of itself, and what can be inferred if it says nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from focused.method.page.dates import date_of_path, iso_date
from focused.method.page.json_ld import claims_of_json_ld
from focused.method.page.page_language import language_of_text, page_language
from focused.method.page.urls import REFUSALS, UrlResolver

if TYPE_CHECKING:
    from focused.method.page.page import Page

# The names of claims, the surest first. JSON-LD comes before all of them.
_AUTHOR = (
    "citation_author",
    "dc.creator",
    "dcterms.creator",
    "article:author",
    "author",
    "parsely-author",
    "sailthru.author",
)
_DATE = (
    *(
        "article:published_time",
        "og:published_time",
        "datepublished",
        "citation_publication_date",
        "citation_online_date",
    ),
    *(
        "citation_date",
        "dcterms.issued",
        "dc.date.issued",
        "dcterms.date",
        "dc.date",
        "dcterms.created",
        "dc.date.created",
    ),
    *(
        "date",
        "pubdate",
        "publishdate",
        "publish_date",
        "publish-date",
        "parsely-pub-date",
        "sailthru.date",
        "time pubdate",
    ),
)
_SITE_NAME = ("og:site_name", "application-name", "citation_journal_title", "dcterms.ispartof", "dc.source")
_DESCRIPTION = ("description", "og:description", "dcterms.abstract", "dc.description", "twitter:description")
_LICENSE = ("license", "dcterms.license", "dc.rights.license", "cc:license", "dc.rights", "dcterms.rights")
_LANGUAGE = ("html lang", "content-language", "og:locale", "dcterms.language", "dc.language", "language")
_COMMONS = ("creativecommons.org/licenses/", "creativecommons.org/publicdomain/")
_is_language = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{1,8}){0,3}").fullmatch
_MAX_CHARS = {"author": 300, "site_name": 200, "license": 500}


@dataclass(frozen=True, slots=True)
class Metadata:
    """Fields are empty if the page does not give them. White space is folded."""

    author: str = ""
    #: When it was published, ISO 8601: a day, a month or a year.
    date: str = ""
    site_name: str = ""
    description: str = ""
    #: URL of the licence, or what the page says of it.
    license: str = ""
    #: As the page declares it, with its region; else the code of the language that its text is in.
    language: str = ""
    #: Absolute URL.
    canonical_url: str = ""


def metadata_of(page: Page, today: str = "", main_text: str = "") -> Metadata:
    """Return what a page says of itself: JSON-LD, OpenGraph, Dublin Core, other metas, ``<time>``, ``rel`` of links.

    ``today``: ISO date; a page cannot have been published later. ``main_text``: where it is known, the language of a page
    that declares none is that of this text. What is no date, language or URL is passed over: pages are
    broken, and some lie.
    """
    claims = page.marked_text.claims
    said, graph = claims.values, claims_of_json_ld(claims.scripts) if claims.scripts else {}
    if not said and not graph and claims.author_link < 0:
        return Metadata(
            date=date_of_path(page.url, today), license=_commons(page), language=page_language(page, main_text)
        )

    def first(name: str, names: tuple[str, ...]) -> str:
        found = graph.get(name) or next((said[each] for each in names if each in said), "")
        return " ".join(found.split())[: _MAX_CHARS.get(name, 1000)]

    target = said.get("canonical", "").strip()
    canonical = UrlResolver(page.url, page.marked_text.base).resolve(target) if target else ""
    licence = first("license", _LICENSE)
    if licence and " " not in licence and any(mark in licence for mark in "/.:"):  # an address, or a scheme of any kind
        found = UrlResolver(page.url, page.marked_text.base).resolve_file(licence)
        licence = "" if found in REFUSALS else found
    return Metadata(
        author=_author(page, [graph.get("author", ""), *(said.get(each, "") for each in _AUTHOR)]),
        date=_date(page, [graph.get("date", ""), *(said.get(each, "") for each in _DATE)], today),
        site_name=first("site_name", _SITE_NAME),
        description=first("description", _DESCRIPTION),
        license=licence or _commons(page),
        language=_language(page, [*(said.get(each, "") for each in _LANGUAGE), graph.get("language", "")], main_text),
        canonical_url="" if canonical in REFUSALS else canonical,
    )


def _author(page: Page, named: list[str]) -> str:
    for each in named:
        name = " ".join(each.split())[: _MAX_CHARS["author"]]
        if name and "://" not in name:  # the address of a profile is no name
            return name
    number = page.marked_text.claims.author_link
    if number < 0:
        return ""
    node = page.outline.link_nodes[number]
    first, last = int(page.outline.first_chunk[node]), int(page.outline.last_chunk[node])
    return page.marked_text.joined(first, last)[: _MAX_CHARS["author"]]


def _date(page: Page, named: list[str], today: str) -> str:
    for each in named:
        if each and (found := iso_date(each, today)):
            return found
    said = page.marked_text.claims.values
    # Several times are those of comments or of other pages.
    if "time" in said and "another time" not in said and (found := iso_date(said["time"], today)):
        return found
    return date_of_path(page.url, today)


def _language(page: Page, declared: list[str], main_text: str) -> str:
    for each in declared:
        code = re.split("[,;]", each, maxsplit=1)[0].strip()
        if code and _is_language(code):
            return _as_usual(code)
    # What looks for one language of a page in haste would believe the first letters of what is none.
    return language_of_text(page, main_text) if any(declared) else page_language(page, main_text)


def _as_usual(code: str) -> str:
    """Return the code of a language with letters as small and large as RFC 5646 has them.

    >>> _as_usual("EN_us"), _as_usual("zh-hant-TW"), _as_usual("de")
    ('en-US', 'zh-Hant-TW', 'de')
    """
    first, *more = code.replace("_", "-").lower().split("-")
    return "-".join(
        [first, *(each.upper() if len(each) == 2 else each.title() if len(each) == 4 else each for each in more)]
    )


def _commons(page: Page) -> str:
    """Return the licence of Creative Commons that a page links to; empty if none."""
    for target in page.marked_text.link_targets:
        if "creativecommons.org/" in target and any(each in target for each in _COMMONS):
            found = UrlResolver(page.url, page.marked_text.base).resolve_file(target)
            return "" if found in REFUSALS else found
    return ""
