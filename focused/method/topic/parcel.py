"""A topic on its way to another machine: the bytes of its files, which are checked there as a stranger's are."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from focused.method.topic.files import load_topic
from focused.method.topic.names import (
    EXAMPLES_FILE,
    MANIFEST_FILE,
    MODEL_FILE,
    TOPIC_FILE,
    TopicError,
    check_topic_name,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from focused.method.topic.topic import Topic

_FILES = (TOPIC_FILE, MANIFEST_FILE, MODEL_FILE, EXAMPLES_FILE)


def packed(topic: Topic) -> dict[str, bytes]:
    """Return the files of a topic that was loaded from its directory, by their names."""
    if topic.directory is None:
        raise TopicError(f"Topic {topic.name!r} was not loaded from a folder. Save it first.")
    return {name: (topic.directory / name).read_bytes() for name in _FILES if (topic.directory / name).is_file()}


def unpacked(name: str, files: Mapping[str, bytes]) -> Topic:
    """Load a topic from the bytes of its files; its folder is there until this process ends.

    Raises
    ------
    TopicError
        If a file does not belong to a topic; also as raised by `focused.method.topic.files.load_topic`.
    """
    check_topic_name(name)
    folder = Path(tempfile.mkdtemp(prefix="focused-topic-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    unpack_into(folder / name, files)
    return load_topic(name, folder)


def unpack_into(folder: Path, files: Mapping[str, bytes]) -> None:
    """Make a topic's folder and write its files; a `TopicError` if a file does not belong to a topic."""
    if unknown := sorted(set(files) - set(_FILES)):
        raise TopicError(f"A topic has the files {', '.join(_FILES)}. Got {unknown[0]!r:.60}.")
    folder.mkdir(parents=True, exist_ok=True)
    for file, content in files.items():
        (folder / file).write_bytes(content)
