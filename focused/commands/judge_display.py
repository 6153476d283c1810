"""Shows a page in `scrapy judge`: its title and main text first, then where it comes from and why it is shown."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from focused.collection.queue_kinds import WHY
from focused.utils.terminal_text import harmless, shortened, wrapped
from focused.utils.words import quantity

if TYPE_CHECKING:
    from focused.collection.judging_session import ShownPage

_KEYS = "y yes  n no  s skip  u undo  q quit"
_MOST_LINES, _MOST_CHARS = 2_000, 100_000
_LINES_WITHOUT_SCREEN, _COLUMNS_WITHOUT_SCREEN = 25, 80
_MOST_COPIES = 2
_CLEAR, _BOLD, _PLAIN = "\x1b[H\x1b[2J\x1b[3J", "\x1b[1m", "\x1b[0m"


@dataclass(slots=True)
class Display:
    """Writes pages to the terminal, or to a file where there is none."""

    is_screen: bool
    #: First line of the text that is shown.
    start: int = 0

    def show(self, shown: ShownPage, judged: str) -> None:
        """Show a page from the line `start` on; ``judged`` says how far the person is."""
        size = shutil.get_terminal_size((_COLUMNS_WITHOUT_SCREEN, 24))
        width = max(size.columns if self.is_screen else _COLUMNS_WITHOUT_SCREEN, 20)
        lines = wrapped(shown.row["text"][:_MOST_CHARS] or "(no text)", width, _MOST_LINES)
        foot = self._fitted(_foot(shown, judged), width, size.lines // 2)
        n_lines = max(size.lines - len(foot) - 4, 1) if self.is_screen else _LINES_WITHOUT_SCREEN
        self.start = min(max(self.start, 0), max(len(lines) - n_lines, 0)) if self.start else 0
        end = self.start + n_lines
        title = shortened(harmless(shown.row["title"]).strip() or "(no title)", width)
        out = [f"{_BOLD}{title}{_PLAIN}" if self.is_screen and "NO_COLOR" not in os.environ else title, ""]
        out += lines[self.start : end]
        if self.is_screen:
            out += [""] * (n_lines - len(lines[self.start : end]))
        more = "end of the text" if end >= len(lines) else f"{quantity(len(lines) - end, 'more lines')}: space, arrows"
        out += [shortened(f"--- {more} ---", width), *foot]
        sys.stdout.write((_CLEAR if self.is_screen else "\n") + "\n".join(out) + "\n")
        sys.stdout.flush()

    def _fitted(self, foot: list[str], width: int, most: int) -> list[str]:
        """Return the lines under the text; the URL, which comes first, is whole unless it would take ``most`` lines."""
        if not self.is_screen:
            return foot  # a file has room, and its reader may want the addresses
        url, *rest = foot
        lines = wrapped(url, width, most + 1)
        if len(lines) > most:
            lines = [*lines[: most - 1], shortened("".join(lines[most - 1 :]), width)]
        return [*lines, *(shortened(line, width) for line in rest)]

    def move(self, n_pages: int) -> None:
        """Move to another part of the text."""
        height = (
            shutil.get_terminal_size((_COLUMNS_WITHOUT_SCREEN, 24)).lines if self.is_screen else _LINES_WITHOUT_SCREEN
        )
        self.start = max(self.start + n_pages * max(height - 10, 1), 0)

    def say(self, line: str) -> None:
        """Say something under the page."""
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


def _foot(shown: ShownPage, judged: str) -> list[str]:
    row = shown.row
    lines = [harmless(row["url"])]
    if row["referrer"]:
        lines.append(
            f"found on {harmless(row['referrer'])} ({row['link_score']:.2f} by {harmless(row['link_reason'])})"
        )
    else:
        lines.append("found as a seed")
    if shown.copies:
        named = ", ".join(map(harmless, shown.copies[:_MOST_COPIES]))
        more = f" and {len(shown.copies) - _MOST_COPIES} more" if len(shown.copies) > _MOST_COPIES else ""
        lines.append(f"judged together with {quantity(len(shown.copies), 'near copies')}: {named}{more}")
    lines.append(f"{shown.pick.kind}: {WHY[shown.pick.kind]}")
    return [*lines, f"{judged}   {_KEYS}"]
