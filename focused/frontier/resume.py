"""What a crawl leaves beside its frontier, cut back to what belongs to pages whose links are in."""

from __future__ import annotations

import json
import logging
import os
import stat
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from focused.frontier.schema import FILE_NAME, FrontierFileError, open_file

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

logger = logging.getLogger(__name__)

FILES = ("pages.jsonl", "harvest.csv", "fetched.csv", "pages.warc.gz", "adaptation.jsonl")
"""Files of a run directory that are appended to, page by page."""

# Of this process, not of the crawl.
_OWN_STATS = (
    "log_count/",
    "memusage/",
    "elapsed_time",
    "items_per_minute",
    "responses_per_minute",
    "response_received_per",
)


def sizes(run_dir: Path) -> dict[str, int]:
    """Return how long the files are, in bytes."""
    found = {}
    for name in FILES:
        with suppress(OSError):
            status = os.stat(f"{run_dir}/{name}")  # noqa: PTH116  a tenth of what a Path costs, page by page
            if stat.S_ISREG(status.st_mode):
                found[name] = status.st_size
    return found


def cut_back(run_dir: Path, lengths: Mapping[str, int]) -> int:
    """Cut files to the lengths they had when the last page was committed; return how many bytes went.

    What lies beyond belongs to pages that were under way and will be fetched again, or is half a record.
    """
    n_bytes = 0
    for name, size in sizes(run_dir).items():
        keep = lengths.get(name, 0)
        if size > keep:
            os.truncate(run_dir / name, keep)
            n_bytes += size - keep
        elif size < keep:
            logger.warning("%s is shorter than it was: %d bytes of %d.", run_dir / name, size, keep)
    return n_bytes


def numbers(stats: Mapping[str, Any]) -> dict[str, int | float]:
    """Return the stats that go on counting when a crawl does."""
    return {
        name: value for name, value in stats.items() if type(value) in (int, float) and not name.startswith(_OWN_STATS)
    }


def check_same(run_dir: Path, topic: str, web: str) -> None:
    """Refuse to go on with another crawl than the one that a folder holds.

    Raises
    ------
    ValueError
        If its frontier is of another topic or web, or cannot be read.
    """
    path = run_dir / FILE_NAME
    if not path.is_file() or not path.stat().st_size:
        return
    file = open_file(path, read_only=True)
    try:
        found = dict(file.execute("SELECT key, value FROM crawl WHERE key IN ('topic', 'web')").fetchall())
    finally:
        file.close()
    for what, wanted in (("topic", topic), ("web", web)):
        if what in found and json.loads(found[what]) != wanted:
            raise FrontierFileError(
                f"{run_dir} holds a crawl of {what} {json.loads(found[what])!r}, this one is of {wanted!r}. Choose "
                f"another folder: -a run_dir=PATH"
            )
