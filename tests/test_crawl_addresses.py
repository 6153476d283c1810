"""Crawls over real sockets: no page, redirect, robots.txt or frontier of a stranger leads them to this machine or its network."""

from __future__ import annotations

import sqlite3
import ssl
import threading
from collections import Counter
from contextlib import closing
from datetime import datetime, timedelta, timezone
from socketserver import BaseRequestHandler, ThreadingTCPServer
from typing import TYPE_CHECKING, Any, ClassVar

import connections
import hand_made
import pytest
from commands import crawl
from connections import PUBLIC, connected
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from sites import HTML, Reply, Site, redirect

if TYPE_CHECKING:
    from pathlib import Path

    from commands import Finished

pytestmark = pytest.mark.slow

SETTINGS = {
    "DOWNLOAD_DELAY": 0,
    "AUTOTHROTTLE_ENABLED": 0,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
    "RETRY_TIMES": 0,
    "FOCUSED_METRICS_INTERVAL_SECS": 0,
    **connections.SETTINGS,
}
KINDS = {
    "127.0.0.1": "loopback",
    "localhost": "loopback",
    "127.1": "loopback",
    "2130706433": "loopback",
    "0x7f000001": "loopback",
    "0177.0.0.1": "loopback",
    "[::1]": "loopback",
    "loopback.test": "loopback",
    "rebinds.test": "loopback",
    "[::ffff:10.0.0.9]": "private",
    "[fd00::1]": "private",
    "10.0.0.9": "private",
    "172.16.0.9": "private",
    "192.168.0.9": "private",
    "private.test": "private",
    "169.254.169.254": "metadata",
    "metadata.google.internal": "metadata",
    "metadata.test": "metadata",
    "100.64.0.9": "shared",
    "shared.test": "shared",
    "0.0.0.0": "unspecified",
    "any.test": "unspecified",
}
PAGE = hand_made.html(hand_made.STARS, title="Reached")
WITHOUT_MIDDLEWARE = {"DOWNLOADER_MIDDLEWARES": '{"focused.middlewares.addresses.AddressMiddleware": null}'}


CLOSED = {
    "Content-Type": HTML,
    "Connection": "close",
}  # the next request needs a connection, so its name is looked up again


class Hostile:
    """A page that links to internal addresses, to redirects there, and to hosts whose robots.txt redirects there."""

    def __init__(self, other: Site) -> None:
        self.targets = [f"http://{host}:{port_of(other)}" for host in KINDS]
        self.port = 0

    def __call__(self, path: str) -> Reply | None:
        _, _, host, kind, *rest = path.split("/")
        number = host.removeprefix("robots").removesuffix(".test")
        if kind == "robots.txt":
            return redirect(f"{self.targets[int(number)]}/robots") if number.isdigit() else None
        if kind == "to":
            return redirect(f"{self.targets[int(rest[0])]}/redirect")
        if number.isdigit():
            return Reply(PAGE)
        links = [(f"{target}/link", "nebula") for target in self.targets]
        links += [(f"/to/{n}", "telescope") for n in range(len(links))]
        links += [(f"http://robots{n}.test:{self.port}/page", "galaxy") for n in range(len(self.targets))]
        return Reply(hand_made.html(hand_made.STARS, *links, title="Home"))


def other_site() -> Site:
    """Another port of this machine, where no page is to be had."""
    return Site(lambda path: Reply(PAGE, headers=CLOSED) if path != "/robots.txt" else Reply(b"", 404, CLOSED))


def crawled(models: Path, folder: Path, site: Site, **settings: Any) -> Finished:
    found = crawl(
        models, folder, seeds=f"{site.url}/", max_pages=0, settings=SETTINGS | settings, before=connections.install
    )
    assert found.exit_code == 0, found.err
    return found


def port_of(site: Site) -> int:
    return int(site.url.rpartition(":")[2])


@pytest.mark.parametrize("settings", [{}, WITHOUT_MIDDLEWARE], ids=["", "at the connection alone"])
def test_a_crawl_connects_to_no_internal_address_but_the_seed_s(models, tmp_path, settings):
    with other_site() as other, Site(hostile := Hostile(other), by_host=True) as site:
        hostile.port = port_of(site)
        result = crawled(models, tmp_path, site, **settings)
    # The third is that of rebinds.test, whose name was public at the first look.
    allowed = {("127.0.0.1", port_of(site)), (PUBLIC, port_of(site)), (PUBLIC, port_of(other))}
    assert connected(tmp_path) == allowed
    assert set(other.asked) <= {"/robots.txt"}
    # Home, and where Scrapy's own middleware reads robots.txt one page of each robotsN.test. The project's forbids a host whose
    # robots.txt leads to what may not be asked.
    assert result.stats["focused/pages/fetched_count"] == 1 + len(KINDS) * bool(settings)
    assert "requests not sent: no public address" in result.err
    if not settings:
        by_kind = Counter(KINDS.values())
        # Each target three times: by a link, a redirect and a robots.txt; names also when their own robots.txt is asked for.
        for kind, n_targets in by_kind.items():
            n_names = sum(host.endswith(".test") and host != "rebinds.test" for host in KINDS if KINDS[host] == kind)
            assert result.stats[f"focused/addresses/{kind}_count"] >= 3 * n_targets + n_names
        notes = notes_of(result)
        assert {note for url, note in notes if "/link" in url or "/redirect" in url} == {
            f"not asked: {kind} address {shown(host)}" for host, kind in KINDS.items()
        }


def test_rows_of_a_frontier_lead_neither_to_files_nor_to_this_machine(models, tmp_path):
    secret = tmp_path / "secret.html"
    secret.write_bytes(PAGE)
    with other_site() as other, Site({"/": hand_made.html("", *[(f"/{n}", "star") for n in range(6)])}) as site:
        crawl(models, tmp_path, seeds=f"{site.url}/", max_pages=1, settings=SETTINGS)
        urls = [
            secret.as_uri(),
            "data:text/html,<p>star",
            "ftp://h.test/",
            "s3://h.test/x",
            f"{other.url}/",
            f"{site.url}/3",
        ]
        with closing(sqlite3.connect(tmp_path / "run" / "frontier.sqlite")) as file, file:
            waiting = [number for (number,) in file.execute("SELECT id FROM links WHERE state = 0")]
            file.executemany("UPDATE links SET url = ? WHERE id = ?", zip(urls, waiting, strict=True))
        result = crawled(models, tmp_path, site)
    assert connected(tmp_path) == {("127.0.0.1", port_of(site))}
    assert [page["url"] for page in result.pages if page["url"] != f"{site.url}/"] == []
    assert (result.stats["focused/addresses/scheme_count"], result.stats["focused/addresses/loopback_count"]) == (4, 1)
    assert "is not asked: its scheme is" in result.err
    assert dict(notes_of(result))[secret.as_uri()] == "not asked: its scheme is file"


def test_users_and_hosts_that_are_none_are_counted_and_asked_for_once_and_no_password_is_logged(models, tmp_path):
    targets = [
        "http://me:secret@h.test/",
        "http://%31%32%37.0.0.1/",
        "http://127.0.0.1%00.example.org/",
        "http://loca%6chost/",
    ]
    pages: dict[str, Any] = {f"/{number}": redirect(target) for number, target in enumerate(targets)}
    with Site(pages) as site:
        links = [*targets, *pages]
        pages["/"] = hand_made.html(hand_made.STARS, *[(link, "star") for link in links])
        result = crawled(models, tmp_path, site, RETRY_TIMES=2)
    assert connected(tmp_path) == {("127.0.0.1", port_of(site))}
    assert "secret" not in result.err
    assert result.stats["focused/links/refused_invalid_count"] == len(targets)
    assert (result.stats["focused/addresses/user_count"], result.stats["focused/addresses/host_count"]) == (1, 3)
    assert result.stats["focused/addresses/refused_count"] == 4
    assert {note for _, note in notes_of(result)} - {"redirect"} == {
        "not asked: its URL names a user",
        *(
            f"not asked: its host is no name of one, {host}"
            for host in ("%31%32%37.0.0.1", "127.0.0.1%00.example.org", "loca%6chost")
        ),
    }


def test_addresses_of_ipv6_are_known_at_the_connection(models, tmp_path):
    """Scrapy's default resolver knows none of them, the other one does."""
    hosts = ["[::1]", "[::ffff:127.0.0.1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::1]", "[fd00::1]"]
    resolver = {"TWISTED_DNS_RESOLVER": "scrapy.resolver.CachingHostnameResolver", "ROBOTSTXT_OBEY": 0}
    with other_site() as other, Site(pages := {}) as site:
        pages["/"] = hand_made.html(hand_made.STARS, *[(f"http://{host}:{port_of(other)}/", "star") for host in hosts])
        result = crawled(models, tmp_path, site, **resolver, **WITHOUT_MIDDLEWARE)
    assert connected(tmp_path) == {("127.0.0.1", port_of(site))}
    assert result.stats["focused/addresses/refused_count"] == len(hosts)


@pytest.fixture(scope="module")
def tls(tmp_path_factory) -> ssl.SSLContext:
    """A server's side of TLS, with a certificate that nobody has signed."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "test")])
    now = datetime.now(timezone.utc)
    unsigned = x509.CertificateBuilder(name, name, key.public_key(), 1, now - timedelta(1), now + timedelta(1))
    certificate = unsigned.sign(key, hashes.SHA256())
    file = tmp_path_factory.mktemp("tls") / "both.pem"
    pem = serialization.Encoding.PEM
    written = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    file.write_bytes(written + certificate.public_bytes(pem))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    return context


def test_a_chain_of_redirects_over_http_and_https_ends_where_it_would_lead_inside(models, tmp_path, tls):
    pages: dict[str, bytes | Reply] = {}
    with Site(pages) as site, Site(pages, tls=tls) as secure, Site({"/": PAGE}, tls=tls) as other:
        plain, encrypted = (f"{each.url.partition(':')[0]}://public.test:{port_of(each)}" for each in (site, secure))
        pages |= {
            "/": hand_made.html(hand_made.STARS, ("/a", "star"), ("/b", "nebula")),
            "/a": redirect(f"{encrypted}/plain"),
            "/b": redirect(f"{encrypted}/fine"),
            "/plain": redirect(f"{plain}/back"),
            "/back": redirect(f"https://loopback.test:{port_of(other)}/"),
            "/fine": PAGE,
        }
        result = crawled(models, tmp_path, site)
    assert connected(tmp_path) == {("127.0.0.1", port_of(site)), (PUBLIC, port_of(site)), (PUBLIC, port_of(secure))}
    assert {page["url"] for page in result.pages} == {f"{site.url}/", f"{encrypted}/fine"}
    assert dict(notes_of(result))[f"https://loopback.test:{port_of(other)}/"] == "not asked: loopback address 127.0.0.1"


def notes_of(result: Finished) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(result.run_dir / "frontier.sqlite")) as file:
        return file.execute("SELECT url, note FROM links WHERE note IS NOT NULL").fetchall()


def shown(host: str) -> str:
    """Return what a note says of a host: of a name that had to be looked up its address."""
    return connections.ANSWERS[host][-1] if host.endswith(".test") else host.strip("[]")


class Endless(BaseRequestHandler):
    """Answers with headers that have no end, or very long ones."""

    KINDS: ClassVar = {
        "/lines": (b"HTTP/1.1 200 OK\r\n", b"X-Filler: abcdefghijklmnopqrstuvwxyz\r\n"),
        "/continued": (b"HTTP/1.1 200 OK\r\nX-Filler: a\r\n", b" and more of it\r\n"),
        "/provisional": (b"", b"HTTP/1.1 100 Continue\r\nX-Filler: a\r\n\r\n"),
    }
    n_bytes: ClassVar[Counter[str]] = Counter()

    def handle(self) -> None:
        path = self.request.recv(65536).split()[1].decode()
        try:
            if path in self.KINDS:
                begin, piece = self.KINDS[path]
                self.request.sendall(begin)
                while True:
                    self.request.sendall(piece * 100)
                    self.n_bytes[path] += len(piece) * 100
            body = hand_made.html(hand_made.STARS, *[(kind, "star") for kind in [*self.KINDS, "/fine"]])
            fine = b"".join(b"X-%d: %s\r\n" % (n, b"a" * 1000) for n in range(100)) if path == "/fine" else b""
            head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n" + fine
            self.request.sendall(head + b"Content-Length: %d\r\n\r\n" % len(body) + body)
        except OSError:
            pass  # the crawl hung up


def test_headers_without_end_are_cut_off_and_counted(models, tmp_path):
    with ThreadingTCPServer(("127.0.0.1", 0), Endless) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        url = f"http://127.0.0.1:{server.server_address[1]}"
        settings = SETTINGS | {"ROBOTSTXT_OBEY": 0, "FOCUSED_COPIES": "off"}
        result = crawl(models, tmp_path, seeds=f"{url}/", max_pages=0, settings=settings)
        server.shutdown()
        thread.join()
    assert result.exit_code == 0, result.err
    assert result.stats["focused/pages/headers_too_long_count"] == len(Endless.KINDS)
    assert {page["url"] for page in result.pages} == {f"{url}/", f"{url}/fine"}
    assert "responses whose headers were too long" in result.err
