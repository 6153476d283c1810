"""Checks the feeds of a crawl (``-o``, ``-O``, FEEDS) before its first request: Scrapy would find a wrong one later.

With a format or a place that it does not know, it would crawl on without the feed.
"""

from __future__ import annotations

import errno
import tempfile
from pathlib import Path, PureWindowsPath
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from focused.crawl.arguments import PlanError
from focused.utils.crawl_settings import RUN_DIR
from focused.utils.output_files import check_output

if TYPE_CHECKING:
    from collections.abc import Iterator

_EXAMPLE = 'Example: {"pages.csv": {"format": "csv"}}'
_BATCHES = ("%(batch_time)s", "%(batch_id)")


def check_feeds(settings: Any, run_dir: Any = None) -> None:
    """Refuse feeds that cannot be written, which Scrapy would notice at the first page, and files of a crawl.

    The crawl may be this one, which writes to ``run_dir``, or another one.
    """
    own = str(run_dir or RUN_DIR.read(settings))
    for target, options in _feeds(settings):
        _check_options(target, options, settings)
        name = target.removeprefix("file://")
        if "://" in name or name.startswith("stdout:"):
            continue
        written = _writable(name)
        try:
            check_output(written, "-O", run_dir=Path(own) if own else None)
        except ValueError as error:
            raise PlanError(str(error)) from None


def _feeds(settings: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the target and the options of each feed; Scrapy still takes one from the settings of old versions, too."""
    for target, options in settings.getdict("FEEDS").items():
        if not hasattr(options, "items"):
            raise PlanError(
                f"FEEDS must be a table of tables, by file. Got {options!r} for {str(target)!r}. {_EXAMPLE}"
            )
        yield str(target), dict(options)
    if settings.get("FEED_URI"):
        yield str(settings["FEED_URI"]), {"format": settings.get("FEED_FORMAT")}


def _check_options(target: str, options: dict[str, Any], settings: Any) -> None:
    """Refuse what would have Scrapy leave a feed out."""
    known = sorted(name for name, path in settings.getwithbase("FEED_EXPORTERS").items() if path is not None)
    kind = options.get("format", Path(target).suffix.removeprefix("."))
    if kind not in known:
        raise PlanError(f"The format of the output file {target} must be one of {', '.join(known)}. Got {kind!r}.")
    schemes = sorted(name for name, path in settings.getwithbase("FEED_STORAGES").items() if name and path is not None)
    scheme = urlsplit(target).scheme
    if scheme and scheme not in schemes and not PureWindowsPath(target).drive:
        raise PlanError(f"The output file {target} must be a path, or begin with one of {', '.join(schemes)}.")
    try:
        target % _AnyName()
    except (ValueError, TypeError):
        must = "A % in the name of an output file must be written %%, or begin a name such as %(time)s"
        raise PlanError(f"{must}. Got {target!r}.") from None
    batch = options.get("batch_item_count", settings.get("FEED_EXPORT_BATCH_ITEM_COUNT"))
    if str(batch or 0) != "0" and not any(each in target for each in _BATCHES):
        raise PlanError(
            f"The output file {target} is one of several, by FEED_EXPORT_BATCH_ITEM_COUNT: its name must hold %(batch_id)d."
        )


class _AnyName(dict[str, int]):
    """Stands for what Scrapy fills into the name of a feed: attributes of the spider and times."""

    def __missing__(self, name: str) -> int:
        return 1


def _writable(name: str) -> Path:
    """Return the path of an output file that can be written."""
    before, percent, _ = name.partition("%")  # Scrapy fills in what follows
    folder = Path(before + percent).absolute().parent
    try:
        while not folder.exists():  # Scrapy makes missing folders
            folder = folder.parent
        if Path(name).is_dir():
            raise IsADirectoryError(errno.EISDIR, "it is a folder")
        with tempfile.TemporaryFile(dir=folder):
            pass
        return Path(name).absolute()
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise PlanError(f"The output file {name} cannot be written: {why}. Choose another: -O FILE") from None
