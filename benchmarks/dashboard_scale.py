"""How long each view of `scrapy dashboard` takes over 200 runs, one of 100,000 pages and 1,000,000 links.

The large run's collection is made as in collection.py, its frontier as in frontier_scale.py. The others are small runs with a
collection and a curve of 500 rows. Of each run a person has judged some 50 pages. The dashboard is the command itself, asked
over HTTP as a browser asks it. Wall clock of a view from the request to its last byte; the first request of each view is that
of a fresh process. Searches are 40 queries of words, pairs and phrases. Memory is the largest that the process held.

Bars: every view under 300 ms, a search under 100 ms, 200 MB.

Examples
--------
  python benchmarks/dashboard_scale.py --write            the table of docs/results/dashboard.md
  python benchmarks/dashboard_scale.py --pages 5000 --links 50000 --runs 20    a look
  python benchmarks/dashboard_scale.py --folder ../scale  makes the runs there, or takes what an earlier call made
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections import Counter
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.parse import quote, urlsplit

import collection
import frontier_scale
from common import ROOT, machine, say, table
from provenance import now, write_blocks

from focused.utils.file_names import COLLECTION_FILE, HARVEST_FILE, RUN_FILE, VERDICTS_FOLDER

ROOMS = ["focused/collection", "focused/dashboard", "focused/frontier"]
N_ROWS, SMALL_PAGES, N_VERDICTS, TIMES = 500, 60, 50, 7
# Of a run: what the tabs lead to.
VIEWS = (
    "",
    "/pages",
    "/pages?sort=relevance",
    "/pages?which=all",
    "/pages?which=all&sort=relevance",
    "/pages?which=all&offset=90000",
    "/judge",
    "/learn",
)
VIEWS += ("/judge?as=berta", "/export", "/manage", "/curve.json")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=100_000, metavar="N", help="of the large run (default: 100,000)")
    parser.add_argument("--links", type=int, default=1_000_000, metavar="N", help="of the same (default: 1,000,000)")
    parser.add_argument("--runs", type=int, default=200, metavar="N", help="in all (default: 200)")
    parser.add_argument("--folder", type=Path, metavar="DIR", help="keep the runs here (default: a temporary folder)")
    parser.add_argument("--write", action="store_true", help="write the table into docs/results")
    options = parser.parse_args()
    texts = collection.sentences()
    with contextlib.ExitStack() as stack:
        folder = options.folder or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        make_runs(folder, texts, options)
        rows, facts = measured(folder, texts)
    text = (
        f"{machine()} {options.runs} runs, one of {options.pages:,} pages and {options.links:,} links. {facts}\n\n"
        f"{table(['view', 'kB', 'first, ms', 'median, ms', 'worst, ms'], rows)}"
    )
    print(text)
    if options.write:
        write_blocks({"views of the dashboard": text}, now("python benchmarks/dashboard_scale.py", ROOMS))


def make_runs(folder: Path, texts: list[str], options: argparse.Namespace) -> None:
    """Make the runs that are not there yet."""
    large, small = folder / "large", folder / "small-0001"
    for path, n_pages in ((large, options.pages), (small, SMALL_PAGES)):
        if not (path / RUN_FILE).exists():
            say(f"{path.name}: {n_pages:,} pages")
            path.mkdir(parents=True, exist_ok=True)
            collection.fill(path / COLLECTION_FILE, texts, n_pages)
            if path is large:
                say(f"{options.links:,} links")
                with contextlib.redirect_stdout(sys.stderr):
                    frontier_scale.frontier(options.links, options.links // 10, 0, path, [options.links])
            about(path, n_pages)
            judge(path, n_pages)
    for number in range(2, options.runs):
        path = folder / f"small-{number:04}"
        if not path.exists():
            shutil.copytree(small, path)
            about(path, SMALL_PAGES, number)


def about(path: Path, n_pages: int, number: int = 0) -> None:
    """Write what a run says of itself, and its curve."""
    said = {
        "topic": "astronomy",
        "strategy": "adaptive",
        "web": "live",
        "max_pages": n_pages,
        "finish_reason": "finished",
    }
    said["started_at"] = f"2026-11-{1 + number % 28:02}T{number % 24:02}:00:00+00:00"
    (path / RUN_FILE).write_text(json.dumps(said), encoding="utf-8")
    names = ["pages", "relevant", "harvest_rate", "harvest_rate_last_100", "frontier"]
    names += ["estimated", "estimated_low", "estimated_high"]
    with (path / HARVEST_FILE).open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(names)
        for row in range(1, N_ROWS + 1):
            done = n_pages * row // N_ROWS
            rows.writerow([done, done * 2 // 3, 0.667, 0.65, 9 * done, 0.6, 0.5, 0.7])


def judge(path: Path, n_pages: int) -> None:
    """Let a person judge some pages."""
    (path / VERDICTS_FOLDER).mkdir(exist_ok=True)
    lines = [
        {"url": collection.url_of(number), "relevant": number % 4 > 0, "drawn": "random", "pages": n_pages}
        for number in range(1, n_pages + 1, max(1, n_pages // N_VERDICTS))
    ]
    (path / VERDICTS_FOLDER / "anna.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))


def measured(folder: Path, texts: list[str]) -> tuple[list[list[str]], str]:
    """Return a row of each view, and what is said of the process."""
    command = [sys.executable, "-u", "-m", "focused", "dashboard", str(folder), "--port", "0"]
    process = subprocess.Popen(command, cwd=ROOT, env={**os.environ}, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        link = next(found[0] for line in process.stdout if (found := re.search(r"http://127\S+", line)))
        where, browser = urlsplit(link), urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        home = f"{where.scheme}://{where.netloc}"

        def asked(path: str) -> tuple[float, int]:
            start = time.perf_counter()
            with browser.open(f"{home}{path}", timeout=60) as answer:
                size = len(answer.read())
            return time.perf_counter() - start, size

        browser.open(link, timeout=60).read()
        page = browser.open(home, timeout=60).read().decode()
        [key] = re.findall(r'href="/runs/(\w+)">large<', page)
        rows = [row_of("all runs", "/", asked)]
        for view in VIEWS:
            with contextlib.suppress(urllib.error.HTTPError):
                rows.append(row_of(f"large run{view.replace('&', ' ')}", f"/runs/{key}{view}", asked))
        rows.append(row_of("a page", f"/runs/{key}/pages/77", asked))
        rows += [row_of(view, view, asked) for view in ("/start", "/topics")]
        counts = Counter(word for text in texts for word in set(text.split()))
        common = [word for word, _ in counts.most_common() if word.isascii() and word.isalpha() and len(word) > 2]
        queries = [query for kind in collection.kinds(common, texts).values() for query in kind[:8]]
        for kind in ("first", "again"):
            times = sorted(asked(f"/runs/{key}/pages?which=all&words={quote(query)}")[0] * 1e3 for query in queries)
            rows.append([f"40 searches, {kind}", "", "", f"{statistics.median(times):.0f}", f"{times[-1]:.0f}"])
        status = Path(f"/proc/{process.pid}/status").read_text()
        peak = int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1024
    finally:
        process.terminate()
        process.wait()
    return rows, f"The dashboard's process held at most {peak:.0f} MB."


def row_of(name: str, path: str, asked: object) -> list[str]:
    """Return the row of a view."""
    found = [asked(path) for _ in range(TIMES)]
    times = [seconds * 1e3 for seconds, _ in found]
    return [name, f"{found[0][1] / 1e3:.0f}", *(f"{ms:.0f}" for ms in (times[0], statistics.median(times), max(times)))]


if __name__ == "__main__":
    main()
