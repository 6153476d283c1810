"""Simulate the leases of many workers on one crawl: what they cost the harvest, and what the database has to bear.

Hosts have links of falling scores. A worker owns at most ``--hosts-a-worker`` hosts, asks each once in ``--delay`` s, and
not more pages a second than its core can read. In each second it gives back poor hosts for better free ones (as
focused.frontier.shared does, by the same margin), takes the free hosts with the best links, and fetches the best link of each
host that may be asked. Workers are killed at random; their hosts rest until the lease ends. It is compared with one worker
that has the cores of all: in each second it fetches as many pages, the best links of all hosts.

The second table is arithmetic: what so many workers ask of the database, by measured costs that the command line gives.

Examples
--------
  python benchmarks/lease_simulation.py | python benchmarks/provenance.py --write "leases of many workers"
  python benchmarks/lease_simulation.py --capacity --cpu-a-link 39 | python benchmarks/provenance.py --write "a billion links"
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt

MARGIN = 0.05
"""By how much a free host must be better than one that is held: 50 of 1,000 levels."""
LEASE_SECS = 20
_GIVEN_BACK_A_SECOND = 40


@dataclass
class Web:
    """Hosts, each with links of falling scores; the web grows where it is fetched."""

    quality: npt.NDArray[np.float64]
    decay: npt.NDArray[np.float64]
    n_links: npt.NDArray[np.int64]
    n_asked: npt.NDArray[np.int64]
    next_at: npt.NDArray[np.float64]

    @classmethod
    def drawn(cls, n_hosts: int, random: np.random.Generator) -> Web:
        """Draw hosts: few are good, some are large."""
        n_links = np.minimum(1 + random.pareto(1.0, n_hosts) * 5, 20_000).astype(np.int64)
        return cls(
            random.beta(0.6, 3.0, n_hosts),
            1 / (20 + random.pareto(1.2, n_hosts) * 20),
            n_links,
            np.zeros(n_hosts, np.int64),
            np.zeros(n_hosts),
        )

    def best(self) -> npt.NDArray[np.float64]:
        """Return the score of each host's best waiting link; -1 where none waits."""
        score = self.quality * np.exp(-self.decay * self.n_asked)
        return np.where(self.n_asked < self.n_links, score, -1.0)


@dataclass
class Fetched:
    """What a crawl has done."""

    n_pages: int = 0
    relevant: float = 0.0
    n_taken: int = 0
    n_given_back: int = 0
    n_killed: int = 0
    #: Seconds of workers that had fewer hosts than places.
    idle: float = 0.0

    def fetch(
        self, web: Web, hosts: npt.NDArray[np.int64], best: npt.NDArray[np.float64], at: float, delay: float
    ) -> None:
        """Fetch the best link of each of these hosts."""
        self.n_pages += len(hosts)
        self.relevant += float(best[hosts].sum())
        web.n_asked[hosts] += 1
        web.next_at[hosts] = at + delay


def of_all(web: Web, n_pages: int, pages_a_second: int, delay: float) -> Fetched:
    """Fetch, in each second, the best links of all hosts that may be asked."""
    done, at = Fetched(), 0.0
    while done.n_pages < n_pages:
        best = np.where(web.next_at <= at, web.best(), -1.0)
        n = min(pages_a_second, n_pages - done.n_pages)
        chosen = np.argpartition(-best, min(n, len(best) - 1))[:n]
        done.fetch(web, chosen[best[chosen] >= 0], best, at, delay)
        at += 1.0
        if best.max() < 0 and not (web.n_asked < web.n_links).any():
            break
    return done


def of_workers(
    web: Web, n_pages: int, n_workers: int, given: argparse.Namespace, random: np.random.Generator
) -> tuple[Fetched, float]:
    """Fetch by workers with leases; return what they did, and the seconds that it took."""
    done, at = Fetched(), 0.0
    owner = np.full(len(web.quality), -1, np.int64)
    while done.n_pages < n_pages and (web.n_asked < web.n_links).any():
        if given.kill_secs and random.random() < 1 / given.kill_secs:
            _kill(web, owner, int(random.integers(n_workers)), at, given.delay)
            done.n_killed += 1
        best = web.best()
        owner[(owner >= 0) & (best < 0)] = -1
        free = np.flatnonzero((owner < 0) & (best >= 0) & (web.next_at <= at + 1.0))
        most = min(len(free), n_workers * given.hosts_a_worker)
        free = free[np.argsort(-best[free])[:most]]
        for worker in random.permutation(n_workers):
            own = np.flatnonzero(owner == worker)
            own, free = _exchange(best, owner, own, free, int(worker), given.hosts_a_worker, done)
            done.idle += max(0.0, 1 - len(own) / given.hosts_a_worker)
            ready = own[web.next_at[own] <= at]
            done.fetch(web, ready[np.argsort(-best[ready])[: given.pages_a_second]], best, at, given.delay)
        at += 1.0
    return done, at


def _exchange(
    best: npt.NDArray[np.float64], owner: npt.NDArray[np.int64], own: npt.NDArray[np.int64],
    free: npt.NDArray[np.int64], worker: int, most: int, done: Fetched,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:  # fmt: skip
    """Give back hosts that are much poorer than free ones, and take the best free ones."""
    if len(own) >= most and len(free):
        poor = own[np.argsort(best[own])[:_GIVEN_BACK_A_SECOND]][: len(free)]
        poor = poor[best[free[: len(poor)]] - best[poor] > MARGIN]
        owner[poor] = -1
        own = np.setdiff1d(own, poor, assume_unique=True)
        done.n_given_back += len(poor)
    taken, free = free[: most - len(own)], free[most - len(own) :] if len(own) < most else free
    owner[taken] = worker
    done.n_taken += len(taken)
    return np.concatenate([own, taken]), free


def _kill(web: Web, owner: npt.NDArray[np.int64], worker: int, at: float, delay: float) -> None:
    """Let a worker die, and another one begin at once: its hosts rest until its lease ends."""
    hosts = owner == worker
    web.next_at[hosts] = at + LEASE_SECS + delay
    owner[hosts] = -1


def simulate(given: argparse.Namespace) -> None:
    """Print a row for each number of workers."""
    print(
        "| hosts | workers | pages | seconds | pages/s | hosts taken a second | places of hosts not filled | killed | "
        "relevant, of what one with all cores finds |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for n_hosts, n_workers in product(given.hosts, given.workers):
        webs = [Web.drawn(n_hosts, np.random.default_rng(given.seed)) for _ in range(2)]
        done, secs = of_workers(webs[0], given.pages * n_workers, n_workers, given, np.random.default_rng(1))
        ideal = of_all(webs[1], done.n_pages, max(1, round(done.n_pages / secs)), given.delay)
        print(
            f"| {n_hosts:,} | {n_workers} | {done.n_pages:,} | {secs:,.0f} | {done.n_pages / secs:,.0f} | "
            f"{done.n_taken / secs:,.1f} | {done.idle / secs / n_workers:.1%} | {done.n_killed} | "
            f"{done.relevant / ideal.relevant:.3f} |",
            flush=True,
        )


def capacity(given: argparse.Namespace) -> None:
    """Print what so many workers ask of the database, and what it can bear."""
    pages = given.capacity_workers * given.pages_each
    links = pages * given.links_a_page
    cpu = (links * given.cpu_a_link + pages * given.cpu_a_page) / 1e6
    writes = pages * given.wal_a_page / 1e6
    grants = pages / given.grant
    disk = given.links * given.bytes_a_link / 1e12
    fetched = given.links * given.share_fetched
    load = f"{given.cpu_a_link:g} us a link, {given.cpu_a_page:g} us a page besides"
    most = f"{given.grant} pages each; some {given.grant_us:g} us: at most {1e6 / given.grant_us:,.0f}"
    sizes = f"{given.share_fetched:.0%} of them fetched, {given.bytes_a_fetched / 1e3:g} kB each, without WARC"
    statements = given.capacity_workers * given.ticks * 3
    rows = [
        ("pages a second", f"{pages:,.0f}", f"{given.capacity_workers} workers of {given.pages_each:g}"),
        ("links in or joined a second", f"{links:,.0f}", f"{given.links_a_page:g} a page"),
        ("cores of the server", f"{cpu:,.1f}", load),
        ("write-ahead log, MB a second", f"{writes:,.0f}", f"{given.wal_a_page / 1e3:,.0f} kB a page"),
        ("grants of pages a second, one after the other", f"{grants:,.0f}", most),
        ("statements of the keepers a second", f"{statements:,.0f}", f"{given.ticks:g} ticks of 3 for each worker"),
        ("disk of the links, TB", f"{disk:,.2f}", f"{given.links:,.0f} of {given.bytes_a_link:g} bytes, with indexes"),
        ("disk of the pages, TB", f"{fetched * given.bytes_a_fetched / 1e12:,.2f}", sizes),
        ("hours until so many are fetched", f"{fetched / pages / 3600:,.0f}", "if hosts allow it"),
    ]
    print("| | | by |\n|---|---|---|")
    for row in rows:
        print(f"| {' | '.join(row)} |")


def main() -> None:
    """Run the simulation, or print the arithmetic."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--workers", type=int, nargs="+", default=[1, 4, 16, 100])
    add("--hosts", type=int, nargs="+", default=[100_000, 10_000])
    add("--pages", type=int, default=3_000, help="for each worker")
    add("--hosts-a-worker", type=int, default=64)
    add("--pages-a-second", type=int, default=150, help="that a worker's core can read")
    add("--delay", type=float, default=1.0)
    add("--kill-secs", type=float, default=30.0, help="seconds from one killed worker to the next, on average; 0: none")
    add("--seed", type=int, default=0)
    add("--capacity", action="store_true", help="print the arithmetic instead")
    add("--capacity-workers", type=int, default=100)
    add("--pages-each", type=float, default=60.0, help="pages a second of a worker")
    add("--links", type=float, default=1e9)
    add("--links-a-page", type=float, default=40.0)
    add("--cpu-a-link", type=float, default=39.0, help="us of the server's CPU")
    add("--cpu-a-page", type=float, default=300.0, help="us of the server's CPU, beside the links")
    add("--wal-a-page", type=float, default=19_000.0, help="bytes")
    add("--bytes-a-link", type=float, default=450.0)
    add("--bytes-a-fetched", type=float, default=5_000.0)
    add("--share-fetched", type=float, default=0.2)
    add("--grant", type=int, default=16)
    add("--grant-us", type=float, default=500.0)
    add("--ticks", type=float, default=10.0)
    given = parser.parse_args()
    (capacity if given.capacity else simulate)(given)


if __name__ == "__main__":
    main()
