"""What a crawl of many workers costs beside one process with SQLite: CPU of worker and server, pages a second, log, disk.

Both crawl the demo web, whose pages each process makes itself: no server of pages shares the machine. Each crawl is run with
few pages and with many; what is said is the difference, so that starting does not count. Workers are processes of this
machine, the database a server of its own.

Example:
  python benchmarks/shared_cost.py | python benchmarks/provenance.py --write "cost of sharing"
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from common import ROOT

from focused.utils.database import connect
from focused.utils.embedded_server import EmbeddedServer

_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Cost:
    """What a crawl took."""

    pages: int
    worker_cpu: float
    secs: float
    server_cpu: float = 0.0
    wal: float = 0.0

    def beyond(self, few: Cost) -> Beyond:
        """Return what a page took, beyond a crawl of few pages."""
        n = self.pages - few.pages
        worker, server = (
            1000 * each / n for each in (self.worker_cpu - few.worker_cpu, self.server_cpu - few.server_cpu)
        )
        return Beyond(worker, server, n / (self.secs - few.secs))


class Beyond(NamedTuple):
    """What a page took."""

    #: Milliseconds of CPU.
    worker: float
    server: float
    pages_a_sec: float

    @property
    def both(self) -> float:
        """Milliseconds of CPU of worker and server."""
        return self.worker + self.server

    def row(self, one: Beyond) -> str:
        """Return cells of the table, beside what one process took."""
        cells = [f"{self.worker:.2f}", f"{self.server:.2f}", f"{self.both:.2f}", f"{self.both / one.both:.2f}"]
        return " | ".join([*cells, f"{self.pages_a_sec:.0f}", f"{self.pages_a_sec / one.pages_a_sec:.2f}"])


def crawl(folder: Path, n_pages: int, n_processes: int, strategy: str, more: list[str]) -> Cost:
    """Crawl by processes; return what they took."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    argv = [sys.executable, "-m", "scrapy", "crawl", "focused", "-a", "topic=demo", "-a", f"strategy={strategy}"]
    argv += ["-a", f"max_pages={n_pages}", "-s", "LOG_LEVEL=ERROR", "-s", "FOCUSED_DEMO_PAGES=20000"]
    # As where workers share a crawl: one file less to write.
    argv += ["-s", "FOCUSED_PAGES_ENABLED=False", "-s", "FOCUSED_METRICS_INTERVAL_SECS=5", *more]
    processes, began = [], time.monotonic()
    for number in range(n_processes):
        run_dir = folder / f"{strategy}-{n_pages}-{n_processes}-{bool(more)}-{number}"
        processes.append(subprocess.Popen([*argv, "-a", f"run_dir={run_dir}"], cwd=ROOT, env=environment))
    cpu = 0.0
    for process in processes:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"A crawl ended with exit code {process.returncode}")
        cpu += used.ru_utime + used.ru_stime
    return Cost(n_pages, cpu, time.monotonic() - began)


def server_cpu(folder: Path) -> float:
    """Return the CPU seconds of a server's processes, those that ended included."""
    main = int((folder / "postmaster.pid").read_text().splitlines()[0])
    total = sum(_stat(main)[11:15])
    for each in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = _stat(int(each.parent.name))
        except (OSError, ValueError):
            continue
        if fields[1] == main:
            total += sum(fields[11:13])
    return total / _TICKS


def _stat(pid: int) -> list[int]:
    """Return the fields of /proc/PID/stat from the third on; those that are no numbers are 0."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return [int(each) if each.lstrip("-").isdigit() else 0 for each in fields]


def shared(folder: Path, n_pages: int, n_workers: int, strategy: str, server: EmbeddedServer, sql: Any) -> Cost:
    """Crawl by workers; return what it took."""
    name = f"{strategy}-{n_pages}-{n_workers}"
    more = ["-a", f"crawl={name}", "-s", f"FOCUSED_DATABASE={server.url}"]
    [(lsn,)] = sql.execute("SELECT pg_current_wal_lsn()::text").fetchall()
    before = server_cpu(folder / "postgres")
    cost = crawl(folder, n_pages, n_workers, strategy, more)
    time.sleep(0.5)  # a backend's figures are its parent's when it has ended
    used = server_cpu(folder / "postgres") - before
    [(wal,)] = sql.execute("SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), %s::pg_lsn)", (lsn,)).fetchall()
    return replace(cost, server_cpu=used, wal=float(wal))


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, nargs=2, default=[300, 2000], metavar="N", help="few and many")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--strategies", nargs="+", default=["adaptive", "best_first"])
    given = parser.parse_args()
    _, many = given.pages
    print("| strategy | store | CPU ms a page: worker | server | both | of SQLite's | pages a second | of SQLite's |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with EmbeddedServer(folder / "postgres") as server, connect("the server", server.url) as sql:
            last = None
            for strategy in given.strategies:
                few, many_pages = (crawl(folder, n, 1, strategy, []) for n in given.pages)
                alone = many_pages.beyond(few)
                print(f"| {strategy} | SQLite, 1 process | {alone.row(alone)} |", flush=True)
                for n_workers in given.workers:
                    first, last = (shared(folder, n, n_workers, strategy, server, sql) for n in given.pages)
                    cells = last.beyond(first).row(alone)
                    print(f"| {strategy} | PostgreSQL, {n_workers} workers | {cells} |", flush=True)
            assert last is not None
            _print_sizes(sql, last, many)


def _print_sizes(sql: Any, last: Cost, many: int) -> None:
    print(f"\nWrite-ahead log of the last crawl: {last.wal / many / 1000:.0f} kB a page.\n")
    print("| table | rows | bytes a row, with indexes |\n|---|---|---|")
    for table in ("links", "hosts", "collected", "pages", "records"):
        [(n_rows,)] = sql.execute(f"SELECT count(*) FROM focused.{table}").fetchall()
        # What is not partitioned has no tree.
        query = (
            "SELECT coalesce(sum(pg_total_relation_size(relid)), pg_total_relation_size(%s)) FROM pg_partition_tree(%s)"
        )
        [(size,)] = sql.execute(query, [f"focused.{table}"] * 2).fetchall()
        print(f"| {table} | {n_rows:,} | {float(size) / max(n_rows, 1):,.0f} |")


if __name__ == "__main__":
    main()
