"""The cost of a link in the frontier and in Scrapy's queues, at one and ten million links on 100,000 hosts.

A crawl is simulated without a web. For each page some new links arrive, some waiting links are found again, one link is
leased and done, and everything is committed. Hosts are drawn unevenly (the square of a uniform number), and four of
five links stay on their page's host. Microseconds are CPU time of this process (user and system), which a busy machine
does not change; wall time is shown for the whole. A new link's share of the commit counts as its own. Everything is
reproducible from --seed.

Scrapy's queues take and give the same links (Request objects, as they do in a crawl; its dupefilter included). JOBDIR is
run with ScrapyPriorityQueue only: the default queue opens a file for each host and priority, more than a process may
have. Neither can merge: a link seen again is dropped.

Bars: at most 50 us each for push, merge and pop at 1,000,000 links, 100 us at 10,000,000; memory under 500 MB.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy import Request

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

N_NEW, N_AGAIN = 30, 10


def mixed(number: int) -> float:
    """Return a number in [0, 1) that looks random."""
    number = (number ^ (number >> 31)) * 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF
    number = (number ^ (number >> 29)) * 0xBF58476D1CE4E5B9 & 0xFFFFFFFFFFFFFFFF
    return ((number ^ (number >> 32)) >> 11) / 2**53


def url_of(number: int, n_hosts: int, seed: int) -> str:
    """Return a link's URL. It is computed, so that ten million URLs need no memory."""
    of_page = mixed(number + seed) < 0.8
    drawn = mixed((number // N_NEW if of_page else number) * 7919 + seed + 1)
    return f"http://www.host{int(n_hosts * drawn**2)}.example/archive/topic-{number % 97}/page-{number}.html"


def pages(n_links: int, n_hosts: int, seed: int) -> Iterator[tuple[list[str], list[str], list[float]]]:
    """Yield of each page URLs of new links, URLs of links seen again (of any age), and the scores of both."""
    generator = random.Random(seed)
    for first in range(0, n_links, N_NEW):
        new = [url_of(number, n_hosts, seed) for number in range(first, first + N_NEW)]
        again = [url_of(generator.randrange(first + N_NEW), n_hosts, seed) for _ in range(N_AGAIN)]
        yield new, again, [generator.random() for _ in range(N_NEW + N_AGAIN)]


class Clock:
    """Sums CPU seconds of kinds of work."""

    def __init__(self) -> None:
        self.seconds = {"push": 0.0, "merge": 0.0, "pop": 0.0}
        self.counts = {"push": 0, "merge": 0, "pop": 0}
        self._then = time.process_time()

    def start(self) -> None:
        """Start the clock."""
        self._then = time.process_time()

    def stop(self, kind: str, n_times: int) -> None:
        """Stop the clock after a number of repetitions."""
        self.seconds[kind] += time.process_time() - self._then
        self.counts[kind] += n_times

    def result(self) -> dict[str, float]:
        """Return microseconds for each repetition, and reset the clock."""
        found = {kind: self.seconds[kind] / max(n, 1) * 1e6 for kind, n in self.counts.items()}
        self.__init__()
        return found


def frontier(n_links: int, n_hosts: int, seed: int, folder: Path, marks: list[int]) -> None:
    """Simulate the crawl with the project's frontier."""
    from focused.frontier.store.link import FrontierLink, fingerprint_of, host_of
    from focused.frontier.store.store import FrontierStore
    from focused.method.scoring.base import BY_ANCHOR
    from focused.method.scoring.evidence import Evidence

    # Any frontier needs the fingerprint first. Here it is as cheap as possible, because it is not measured.
    store = FrontierStore(folder / "frontier.sqlite")
    clock, started = Clock(), time.time()
    for number, (urls, again, scores) in enumerate(pages(n_links, n_hosts, seed), 1):
        evidence = [Evidence(score, BY_ANCHOR, True, urls[0], 3, 1) for score in scores]
        links = [
            FrontierLink(fingerprint_of(url, host_of(url)), url, each)
            for url, each in zip(urls + again, evidence, strict=True)
        ]
        clock.start()
        store.add(links[:N_NEW])
        clock.stop("push", N_NEW)
        clock.start()
        store.add(links[N_NEW:])
        clock.stop("merge", N_AGAIN)
        clock.start()
        leased = store.next()
        store.done(leased.id, relevant=True)
        clock.stop("pop", 1)
        clock.start()
        store.commit(page=number)
        clock.stop("push", 0)
        if number * N_NEW >= marks[0]:
            report("frontier", marks.pop(0), clock.result(), folder, time.time() - started)
            if not marks:
                break
    store.close()
    started = time.time()
    FrontierStore(folder / "frontier.sqlite").close()
    print(json.dumps({"what": "frontier", "links": n_links, "seconds to open": round(time.time() - started, 2)}))


def scrapy_queue(n_links: int, n_hosts: int, seed: int, folder: Path, marks: list[int], queue: str, job: bool) -> None:
    """Simulate the crawl with a queue of Scrapy."""
    from scrapy import Request as ScrapyRequest
    from scrapy.utils.test import get_crawler

    from focused.method.scoring.priority import to_priority

    settings = {"SCHEDULER_PRIORITY_QUEUE": f"scrapy.pqueues.{queue}", "TWISTED_REACTOR_ENABLED": False}
    if job:
        settings["JOBDIR"] = str(folder / "job")
    crawler = get_crawler(settings_dict=settings)
    crawler.spider = crawler._create_spider("bench")
    from scrapy.core.scheduler import Scheduler

    crawler.engine = type(
        "E", (), {"downloader": type("D", (), {"slots": {}, "get_slot_key": staticmethod(host_key)})()}
    )()
    scheduler = Scheduler.from_crawler(crawler)
    scheduler.open(crawler.spider)
    clock, n_pushed, started = Clock(), 0, time.time()
    for urls, _, scores in pages(n_links, n_hosts, seed):
        requests = [
            ScrapyRequest(url, priority=to_priority(score, True)) for url, score in zip(urls, scores, strict=False)
        ]
        clock.start()
        for request in requests:
            scheduler.enqueue_request(request)
        clock.stop("push", len(requests))
        n_pushed += len(requests)
        clock.start()
        scheduler.next_request()
        clock.stop("pop", 1)
        if n_pushed >= marks[0]:
            at = marks.pop(0)
            report(f"{queue}{' with JOBDIR' if job else ''}", at, clock.result(), folder, time.time() - started)
            if not marks:
                break


def host_key(request: Request) -> str:
    from scrapy.utils.httpobj import urlparse_cached

    return urlparse_cached(request).hostname


def n_open_files() -> int:
    return len(os.listdir("/proc/self/fd"))  # noqa: PTH208


def report(what: str, n_links: int, us: dict[str, float], folder: Path, seconds: float) -> None:
    disk = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    row = {"what": what, "links": n_links, **{f"{kind} us": round(value, 1) for kind, value in us.items() if value}}
    row |= {"memory MB": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024), "disk MB": round(disk / 1e6)}
    print(json.dumps(row | {"open files": n_open_files(), "wall s": round(seconds)}), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--links", type=int, default=1_000_000)
    parser.add_argument("--hosts", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kinds", default="frontier,ScrapyPriorityQueue,DownloaderAwarePriorityQueue,job")
    parser.add_argument("--limit-secs", type=float, default=1e9, help="of each kind")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    marks = [n for n in (100_000, 300_000, 1_000_000, 3_000_000, 10_000_000) if n < options.links] + [options.links]
    if options.one:
        with tempfile.TemporaryDirectory(dir=os.environ.get("BENCHMARK_DIR")) as folder:
            if options.one == "frontier":
                frontier(options.links, options.hosts, options.seed, Path(folder), marks)
            else:
                name = "ScrapyPriorityQueue" if options.one == "job" else options.one
                scrapy_queue(
                    options.links, options.hosts, options.seed, Path(folder), marks, name, options.one == "job"
                )
        return
    for kind in options.kinds.split(","):
        command = [
            sys.executable,
            __file__,
            "--one",
            kind,
            "--links",
            str(options.links),
            "--hosts",
            str(options.hosts),
        ]
        try:
            subprocess.run([*command, "--seed", str(options.seed)], timeout=options.limit_secs, check=False)
        except subprocess.TimeoutExpired:
            print(json.dumps({"what": kind, "stopped after s": options.limit_secs}))


if __name__ == "__main__":
    main()
