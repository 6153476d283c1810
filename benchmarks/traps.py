"""How many pages of each trap a crawl fetches, and what it finds beside them.

For each trap of the hostile web, crawls for the shipped topic `demo` with that trap alone, a page that links to it among the
seeds, and its entry page about the topic or not; and one without traps. *Of traps*: pages of the trap among those fetched.
*Rest*: harvest rate, by the labels, of the pages that are no trap's, divided by that of the crawl without traps. Besides: five
honest sites of 3,000 pages each, with and without the protection; and 999 copies of two texts.

Examples
--------
  python benchmarks/traps.py
  python benchmarks/traps.py --only farm,session --strategies adaptive --pages 300 --no-write
  python benchmarks/traps.py --only farm -s FOCUSED_TRAPS=off --no-write
"""

from __future__ import annotations

import argparse
import csv
import http.server
import json
import shutil
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from common import ROOT, machine, say, scrapy, table
from provenance import CRAWL_ROOMS, now, write_blocks

from focused.webs.demo import HostileWeb
from focused.webs.demo.traps import TRAPS

if TYPE_CHECKING:
    from collections.abc import Sequence

TOPIC = "astronomy"
WEB_PAGES, SITE_PAGES = 20_000, 15_000
MODELS = ROOT / "models"
LIMITS = {"farm": 0.25}
LIMIT = 0.05
OFF = ("FOCUSED_COPIES=off", "FOCUSED_TRAPS=off")


class Crawls:
    """Crawls of hostile webs, each kept in a folder of its own."""

    def __init__(self, output: Path, n_pages: int, settings: Sequence[str]) -> None:
        self._output = output
        self._n_pages = n_pages
        self._settings = settings
        self._webs: dict[tuple[int, int, int], HostileWeb] = {}

    def rates(
        self,
        strategy: str,
        traps: str,
        entries: str = "relevant",
        off: Sequence[str] = (),
        size: tuple[int, int, int] = (WEB_PAGES, 40, 8),
    ) -> tuple[float, float]:
        """Return the share of pages that are a trap's, and the harvest rate of the others by the labels."""
        web = self._webs.setdefault(size, HostileWeb(*size))
        name = "-".join([strategy, traps, entries, *map(str, size), *(each.replace("=", "-") for each in off)])
        folder = self._output / name
        if (
            not (folder / "run.json").is_file()
            or json.loads((folder / "run.json").read_text())["finish_reason"] == "running"
        ):
            shutil.rmtree(folder, ignore_errors=True)
            said = [
                f"FOCUSED_DEMO_TRAPS={traps}",
                f"FOCUSED_DEMO_TRAP_ENTRIES={entries}",
                "FOCUSED_PAGES_ENABLED=False",
            ]
            said += [f"FOCUSED_DEMO_{what}={n}" for what, n in zip(("PAGES", "HOSTS", "TOPICS"), size, strict=True)]
            settings = [part for each in (*said, *self._settings, *off) for part in ("-s", each)]
            given = {
                "topic": "demo",
                "web": "hostile",
                "strategy": strategy,
                "max_pages": self._n_pages,
                "run_dir": folder,
            }
            given["seeds"] = " ".join([*web.seeds(TOPIC), *([web.start(TOPIC)] if traps in TRAPS else [])])
            arguments = [part for key, value in given.items() for part in ("-a", f"{key}={value}")]
            scrapy("crawl", "focused", *arguments, *settings, models_dir=MODELS)
        with (folder / "fetched.csv").open(newline="", encoding="utf-8") as file:
            urls = [row["url"] for row in csv.DictReader(file)]
        rest = [url for url in urls if web.trap(url) is None]
        n_relevant = sum(web.label(url) == TOPIC for url in rest)
        return 1 - len(rest) / max(len(urls), 1), n_relevant / max(len(rest), 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--only", metavar="NAMES", default=",".join(TRAPS), help="some of the traps, separated by commas"
    )
    parser.add_argument("--strategies", default="adaptive,cbp_slc")
    parser.add_argument("--entries", default="relevant,irrelevant")
    parser.add_argument("--pages", type=int, default=1000, help="of each crawl (default: 1000)")
    parser.add_argument("--output", type=Path, default=ROOT / "runs" / "traps", help="keeps finished crawls")
    parser.add_argument("-s", dest="settings", action="append", default=[], metavar="NAME=VALUE", help="of all crawls")
    parser.add_argument("--no-write", action="store_true", help="print the tables only")
    options = parser.parse_args()
    crawls = Crawls(options.output.resolve(), options.pages, options.settings)
    strategies, entries = options.strategies.split(","), options.entries.split(",")
    blocks = {"traps": of_traps(crawls, options.only.split(","), strategies, entries)}
    is_whole = not options.no_write and options.only == ",".join(TRAPS)
    if is_whole:
        blocks["traps: large sites"] = of_large_sites(crawls, strategies)
        blocks["traps: two texts"] = of_two_texts(options.output.resolve())
    blocks["traps"] += f"\n\n{options.pages} pages a crawl, {WEB_PAGES:,} honest pages on 40 hosts. {machine()}."
    if options.no_write:
        print("\n\n".join(blocks.values()))
        return
    command = f"python benchmarks/traps.py --pages {options.pages} --entries {options.entries} --only {options.only}"
    write_blocks(blocks, now(command, [*CRAWL_ROOMS, "focused/webs"], {"pages": options.pages}))


def of_traps(crawls: Crawls, traps: list[str], strategies: list[str], entries: list[str]) -> str:
    """Return the table of the traps, one row each."""
    without = {strategy: crawls.rates(strategy, "none") for strategy in strategies}
    rows = []
    for trap in traps:
        cells = []
        for strategy in strategies:
            for entry in entries:
                share, rate = crawls.rates(strategy, trap, entry)
                ratio = rate / without[strategy][1]
                is_met = share <= LIMITS.get(trap, LIMIT) and ratio >= 0.95
                cells.append(f"{share:.3f} / {ratio:.3f}{'' if is_met else ' *'}")
                say(f"{trap} {strategy} {entry}: {cells[-1]}")
        rows.append([trap, f"{LIMITS.get(trap, LIMIT):.2f}", *cells])
    header = [f"{strategy}, entry {entry}: of traps / rest" for strategy in strategies for entry in entries]
    said = ", ".join(f"{strategy} {rate:.3f}" for strategy, (_, rate) in without.items())
    return f"{table(['trap', 'at most', *header], rows)}\n\nHarvest rate without traps: {said}. \\* The bar is missed."


def of_large_sites(crawls: Crawls, strategies: list[str]) -> str:
    """Return what a crawl of five honest sites of 3,000 pages each finds with and without the protection."""
    size = (SITE_PAGES, 5, 2)
    rows = [
        [strategy, *(f"{crawls.rates(strategy, 'none', off=off, size=size)[1]:.3f}" for off in ((), OFF))]
        for strategy in strategies
    ]
    return table(["strategy", "harvest rate", "without the protection"], rows)


def of_two_texts(output: Path) -> str:
    """Return how many relevant pages are found on a site with 999 copies of two texts, over real sockets."""
    web = HostileWeb(1200)
    bodies = [web.answer(url).body for url, label in web.labels() if label == TOPIC][10:12]

    class Site(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            number = self.path.strip("/").removesuffix(".html")
            if self.path != "/" and not (number.isdigit() and int(number) < 999):
                self.send_error(404)
                return
            links = "".join(
                f"<a href=/{(7 * int(number or 0) + n) % 999}.html>more stars {n}</a> " for n in range(1, 9)
            )
            before = b"" if self.path != "/" else b"<title>Start</title>"
            body = before + links.encode() + (bodies[int(number) % 2] if number else b"<p>Begin here.")
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=windows-1252")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    folder = output / "two-texts"
    shutil.rmtree(folder, ignore_errors=True)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        arguments = {"topic": "demo", "web": "live", "seeds": f"http://127.0.0.1:{server.server_port}/"}
        arguments |= {"max_pages": 1000, "run_dir": folder}
        polite = (
            "DOWNLOAD_DELAY=0",
            "AUTOTHROTTLE_ENABLED=False",
            "CONCURRENT_REQUESTS_PER_DOMAIN=16",
            "FOCUSED_CONTACT=a@b.example",
        )
        given = [part for key, value in arguments.items() for part in ("-a", f"{key}={value}")]
        scrapy("crawl", "focused", *given, *(part for each in polite for part in ("-s", each)), models_dir=MODELS)
        server.shutdown()
    stats = json.loads((folder / "run.json").read_text())["stats"]
    n_fetched, n_relevant = (stats.get(f"focused/pages/{what}_count", 0) for what in ("fetched", "relevant"))
    return f"999 copies of two texts: {n_fetched} pages fetched, {n_relevant} relevant."


if __name__ == "__main__":
    sys.exit(main())
