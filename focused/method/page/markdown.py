"""A page's main text as Markdown: headings, paragraphs, lists, quotations, tables, code, and links.

Only lines of the main text are written. What a line stands in (a list, a quotation, a table, ``pre``) is read from the page's
nodes. A table is one where it holds data: two rows and two columns of short cells; others lay out a page, and their cells are
paragraphs. Of emphasis and code within a line see `focused.method.page.markdown_emphasis`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING
from urllib.parse import quote, urljoin, urlsplit

from focused.method.page.encoding import printable
from focused.method.page.markdown_emphasis import marked, styled
from focused.method.page.marked_text import LINK, TAG_KINDS
from focused.utils.markdown import escaped_beginning

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from focused.method.page.lines import Flags
    from focused.method.page.page import Page

_MOST_DIGITS = 9
"""Of the number of a list's item: Markdown reads no longer ones."""
_LISTS = {TAG_KINDS["ul"], TAG_KINDS["ol"]}
_LI, _OL, _DT, _QUOTE = (TAG_KINDS[tag] for tag in ("li", "ol", "dt", "blockquote"))
_PRE, _TABLE, _TR = (TAG_KINDS[tag] for tag in ("pre", "table", "tr"))
_CELLS = {TAG_KINDS["td"], TAG_KINDS["th"]}
_KINDS = {*_LISTS, _LI, _DT, _QUOTE, _PRE, _TABLE, _TR, *_CELLS}

MAX_CELL_CHARS = 200
"""Of a table that holds data; longer cells are text that the table only lays out."""
MAX_COLUMNS, MAX_DEPTH = 30, 12
"""Columns of a table, and lists and quotations within each other, beyond which a page's structure is left out."""
_URL_SAFE = "/:?#[]@!$&'*+,;=%-._~"
_TICKS = re.compile(r"`{3,}")


def markdown_of(page: Page, is_main: Flags) -> str:
    """Return the lines of a page that belong to its main text as a Markdown document, which may be empty.

    ``is_main`` of shape (n_lines,): see `focused.method.page.main_text.main_lines`.
    """
    return "\n".join(_written(_Blocks(page, is_main)))


@dataclass(slots=True)
class _Line:
    """A line of the main text, and the nodes of some kinds that it stands in, from the outermost to the innermost."""

    number: int
    nodes: list[int]
    #: The innermost of them of each kind.
    inner: dict[int, int] = field(default_factory=dict)


class _Blocks:
    """The main lines of a page with their nodes."""

    def __init__(self, page: Page, is_main: Flags) -> None:
        self.page, self.lines = page, page.lines
        outline = page.outline
        self.kinds = outline.kinds.tolist()
        self.first, self.last = outline.first_chunk.tolist(), outline.last_chunk.tolist()
        self._ends = outline.end.tolist()
        self.chunks = page.marked_text.chunks
        self.base = urljoin(page.url, page.marked_text.base) if page.marked_text.base else page.url
        self.found = list(self._main_lines(is_main.nonzero()[0].tolist()))
        self.link_of = self._links()
        self._emphasis = page.marked_text.emphasis_of_chunks() if page.marked_text.emphasis else {}

    def _main_lines(self, numbers: list[int]) -> Iterator[_Line]:
        firsts = self.lines.first.tolist()
        wanted = [node for node, kind in enumerate(self.kinds) if kind in _KINDS]
        place, stack = 0, list[int]()
        for number in numbers:
            start = firsts[number]
            while place < len(wanted) and self.first[wanted[place]] <= start:
                node = wanted[place]
                while stack and self._ends[stack[-1]] <= node:
                    stack.pop()
                stack.append(node)
                place += 1
            # Empty nodes have no line; those that are over stand at the end of the stack.
            while stack and self.last[stack[-1]] <= start:
                stack.pop()
            yield _Line(number, list(stack), {self.kinds[node]: node for node in stack})

    def _links(self) -> dict[int, str]:
        """Return the absolute URL of the link that each chunk stands in, of those that stand in one."""
        found: dict[int, str] = {}
        nodes = [node for node, kind in enumerate(self.kinds) if kind == LINK]
        for node, target in zip(nodes, self.page.marked_text.link_targets, strict=False):
            if url := _absolute(self.base, target):
                found.update(dict.fromkeys(range(self.first[node], self.last[node]), url))
        return found

    def children(self, node: int) -> list[int]:
        """Return the nodes that stand in a node directly."""
        found, child = list[int](), node + 1
        while child < self._ends[node]:
            found.append(child)
            child = self._ends[child]
        return found

    def inline(self, line: _Line, *, is_marked: bool = True) -> str:
        """Return the text of a line with its links and, if ``is_marked``, its emphasis."""
        written = ""
        for url, pieces in groupby(self._pieces(line, is_marked=is_marked), key=itemgetter(0)):
            runs = [(style, text) for _, style, text in pieces]
            text = "".join(text for _, text in runs)
            if not url or not text.strip():
                written = marked(written, runs)
                continue
            inside = " ".join(marked("[", runs)[1:].split())
            start, end = (" " if edge.isspace() else "" for edge in (text[0], text[-1]))
            written += f"{start}[{inside}](<{url}>){end}"
        return escaped_beginning(" ".join(written.split()))

    def _pieces(self, line: _Line, *, is_marked: bool) -> Iterator[tuple[str, str, str]]:
        """Yield the texts of a line, each with the URL of its link and its emphasis; empty where it has none."""
        for chunk in range(int(self.lines.first[line.number]), int(self.lines.last[line.number])):
            url, text = self.link_of.get(chunk, ""), self.chunks[chunk]
            spans = self._emphasis.get(chunk, ()) if is_marked else ()
            for style, part in styled(text, spans) if spans else [("", text)]:
                yield url, style, printable(part)


def _absolute(base: str, target: str) -> str:
    """Return a link's URL as it may stand in Markdown; empty if it leads nowhere else."""
    target = target.strip()
    if not target or target.startswith("#"):
        return ""
    try:
        url = urljoin(base, target)
        if urlsplit(url).scheme not in ("http", "https", "mailto"):
            return ""
    except ValueError:
        return ""
    return quote(url, safe=_URL_SAFE, errors="replace")


def _written(blocks: _Blocks) -> Iterator[str]:
    """Yield the lines of the document."""
    tables = _data_tables(blocks)
    marks = _Marks(blocks)
    before: list[int] = []
    was_plain, number = False, 0
    while number < len(blocks.found):
        line = blocks.found[number]
        containers = [node for node in line.nodes if blocks.kinds[node] in (_LI, _QUOTE)][:MAX_DEPTH]
        unit, stop = _unit(blocks, blocks.found, number, tables)
        if number and not (was_plain and len(unit) == 1 and marks.follows(containers, before)):
            shared = next((n for n, (a, b) in enumerate(zip(containers, before, strict=False)) if a != b), None)
            yield marks.rest(containers[:shared] if shared is not None else containers[: len(before)]).rstrip()
        yield (marks.start(containers) + unit[0]).rstrip()
        rest = marks.rest(containers)
        for text in unit[1:]:
            yield (rest + text).rstrip()
        was_plain, before, number = len(unit) == 1, containers, stop


class _Marks:
    """What stands before lines in lists and quotations."""

    def __init__(self, blocks: _Blocks) -> None:
        self._kinds = blocks.kinds
        self._starts = blocks.page.marked_text.list_starts
        self._list_of: dict[int, int] = {}
        for line in blocks.found:
            holder = -1
            for node in line.nodes:
                if blocks.kinds[node] in _LISTS:
                    holder = node
                elif blocks.kinds[node] == _LI:
                    self._list_of[node] = holder
        #: Width of the mark of each item that was begun, and how many items of each list were.
        self._width: dict[int, int] = {}
        self._n_items: dict[int, int] = {}

    def follows(self, containers: list[int], before: list[int]) -> bool:
        """Whether a line begins an item of a list that the line before stands in, or one within its item."""
        if not containers or not before or containers[-1] not in self._list_of or containers[-1] in self._width:
            return False
        holder = self._list_of[containers[-1]]
        return any(self._list_of.get(node) == holder for node in before) or containers[:-1] == before

    def start(self, containers: list[int]) -> str:
        """Return what stands before the first line of a block; items that it begins get their marks."""
        found = ""
        for node in containers:
            if node in self._width or self._kinds[node] == _QUOTE:
                found += self.rest([node])
                continue
            holder = self._list_of[node]
            n_items = self._n_items[holder] = self._n_items.get(holder, self._first(holder) - 1) + 1
            mark = f"{n_items}. " if holder >= 0 and self._kinds[holder] == _OL else "- "
            self._width[node] = len(mark)
            found += mark
        return found

    def _first(self, holder: int) -> int:
        """Return the number of the first item of a list."""
        start = self._starts.get(holder, "").strip()
        return int(start) if start.isascii() and start.isdigit() and len(start) <= _MOST_DIGITS else 1

    def rest(self, containers: list[int]) -> str:
        """Return what stands before the other lines."""
        return "".join("> " if self._kinds[node] == _QUOTE else " " * self._width[node] for node in containers)


def _unit(blocks: _Blocks, found: list[_Line], number: int, tables: dict[int, int]) -> tuple[list[str], int]:
    """Return the lines of the block that begins with a line, without prefixes, and the number of the line after it."""
    line = found[number]
    table = next((node for node in line.nodes if node in tables), None)
    if table is not None:
        stop = _stop(found, number, table)
        return list(_table(blocks, found[number:stop])), stop
    pre = line.inner.get(_PRE)
    if pre is not None:
        stop = _stop(found, number, pre)
        first, last = int(blocks.lines.first[line.number]), int(blocks.lines.last[found[stop - 1].number])
        return _code("".join(blocks.chunks[first:last])), stop
    level = int(blocks.lines.level[line.number])
    text = blocks.inline(line, is_marked=not level and _DT not in line.inner)
    if level:
        return [f"{'#' * level} {text.removesuffix('#')}" + ("\\#" if text.endswith("#") else "")], number + 1
    return [f"**{text}**" if _DT in line.inner and "](<" not in text else text], number + 1


def _stop(found: list[_Line], number: int, node: int) -> int:
    while number < len(found) and node in found[number].nodes:
        number += 1
    return number


def _code(text: str) -> list[str]:
    lines = [printable(line).rstrip() for line in text.replace("\r\n", "\n").expandtabs(4).split("\n")]
    while lines and not lines[0]:
        del lines[0]
    while lines and not lines[-1]:
        lines.pop()
    fence = "`" * max([3, *(1 + len(ticks) for ticks in _TICKS.findall("\n".join(lines)))])
    return [fence, *lines, fence]


def _data_tables(blocks: _Blocks) -> dict[int, int]:
    """Return the tables that hold data, with the number of their columns."""
    cells: dict[int, dict[int, dict[int, int]]] = {}  # characters by table, row and cell
    bad: set[int] = set()
    for line in blocks.found:
        tables = [node for node in line.nodes if blocks.kinds[node] == _TABLE]
        if not tables:
            continue
        bad.update(tables[:-1])
        inside = line.nodes[line.nodes.index(tables[-1]) + 1 :]
        kinds = [blocks.kinds[node] for node in inside]
        row = next((node for node, kind in zip(inside, kinds, strict=True) if kind == _TR), None)
        cell = next((node for node, kind in zip(inside, kinds, strict=True) if kind in _CELLS), None)
        if row is None or cell is None or len(kinds) > 2 or blocks.lines.level[line.number]:
            bad.add(tables[-1])
            continue
        of_row = cells.setdefault(tables[-1], {}).setdefault(row, {})
        of_row[cell] = of_row.get(cell, 0) + len(blocks.lines.texts[line.number])
    found = {}
    for table, rows in cells.items():
        columns = max(map(len, rows.values()))
        longest = max(n_chars for row in rows.values() for n_chars in row.values())
        if table not in bad and len(rows) > 1 and 1 < columns <= MAX_COLUMNS and longest <= MAX_CELL_CHARS:
            found[table] = columns
    return found


def _table(blocks: _Blocks, found: Iterable[_Line]) -> Iterator[str]:
    """Yield the rows of a table; its cells by their places in the row, those without text too."""
    rows: dict[int, dict[int, list[str]]] = {}
    for line in found:
        row = line.inner[_TR]
        cell = next(node for node in reversed(line.nodes) if blocks.kinds[node] in _CELLS)
        rows.setdefault(row, {}).setdefault(cell, []).append(blocks.inline(line))
    written = []
    for row, texts in rows.items():
        cells = [node for node in blocks.children(row) if blocks.kinds[node] in _CELLS]
        written.append([" ".join(texts.get(cell, ())) for cell in cells[:MAX_COLUMNS]])
    n_columns = max(map(len, written))
    head = next(iter(rows))
    is_head = all(blocks.kinds[cell] == TAG_KINDS["th"] for cell in rows[head])
    lines = written if is_head else [[], *written]
    for number, row_cells in enumerate(lines):
        yield f"| {' | '.join(row_cells + [''] * (n_columns - len(row_cells)))} |"
        if not number:
            yield f"|{' --- |' * n_columns}"
