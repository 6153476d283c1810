"""The texts of the sites: descriptions of Debian's packages, with their sections as labels."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from web_makers.sources import Sources

_LEAST_CHARACTERS = 250


@dataclass(frozen=True)
class Item:
    """A package: what a story, a thread or a product says."""

    section: str
    summary: str
    paragraphs: tuple[str, ...]

    @property
    def text(self) -> str:
        """All paragraphs as one."""
        return " ".join(self.paragraphs)


def read(sources: Sources) -> list[Item]:
    """Return the packages whose description is long enough, by name; of packages with one description the first."""
    sources.update(["en"])
    described = sources.descriptions("en")
    found: dict[tuple[str, ...], Item] = {}
    for package in sorted(sources.packages(), key=lambda package: package["Package"]):
        summary, text = described.get(package["Package"], ("", ""))
        paragraphs = tuple(" ".join(part.split()) for part in re.split(r"\n\s*\n", text) if part.strip())
        if summary and sum(map(len, paragraphs)) >= _LEAST_CHARACTERS:
            section = package.get("Section", "").rpartition("/")[2]
            found.setdefault(paragraphs, Item(section, summary, paragraphs))
    return list(found.values())
