"""Webs that answer requests instead of the network: recorded webs and the demo web."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from focused.utils.folder_settings import CACHE_DIR
from focused.utils.setting import TOPIC, Setting
from focused.webs.demo import DemoWeb, HostileWeb, export
from focused.webs.demo.server import DemoServer
from focused.webs.recorded import RecordedWeb
from focused.webs.recorded.answer import Answer, Web, WebError
from focused.webs.recorded.index_rows import REDIRECTS
from focused.webs.recorded.web import MAX_BODY_BYTES

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "REDIRECTS",
    "Answer",
    "DemoServer",
    "DemoWeb",
    "HostileWeb",
    "RecordedWeb",
    "Web",
    "WebError",
    "export",
    "open_web",
]

DEMO_OPTIONS = {
    "n_pages": Setting(
        "FOCUSED_DEMO_PAGES",
        6000,
        "Pages that answer 200, at least 20 a host; about a tenth of them for each of eight topics.",
        least=20,
        most=1_000_000,
        set_by=TOPIC,
    ),
    "n_hosts": Setting(
        "FOCUSED_DEMO_HOSTS",
        40,
        "Host names, at least two a topic and one more.",
        least=5,
        most=50_000,
        set_by=TOPIC,
    ),
    "n_topics": Setting(
        "FOCUSED_DEMO_TOPICS",
        8,
        "The first of astronomy, sailing, cooking, gardening, chess, music, medicine, railways; neighbours share words.",
        least=2,
        most=8,
        set_by=TOPIC,
    ),
    "seed": Setting(
        "FOCUSED_DEMO_SEED", 0, "Another seed is another web (the home pages of some hosts stay).", set_by=TOPIC
    ),
}
"""The arguments of the demo web, each with the setting that gives it."""

HOSTILE_OPTIONS = {
    "traps": Setting(
        "FOCUSED_DEMO_TRAPS",
        "all",
        "Traps of the hostile web: `all`, `none`, or some of `farm`, `session`, `endless`, `calendar`, `subdomains`, "
        "`mirrors`, `exchange`, `soft404`, `cloaked`, `robots5xx`, separated by commas.",
        set_by=TOPIC,
    ),
    "entries": Setting(
        "FOCUSED_DEMO_TRAP_ENTRIES",
        "relevant",
        "Whether the page of a trap that honest pages link to is about the topic of those links.",
        choices=("relevant", "irrelevant"),
        set_by=TOPIC,
    ),
}
"""What the hostile web takes besides."""

GENERATED = {"demo": DEMO_OPTIONS, "hostile": DEMO_OPTIONS | HOSTILE_OPTIONS}
"""The webs that are no files, with their arguments."""


def open_web(name: str, settings: Mapping[str, Any]) -> Web:
    """Open a web by its name: ``demo``, ``hostile``, or the path of a WARC file.

    Reads FOCUSED_DEMO_* for the first two; FOCUSED_CACHE_DIR and DOWNLOAD_MAXSIZE for a WARC file, whose index is built if
    there is none. A file that is called demo is ``./demo``. The settings are Scrapy's, or a dict of those that differ from
    their defaults. Raises WebError if there is no such web; the message is one line and says what to do.
    """
    if name in GENERATED:
        try:
            given: dict[str, Any] = {option: each.read(settings) for option, each in GENERATED[name].items()}
            return HostileWeb(**given) if name == "hostile" else DemoWeb(**given)
        except ValueError as error:
            raise WebError(f"{error} Set {', '.join(each.name for each in GENERATED[name].values())}.") from error

    if not name or "\0" in name:
        raise WebError(f"FOCUSED_WEB must be demo, hostile or the path of a WARC file. Got {name!r}.")
    cache_dir = CACHE_DIR.read(settings)
    max_size = Setting("DOWNLOAD_MAXSIZE", 0, least=0).read(settings)  # 0: no limit
    return RecordedWeb(
        _path(name),
        _path(cache_dir) if cache_dir else None,
        max_body_bytes=min(max_size, MAX_BODY_BYTES) if max_size > 0 else MAX_BODY_BYTES,
    )


def _path(name: str) -> Path:
    try:
        return Path(name).expanduser()
    except RuntimeError:  # ~ of a user that there is not
        return Path(name)
