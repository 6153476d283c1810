"""Crawl many hosts, one page each, and one web of many pages: what grows, and what is lost.

A server on this machine answers on every address 127.x.y.z: each is a host, with a robots.txt and one page. A list of
links leads to them. Watched from outside, once a second: the memory of the crawl's process (resident), and its open
files. Afterwards the frontier is asked what failed. Then the same with one host of many pages. Without delays; connections
are kept open by the server.

Examples
--------
  python benchmarks/many_hosts.py                                      10,000 hosts, and 30,000 pages of one web
  python benchmarks/many_hosts.py --hosts 100000 --pages 30000 --tree runs/many_hosts
  python benchmarks/many_hosts.py --hosts 1000 --pages 0 --no-write    a quick look
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import os
import random
import re
import resource
import socket
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path
from typing import NamedTuple

from common import ROOT, SCRAPY, chosen_names, machine, say, table
from provenance import CRAWL_ROOMS, now, write_blocks

from focused.frontier.store.view import FrontierView

LINKS_A_LIST = 500
STRATEGIES = ("best_first", "adaptive")
"""One that remembers nothing of the hosts, and the default, which learns from each link."""
ONE_HOST = "pages"
NAMES = (*STRATEGIES, ONE_HOST)
ROBOTS = b"User-agent: *\nDisallow: /private/\nDisallow: /search\nCrawl-delay: 1\n"
WORDS = (
    *"star galaxy telescope planet orbit nebula comet moon observatory spectrum eclipse meteor".split(),
    *"recipe butter flour oven soup garden sail anchor chess pawn engine rail violin choir doctor clinic".split(),
)


class Watched(NamedTuple):
    """What was seen of a crawl."""

    seconds: float
    pages: int
    failed: int
    #: (hosts or pages fetched, megabytes, open files), once a second.
    samples: list[tuple[int, float, int]]


def address(number: int) -> str:
    """Return the address of a host; 127.0.x.y is left to the lists."""
    return f"127.{1 + number // 62_500}.{number // 250 % 250}.{1 + number % 250}"


def text_of(number: int) -> bytes:
    """Return some 4 kB of text for a page."""
    rng = random.Random(number)
    return " ".join(rng.choices(WORDS, k=500)).encode()


class Answers(asyncio.Protocol):
    """Answers requests for robots.txt, for lists of hosts, and for pages."""

    n_hosts = 0
    n_pages = 0
    port = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        self._transport, self._read = transport, b""

    def data_received(self, data: bytes) -> None:
        """Answer what has come in whole."""
        self._read += data
        while b"\r\n\r\n" in self._read:
            head, self._read = self._read.split(b"\r\n\r\n", 1)
            path = head.split(b" ", 2)[1].decode("latin-1")
            host = re.search(rb"(?i)\r\nhost: *([^\r]+)", head)
            body = self._body(path, zlib.crc32(host[1]) if host else 0)
            status = b"200 OK" if body else b"404 Not Found"
            kind = b"text/plain" if path == "/robots.txt" else b"text/html"
            assert isinstance(self._transport, asyncio.Transport)
            self._transport.write(
                b"HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s" % (status, kind, len(body), body)
            )

    def _body(self, path: str, host: int) -> bytes:
        if path == "/robots.txt":
            return ROBOTS.replace(b"Crawl-delay: 1\n", b"")
        if found := re.fullmatch(r"/list/(\d+)", path):
            first = int(found[1]) * LINKS_A_LIST
            numbers = range(first, min(first + LINKS_A_LIST, self.n_hosts))
            links = [f"<p><a href=http://{address(number)}:{self.port}/>star {number}</a>" for number in numbers]
            if numbers and numbers[-1] + 1 < self.n_hosts:
                links.append(f"<p><a href=/list/{int(found[1]) + 1}>more stars</a>")
            return "".join(links).encode()
        if found := re.fullmatch(r"/page/(\d+)", path):
            number = int(found[1])
            near = [number * 3 + step for step in (1, 2, 3)] + [number // 3, number * 7 % self.n_pages]
            links = "".join(f"<p><a href=/page/{each}>star {each}</a>" for each in near if each < self.n_pages)
            return b"<title>%d</title><p>%s" % (number, text_of(number)) + links.encode()
        return b"<title>A star</title><p>" + text_of(host) if path == "/" else b""


def serve(n_hosts: int, n_pages: int, listening: socket.socket) -> None:
    """Answer until the process is ended."""
    Answers.n_hosts, Answers.n_pages, Answers.port = n_hosts, n_pages, listening.getsockname()[1]
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))

    async def run() -> None:
        server = await asyncio.get_running_loop().create_server(Answers, sock=listening)
        await server.serve_forever()

    asyncio.run(run())


def crawl(seed: str, folder: Path, settings: dict[str, object], n_files: int) -> Watched:
    """Crawl to the end, or until somebody stops it; the process may open so many files before it raises the limit itself."""
    run_dir = folder / "run"
    arguments = ["crawl", "focused", "-a", "topic=astrophysics", "-a", f"seeds={seed}", "-a", "max_pages=0"]
    arguments += ["-a", f"run_dir={run_dir}", *(f"-s{name}={value}" for name, value in settings.items())]

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (n_files, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))

    started, samples = time.monotonic(), []
    with (folder / "log").open("w") as log:
        process = subprocess.Popen([*SCRAPY, *arguments], cwd=ROOT, stderr=log, stdout=log, preexec_fn=limit)
        while process.poll() is None:
            time.sleep(1.0)
            if (found := look(process.pid, run_dir)) is not None:
                samples.append(found)
    if process.returncode:
        sys.exit(f"The crawl failed:\n{(folder / 'log').read_text()[-3000:]}")
    stats = json.loads((run_dir / "run.json").read_text())["stats"]
    with FrontierView(run_dir) as view:
        n_failed = view.counts()["failed"]
    say((folder / "log").read_text()[-1500:])
    return Watched(time.monotonic() - started, stats["focused/pages/fetched_count"], n_failed, samples)


def look(pid: int, run_dir: Path) -> tuple[int, float, int] | None:
    """Return how many pages are in, and the memory (MB) and open files of a process; None if it is not there yet."""
    try:
        n_pages = (run_dir / "fetched.csv").read_bytes().count(b"\n") - 1
        resident = int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
        n_files = len(list(Path(f"/proc/{pid}/fd").iterdir()))
        return (n_pages, resident, n_files) if resident else None  # else it is ending
    except (OSError, IndexError):
        return None


def at_share(watched: Watched, share: float) -> tuple[int, float, int]:
    """Return the sample at a share of the pages."""
    return next((each for each in watched.samples if each[0] >= share * watched.pages), watched.samples[-1])


def row(what: str, watched: Watched) -> list[str]:
    """Return a row of the table."""
    half, most = at_share(watched, 0.5), max(each[1] for each in watched.samples)
    last = at_share(watched, 0.98)
    grown = 1e3 * (last[1] - half[1]) / max(1, last[0] - half[0])
    memory = [f"{at_share(watched, share)[1]:.0f}" for share in (0.1, 0.25, 0.5, 0.75, 0.98)]
    files = f"{max(each[2] for each in watched.samples):,}"
    speed = f"{watched.pages / watched.seconds:.0f}"
    return [what, f"{watched.pages:,}", *memory, f"{most:.0f}", f"{grown:.1f}", files, f"{watched.failed:,}", speed]


HEADER = ["crawl", "pages", *(f"MB at {share} %" for share in (10, 25, 50, 75, 98)), "MB at most"]
HEADER += ["kB a page, 50 to 98 %", "open files at most", "links failed", "pages a second"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hosts", type=int, default=10_000, help="hosts with one page each (default: 10,000)")
    parser.add_argument("--pages", type=int, default=30_000, help="pages of one web (default: 30,000)")
    parser.add_argument("--files", type=int, default=1_024, help="open files allowed at the start (default: 1,024)")
    parser.add_argument("--requests", type=int, default=16, help="CONCURRENT_REQUESTS (default: 16)")
    parser.add_argument("--no-write", action="store_true", help="print the table only")
    parser.add_argument("--tree", help="keep runs and logs in this folder, which keeps finished crawls")
    parser.add_argument("--only", metavar="NAMES", default=",".join(NAMES), help=f"some of {', '.join(NAMES)}")
    options = parser.parse_args()
    some = "" if options.only == ",".join(NAMES) else f" --only {options.only}"
    source = now(f"python benchmarks/many_hosts.py --hosts {options.hosts} --pages {options.pages}{some}", CRAWL_ROOMS)
    settings: dict[str, object] = {
        "DOWNLOAD_DELAY": 0,
        "AUTOTHROTTLE_ENABLED": False,
        "CONCURRENT_REQUESTS": options.requests,
        "FOCUSED_PRIVATE_ADDRESSES": "allow",
        "FOCUSED_UNLABELED": "topic",
        "LOG_LEVEL": "INFO",
    }
    names = chosen_names(options.only, NAMES)
    listening = socket.create_server(("", 0), backlog=4096)
    port = listening.getsockname()[1]
    server = multiprocessing.Process(target=serve, args=(options.hosts, options.pages, listening), daemon=True)
    server.start()
    rows = []
    try:
        with tempfile.TemporaryDirectory() as made:
            top = Path(options.tree or made)
            if options.hosts:
                seed = f"http://127.0.0.1:{port}/list/0"
                for strategy in [name for name in STRATEGIES if name in names]:
                    what, own = f"{options.hosts:,} hosts, `{strategy}`", settings | {"FOCUSED_STRATEGY": strategy}
                    rows.append(measured(what, seed, top / f"hosts-{strategy}", own, options.files))
            if options.pages and ONE_HOST in names:
                many = settings | {"CONCURRENT_REQUESTS_PER_DOMAIN": options.requests}
                rows.append(
                    measured(
                        "one host, `adaptive`", f"http://127.0.0.1:{port}/page/0", top / "pages", many, options.files
                    )
                )
    finally:
        server.terminate()
    text = f"{table(HEADER, rows)}\n\n{machine()}. {options.requests} requests at a time."
    print(text)
    if not options.no_write:
        write_blocks({"many hosts" if names == list(NAMES) else f"many hosts, {', '.join(names)}": text}, source)


def measured(what: str, seed: str, folder: Path, settings: dict[str, object], n_files: int) -> list[str]:
    """Run a crawl in a folder of its own, or read what was seen of it; return its row."""
    kept = folder / "watched.json"
    if kept.is_file():
        watched = Watched(*json.loads(kept.read_text()))
    else:
        folder.mkdir(parents=True)
        watched = crawl(seed, folder, settings, n_files)
        kept.write_text(json.dumps(watched))
    found = row(what, watched)
    say(" | ".join(found))
    return found


if __name__ == "__main__":
    main()
