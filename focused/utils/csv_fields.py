"""Lets Python read CSV fields longer than its default limit: the text of a page may be long."""

from __future__ import annotations

import csv
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_CHARS = (1 << 31) - 1


@contextmanager
def long_fields(n_chars: int = MOST_CHARS) -> Iterator[None]:
    """Let `csv` read fields of up to so many characters; its limit holds for the process, so it is restored."""
    limit = csv.field_size_limit(n_chars)
    try:
        yield
    finally:
        csv.field_size_limit(limit)
