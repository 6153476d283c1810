"""Tables that hold data, as Markdown: two rows and two columns of short cells. Other tables only lay out a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focused.method.page.markdown_lines import CELLS, TABLE, TR
from focused.method.page.marked_text import TAG_KINDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from focused.method.page.markdown_lines import MainLine, MainLines

MAX_CELL_CHARS = 200
"""Of a table that holds data; longer cells are text that the table only lays out."""
MAX_COLUMNS = 30
"""Columns beyond which the cells of a table are left out."""


def data_tables(page_lines: MainLines) -> dict[int, int]:
    """Return the tables that hold data, with the number of their columns."""
    cells: dict[int, dict[int, dict[int, int]]] = {}  # characters by table, row and cell
    bad: set[int] = set()
    for line in page_lines.found:
        tables = [node for node in line.nodes if page_lines.kinds[node] == TABLE]
        if not tables:
            continue
        bad.update(tables[:-1])
        inside = line.nodes[line.nodes.index(tables[-1]) + 1 :]
        kinds = [page_lines.kinds[node] for node in inside]
        row = next((node for node, kind in zip(inside, kinds, strict=True) if kind == TR), None)
        cell = next((node for node, kind in zip(inside, kinds, strict=True) if kind in CELLS), None)
        if row is None or cell is None or len(kinds) > 2 or page_lines.lines.level[line.number]:
            bad.add(tables[-1])
            continue
        of_row = cells.setdefault(tables[-1], {}).setdefault(row, {})
        of_row[cell] = of_row.get(cell, 0) + len(page_lines.lines.texts[line.number])
    found = {}
    for table, rows in cells.items():
        columns = max(map(len, rows.values()))
        longest = max(n_chars for row in rows.values() for n_chars in row.values())
        if table not in bad and len(rows) > 1 and 1 < columns <= MAX_COLUMNS and longest <= MAX_CELL_CHARS:
            found[table] = columns
    return found


def table_rows(page_lines: MainLines, found: Iterable[MainLine]) -> Iterator[str]:
    """Yield the rows of a table; its cells by their places in the row, those without text too."""
    rows: dict[int, dict[int, list[str]]] = {}
    for line in found:
        row = line.inner[TR]
        cell = next(node for node in reversed(line.nodes) if page_lines.kinds[node] in CELLS)
        rows.setdefault(row, {}).setdefault(cell, []).append(page_lines.inline(line))
    written = []
    for row, texts in rows.items():
        cells = [node for node in page_lines.children(row) if page_lines.kinds[node] in CELLS]
        written.append([" ".join(texts.get(cell, ())) for cell in cells[:MAX_COLUMNS]])
    n_columns = max(map(len, written))
    head = next(iter(rows))
    is_head = all(page_lines.kinds[cell] == TAG_KINDS["th"] for cell in rows[head])
    lines = written if is_head else [[], *written]
    for number, row_cells in enumerate(lines):
        yield f"| {' | '.join(row_cells + [''] * (n_columns - len(row_cells)))} |"
        if not number:
            yield f"|{' --- |' * n_columns}"
