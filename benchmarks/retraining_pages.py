"""What the benchmarks of retraining share: labels, pages of a WARC file, and where a pair of labels has its folder."""

from __future__ import annotations

import csv
from contextlib import ExitStack
from typing import TYPE_CHECKING

import common  # noqa: F401 - the project is not installed

from focused.method.training.example_content import Refusals
from focused.method.training.example_sources import OpenSources, candidates_in
from focused.method.training.page_set import ExampleReader, urls_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from focused.method.training.term_counting import CountedPage


def labels_of(path: Path) -> dict[str, set[str]]:
    """Read a labels file."""
    with path.open(newline="", encoding="utf-8") as file:
        return {row["url"]: set(row["labels"].split("|")) for row in csv.DictReader(file, delimiter="\t")}


def folder_of(out: Path, pair: str, seed: int) -> Path:
    """Return where the topic of two labels, divided by a comma, and its crawls are."""
    first, second = pair.split(",")
    return out.resolve() / f"{first}-{second}-{seed}".lower().replace(" ", "-")


class _Nothing:
    """Fetches no page that the WARC file does not hold."""

    def content(self, url: str) -> None:
        raise LookupError(url)


def read_pages(warc: Path, urls: Iterable[str]) -> dict[str, CountedPage]:
    """Return the counted pages of a WARC file by URL."""
    reader, refusals = ExampleReader("en"), Refusals()
    with ExitStack() as stack:
        found = candidates_in([warc], OpenSources(refusals, _Nothing(), stack, 2_000_000, None), urls)
        wanted = urls_of(found)
        read = {}
        for candidate in found:
            pages = reader.positives([candidate], refusals, wanted)
            if pages:
                read[candidate.url] = pages.pages[0]
    return read
