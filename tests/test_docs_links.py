"""Documents lead somewhere: links between them resolve, headings included, and each is short enough to be read."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCS = [
    *(ROOT / name for name in ("README.md", "CHANGELOG.md", "models/README.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
LINK = re.compile(r"\]\(([^)\s]+)\)")
MOST_WORDS = 3_700
GENERATED = "reference"
"""The folder of documents that a program writes; they are looked up, not read."""


@cache
def anchors(document: Path) -> set[str]:
    """Names of a document's headings, as GitHub makes them."""
    text = re.sub(r"^```.*?^```", "", document.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_links_of_documents_resolve():
    dead = []
    for document in DOCS:
        for link in LINK.findall(document.read_text(encoding="utf-8")):
            path, _, anchor = link.partition("#")
            if "://" in link or path.startswith("mailto:"):
                continue
            target = (document.parent / path).resolve() if path else document
            if not target.exists() or (anchor and anchor not in anchors(target)):
                dead.append((document.relative_to(ROOT).as_posix(), link))
    assert not dead


def test_no_document_is_too_long_to_be_read():
    n_words = {path.relative_to(ROOT).as_posix(): len(path.read_text(encoding="utf-8").split()) for path in DOCS}
    assert {name: n for name, n in n_words.items() if GENERATED not in name and n > MOST_WORDS} == {}


def test_documents_that_the_code_names_are_there():
    named = re.compile(r"(?<![\w./])docs/[\w./-]*(?:\.md|/)")
    files = [path for folder in ("focused", "benchmarks", "scripts") for path in (ROOT / folder).rglob("*.py")]
    found = {(str(file.relative_to(ROOT)), name) for file in files for name in named.findall(file.read_text("utf-8"))}
    assert not {(file, name) for file, name in found if GENERATED not in name and not (ROOT / name).exists()}
