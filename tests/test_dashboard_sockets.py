"""The dashboard as a server: what a thousand open sockets do to it."""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import socket
import time
from collections import Counter
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest
from dashboard_browser import dashboard

from focused.dashboard.guard import MAX_STREAMS
from focused.dashboard.runs import Runs
from focused.frontier.store.schema import lock
from focused.utils.open_files import raise_limit

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

N = 1000


def few_files() -> None:
    """In the process of a dashboard: it may open fewer files than there are sockets."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (700, 700))


@pytest.fixture
def runs(tmp_path) -> Path:
    """A folder with a run that goes on."""
    if (raise_limit() or N + 500) < N + 500:
        pytest.skip(f"needs {N + 500} file descriptors: ulimit -Hn")
    for folder in ("models", "runs/live"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "runs" / "live" / "run.json").write_text(json.dumps({"topic": "stars", "finish_reason": "running"}))
    return tmp_path / "runs"


@pytest.mark.parametrize(("before", "shown"), [(None, {200}), (few_files, {200, 503})])
def test_of_a_thousand_open_streams_some_are_served_and_the_others_refused_and_all_are_given_back(
    runs: Path, before: Callable[[], None] | None, shown: set[int]
):
    folder = runs.parent
    key = next(run.key for run in Runs(runs).all())
    with lock(runs / "live" / "frontier.sqlite"), dashboard(folder, before) as (_, link), ExitStack() as clients:
        address, token = re.fullmatch(r"http://(.+)/\?token=(.+)", link).groups()
        host, port = address.split(":")

        def status(path: str, stays_in: ExitStack) -> int:
            client = stays_in.enter_context(socket.create_connection((host, int(port)), 60))
            asked = f"GET {path} HTTP/1.1\r\nHost: {address}\r\nCookie: dashboard_token_{port}={token}\r\n\r\n"
            client.sendall(asked.encode())
            return int(client.recv(12)[9:])

        events = f"/runs/{key}/events"
        assert Counter(status(events, clients) for _ in range(N)) == {200: MAX_STREAMS, 503: N - MAX_STREAMS}
        assert status(events, clients) == 503
        assert status("/", clients) in shown
        clients.close()
        afterwards, until = 503, time.monotonic() + 180
        while afterwards == 503 and time.monotonic() < until:
            with ExitStack() as one:
                afterwards = status(events, one)
        assert afterwards == 200
    said = set((folder / "err").read_text().splitlines())
    assert said <= ({"WARNING:  Exceeded concurrency limit."} if before else set())


def test_ctrl_c_is_how_a_dashboard_ends_and_no_error(tmp_path):
    with dashboard(tmp_path) as (process, _):
        os.kill(process.pid, signal.SIGINT)
        process.join(180)
        assert process.exitcode == 0
    assert (tmp_path / "err").read_text() == ""
    assert (tmp_path / "out").read_text().endswith("The dashboard has ended; crawls go on\n")
