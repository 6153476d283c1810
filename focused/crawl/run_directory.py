"""Where a crawl writes, tried before its first request: its run directory, and the output files of ``-o`` and ``-O``."""

from __future__ import annotations

import errno
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

from focused.crawl import arguments as given
from focused.crawl.arguments import PlanError
from focused.crawl.scrapy_settings import scheduler_class
from focused.frontier.resume import check_begun_here, check_same, check_unused, reserve_frontier
from focused.utils.output_files import check_output

_LEAST_FREE_BYTES = 20_000_000


def make_run_dir(argument: Any, topic: str, settings: Any, is_confined: bool) -> Path:
    """Return a folder that can be written, made now so that a crawl does not fail after its last page."""
    runs_dir = Path(str(settings.get("FOCUSED_RUNS_DIR") or "runs"))
    name = str(argument or settings.get("FOCUSED_RUN_DIR") or "")
    path = Path(name) if name else runs_dir / topic
    if name and is_confined:
        path = given.inside(path, "FOCUSED_RUNS_DIR", settings, "run_dir")
    try:
        path.mkdir(parents=True, exist_ok=True)
        if not name:
            path = _new_folder(path)
        probe = path / ".probe"
        probe.write_bytes(b"x")
        probe.unlink()
        free = shutil.disk_usage(path).free
    except (OSError, ValueError) as error:
        raise PlanError(
            f"The run directory {path} cannot be written: {getattr(error, 'strerror', None) or error}. Choose another: "
            f"-a run_dir=PATH"
        ) from None
    if free < _LEAST_FREE_BYTES:
        raise PlanError(
            f"The run directory {path} has {free / 1e6:.0f} MB of free space; a crawl needs at least "
            f"{_LEAST_FREE_BYTES / 1e6:.0f} MB. Choose another: -a run_dir=PATH"
        )
    return path.resolve()


def check_earlier_crawl(run_dir: Path, settings: Any, *, topic: str, web: str, web_options: dict[str, int]) -> None:
    """Refuse a folder with a crawl that is at work, or that cannot be gone on with; keep other processes out of it.

    Parameters
    ----------
    run_dir : Path
    settings : scrapy.settings.BaseSettings
    topic, web : str
        Names; a crawl of others is refused.
    web_options : dict
        What makes the demo web the one it is.
    """
    job_dir = settings.get("JOBDIR")
    if not getattr(scheduler_class(settings), "is_durable", False):
        check_unused(run_dir, job_dir)
        return
    folder = Path(job_dir or run_dir)
    check_begun_here(folder, run_dir)
    reserve_frontier(folder)
    check_same(folder, topic, web, web_options)


def check_feeds(settings: Any, run_dir: Any = None) -> None:
    """See whether what ``-o`` and ``-O`` name can be written: Scrapy finds out when the first page is to be.

    It may be no file of a crawl, this one's in ``run_dir`` or another's.
    """
    own = str(run_dir or settings.get("FOCUSED_RUN_DIR") or "")
    for target in map(str, settings.getdict("FEEDS")):
        name = target.removeprefix("file://")
        if "://" in name or name.startswith("stdout:"):
            continue
        before, percent, _ = name.partition("%")  # what follows is filled in by Scrapy
        folder = Path(before + percent).absolute().parent
        while not folder.exists():  # Scrapy makes them
            folder = folder.parent
        try:
            if Path(name).is_dir():
                raise IsADirectoryError(errno.EISDIR, "it is a folder")
            with tempfile.TemporaryFile(dir=folder):
                pass
            written = Path(name).absolute()
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise PlanError(f"The output file {name} cannot be written: {reason}. Choose another: -O FILE") from None
        try:
            check_output(written, "-O", run_dir=Path(own) if own else None)
        except ValueError as error:
            raise PlanError(str(error)) from None


def _new_folder(parent: Path) -> Path:
    """Make a folder named after the time; of two crawls that start in one second each gets its own."""
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
    number = 1
    while True:
        path = parent / (stamp if number == 1 else f"{stamp}-{number}")
        try:
            path.mkdir()
        except FileExistsError:
            number += 1
        else:
            return path
