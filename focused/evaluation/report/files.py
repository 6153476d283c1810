"""Read the files of a crawl or an evaluation, which may end within a line; write the report beside them."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, Any

from focused.utils.csv_fields import long_fields
from focused.utils.files import read_regular, write_whole

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_MAX_FIELD_CHARS = 1_000_000
_MAX_JSON_BYTES = 100_000_000


class ReportError(ValueError):
    """A folder without data for a report; the message says why and what to do."""


def read_rows(path: Path) -> tuple[list[dict[str, str]], int]:
    """Return the rows of a CSV file with a header, and the number of incomplete rows, which are left out.

    A missing file has no rows.
    """
    if not path.is_file():
        return [], 0
    rows, n_bad = [], 0
    with long_fields(_MAX_FIELD_CHARS), path.open(encoding="utf-8", errors="replace", newline="") as file:
        reader = csv.reader(line.replace("\0", "\ufffd") for line in file)
        header: list[str] | None = None
        for row in _readable(reader):
            if header is None:
                header = row
            elif row is None or len(row) != len(header):
                n_bad += row is None or bool(row)
            else:
                rows.append(dict(zip(header, row, strict=True)))
    return rows, n_bad


def _readable(reader: Any) -> Iterator[list[str] | None]:
    """Iterate over rows; None stands for a row that is no CSV."""
    while True:
        try:
            yield next(reader)
        except StopIteration:
            return
        except csv.Error:
            yield None


def read_json(path: Path) -> dict[str, Any]:
    """Return the object in a JSON file; an empty one if the file is missing or damaged."""
    try:
        value = json.loads(read_regular(path, _MAX_JSON_BYTES).decode(errors="replace"))
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def write_page(path: Path, text: str) -> Path:
    """Write a page under another name and rename it, so that nobody opens half of it.

    Raises OSError if it cannot be written.
    """
    write_whole(path, text)
    return path
