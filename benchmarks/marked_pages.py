"""Pages whose main text a reader has marked: ``marks/main_text.tsv`` says which pieces of which pages it is.

A piece is the text between two edges of blocks (``br`` and ``hr`` are edges, too), by a walk of its own over lxml's tree: it
shares nothing with the extractors that are measured by it. ``main``: the numbers of the pieces that are main text;
``either``: of those that a reader may count or not (breadcrumbs with a date, links to parts of the same page); ``date``: when
the page was published or last changed, where a reader can see it. The pages themselves lie in the webs; one with another
digest than the one that was marked is left out.
"""

from __future__ import annotations

import csv
import re
import tempfile
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from random import Random
from urllib.parse import urlsplit

from common import say
from known_webs import DEMO, folder_of
from lxml import html

from focused.method.page.encoding import may_be_text, to_utf8
from focused.webs import DemoWeb, RecordedWeb

MARKS = Path(__file__).resolve().parent / "marks" / "main_text.tsv"
_SKIPPED = frozenset(
    "script style noscript template textarea head title noembed noframes object iframe svg select".split()
)
_INLINE = frozenset(
    "a abbr acronym b bdi bdo big blink cite code data del dfn em font i ins kbd label mark nobr q s samp small span strike "
    "strong sub sup time tt u var wbr img button input".split()
)
_word = re.compile(r"[^\W_]+")


@dataclass
class MarkedPage:
    """A page, the words of its main text, and those that may be counted or not."""

    web: str
    url: str
    content_type: str
    body: bytes
    main: Counter[str]
    either: Counter[str]
    date: str
    #: Other pages of its host, as a crawl may have met them before: URL, content type, body.
    before: list[tuple[str, str, bytes]] = field(default_factory=list)


def words(text: str) -> Counter[str]:
    """Return the words of a text in small letters, with how often each stands there."""
    return Counter(_word.findall(text.lower()))


def agreement(text: str, page: MarkedPage) -> tuple[float, float, float]:
    """Return precision, recall and F1 of the words of a text against a page's marks."""
    found = words(text)
    n_true = sum((found & page.main).values())
    n_false = sum((found - page.main - page.either).values())
    precision = n_true / (n_true + n_false) if n_true + n_false else 0.0
    recall = n_true / max(sum(page.main.values()), 1)
    return precision, recall, 2 * precision * recall / (precision + recall) if n_true else 0.0


def marked_pages(data: Path, webs: Path, n_before: int) -> list[MarkedPage]:
    """Return the marked pages, each with up to ``n_before`` others of its host."""
    with MARKS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    found = []
    with ExitStack() as opened:
        for name in dict.fromkeys(row["web"] for row in rows):
            if name == DEMO:
                web, urls = DemoWeb(), [url for url, _ in DemoWeb().labels()]
            else:
                path = folder_of(name, data, webs) / f"{name}.warc.gz"
                web = opened.enter_context(RecordedWeb(path, Path(tempfile.gettempdir())))
                lines = path.with_name(f"{name}.labels.tsv").read_text(encoding="utf-8").splitlines()[1:]
                urls = [line.partition("\t")[0] for line in lines]
            found += _of_web(name, web, [row for row in rows if row["web"] == name], urls, n_before)
    if len(found) < len(rows):
        say(f"{len(rows) - len(found)} pages are not those that were marked, and are left out")
    return found


def _of_web(name: str, web: object, rows: list[dict[str, str]], urls: list[str], n_before: int) -> list[MarkedPage]:
    def answer(url: str) -> tuple[str, str, bytes] | None:
        given = web.answer(url)  # type: ignore[attr-defined]
        kind = dict(given.headers).get("Content-Type", "text/html")
        is_page = given.status == 200 and "html" in kind.lower() and may_be_text(given.body)
        return (url, kind, given.body) if is_page else None

    Random(7).shuffle(urls)
    marked, pages = {row["url"] for row in rows}, []
    hosts: dict[str, list[tuple[str, str, bytes]]] = {urlsplit(url).netloc: [] for url in marked}
    for url in urls:
        others = hosts.get(urlsplit(url).netloc)
        if others is not None and len(others) < n_before and url not in marked and (given := answer(url)):
            others.append(given)
    for row in rows:
        given = answer(row["url"])
        if given is None or sha256(given[2]).hexdigest() != row["sha256"]:
            continue
        parts = pieces(to_utf8(given[2], given[1])[0])
        main, either = (
            words(" ".join(parts[number] for number in _numbers(row[column]))) for column in ("main", "either")
        )
        pages.append(MarkedPage(name, *given, main, either, row["date"], hosts[urlsplit(row["url"]).netloc]))
    return pages


def pieces(body: bytes) -> list[str]:
    """Return the pieces of a page, white space folded; those without a letter or digit are none.

    ``body``: in UTF-8.
    """
    parser = html.HTMLParser(encoding="utf-8", huge_tree=True)
    tree = html.document_fromstring(body.replace(b"\0", b" "), parser=parser)
    root = tree.find("body")
    found: list[str] = []
    texts: list[str] = []

    def end() -> None:
        text = " ".join("".join(texts).split())
        texts.clear()
        if re.search(r"\w", text):
            found.append(text)

    waiting: list[object] = [tree if root is None else root]
    while waiting:
        node = waiting.pop()
        if node is None:
            end()
        elif isinstance(node, str):
            texts.append(node)
        elif isinstance(node.tag, str) and node.tag not in _SKIPPED:  # type: ignore[attr-defined]
            inside: list[object] = [] if node.tag in _INLINE else [None]  # type: ignore[attr-defined]
            inside.append(node.text or "")  # type: ignore[attr-defined]
            for child in node:  # type: ignore[attr-defined]
                inside += [child, child.tail or ""]
            if node.tag not in _INLINE:  # type: ignore[attr-defined]
                inside.append(None)
            waiting += reversed(inside)
    end()
    return found


def _numbers(ranges: str) -> list[int]:
    """Return the numbers that ranges stand for.

    >>> _numbers("1,3-5")
    [1, 3, 4, 5]
    """
    found: list[int] = []
    for each in filter(None, ranges.split(",")):
        first, _, last = each.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found
