"""What a frontier in PostgreSQL costs, and what is left of a crawl by many workers when workers are killed again and again.

store   Microseconds for each link that is taken in or joined, and for each link that is handed out and ended, over 100,000
        hosts, as benchmarks/frontier_scale.py does it for SQLite: CPU time of the worker and of the server together.
        Pages are written in transactions of 8. Size on disk.
chaos   Workers crawl hosts of this machine with a delay. At random moments one of them is killed (kill -9) or stopped for
        some seconds (SIGSTOP), a new one takes its place, and the database server is restarted. Half-way its disk is full
        for half a minute, with --full-disk. With --trainer-kills people judge pages meanwhile, models are trained from what
        they say, and the processes that train are killed at random moments. Then the database is compared with what the hosts
        were asked for: pages lost, pages twice, requests to one host that came too soon.

Both start a server of their own (the extra ``database``), as a crawl does that names none: a commit waits for the disk.

Examples
--------
  python benchmarks/many_workers.py store --links 1000000
  python benchmarks/many_workers.py chaos --pages 800 --hosts 20 --kills 12 --write
  python benchmarks/many_workers.py chaos --pages 800 --hosts 20 --kills 8 --trainer-kills 5 --write
  python benchmarks/many_workers.py chaos --pages 3000 --hosts 50 --kills 40 --restarts 3 --full-disk --write
"""

from __future__ import annotations

import argparse
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import provenance
import psycopg
from common import ROOT, SCRAPY, say, table
from frontier_scale import N_AGAIN, N_NEW, pages
from many_workers_servers import Database, Web
from many_workers_trainer import EVERY_PAGES, Killer, Person, trainings

from focused.frontier.shared.exchange import Exchange
from focused.frontier.shared.links_wanted import LinksWanted
from focused.frontier.shared.page import EndedLink, PageCommit
from focused.frontier.shared.schema import connect
from focused.frontier.shared.worker_terms import Database as SharedDatabase
from focused.frontier.shared.worker_terms import WorkerTerms
from focused.frontier.store.link import FrontierLink, fingerprint_of
from focused.frontier.store.link_order import LinkOrder
from focused.frontier.store.schema import DONE
from focused.method.scoring.base import BY_ANCHOR
from focused.method.scoring.evidence import Evidence
from focused.utils.origins import host_of

ROOMS = ("focused/frontier/shared", "focused/frontier/shared_scheduler.py")
_PAGES_A_TRANSACTION = 8
_MOST_HOSTS = 2_000
_DISK_MEGABYTES = 2_000
_SECS_FULL = 30.0


def store(n_links: int, n_hosts: int, seed: int, database: Database) -> dict[str, str]:
    """Write the pages of a simulated crawl; return a row of figures."""
    exchange = Exchange(SharedDatabase(database.url), "scale", terms=WorkerTerms("scale"), order=LinkOrder())
    writer, worker = exchange.writer, exchange.worker
    secs = Counter[str]()
    counts = Counter[str]()
    waiting: dict[int, str] = {}
    leasing = exchange_leasing(exchange, database)
    with connect(database.url) as sql:
        batch: list[PageCommit] = []
        analyzed = [3_000, 300, 30]
        for number, (urls, again, scores) in enumerate(pages(n_links, n_hosts, seed)):
            if analyzed and number >= analyzed[-1]:  # as workers do
                analyzed.pop()
                leasing.analyze()
            evidence = [Evidence(score, BY_ANCHOR, True, urls[0], 3, 1) for score in scores]
            links = [
                FrontierLink(fingerprint_of(url, host_of(url)), url, each)
                for url, each in zip(urls + again, evidence, strict=True)
            ]
            batch.append(PageCommit(worker, links=links))
            if len(batch) < _PAGES_A_TRANSACTION:
                continue
            # The server's time first: looking it up takes the worker's own.
            before = database.cpu_secs() + time.process_time()
            written = writer.write(sql, worker, batch)
            secs["links"] += time.process_time() + database.cpu_secs() - before
            counts["links"] += len(batch) * (N_NEW + N_AGAIN)
            for link in written.new[:: N_NEW // 2]:
                waiting[link.number] = link.url
            batch = []
            leasing.renew(worker, is_busy=True, n_hosts=0, best=None)
        sql.execute("ANALYZE")
        before = database.cpu_secs() + time.process_time()
        taken = [host.name for host in leasing.take(worker, _MOST_HOSTS, 1.0)]
        ahead = leasing.ahead(dict.fromkeys(taken, LinksWanted()))
        ended = [link for links in ahead.values() for link in links]
        for first in range(0, len(ended), _PAGES_A_TRANSACTION):
            part = ended[first : first + _PAGES_A_TRANSACTION]
            writer.write(
                sql,
                worker,
                [
                    PageCommit(worker, [EndedLink(link.number, link.host_name, link.url, DONE, None, True)])
                    for link in part
                ],
            )
        leasing.give_back(worker, dict.fromkeys(taken, (0.0, 0.0)))
        secs["pops"] = time.process_time() + database.cpu_secs() - before
        counts["pops"] = len(ended)
        size = sql.execute("SELECT sum(pg_total_relation_size(inhrelid)) FROM pg_inherits").fetchone()[0]
    return {
        "links": f"{n_links:,}",
        "us a link in or joined": f"{secs['links'] / counts['links'] * 1e6:.0f}",
        "us a link handed out and ended": f"{secs['pops'] / counts['pops'] * 1e6:.0f}",
        "bytes a link on disk": f"{float(size) / n_links:.0f}",
    }


def exchange_leasing(exchange: Exchange, database: Database) -> Any:
    """Return the statements of the keeper, on a connection of their own."""
    from focused.frontier.shared.leasing import Leasing

    return Leasing(connect(database.url), exchange.crawl, 3600.0)


def chaos(options: argparse.Namespace, database: Database, folder: Path) -> dict[str, str]:
    """Crawl with workers that are killed and stopped; return a row of figures."""
    web = Web(options.pages, options.hosts)
    threading.Thread(target=web.serve_forever, args=(0.05,), daemon=True).start()
    source = random.Random(options.seed)
    number = 0
    running: list[subprocess.Popen[bytes]] = []

    def start() -> None:
        nonlocal number
        number += 1
        settings = {
            "FOCUSED_DATABASE": database.url,
            "DOWNLOAD_DELAY": options.delay,
            "RANDOMIZE_DOWNLOAD_DELAY": 0,
            "AUTOTHROTTLE_ENABLED": 0,
            "FOCUSED_COPIES": "off",
            "FOCUSED_PRIVATE_ADDRESSES": "allow",
        }
        if options.trainer_kills:
            settings |= {"FOCUSED_RETRAINING": "interactive", "FOCUSED_RETRAINING_EVERY_PAGES": EVERY_PAGES}
        argv = [
            *SCRAPY,
            "crawl",
            "focused",
            "-a",
            "topic=astrophysics",
            "-a",
            "crawl=chaos",
            "-a",
            f"seeds={web.url(0)}",
        ]
        argv += ["-a", "max_pages=0", "-a", f"run_dir={folder / str(number)}"]
        for name, value in settings.items():
            argv += ["-s", f"{name}={value}"]
        with (folder / f"{number}.log").open("wb") as log:
            running.append(subprocess.Popen(argv, cwd=ROOT, stdout=log, stderr=log))

    began = time.monotonic()
    for _ in range(options.workers):
        start()
    person = Person(database.url)
    killer = Killer(options.trainer_kills, lambda: [process.pid for process in running], options.seed)
    for thread in (person, killer) if options.trainer_kills else ():
        thread.start()
    while not web.asked:  # else all the kills may be of workers that only begin
        time.sleep(0.1)
    n_kills = n_stops = n_restarts = n_full = 0
    while n_kills + n_stops < options.kills and len(web.asked) < options.pages:
        time.sleep(source.uniform(1.0, 4.0))
        victim = running[source.randrange(len(running))]
        if victim.poll() is not None:
            running.remove(victim)
            start()
        elif source.random() < 0.6:
            victim.kill()
            victim.wait()
            running.remove(victim)
            n_kills += 1
            start()
        else:
            victim.send_signal(signal.SIGSTOP)
            secs = source.choice([2.0, 25.0])
            threading.Timer(secs, victim.send_signal, [signal.SIGCONT]).start()
            n_stops += 1
        if (n_kills + n_stops) % max(1, options.kills // (options.restarts + 1)) == 0 and n_restarts < options.restarts:
            database.restart()
            n_restarts += 1
        if options.full_disk and not n_full and n_kills + n_stops >= options.kills // 2:
            n_full = 1
            with database.full_disk():
                say("the database's disk is full")
                time.sleep(_SECS_FULL)
        say(f"{len(web.asked)} pages asked for, {n_kills} kills, {n_stops} stops, {n_restarts} restarts")
    for process in list(running):
        try:
            process.wait(options.patience)
        except subprocess.TimeoutExpired:
            say(f"a worker does not end: its log is {folder}")
            process.kill()
    for thread in (person, killer) if options.trainer_kills else ():
        thread.stop()
    with psycopg.connect(database.url) as sql:
        fetched = Counter(url for (url,) in sql.execute("SELECT url FROM focused.pages"))
        left = dict(sql.execute("SELECT state, count(*) FROM focused.links GROUP BY state").fetchall())
        ends = {url: about for url, *about in sql.execute("SELECT url, state, note, ended_at FROM focused.links")}
    for url in (url for url in map(web.url, range(options.pages)) if url not in fetched):
        say(f"lost: {url}, its link: {ends.get(url, 'none')}")
    web.shutdown()
    gaps = [b - a for times in web.times.values() for a, b in pairwise(times)]
    too_soon = sum(gap < 0.9 * options.delay for gap in gaps)
    pairs = [b - a for times in web.times.values() for a, b in zip(times, times[2:], strict=False)]
    return {
        "workers": str(options.workers),
        "pages, hosts": f"{options.pages:,}, {options.hosts}",
        "killed, stopped, server restarted, disk full": f"{n_kills}, {n_stops}, {n_restarts}, {n_full}",
        **(_of_trainings(database.url, killer) if options.trainer_kills else {}),
        "statements that found it full": str(database.n_without_room()),
        "pages lost": str(sum(web.url(each) not in fetched for each in range(options.pages))),
        "pages twice in the database": str(sum(count > 1 for count in fetched.values())),
        "fetched again": str(sum(web.asked.values()) - len(web.asked)),
        "links that did not end": str(left.get(0, 0)),
        "requests sooner than 0.9 of the delay": f"{too_soon} of {len(gaps):,}",
        "two requests within 1.5 delays": str(sum(pair < 1.5 * options.delay for pair in pairs)),
        "seconds": f"{time.monotonic() - began:.0f}",
    }


def _of_trainings(url: str, killer: Killer) -> dict[str, str]:
    return {"trainers killed": str(killer.n_killed), "trainings ended, models taken over": trainings(url)}


def main() -> None:
    """Measure, print a table, and with --write put it into docs/results/many-workers.md."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("store", "chaos"))
    parser.add_argument("--links", type=int, nargs="+", default=[100_000])
    parser.add_argument("--hosts", type=int, default=0, help="default: 100,000 for store, 20 for chaos")
    parser.add_argument("--pages", type=int, default=800)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--kills", type=int, default=12, help="workers that are killed or stopped")
    parser.add_argument("--restarts", type=int, default=1, help="of the database server")
    parser.add_argument("--trainer-kills", type=int, default=0, help="processes that train a model and are killed")
    parser.add_argument(
        "--full-disk", action="store_true", help="of the database, once; asks for root, who mounts a disk"
    )
    parser.add_argument("--delay", type=float, default=0.5)
    parser.add_argument("--patience", type=float, default=180.0, help="seconds until a worker must have ended")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write", action="store_true", help="write the table into docs/results/many-workers.md")
    options = parser.parse_args()
    options.hosts = options.hosts or (100_000 if options.what == "store" else 20)
    rows = []
    for n_links in options.links if options.what == "store" else [0]:
        with tempfile.TemporaryDirectory(dir="/tmp") as name:
            database = Database(Path(name) / "pg", _DISK_MEGABYTES if options.full_disk else 0)
            try:
                if options.what == "store":
                    rows.append(store(n_links, options.hosts, options.seed, database))
                else:
                    rows.append(chaos(options, database, Path(name)))
            finally:
                database.close()
            say(str(rows[-1:]))
    text = table(list(rows[0]), [list(row.values()) for row in rows])
    print(text)
    if options.write:
        source = provenance.now("python benchmarks/many_workers.py " + " ".join(sys.argv[1:]), ROOMS)
        name = "chaos with trainings" if options.trainer_kills else options.what
        provenance.write_blocks({f"many workers: {name}": text}, source)


if __name__ == "__main__":
    main()
