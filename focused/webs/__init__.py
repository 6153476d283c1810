"""Where pages come from when not from the network: recorded webs and the demo web."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from focused.webs.answer import Answer, Web, WebError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Answer", "Web", "WebError", "open_web"]

DEMO_OPTIONS = {
    "n_pages": "FOCUSED_DEMO_PAGES",
    "n_hosts": "FOCUSED_DEMO_HOSTS",
    "n_topics": "FOCUSED_DEMO_TOPICS",
    "seed": "FOCUSED_DEMO_SEED",
}


def open_web(name: str, settings: Mapping[str, Any]) -> Web:
    """Open a web by its name: ``demo``, or the path of a WARC file.

    Reads FOCUSED_DEMO_* for the demo web; FOCUSED_CACHE_DIR and DOWNLOAD_MAXSIZE for a WARC file, whose
    index is built if there is none.

    Parameters
    ----------
    name : str
        A file that is called demo is ``./demo``.
    settings : mapping
        Scrapy settings, or a dict of those that differ from their defaults.

    Raises
    ------
    WebError
        If there is no such web; the message is one line and says what to do.
    """
    # Each of the two is imported when it is asked for: neither needs what the other needs.
    if name == "demo":
        from focused.webs.demo import DemoWeb

        given = {option: settings.get(setting) for option, setting in DEMO_OPTIONS.items()}
        try:
            return DemoWeb(**{option: int(value) for option, value in given.items() if value is not None})
        except (TypeError, ValueError) as error:
            raise WebError(f"The demo web cannot be made: {error} (see FOCUSED_DEMO_* in the settings)") from error

    from focused.webs.recorded import MAX_BODY_BYTES, RecordedWeb

    if not name or "\0" in name:
        raise WebError(f"FOCUSED_WEB must be demo or the path of a WARC file. Got {name!r}.")
    cache_dir = settings.get("FOCUSED_CACHE_DIR")
    max_size = int(settings.get("DOWNLOAD_MAXSIZE") or 0)
    return RecordedWeb(
        Path(name).expanduser(),
        Path(cache_dir).expanduser() if cache_dir else None,
        max_body_bytes=min(max_size or MAX_BODY_BYTES, MAX_BODY_BYTES),
    )
