"""Relevant pages that 1, 2, 4 and 8 workers of one crawl find, beside one process with SQLite: as many pages in all.

With --delay hosts rest that many real seconds between two requests, and the crawls are patient as by default; the first row
is then a process that never waits.

All begin at once, and learn from each other's pages (adaptive). On the demo web each process makes its pages itself. A page is
relevant if the topic's model says so; it is the same for all.

Example:
  python benchmarks/shared_harvest.py --delay 1 --pages 300
  python benchmarks/shared_harvest.py | python benchmarks/provenance.py --write "harvest of many workers"
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from sqlite3 import connect as open_sqlite
from typing import Any

from common import ROOT

from focused.utils.database import connect
from focused.utils.embedded_server import EmbeddedServer


def crawl(folder: Path, n_processes: int, options: list[str]) -> float:
    """Crawl by processes, each with a folder of its own; return the seconds until the last has ended."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    argv = [sys.executable, "-m", "scrapy", "crawl", "focused", "-a", "topic=demo", "-s", "LOG_LEVEL=ERROR", *options]
    began = time.monotonic()
    processes = [
        subprocess.Popen([*argv, "-a", f"run_dir={folder / str(number)}"], cwd=ROOT, env=environment)
        for number in range(n_processes)
    ]
    if any([process.wait() for process in processes]):
        raise SystemExit("A crawl has failed")
    return time.monotonic() - began


def of_file(folder: Path) -> tuple[int, int]:
    """Return how many pages a frontier in a folder has, and how many of them are relevant."""
    with closing(open_sqlite(folder / "frontier.sqlite")) as sql:
        return sql.execute("SELECT sum(n_pages), sum(n_relevant) FROM hosts").fetchone()


def of_database(sql: Any, name: str) -> tuple[int, int]:
    """Return the same of a crawl in a database."""
    query = (
        "SELECT count(*), count(*) FILTER (WHERE relevant) FROM pages JOIN crawls ON crawls.id = crawl WHERE name = %s"
    )
    [found] = sql.execute(query, (name,)).fetchall()
    return found


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=1_000)
    parser.add_argument("--web-pages", type=int, default=10_000, help="of the demo web")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1], help="each is another demo web")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4, 8])
    parser.add_argument("--delay", type=float, default=0.0, help="seconds between two requests to a host")
    given = parser.parse_args()
    columns = "demo web", "store", "pages", "relevant", "of SQLite's", "of one worker's", "seconds, start included"
    print(f"| {' | '.join(columns)} |\n{'|---' * len(columns)}|")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with EmbeddedServer(folder / "postgres") as server:
            for seed in given.seeds:
                options = ["-a", "strategy=adaptive", "-a", f"max_pages={given.pages}"]
                options += ["-s", f"FOCUSED_DEMO_PAGES={given.web_pages}", "-s", f"FOCUSED_DEMO_SEED={seed}"]
                if given.delay:
                    options += ["-s", f"DOWNLOAD_DELAY={given.delay}", "-s", "RANDOMIZE_DOWNLOAD_DELAY=0"]
                    options += ["-s", "AUTOTHROTTLE_ENABLED=0"]
                    where = folder / f"impatient-{seed}"
                    secs = crawl(where, 1, [*options, "-s", "FOCUSED_PATIENCE=0"])
                    n_pages, n_relevant = of_file(where / "0")
                    print(f"| {seed} | SQLite, never waits | {n_pages:,} | {n_relevant} | | | {secs:.0f} |", flush=True)
                secs = crawl(folder / f"alone-{seed}", 1, options)
                n_pages, alone = of_file(folder / f"alone-{seed}" / "0")
                print(f"| {seed} | SQLite, 1 process | {n_pages:,} | {alone} | 1 | | {secs:.0f} |", flush=True)
                of_one = 0
                for n_workers in given.workers:
                    crawl_name = f"harvest-{seed}-{n_workers}"
                    more = ["-a", f"crawl={crawl_name}", "-s", f"FOCUSED_DATABASE={server.url}"]
                    secs = crawl(folder / crawl_name, n_workers, [*options, *more])
                    with connect("the server", server.url) as sql:
                        sql.execute("SET search_path = focused")
                        n_pages, n_relevant = of_database(sql, crawl_name)
                    of_one = of_one or n_relevant
                    row = seed, f"PostgreSQL, {n_workers} workers", f"{n_pages:,}", n_relevant
                    shares = f"{n_relevant / alone:.3f} | {n_relevant / of_one:.3f}"
                    print(f"| {' | '.join(map(str, row))} | {shares} | {secs:.0f} |", flush=True)


if __name__ == "__main__":
    main()
