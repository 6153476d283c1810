"""`KnownPages`: which pages a session has learnt from already, where several workers may have fetched one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from focused.method.strategies.linkmodel.memory import LinkMemory
    from focused.method.strategies.linkmodel.page_links import PageLinks


class KnownPages:
    """Tells whether a page is known: by the outcome of the URL that the web gives it; a sitemap or feed has none.

    A page comes a second time if its first worker had lost its lease, or if two workers found it under two URLs. Within one
    worker the crawl sorts both out before the page is judged.
    """

    def __init__(self) -> None:
        self._sources: set[int] = set()

    def knows(self, found: PageLinks, memory: LinkMemory) -> bool:
        """Tell whether a page has been learnt from; if so, the link that led to it this time has the same outcome."""
        first, last = found.urls[0], found.urls[-1]
        if found.is_source:
            is_known = hash(last) in self._sources
            self._sources.add(hash(last))
            return is_known
        number = memory.number(last)
        if number is None or np.isnan(memory.links["outcome"][number]):
            return False
        memory.note_same_page(first, last)
        return True
