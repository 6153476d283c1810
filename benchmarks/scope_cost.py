"""What a scope costs: the language of a page, and how often it is told wrongly; the refusal of a link by domains and paths.

Pages are every n-th of recorded webs, whose pages are in English but where labels name languages: those of the web
``languages`` are labelled by what they declare, so their declaration is taken out before their text is asked. Times are the
best of three turns, in CPU time of one thread.

Examples
--------
  python benchmarks/scope_cost.py --webs ../webs --write       the table of docs/results/costs.md
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from common import DATA_DIR, machine, say, table
from provenance import now, write_blocks

from focused.method.page.page_language import other_language
from focused.method.page.reader import PageReader
from focused.method.text.analyzer import Analyzer
from focused.utils.scope import Scope
from focused.webs.recorded import RecordedWeb

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from focused.method.page.page import Page

ROOMS = ["focused/method/page", "focused/method/text", "focused/utils/scope.py", "focused/utils/url_rules.py"]
DENY = {
    "1 domain": ["site.example"],
    "10,000 domains": [f"site{n}.example" for n in range(10_000)],
    "1 path": ["/folder/*.pdf$"],
    "100 paths": [f"/folder{n}/*.pdf$" for n in range(100)],
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--webs", type=Path, metavar="FOLDER", help="folder with languages.warc.gz")
    parser.add_argument("--pages", type=int, default=400, metavar="N", help="pages of each web (default: 400)")
    parser.add_argument("--write", action="store_true", help="write the table into docs/results")
    options = parser.parse_args()
    webs = {name: DATA_DIR / f"{name}.warc.gz" for name in ("hyperphysics", "webkb", "foldoc")}
    if options.webs is not None:
        webs["languages"] = options.webs / "languages.warc.gz"
    urls: list[str] = []
    rows = []
    for name, path in webs.items():
        pages = list(drawn(path, options.pages))
        urls += [url for page in pages for url in page.link_numbers]
        rows.append(told(name, pages))
        say(" ".join(rows[-1]))
    head = ["web", "pages", "told wrongly", "not told", "ms a page"]
    links = random.Random(0).sample(urls, min(5_000, len(urls)))
    prices = [[what, f"{1e6 * price(entries, links):.2f}"] for what, entries in DENY.items()]
    text = (
        f"{machine()}\n\n{table(head, rows)}\n\n{len(links):,} links of these pages:\n\n"
        f"{table(['deny', 'us a link'], prices)}"
    )
    print(text)
    if options.write:
        command = f"python benchmarks/scope_cost.py --webs ../webs --pages {options.pages}"
        write_blocks({"cost of a scope": text}, now(command, ROOMS))


def drawn(path: Path, n_pages: int) -> Iterator[Page]:
    """Yield pages from all over a web."""
    reader = PageReader(Analyzer("en"))
    with RecordedWeb(path) as web:
        step = max(len(web) // (2 * n_pages), 1)
        for number, (url, answer) in enumerate(web.pages()):
            if number % step == 0 and answer.status == 200 and n_pages:
                n_pages -= 1
                yield reader.read(answer.body, url, "text/html")


def told(name: str, pages: list[Page]) -> list[str]:
    """Return how the languages of pages are told by their texts alone: a row of the table."""
    found: Counter[str] = Counter()
    seconds = 0.0
    for page in pages:
        truth, silent = page.declared_language or "en", replace(page, declared_language="")
        # Asked for a language that it is not in, every page is one in another language, unless nobody can tell.
        other = other_language(silent, ("xx",))
        found["right" if other == truth else "wrong" if other else "untold"] += 1
        seconds += best_of(lambda page=silent: other_language(page, ("xx",)))
    n_pages = len(pages)
    return [name, f"{n_pages:,}", f"{found['wrong']:,}", f"{found['untold']:,}", f"{1000 * seconds / n_pages:.2f}"]


def price(entries: list[str], links: list[str]) -> float:
    """Return the seconds that the refusal of a link takes, in the mean; the hosts of links are remembered, as in a crawl."""
    scope = Scope(deny=tuple(entries))
    return best_of(lambda: [scope.refusal(url) for url in links]) / len(links)


def best_of(work: Callable[[], object], n_turns: int = 3) -> float:
    """Return the CPU seconds of the fastest of some turns."""
    found = []
    for _ in range(n_turns):
        begin = time.thread_time()
        work()
        found.append(time.thread_time() - begin)
    return min(found)


if __name__ == "__main__":
    main()
