"""The names that the previous version gave to files and stats of a run: such runs are still resumed and read."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_FORMER = {"retraining.jsonl": "adaptation.jsonl", "retraining-task.json": "adaptation-task.json"}
_PRESENT = {former: name for name, former in _FORMER.items()}
FORMER_STATS = {
    "focused/adaptation/": "focused/retraining/",
    "focused/verdicts/doubtful_count": "focused/verdicts/label_noise_count",
    "focused/verdicts/new_side_count": "focused/verdicts/new_subtopic_count",
}
"""Former stats, or the beginnings of their names, with the present ones."""

FORMER_FILES = frozenset(_PRESENT)

Value = TypeVar("Value")


def existing_path(run_dir: Path, name: str) -> Path:
    """Return the path of a file; under its former name if only that one is there."""
    path = run_dir / name
    former = run_dir / _FORMER.get(name, name)
    return former if former.exists() and not path.exists() else path


def rename_former_files(run_dir: Path) -> None:
    """Give files their present names, so that a resumed crawl appends to them; an OSError says that one keeps its name."""
    for name in _FORMER:
        path = existing_path(run_dir, name)
        if path.name != name:
            path.rename(run_dir / name)


def with_present_names(values: Mapping[str, Value]) -> dict[str, Value]:
    """Return values by names of files or stats, with former names replaced by present ones.

    >>> with_present_names({"adaptation.jsonl": 7, "focused/adaptation/version": 2, "pages.jsonl": 3})
    {'retraining.jsonl': 7, 'focused/retraining/version': 2, 'pages.jsonl': 3}
    """
    return {_present(name): value for name, value in values.items()}


def _present(name: str) -> str:
    for former, present in (FORMER_STATS | _PRESENT).items():
        if name.startswith(former):
            return present + name.removeprefix(former)
    return name
