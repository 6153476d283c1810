"""A web server on 127.0.0.1 for crawls over real sockets."""

from __future__ import annotations

import socket
import threading
from collections import Counter
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable

HTML = "text/html; charset=utf-8"


@dataclass
class Reply:
    body: bytes = b""
    status: int = 200
    headers: dict[str, str | bytes] = field(default_factory=lambda: {"Content-Type": HTML})
    #: Called before the answer.
    wait: Callable[[], object] | None = None
    #: Sends so much of the body and hangs up.
    hangs_up_after: int | None = None


def redirect(target: str | bytes, status: int = 302) -> Reply:
    return Reply(status=status, headers={"Location": target})


class Site:
    """Answers paths from a table or a function, and notes what it was asked for.

    What there is not is a 404, so robots.txt too. With ``by_host`` a path begins with the host that was asked: //HOST/PATH.
    """

    def __init__(
        self,
        pages: dict[str, bytes | Reply] | Callable[[str], bytes | Reply | None],
        address: str = "127.0.0.1",
        port: int = 0,
        *,
        by_host: bool = False,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.pages = pages
        self.by_host = by_host
        self.asked: list[str] = []
        self.posted: list[bytes] = []
        self.answered: Counter[int] = Counter()
        self.agents: set[str] = set()
        self._server = (_Server6 if ":" in address else _Server)((address, port), _Handler)
        self._server.site = self
        self._scheme = "https" if tls else "http"
        if tls:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True, do_handshake_on_connect=False)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))

    @property
    def url(self) -> str:
        host = self._server.server_address[0]
        return f"{self._scheme}://{f'[{host}]' if ':' in host else host}:{self._server.server_port}"

    def __enter__(self) -> Site:
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def reply(self, path: str) -> Reply:
        found = self.pages(path) if callable(self.pages) else self.pages.get(path)
        if found is None:
            return Reply(b"<p>Not here.", 404)
        return found if isinstance(found, Reply) else Reply(found)


class _Server(ThreadingHTTPServer):
    daemon_threads = False
    request_queue_size = 64
    site: Site

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients of these tests hang up now and then."""


class _Server6(_Server):
    address_family = socket.AF_INET6


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 20
    wbufsize = -1  # head and body in one packet: else the body waits 40 ms for the head to be confirmed

    def do_GET(self) -> None:
        site = self.server.site
        path = f"//{self.headers['Host'].partition(':')[0]}{self.path}" if site.by_host else self.path
        reply = site.reply(path)
        site.asked.append(path)
        site.agents.add(self.headers["User-Agent"])
        if reply.wait is not None:
            reply.wait()
        site.answered[reply.status] += 1
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            text = value.decode("latin-1") if isinstance(value, bytes) else value
            self.send_header(name, text)
        if "Content-Length" not in reply.headers:
            self.send_header("Content-Length", str(len(reply.body)))
        if reply.hangs_up_after is not None:
            self.close_connection = True
        self.end_headers()
        self.wfile.write(reply.body[: reply.hangs_up_after])

    def do_POST(self) -> None:
        self.server.site.posted.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.do_GET()

    def log_message(self, *args: object) -> None:
        """Say nothing."""
