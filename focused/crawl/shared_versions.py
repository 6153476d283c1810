"""Keeps the versions of the model that the workers of a crawl have trained, for them and for a folder that follows it."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from focused.crawl.shared_run import SharedRun
from focused.method.topic.parcel import unpack_into, unpacked
from focused.utils.file_names import COLLECTION_FILE, VERSIONS_FILE, VERSIONS_FOLDER
from focused.utils.files import write_json, write_whole

if TYPE_CHECKING:
    from pathlib import Path

    from focused.method.topic import Topic

_LABELS_FILE = "labels.json"


@dataclass(frozen=True)
class SharedVersion:
    """A version of the model that all workers are to use."""

    version: int
    topic: Topic
    #: What it was trained with, by URL.
    labels: dict[str, bool]
    #: Records of pages that it judged have higher numbers.
    floor: int


def version_of_all(url: str, crawl: str) -> SharedVersion | None:
    """Return the last version that was accepted; None where that is the topic's own. It waits for the database.

    Raises
    ------
    ValueError, psycopg.Error
        If it is not what was put there, or the server is away.
    """
    from focused.frontier.shared.version_rows import version_to_use  # psycopg is an extra of the package

    with SharedRun.opened(url, crawl) as run:
        stored, name = version_to_use(run.connection, run.number), str(run.about["arguments"]["topic"])
    if stored is None:
        return None
    labels = {url: label for label, url in stored.labels.values()}
    return SharedVersion(stored.version, unpacked(name, stored.files), labels, stored.floor)


def copy_versions(run: SharedRun, run_dir: Path) -> None:
    """Write the list of all trainings, and the version in use with its labels; the pages' numbers are the folder's own."""
    from focused.frontier.shared.version_rows import attempts, version_to_use  # psycopg is an extra of the package

    known = attempts(run.connection, run.number)
    if not known:
        return
    lines = "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in known)
    path, stored = run_dir / VERSIONS_FILE, version_to_use(run.connection, run.number)
    folder = None if stored is None else run_dir / VERSIONS_FOLDER / str(stored.version)
    is_there = folder is None or (folder / _LABELS_FILE).is_file()
    if is_there and path.is_file() and path.read_text(encoding="utf-8", errors="replace") == lines:
        return
    # A training at an earlier end, before the crawl went on, may have had the number of one of these.
    for version in (str(each["version"]) for each in known):
        if not (run_dir / VERSIONS_FOLDER / version / _LABELS_FILE).is_file():
            shutil.rmtree(run_dir / VERSIONS_FOLDER / version, ignore_errors=True)
    if stored is not None and folder is not None:
        shutil.rmtree(folder, ignore_errors=True)
        topic = folder / str(run.about["arguments"]["topic"])
        unpack_into(topic, stored.files)
        with closing(sqlite3.connect(run_dir / COLLECTION_FILE)) as sql:
            labels = {}
            for label, url in stored.labels.values():
                row = sql.execute("SELECT number FROM pages WHERE url = ?", (url,)).fetchone()
                if row is not None:
                    labels[str(row[0])] = label
        write_json(topic.parent / _LABELS_FILE, labels)
    write_whole(path, lines)
