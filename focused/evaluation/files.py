"""Write the files of an evaluation's folder that people and the report read."""

from __future__ import annotations

import csv
import fcntl
import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from focused.evaluation.crawl_group import DONE
from focused.evaluation.measures import CurvePoint
from focused.evaluation.options import first_difference
from focused.utils.file_names import CURVES_FILE, OPTIONS_FILE, RESULTS_FILE
from focused.utils.files import write_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_KEY = ("web", "topic", "strategy", "repeat", "start", "preset")
RESULT_COLUMNS = (
    *_KEY,
    *("pages", "relevant", "harvest_rate", "target_recall", "target_length", "irrelevant_on_path"),
    *("share_of_bound", "area", "f_measure", "by_block", "by_anchor", "by_context", "deferred"),
    *("relevant_by_block", "relevant_by_anchor", "relevant_by_context", "relevant_deferred"),
    *("cpu_seconds", "finish_reason"),
    *("reachable_relevant", "bound", "budget", "state"),
    *("by_other", "relevant_by_other", "relevant_seeds", "dropped", "unreachable_relevant", "page_errors"),
    "virtual_hours",
)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock a folder against other evaluations. Raises ValueError if another evaluation writes there."""
    with (folder / ".lock").open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise ValueError(
                f"Another evaluation is writing into {folder}. Wait until it ends, or choose another folder: --output DIR"
            ) from None
        yield


def check_same_options(folder: Path, kept: dict[str, Any]) -> bool:
    """Compare an evaluation's options with those kept in its folder; return whether it resumes one.

    Raises ValueError if the folder holds another evaluation.
    """
    path = folder / OPTIONS_FILE
    now = json.loads(json.dumps(kept))
    try:
        before = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return False
    except ValueError:
        before = None
    if not isinstance(before, dict):
        raise ValueError(
            f"{path} is damaged, so the options of its evaluation are unknown. Choose another folder: --output DIR"
        )
    difference = first_difference(before, now)
    if difference is not None:
        name, then, value = difference
        raise ValueError(
            f"{folder} holds an evaluation with other options: {name} was {_shown(then)}, now {_shown(value)}. Choose "
            f"another folder (--output DIR) or the same options."
        )
    return True


def note_options(folder: Path, kept: dict[str, Any]) -> None:
    """Keep the options of an evaluation after all checks, so that a refusal leaves the folder free."""
    write_json(folder / OPTIONS_FILE, kept)


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 100 else f"{text[:100]}..."


def write_results(folder: Path, records: Sequence[dict[str, Any]]) -> None:
    """Write ``results.csv`` and ``curves.csv``. Rows are in the order of the records."""
    rows, curves = [], []
    for record in records:
        key = [record[name] for name in _KEY]
        if record["state"] == DONE:
            figures = {**record["figures"], "state": DONE}
            for point in record["curve"]:
                curves.append([*key, *(f"{value:.6f}" if isinstance(value, float) else value for value in point)])
        else:
            figures = {"finish_reason": f"failed: {record['why']}", "state": record["state"]}
        rows.append([*key, *(figures.get(name) for name in RESULT_COLUMNS[len(_KEY) :])])
    _write_csv(folder / RESULTS_FILE, RESULT_COLUMNS, rows)
    _write_csv(folder / CURVES_FILE, (*_KEY, *CurvePoint._fields), curves)


def _write_csv(path: Path, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    part = path.with_name(f".{path.name}.part")
    with part.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)
    part.replace(path)
