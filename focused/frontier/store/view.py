"""Reads a frontier, also while a crawl works on it, without changing it or making the crawl wait."""

from __future__ import annotations

import csv
import json
from typing import IO, TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit, urlunsplit

from w3lib.url import canonicalize_url

from focused.frontier.store.caps import ASKED
from focused.frontier.store.evidence_rows import ReasonNumbers
from focused.frontier.store.ranks import priority_of
from focused.frontier.store.schema import STATES, WAITING, FrontierFileError, damaged, open_file
from focused.frontier.store.soundness import is_sound_state
from focused.method.scoring import REASONS
from focused.method.scoring.priority import LEVELS
from focused.utils.csv_cells import safe_cell
from focused.utils.file_names import FRONTIER_FILE
from focused.utils.origins import host_of
from focused.utils.own_files import check_frontier_file
from focused.utils.registered_domain import registered_domain

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from typing_extensions import Self

_QUERY = (
    "SELECT links.id, links.url, hosts.name, state, rank, score, reason, referrers.url, depth, irrelevant_on_path,"
    " tunnel, n_referrers, model_version, extra, found_at, ended_at, note FROM links JOIN hosts ON hosts.id = links.host"
    " LEFT JOIN referrers ON referrers.id = links.referrer"
)


_PORTS = {"http": ":80", "https": ":443"}


class LinkView(NamedTuple):
    """What the frontier knows of a link."""

    url: str
    host: str
    state: str
    #: Place in the order of fetching among its host's waiting links; less is better.
    rank: int
    priority: int
    score: float
    reason: str
    referrer: str
    depth: int
    irrelevant_on_path: int
    tunnel: int
    n_referrers: int
    #: Of the topic's model that the score comes from.
    model_version: int
    found_at: int
    ended_at: int | None
    note: str


class FrontierView:
    """A frontier that is read only, of a run directory or by its file; a `FrontierFileError` if there is none."""

    def __init__(self, path: Path) -> None:
        self.path = file_of(path)
        check_frontier_file(self.path, "Move it away, or name another folder: scrapy frontier RUN_DIR")
        self._sql = open_file(self.path, read_only=True)
        self._reasons = ReasonNumbers(self._sql)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._sql.close()

    def remembered(self, key: str) -> Any:
        """Return what the crawl noted under a key; None if there is nothing."""
        row = self._sql.execute("SELECT value FROM crawl WHERE key = ?", (key,)).fetchone()
        if row is None:
            return None
        if not is_sound_state(key, row[0]):
            raise FrontierFileError(damaged(self.path, f"what the crawl remembered is not as it must be ({key})"))
        return json.loads(row[0])

    def counts(self) -> dict[str, int]:
        """Return how many links there are in each state, as of the last page."""
        return dict(zip(STATES, self.remembered("counts") or [0] * len(STATES), strict=True))

    def hosts(self, n_hosts: int) -> list[dict[str, Any]]:
        """Return the hosts with most links, with their links by state, pages and relevant pages."""
        by_state = ", ".join(f"sum(state = {number})" for number in range(len(STATES)))
        rows = self._sql.execute(
            f"SELECT name, {by_state}, n_pages, n_relevant FROM links JOIN hosts ON hosts.id = host"
            " GROUP BY host ORDER BY count(*) DESC, name LIMIT ?",
            (n_hosts or -1,),
        )
        names = ("host", *STATES, "pages", "relevant")
        return [dict(zip(names, row, strict=True)) for row in rows]

    def ports(self, hosts: Sequence[str]) -> dict[str, list[str]]:
        """Return the ports that URLs of some hosts name, by host; a host without one is left out."""
        self._sql.create_function("port_of", 1, _port_of, deterministic=True)
        found = self._sql.execute(
            "SELECT DISTINCT name, port_of(url) FROM links JOIN hosts ON hosts.id = host"
            f" WHERE url GLOB '*://*:[0-9]*' AND name IN ({', '.join('?' * len(hosts))}) ORDER BY 1, 2",
            tuple(hosts),
        )
        ports: dict[str, list[str]] = {}
        for host, port in found:
            if port:
                ports.setdefault(host, []).append(port)
        return ports

    def top(self, n_links: int) -> list[LinkView]:
        """Return the links that would be fetched next if all hosts could be asked now."""
        query = f"{_QUERY} WHERE state = {WAITING} ORDER BY rank LIMIT ?"
        return [self._row(row) for row in self._sql.execute(query, (n_links or -1,))]

    def busiest_hosts(self, n_hosts: int) -> list[dict[str, Any]]:
        """Return the hosts with most pages, with how many were relevant and how many links failed: quick at any size."""
        columns = "name, n_pages, n_relevant, n_failed"
        query = f"SELECT {columns} FROM hosts WHERE n_pages OR n_failed ORDER BY n_pages DESC, name LIMIT ?"
        return [
            dict(zip(("host", "pages", "relevant", "failed"), row, strict=True))
            for row in self._sql.execute(query, (n_hosts,))
        ]

    def best_of_hosts(self, n_links: int, n_hosts: int = 500) -> list[LinkView]:
        """Return the best waiting links of the hosts with most pages: as `top`, but quick where a million links wait."""
        best: list[tuple[int, int]] = []
        of_host = f"SELECT rank, id FROM links WHERE host = ? AND state = {WAITING} ORDER BY rank LIMIT ?"
        for (host,) in self._sql.execute("SELECT id FROM hosts ORDER BY n_pages DESC LIMIT ?", (n_hosts,)):
            best += self._sql.execute(of_host, (host, n_links))
        chosen = [number for _, number in sorted(best)[:n_links]]
        return [
            self._row(row) for number in chosen for row in self._sql.execute(f"{_QUERY} WHERE links.id = ?", (number,))
        ]

    def find(self, url: str) -> LinkView | None:
        """Return what is known of a URL; None if it is not known."""
        for form in url_forms(url):
            host = self._sql.execute("SELECT id FROM hosts WHERE name = ?", (host_of(form),)).fetchone()
            if host is None:
                continue
            row = self._sql.execute(f"{_QUERY} WHERE links.host = ? AND links.url = ?", (host[0], form)).fetchone()
            if row is not None:
                return self._row(row)
        return None

    def is_own_request(self, link: LinkView) -> bool:
        """Tell whether a link is a request of the spider's own, or for a sitemap or feed: it has no score of its own."""
        host = "(SELECT id FROM hosts WHERE name = ?)"
        found = self._sql.execute(
            f"SELECT request IS NOT NULL FROM links WHERE host = {host} AND url = ?", (link.host, link.url)
        )
        return any(is_own for (is_own,) in found)

    def n_asked(self, url: str, *, of_domain: bool = False) -> int:
        """Return how many links were ever asked for of a URL's host, or of all hosts of its registered domain."""
        host = host_of(url)
        names = [host]
        if of_domain:
            domain = registered_domain(host)
            found = self._sql.execute("SELECT name FROM hosts WHERE name = ? OR name LIKE ?", (domain, f"%.{domain}"))
            names = [name for (name,) in found if registered_domain(name) == domain]
        asked = f"SELECT count(*) FROM links WHERE {ASKED} AND host = (SELECT id FROM hosts WHERE name = ?)"
        return sum(self._sql.execute(asked, (name,)).fetchone()[0] for name in names)

    def n_before(self, row: LinkView) -> tuple[int, int]:
        """Return how many waiting links come before one: in all, and of its host."""
        count = f"SELECT count(*) FROM links WHERE state = {WAITING} AND rank < ?"
        of_host = f"{count} AND host = (SELECT id FROM hosts WHERE name = ?)"
        [n_links] = self._sql.execute(count, (row.rank,)).fetchone()
        [n_of_host] = self._sql.execute(of_host, (row.rank, row.host)).fetchone()
        return n_links, n_of_host

    def records(self) -> Iterator[bytes]:
        """Yield what a strategy that learns has kept of each page; nothing, where none has."""
        if self._sql.execute("SELECT 1 FROM sqlite_master WHERE name = 'records'").fetchone() is not None:
            yield from (record for (record,) in self._sql.execute("SELECT record FROM records ORDER BY id"))

    def rows(self) -> Iterator[LinkView]:
        """Yield every link, in the order of discovery."""
        return (self._row(row) for row in self._sql.execute(f"{_QUERY} ORDER BY links.id"))

    def write_csv(self, file: IO[str], *, is_safe: bool = True) -> int:
        """Write every link, with ``is_safe`` without formulas for spreadsheets; return how many."""
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(LinkView._fields)
        n_links = 0
        for row in self.rows():
            writer.writerow(map(safe_cell, row) if is_safe else row)
            n_links += 1
        return n_links

    def _row(self, row: tuple[Any, ...]) -> LinkView:
        (number, url, host, state, rank, score, reason, referrer, *numbers, extra, found_at, ended_at, note) = row
        whole = (state, rank, extra, reason, *numbers, found_at, ended_at or 0)
        if (
            not all(isinstance(text, str) for text in (url, host, referrer or "", note or ""))
            or not isinstance(score, float)
            or not all(isinstance(value, int) for value in whole)
            or not 0 <= state < len(STATES)
        ):
            raise FrontierFileError(damaged(self.path, f"row {number} of its table links is not as it must be"))
        by = "seed" if extra > LEVELS else REASONS[self._reasons.from_file(reason)]
        first = url, host, STATES[state], rank, priority_of(rank), score, by, referrer or ""
        return LinkView._make((*first, *numbers, found_at, ended_at, note or ""))


def file_of(path: Path) -> Path:
    """Return the frontier's file of a run directory, or the file itself."""
    return path / FRONTIER_FILE if path.is_dir() else path


def url_forms(url: str) -> list[str]:
    """Return the URLs that a person may mean by one."""
    canonical = canonicalize_url(url)
    return list(dict.fromkeys((url, canonical, _other_port(canonical))))


def _port_of(url: str) -> str:
    """Return the port that a URL names; empty if it names none.

    >>> _port_of("http://h.org:8000/x"), _port_of("http://h.org/a:9"), _port_of("http://[::1]:80/")
    ('8000', '', '80')
    """
    netloc = url.partition("://")[2].partition("/")[0].rpartition("]")[2]
    return netloc.rpartition(":")[2] if ":" in netloc else ""


def _other_port(url: str) -> str:
    """Return a URL without the port of its scheme where it has it, and with it where it has none.

    To a crawl these are two links; people mean the one there is.

    >>> _other_port("http://h.org:80/x"), _other_port("https://h.org/x"), _other_port("http://h.org:8000/x")
    ('http://h.org/x', 'https://h.org:443/x', 'http://h.org:8000/x')
    """
    parts = urlsplit(url)
    port = _PORTS.get(parts.scheme)
    if port is None or parts.netloc.endswith(port):
        return urlunsplit(parts._replace(netloc=parts.netloc.removesuffix(port or "")))
    has_port = parts.netloc.rpartition("]")[2].rpartition("@")[2].find(":") >= 0
    return url if has_port else urlunsplit(parts._replace(netloc=parts.netloc + port))
