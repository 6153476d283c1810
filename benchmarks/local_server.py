"""Serves a folder on 127.0.0.1 from a process of its own, so that serving costs the measured process nothing."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import time
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

from common import say

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NGINX = """
daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{ worker_connections 256; }}
http {{
    access_log off; keepalive_requests 1000000; types {{ text/html html; text/plain txt; }}
    client_body_temp_path {folder}/a; proxy_temp_path {folder}/b; fastcgi_temp_path {folder}/c;
    uwsgi_temp_path {folder}/d; scgi_temp_path {folder}/e;
    server {{ listen 127.0.0.1:{port}; root {root}; }}
}}
"""


class QuietHandler(SimpleHTTPRequestHandler):
    """Serves files without logging."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextlib.contextmanager
def serving(root: Path, folder: Path) -> Iterator[str]:
    """Serve a folder from another process, by nginx if there is one; yield its URL."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    nginx = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
    if nginx:
        (folder / "nginx.conf").write_text(NGINX.format(folder=folder, root=root, port=port))
        command = [nginx, "-c", str(folder / "nginx.conf"), "-p", str(folder)]
    else:
        command = [sys.executable, __file__, str(root), str(port)]
    say(f"Serving by {command[0]}")
    process = subprocess.Popen(command)
    try:
        for _ in range(100):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}/"
    finally:
        process.terminate()
        process.wait()


if __name__ == "__main__":
    handler = partial(QuietHandler, directory=sys.argv[1])
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2])), handler).serve_forever()
