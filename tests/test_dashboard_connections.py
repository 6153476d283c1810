"""Connections of the dashboard: who asks nothing or takes nothing is not waited for; who is slow and goes on, is."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from contextlib import suppress

import pytest
import uvicorn

from focused.dashboard import connections

ASK, TAKE = 0.6, 0.8


class Served:
    """A small application in a server of the dashboard's kind."""

    def __init__(self) -> None:
        self.n_streams = 0
        self.n_ended = 0

    async def __call__(self, scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/plain")]})
        if scope["path"] == "/upload":
            n_bytes, more = 0, True
            while more:
                message = await receive()
                n_bytes, more = n_bytes + len(message.get("body", b"")), message.get("more_body", False)
            await send({"type": "http.response.body", "body": str(n_bytes).encode()})
            return
        self.n_streams += 1
        piece = b"x" * (1_000_000 if scope["path"] == "/much" else 1)
        gone = asyncio.ensure_future(_gone(receive))
        while not gone.done():
            await send({"type": "http.response.body", "body": piece, "more_body": True})
            await asyncio.sleep(0.1)
        self.n_ended += 1


async def _gone(receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


@pytest.fixture
def served(monkeypatch):
    """The application, and a function that opens a socket and sends what it is given."""
    for name, secs in (("ASK_SECS", ASK), ("TAKE_SECS", TAKE), ("LOOK_SECS", 0.05)):
        monkeypatch.setattr(connections, name, secs)
    app, listening = Served(), socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(
        app,
        log_level="error",
        lifespan="off",
        http=connections.Connection,
        timeout_graceful_shutdown=1,
        timeout_keep_alive=600,
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    opened = list[socket.socket]()

    def ask(text: str) -> socket.socket:
        client = socket.create_connection(listening.getsockname(), 10)
        opened.append(client)
        client.sendall(text.encode())
        return client

    yield app, ask
    for each in opened:
        each.close()
    server.should_exit = True
    thread.join()


def is_closed_within(client: socket.socket, secs: float, drip: bytes = b"") -> bool:
    """Tell whether the server ends a connection, to which one byte after the other is sent."""
    until = time.monotonic() + secs
    client.settimeout(0.1)
    while time.monotonic() < until:
        with suppress(TimeoutError):
            try:
                client.sendall(drip)
                if not client.recv(1 << 16):
                    return True
            except ConnectionError:
                return True
    return False


@pytest.mark.parametrize(
    ("asked", "drip"),
    [("", b""), ("GET / HT", b""), ("GET / HTTP/1.1\r\nHost: a\r\nX: ", b"x"), ("POST /upload HTTP/1.1\r\nHost: a\r\n"
      "Content-Length: 9\r\n\r\nabc", b"")],
)  # fmt: skip
def test_a_connection_without_a_whole_request_is_closed(served, asked, drip):
    _, ask = served
    began = time.monotonic()
    assert is_closed_within(ask(asked), 60, drip)
    assert time.monotonic() - began > ASK - 0.1


def test_a_connection_that_asked_once_is_closed_when_it_asks_nothing_more(served):
    _, ask = served
    client = ask("POST /upload HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab")
    assert is_closed_within(client, 60)  # uvicorn's own time ends with the first byte of a next request


def test_a_stream_and_an_upload_that_go_on_are_not_cut(served, monkeypatch):
    app, ask = served
    secs, n_parts = 1.5, 40  # many a part in the time in which one is waited for: this machine may be busy
    for name in ("ASK_SECS", "TAKE_SECS"):
        monkeypatch.setattr(connections, name, secs)
    stream = ask("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n")
    upload = ask("POST /upload HTTP/1.1\r\nHost: a\r\nContent-Length: 40\r\nConnection: close\r\n\r\n")
    until = time.monotonic() + 1.5 * secs
    for _ in range(n_parts):
        time.sleep(1.5 * secs / n_parts)
        upload.sendall(b"x")
        assert stream.recv(1 << 16)
    assert time.monotonic() > until
    answer = b""
    while part := upload.recv(1 << 16):
        answer += part
    assert answer.split(b"\r\n\r\n", 1)[1].startswith(b"2\r\n40\r\n")
    assert app.n_ended == 0


def test_a_stream_that_nobody_reads_is_ended_and_its_place_is_free(served):
    app, ask = served
    ask("GET /much HTTP/1.1\r\nHost: a\r\n\r\n")
    until = time.monotonic() + 60
    while not app.n_ended:
        assert time.monotonic() < until
        time.sleep(0.05)
    assert (app.n_streams, app.n_ended) == (1, 1)
