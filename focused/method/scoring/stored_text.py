"""Reads the newness and the form of the title from the stored sketch of a page's text."""

from __future__ import annotations

from focused.method.page.text_sketch import FORMAT, N_FIXED, N_HEAD, N_TITLE
from focused.method.page.triples import newness_of


def form_and_newness(data: bytes) -> tuple[int, float]:
    """Return from the bytes of a sketch the hash of the title without its numbers, and how new the text is, in [0, 1].

    Of a page without a sketch, and of one of an earlier version: 0 and 1.

    >>> form_and_newness(b"")
    (0, 1.0)
    """
    if not _is_readable(data):
        return 0, 1.0
    return int.from_bytes(data[N_HEAD + N_TITLE : N_HEAD + 2 * N_TITLE], "little"), newness_of(data[2] / 255)


def new_triples(data: bytes) -> float | None:
    """Return from the bytes of a sketch how many of the kept triples of a text were new; None where they are not known."""
    return (len(data) - N_FIXED) // 4 * data[2] / 255 if _is_readable(data) else None


def is_list(data: bytes) -> bool:
    """Tell from the bytes of a sketch whether a page says nothing but its links."""
    return _is_readable(data) and len(data) == N_FIXED


def brought_by_links(data: bytes) -> float | None:
    """Return from the bytes of the sketch of a collage how much new its links have brought, in [0, 1]; None of other pages."""
    return data[-1] / 255 if _is_readable(data) and (len(data) - N_FIXED) % 4 else None


def with_brought(data: bytes, share: float) -> bytes:
    """Return the bytes of the sketch of a collage with how much new its links have brought, in [0, 1]."""
    return data[:-1] + bytes([round(255 * share)])


def _is_readable(data: bytes) -> bool:
    return len(data) >= N_FIXED and data[3] == FORMAT
