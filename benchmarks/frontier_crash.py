"""Kill a crawl of 2,000 pages repeatedly, and count what is lost and what is fetched twice.

A server on 127.0.0.1 and 127.0.0.2 answers 2,000 pages (a tree with links back and across), each after some milliseconds;
a tenth of them only its sitemap names. Some pages link to hosts that do not answer, which are given up and tried again by
each start. The crawl has a budget of pages, and waits for the hosts of better links. It is ended by ``kill -9`` at random
moments, then by one Ctrl-C, two Ctrl-C, and SIGTERM. Each time the same command starts it again, at last until its end.
Then the files are compared with the pages of the server: fetched.csv, pages.jsonl, pages.warc.gz (read record by record,
digests checked), collection.sqlite, harvest.csv and the stats of run.json.

For comparison the same with Scrapy's scheduler and JOBDIR (--stock): there a kill loses the queue.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from warcio.archiveiterator import ArchiveIterator

from focused.collection.view import CollectionView, PageFilter

ROOT = Path(__file__).resolve().parent.parent
TEXT = "Stars and galaxies, telescopes and nebulae: the astronomy of page {number}. {words} "
DEAD = "http://127.0.0.{last}:9/page"
"""Hosts at which nobody listens."""


class Server(ThreadingHTTPServer):
    """Counts its requests."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, n_pages: int, seconds: float) -> None:
        super().__init__(("0.0.0.0", 0), Handler)
        self.n_pages, self.seconds = n_pages, seconds
        self.asked: Counter[int] = Counter()
        #: Pages from here on stand in the sitemap only.
        self.n_linked = n_pages - n_pages // 10

    def url(self, number: int) -> str:
        """Return the URL of a page: each has one host."""
        return f"http://127.0.0.{1 + number % 2}:{self.server_port}/{number}"

    def page(self, number: int) -> bytes:
        """Return a page; no two have the same words."""
        words = " ".join(f"w{random.Random(number + n).randrange(10**6)}x" for n in range(0, 40_000, 1_000))
        links = [number * 3 + 1, number * 3 + 2, number * 3 + 3, number // 3, number * 7 % self.n_linked]
        anchors = [f'<a href="{self.url(link)}">star {link}</a>' for link in links if link < self.n_linked]
        if number % 50 == 1:
            anchors.append(f'<a href="{DEAD.format(last=3 + number % 5)}{number}">a star that is gone</a>')
        return f"<title>{number}</title><p>{TEXT.format(number=number, words=words)}</p>{' '.join(anchors)}".encode()

    def answer(self, path: str) -> tuple[bytes, str] | None:
        """Return a body and its type; None: there is none."""
        if path == "/robots.txt":
            return f"Sitemap: http://127.0.0.1:{self.server_port}/sitemap.xml".encode(), "text/plain"
        if path == "/sitemap.xml":
            urls = "".join(f"<url><loc>{self.url(n)}</loc></url>" for n in range(self.n_linked, self.n_pages))
            return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{urls}</urlset>'.encode(), "text/xml"
        number = int(path[1:]) if re.fullmatch(r"/\d+", path) else -1
        if not 0 <= number < self.n_pages:
            return None
        self.asked[number] += 1
        time.sleep(self.seconds)
        return self.page(number), "text/html"

    def handle_error(self, request: object, client_address: object) -> None:
        """Killed clients hang up."""


class Handler(BaseHTTPRequestHandler):
    """Answers numbers."""

    protocol_version = "HTTP/1.1"
    server: Server

    def do_GET(self) -> None:
        """Answer."""
        found = self.server.answer(self.path)
        body, kind = found or (b"Not here.", "text/html")
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def command(run_dir: Path, url: str, options: argparse.Namespace) -> list[str]:
    settings = {
        "SCHEDULER": "focused.frontier.scheduler.FrontierScheduler",
        "DOWNLOAD_DELAY": 0.01, "AUTOTHROTTLE_ENABLED": 0, "CONCURRENT_REQUESTS_PER_DOMAIN": 8, "LOG_LEVEL": "WARNING",
        "FOCUSED_HOST_REST_SECS": 0.5, "FOCUSED_PRIVATE_ADDRESSES": "allow", "FOCUSED_TRAPS": "off", "RETRY_ENABLED": 0,
        "FOCUSED_WARC": "all", "FOCUSED_CONTACT": "benchmark@localhost.example", "FOCUSED_HARVEST_EVERY_PAGES": 1,
    }  # fmt: skip
    if options.stock:
        settings |= {"SCHEDULER": "focused.frontier.budget_scheduler.BudgetScheduler", "JOBDIR": run_dir / "job"}
    found = [sys.executable, "-m", "scrapy", "crawl", "focused", "-a", "topic=demo", "-a", "web=live"]
    found += ["-a", f"seeds={url}/0", "-a", f"max_pages={options.pages}", "-a", f"run_dir={run_dir}"]
    for name, value in settings.items():
        found += ["-s", f"{name}={value}"]
    return found


def end(process: subprocess.Popen[bytes], how: str) -> None:
    """End a crawl."""
    if how == "kill -9":
        process.kill()
    elif how == "SIGTERM":
        process.terminate()
    else:
        process.send_signal(signal.SIGINT)
        if how == "two Ctrl-C":
            time.sleep(0.3)
            process.send_signal(signal.SIGINT)
    process.wait()


def urls_of_warc(path: Path) -> list[str]:
    with path.open("rb") as file:
        return [
            record.rec_headers.get_header("WARC-Target-URI")
            for record in ArchiveIterator(file, check_digests=True)
            if record.rec_type == "response"
            and re.search(r"/\d+$", record.rec_headers.get_header("WARC-Target-URI"))
            and record.http_headers.get_statuscode() == "200"
            and record.raw_stream.read()
        ]


def check(run_dir: Path, url: str, server: Server, rounds: list[str]) -> dict[str, object]:
    """Compare the files with the pages of the server."""
    wanted = {server.url(number) for number in range(server.n_pages)}
    with (run_dir / "fetched.csv").open(newline="") as file:
        fetched = [row["url"] for row in csv.DictReader(file)]
    with (run_dir / "pages.jsonl").open() as file:
        relevant = [json.loads(line)["url"] for line in file]
    with (run_dir / "harvest.csv").open(newline="") as file:
        rows = [int(row["pages"]) for row in csv.DictReader(file)]
    with CollectionView(run_dir) as view:
        kept = [row["url"] for row in view.pages()]
        delivered = [row["url"] for row in view.pages(PageFilter(delivered=True))]
    recorded = urls_of_warc(run_dir / "pages.warc.gz")
    stats = json.loads((run_dir / "run.json").read_text())["stats"]
    return {
        "interrupted": dict(Counter(rounds)),
        "pages": server.n_pages,
        "lost": len(wanted - set(fetched)),
        "twice in fetched.csv": len(fetched) - len(set(fetched)),
        "twice in pages.jsonl": len(relevant) - len(set(relevant)),
        "in collection.sqlite as in fetched.csv, and delivered as in pages.jsonl": [
            kept == fetched,
            delivered == relevant,
        ],
        "in WARC, lost and twice": [len(wanted - set(recorded)), len(recorded) - len(set(recorded))],
        "fetched again by the server's count": sum(server.asked.values()) - len(server.asked),
        "harvest.csv continuous": rows == list(range(1, server.n_pages + 1)),
        "waited for better links, seconds": stats.get("focused/patience/waited_secs"),
        "links of hosts given up": stats.get("focused/hosts/unreachable_links_count"),
        "stats": [stats.get("focused/pages/fetched_count"), stats.get("focused/pages/relevant_count"), len(relevant)],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0.02, help="seconds to answer a page")
    parser.add_argument("--stock", action="store_true", help="Scrapy's queues with JOBDIR")
    options = parser.parse_args()
    generator = random.Random(options.seed)
    server = Server(options.pages, options.latency)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    rounds = ["kill -9"] * options.kills + ["one Ctrl-C", "two Ctrl-C", "SIGTERM"]
    step = options.pages / (len(rounds) + 2)
    done: list[str] = []
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCHMARK_DIR")) as folder:
        run_dir = Path(folder) / "run"
        for how in rounds:
            n_before = len(server.asked)
            process = subprocess.Popen(command(run_dir, url, options), cwd=ROOT, stderr=subprocess.DEVNULL)
            target = n_before + generator.uniform(0.2, 1.6) * step
            while len(server.asked) < target and process.poll() is None:
                time.sleep(0.002)
            time.sleep(generator.random() * 0.05)  # anywhere between two pages
            if process.poll() is not None:
                break
            end(process, how)
            done.append(how)
            print(f"{how:>10} after {len(server.asked)} pages", file=sys.stderr, flush=True)
        subprocess.run(command(run_dir, url, options), cwd=ROOT, stderr=subprocess.DEVNULL, check=True)
        print(json.dumps(check(run_dir, url, server, done), indent=1))
    server.shutdown()


if __name__ == "__main__":
    main()
