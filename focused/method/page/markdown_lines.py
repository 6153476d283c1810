"""The main lines of a page as Markdown needs them: the nodes that each stands in, and its text with links and emphasis."""

from __future__ import annotations

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
    from collections.abc import Iterator

    from focused.method.page.lines import Flags
    from focused.method.page.page import Page

LISTS = {TAG_KINDS["ul"], TAG_KINDS["ol"]}
LI, OL, DT, QUOTE = (TAG_KINDS[tag] for tag in ("li", "ol", "dt", "blockquote"))
PRE, TABLE, TR = (TAG_KINDS[tag] for tag in ("pre", "table", "tr"))
CELLS = {TAG_KINDS["td"], TAG_KINDS["th"]}
_KINDS = {*LISTS, LI, DT, QUOTE, PRE, TABLE, TR, *CELLS}
_URL_SAFE = "/:?#[]@!$&'*+,;=%-._~"


@dataclass(slots=True)
class MainLine:
    """A line of the main text, and the nodes of some kinds that it stands in, from the outermost to the innermost."""

    number: int
    nodes: list[int]
    #: The innermost of them of each kind.
    inner: dict[int, int] = field(default_factory=dict)


class MainLines:
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

    def _main_lines(self, numbers: list[int]) -> Iterator[MainLine]:
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
            yield MainLine(number, list(stack), {self.kinds[node]: node for node in stack})

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

    def inline(self, line: MainLine, *, is_marked: bool = True) -> str:
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

    def _pieces(self, line: MainLine, *, is_marked: bool) -> Iterator[tuple[str, str, str]]:
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
