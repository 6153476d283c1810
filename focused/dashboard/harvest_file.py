"""Reads ``harvest.csv`` of a run, however damaged or long: its last row, and a curve."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

from focused.utils.file_names import HARVEST_FILE
from focused.utils.files import open_regular, read_regular

if TYPE_CHECKING:
    from pathlib import Path

_TAIL_BYTES = 4_000
_MAX_CURVE_BYTES = 50_000_000


def last_row(path: Path) -> dict[str, str]:
    """Return the last whole row of a CSV file by the names of its columns; empty if there is none."""
    try:
        with open(open_regular(path, may_link=False), "rb") as file:  # noqa: PTH123
            head = file.readline(_TAIL_BYTES)
            size = file.seek(0, 2)
            file.seek(max(len(head), size - _TAIL_BYTES))
            lines = file.read(_TAIL_BYTES).split(b"\n")[:-1]
    except (OSError, ValueError):
        return {}
    if not lines:
        return {}
    try:
        names, values = (
            next(csv.reader(io.StringIO(line.decode("utf-8", "replace"))), []) for line in (head, lines[-1])
        )
    except csv.Error:  # damaged, or a stranger's
        return {}
    return dict(zip(names, values, strict=False))


def curve(run_dir: Path, most: int = 500) -> list[list[float | None]]:
    """Return columns for a chart: pages, harvest rate so far, of the last pages, estimate; about so many rows each."""
    try:
        data = read_regular(run_dir / HARVEST_FILE, _MAX_CURVE_BYTES, may_link=False)
        text = b"\n".join(_some_lines(data, most)).decode("utf-8", "replace")
        rows = list(csv.DictReader(io.StringIO(text)))
    except (OSError, ValueError, csv.Error):  # damaged, or a stranger's
        return [[], [], [], []]
    recent = next((name for name in (rows[0] if rows else {}) if name and name.startswith("harvest_rate_last")), "")
    return [[number_of(row.get(name)) for row in rows] for name in ("pages", "harvest_rate", recent, "estimated")]


def _some_lines(data: bytes, most: int) -> list[bytes]:
    """Return the first line of a file and about so many of the others, evenly over it, with the last whole one.

    A file is not split into all its lines: of a stranger there may be millions.
    """
    end = data.rfind(b"\n")
    n_lines = data.count(b"\n", 0, max(end, 0))
    if n_lines <= most:
        return data[: max(end, 0)].split(b"\n")
    found, at = [data[: data.index(b"\n")]], 0
    for place in range(most):
        start = data.find(b"\n", max(at, end * place // most)) + 1
        if not 0 < start < end:
            break
        at = data.find(b"\n", start)
        found.append(data[start:at])
    last = data[data.rfind(b"\n", 0, end) + 1 : end]
    return found if found[-1] == last else [*found, last]


def number_of(value: Any) -> float | None:
    """Return a number that is one, and not beyond all measure; None of anything else."""
    try:
        found = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return found if abs(found) < 1e12 else None
