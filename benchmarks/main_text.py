"""How well the main text of pages is found, against the marks of a reader, beside three libraries; and what it costs.

80 pages of eleven webs are marked (marks/main_text.tsv). Every second one of each web was looked at while constants were
chosen; the tables are of the others. The libraries run in an interpreter of their own.

Examples
--------
  python benchmarks/main_text.py --webs ../webs --libraries ../venv-text/bin/python
  python benchmarks/main_text.py --webs ../webs --half chosen --show 10 --no-write
"""

from __future__ import annotations

import argparse
import json
import subprocess
import time
from collections import Counter, defaultdict
from hashlib import sha256
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from common import ROOT, machine, table
from known_webs import MADE, add_folders
from marked_pages import MarkedPage, agreement, marked_pages
from provenance import now, write_blocks

from focused.method.page.encoding import to_utf8
from focused.method.page.main_text import headings_of, main_lines, main_text
from focused.method.page.metadata import metadata_of
from focused.method.page.reader import PageReader
from focused.method.page.repeated_lines import RepeatedLines
from focused.method.text.analyzer import Analyzer

if TYPE_CHECKING:
    from focused.method.page.page import Page

BEFORE = (0, 3, 40)
"""Other pages of a host that are met before a marked one."""
WHOLE = "the whole text"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_folders(parser, (*MADE, "docs"))
    parser.add_argument(
        "--libraries", type=Path, help="Python of a venv with trafilatura, resiliparse, readability-lxml"
    )
    parser.add_argument("--half", choices=("chosen", "others"), default="others")
    parser.add_argument("--show", type=int, default=0, help="print so many pages that come out worst")
    parser.add_argument("--no-write", action="store_true", help="print the tables only")
    options = parser.parse_args()
    pages = marked_pages(options.data, options.webs, max(BEFORE))
    reader = PageReader(Analyzer("en"))
    read = [reader.read(page.body, page.url, page.content_type) for page in pages]
    texts = {f"ours, after {n} pages" if n else "ours, a page alone": ours(pages, read, reader, n) for n in BEFORE}
    texts[WHOLE] = [page.text for page in read]
    dates = {"ours": [metadata_of(page, "2026-11-23").date for page in read]}
    costs = {"ours": cost(pages, reader)}
    others = libraries(options.libraries, pages) if options.libraries else {}
    for name, found in others.items():
        if "texts" in found:
            texts[f"{name} {found['version']}"] = found["texts"]
        else:
            dates[f"{name} {found['version']}"] = found["dates"]
        costs[name] = found["ms"]
    wanted = half_of(pages, options.half)
    known = texts["ours, after 40 pages"]
    for number in sorted(wanted, key=lambda each: agreement(known[each], pages[each])[2])[: options.show]:
        print(*(f"{value:.2f}" for value in agreement(known[number], pages[number])), pages[number].url)
    quality = quality_table(pages, texts, wanted)
    about = (
        f"F1 of words, mean of the pages of a web; the last columns are means of the webs. {len(wanted)} of {len(pages)} "
        f"marked pages: every second of each web, {'' if options.half == 'chosen' else 'not '}those looked at while "
        "constants were chosen."
    )
    spent = table(["what", "ms of CPU a page"], [[name, f"{value:.2f}"] for name, value in costs.items()])
    size = fmean(len(page.body) for page in pages)
    blocks = {
        "main text": f"{quality}\n\n{about}",
        "dates of pages": f"{date_table(pages, dates)}\n\nOf all {len(pages)} marked pages, "
        f"{sum(bool(page.date) for page in pages)} with a date that a reader can see.",
        "cost of main text": f"{spent}\n\nPages of {size / 1000:.0f} kB on average. Ours: lines, repetition, text, headings "
        "and metadata of a page that has been read for the crawl anyway; that of the libraries begins with the bytes, "
        f"decoded. {machine()}.",
    }
    if options.no_write or not options.libraries:
        print("\n\n".join(blocks.values()))
        return
    command = "python benchmarks/main_text.py --webs ../webs --libraries ../venv-text/bin/python"
    write_blocks(
        blocks, now(command, ["focused/method/page", "focused/method/text"], {"before": BEFORE, "half": options.half})
    )


def half_of(pages: list[MarkedPage], half: str) -> list[int]:
    """Return the numbers of the pages of a half: every second of each web."""
    seen: Counter[str] = Counter()
    found = []
    for number, page in enumerate(pages):
        if seen[page.web] % 2 == (half == "others"):
            found.append(number)
        seen[page.web] += 1
    return found


def ours(pages: list[MarkedPage], read: list[Page], reader: PageReader, n_before: int) -> list[str]:
    """Return the main texts of pages after so many others of their hosts."""
    memory = RepeatedLines()
    known: set[str] = set()
    for page in pages:
        host = urlsplit(page.url).netloc
        if host not in known:
            known.add(host)
            for url, kind, body in page.before[:n_before]:
                memory.mark_and_learn(reader.read(body, url, kind).lines, host)
    found = []
    for page, each in zip(pages, read, strict=True):
        repeated = memory.mark_and_learn(each.lines, urlsplit(page.url).netloc, learns=False) if n_before else None
        found.append(main_text(each.lines, main_lines(each.lines, repeated)))
    return found


def cost(pages: list[MarkedPage], reader: PageReader, n_rounds: int = 5) -> float:
    """Return the CPU milliseconds a page of everything that stands in an item: the least of some rounds."""
    memory, best = RepeatedLines(), float("inf")
    for _ in range(n_rounds):
        seconds = 0.0
        for marked in pages:
            page = reader.read(marked.body, marked.url, marked.content_type)
            started = time.process_time()
            is_main = main_lines(page.lines, memory.mark_and_learn(page.lines, urlsplit(marked.url).netloc))
            main_text(page.lines, is_main)
            headings_of(page.lines, is_main)
            metadata_of(page, "2026-11-23")
            sha256(marked.body).hexdigest()
            seconds += time.process_time() - started
        best = min(best, 1000 * seconds / len(pages))
    return best


def libraries(python: Path, pages: list[MarkedPage]) -> dict[str, Any]:
    """Return what the libraries find."""
    given = json.dumps([(page.url, to_utf8(page.body, page.content_type)[0].decode("utf-8")) for page in pages])
    command = [str(python), str(ROOT / "benchmarks" / "text_libraries.py")]
    done = subprocess.run(command, input=given.encode(), stdout=subprocess.PIPE, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def quality_table(pages: list[MarkedPage], texts: dict[str, list[str]], wanted: list[int]) -> str:
    webs = list(dict.fromkeys(page.web for page in pages))
    rows = []
    for name, found in texts.items():
        values = defaultdict(list)
        for number in wanted:
            values[pages[number].web].append(agreement(found[number], pages[number]))
        means = [[fmean(each[place] for each in values[web]) for web in webs] for place in range(3)]
        totals = [fmean(each) for each in means]
        rows.append([name, *(f"{value:.2f}" for value in means[2]), *(f"{value:.3f}" for value in totals)])
    return table(["", *webs, "precision", "recall", "F1"], rows)


def date_table(pages: list[MarkedPage], dates: dict[str, list[str]]) -> str:
    rows = []
    for name, found in dates.items():
        n_right = sum(bool(page.date) and date == page.date for page, date in zip(pages, found, strict=True))
        n_wrong = sum(bool(date) and date != page.date for page, date in zip(pages, found, strict=True))
        rows.append([name, str(n_right), str(n_wrong)])
    return table(["", "right", "wrong"], rows)


if __name__ == "__main__":
    main()
