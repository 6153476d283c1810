"""A page's main text as Markdown: headings, paragraphs, lists, quotations, tables, code, and links.

Only lines of the main text are written. What a line stands in (a list, a quotation, a table, ``pre``) is read from the page's
nodes (`focused.method.page.markdown_lines`). Tables are written if they hold data (`focused.method.page.markdown_tables`); the
cells of others are paragraphs. Emphasis and code within a line: `focused.method.page.markdown_emphasis`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from focused.method.page.encoding import printable
from focused.method.page.markdown_lines import DT, LI, LISTS, OL, PRE, QUOTE, MainLine, MainLines
from focused.method.page.markdown_tables import data_tables, table_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from focused.method.page.lines import Flags
    from focused.method.page.page import Page

_MOST_DIGITS = 9
"""The most digits of the number of a list's item: Markdown reads no longer ones."""
MAX_DEPTH = 12
"""Lists and quotations within each other, beyond which a page's structure is left out."""
_TICKS = re.compile(r"`{3,}")


def markdown_of(page: Page, is_main: Flags) -> str:
    """Return the lines of a page that belong to its main text as a Markdown document, which may be empty.

    ``is_main`` of shape (n_lines,): see `focused.method.page.main_text.main_lines`.
    """
    return "\n".join(_written(MainLines(page, is_main)))


def _written(page_lines: MainLines) -> Iterator[str]:
    """Yield the lines of the document."""
    tables = data_tables(page_lines)
    marks = _Marks(page_lines)
    before: list[int] = []
    was_plain, number = False, 0
    while number < len(page_lines.found):
        line = page_lines.found[number]
        containers = [node for node in line.nodes if page_lines.kinds[node] in (LI, QUOTE)][:MAX_DEPTH]
        unit, stop = _unit(page_lines, page_lines.found, number, tables)
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

    def __init__(self, page_lines: MainLines) -> None:
        self._kinds = page_lines.kinds
        self._starts = page_lines.page.marked_text.list_starts
        self._list_of: dict[int, int] = {}
        for line in page_lines.found:
            holder = -1
            for node in line.nodes:
                if page_lines.kinds[node] in LISTS:
                    holder = node
                elif page_lines.kinds[node] == LI:
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
            if node in self._width or self._kinds[node] == QUOTE:
                found += self.rest([node])
                continue
            holder = self._list_of[node]
            n_items = self._n_items[holder] = self._n_items.get(holder, self._first(holder) - 1) + 1
            mark = f"{n_items}. " if holder >= 0 and self._kinds[holder] == OL else "- "
            self._width[node] = len(mark)
            found += mark
        return found

    def _first(self, holder: int) -> int:
        """Return the number of the first item of a list."""
        start = self._starts.get(holder, "").strip()
        return int(start) if start.isascii() and start.isdigit() and len(start) <= _MOST_DIGITS else 1

    def rest(self, containers: list[int]) -> str:
        """Return what stands before the other lines."""
        return "".join("> " if self._kinds[node] == QUOTE else " " * self._width[node] for node in containers)


def _unit(page_lines: MainLines, found: list[MainLine], number: int, tables: dict[int, int]) -> tuple[list[str], int]:
    """Return the lines of the block that begins with a line, without prefixes, and the number of the line after it."""
    line = found[number]
    table = next((node for node in line.nodes if node in tables), None)
    if table is not None:
        stop = _stop(found, number, table)
        return list(table_rows(page_lines, found[number:stop])), stop
    pre = line.inner.get(PRE)
    if pre is not None:
        stop = _stop(found, number, pre)
        first, last = int(page_lines.lines.first[line.number]), int(page_lines.lines.last[found[stop - 1].number])
        return _code("".join(page_lines.chunks[first:last])), stop
    level = int(page_lines.lines.level[line.number])
    text = page_lines.inline(line, is_marked=not level and DT not in line.inner)
    if level:
        return [f"{'#' * level} {text.removesuffix('#')}" + ("\\#" if text.endswith("#") else "")], number + 1
    return [f"**{text}**" if DT in line.inner and "](<" not in text else text], number + 1


def _stop(found: list[MainLine], number: int, node: int) -> int:
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
