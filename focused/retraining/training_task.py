"""`Task`: what the process that trains is asked for, as it stands in a file of the run directory."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from focused.utils.former_files import existing_path

if TYPE_CHECKING:
    from pathlib import Path

TASK_FILE = "retraining-task.json"
"""The last task of the process that trains."""
HARVEST_TASK_FILE = "harvest-task.json"
"""The task of estimating the harvest at the end; it is removed when it is done."""


@dataclass(frozen=True)
class Task:
    """What a model is trained from."""

    version: int
    in_use: int
    topic: str
    models_dir: str
    run_dir: str
    #: Length of the pages' file.
    n_bytes: int
    #: Of a page's number: whether it is relevant.
    labels: dict[str, bool]
    #: Numbers of the pages whose label is a verdict.
    verdicts: list[int]
    tolerance: float
    random_state: int
    #: Whether verdicts that all other examples speak against are left out.
    filters_label_noise: bool
    #: Whether the version keeps its examples, for a strategy that learns from them.
    keeps_examples: bool
    #: Whether pages that the topic's first model contradicts are left out, and worse models refused (docs/method/, D64, D67).
    has_veto: bool = True
    at: str = ""
    n_pages: int = 0
    #: Whether the pages met are the unlabelled ones, not the topic's own.
    is_against_met: bool = False
    #: Whether the version's examples keep the links that led to pages of the crawl: a session knows their outcomes already.
    keeps_links: bool = True
    #: Whether the crawl has ended: the version estimates the harvest and judges the collection, and is never in use.
    is_last: bool = False
    #: Relevance from which the crawl calls pages relevant, if its settings say so.
    threshold: float | None = None

    def to_line(self) -> str:
        """Return one line of JSON."""
        return json.dumps(asdict(self))


def read_verdicts(run_dir: Path, version: int) -> dict[int, bool]:
    """Return the verdicts that a training was asked with, by the pages' numbers; none if another was asked since."""
    try:
        task = json.loads(existing_path(run_dir, TASK_FILE).read_text(encoding="utf-8"))
        if task["version"] != version:
            return {}
        return {int(number): task["labels"][str(number)] is True for number in task["verdicts"]}
    except (OSError, ValueError, TypeError, KeyError):
        return {}
