"""Run Scrapy commands as a user does, each in a process of its own, without importing everything each time.

The process that commands are forked from imports this module, too; what only tests need is imported elsewhere.
"""

from __future__ import annotations

import csv
import json
import multiprocessing
import os
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import forkserver
from pathlib import Path
from typing import TYPE_CHECKING, Any

import forked_workers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).resolve().parent.parent
TIMEOUT_SECS = 300
FORK_SERVER = "FOCUSED_TESTS_FORK_SERVER"
# Processes that each use all cores for small products are slower than as many that use one.
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")


@dataclass
class Finished:
    """What a command left."""

    exit_code: int | None
    out: str
    err: str
    run_dir: Path = field(default_factory=Path)

    @property
    def run(self) -> dict[str, Any]:
        return json.loads((self.run_dir / "run.json").read_text())

    @property
    def stats(self) -> dict[str, Any]:
        return self.run["stats"]

    @property
    def pages(self) -> list[dict[str, Any]]:
        """The relevant pages; a crawl that found none writes no file."""
        path = self.run_dir / "pages.jsonl"
        return read_json_lines(path) if path.exists() else []

    @property
    def harvest(self) -> list[dict[str, str]]:
        with (self.run_dir / "harvest.csv").open(newline="") as file:
            return list(csv.DictReader(file))


def read_json_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n")[:-1]]


def ensure_fork_server() -> None:
    """Let there be a process that has imported all: each command runs in a fork of it."""
    server = forkserver._forkserver
    if server._forkserver_address is not None:
        return
    if FORK_SERVER in os.environ:  # that of the process which started this one
        server._forkserver_address, key = os.environ[FORK_SERVER].split(" ")
        server._forkserver_authkey = bytes.fromhex(key)
        server._forkserver_alive_fd = os.open(os.devnull, os.O_RDONLY)
        server.ensure_running = lambda: None
        return
    forkserver.set_forkserver_preload(["preloaded"])
    before = dict(os.environ)
    os.environ.update(dict.fromkeys(ONE_THREAD, "1"), PYTHONPATH=f"{ROOT}{os.pathsep}{ROOT / 'tests'}")
    try:
        forkserver.ensure_running()
    finally:
        os.environ.clear()
        os.environ.update(before)


def share_fork_server() -> None:
    """Let processes that this one starts from now on fork their commands from one process, which imports all once."""
    ensure_fork_server()
    server = forkserver._forkserver
    key = getattr(server, "_forkserver_authkey", None) or b""  # since Python 3.14
    os.environ[FORK_SERVER] = f"{server._forkserver_address} {key.hex()}"


@contextmanager
def started(
    *argv: str,
    cwd: Path,
    env: dict[str, str] | None = None,
    before: Callable[[], None] | None = None,
    forks_workers: bool = True,
) -> Iterator[multiprocessing.process.BaseProcess]:
    """Start ``scrapy ARGV``; its output goes to the files ``out`` and ``err`` in ``cwd``.

    ``before`` is a function of a module of the tests, called in the process before the command. ``forks_workers``: whether
    worker processes that the command starts are forks, too, instead of new interpreters.
    """
    ensure_fork_server()
    # Which of the processes that run tests it works for: benchmarks/mutation wants to know.
    own = {name: os.environ[name] for name in ("PYTEST_XDIST_WORKER",) if name in os.environ}
    process = multiprocessing.get_context("forkserver").Process(
        target=_run, args=(argv, str(cwd), own | (env or {}), before, forks_workers)
    )
    process.start()
    try:
        yield process
        process.join(TIMEOUT_SECS)
        assert process.exitcode is not None, f"scrapy {' '.join(argv)} takes too long"
    finally:
        if process.exitcode is None:
            process.kill()
            process.join()


def scrapy(
    *argv: str,
    cwd: Path,
    env: dict[str, str] | None = None,
    before: Callable[[], None] | None = None,
    forks_workers: bool = True,
) -> Finished:
    """Run ``scrapy ARGV`` to its end."""
    cwd.mkdir(parents=True, exist_ok=True)
    with started(*argv, cwd=cwd, env=env, before=before, forks_workers=forks_workers) as process:
        pass
    return finished(process, cwd)


def finished(process: multiprocessing.process.BaseProcess, cwd: Path) -> Finished:
    return Finished(process.exitcode, (cwd / "out").read_text(), (cwd / "err").read_text(), cwd / "run")


def crawl(
    models: Path,
    cwd: Path,
    *,
    settings: dict[str, Any] | None = None,
    before: Any = None,
    feed: str = "",
    forks_workers: bool = True,
    **arguments: Any,
) -> Finished:
    """Run ``scrapy crawl focused`` in a folder with ``run`` as its run directory."""
    return scrapy(
        *crawl_argv(settings, feed, **arguments),
        cwd=cwd,
        env=environment(models),
        before=before,
        forks_workers=forks_workers,
    )


def crawl_argv(settings: dict[str, Any] | None = None, feed: str = "", **arguments: Any) -> list[str]:
    argv = ["crawl", "focused"]
    for name, value in {"topic": "stars", "run_dir": "run", **arguments}.items():
        if value is not None:
            argv += ["-a", f"{name}={value}"]
    for name, value in (settings or {}).items():
        argv += ["-s", f"{name}={value}"]
    return [*argv, "-O", feed] if feed else argv


def environment(models: Path) -> dict[str, str]:
    return {"FOCUSED_MODELS_DIR": str(models), "SCRAPY_SETTINGS_MODULE": "focused.settings"}


def _run(
    argv: tuple[str, ...], cwd: str, env: dict[str, str], before: Callable[[], None] | None, forks_workers: bool
) -> None:
    os.chdir(cwd)
    for name, number in (("out", 1), ("err", 2)):
        os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644), number)
    os.environ.update(env)
    sys.modules.pop("focused.settings", None)  # it was read in another environment
    sys.argv = ["scrapy", *argv]
    sys.orig_argv = [sys.executable, "-m", *sys.argv]
    if forks_workers:
        forked_workers.install()
    if before is not None:
        before()
    from scrapy.cmdline import execute

    execute(["scrapy", *argv])
