"""Writes CSV cells that no spreadsheet takes for formulas: titles of pages may hold any text."""

from __future__ import annotations

import re
from typing import Any

# What Excel, LibreOffice and Google Sheets begin a formula with, or skip before one. A number with its sign is none.
_FORMULA = re.compile(r"[=+\-@\t\r\n](?!(?<=[+\-])[0-9]+(?:[.,][0-9]+)*\Z)")


def safe_cell(value: Any) -> Any:
    """Return the value of a cell. A text that a spreadsheet would take for a formula gets an apostrophe before it.

    >>> [safe_cell(each) for each in ("=1+1", "@sum", "-2+3", "-2.5", "a=b", "", -2.5)]
    ["'=1+1", "'@sum", "'-2+3", '-2.5', 'a=b', '', -2.5]
    """
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value
