"""The demo web in a browser: a small server on 127.0.0.1."""

from __future__ import annotations

import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from focused.webs.demo.hostile import HostileWeb

if TYPE_CHECKING:
    from focused.webs.demo.web import DemoWeb

_LINK = re.compile(rb'href="(?:https?://([^/"]+))?(/[^"]*)"')


class DemoServer(ThreadingHTTPServer):
    """Serves a demo web: ``/www.starfield-journal.example/path`` is that host's ``/path``.

    Links are rewritten to this form. A client that sends a Host header of the demo web gets that host's pages as they
    are. ``/`` lists topics and seeds.
    """

    daemon_threads = True

    def __init__(self, web: DemoWeb, port: int) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.web = web
        #: As a browser is answered.
        self.answer = web.answer_person if isinstance(web, HostileWeb) else web.answer
        self.origins = {urlsplit(origin).netloc: origin for origin in web.origins}


class _Handler(BaseHTTPRequestHandler):
    server: DemoServer

    def do_GET(self) -> None:
        host = self.headers.get("Host", "").partition(":")[0]
        if host in self.server.origins:
            self._send(host, self.path, rewrite=False)
            return
        host, _, path = self.path.removeprefix("/").partition("/")
        if host:
            self._send(host, f"/{path}", rewrite=True)
        else:
            self._respond(200, [("Content-Type", "text/html; charset=utf-8")], self._index())

    def _send(self, host: str, path: str, *, rewrite: bool) -> None:
        # Ask for an unknown host too: the web answers that it is missing.
        answer = self.server.answer(self.server.origins.get(host, f"http://{host}") + path)
        headers = [(name, value) for name, value in answer.headers if name != "Content-Length"]
        body = answer.body
        if rewrite:
            body = _LINK.sub(lambda link: b'href="/%b%b"' % (link[1] or host.encode(), link[2]), body)
            headers = [
                (name, value.partition("://")[2].join(["/", ""]) if name == "Location" else value)
                for name, value in headers
            ]
        self._respond(answer.status, headers, body)

    def _respond(self, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
        self.send_response(status)
        for name, value in [*headers, ("Content-Length", str(len(body)))]:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _index(self) -> bytes:
        web = self.server.web
        rows = [f"<h1>The demo web</h1><p>{web.n_pages:,} pages on {len(web.origins)} hosts. Where to start:</p>"]
        for topic in web.topics:
            links = "".join(f'<li><a href="/{url.partition("://")[2]}">{url}</a></li>' for url in web.seeds(topic))
            rows.append(f"<h2>{topic}</h2><ul>{links}</ul>")
        return ("<!DOCTYPE html><meta charset=utf-8><title>The demo web</title>" + "".join(rows)).encode()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: the terminal belongs to the user."""
