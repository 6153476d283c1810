"""Replaces a topic by one that was trained from a run; the former one is kept."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from focused.commands.train_from_run_words import where
from focused.method.topic import TopicError
from focused.method.topic.names import EXAMPLES_FILE, MANIFEST_FILE, MODEL_FILE, TOPIC_FILE
from focused.utils.file_names import PREVIOUS_FOLDER

if TYPE_CHECKING:
    from pathlib import Path

    from focused.method.topic import Topic


class NothingNewError(ValueError):
    """A topic knows all that a run could teach it."""


def put_in_place(topic: Topic, made: Topic, run_dir: Path, models_dir: Path) -> list[str]:
    """Save a topic that was made of another from a run; return which pages changed sides, and where both topics are.

    A `TopicError` says that the former one cannot be kept; it stays in its place.
    """
    from focused.retraining.model_changes import changes, lines

    made.manifest["command"] = f"scrapy train {topic.name} --from-run {run_dir.name}"
    made.manifest["trained_before_by"] = topic.manifest.get("command")
    found = made.manifest["retraining"]["changes"] = changes(topic, made, run_dir)
    kept = _keep(topic, models_dir)
    directory = made.save(models_dir)
    return [*lines(found), *where(directory, kept)]


def _keep(topic: Topic, models_dir: Path) -> Path:
    """Copy a topic's files to where the one before is kept, and return that directory."""
    assert topic.directory is not None
    kept = models_dir / topic.name / PREVIOUS_FOLDER / topic.name
    try:
        kept.mkdir(parents=True, exist_ok=True)
        for name in (MODEL_FILE, EXAMPLES_FILE, MANIFEST_FILE, TOPIC_FILE):
            shutil.copyfile(topic.directory / name, kept / f"{name}.part")
            (kept / f"{name}.part").replace(kept / name)
    except OSError as error:
        raise TopicError(
            f"Topic {topic.name!r} stays as it is, for it cannot be kept in {kept}: {error.strerror}. Make room, or "
            "make the folder writable."
        ) from None
    return kept
