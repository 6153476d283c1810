"""Exports the pages of a collection: one module for each kind of file; `FORMATS` names them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focused.collection.as_lines import write_csv, write_jsonl
from focused.collection.as_markdown import write_markdown
from focused.collection.as_parquet import write_parquet
from focused.collection.as_sqlite import write_sqlite
from focused.collection.as_warc import write_warc

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["FORMATS", "SUFFIXES"]

FORMATS: dict[str, Callable[..., list[str]]] = {
    "jsonl": write_jsonl,
    "csv": write_csv,
    "parquet": write_parquet,
    "markdown": write_markdown,
    "warc": write_warc,
    "sqlite": write_sqlite,
}
"""Writes the pages of runs (`JoinedRuns`) to a path that is not there yet; returns remarks for people, each a sentence.

A ValueError says why it cannot be done.
"""

SUFFIXES = {"markdown": "", "warc": ".warc.gz"}
"""What the names of files end in, where it is not the format's name; of a folder in nothing."""
