"""Limits on what is read of a page. Pages may be hostile. What a limit cuts off is counted, never lost silently."""

from __future__ import annotations

from dataclasses import dataclass

from focused.utils.parameters import check_parameters, parameter
from focused.utils.setting import TOPIC, Setting

MAX_URL_CHARS = Setting(
    "FOCUSED_PAGE_MAX_URL_CHARS",
    2_083,
    "Characters of a link's URL; servers refuse longer ones.",
    least=1,
    set_by=TOPIC,
)
MAX_UNIT_TERMS = Setting(
    "FOCUSED_PAGE_MAX_UNIT_TERMS",
    1_000_000,
    "Terms of all link contexts of a page together; beyond that each is cut to an equal share. Nested contexts may repeat a "
    "text many times.",
    least=1,
    set_by=TOPIC,
)


@dataclass(frozen=True, slots=True)
class PageLimits:
    """Limits on one page.

    Within these limits even a hostile page takes less than a second of CPU. The exception are 2 MB of words never seen
    before, or of links to hosts with accents: up to two seconds.
    """

    #: An ordinary page of this size takes 0.2 s.
    max_bytes: int = parameter(
        "FOCUSED_PAGE_MAX_BYTES", 2_000_000, "Bytes of a body that are read.", least=1, set_by=TOPIC
    )
    max_elements: int = parameter(
        "FOCUSED_PAGE_MAX_ELEMENTS",
        100_000,
        "Elements of a page that are looked at, in document order.",
        least=1,
        set_by=TOPIC,
    )
    max_links: int = parameter(
        "FOCUSED_PAGE_MAX_LINKS",
        10_000,
        "Different targets of links that are looked at on a page, in document order.",
        least=1,
        set_by=TOPIC,
    )
    max_url_chars: int = parameter(MAX_URL_CHARS)
    max_unit_terms: int = parameter(MAX_UNIT_TERMS)

    def __post_init__(self) -> None:
        check_parameters(self)
