"""How many near copies are found, and how many pages of recorded webs are called copies.

Every n-th page of each web is compared with those before it, as a crawl does. Of some of them copies are made from their
HTML: 2 or 5 % of the words outside links, those of the title too, are replaced by other words of the web's text, and a menu
of 15 other links is put in front. For comparison: 64-bit SimHash over the terms of the same text, at the distance that finds
95 % of the copies with 5 %.

Examples
--------
  python benchmarks/near_duplicates.py --webs ../webs
  python benchmarks/near_duplicates.py --only hyperphysics --pages 500 --show 20 --no-write
"""

from __future__ import annotations

import difflib
import random
import re
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from common import machine, say, table
from known_webs import RECORDED, folder_of, web_parser
from lxml import etree, html
from provenance import now, write_blocks

from focused.method.page.copy_index import CopyIndex
from focused.method.page.encoding import may_be_text
from focused.method.page.near_copies import TermHashes, sketch
from focused.method.page.reader import PageReader
from focused.method.page.text_sketch import LEAST_PAIRS, TextSketch
from focused.method.text.analyzer import Analyzer
from focused.webs import RecordedWeb

if TYPE_CHECKING:
    from focused.method.page.page import Page

WEBS = (*RECORDED, "wiki", "sites", "forum", "shop")
RATES = (0.02, 0.05)
_WORD = re.compile(r"[A-Za-z]{3,}")
_ALIKE = 0.8
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def main() -> None:
    parser = web_parser(__doc__, None, WEBS, jobs=None)
    parser.add_argument("--pages", type=int, default=2000, help="pages of each web (default: 2000)")
    parser.add_argument("--copies", type=int, default=300, help="of them copied (default: 300)")
    parser.add_argument("--show", type=int, default=0, help="print so many pages of each web that are called copies")
    options = parser.parse_args()
    rows = []
    for name in options.only.split(","):
        path = folder_of(name, options.data, options.webs) / f"{name}.warc.gz"
        rows.append([name, *measured(path, options.pages, options.copies, options.show)])
    header = [
        *("web", "pages", "called copies", "of them alike only in part", "found, 2 % changed", "5 % changed"),
        *("short texts: called", "found, 5 %", "SimHash: called", "CPU us a page"),
    ]
    about = (
        f"Short texts have fewer than {LEAST_PAIRS} pairs of terms, or links only; only the very same text is a copy "
        "of one. The other columns are of longer texts. *Alike only in part*: less than "
        f"{_ALIKE} of the words in their order in common. {machine()}."
    )
    text = f"{table(header, rows)}\n\n{about}"
    if options.no_write:
        print(text)
        return
    command = f"python benchmarks/near_duplicates.py --pages {options.pages} --copies {options.copies}"
    rooms = ["focused/method/page", "focused/method/text"]
    write_blocks({"near duplicates": text}, now(command, rooms, {"pages": options.pages, "copies": options.copies}))


def measured(path: Path, n_pages: int, n_copies: int, n_show: int) -> list[str]:
    """Return a row of the table: what is called a copy, what is found, what it costs."""
    reader, source = PageReader(Analyzer("en")), random.Random(1)
    hashes, index = TermHashes(reader.analyzer.table), CopyIndex()
    pages = read(path, n_pages, reader)
    say(f"{path.stem}: {len(pages)} pages")
    texts = [sketch(page, hashes) for _, page in pages]
    called: list[tuple[int, int]] = []
    place: list[int] = []  # of each number of the index
    for number, text in enumerate(texts):
        if text is None:
            continue
        found, is_copy = index.find_or_add(text)
        if is_copy:
            called.append((number, place[found]))
        else:
            place.append(number)
    kept = [page for _, page in pages]
    times = [_timed(page, hashes, index) for page in kept]
    is_short = [text is not None and text.n_pairs < LEAST_PAIRS for text in texts]
    longer = [pair for pair in called if not is_short[pair[0]]]
    apart = [pair for pair in longer if alike(pages, *pair) < _ALIKE]
    for number, first in source.sample(longer, min(n_show, len(longer))):
        print(f"{alike(pages, number, first):.2f} {kept[number].url} <- {kept[first].url}")
        print(f"    {difference(pages, number, first)}")
    some = source.sample(pages, min(200, len(pages)))
    vocabulary = [word for body, _ in some for word in _WORD.findall(body.decode("latin-1"))]
    drawn = source.sample(place, min(n_copies, len(place)))
    shares: dict[tuple[float, bool], list[bool]] = {}
    distances = []
    for number in drawn:
        for rate in RATES:
            body = changed(pages[number][0], rate, vocabulary, source)
            copy = reader.read(body, "http://copies.example/", "text/html; charset=utf-8")
            text = sketch(copy, hashes)
            # A copy that is not found must not be remembered: the next of its page would be found as a copy of it.
            is_found = text is not None and index.find(text) == place.index(number)
            shares.setdefault((rate, is_short[number]), []).append(is_found)
            if rate == RATES[-1] and not is_short[number]:
                distances.append(distance(simhash(kept[number], hashes), simhash(copy, hashes)))
    within = float(np.quantile(distances, 0.95))
    known = [simhash(page, hashes) for page in kept]
    near = sum(
        min(distance(value, other) for other in known[:number]) <= within
        for number, value in enumerate(known)
        if number and not is_short[number]
    )
    n_short = sum(is_short)
    n_long = max(len(pages) - n_short, 1)
    return [
        str(len(pages)),
        f"{len(longer)} of {n_long}",
        str(len(apart)),
        *(_share(shares.get((rate, False))) for rate in RATES),
        f"{len(called) - len(longer)} of {n_short}",
        _share(shares.get((RATES[-1], True))),
        f"{near} ({within:.0f} bits)",
        f"{1e6 * float(np.median(times)):.0f}",
    ]


def read(path: Path, n_pages: int, reader: PageReader) -> list[tuple[bytes, Page]]:
    """Return bodies and pages of a web: every n-th of its labelled pages."""
    lines = path.with_name(path.name.replace(".warc.gz", ".labels.tsv")).read_text(encoding="utf-8").splitlines()[1:]
    urls = [line.partition("\t")[0] for line in lines]
    found = []
    with RecordedWeb(path, Path(tempfile.gettempdir())) as web:
        for url in urls[:: max(1, len(urls) // n_pages)]:
            answer = web.answer(url)
            kind = dict(answer.headers).get("Content-Type", "text/html")
            if answer.status == 200 and "html" in kind.lower() and may_be_text(answer.body):
                found.append((answer.body, reader.read(answer.body, url, kind)))
    return found


def changed(body: bytes, rate: float, vocabulary: list[str], source: random.Random) -> bytes:
    """Return a page with a share of the words outside its links replaced, and another menu."""
    tree = html.fromstring(
        body.decode("utf-8", "replace").replace("\0", "").encode(), parser=html.HTMLParser(encoding="utf-8")
    )

    def replaced(text: str | None) -> str | None:
        if not text:
            return text
        return _WORD.sub(
            lambda word: source.choice(vocabulary) if source.random() < rate else word[0], _NO_XML.sub(" ", text)
        )

    for node in tree.iter():
        if isinstance(node.tag, str) and node.tag not in ("a", "script", "style"):
            node.text = replaced(node.text)
        if node is not tree:
            node.tail = replaced(node.tail)
    menu = etree.Element("ul")
    for number in range(15):
        link = etree.Element("a", href=f"/m{number}")
        link.text = f"{source.choice(vocabulary)} {source.choice(vocabulary)}"
        item = etree.Element("li")
        item.append(link)
        menu.append(item)
    body_node = tree.find("body")
    (tree if body_node is None else body_node).insert(0, menu)
    return bytes(html.tostring(tree, encoding="utf-8"))


def simhash(page: Page, hashes: TermHashes) -> int:
    """Return the 64-bit SimHash of a page's own terms, weighted by 1 + ln of their counts."""
    ids, counts = np.unique(page.judged_terms("own"), return_counts=True)
    if not len(ids):
        return 0
    wide = hashes.of(ids).astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    wide = (wide ^ (wide >> np.uint64(31))) * np.uint64(0xBF58476D1CE4E5B9)
    wide ^= wide >> np.uint64(30)
    bits = ((wide[:, None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1)).astype(np.float64) * 2 - 1
    return sum(1 << place for place in np.flatnonzero((bits * (1 + np.log(counts))[:, None]).sum(axis=0) > 0).tolist())


def distance(one: int, other: int) -> int:
    return (one ^ other).bit_count()


def alike(pages: list[tuple[bytes, Page]], one: int, other: int) -> float:
    """Return the share of words that two pages have in common in their order, in [0, 1]."""
    texts = [pages[number][1].text.lower().split() for number in (one, other)]
    return difflib.SequenceMatcher(None, *texts, autojunk=False).ratio()


def difference(pages: list[tuple[bytes, Page]], one: int, other: int) -> str:
    """Return what one page says and the other does not, for people."""
    texts = [pages[number][1].text.lower().split() for number in (one, other)]
    codes = difflib.SequenceMatcher(None, *texts, autojunk=False).get_opcodes()
    return " | ".join(
        f"{' '.join(texts[0][a:b])} / {' '.join(texts[1][c:d])}" for tag, a, b, c, d in codes if tag != "equal"
    )[:400]


def _timed(page: Page, hashes: TermHashes, index: CopyIndex) -> float:
    begun = time.thread_time()
    text: TextSketch | None = sketch(page, hashes)
    if text is not None:
        index.find_or_add(text)
    return time.thread_time() - begun


def _share(found: list[bool] | None) -> str:
    return f"{np.mean(found):.3f} of {len(found)}" if found else "-"


if __name__ == "__main__":
    main()
