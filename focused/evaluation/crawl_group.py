"""The task of one process of an evaluation: a topic, a repeat, and the strategies to crawl with."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from focused.evaluation.starts import WEB
from focused.utils.files import write_json

DONE, FAILED = "done", "failed"


@dataclass(frozen=True)
class CrawlGroup:
    """The crawls of one topic in one repeat: they share model, seeds and cached pages."""

    web: str
    warc: str
    graph: str
    topic: str
    #: Name of the topic's directory.
    name: str
    repeat: int
    strategies: list[str]
    positives: list[str]
    unlabeled: list[str]
    seeds: list[str]
    #: Pages that the seeds lead to.
    seed_pages: list[str]
    #: Pages with the topic's label.
    relevant: list[str]
    #: Relevant pages that can be reached from the seeds, without the positives.
    targets: list[str]
    pages: int
    depth: int | None
    concurrency: int
    learner: str
    random_state: int
    settings: dict[str, str]
    command: str
    folder: str
    #: Cache folder for indexes of webs in read-only folders; empty: the user's.
    cache_dir: str = ""
    #: What the topic is trained from: one of `focused.evaluation.starts.STARTS`.
    start: str = WEB
    #: Sources of the general background that the topic is trained without.
    background_without: list[str] = field(default_factory=list)
    #: The preset by which the topic is trained and the crawls run; empty: none.
    preset: str = ""
    #: Pages of another web that the topic is trained from, instead of the positives, and its WARC file; empty: the positives.
    examples: list[str] = field(default_factory=list)
    examples_warc: str = ""

    @property
    def label(self) -> str:
        """For people."""
        start = "" if self.start == WEB else f" from {self.start}"
        return f"{self.web} {self.topic} {self.repeat}{start}" + (f" by {self.preset}" if self.preset else "")

    @property
    def oracle_file(self) -> Path:
        """Path of the oracle's scores."""
        return Path(self.folder) / "oracle" / f"{self.name}.json"

    @property
    def cache_folder(self) -> Path | None:
        """Path of the cache folder."""
        return Path(self.cache_dir) if self.cache_dir else None


def record_path(folder: Path, name: str, strategy: str) -> Path:
    """Return the path of a crawl's record."""
    return records_folder(folder) / f"{name}.{strategy}.json"


def records_folder(folder: Path) -> Path:
    """Return the path of the folder of all records of an evaluation."""
    return folder / "crawls"


def write_record(group: CrawlGroup, strategy: str, result: dict[str, Any]) -> None:
    """Write the record of a crawl."""
    path = record_path(Path(group.folder), group.name, strategy)
    path.parent.mkdir(parents=True, exist_ok=True)
    about = {"web": group.web, "topic": group.topic, "strategy": strategy, "repeat": group.repeat}
    write_json(path, {**about, "start": group.start, "preset": group.preset, **result})


def read_record(path: Path) -> dict[str, Any] | None:
    """Read the record of a crawl; None if it is missing or damaged."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return record if isinstance(record, dict) and record.get("state") in (DONE, FAILED) else None
