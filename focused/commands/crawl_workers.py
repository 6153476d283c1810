"""``scrapy crawl focused -a workers=N``: several processes of this machine crawl together, by the database that they share.

The parent crawls nothing. It has the database run, starts the workers (`crawl_crew`), passes Ctrl-C on, says how the crawl
goes (`crawl_watch`), and keeps the run directory up to date (`crawl_folder`).
"""

from __future__ import annotations

import logging
import signal
import sys
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from focused.commands.crawl_crew import FOLDER, Crew
from focused.commands.crawl_watch import WatchedCrawl, say_who_else_is_at_work, watch
from focused.crawl.arguments import PlanError
from focused.crawl.declared_settings import COMMAND_LINE
from focused.crawl.followed_run import FollowedCrawl
from focused.crawl.planning import plan_crawl
from focused.crawl.resume_command import without_secrets
from focused.crawl.run_directory import make_run_dir
from focused.crawl.shared_crawl import find_shared, no_crawl
from focused.frontier.store.schema import FrontierFileError, lock
from focused.method.topic.names import check_topic_name
from focused.utils.crawl_settings import RUN_DIR
from focused.utils.embedded_server import FOLDER as SERVER_FOLDER
from focused.utils.embedded_server import EmbeddedServer, remove_unused
from focused.utils.file_names import DATABASE_FILE, FRONTIER_FILE
from focused.utils.folder_settings import RUNS_DIR
from focused.utils.frontier_settings import DATABASE, SHARED_CRAWL
from focused.utils.output_settings import METRICS_INTERVAL_SECS
from focused.utils.places import IS_INSTALLED
from focused.utils.project_command import whole_number
from focused.utils.words import quantity

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from scrapy.settings import BaseSettings

    from focused.crawl.plan import CrawlPlan

logger = logging.getLogger(__name__)

_MOST_WORKERS = 64
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
        raise PlanError("-O and -o are for a crawl of one process. Export the pages of this one with scrapy export.")
    arguments = {name: value for name, value in opts.spargs.items() if name not in _OWN}
    crawl = str(opts.spargs.get("crawl") or SHARED_CRAWL.read(settings))
    run_dir = _run_dir(opts.spargs, arguments, crawl, settings)
    with ExitStack() as stack:
        stack.callback(_leave_nothing_of_what_never_began, run_dir)
        mark = _mark(run_dir, crawl, settings)
        # The workers use the server, too, so that it goes on if this process is killed.
        server = None if mark.database else stack.enter_context(EmbeddedServer(run_dir / SERVER_FOLDER))
        database = mark.database if server is None else server.url
        mark_settings = settings.copy()
        mark_settings.set(DATABASE.name, database, priority="cmdline")
        planned = {**arguments, "crawl": mark.crawl, "run_dir": str(run_dir / FOLDER)}
        plan = plan_crawl(planned, mark_settings)
        replace(mark, command=without_secrets(sys.orig_argv)).write(run_dir)
        with suppress(FrontierFileError):  # another command has workers at work on it
            stack.enter_context(
                lock(run_dir / FRONTIER_FILE)
            )  # so the dashboard knows that it goes on, and whom to stop
        argv = _argv(planned, opts, database)
        watched = WatchedCrawl(database, mark.crawl, run_dir, plan.max_pages)
        before = watched.other_workers()
        crew = Crew(argv, run_dir / FOLDER, n_workers, () if server is None else (server.lock,))
        try:
            _say_what_begins(plan, crew, run_dir)
            if plan.web == "live" and "+" not in str(plan.decided.get("USER_AGENT", settings.get("USER_AGENT"))):
                logger.warning("Site owners cannot reach you. Set -s FOCUSED_CONTACT=you@example.org")
            say_who_else_is_at_work(before)
            interval_secs = METRICS_INTERVAL_SECS.read(settings)
            return watch(crew, watched, interval_secs, _nothing if server is None else server.revive)
        finally:
            crew.signal(signal.SIGTERM)  # no worker outlives this process if it fails


def _run_dir(given: Mapping[str, Any], arguments: Mapping[str, Any], crawl: str, settings: BaseSettings) -> Path:
    named = given.get("run_dir") or RUN_DIR.read(settings)
    topic = arguments.get("topic")
    if not named and topic is None and crawl and (shared := find_shared(given, settings)) is not None:
        if shared.known is None:
            raise PlanError(no_crawl(crawl))
        topic = check_topic_name(str(shared.known.about["arguments"]["topic"]))
    if not named and topic is None:
        raise PlanError(
            "Name the topic, the folder of a crawl to go on with, or a crawl in a database: -a topic=demo, "
            "-a run_dir=PATH, or -a crawl=NAME -s FOCUSED_DATABASE=postgresql://..."
        )
    if not named and crawl:
        named = str(Path(RUNS_DIR.read(settings) or RUNS_DIR.default) / str(topic) / crawl)
    run_dir = make_run_dir(named, str(arguments.get("topic", "")), settings, is_confined=False)
    if (run_dir / FRONTIER_FILE).exists():
        raise PlanError(f"{run_dir} holds a crawl of one process. Go on without workers, or choose another folder")
    return run_dir


def _mark(run_dir: Path, crawl: str, settings: BaseSettings) -> FollowedCrawl:
    """Return which crawl the folder follows, or is going to follow; a ValueError if another one is named."""
    url = DATABASE.read(settings)
    is_named = bool(crawl) or (settings.getpriority(DATABASE.name) or 0) >= COMMAND_LINE
    known = FollowedCrawl.of(run_dir)
    if known is not None:
        if is_named and known != FollowedCrawl(crawl or known.crawl, url or known.database):
            where = known.database or "a server of its own"
            raise PlanError(
                f"{run_dir} is the folder of crawl {known.crawl!r} in {where}. "
                "Choose another with -a run_dir=PATH, or move it away"
            )
        return known
    if url and not crawl:
        if is_named:
            raise PlanError("FOCUSED_DATABASE holds crawls by their names. Name one to join or to begin: -a crawl=NAME")
        logger.warning(
            "FOCUSED_DATABASE is not used: no crawl there is named (-a crawl=NAME). This one has a server of its own"
        )
    return FollowedCrawl(crawl or "crawl", url if crawl else "")


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


def _say_what_begins(plan: CrawlPlan, crew: Crew, run_dir: Path) -> None:
    what = f"Topic {plan.topic.name} on web {plan.web}, strategy {plan.strategy.name}, {quantity(len(plan.seeds), 'seeds')}"
    limit = quantity(plan.max_pages, "pages") if plan.max_pages else "no page limit"
    logger.info("%s, %s, %s; results in %s", what, limit, quantity(crew.n_running, "workers"), run_dir)


def _leave_nothing_of_what_never_began(run_dir: Path) -> None:
    """Remove the server of a crawl that was refused, and its folder if nothing else is in it."""
    if (run_dir / DATABASE_FILE).exists():
        return
    remove_unused(run_dir / SERVER_FOLDER)
    with suppress(OSError):
        run_dir.rmdir()


def _nothing() -> None:
    """A database that is named is somebody else's: workers wait for it."""
