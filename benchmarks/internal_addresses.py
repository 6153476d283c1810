"""Lead crawls to internal addresses in every way that a stranger has, and count the connections that they begin.

Each way is a crawl by the real command (``scrapy crawl focused -a topic=demo``) over real sockets: a page that links to the
addresses, one that links to redirects there, hosts whose robots.txt redirects there, a file of seeds, a topic's seeds, and
rows written into the frontier of a crawl that is resumed. Names are made up, and one public address comes out at a server on
127.0.0.1 (``tests/connections.py``). What is counted is each call of ``socket.connect_ex``. Each crawl is made
twice: with both checks, and without the check of URLs, so that the check at the connection is alone. The first way once more
with all addresses allowed shows what would be connected to; connections beyond this machine are refused before they begin.

Examples:
  python benchmarks/internal_addresses.py            print the tables
  python benchmarks/internal_addresses.py --write    write them into docs/results/internal-addresses.md
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from common import ROOT, say

sys.path.insert(0, str(ROOT / "tests"))

from connections import PUBLIC, SETTINGS, connected
from provenance import now, write_blocks
from sites import HTML, Reply, Site, redirect

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ADDRESSES = {
    "127.0.0.1": "loopback",
    "localhost": "loopback",
    "127.1": "loopback",
    "2130706433": "loopback",
    "0x7f000001": "loopback",
    "0177.0.0.1": "loopback",
    "[::1]": "loopback",
    "[::ffff:127.0.0.1]": "loopback",
    "0.0.0.0": "unspecified",
    "10.0.0.9": "private",
    "172.16.0.9": "private",
    "192.168.0.9": "private",
    "[fd00::1]": "private",
    "[::ffff:10.0.0.9]": "private",
    "[2002:a00:9::1]": "private (6to4)",
    "[64:ff9b::a00:9]": "private (NAT64)",
    "[2001:0:5db8:d70e::f5ff:fff6]": "private (Teredo)",
    "100.64.0.9": "shared",
    "169.254.7.7": "link-local",
    "224.0.0.1": "multicast",
    "240.0.0.1": "reserved",
    "169.254.169.254": "metadata",
    "metadata.google.internal": "metadata, by name",
    "loopback.test": "a name for 127.0.0.1",
    "any.test": "a name for 0.0.0.0",
    "private.test": "a name for 10.0.0.9",
    "shared.test": "a name for 100.64.0.9",
    "metadata.test": "a name for 169.254.169.254",
    "rebinds.test": "a name, public at the first look, then 127.0.0.1",
}
FILES = ("file:///etc/passwd", "ftp://h.test/", "s3://bucket/key", "data:text/html,star")
WAYS = ("link", "redirect", "robots.txt", "seed file", "topic's seed", "frontier row")
FIRST_PORT = 20_000
PAGE = b"<title>Stars</title><p>Stars, galaxies and telescopes."
COMMAND = "import connections; connections.install(); from scrapy.cmdline import execute; execute()"
CRAWL = {
    **SETTINGS, "DOWNLOAD_DELAY": 0, "AUTOTHROTTLE_ENABLED": 0, "RETRY_TIMES": 0, "DOWNLOAD_TIMEOUT": 5,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 16, "FOCUSED_CONTACT": "benchmark@localhost.example",
}  # fmt: skip
AT_CONNECTION_ALONE = {"DOWNLOADER_MIDDLEWARES": '{"focused.middlewares.addresses.AddressMiddleware": null}'}


@dataclass
class Crawled:
    """What a crawl led to."""

    connected: set[tuple[str, int]]
    stats: dict[str, int]
    notes: dict[str, str] = field(default_factory=dict)


class Hostile:
    """A site that links to its targets as one of ``WAYS`` says."""

    def __init__(self, targets: Sequence[str]) -> None:
        self.targets = targets
        self.port, self.way = 0, ""

    def __call__(self, path: str) -> Reply | None:
        """Answer a path, which begins with the host that was asked."""
        _, _, host, kind, *rest = path.split("/")
        number = host.removeprefix("robots").removesuffix(".test")
        if kind == "robots.txt":
            return redirect(self.targets[int(number)]) if number.isdigit() else None
        if kind == "to":
            return redirect(self.targets[int(rest[0])])
        if number.isdigit() or kind:
            return Reply(PAGE)
        numbers = range(len(self.targets))
        links = {
            "link": self.targets,
            "redirect": [f"/to/{n}" for n in numbers],
            "robots.txt": [f"http://robots{n}.test:{self.port}/page" for n in numbers],
            "frontier row": [f"/{n}" for n in range(len(self.targets) + len(FILES))],
        }.get(self.way, [])
        return Reply(PAGE + "".join(f'<p><a href="{link}">star</a>' for link in links).encode())


def port_of(site: Site) -> int:
    return int(site.url.rpartition(":")[2])


def crawl(folder: Path, seeds: str, settings: dict[str, object], max_pages: int = 0) -> None:
    argv = [sys.executable, "-c", COMMAND, "crawl", "focused", "-a", "topic=demo", "-a", "web=live"]
    argv += ["-a", f"max_pages={max_pages}", "-a", "run_dir=run"] + (["-a", f"seeds={seeds}"] if seeds else [])
    for name, value in (CRAWL | settings).items():
        argv += ["-s", f"{name}={value}"]
    paths = {"PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests'}", "SCRAPY_SETTINGS_MODULE": "focused.settings"}
    environment = os.environ | paths | {"FOCUSED_MODELS_DIR": str(folder.parent / "models")}
    done = subprocess.run(argv, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"A crawl failed:\n{done.stderr}")


def crawled(folder: Path) -> Crawled:
    stats = json.loads((folder / "run" / "run.json").read_text())["stats"]
    with closing(sqlite3.connect(folder / "run" / "frontier.sqlite")) as file:
        notes = dict(file.execute("SELECT url, note FROM links WHERE note IS NOT NULL").fetchall())
    return Crawled(connected(folder), stats, notes)


def plant(frontier: Path, urls: Sequence[str]) -> None:
    """Let links that wait lead elsewhere."""
    with closing(sqlite3.connect(frontier)) as file, file:
        waiting = [number for (number,) in file.execute("SELECT id FROM links WHERE state = 0")]
        file.executemany("UPDATE links SET url = ? WHERE id = ?", zip(urls, waiting, strict=True))


def lead(way: str, site: Site, hostile: Hostile, folder: Path, settings: dict[str, object]) -> Crawled:
    """Crawl, and be led to the targets in one way."""
    folder.mkdir(parents=True)
    hostile.way, seeds = way, f"{site.url}/"
    topic_file = folder.parent / "models" / "demo" / "topic.toml"
    before = topic_file.read_text()
    if way == "seed file":
        seeds = "seeds.txt"
        (folder / seeds).write_text("\n".join(hostile.targets))
    if way == "topic's seed":
        seeds = ""
        topic_file.write_text(
            re.sub(r"^seeds = \[.*?\]", f"seeds = {json.dumps(hostile.targets)}", before, flags=re.M | re.S)
        )
    if way == "frontier row":
        crawl(folder, seeds, settings, max_pages=1)
        plant(folder / "run" / "frontier.sqlite", [*hostile.targets, *FILES])
    crawl(folder, seeds, settings)
    topic_file.write_text(before)
    return crawled(folder)


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def measure(folder: Path, settings: dict[str, object], ways: Sequence[str] = WAYS) -> dict[str, Crawled]:
    """Crawl in each of ``WAYS``; the target with number n has the port ``FIRST_PORT`` + n, where one server listens."""
    hosts = list(ADDRESSES)
    closed = {"Content-Type": HTML, "Connection": "close"}
    with ExitStack() as stack:
        rebinds = stack.enter_context(Site(lambda path: Reply(PAGE, headers=closed)))
        ports = [port_of(rebinds) if host == "rebinds.test" else FIRST_PORT + n for n, host in enumerate(hosts)]
        hostile = Hostile([f"http://{host}:{port}/" for host, port in zip(hosts, ports, strict=True)])
        site = stack.enter_context(Site(hostile, by_host=True))
        hostile.port = port_of(site)
        found = {}
        for way in ways:
            say(f"{way} {settings or ''}")
            found[way] = lead(way, site, hostile, folder / way.replace(" ", "-").replace("'", ""), settings)
            # The site itself; and what rebinds.test is at the first look is a public address.
            found[way].connected -= {("127.0.0.1", hostile.port), (PUBLIC, hostile.port), (PUBLIC, port_of(rebinds))}
            # From here on by the number of the target.
            found[way].connected = {(address, ports.index(port)) for address, port in found[way].connected}
    return found


def seed_itself(folder: Path) -> list[list[object]]:
    """Crawl two servers of this machine, of which one is the seed, in each mode; return rows."""
    rows = []
    for mode in ("seeds", "refuse", "allow"):
        with Site({"/": PAGE}) as other, Site({}) as site:
            site.pages |= {"/": PAGE + f'<p><a href="{other.url}/">star</a>'.encode()}
            (folder / mode).mkdir(parents=True)
            crawl(folder / mode, f"{site.url}/", {"FOCUSED_PRIVATE_ADDRESSES": mode})
            stats = crawled(folder / mode).stats
            pages = [len([path for path in each.asked if path == "/"]) for each in (site, other)]
        rows.append([f"`{mode}`", *pages, stats.get("focused/addresses/refused_count", 0)])
    return rows


def main() -> None:
    """Crawl, and print or write the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write docs/results/internal-addresses.md")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for each in ("both", "connection", "open", "modes"):
            (folder / each).mkdir()
            shutil.copytree(ROOT / "models" / "demo", folder / each / "models" / "demo")
        both, alone = measure(folder / "both", {}), measure(folder / "connection", AT_CONNECTION_ALONE)
        open_ = measure(folder / "open", {"FOCUSED_PRIVATE_ADDRESSES": "allow"}, ["link"])["link"]
        modes = seed_itself(folder / "modes")
    rows = []
    for number, (host, what) in enumerate(ADDRESSES.items()):
        noted = {
            note
            for way in WAYS
            for url, note in both[way].notes.items()
            if note != "redirect" and url.startswith(f"http://{host}:")
        }
        cells = [
            " / ".join(str(sum(place == number for _, place in each[way].connected)) for each in (both, alone))
            for way in WAYS
        ]
        reached = len({place for _, place in open_.connected} & {number})
        rows.append([f"`{host}`", what, *cells, reached, "; ".join(sorted(noted)) or "nothing"])
    for url in FILES:
        rows.append(
            [
                f"`{url}`",
                "no http",
                *["-"] * (len(WAYS) - 1),
                "0 / -",
                "-",
                both["frontier row"].notes.get(url, "nothing"),
            ]
        )
    refused = [
        [way, *(each[way].stats.get("focused/addresses/refused_count", 0) for each in (both, alone))] for way in WAYS
    ]
    blocks = {
        "connections to internal addresses": table(
            ["address", "what it is", *WAYS, "link, all allowed", "the frontier says"], rows
        ),
        "requests not sent": table(["way", "with both checks", "at the connection alone"], refused),
        "a seed on this machine": table(
            ["`FOCUSED_PRIVATE_ADDRESSES`", "pages of the seed's port", "of another port", "requests not sent"], modes
        ),
    }
    n_begun = sum(len(each[way].connected) for each in (both, alone) for way in WAYS)
    say(f"{n_begun} connections to internal addresses")
    if options.write:
        rooms = ("focused/crawl", "focused/middlewares", "focused/utils/addresses.py")
        write_blocks(
            blocks, now("python benchmarks/internal_addresses.py --write", rooms, {"addresses": len(ADDRESSES)})
        )
    else:
        print("\n\n".join(blocks.values()))


if __name__ == "__main__":
    main()
