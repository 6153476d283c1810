"""What a page of the dashboard that somebody watches costs the crawl that it shows: CPU time of the crawl's process.

One long crawl of the demo web. In blocks of five seconds the page of this crawl is open (server-sent events, an answer every
two seconds), or not: not, open, open, not, and so on. The CPU time of the crawl's process for each page of a block is
compared with that of the neighbouring block of the other kind; the dashboard is another process, which runs all the time.

Examples
--------
  python benchmarks/watching.py
  python benchmarks/watching.py --minutes 1 --no-write
"""

from __future__ import annotations

import argparse
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path
from statistics import fmean, median, stdev
from typing import TYPE_CHECKING

from common import ROOT, SCRAPY, machine, table
from provenance import now, write_blocks

if TYPE_CHECKING:
    from collections.abc import Iterator

BLOCK_SECS = 5.0
BEGIN_SECS = 10.0
"""So long the crawl has begun when the first block does."""
_TICKS = os.sysconf("SC_CLK_TCK")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=6.0, help="how long the crawl takes (default: 6)")
    parser.add_argument("--no-write", action="store_true", help="print the table only")
    options = parser.parse_args()
    ms = measured(max(4, round(60 * options.minutes / BLOCK_SECS / 4) * 4))
    more = [100 * (open_ / closed - 1) for closed, open_ in pairs(ms)]
    error = stdev(more) / len(more) ** 0.5 if len(more) > 1 else float("nan")
    closed, opened = ([each for number, each in enumerate(ms) if is_open(number) == kind] for kind in (False, True))
    difference = f"{fmean(more):+.1f} % ± {error:.1f}; median {median(more):+.1f} %"
    rows = [
        ["not watched", str(len(closed)), f"{median(closed):.2f}", "-"],
        ["watched", str(len(opened)), f"{median(opened):.2f}", difference],
    ]
    heads = ["page of the crawl", "blocks", "ms of CPU a page: median", "more than not watched: mean ± standard error"]
    text = f"{table(heads, rows)}\n\n{machine()}."
    if options.no_write:
        print(text)
        return
    rooms = ["focused/crawl", "focused/dashboard", "focused/extensions", "focused/frontier"]
    write_blocks({"a page that is watched": text}, now("python benchmarks/watching.py", rooms, {"blocks": len(ms)}))


def is_open(block: int) -> bool:
    """Tell whether the page is open in a block: not, open, open, not, ..."""
    return block % 4 in (1, 2)


def pairs(ms: list[float]) -> list[tuple[float, float]]:
    """Return neighbouring blocks: not watched, watched."""
    found = []
    for place in range(0, len(ms) - 3, 4):
        first, second, third, fourth = ms[place : place + 4]
        found += [(first, second), (fourth, third)]
    return found


def measured(n_blocks: int) -> list[float]:
    """Crawl, and return the milliseconds of CPU a page of each block."""
    with tempfile.TemporaryDirectory() as folder, dashboard(Path(folder)) as (port, cookie):
        run_dir = Path(folder) / "run"
        given = ("-a", "topic=demo", "-a", "max_pages=0", "-a", "max_minutes=600", "-a", f"run_dir={run_dir}")
        settings = ("-s", "LOG_LEVEL=WARNING", "-s", "FOCUSED_DEMO_PAGES=200000")
        command = [*SCRAPY, "crawl", "focused", *given, *settings]
        with subprocess.Popen(command, cwd=ROOT, env={**os.environ, "OMP_NUM_THREADS": "1"}) as crawl:
            try:
                time.sleep(BEGIN_SECS)
                key = re.search(rb"/runs/(\w{12})", _get(port, "/", cookie))[1].decode()
                found = []
                for block in range(n_blocks):
                    before, n_before = _cpu_secs(crawl.pid), _n_pages(run_dir)
                    with watching(port, key, cookie) if is_open(block) else nobody():
                        time.sleep(BLOCK_SECS)
                    secs, n_pages = _cpu_secs(crawl.pid) - before, _n_pages(run_dir) - n_before
                    if crawl.poll() is not None or not n_pages:
                        sys.exit(f"The crawl has ended, or stands still, in block {block + 1}.")
                    found.append(1e3 * secs / n_pages)
                    print(f"block {block + 1}: {n_pages} pages, {found[-1]:.2f} ms", file=sys.stderr, flush=True)
                return found
            finally:
                crawl.terminate()


def _cpu_secs(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def _n_pages(run_dir: Path) -> int:
    return (run_dir / "fetched.csv").read_bytes().count(b"\n")


@contextmanager
def watching(port: int, key: str, cookie: str) -> Iterator[None]:
    """Have the page of a run open, as a browser has."""
    with socket.create_connection(("127.0.0.1", port)) as connection:
        request = f"GET /runs/{key}/events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nCookie: {cookie}\r\n\r\n"
        connection.sendall(request.encode())
        yield
        connection.setblocking(False)
        answer = connection.recv(1 << 20)
        if b"event: state" not in answer:
            sys.exit(f"The dashboard sends no events: {answer[:200]!r}")


@contextmanager
def nobody() -> Iterator[None]:
    """Nobody watches."""
    yield


def _get(port: int, path: str, cookie: str) -> bytes:
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", path, headers={"Cookie": cookie} if cookie else {})
    return connection.getresponse().read()


@contextmanager
def dashboard(folder: Path) -> Iterator[tuple[int, str]]:
    """Yield the port of a dashboard, and the cookie of a browser that has opened its link."""
    command = [*SCRAPY, "dashboard", str(folder), "--port", "0"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            said = process.stdout.readline() + process.stdout.readline()
            found = re.search(r"127\.0\.0\.1:(\d+)(/\?token=\S+)", said)
            yield int(found[1]), _cookie(int(found[1]), found[2])
        finally:
            process.terminate()


def _cookie(port: int, link: str) -> str:
    """Return what a browser gets that opens the printed link; it is answered a moment after it is printed."""
    for _ in range(100):
        with suppress(ConnectionRefusedError):
            connection = HTTPConnection("127.0.0.1", port, timeout=30)
            connection.request("GET", link)
            return connection.getresponse().getheader("set-cookie").partition(";")[0]
        time.sleep(0.1)
    sys.exit("The dashboard does not answer.")


if __name__ == "__main__":
    main()
