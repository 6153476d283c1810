"""Exports pages as JSON Lines or CSV."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING

from focused.collection.joined import RECORD_FIELDS
from focused.utils.csv_cells import safe_cell

if TYPE_CHECKING:
    from pathlib import Path

    from focused.collection.joined import JoinedRuns


def write_jsonl(runs: JoinedRuns, path: Path) -> list[str]:
    """Write an object a line, in UTF-8."""
    with path.open("w", encoding="utf-8", errors="replace", newline="\n") as file:
        for record in runs.records():
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
    return []


def write_csv(runs: JoinedRuns, path: Path, *, is_safe: bool = True) -> list[str]:
    """Write a row a page, in UTF-8, after a row of names; flags are 1, 0 or nothing, headings a line each.

    ``is_safe``: no cell is a formula for a spreadsheet; such texts have an apostrophe before them.
    """
    with path.open("w", encoding="utf-8", errors="replace", newline="") as file:
        table = csv.writer(file)
        table.writerow(RECORD_FIELDS)
        for record in runs.records():
            record["headings"] = "\n".join(each["text"] for each in record["headings"])
            cells = (int(value) if isinstance(value, bool) else value for value in record.values())
            table.writerow([safe_cell(cell) if is_safe else cell for cell in cells])
    return ["Texts that a spreadsheet would take for formulas have an apostrophe before them."] if is_safe else []
