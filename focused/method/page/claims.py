"""Collects, during the walk, what a page says of itself; it is evaluated only for pages that are kept."""

from __future__ import annotations

from dataclasses import dataclass, field

_MAX_CLAIMS = 200
_MAX_CHARS = 2_000
_MAX_SCRIPTS = 5
_MAX_SCRIPT_CHARS = 20_000


@dataclass(slots=True)
class Claims:
    """Names in small letters with the first value of each: metas, relations of links, times; and scripts of JSON-LD.

    At most 200 names, 2,000 characters of a value, and 5 scripts of 20,000 characters are kept: longer scripts would be
    broken if they were cut, so they are left out.
    """

    values: dict[str, str] = field(default_factory=dict)
    scripts: list[str] = field(default_factory=list)
    #: Number of the link node, in document order, that says ``rel=author``; -1 if none does.
    author_link: int = -1

    def add(self, name: str, value: str) -> None:
        """Take a claim; of several values the first counts, but of a scholarly article all authors do."""
        name = name.strip().lower()[:100].replace("dc:", "dc.").replace("dcterms:", "dcterms.")
        if name in self.values:
            if name == "citation_author" and len(self.values[name]) < _MAX_CHARS // 2:
                self.values[name] = f"{self.values[name]}, {value[: _MAX_CHARS // 2]}"
            elif name == "time" and value[:10] != self.values[name][:10]:
                self.values["another time"] = value[:_MAX_CHARS]
            return
        if len(self.values) < _MAX_CLAIMS and value.strip():
            self.values[name] = value[:_MAX_CHARS]

    def add_script(self, text: str) -> None:
        """Take a script of JSON-LD."""
        if len(self.scripts) < _MAX_SCRIPTS and len(text) <= _MAX_SCRIPT_CHARS:
            self.scripts.append(text)
