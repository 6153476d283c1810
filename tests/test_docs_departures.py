"""Departures from the papers: numbered without gaps, each documented once and cited where the code makes it."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CODE = [path for folder in ("focused", "benchmarks", "scripts") for path in (ROOT / folder).rglob("*.py")]
DOCUMENTS = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "tests").glob("*.py")]


def documented() -> list[int]:
    """Numbers of the departures, in the order of the document."""
    text = (ROOT / "docs" / "method" / "departures.md").read_text(encoding="utf-8")
    return [int(number) for number in re.findall(r"^\| D(\d+) \|", text, re.MULTILINE)]


def cited(paths: list[Path]) -> dict[int, list[str]]:
    """Numbers that files cite, each with the files."""
    found: dict[int, list[str]] = {}
    for path in paths:
        for number in re.findall(r"\bD([1-9]\d?|1\d\d)\b", path.read_text(encoding="utf-8")):
            found.setdefault(int(number), []).append(str(path.relative_to(ROOT)))
    return found


def test_departures_are_numbered_without_gaps():
    assert documented() == [*range(1, len(documented()) + 1)]


def test_each_departure_is_cited_in_code():
    assert not {*documented()} - {*cited(CODE)}


def test_each_cited_departure_is_documented():
    known = {*documented()}
    assert not {number: files for number, files in cited(CODE + DOCUMENTS).items() if number not in known}
