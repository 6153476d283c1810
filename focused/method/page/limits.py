"""Limits on what is read of a page. Pages may be hostile. What a limit cuts off is counted, never lost silently."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PageLimits:
    """Limits on one page, each a positive integer.

    Within these limits even a hostile page takes less than a second of CPU. The exception are 2 MB of words never seen
    before, or of links to hosts with accents: up to two seconds.
    """

    #: Bytes of the body that are read; the rest is cut off. An ordinary page of this size takes 0.2 s.
    max_bytes: int = 2_000_000
    #: Elements that are read, in document order.
    max_elements: int = 100_000
    #: Different link targets that are read, in document order.
    max_links: int = 10_000
    #: Characters of a link's URL; servers refuse longer ones.
    max_url_chars: int = 2_083
    #: Terms of all text units of a page together: nested link contexts may repeat a text many times.
    max_unit_terms: int = 1_000_000

    def __post_init__(self) -> None:
        for name in self.__slots__:
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise ValueError(f"FOCUSED_PAGE_{name.upper()} must be a whole number of at least 1. Got {value!r}.")
