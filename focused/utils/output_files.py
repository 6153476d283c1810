"""Check the output files that users name: never one that a crawl or an evaluation keeps in its folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focused.utils.file_names import (
    CRAWL_FILES,
    EVALUATION_FILES,
    FRONTIER_FILE,
    OPTIONS_FILE,
    RUN_FILE,
    VERDICTS_FOLDER,
    VERSIONS_FOLDER,
)

if TYPE_CHECKING:
    from pathlib import Path

# Every folder of a crawl or an evaluation holds one of these files.
_MARKS = (RUN_FILE, FRONTIER_FILE, OPTIONS_FILE)


def check_output(path: Path, option: str, *, run_dir: Path | None = None) -> Path:
    """Return an output path that an option names; ``run_dir`` is the folder of a crawl that is about to start.

    A ValueError says that a crawl or an evaluation keeps a file of that name there, even if it does not exist yet.
    """
    # The path may be such a file, or a symbolic link to one.
    for found in dict.fromkeys((path.parent.resolve() / path.name, path.resolve())):
        folder = found.parent
        begins = run_dir is not None and folder == run_dir.resolve()
        is_kept = found.name in CRAWL_FILES | EVALUATION_FILES and (begins or _is_kept_in(folder))
        if is_kept or run_with(found) is not None:
            what = f"{path}, which leads there," if found.name != path.name else str(path)
            kept = f"what a crawl or an evaluation keeps in {folder}"
            raise ValueError(f"{what} would overwrite {kept}. Choose another name: {option} FILE")
    return path


def run_with(path: Path) -> Path | None:
    """Return the run that keeps its verdicts, or the versions of its model, in a folder or above it; None: there is none."""
    kept = (each.parent for each in (path, *path.parents) if each.name in (VERSIONS_FOLDER, VERDICTS_FOLDER))
    return next(filter(_is_kept_in, kept), None)


def check_regular(path: Path, option: str) -> Path:
    """Return an output path that an option names, a symbolic link followed; the output will take the place of what is there.

    A ValueError says that a device or a pipe is there, which would be replaced instead of written to.
    """
    if str(path) == "-":
        raise ValueError(f"{option} must name a file: standard output is not written to. Got '-'.")
    found = path.resolve() if path.is_symlink() else path
    if found.exists() and not (found.is_file() or found.is_dir()):
        raise ValueError(f"{path} is no regular file, and would be replaced by one. Name another: {option} FILE")
    return found


def check_folder(folder: Path, option: str) -> Path:
    """Return the folder of an evaluation; a ValueError says that a crawl keeps its files there (both have a run.json)."""
    for name in sorted(CRAWL_FILES - EVALUATION_FILES):
        if (folder / name).exists():
            raise ValueError(f"{folder} is the folder of a crawl ({name} is there). Choose another: {option} DIR")
    return folder


def _is_kept_in(folder: Path) -> bool:
    return any((folder / name).exists() for name in _MARKS)
