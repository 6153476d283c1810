"""What Scrapy's own scheduler keeps in JOBDIR, and whether a crawl can go on from it."""

from __future__ import annotations

import csv
import json
from collections import deque
from typing import TYPE_CHECKING, Any

from focused.frontier.store.schema import FrontierFileError
from focused.utils.file_names import HARVEST_FILE, RUN_FILE, RUNNING
from focused.utils.words import quantity

if TYPE_CHECKING:
    from pathlib import Path

SCRAPY_QUEUE, SCRAPY_SEEN = "requests.queue", "requests.seen"


def check_not_killed(job_dir: Path, run_dir: Path) -> None:
    """Refuse the JOBDIR of a crawl that was killed: what waited is lost, and its seeds count as seen.

    Scrapy's scheduler writes ``active.json``, which names its queues, only when a crawl ends in order. After a second start
    that was killed it is that of the first; but ``run.json`` says that the crawl has not ended.

    Raises
    ------
    ValueError
        If the crawl was killed; the message says how many links it lost.
    """
    seen = job_dir / SCRAPY_SEEN
    if not seen.is_file() or not seen.stat().st_size:
        return
    if (job_dir / SCRAPY_QUEUE / "active.json").is_file() and _finish_reason(run_dir) != RUNNING:
        return
    raise FrontierFileError(
        f"The crawl in {job_dir} was killed, or still runs: Scrapy's scheduler keeps what waits only if a crawl ends in "
        "order. "
        f"{_lost(run_dir)}. Begin anew: -s JOBDIR=PATH -a run_dir=PATH. The default scheduler loses nothing."
    )


def _lost(run_dir: Path) -> str:
    """Return how many links waited, by the last row of ``harvest.csv``."""
    try:
        with (run_dir / HARVEST_FILE).open(newline="", encoding="utf-8") as file:
            last = deque(csv.DictReader(file), maxlen=1)[0]
        pages, links = quantity(int(last["pages"]), "pages"), quantity(int(last["frontier"]), "links")
    except (OSError, ValueError, LookupError, TypeError):
        return "All links that waited are lost; the pages fetched stay where they are"
    return f"After {pages} {links} waited, and are lost; the pages stay in {run_dir}"


def _finish_reason(run_dir: Path) -> Any:
    try:
        run = json.loads((run_dir / RUN_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return run.get("finish_reason") if isinstance(run, dict) else None
