"""How much of a page is looked at. Pages are hostile; what a limit cuts off is counted, never lost silently."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PageLimits:
    """Limits on one page, each a positive integer.

    A page within them takes less than a second of CPU even if it was written to take longer; up to two if all of
    its 2 MB are words never met before, or links to hosts with accents.
    """

    #: Bytes of the body that are read; the rest is cut off. 0.2 s of work on an ordinary page of this size.
    max_bytes: int = 2_000_000
    #: Elements of the document that are looked at, in document order.
    max_elements: int = 100_000
    #: Different targets of links that are looked at, in document order.
    max_links: int = 10_000
    #: Characters of a link's URL; servers refuse longer ones.
    max_url_chars: int = 2_083
    #: Term positions over all units of a page; nested link contexts may repeat a text many times.
    max_unit_terms: int = 1_000_000

    def __post_init__(self) -> None:
        for name in self.__slots__:
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise ValueError(f"FOCUSED_PAGE_{name.upper()} must be a whole number of at least 1. Got {value!r}.")
