"""Reads 20 Newsgroups and Reuters-21578 from their archives."""

from __future__ import annotations

import tarfile
from collections import defaultdict
from html import escape
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from corpus_documents import Documents
from tqdm import tqdm

from focused.method.page.reader import PageReader
from focused.method.text.analyzer import Analyzer
from focused.method.training.term_counting import Counts, count

if TYPE_CHECKING:
    from collections.abc import Iterator


def newsgroups(file: Path) -> Documents:
    """Read 20 Newsgroups by date, headers kept: subject as headline, keywords from their header line."""
    analyzer, reader, found = Analyzer("en"), PageReader(Analyzer("en")), Documents()
    for path, body in _members(file, "20 Newsgroups"):
        text = _decoded(body)
        head, _, rest = text.partition("\n\n")
        lines = defaultdict(str)
        for line in head.splitlines():
            key, _, value = line.partition(":")
            lines[key.lower()] += value
        parts = {
            "headline": count(analyzer.ids(lines["subject"])),
            "keywords": count(analyzer.ids(lines["keywords"])),
            "anchor": count(analyzer.ids("")),
        }
        folder, label, _ = path.parts
        head = "\n".join(line for line in head.splitlines() if not line.lower().startswith("subject:"))
        text = whole_page(reader, lines["subject"], f"{head}\n\n{rest}")
        found.add(str(path), [label], folder.endswith("test"), text, parts)
    return found


def whole_page(reader: PageReader, title: str, text: str) -> Counts:
    """Return the counts of a text with a title, as the project counts a page."""
    page = f"<title>{escape(title)}</title><body>{escape(text)}</body>"
    return count(reader.read(page.encode("utf-8", "replace"), "http://text.invalid/", "text/html; charset=utf-8").terms)


def reuters(file: Path) -> Documents:
    """Read Reuters-21578; a document with several topics is in several folders under one name."""
    analyzer, reader, found = Analyzer("en"), PageReader(Analyzer("en")), Documents()
    labels: dict[tuple[str, str], set[str]] = defaultdict(set)
    bodies: dict[tuple[str, str], bytes] = {}
    for path, body in _members(file, "Reuters-21578"):
        split, topic, number = path.parts
        labels[split, number].add(topic)
        bodies[split, number] = body
    for (split, number), body in bodies.items():
        text = _decoded(body)
        headline, _, rest = text.strip().partition("\n")
        parts = {
            "headline": count(analyzer.ids(headline)),
            "keywords": count(analyzer.ids("")),
            "anchor": count(analyzer.ids("")),
        }
        topics = labels[split, number] - {"unknown"}
        found.add(f"{split}/{number}", topics, split == "test", whole_page(reader, headline, rest), parts)
    return found


def _members(file: Path, what: str) -> Iterator[tuple[PurePosixPath, bytes]]:
    with tarfile.open(file) as archive:
        entries = sorted((entry for entry in archive.getmembers() if entry.isfile()), key=lambda entry: entry.name)
        bodies = {}
        # In the order of the archive: going back in an .xz file unpacks it again from its start.
        for entry in tqdm(sorted(entries, key=lambda entry: entry.offset), desc=f"reading {what}", unit="document"):
            stream = archive.extractfile(entry)
            assert stream is not None
            bodies[entry.name] = stream.read()
    for entry in entries:
        yield PurePosixPath(entry.name), bodies[entry.name]


def _decoded(body: bytes) -> str:
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        return body.decode("cp1252", errors="replace")
