"""Says in words what is wrong with the lines of a verdict file: the first wrong lines are named, all are counted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_MOST_NAMED = 5
_SHOWN = 60


@dataclass(slots=True)
class FileFaults:
    """The wrong lines of one file."""

    path: Path
    #: What separates the columns of a table; None: the lines are JSON objects.
    separator: str | None
    #: Number of wrong lines.
    n: int = 0
    #: What is wrong with the first of them.
    named: list[str] = field(default_factory=list)
    #: Whether an array has begun, and whether the file is no text. Each is said once.
    is_array: bool = False
    is_binary: bool = False

    def add(self, number: int, text: str, why: str = "") -> str:
        """Count a line, and return what is wrong with it; empty if enough were named. ``why``: what `parse_verdict` says."""
        self.n += 1
        # A verdict with one wrong value is no part of an array.
        is_said = self.is_binary or (self.is_array and not why)
        if is_said or len(self.named) == _MOST_NAMED:
            return ""
        is_array = not self.separator and not why and text[0] == "["
        # If the array ends in its own line, this line alone is wrong; else the lines that follow belong to it.
        self.is_array |= is_array and not text.endswith("]")
        self.is_binary |= "\0" in text
        shown = repr(text[:_SHOWN]) + (f"... ({len(text):,} characters or more)" if len(text) > _SHOWN else "")
        is_text = not ("\0" in text or "\ufffd" in text)
        must = why if why and is_text else self._must(is_array=is_array, is_text=is_text)
        rest = f" Such lines are left out; of this file the first {_MOST_NAMED} are named." if not self.named else ""
        self.named.append(f"{self.path}, line {number} is no verdict: {shown}. {must}{rest}")
        return self.named[-1]

    def _must(self, *, is_array: bool, is_text: bool) -> str:
        if not is_text:
            return "The file must be text in UTF-8."
        if is_array:
            return (
                "The file must hold JSON Lines, one object a line, and not an array. Convert it "
                f"(jq -c '.[]' {self.path.name} > lines && mv lines {self.path.stem}.jsonl)."
            )
        if self.separator:
            return f"It must be a row of a URL, yes or no, and perhaps a note, separated by {self.separator!r}."
        return 'It must be a JSON object such as {"url": "http://site.example/page", "relevant": true}.'
