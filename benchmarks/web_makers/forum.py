"""A forum: threads of 20 Newsgroups, boards by date. The newsgroup is the label and stands nowhere.

Links among pages of one topic are those that a forum has anyway: pages of a thread, threads with like subjects, what else
a member wrote. Boards list what was new on a day, whatever it is about.
"""

from __future__ import annotations

import random
import re
import tarfile
from collections import defaultdict
from dataclasses import dataclass
from datetime import date, timedelta
from html import escape
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from manuals.web import ManualWeb

from web_makers.alike import alike
from web_makers.pages import bullets, chunks, document, link, row

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from web_makers.sources import Sources

_HOST = "http://forum.example.net/"
_FIRST_DAY, _N_DAYS = date(1993, 4, 1), 60
_POSTS_A_PAGE, _THREADS_A_PAGE, _SIMILAR = 8, 40, 5
_RULES = "Be kind. Quote what you answer. No chain letters."


@dataclass(frozen=True)
class Post:
    """An article; `when` says from 0 to 1 where it stands among those of its group."""

    group: str
    subject: str
    author: str
    body: str
    when: float


def read(sources: Sources) -> list[Post]:
    """Read the articles, with their place in time: groups number theirs as they come."""
    posts: defaultdict[str, list[tuple[bool, int, str]]] = defaultdict(list)
    with tarfile.open(sources.corpus("20news.tar.xz"), "r|xz") as archive:
        for member in archive:
            file = archive.extractfile(member) if member.isfile() else None
            if file:
                folder, group, number = PurePosixPath(member.name).parts[-3:]
                posts[group].append((folder.endswith("test"), int(number), file.read().decode("latin-1")))
    return [
        _post(group, text, place / len(found))
        for group, found in sorted(posts.items())
        for place, (_, _, text) in enumerate(sorted(found))
    ]


def build(posts: Sequence[Post], seed: int, share: float = 0.25) -> ManualWeb:
    """Make the forum of a share of the time."""
    draw = random.Random(f"forum {seed}")
    first = draw.uniform(0.1, 0.9 - share) if share < 0.8 else 0.0
    threads: defaultdict[tuple[str, str], list[Post]] = defaultdict(list)
    for post in posts:
        if first <= post.when < first + share:
            threads[post.group, _stem(post.subject)].append(post)
    ordered = sorted(threads.values(), key=lambda thread: (thread[0].when, thread[0].subject, thread[0].body))
    groups = sorted({post.group for post in posts}, key=len, reverse=True)
    names = re.compile("|".join(map(re.escape, groups)), re.I)
    return _Forum(ordered, names, (first, share), draw).web


class _Forum:
    def __init__(self, threads: list[list[Post]], names: re.Pattern[str], span: tuple[float, float],
                 draw: random.Random) -> None:  # fmt: skip
        self.web = ManualWeb("forum", _HOST)
        self.web.origin = "a forum made of"
        self._names, self._span = names, span
        self._threads = threads
        numbers = draw.sample(range(10_000, 99_999), len(threads))
        self._urls = [f"{_HOST}showthread.php?t={number}" for number in numbers]
        self._titles = [self._clean(re.sub(r"^(re:\s*)+", "", thread[0].subject, flags=re.I)) for thread in threads]
        authors = sorted({post.author for thread in threads for post in thread})
        self._members = dict(zip(authors, draw.sample(range(100, 30_000), len(authors)), strict=True))
        hot = draw.sample(range(len(threads)), min(8, len(threads)))
        self._hot = bullets(self._titled(hot), "Hot now")
        self._boards()
        similar = self._similar()
        wrote: defaultdict[str, set[int]] = defaultdict(set)
        for number, thread in enumerate(threads):
            self._thread(number, thread, similar[number])
            for post in thread:
                wrote[post.author].add(number)
        for author, found in wrote.items():
            listed = bullets(self._titled(sorted(found)), "Posted in")
            self._add(self._member(author), f"Profile of {_name(author)}", listed)
        self._add(f"{_HOST}faq.php", "Rules", f"<p>{_RULES}</p>")

    def _boards(self) -> None:
        days: defaultdict[date, list[int]] = defaultdict(list)
        for number, thread in enumerate(self._threads):
            days[self._day(thread[0])].append(number)
        calendar = [(f"{_HOST}forumdisplay.php?day={day}", day.strftime("%d %B")) for day in sorted(days)]
        self._add(_HOST, "All boards", bullets(calendar, "By day"))
        for (url, name), day in zip(calendar, sorted(days), strict=True):
            parts = chunks(days[day], _THREADS_A_PAGE)
            pages = [url if n == 0 else f"{url}&page={n + 1}" for n in range(len(parts))]
            for page, part in zip(pages, parts, strict=True):
                rows = []
                for n in part:
                    author = self._threads[n][0].author
                    cells = [link(self._urls[n], self._titles[n]), link(self._member(author), _name(author))]
                    rows.append(f"<tr><td>{cells[0]}<td>{cells[1]}<td>{len(self._threads[n]) - 1}</tr>")
                jump = row((url, str(n + 1)) for n, url in enumerate(pages))
                head = "<tr><th>Thread<th>Started by<th>Replies</tr>"
                self._add(page, name, f"<table>{head}{''.join(rows)}</table><p>Page {jump}</p>")

    def _thread(self, number: int, thread: list[Post], similar: list[int]) -> None:
        parts, url = chunks(thread, _POSTS_A_PAGE), self._urls[number]
        pages = [url if n == 0 else f"{url}&page={n + 1}" for n in range(len(parts))]
        day = self._day(thread[0])
        path = row([(_HOST, "Forum"), (f"{_HOST}forumdisplay.php?day={day}", day.strftime("%d %B"))], " &gt; ")
        near = [(self._urls[n], name) for n, name in ((number - 1, "Previous thread"), (number + 1, "Next thread"))
                if 0 <= n < len(self._urls)]  # fmt: skip
        like = bullets(self._titled(similar), "Similar threads")
        for page, part in zip(pages, parts, strict=True):
            posts = "".join(
                f'<table class="post"><tr><td>{link(self._member(post.author), _name(post.author))}</td>'
                f"<td>{_quoted(self._clean(post.body))}</td></tr></table>"
                for post in part
            )
            jump = f"<p>Page {row((url, str(n + 1)) for n, url in enumerate(pages))}</p>" if len(pages) > 1 else ""
            self._add(page, self._titles[number], f"<p>{path}</p>{posts}{jump}<p>{row(near)}</p>{like}")
            self.web.labels[page] = {thread[0].group}

    def _similar(self) -> list[list[int]]:
        words = [{word for word in re.findall(r"[a-z]{4,}", title.lower())} for title in self._titles]
        return alike(words, _SIMILAR, most=30)

    def _add(self, url: str, title: str, body: str) -> None:
        menu = row([(_HOST, "Forum"), (f"{_HOST}faq.php", "Rules")])
        page = f'<div id="top">{menu}</div><h1>{escape(title)}</h1>{body}<div id="hot">{self._hot}</div>'
        foot = '<div id="foot">Powered by boards. All times are local.</div>'
        self.web.pages[url] = document(f"{title} - The Forum", page + foot)

    def _titled(self, numbers: Sequence[int]) -> list[tuple[str, str]]:
        return [(self._urls[number], self._titles[number]) for number in numbers]

    def _member(self, author: str) -> str:
        return f"{_HOST}member.php?u={self._members[author]}"

    def _day(self, post: Post) -> date:
        first, share = self._span
        return _FIRST_DAY + timedelta(days=int((post.when - first) / share * _N_DAYS))

    def _clean(self, text: str) -> str:
        return self._names.sub("this group", text)


def _post(group: str, text: str, when: float) -> Post:
    head, _, body = text.partition("\n\n")
    fields = dict(re.findall(r"^([\w-]+): *(.*)$", head, re.M))
    return Post(group, fields.get("Subject", "").strip() or "(no subject)", fields.get("From", "").strip(), body, when)


def _stem(subject: str) -> str:
    return re.sub(r"\W+", " ", re.sub(r"^(re|fwd?)\s*:\s*", "", subject.lower())).removeprefix("re ").strip()


def _name(author: str) -> str:
    found = re.search(r"\(([^)]+)\)", author) or re.match(r"([^<@]+)", author)
    return found[1].strip(' "') if found and found[1].strip(' "') else "Guest"


def _quoted(body: str) -> str:
    return "".join(_blocks(body))


def _blocks(body: str) -> Iterator[str]:
    for block in re.split(r"\n\s*\n", body):
        lines = block.strip("\n").split("\n")
        is_quote = sum(bool(re.match(r"\s*[>|:]", line)) for line in lines) * 2 > len(lines)
        text = escape("\n".join(re.sub(r"^\s*[>|:]+ ?", "", line) for line in lines) if is_quote else block.strip("\n"))
        if text.strip():
            yield f"<blockquote>{text}</blockquote>" if is_quote else f"<p>{text}</p>"
