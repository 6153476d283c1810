"""The longest turns of the reactor, in CPU time, in a crawl of pages with 10,000 links each.

    python benchmarks/reactor_turns.py                       # strategy adaptive, thirteen such pages: its memory fills up
    python benchmarks/reactor_turns.py --strategy cbp_slc --large 3

A server in this process answers a seed, pages with 10,000 links each to new pages, and pages with 60 links among themselves.
The crawl fetches 50 pages, one request at a time, so the pages come in the same order each time. The digest of the fetched
pages (URLs without the port, relevances, scores) is printed for comparisons between versions. Python's garbage collector is
counted apart, because its time depends on the other data of the process. Turns before the first page and after the last do
not count. The bar is 200 ms.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import hashlib
import random
import re
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from common import ROOT, machine, table

sys.path.insert(0, str(ROOT / "tests"))

from sites import Site

_STEMS = "star galaxy planet orbit river market music train lens field wave light paper bread stone cloud".split()
WORDS = [stem + end for stem in _STEMS for end in ("", "s", "ing", "ology", "ist", "ware")]


class Pages:
    """A seed, large pages with links to all others, and others."""

    def __init__(self, n_large: int, n_links: int) -> None:
        self._n_links = n_links
        self._n_pages = n_large * n_links
        self._large = {f"/large/{number}": self._index(number) for number in range(n_large)}

    def __call__(self, path: str) -> bytes | None:
        """Return the page of a path."""
        if path == "/robots.txt":
            return None
        if path == "/":
            links = "".join(f"<a href='{large}'>stars and galaxies</a> " for large in self._large)
            return f"<p>Astronomy: stars and galaxies. {links}".encode()
        if path in self._large:
            return self._large[path]
        rng = random.Random(path)
        links = "".join(self._link(rng.randrange(self._n_pages), rng) for _ in range(60))
        return f"<h1>{path}</h1><p>{' '.join(rng.choices(WORDS, k=200))}</p><ul>{links}</ul>".encode()

    def _index(self, number: int) -> bytes:
        rng, parts = random.Random(number), [f"<title>Index {number}</title><h1>All pages</h1>"]
        for first in range(number * self._n_links, (number + 1) * self._n_links, 100):
            links = "".join(self._link(each, rng) for each in range(first, first + 100))
            parts.append(f"<h2>{rng.choice(WORDS)}</h2><p>{' '.join(rng.choices(WORDS, k=30))}</p><ul>{links}</ul>")
        return "".join(parts).encode()

    @staticmethod
    def _link(number: int, rng: random.Random) -> str:
        path = f"/{WORDS[number % 96]}/{number % 499}/{WORDS[number // 96 % 96]}-{number}.html"
        return f"<li><a href='{path}'>{rng.choice(WORDS)} {rng.choice(WORDS)} {number % 1000}</a></li>"


class Turns:
    """CPU time of each turn of the loop, and of the garbage collector in it, while a crawl fetches pages."""

    def __init__(self) -> None:
        self.taken: list[tuple[float, float, float]] = []
        self.is_on, self.n_left = False, 0
        self._collecting = self._began = 0.0
        gc.callbacks.append(self._collected)
        run = asyncio.Handle._run

        def timed(handle: asyncio.Handle) -> None:
            self._collecting, is_on = 0.0, self.is_on
            cpu, wall = time.thread_time(), time.perf_counter()
            run(handle)
            if is_on and self.is_on:
                self.taken.append((time.thread_time() - cpu, self._collecting, time.perf_counter() - wall))

        asyncio.Handle._run = timed  # type: ignore[method-assign]

    def _collected(self, phase: str, _: object) -> None:
        if phase == "start":
            self._began = time.thread_time()
        else:
            self._collecting += time.thread_time() - self._began

    @classmethod
    def from_crawler(cls, crawler: object) -> Turns:
        """Measure from the first page to the last."""
        from scrapy import signals

        crawler.signals.connect(TURNS.begin, signals.response_received)  # type: ignore[attr-defined]
        crawler.signals.connect(TURNS.page_ended, signals.item_scraped)  # type: ignore[attr-defined]
        TURNS.n_left = crawler.spider.plan.max_pages  # type: ignore[attr-defined]
        return TURNS

    def begin(self) -> None:
        """Start counting."""
        self.is_on = self.n_left > 0

    def page_ended(self) -> None:
        """Stop counting after the last page."""
        self.n_left -= 1
        self.is_on = self.n_left > 0


TURNS = Turns()


def crawl(site: Site, folder: Path, options: argparse.Namespace) -> str:
    """Crawl in this process; return the digest of the fetched pages."""
    from scrapy.cmdline import execute

    arguments = {"topic": "astrophysics", "seeds": f"{site.url}/", "max_pages": options.pages, "run_dir": folder}
    settings = {
        "DOWNLOAD_DELAY": 0,
        "AUTOTHROTTLE_ENABLED": 0,
        "ROBOTSTXT_OBEY": 0,
        "CONCURRENT_REQUESTS": 1,
        "LOG_LEVEL": "ERROR",
        "FOCUSED_MODELS_DIR": ROOT / "models",
    }
    argv = ["scrapy", "crawl", "focused", "-a", f"strategy={options.strategy}"]
    argv += [part for name, value in arguments.items() for part in ("-a", f"{name}={value}")]
    argv += [part for name, value in settings.items() for part in ("-s", f"{name}={value}")]
    try:
        execute(argv)
    except SystemExit as end:
        if end.code:
            raise
    rows = re.sub(r"127\.0\.0\.1:\d+", "", (folder / "fetched.csv").read_text(encoding="utf-8"))
    return hashlib.sha256(rows.encode()).hexdigest()[:16]


def main() -> None:
    """Crawl, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--strategy", default="adaptive", metavar="NAME", help="(default: adaptive)")
    parser.add_argument("--large", type=int, default=13, metavar="N", help="large pages (default: 13)")
    parser.add_argument("--links", type=int, default=10_000, metavar="N", help="links of each (default: 10000)")
    parser.add_argument("--pages", type=int, default=50, metavar="N", help="pages to fetch (default: 50)")
    options = parser.parse_args()
    from focused import settings

    settings.EXTENSIONS[f"{__name__}.Turns"] = 990
    with tempfile.TemporaryDirectory() as folder, Site(Pages(options.large, options.links)) as site:
        digest = crawl(site, Path(folder) / "run", options)
    taken = 1000 * np.array(TURNS.taken)
    own = taken[:, 0] - taken[:, 1]
    rows = [
        (f"{at} ms", f"{(own > at).sum()}", f"{(taken[:, 0] > at).sum()}", f"{(taken[:, 2] > at).sum()}")
        for at in (50, 100, 200)
    ]
    rows.append(("longest, ms", f"{own.max():.0f}", f"{taken[:, 0].max():.0f}", f"{taken[:, 2].max():.0f}"))
    print(f"{machine()}; {options.strategy}, {options.large} pages of {options.links:,} links; fetched: {digest}\n")
    print(table(("turns longer than", "CPU", "with the garbage collector", "by the clock"), rows))


if __name__ == "__main__":
    main()
