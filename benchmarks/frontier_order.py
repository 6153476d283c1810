"""Order and throughput of the frontier on a web of 1,000 hosts, with a delay between two pages of a host.

The demo web with 1,000 hosts is crawled three times with the same delay. First with the frontier, comparing every dispatched
link with the best allowed one (found by searching all waiting links); then with the frontier unchanged; then with Scrapy's
scheduler and its default queue, which orders by host and not by priority. Shown are the share of dispatched links that were
the best allowed ones (100 % is the claim), pages a second, and harvest.

A link is allowed if Scrapy's downloader would not make it wait: the delay is over, and the host's concurrency is not used up.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from focused.frontier.scheduler import FrontierScheduler  # noqa: E402

if TYPE_CHECKING:
    from scrapy import Request, Spider


class CheckedScheduler(FrontierScheduler):
    """The frontier, with each dispatched link compared with the best allowed one."""

    n_links = n_best = n_alternatives = 0

    def open(self, spider: Spider) -> None:
        """Compare links while they are dispatched."""
        super().open(spider)
        self._next_link = self.dispatch.next_link
        self.dispatch.next_link = self._checked

    def _checked(self) -> Request | None:
        best = None
        moment = self._leases.now()
        ready: dict[str, bool] = {}
        query = "SELECT links.url, hosts.name FROM links JOIN hosts ON hosts.id = host WHERE state = 0 ORDER BY rank"
        for url, host in self.store._sql.execute(query):
            if host not in ready:
                ready[host] = self._leases.ready_at(host) <= moment
            if ready[host]:
                best = url
                break
        # One time for the whole search, because a host's delay may end during it.
        with patch.object(self._leases, "now", lambda: moment):
            request = self._next_link()
        if request is not None:
            self.n_links += 1
            self.n_best += request.url == best
            self.n_alternatives += len(ready) - 1
        elif best is not None:
            self.n_links += 1  # one was allowed, and none was dispatched
        return request

    def close(self, reason: str) -> None:
        """Write the counts into the run directory."""
        found = {"links": self.n_links, "best": self.n_best, "hosts passed over": self.n_alternatives}
        Path(self.crawler.settings["FOCUSED_RUN_DIR"], "order.json").write_text(json.dumps(found))
        super().close(reason)


def crawl(scheduler: str, options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Crawl in a process of its own and return the result."""
    settings = {
        "SCHEDULER": scheduler,
        "DOWNLOAD_DELAY": options.delay,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
        "CONCURRENT_REQUESTS": options.concurrency,
        "FOCUSED_DEMO_HOSTS": options.hosts,
        "FOCUSED_DEMO_PAGES": options.web_pages,
        "FOCUSED_PATIENCE": 0,  # the question is which link is best, not whether it is worth a page
        "LOG_LEVEL": "WARNING",
    }
    if scheduler.startswith("scrapy."):
        settings["SCHEDULER_PRIORITY_QUEUE"] = "scrapy.pqueues.DownloaderAwarePriorityQueue"
    command = [sys.executable, "-m", "scrapy", "crawl", "focused", "-a", "topic=demo", "-a", "web=demo"]
    command += ["-a", f"max_pages={options.pages}", "-a", f"run_dir={folder}"]
    for name, value in settings.items():
        command += ["-s", f"{name}={value}"]
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
    started = time.time()
    subprocess.run(command, cwd=ROOT, env=env, check=True)
    stats = json.loads((folder / "run.json").read_text())["stats"]
    n_pages = stats["focused/pages/fetched_count"]
    row = {
        "scheduler": scheduler.rpartition(".")[2],
        "pages": n_pages,
        "pages/s": round(n_pages / stats["elapsed_time_seconds"], 1),
        "harvest": round(stats["focused/harvest_rate"], 3),
        "wall s": round(time.time() - started),
    }
    order = folder / "order.json"
    if order.exists():
        found = json.loads(order.read_text())
        row |= {"links": found["links"], "best then allowed": found["best"] / max(found["links"], 1)} | found
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hosts", type=int, default=1000)
    parser.add_argument("--web-pages", type=int, default=20_000)
    parser.add_argument("--pages", type=int, default=1500)
    parser.add_argument("--delay", type=float, default=0.5, help="seconds between two pages of a host")
    parser.add_argument("--concurrency", type=int, default=16)
    options = parser.parse_args()
    for scheduler in (
        "frontier_order.CheckedScheduler",
        "focused.frontier.scheduler.FrontierScheduler",
        "scrapy.core.scheduler.Scheduler",
    ):
        with tempfile.TemporaryDirectory() as folder:
            print(json.dumps(crawl(scheduler, options, Path(folder) / "run")), flush=True)


if __name__ == "__main__":
    main()
