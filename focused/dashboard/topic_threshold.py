"""Sets the threshold of a topic for a person: a line of its ``topic.toml``, which crawls and trainings keep."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import tomlkit

from focused.method.topic import TOPIC_FILE, read_topic_file
from focused.method.topic.judge import RELEVANCE_THRESHOLD
from focused.utils.files import read_regular, write_whole

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_MAX_BYTES = 1_000_000


def threshold_of(settings: Mapping[str, Any]) -> float | None:
    """Return the threshold that a topic's settings give; None: that of its model. A ValueError says what is wrong with it."""
    found = RELEVANCE_THRESHOLD.read(settings)
    return None if found is None else float(found)


def why_not_set(name: str, models_dirs: Sequence[Path]) -> str:
    """Return why a topic's threshold cannot be set here; empty if it can."""
    own = models_dirs[0] / name if models_dirs else None
    if own is None or not (own / TOPIC_FILE).is_file():
        return (
            f"Topic {name} is not in your own models folder, so its threshold is not set here. Name it when a crawl starts in "
            f"a terminal: -s {RELEVANCE_THRESHOLD.name}=0.5"
        )
    if own.is_symlink() or (own / TOPIC_FILE).is_symlink():
        return (
            f"{TOPIC_FILE} of topic {name} must be a file in your own models folder, and no link: edit it where it lies"
        )
    return ""


def set_threshold(name: str, models_dirs: Sequence[Path], said: str) -> None:
    """Write the threshold that a person says into a topic's file; an empty text gives the model's own back.

    Raises
    ------
    ValueError
        If it is no threshold, or the topic is not the user's own, or its file cannot be read.
    OSError
        If the file cannot be written.
    """
    try:
        value = RELEVANCE_THRESHOLD.check(said, "The threshold")
    except ValueError as error:
        raise ValueError(str(error).replace("or None", "or empty")) from None
    if why := why_not_set(name, models_dirs):
        raise ValueError(why)
    read_topic_file(name, models_dirs[0])  # what is wrong with the file is said by whoever reads topics
    path = models_dirs[0] / name / TOPIC_FILE
    document = tomlkit.parse(read_regular(path, _MAX_BYTES).decode())
    if value is None:
        document.get("settings", {}).pop(RELEVANCE_THRESHOLD.name, None)
    else:
        document.setdefault("settings", tomlkit.table())[RELEVANCE_THRESHOLD.name] = float(value)
    write_whole(path, tomlkit.dumps(document))
