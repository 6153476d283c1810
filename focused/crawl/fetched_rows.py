"""Makes the rows of ``fetched.csv``."""

from __future__ import annotations

import csv
from io import StringIO
from typing import Any

from focused.items import PageItem  # noqa: TC001  the doctest makes one
from focused.utils.csv_cells import safe_cell

FETCHED_COLUMNS = (
    *("number", "url", "location", "referrer", "relevance", "relevant"),
    *("link_score", "link_reason", "depth", "irrelevant_on_path", "model_version", "link_model_version"),
    "duplicate_of",
)


def fetched_row(number: int, item: PageItem | Any, *, has_duplicates: bool = True, is_safe: bool = True) -> str:
    """Return the row of ``fetched.csv`` for a page; without the last column for a file of an earlier version.

    ``is_safe``: without formulas, for spreadsheets.

    >>> fetched_row(1, PageItem(url="http://h.org/a,b", relevance=0.25, relevant=False))
    '1,"http://h.org/a,b","http://h.org/a,b",,0.2500,0,1.0000,seed,0,0,1,1,'
    """
    row = StringIO()
    relevance = "" if item.relevance is None else f"{item.relevance:.4f}"
    found, link = [number, item.url, item.known_as, item.referrer], f"{item.link_score:.4f}"
    judged = [relevance, int(item.is_delivered), link, item.link_reason, item.depth, item.irrelevant_on_path]
    versions = [item.model_version, item.link_model_version]
    last = [item.duplicate_of] if has_duplicates else []
    cells = [*found, *judged, *versions, *last]
    csv.writer(row, lineterminator="").writerow(map(safe_cell, cells) if is_safe else cells)
    return row.getvalue()
