"""`Furniture`: learns the furniture of a crawl's hosts, lines that stand on several of their pages."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from focused.method.page.repeated_lines import RepeatedLines

if TYPE_CHECKING:
    from focused.method.page.lines import Flags
    from focused.method.page.page import Page


class Furniture:
    """The lines of all pages met, counted for each host in bounded memory."""

    def __init__(self) -> None:
        self._lines = RepeatedLines()

    def mark_and_learn(self, page: Page, url: str, *, is_copy: bool) -> Flags | None:
        """Return which lines of a page are furniture of its host, by the pages before it, and count its own lines.

        ``url``: the page's own. ``is_copy``: whether its text is that of another page, and teaches nothing.
        """
        return self._lines.mark_and_learn(page.lines, urlsplit(url).netloc, learns=not is_copy)
