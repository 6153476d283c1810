"""The dashboard as a server: what a thousand open sockets do to it."""

from __future__ import annotations

import json
import resource
import socket
import threading
import time
from collections import Counter

import pytest

from focused.dashboard.app import make_app
from focused.dashboard.guard import MAX_STREAMS
from focused.dashboard.runs import Runs
from focused.frontier.store.schema import lock

uvicorn = pytest.importorskip("uvicorn")
N, TOKEN = 1000, "right-token"


def test_of_a_thousand_open_sockets_some_are_served_and_pages_are_still_shown_and_all_are_given_back(tmp_path):
    if resource.getrlimit(resource.RLIMIT_NOFILE)[0] < 2 * N + 200:
        pytest.skip("needs 2,200 file descriptors: ulimit -n")
    (tmp_path / "live").mkdir()
    (tmp_path / "live" / "run.json").write_text(json.dumps({"topic": "stars", "finish_reason": "running"}))
    key = next(run.key for run in Runs(tmp_path).all())
    listening = socket.create_server(("127.0.0.1", 0), backlog=2048)
    host = f"127.0.0.1:{listening.getsockname()[1]}"
    app = make_app(tmp_path, token=TOKEN, hosts=frozenset({host}))
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)

    def ask(path: str) -> socket.socket:
        client = socket.create_connection(listening_at, timeout=30)
        cookie = f"dashboard_token_{listening_at[1]}={TOKEN}"
        client.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\n\r\n".encode())
        return client

    def status(client: socket.socket) -> int:
        return int(client.recv(12)[9:])

    listening_at, events = listening.getsockname(), f"/runs/{key}/events"
    with lock(tmp_path / "live" / "frontier.sqlite"):
        thread.start()
        clients = [ask(events) for _ in range(N)]
        answers = Counter(map(status, clients))
        others = [ask(events), ask("/")]
        met = [status(each) for each in others]
        for client in (*clients, *others):
            client.close()
        afterwards, until = 503, time.monotonic() + 30
        while afterwards == 503 and time.monotonic() < until:
            with ask(events) as client:
                afterwards = status(client)
        server.should_exit = True
        thread.join(30)
    assert answers == {200: MAX_STREAMS, 503: N - MAX_STREAMS}
    assert (met, afterwards) == ([503, 200], 200)
