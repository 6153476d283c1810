"""Documents lead somewhere: links between them resolve, headings included, and each is short enough to be read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
DOCS = [
    *(ROOT / name for name in ("README.md", "CHANGELOG.md", "models/README.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
LINK = re.compile(r"\]\(([^)\s]+)\)")
MOST_WORDS = 3_700
GENERATED = "reference"
"""The folder of documents that a program writes; they are looked up, not read."""


def anchors(document: Path) -> set[str]:
    """Names of a document's headings, as GitHub makes them."""
    text = re.sub(r"^```.*?^```", "", document.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", DOCS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_of_a_document_resolve(document):
    dead = []
    for link in LINK.findall(document.read_text(encoding="utf-8")):
        path, _, anchor = link.partition("#")
        if "://" in link or path.startswith("mailto:"):
            continue
        target = (document.parent / path).resolve() if path else document
        if not target.exists() or (anchor and anchor not in anchors(target)):
            dead.append(link)
    assert not dead


@pytest.mark.parametrize("document", DOCS, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_document_is_too_long_to_be_read(document):
    if GENERATED not in document.relative_to(ROOT).as_posix():
        assert len(document.read_text(encoding="utf-8").split()) <= MOST_WORDS


def test_documents_that_the_code_names_are_there():
    named = re.compile(r"(?<![\w./])docs/[\w./-]*(?:\.md|/)")
    files = [path for folder in ("focused", "benchmarks", "scripts") for path in (ROOT / folder).rglob("*.py")]
    found = {(str(file.relative_to(ROOT)), name) for file in files for name in named.findall(file.read_text("utf-8"))}
    assert not {(file, name) for file, name in found if GENERATED not in name and not (ROOT / name).exists()}
