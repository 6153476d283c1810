"""Reads the version of the model that judged a page, to show its terms: a run may come from a stranger."""

from __future__ import annotations

import stat
import zipfile
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

from focused.collection.learnt_verdicts import name_of_model
from focused.dashboard.runs import read_json
from focused.method.topic import MANIFEST_FILE, MODEL_FILE, TOPIC_FILE, TopicError, check_topic_name, load_topic
from focused.retraining.versions import AFTERWARDS, FIRST, FOLDER
from focused.utils.file_names import PREVIOUS_FOLDER, RUN_FILE

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from focused.dashboard.runs import RunState
    from focused.method.topic import Topic

_MAX_KNOWN, _MAX_KNOWN_TERMS = 8, 30_000
_MAX_BYTES = {MODEL_FILE: 3_000_000, MANIFEST_FILE: 1_000_000, TOPIC_FILE: 200_000}
"""Of a model also unpacked. Models have some 100 kB; larger ones would take the time and the memory of other views."""


@dataclass(frozen=True, slots=True)
class PageModel:
    """A model that tells what it believes of a page."""

    topic: Topic
    #: Which one it is, in words that follow "by".
    name: str
    #: Whether it is the one that judged the page.
    is_same: bool


def judge_name(version: int) -> str:
    """Return which model judged a page, in words that follow "by"."""
    if version == AFTERWARDS:
        return "the topic's model after its training from this run, which judged all pages again"
    return "the topic's own model" if version == FIRST else f"version {version} of the model, which this crawl trained"


class PageModels:
    """Reads models, and keeps the last ones as long as their files stay the same."""

    def __init__(self) -> None:
        self._known: OrderedDict[Path, tuple[tuple[tuple[int, int], ...], Topic]] = OrderedDict()
        self._lock = Lock()

    def of(self, run: RunState, version: int, learnt: str, models_dirs: Sequence[Path]) -> PageModel:
        """Return the model that judged a page of a run; where it is not there any more, the topic's model as it is now.

        Parameters
        ----------
        version : int
            As the collection has it.
        learnt : str
            Name of the model that judged the collection again after a training, as the collection has it.

        Raises
        ------
        TopicError
            If no model of the topic can be read.
        """
        name = check_topic_name(run.topic)
        if version > FIRST:
            with suppress(TopicError):
                return PageModel(self._load(name, run.path / FOLDER / str(version)), judge_name(version), is_same=True)
        digest = learnt if version == AFTERWARDS else read_json(run.path / RUN_FILE).get("model_sha256")
        home = next((folder for folder in models_dirs if (folder / name / TOPIC_FILE).is_file()), None)
        if home is None:
            raise TopicError(f"The topic {name} is not among the topics here")
        if version <= FIRST and isinstance(digest, str) and digest:
            for folder in (home, home / name / PREVIOUS_FOLDER):
                with suppress(TopicError):
                    topic = self._load(name, folder)
                    if name_of_model(topic.model_sha256) == name_of_model(digest):
                        return PageModel(topic, judge_name(version), is_same=True)
        return PageModel(self._load(name, home), f"the model of {name} as it is now", is_same=False)

    def _load(self, name: str, folder: Path) -> Topic:
        """Load a topic, or take it as it is known; a `TopicError` says why it cannot be used."""
        try:
            stamps = _stamps(folder / name)
            with self._lock:
                if (known := self._known.get(folder)) is not None and known[0] == stamps:
                    self._known.move_to_end(folder)
                    return known[1]
            _check_unpacked(folder / name / MODEL_FILE)
            topic = load_topic(name, folder)
        except (OSError, ValueError, zipfile.BadZipFile) as error:
            raise TopicError(str(error)) from None
        # What is kept is what judges.
        topic.manifest, topic.seeds = {"model_sha256": topic.model_sha256}, []
        with self._lock:
            self._known.pop(folder, None)
            if len(topic.terms) <= _MAX_KNOWN_TERMS:
                self._known[folder] = stamps, topic
            while len(self._known) > _MAX_KNOWN:
                self._known.popitem(last=False)
        return topic


def _stamps(directory: Path) -> tuple[tuple[int, int], ...]:
    """Return times and sizes of a topic's files; a `TopicError` says that one is none to be read here."""
    found = []
    for name, most in _MAX_BYTES.items():
        status = (directory / name).stat()
        if not stat.S_ISREG(status.st_mode):
            raise TopicError(f"{name} must be a regular file")
        if status.st_size > most:
            raise TopicError(f"{name} is larger than {most:,} bytes: too large to be looked into here")
        found.append((status.st_mtime_ns, status.st_size))
    return tuple(found)


def _check_unpacked(path: Path) -> None:
    """Refuse an archive that is much larger than it looks."""
    with zipfile.ZipFile(path) as archive:
        if sum(entry.file_size for entry in archive.infolist()) > _MAX_BYTES[path.name]:
            raise TopicError(
                f"{path.name} is larger than {_MAX_BYTES[path.name]:,} bytes: too large to be looked into here"
            )
