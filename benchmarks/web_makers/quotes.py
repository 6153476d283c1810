"""A collection of quotations: the texts of fortune (packages fortunes, fortunes-min), a thin page each.

People sorted them into files by subject: the files are the labels. Those that have no subject ("cookie") are left out. Links
are a collection's own: the author and more of theirs, quotations that share rare words, days, ratings, and drawn ones.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from manuals.web import ManualWeb

from web_makers.alike import alike
from web_makers.pages import bullets, chunks, document, link, paragraphs, row

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from web_makers.sources import Sources

_HOST = "https://quotes.example.net/"
_A_LIST, _A_DAY, _MORE, _COMMON = 30, 12, 5, 12
SUBJECTS = (
    "art", "computers", "drugs", "education", "ethnic", "food", "kids", "law", "linux", "literature", "love", "magic",
    "medicine", "men-women", "news", "perl", "pets", "platitudes", "politics", "riddles", "science", "songs-poems",
    "sports", "startrek", "tao", "wisdom", "work", "zippy",
)  # fmt: skip
"""Files whose quotations have something in common. "Cookie", "people", "definitions" and such have not."""
_DAYS, _MONTHS = 28, ("January", "March", "May", "July", "September", "November")
_SIGNED = re.compile(r"\n\s*--\s*(.+(?:\n.*)*)$")


@dataclass(frozen=True)
class Quotation:
    """A text, who said it ("" if nobody knows), where, and the files it stands in."""

    text: str
    author: str
    source: str
    subjects: frozenset[str]


def read(sources: Sources) -> list[Quotation]:
    """Read the files; a text that stands in two has two subjects."""
    files: dict[str, str] = {}
    for package in ("fortunes", "fortunes-min"):
        folder = sources.unpacked(package) / "usr/share/games/fortunes"
        files.update({name: (folder / name).read_text("utf-8") for name in SUBJECTS if (folder / name).is_file()})
    return quotations(files)


def quotations(files: Mapping[str, str]) -> list[Quotation]:
    """Part files at their lines of one percent sign, and each text from its signature."""
    subjects: defaultdict[str, set[str]] = defaultdict(set)
    for name, text in sorted(files.items()):
        for part in re.split(r"^%$", text, flags=re.M):
            if part.strip():
                subjects[part.strip("\n")].add(name)
    found = []
    for text, names in subjects.items():
        signed = _SIGNED.search(text)
        said = " ".join(signed[1].split()) if signed else ""
        author, _, source = said.partition(", ")
        body = text[: signed.start()] if signed else text
        found.append(Quotation(body.replace("\t", " "), author.strip('" '), source.strip('" '), frozenset(names)))
    return found


def build(found: Sequence[Quotation], seed: int) -> ManualWeb:
    """Make the collection."""
    return _Collection(found, random.Random(f"quotes {seed}")).web


class _Collection:
    def __init__(self, found: Sequence[Quotation], draw: random.Random) -> None:
        self.web = ManualWeb("quotes", _HOST)
        self.web.origin = "a collection of quotations made of"
        self._found = list(found)
        draw.shuffle(self._found)
        numbers = range(len(self._found))
        self._draw = draw
        self._urls = [f"{_HOST}q/{1000 + n}" for n in numbers]
        of_author: defaultdict[str, list[int]] = defaultdict(list)
        for n, quotation in enumerate(self._found):
            of_author[quotation.author].append(n)
        self._of_author = {name: found for name, found in of_author.items() if name and len(found) > 1}
        keys = draw.sample(range(len(self._of_author)), len(self._of_author))
        self._authors = {name: f"{_HOST}author/{key}" for name, key in zip(self._of_author, keys, strict=True)}
        known = sorted(self._of_author, key=lambda name: (-len(self._of_author[name]), name))[:12]
        self._known = bullets([(self._authors[name], name) for name in known], "Much quoted")
        words = [frozenset(re.findall(r"[a-z]{4,}", quotation.text.lower())) for quotation in self._found]
        for n, others in enumerate(alike(words, _MORE, most=_COMMON)):
            self._quotation(n, others)
        self._lists()

    def _quotation(self, n: int, others: Sequence[int]) -> None:
        quotation = self._found[n]
        author = quotation.author or "unknown"
        said = link(self._authors[author], author) if author in self._authors else escape(author)
        more = [other for other in self._of_author.get(author, ()) if other != n]
        drawn = self._draw.sample(range(len(self._found)), min(_MORE, len(self._found)))
        beside = [
            (self._urls[at], title) for at, title in ((n - 1, "Previous"), (n + 1, "Next")) if 0 <= at < len(self._urls)
        ]
        source = f", <cite>{escape(quotation.source)}</cite>" if quotation.source else ""
        related = [
            bullets(self._named(self._draw.sample(more, min(_MORE, len(more)))), "More of the same author"),
            bullets(self._named(others), "Similar"),
            bullets(self._named(drawn), "Random"),
        ]
        day = link(self._day(n // _A_DAY), self._date(n // _A_DAY))
        body = (
            f"<blockquote>{paragraphs(quotation.text)}</blockquote><p class=by>{said}{source}</p><p>Added on {day}</p>"
        )
        self._add(self._urls[n], f"{author}: {self._name(n)}", f"{body}{row(beside)}{''.join(related)}")
        self.web.labels[self._urls[n]] = {f"subject {name}" for name in quotation.subjects}

    def _lists(self) -> None:
        days = chunks(range(len(self._found)), _A_DAY)
        for day, numbers in enumerate(days):
            self._add(self._day(day), self._date(day), self._shown(numbers))
        self._pages(f"{_HOST}days", "All days", [(self._day(day), self._date(day)) for day in range(len(days))])
        best = self._draw.sample(range(len(self._found)), min(10 * _A_LIST, len(self._found)))
        self._pages(f"{_HOST}best", "Best rated", self._named(best))
        initials: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
        for name, url in sorted(self._authors.items()):
            initials[name[:1].upper()].append((url, f"{name} ({len(self._of_author[name])})"))
            self._pages(url, name, self._named(self._of_author[name]))
        letters = sorted(initials)
        urls = [f"{_HOST}authors?letter={number}" for number, _ in enumerate(letters)]
        for url, letter in zip(urls, letters, strict=True):
            self._pages(url, f"Authors: {letter}", initials[letter])
        self._add(f"{_HOST}authors", "Authors", row(zip(urls, letters, strict=True), " "))
        self._add(
            _HOST, "Quotations", self._shown(self._draw.sample(range(len(self._found)), min(8, len(self._found))))
        )

    def _pages(self, url: str, title: str, items: Sequence[tuple[str, str]]) -> None:
        parts = chunks(items, _A_LIST)
        join = "&" if "?" in url else "?"
        pages = [url if n == 0 else f"{url}{join}page={n + 1}" for n in range(len(parts))]
        jump = f"<p>{row((page, str(n + 1)) for n, page in enumerate(pages))}</p>" if len(pages) > 1 else ""
        for page, part in zip(pages, parts, strict=True):
            self._add(page, title, f"{bullets(part)}{jump}")

    def _add(self, url: str, title: str, body: str) -> None:
        menu = [
            (_HOST, "Home"),
            (f"{_HOST}authors", "Authors"),
            (f"{_HOST}days", "By day"),
            (f"{_HOST}best", "Best rated"),
        ]
        page = f"<header><nav>{row(menu, ' ')}</nav></header><main><h1>{escape(title)}</h1>{body}</main>"
        self.web.pages[url] = document(
            f"{title} - Quotations", f"{page}<aside>{self._known}</aside><footer>Imprint</footer>"
        )

    def _shown(self, numbers: Sequence[int]) -> str:
        shown = [(self._found[n], link(self._urls[n], self._found[n].author or "unknown")) for n in numbers]
        return "".join(f"<article>{paragraphs(each.text)}<p>{by}</p></article>" for each, by in shown)

    def _named(self, numbers: Sequence[int]) -> list[tuple[str, str]]:
        return [(self._urls[n], self._name(n)) for n in numbers]

    def _name(self, n: int) -> str:
        words = self._found[n].text.split()
        return " ".join(words[:8]) + (" ..." if len(words) > 8 else "")

    @staticmethod
    def _day(day: int) -> str:
        return f"{_HOST}day/{day + 1}"

    @staticmethod
    def _date(day: int) -> str:
        return f"{day % _DAYS + 1} {_MONTHS[day // _DAYS % len(_MONTHS)]} {2009 + day // (_DAYS * len(_MONTHS))}"
