"""Watches workers: logs their progress, failures and end, and keeps the run directory up to date."""

from __future__ import annotations

import logging
import os
import socket
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from focused.commands.crawl_crew import FOLDER, MOST_RESTARTS, RESTARTS_SECS, signals_passed_on
from focused.commands.crawl_folder import FolderUpdates
from focused.commands.crawl_progress import ProgressLog
from focused.crawl.alerts import ALERT
from focused.crawl.delivered_words import about_delivered, counted, found_in_short
from focused.crawl.final_judging import words_of_judging_again
from focused.crawl.followed_run import judged_lines
from focused.crawl.resume_command import how_to_resume
from focused.crawl.saturation import SATURATED
from focused.crawl.shared_figures import FolderFigures
from focused.crawl.shared_run import SharedRun
from focused.crawl.shared_verdicts import VerdictSender
from focused.utils.file_names import COLLECTION_FILE, PAGES_FILE, RUN_FILE
from focused.utils.finish_reasons import WORDS_NOT_FOUND
from focused.utils.words import quantity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from focused.commands.crawl_crew import Crew
    from focused.crawl.shared_run import SharedTotals

logger = logging.getLogger(__name__)

_REFRESH_SECS = 5.0
_REFRESH_SHARE = 0.1
"""The run directory is updated at most so often, and that may take this share of the time."""
_LOOK_SECS = 0.2
_CHECK_SECS = 2.0
"""How often the server is checked. A worker that ends while the server is away waits; if it waits in vain, its last pages are
lost."""
_LAST_LOOKS = 50
_MOST_NAMED = 10
_LIMITS = ("max_pages", "max_minutes", "max_relevant")
_STOPPED = "stopped"
_FAILED_BY = {WORDS_NOT_FOUND: "The crawl ends: none of the topic's words stands in any of the pages met"}
"""Reasons for which a crawl has failed, in words."""


@dataclass(frozen=True)
class WatchedCrawl:
    """The crawl that the workers share."""

    database: str
    #: The name of the crawl in the database.
    name: str
    run_dir: Path
    #: 0: no limit.
    max_pages: int

    @cached_property
    def _verdicts(self) -> VerdictSender:
        return VerdictSender(self.run_dir)

    def totals(self) -> SharedTotals | None:
        """Return where the crawl stands, and send it new verdicts of people; None while the database does not answer."""
        from psycopg import Error

        try:
            with SharedRun.opened(self.database, self.name) as run:
                self._verdicts.send(run)
                return run.totals()
        except (Error, ValueError):
            return None

    def other_workers(self, processes: Iterable[int] = ()) -> list[str]:
        """Return the workers other than ``processes``, those of this command; empty if the database does not answer."""
        from psycopg import Error

        own = {f"{socket.gethostname()}:{process}" for process in processes}
        with suppress(Error, ValueError), SharedRun.opened(self.database, self.name) as run:
            return [name for name in run.alive() if name not in own and not _is_dead(name)]
        return []

    def failing_hosts(self) -> str:
        """Return the hosts that did not answer last, and why; empty where there are none, or the database does not answer."""
        from psycopg import Error

        with suppress(Error, ValueError), SharedRun.opened(self.database, self.name) as run:
            failing = run.failing_hosts()
            more = f" and {len(failing) - _MOST_NAMED:,} more" if len(failing) > _MOST_NAMED else ""
            return ", ".join(failing[:_MOST_NAMED]) + more
        return ""

    def end_leases(self, processes: Sequence[int]) -> None:
        """End the leases of workers of this machine that are gone: others get their hosts at once, not when the lease ends.

        Nothing happens where the database does not answer.
        """
        from psycopg import Error

        if processes:
            names = [f"{socket.gethostname()}:{process}" for process in processes]
            with suppress(Error, ValueError), SharedRun.opened(self.database, self.name) as run:
                run.end_leases(names)


def _is_dead(worker: str) -> bool:
    """Tell whether a worker (``HOST:PROCESS``) ran on this machine and is gone, although its lease has not ended yet."""
    host, _, process = worker.rpartition(":")
    if host != socket.gethostname() or not process.isdecimal():
        return False
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False


def say_who_else_is_at_work(others: Sequence[str]) -> None:
    """Name workers that do not end with this command: of another machine, or of a command that was killed."""
    if others:
        logger.warning(
            "Still at work on this crawl: %s of another command, by host and process: %s. They do not end with this command. "
            "To end one, on its host: kill -INT PROCESS",
            quantity(len(others), "workers"),
            ", ".join(others),
        )


def watch(crew: Crew, crawl: WatchedCrawl, interval_secs: float, revive: Callable[[], None]) -> int:
    """Watch workers until the last has ended; return the exit code of the crawl.

    Parameters
    ----------
    interval_secs : float
        From one line of progress to the next; 0: no such lines.
    revive : callable
        Starts the database again where it does not answer; a ValueError if it cannot be.
    """
    run_dir, totals = crawl.run_dir, crawl.totals()
    n_before = totals.n_pages if totals else 0
    with signals_passed_on(crew):
        started = looked = refreshed = time.monotonic()
        progress_log = ProgressLog(crawl.failing_hosts, run_dir, crawl.max_pages, started, n_before)
        wait_secs, folder = _REFRESH_SECS, FolderUpdates(run_dir)
        while crew.n_running:
            time.sleep(_LOOK_SECS)
            _say_who_failed(crew, run_dir)
            if crew.waits_to_restart:
                _restart_killed(crew, crawl)
            now = time.monotonic()
            says = bool(interval_secs) and now - progress_log.looked_at >= interval_secs
            if now - looked >= _CHECK_SECS or (says and totals is not None):
                looked = now
                totals = crawl.totals()
                if totals is None:
                    with suppress(ValueError):
                        revive()
                elif says:
                    progress_log.write(totals, now)
            if now - refreshed >= wait_secs:
                folder.update()
                refreshed = time.monotonic()
                wait_secs = max(_REFRESH_SECS, (refreshed - now) / _REFRESH_SHARE)
        secs = time.monotonic() - started
        _say_who_failed(crew, run_dir)
        for _ in range(_LAST_LOOKS):
            if (totals := crawl.totals()) is not None:
                break
            with suppress(ValueError):  # what a killed server leaves goes a moment later
                revive()
            time.sleep(_LOOK_SECS)
        if totals is not None:
            crawl.end_leases(crew.processes)  # of one that was killed: the crawl would seem to go on
            folder.update(is_last=True)
    if totals is not None:
        if totals.reason is None and crawl.max_pages and totals.n_pages >= crawl.max_pages:
            totals = replace(totals, reason="max_pages")  # the last worker had ended before it heard so
        has_nothing = totals.reason is not None and not totals.n_pages
        if has_nothing:
            logger.error("No page was fetched. The end of this log says why: %s", run_dir / FOLDER / "1.log")
        if has_failed := totals.reason in _FAILED_BY:
            logger.error("%s. The logs of the workers say more: %s", _FAILED_BY[totals.reason], run_dir / FOLDER)
        _say_the_end(totals, (totals.n_pages - n_before) / max(secs, 1e-9), run_dir, crew, crawl.failing_hosts())
        if totals.reason in _LIMITS and totals.n_pages == n_before > 0:
            logger.info(
                "The limit %s, which counts all runs of this crawl, is reached. To continue, give a larger one: -a %s=N",
                totals.reason,
                totals.reason,
            )
        say_who_else_is_at_work(crawl.other_workers(crew.processes))
        return int(crew.has_failed or has_nothing or has_failed)
    logger.error(
        "The database does not answer. Resume the crawl when it does: %s", how_to_resume(sys.orig_argv, run_dir)
    )
    return 1


def _say_who_failed(crew: Crew, run_dir: Path) -> None:
    for number, code in crew.newly_failed():
        log = run_dir / FOLDER / f"{number}.log"
        if code < 0:
            logger.error("Worker %d was killed by signal %d. Its log: %s", number, -code, log)
        else:
            logger.error("Worker %d ended with exit code %d: %s says why", number, code, log)


def _restart_killed(crew: Crew, crawl: WatchedCrawl) -> None:
    """Start workers again that were killed, unless the crawl has ended; later, while the database does not answer."""
    if (totals := crawl.totals()) is None:
        return
    crawl.end_leases(crew.killed)
    if totals.reason is not None:
        crew.leave_killed()
        return
    for number, n_times in crew.restart_killed():
        if n_times:
            logger.warning(
                "Worker %d is started again (%d of at most %d times in %.0f minutes). What it had under way is fetched again",
                number,
                n_times,
                MOST_RESTARTS,
                RESTARTS_SECS / 60,
            )
        else:
            logger.error(
                "Worker %d is not started again: it was killed %d times in %.0f minutes. If memory is short, crawl with fewer "
                "workers",
                number,
                MOST_RESTARTS + 1,
                RESTARTS_SECS / 60,
            )


def _say_the_end(totals: SharedTotals, pages_per_sec: float, run_dir: Path, crew: Crew, failing: str) -> None:
    figures = FolderFigures.read(run_dir)
    found = found_in_short({} if figures is None else figures.stats, totals.n_pages, totals.n_relevant)
    waiting = quantity(totals.n_waiting, "links")
    reason = totals.reason or ("the workers failed" if crew.has_failed else _STOPPED)
    if reason == _STOPPED and figures is not None and figures.finish_reason.startswith((ALERT, SATURATED)):
        reason = figures.finish_reason  # one worker after the other has ended for it
    if figures is not None:
        found += f", harvest {figures.harvest_in_short}"
    logger.info("Finished (%s): %s, %.0f pages/s, %s still waiting", reason, found, pages_per_sec, waiting)
    if figures is not None:
        stats = figures.stats
        about = about_delivered(stats, figures.n_pages, figures.n_relevant)
        judged = judged_lines(run_dir)
        for line in filter(None, (figures.about_harvest, *judged, words_of_judging_again(stats), about)):
            logger.info("  %s", line)
    if failing:
        logger.info("  Did not answer: %s. A resumed crawl asks them again", failing)
    for what, name in (("delivered pages", PAGES_FILE), ("all pages", COLLECTION_FILE), ("the whole run", RUN_FILE)):
        if (run_dir / name).exists():
            n_pages = counted(run_dir / name, {}) if name == PAGES_FILE else ""
            logger.info("  %-15s %s%s", what, run_dir / name, n_pages)
    logger.info("  %-15s %s", "the workers", run_dir / FOLDER)
    if totals.reason is None:
        logger.info("  %-15s %s", "to go on", how_to_resume(sys.orig_argv, run_dir))
