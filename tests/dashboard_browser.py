"""A real dashboard and a real browser, for tests and for the pictures in the documentation."""

from __future__ import annotations

import re
import shutil
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from commands import ROOT, environment, started
from patience import wait_for_answers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

VIEWS = ("", "/pages?which=all", "/pages/1?words=star", "/judge", "/judge?as=ann", "/learn", "/export", "/manage")
"""Of a run; ``/judge`` asks for a name."""


@contextmanager
def dashboard(
    folder: Path, before: Callable[[], None] | None = wait_for_answers, options: Sequence[str] = ()
) -> Iterator[tuple[Any, str]]:
    """Serve ``folder/runs``, with topics of its own in ``folder/models``; yield the process and the link that it prints for all programs.

    ``before`` is a function of a module of the tests, called in the process before the command. By default answers are whole:
    nothing in a browser loads a page again that says "in a moment".
    """
    if not (folder / "models").exists():
        shutil.copytree(ROOT / "models" / "demo", folder / "models" / "demo")
        (folder / "runs").mkdir()
    out = folder / "out"
    out.unlink(missing_ok=True)
    env = environment(folder / "models")
    with started("dashboard", "runs", "--port", "0", *options, cwd=folder, env=env, before=before) as process:
        deadline = time.monotonic() + 180
        while not (link := re.search(r"http://127\S+\n", out.read_text() if out.exists() else "")):
            assert time.monotonic() < deadline
            assert process.is_alive(), (folder / "err").read_text()
            time.sleep(0.05)
        try:
            yield process, link[0].strip()
        finally:
            process.kill()  # what it started goes on, what it wrote is whole


def own_link(folder: Path) -> str:
    """Return the link that a dashboard of this folder prints for browsers."""
    return re.search(r"http://focused-\w+\.localhost:\S+", (folder / "out").read_text())[0]


@contextmanager
def browser() -> Iterator[Any]:
    """Yield Debian's Chromium; a test without one is skipped."""
    playwright = pytest.importorskip("playwright.sync_api")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("no Chromium here")
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        try:
            yield opened
        finally:
            opened.close()


def new_page(opened: Any, faults: list[str], **options: Any) -> Any:
    """Open a page whose faults are noted."""
    page = opened.new_context(**options).new_page()
    page.set_default_timeout(60_000)
    page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: faults.append(str(error)))
    return page


def judge(page: Any, keys: str) -> None:
    """Answer one page after the other, each with one key."""
    page.wait_for_load_state("load")  # a key that is pressed before the script is there is nobody's
    for n, key in enumerate(keys):
        page.wait_for_selector(f"text={n} judged:")
        page.keyboard.press(key)
    page.wait_for_selector(f"text={len(keys)} judged:")
