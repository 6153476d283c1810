"""A news wire: stories of Reuters-21578 by date. The topics that its editors gave are the labels and stand nowhere.

Stories have numbers for names, as the wire gave them. Links: the stories before and after, the day, the place that the
story was sent from, the companies whose shares it names, what was read most that day (drawn).
"""

from __future__ import annotations

import random
import re
import tarfile
from collections import defaultdict
from dataclasses import dataclass
from datetime import date
from html import escape
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from manuals.web import ManualWeb

from web_makers.pages import bullets, chunks, document, link, paragraphs, row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from web_makers.sources import Sources

_HOST = "http://wire.example.com/"
_NO_TOPIC = "unknown"
_STORIES = 4000
_A_PAGE, _NEAR, _CLOUD = 40, 5, 30
_MONTHS = ("jan", "feb", "mar", "apr", "may", "june", "july", "aug", "sep", "oct", "nov", "dec")
_DATELINE = re.compile(r"^\s+([A-Z][A-Za-z .'/-]{2,30}),\s+([A-Z][a-z]{2,8})\.?\s+(\d{1,2})\s+-", re.M)
_SHARE = re.compile(r"<([A-Z]{1,5}(?:\.[A-Z]{1,2})?)>")
_MOST_STORIES = 60
"""On a page of a place or company: older ones are left out, as on other sites."""


@dataclass(frozen=True)
class Story:
    """A story; its number says where it stands in time."""

    number: int
    text: str
    topics: frozenset[str]


def read(sources: Sources) -> list[Story]:
    """Read the stories; one that has several topics is in several folders of the archive."""
    topics: defaultdict[int, set[str]] = defaultdict(set)
    texts: dict[int, str] = {}
    with tarfile.open(sources.corpus("reuters21578.tar.xz"), "r|xz") as archive:
        for member in archive:
            file = archive.extractfile(member) if member.isfile() else None
            if file:
                _, topic, name = PurePosixPath(member.name).parts[-3:]
                topics[int(name)].add(topic)
                texts[int(name)] = file.read().decode("latin-1").replace("&#3;", "")
    return [Story(number, texts[number], frozenset(topics[number] - {_NO_TOPIC})) for number in sorted(texts)]


def build(stories: Sequence[Story], seed: int, n_stories: int = _STORIES) -> ManualWeb:
    """Make the site of a stretch of time that holds so many stories."""
    draw = random.Random(f"wire {seed}")
    # Some stories are flashes: a headline, and filling for a body.
    dated = [story for story in stories if "\n" in story.text.strip() and "Blah blah blah" not in story.text]
    first = draw.randrange(max(1, (len(dated) - n_stories) // 4))  # spring: later there are gaps
    return _Wire(dated[first : first + n_stories], draw).web


class _Wire:
    def __init__(self, stories: Sequence[Story], draw: random.Random) -> None:
        self.web = ManualWeb("wire", _HOST)
        self.web.origin = "a news wire made of"
        self._stories, self._draw = stories, draw
        self._titles = [_title(story.text) for story in stories]
        self._days = _days(stories)
        self._urls = [
            f"{_HOST}{day:%Y/%m/%d}/{story.number:05}.html" for day, story in zip(self._days, stories, strict=True)
        ]
        by_day: defaultdict[date, list[int]] = defaultdict(list)
        by_place: defaultdict[str, list[int]] = defaultdict(list)
        by_share: defaultdict[str, list[int]] = defaultdict(list)
        for n, story in enumerate(stories):
            by_day[self._days[n]].append(n)
            by_place[_place(story.text)].append(n)
            for share in sorted(set(_SHARE.findall(story.text))):
                by_share[share].append(n)
        self._places = {name: found for name, found in by_place.items() if name and len(found) > 1}
        self._shares = {name: found for name, found in by_share.items() if len(found) > 1}
        latest = range(len(stories) - 1, max(-1, len(stories) - 9), -1)
        self._latest = bullets(self._titled(latest), "Latest")
        cloud = draw.sample(sorted(self._places), min(_CLOUD, len(self._places)))
        self._cloud = (
            f'<div class="cloud">{row(((_place_url(name), name.title()) for name in sorted(cloud)), " ")}</div>'
        )
        self._read = {day: draw.sample(found, min(_NEAR, len(found))) for day, found in by_day.items()}
        self._indexes(by_day)
        for n in range(len(stories)):
            self._story(n)

    def _indexes(self, by_day: dict[date, list[int]]) -> None:
        days = [(_day_url(day), f"{day:%A, %d %B %Y}") for day in sorted(by_day, reverse=True)]
        self._add(
            _HOST, "The Wire", bullets(self._titled(self._read[max(by_day)]), "Most read") + bullets(days[:7], "Days")
        )
        self._add(f"{_HOST}archive.html", "Archive", bullets(days))
        names = [(_place_url(name), name.title()) for name in sorted(self._places)]
        self._add(f"{_HOST}places.html", "Places", bullets(names))
        shares = [(_share_url(name), name) for name in sorted(self._shares)]
        self._add(f"{_HOST}quotes.html", "Quotes", bullets(shares))
        for day, found in by_day.items():
            parts = chunks(sorted(found, reverse=True), _A_PAGE)
            pages = [_day_url(day) if n == 0 else f"{_day_url(day)}{n + 1}.html" for n in range(len(parts))]
            jump = row((page, str(n + 1)) for n, page in enumerate(pages))
            for page, part in zip(pages, parts, strict=True):
                self._add(page, f"{day:%d %B %Y}", f"{bullets(self._titled(part))}<p>Page {jump}</p>")
        for name, found in self._places.items():
            self._add(_place_url(name), f"From {name.title()}", bullets(self._titled(found[-_MOST_STORIES:])))
        for name, found in self._shares.items():
            self._add(_share_url(name), f"Quote: {name}", bullets(self._titled(found[-_MOST_STORIES:])))

    def _story(self, n: int) -> None:
        story, day, url = self._stories[n], self._days[n], self._urls[n]
        place = _place(story.text)
        path = [(_HOST, "The Wire"), (f"{_HOST}archive.html", "Archive"), (_day_url(day), f"{day:%d %B}")]
        if place in self._places:
            path.append((_place_url(place), place.title()))
        text = re.sub(r"(?m)^ {4}(?=\S)", "\n", story.text.strip().partition("\n")[2])
        near = [(self._urls[m], f"{name}: {self._titles[m]}") for m, name in ((n - 1, "Before"), (n + 1, "Next"))
                if 0 <= m < len(self._urls)]  # fmt: skip
        shares = [(_share_url(name), name) for name in sorted(set(_SHARE.findall(story.text))) if name in self._shares]
        body = (
            f'<div class="path">{row(path, " / ")}</div><div class="story">{paragraphs(text)}</div>'
            f"{bullets(shares, 'Quotes')}<p>{row(near)}</p>{bullets(self._titled(self._read[day]), 'Most read')}"
        )
        self._add(url, self._titles[n], body)
        self.web.labels[url] = set(story.topics)

    def _add(self, url: str, title: str, body: str) -> None:
        menu = [(_HOST, "Home"), (f"{_HOST}archive.html", "Archive"), (f"{_HOST}places.html", "Places"),
                (f"{_HOST}quotes.html", "Quotes")]  # fmt: skip
        page = f"<ul id=nav>{''.join(f'<li>{link(*item)}</li>' for item in menu)}</ul><h1>{escape(title)}</h1>{body}"
        self.web.pages[url] = document(title, f"{page}<aside>{self._latest}{self._cloud}</aside>")

    def _titled(self, numbers: Sequence[int]) -> list[tuple[str, str]]:
        return [(self._urls[n], self._titles[n]) for n in numbers]


def _title(text: str) -> str:
    return text.strip().partition("\n")[0].strip().capitalize()


def _place(text: str) -> str:
    found = _DATELINE.search(text)
    return found[1].strip().upper() if found else ""


def _days(stories: Sequence[Story]) -> list[date]:
    """Return the day of each story: of its dateline if it has one that fits, else of the story before it."""
    days: list[date] = []
    last = date(1987, 2, 26)
    for story in stories:
        found = _DATELINE.search(story.text)
        month = found and next((n for n, name in enumerate(_MONTHS, 1) if found[2].lower().startswith(name[:3])), None)
        if found and month and 0 < int(found[3]) < 29:
            told = date(1987, month, int(found[3]))
            last = told if not days or 0 <= (told - last).days < 4 else last
        days.append(last)
    return days


def _day_url(day: date) -> str:
    return f"{_HOST}{day:%Y/%m/%d}/"


def _place_url(name: str) -> str:
    return f"{_HOST}places/{re.sub(r'[^a-z]+', '-', name.lower()).strip('-')}.html"


def _share_url(name: str) -> str:
    return f"{_HOST}quotes/{name}"
