"""``scrapy crawl focused -a workers=N``: several processes of this machine crawl together, by the database that they share.

The parent crawls nothing. It has the database run, starts the workers, passes Ctrl-C on, says how the crawl goes, and keeps
the run directory up to date.
"""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from focused.crawl.arguments import PlanError
from focused.crawl.own_settings import DATABASE, SHARED_CRAWL
from focused.crawl.planning import plan_crawl
from focused.crawl.resume_command import how_to_resume
from focused.crawl.run_directory import make_run_dir
from focused.crawl.shared_copy import Mark, refresh
from focused.crawl.shared_run import SharedRun
from focused.utils.embedded_server import FOLDER as SERVER_FOLDER
from focused.utils.embedded_server import EmbeddedServer
from focused.utils.file_names import COLLECTION_FILE, FRONTIER_FILE, PAGES_FILE, RUN_FILE
from focused.utils.places import IS_INSTALLED
from focused.utils.project_command import whole_number
from focused.utils.words import quantity

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from scrapy.settings import BaseSettings

    from focused.crawl.plan import CrawlPlan
    from focused.crawl.shared_run import SharedTotals

logger = logging.getLogger(__name__)

FOLDER = "workers"
"""In the run directory: a folder and a log of each worker."""
_MOST_WORKERS = 64
_REFRESH_SECS = 30.0
_LOOK_SECS = 0.2
_CHECK_SECS = 2.0
"""How often the server is looked after. One that is away longer than a worker's last wait costs that worker's last pages."""
_LAST_LOOKS = 50
_OWN = frozenset({"workers", "run_dir", "crawl"})


def crawl_with_workers(opts: argparse.Namespace, settings: BaseSettings) -> int:
    """Crawl with as many workers as ``-a workers`` says; return the exit code.

    Raises
    ------
    ValueError
        If anything is not as it must be: as of `plan_crawl`. Nothing has been requested by then.
    """
    n_workers = whole_number("workers", opts.spargs["workers"], least=1, most=_MOST_WORKERS)
    if settings.getdict("FEEDS"):
        raise PlanError("-O and -o are for a crawl of one process. Take the pages of this one away with scrapy export.")
    arguments = {name: value for name, value in opts.spargs.items() if name not in _OWN}
    url, crawl = DATABASE.read(settings), str(opts.spargs.get("crawl") or SHARED_CRAWL.read(settings))
    run_dir = _run_dir(opts.spargs, arguments, crawl, settings)
    mark = Mark.of(run_dir) or Mark(crawl or "crawl", url if crawl else "")
    with ExitStack() as stack:
        # The workers use the server, too: should this process be killed, nobody stops it under them.
        server = None if mark.database else stack.enter_context(EmbeddedServer(run_dir / SERVER_FOLDER))
        database = mark.database if server is None else server.url
        mark_settings = settings.copy()
        mark_settings.set(DATABASE.name, database, priority="cmdline")
        planned = {**arguments, "crawl": mark.crawl, "run_dir": str(run_dir / FOLDER)}
        plan = plan_crawl(planned, mark_settings)
        mark.write(run_dir)
        argv = _argv(planned, opts, database)
        crew = Crew(argv, run_dir / FOLDER, n_workers, () if server is None else (server.lock,))
        try:
            return _crawl(
                crew, plan, mark, run_dir, database, settings, revive=_nothing if server is None else server.revive
            )
        finally:
            crew.signal(signal.SIGTERM)  # nobody is left where this process fails


def _run_dir(given: Mapping[str, Any], arguments: Mapping[str, Any], crawl: str, settings: BaseSettings) -> Path:
    named = given.get("run_dir") or settings.get("FOCUSED_RUN_DIR")
    if not named and "topic" not in arguments:
        raise PlanError("Name the topic, or the folder of a crawl to go on with: -a topic=demo, or -a run_dir=PATH")
    if not named and crawl:
        named = str(Path(str(settings.get("FOCUSED_RUNS_DIR") or "runs")) / str(arguments["topic"]) / crawl)
    run_dir = make_run_dir(named, str(arguments.get("topic", "")), settings, is_confined=False)
    if (run_dir / FRONTIER_FILE).exists():
        raise PlanError(f"{run_dir} holds a crawl of one process. Go on without workers, or choose another folder")
    return run_dir


def _argv(planned: Mapping[str, str], opts: argparse.Namespace, database: str) -> list[str]:
    """Return the command of a worker, without its run directory: what else the crawl is, the database says."""
    program = "focused" if IS_INSTALLED or Path(sys.argv[0]).name == "focused" else "scrapy"
    argv = [sys.executable, "-m", program, "crawl", "focused"]
    for name, value in planned.items():
        if name != "run_dir":
            argv += ["-a", f"{name}={value}"]
    for option in [*opts.set, f"{DATABASE.name}={database}"]:
        argv += ["-s", option]
    if opts.loglevel:
        argv += ["-L", opts.loglevel]
    return argv


class Crew:
    """The workers, as processes that a terminal's Ctrl-C does not reach by itself."""

    def __init__(self, argv: list[str], folder: Path, n_workers: int, kept_open: Sequence[int]) -> None:
        self._processes: list[subprocess.Popen[bytes]] = []
        stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
        package = str(Path(__file__).resolve().parents[2])
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH", "")])),
            # Processes that each use all cores for small products are slower than as many that use one.
            "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", "1"),
            "OPENBLAS_NUM_THREADS": os.environ.get("OPENBLAS_NUM_THREADS", "1"),
        }
        for number in range(1, n_workers + 1):
            with (folder / f"{number}.log").open("ab") as log:
                self._processes.append(
                    subprocess.Popen(
                        [*argv, "-a", f"run_dir={folder / f'{stamp}-{number}'}"],
                        env=environment,
                        stdin=subprocess.DEVNULL,
                        stdout=log,
                        stderr=log,
                        start_new_session=True,
                        pass_fds=kept_open,
                    )
                )
        self._told: set[int] = set()

    @property
    def n_running(self) -> int:
        """How many are there."""
        return sum(each.poll() is None for each in self._processes)

    def signal(self, number: int) -> None:
        """Pass a signal on to those that are there."""
        for each in self._processes:
            if each.poll() is None:
                each.send_signal(number)

    def newly_failed(self) -> Iterator[tuple[int, int]]:
        """Yield number and exit code of workers that failed since the last call."""
        for number, each in enumerate(self._processes, 1):
            if each.poll() and number not in self._told:
                self._told.add(number)
                yield number, int(each.returncode)

    @property
    def has_failed(self) -> bool:
        """Whether no worker ended well."""
        return all(each.returncode for each in self._processes)


def _nothing() -> None:
    """A database that is named is somebody else's: workers wait for it."""


def _crawl(
    crew: Crew, plan: CrawlPlan, mark: Mark, run_dir: Path, database: str, settings: BaseSettings, *,
    revive: Callable[[], None],
) -> int:  # fmt: skip
    what = f"Topic {plan.topic.name} on web {plan.web}, strategy {plan.strategy.name}, {quantity(len(plan.seeds), 'seeds')}"
    limit = quantity(plan.max_pages, "pages") if plan.max_pages else "no page limit"
    logger.info("%s, %s, %s; results in %s", what, limit, quantity(crew.n_running, "workers"), run_dir)
    interval = settings.getfloat("FOCUSED_METRICS_INTERVAL_SECS")
    totals = _totals(database, mark.crawl)
    n_before = n_last = totals.n_pages if totals else 0
    with _signals_passed_on(crew):
        started = last = looked = refreshed = time.monotonic()
        while crew.n_running:
            time.sleep(_LOOK_SECS)
            _say_who_failed(crew, run_dir)
            now = time.monotonic()
            says = bool(interval) and now - last >= interval
            if now - looked >= _CHECK_SECS or (says and totals is not None):
                looked = now
                totals = _totals(database, mark.crawl)
                if totals is None:
                    with suppress(ValueError):
                        revive()
                elif says:
                    logger.info("%s", _progress(totals, plan.max_pages, (totals.n_pages - n_last) / (now - last)))
                    last, n_last = now, totals.n_pages
            if now - refreshed >= _REFRESH_SECS:
                _refresh(run_dir)
                refreshed = time.monotonic()
        secs = time.monotonic() - started
    _say_who_failed(crew, run_dir)
    for _ in range(_LAST_LOOKS):
        if (totals := _totals(database, mark.crawl)) is not None:
            break
        with suppress(ValueError):  # what a killed server leaves goes a moment later
            revive()
        time.sleep(_LOOK_SECS)
    if totals is not None:
        _refresh(run_dir)
        _say_the_end(totals, (totals.n_pages - n_before) / max(secs, 1e-9), run_dir, crew)
    else:
        logger.error("The database does not answer. When it does, go on: %s", how_to_resume(sys.orig_argv, run_dir))
    return int(crew.has_failed or totals is None)


def _totals(database: str, crawl: str) -> SharedTotals | None:
    """Return where the crawl stands; None while the database does not answer: workers wait for it, too."""
    from psycopg import Error

    try:
        with SharedRun.opened(database, crawl) as run:
            return run.totals()
    except (Error, ValueError):
        return None


def _say_who_failed(crew: Crew, run_dir: Path) -> None:
    for number, code in crew.newly_failed():
        logger.error("Worker %d ended with exit code %d: %s says why", number, code, run_dir / FOLDER / f"{number}.log")


def _progress(totals: SharedTotals, max_pages: int, pages_per_sec: float) -> str:
    of = f" of {max_pages}" if max_pages else ""
    rate = totals.n_relevant / totals.n_pages if totals.n_pages else 0.0
    return (
        f"{totals.n_pages:6d}{of} pages  judged relevant {totals.n_relevant} ({rate:.3f})  frontier {totals.n_waiting} on "
        f"{quantity(totals.n_hosts, 'hosts')}  {quantity(totals.n_alive, 'workers')}  "
        f"{pages_per_sec:.{0 if pages_per_sec >= 10 else 1}f} pages/s"
    )


def _refresh(run_dir: Path) -> None:
    try:
        refresh(run_dir)
    except (ValueError, OSError) as error:
        logger.warning("%s cannot be brought up to date: %s", run_dir, error)


def _say_the_end(totals: SharedTotals, pages_per_sec: float, run_dir: Path, crew: Crew) -> None:
    found = f"{totals.n_relevant:,} judged relevant of {quantity(totals.n_pages, 'pages')}"
    waiting = quantity(totals.n_waiting, "links")
    reason = totals.reason or ("the workers failed" if crew.has_failed else "stopped")
    logger.info("Finished (%s): %s, %.0f pages/s, %s still waiting", reason, found, pages_per_sec, waiting)
    for what, name in (("relevant pages", PAGES_FILE), ("all pages", COLLECTION_FILE), ("the whole run", RUN_FILE)):
        if (run_dir / name).exists():
            logger.info("  %-15s %s", what, run_dir / name)
    logger.info("  %-15s %s", "the workers", run_dir / FOLDER)
    if totals.reason is None:
        logger.info("  %-15s %s", "to go on", how_to_resume(sys.orig_argv, run_dir))


@contextmanager
def _signals_passed_on(crew: Crew) -> Iterator[None]:
    """Let Ctrl-C and SIGTERM end the workers, not this process, which ends when they have ended."""

    def pass_on(number: int, _frame: object) -> None:
        logger.info(
            "Received %s: %s end; again: at once", signal.Signals(number).name, quantity(crew.n_running, "workers")
        )
        crew.signal(number)

    before = {each: signal.signal(each, pass_on) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
