"""What the documents name of the code is there: modules, and what a setting may name."""

from __future__ import annotations

import pkgutil
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# A list of mutants names modules as they were at the commit that it was made of.
OF_THEIR_COMMIT = {ROOT / "docs" / "results" / "mutants.md"}
OF_WHAT_IS_GONE = {ROOT / "docs" / "how-to" / "upgrade.md"}
DOCS = [ROOT / "README.md", *sorted({*(ROOT / "docs").rglob("*.md")} - OF_THEIR_COMMIT - OF_WHAT_IS_GONE)]
FILES = [f"/{path.relative_to(ROOT)}" for folder in ("focused", "benchmarks") for path in (ROOT / folder).rglob("*")]
EXAMPLES = {"focused/method/strategies/fading.py"}
"""Modules that a document tells its readers to write."""
MODULE = re.compile(r"`([\w/]+\.py|[\w/]+/)(?::|`)")
DOTTED = re.compile(r"`(focused\.[a-z_]+\.[\w.]+)`")


def modules_in(text: str) -> set[str]:
    """Paths from the root; in the way through the code also those that only end a path."""
    text, _, way = text.partition("## The way through the code")
    return {name for name in MODULE.findall(text) if name.startswith(("focused/", "benchmarks/"))} | {
        *MODULE.findall(way)
    }


def test_modules_that_documents_name_are_there():
    assert not {
        (document.relative_to(ROOT).as_posix(), name)
        for document in DOCS
        for name in modules_in(document.read_text(encoding="utf-8")) - EXAMPLES - {"focused/"}
        if not any(path.endswith(f"/{name.rstrip('/')}") for path in FILES)
    }


def test_classes_and_functions_that_documents_name_are_there():
    for document in DOCS:
        for name in DOTTED.findall(document.read_text(encoding="utf-8")):
            pkgutil.resolve_name(name)  # its error names what is not there


def test_the_way_through_the_code_names_more_than_a_few_modules():
    assert len(modules_in((ROOT / "docs" / "reference" / "components.md").read_text(encoding="utf-8"))) > 40
