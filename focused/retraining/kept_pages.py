"""The latest judged pages, so that their links can be scored again and the texts of a followed link can be found."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from focused.method.page.page import Page
    from focused.method.scoring import Visit


@dataclass(frozen=True, slots=True)
class KeptPage:
    """A page whose links can be scored again."""

    page: Page
    visit: Visit


class KeptPages:
    """Pages by their URLs. Beyond the limit those that were judged first are forgotten.

    A link's score rests on what its page says. To keep that for each kind of strategy would take most of the page. So the
    pages are kept, and each is judged again as it was the first time.

    Parameters
    ----------
    max_pages : int
    """

    def __init__(self, max_pages: int) -> None:
        self.max_pages = max_pages
        self._pages: OrderedDict[str, KeptPage] = OrderedDict()

    def __len__(self) -> int:
        return len(self._pages)

    def __iter__(self) -> Iterator[KeptPage]:
        """Yield the pages that are kept now, those judged first first. Pages kept after that are left out."""
        yield from list(self._pages.values())

    def keep(self, page: Page, visit: Visit) -> None:
        """Keep a page that has been judged."""
        self._pages.pop(page.url, None)
        self._pages[page.url] = KeptPage(page, visit)
        if len(self._pages) > self.max_pages:
            self._pages.popitem(last=False)

    def get(self, url: str) -> KeptPage | None:
        """Return a page, None if it is not kept."""
        return self._pages.get(url)
