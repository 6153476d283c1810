"""Files that people name for what a command writes: never those that a crawl or an evaluation keeps in its folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focused.utils.former_files import FORMER_FILES

if TYPE_CHECKING:
    from pathlib import Path

CRAWL_FILES = frozenset(
    {
        *("run.json", "pages.jsonl", "harvest.csv", "fetched.csv", "pages.warc.gz"),
        *("frontier.sqlite", "frontier.sqlite-wal", "frontier.sqlite-shm", "frontier.sqlite.lock", "frontier.id"),
        *("versions.jsonl", "retraining.jsonl", "retraining-task.json", *FORMER_FILES),
    }
)
"""What a crawl keeps in its run directory, besides the folder ``versions``."""

_EVALUATION_FILES = frozenset({"run.json", "results.csv", "curves.csv", "options.json"})
# A file of one of these names lies wherever a crawl or an evaluation was begun.
_MARKS = ("run.json", "frontier.sqlite", "options.json")
_VERSIONS = "versions"


def check_output(path: Path, option: str, *, run_dir: Path | None = None) -> Path:
    """Return where something is to be written, if that is no file of a crawl or an evaluation.

    Parameters
    ----------
    path : Path
    option : str
        With which it was named: ``--csv``.
    run_dir : Path, optional
        Folder of a crawl that is about to begin.

    Raises
    ------
    ValueError
        If a crawl or an evaluation keeps a file of that name in that folder, whether or not it is there already.
    """
    # A link to such a file is written through, or replaced where it is one itself.
    for found in dict.fromkeys((path.parent.resolve() / path.name, path.resolve())):
        folder = found.parent
        begins = run_dir is not None and folder == run_dir.resolve()
        is_kept = (found.name in CRAWL_FILES | _EVALUATION_FILES and (begins or _is_kept_in(folder))) or any(
            each.name == _VERSIONS and _is_kept_in(each.parent) for each in found.parents
        )
        if is_kept:
            what = f"{path}, which leads there," if found.name != path.name else str(path)
            raise ValueError(
                f"{what} would overwrite what a crawl or an evaluation keeps in {folder}. Choose another name: "
                f"{option} FILE"
            )
    return path


def check_folder(folder: Path, option: str) -> Path:
    """Return the folder of an evaluation, if no crawl keeps its files there: both have a ``run.json``.

    Raises
    ------
    ValueError
        If one does.
    """
    for name in sorted(CRAWL_FILES - _EVALUATION_FILES):
        if (folder / name).exists():
            raise ValueError(f"{folder} is the folder of a crawl ({name} is there). Choose another: {option} DIR")
    return folder


def _is_kept_in(folder: Path) -> bool:
    return any((folder / name).exists() for name in _MARKS)
