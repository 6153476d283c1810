"""Answers of the demo web that are no pages: robots.txt, the endless calendar, redirects and errors."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from focused.webs.demo.document import Block, DemoLink, Document, Paragraph
from focused.webs.demo.pages import html
from focused.webs.demo.prose import Writer
from focused.webs.demo.seeded_random import Dice, mix
from focused.webs.recorded.answer import Answer

if TYPE_CHECKING:
    from focused.webs.demo.hosts import Host

ROBOTS = b"""# The calendar goes on forever: there is a next month after every month.
User-agent: *
Disallow: /calendar/
"""
_CALENDAR = re.compile(r"/calendar/([0-9]{4,8})/(0[1-9]|1[0-2])/")
_MONTHS = "January February March April May June July August September October November December".split()


def respond(status: int, content_type: str, body: bytes, latency_secs: float, location: str = "") -> Answer:
    """Put an answer together."""
    headers = [("Content-Type", content_type)]
    if location:
        headers.append(("Location", location))
    headers.append(("Content-Length", str(len(body))))
    return Answer(status, tuple(headers), body, latency_secs)


def robots(latency_secs: float) -> Answer:
    """Answer for robots.txt, the same on every host."""
    return respond(200, "text/plain; charset=utf-8", ROBOTS, latency_secs)


def redirect(location: str, permanent: bool, latency_secs: float) -> Answer:
    """Redirect by 301 or 302."""
    body = f'<title>Moved</title><p>This page is <a href="{location}">here</a> now.'.encode()
    return respond(301 if permanent else 302, "text/html; charset=utf-8", body, latency_secs, location)


def failure(latency_secs: float) -> Answer:
    """Fail as a broken server does."""
    body = b"<!DOCTYPE html><title>500 Internal Server Error</title><h1>Internal Server Error</h1>"
    return respond(500, "text/html; charset=utf-8", body, latency_secs)


def calendar(host: Host, path: str, seed: int, latency_secs: float) -> Answer | None:
    """Answer for a month of the calendar, or None if the path is no month.

    The events are about the host's topics, so a crawler that ignores robots.txt finds this trap relevant.
    """
    found = _CALENDAR.fullmatch(path)
    if found is None:
        return None
    year, month = int(found[1]), int(found[2])
    dice = Dice(mix(seed, 20, host.number, year, month))
    title = f"{_MONTHS[month - 1]} {year}"
    doc = Document(f"Calendar: {title}", host.title, host.origin + "/")
    doc.nav = [DemoLink(host.origin + "/", "Home")]
    doc.paragraphs = [
        Paragraph(f"{1 + 6 * week} {title}: {Writer(dice, dice.pick(host.topics), 0.7).paragraph(2)}")
        for week in range(4)
    ]
    near = [(year - (month == 1), (month - 2) % 12 + 1), (year + (month == 12), month % 12 + 1), (year + 1, month)]
    links = [DemoLink(f"{host.origin}/calendar/{y:04}/{m:02}/", f"{_MONTHS[m - 1]} {y}") for y, m in near]
    doc.main = [Block("pager", "More events", tuple(links))]
    body, content_type = encode(html(doc, host), host)
    return respond(200, content_type, body, latency_secs)


def encode(text: str, host: Host) -> tuple[bytes, str]:
    """Encode a page in its host's charset, and name the charset in Content-Type if the host does."""
    codec, where = host.charset.split()
    name = "windows-1252" if codec == "cp1252" else codec
    return text.encode(codec, "xmlcharrefreplace"), f"text/html; charset={name}" if where == "header" else "text/html"
