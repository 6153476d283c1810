"""A headless Chromium, spoken to over a pipe: no port, no package."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_TIMEOUT_SECS = 180
# Chromium listens on 3 and answers on 4, whatever else is open here.
_LAUNCHER = """
import fcntl, os, sys
read, write = (fcntl.fcntl(int(number), fcntl.F_DUPFD, 10) for number in sys.argv[1:3])
os.dup2(read, 3)
os.dup2(write, 4)
os.execv(sys.argv[3], sys.argv[3:])
"""


class Browser:
    """One page of a browser."""

    def __init__(self, to_browser: int, from_browser: int) -> None:
        self._to, self._from, self._unread, self._number = to_browser, from_browser, b"", 0
        target = self._ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = ""
        self._session = self._ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

    def open(self, path: Path, width: int, height: int = 900, *, scheme: str = "light", media: str = "screen") -> None:
        """Open a file in a window of this size and wait until it is drawn."""
        self._ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self._ask("Emulation.setEmulatedMedia", media=media, features=features)
        url = path.resolve().as_uri()
        self._ask("Page.navigate", url=url)
        ready = f"document.readyState === 'complete' && location.href === {json.dumps(url)}"
        end = time.monotonic() + _TIMEOUT_SECS
        while not self.evaluate(ready):
            assert time.monotonic() < end, f"{path} does not load"
            time.sleep(0.05)

    def evaluate(self, script: str) -> Any:
        """Return what JavaScript makes of the page."""
        answer = self._ask("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def screenshot(self, path: Path) -> None:
        """Draw the whole page into a PNG."""
        data = self._ask("Page.captureScreenshot", captureBeyondViewport=True)["data"]
        path.write_bytes(base64.b64decode(data))

    def _ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if getattr(self, "_session", ""):
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + _TIMEOUT_SECS
        while True:
            while b"\0" not in self._unread:
                ready, _, _ = select.select([self._from], [], [], max(0.0, end - time.monotonic()))
                assert ready, f"The browser does not answer to {method}"
                got = os.read(self._from, 1 << 20)
                assert got, f"The browser died of {method}"
                self._unread += got
            answer, _, self._unread = self._unread.partition(b"\0")
            told = json.loads(answer)
            if told.get("id") == self._number:
                assert "error" not in told, (method, told["error"])
                return told["result"]


@contextmanager
def chromium(profile: Path) -> Iterator[Browser]:
    """Start a browser; where there is none the test is skipped, or fails if FOCUSED_BROWSER_REQUIRED is set (.ci/run)."""
    program = next(filter(None, map(shutil.which, _NAMES)), None)
    if program is None:
        reason = "no Chromium here; on Debian: apt-get install chromium"
        if os.environ.get("FOCUSED_BROWSER_REQUIRED"):
            pytest.fail(reason)
        pytest.skip(reason)
    theirs_in, ours_out = os.pipe()
    ours_in, theirs_out = os.pipe()
    options = [
        "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run",
        "--remote-debugging-pipe", f"--user-data-dir={profile}", "about:blank",
    ]  # fmt: skip
    process = subprocess.Popen(
        [sys.executable, "-c", _LAUNCHER, str(theirs_in), str(theirs_out), program, *options],
        pass_fds=(theirs_in, theirs_out), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env={**os.environ, "HOME": str(profile)},
    )  # fmt: skip
    os.close(theirs_in)
    os.close(theirs_out)
    try:
        yield Browser(ours_out, ours_in)
    finally:
        os.close(ours_out)  # it ends when nobody speaks to it any more
        os.close(ours_in)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
