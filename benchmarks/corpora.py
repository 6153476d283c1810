"""The four corpora that learners are compared on, as term counts: 20 Newsgroups, Reuters-21578, HyperPhysics, WebKB.

RCV1, ODP and Yahoo!, which the papers used, cannot be had any more; these four stand for them. Texts go through the
project's own page reader and analyser. What was read is kept in a cache folder under the digest of its file.
"""

from __future__ import annotations

import hashlib
import sys
import tarfile
from collections import defaultdict
from dataclasses import dataclass, field
from html import escape
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import numpy as np
from common import say
from scipy import sparse
from tqdm import tqdm

from focused.examples.counting import Counts, count, count_matrix, counted_page, used_ids
from focused.page.reader import PageReader
from focused.text.analyzer import COUNTING, TERMS, Analyzer
from focused.webs import open_web
from focused.webs.recorded.matching import canonical_form

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from focused.page.page import Page

FIELDS = ("headline", "keywords", "anchor")
"""Marked parts of a document; what is in none of them is body."""
TEXT_CORPORA = ("20newsgroups", "reuters")
WEBS = ("hyperphysics", "webkb")
FILES = {
    "20newsgroups": "20news.tar.xz",
    "reuters": "reuters21578.tar.xz",
    "hyperphysics": "hyperphysics.warc.gz",
    "webkb": "webkb.warc.gz",
}
TOPICS = {
    "20newsgroups": [
        *("alt.atheism", "comp.os.ms-windows.misc", "comp.sys.mac.hardware", "misc.forsale", "rec.motorcycles"),
        *("rec.sport.hockey", "sci.electronics", "sci.space", "talk.politics.guns", "talk.politics.misc"),
    ],
    "reuters": ["earn", "acq", "money-fx", "grain", "crude", "trade", "interest", "wheat", "ship", "corn"],
    "hyperphysics": [
        *("Geophysics", "Astrophysics", "Electricity and Magnetism", "Sound", "Quantum Physics", "Mechanics"),
        *("Light and Vision", "Nuclear", "Thermodynamics", "Biology"),
    ],
    "webkb": ["student", "faculty", "course", "project", "department", "staff"],
}
"""The ten classes and topics of the first measurements; WebKB has six beside `other`."""
# Pages with more links than this are link lists of which a sample says the same.
_MAX_LINKS = 150


@dataclass(frozen=True)
class Corpus:
    """Documents as counts, and what people said they are about."""

    name: str
    digest: str
    """sha256 of the file."""
    counts: sparse.csr_matrix
    """Shape (n_documents, n_terms)."""
    fields: dict[str, sparse.csr_matrix]
    """For each of `FIELDS` the counts of that part, of the same shape."""
    labels: dict[str, NDArray[np.bool_]]
    """For each topic whether each document is about it, shape (n_documents,)."""
    is_test: NDArray[np.bool_]
    """The publisher's test split; all False where there is none."""
    names: list[str]
    """File or URL of each document."""
    link_sources: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    link_targets: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    """Documents of each link, shape (n_links,)."""
    anchor_counts: sparse.csr_matrix | None = None
    context_counts: sparse.csr_matrix | None = None
    """Shape (n_links, n_terms)."""


@dataclass
class _Documents:
    """What is read of a corpus, before the terms have columns."""

    names: list[str] = field(default_factory=list)
    labels: list[frozenset[str]] = field(default_factory=list)
    is_test: list[bool] = field(default_factory=list)
    texts: list[Counts] = field(default_factory=list)
    parts: dict[str, list[Counts]] = field(default_factory=lambda: {name: [] for name in FIELDS})
    links: list[tuple[int, int, Counts, Counts]] = field(default_factory=list)

    def add(self, name: str, labels: Iterable[str], is_test: bool, text: Counts, parts: dict[str, Counts]) -> None:
        self.names.append(name)
        self.labels.append(frozenset(labels))
        self.is_test.append(is_test)
        self.texts.append(text)
        for part, counts in parts.items():
            self.parts[part].append(counts)


COUNTED = f"counting{COUNTING}"
"""In the name of a cached file: what another counting left is not used."""


def load(name: str, data: Path, cache: Path) -> Corpus:
    """Return a corpus, read from its file in `data` or from what an earlier reading left in `cache`."""
    file = data / FILES[name]
    if not file.is_file():
        sys.exit(f"{file} is not there. Say with --data in which folder the four corpora lie.")
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    cached = cache / f"{name}-{digest[:12]}-{COUNTED}.npz"
    if not cached.is_file():
        documents = _READERS[name](file)
        cache.mkdir(parents=True, exist_ok=True)
        part = cached.with_suffix(".part.npz")
        np.savez(part, **_arrays(documents, TOPICS[name]))
        part.replace(cached)
    with np.load(cached, allow_pickle=False) as arrays:
        return _corpus(name, digest, dict(arrays))


# Text corpora ---------------------------------------------------------------------------------------------------------


def _newsgroups(file: Path) -> _Documents:
    """Read 20 Newsgroups by date, headers kept: subject as headline, keywords from their header line."""
    analyzer, reader, found = Analyzer("en"), PageReader(Analyzer("en")), _Documents()
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
    """Return the counts of a text with a title as the product counts them of a page."""
    page = f"<title>{escape(title)}</title><body>{escape(text)}</body>"
    return count(reader.read(page.encode("utf-8", "replace"), "http://text.invalid/", "text/html; charset=utf-8").terms)


def _reuters(file: Path) -> _Documents:
    """Read Reuters-21578; a document with several topics stands in several folders under one name."""
    analyzer, reader, found = Analyzer("en"), PageReader(Analyzer("en")), _Documents()
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
        # In the order of the archive: going back in an .xz file means to unpack it again from its start.
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


# Recorded webs --------------------------------------------------------------------------------------------------------


def read_labels(file: Path) -> dict[str, set[str]]:
    """Return the labels of each page of a recorded web."""
    lines = file.read_text(encoding="utf-8").splitlines()[1:]
    return {url: set(labels.split("|")) for url, labels in (line.split("\t") for line in lines if line)}


def _web(file: Path) -> _Documents:
    labels = read_labels(file.with_name(file.name.replace(".warc.gz", ".labels.tsv")))
    forms = {url: canonical_form(url) or url for url in labels}
    wanted = set(forms.values())
    web, reader, found = open_web(str(file), {}), PageReader(Analyzer("en")), _Documents()
    row_of: dict[str, int] = {}
    waiting: list[tuple[int, Any]] = []
    for url in tqdm(sorted(labels), desc=f"reading {file.name}", unit="page"):
        answer = web.answer(url)
        if answer.status != 200:
            continue
        headers = {name.lower(): value for name, value in answer.headers}
        page = reader.read(answer.body, url, headers.get("content-type"))
        text = count(page.terms)
        if not len(text.ids):
            continue
        row = row_of[forms[url]] = len(found.names)
        found.add(url, labels[url], False, text, _parts(page))
        waiting += [(row, link) for link in counted_page(page, {forms[url]}, wanted).links[:_MAX_LINKS]]
    web.close()
    found.links = [
        (row, row_of[link.target], link.anchor, link.context) for row, link in waiting if link.target in row_of
    ]
    return found


def _parts(page: Page) -> dict[str, Counts]:
    marks = page.marks

    def part(*names: str) -> Counts:
        stretches = [page.terms[first:last] for name in names for first, last in marks[name]]
        return count(np.concatenate([page.terms[:0], *stretches]))

    return {"headline": part("title", "heading"), "keywords": part("keywords"), "anchor": part("anchor")}


_READERS = {"20newsgroups": _newsgroups, "reuters": _reuters, "hyperphysics": _web, "webkb": _web}


# On disk --------------------------------------------------------------------------------------------------------------


def _arrays(documents: _Documents, topics: list[str]) -> dict[str, Any]:
    """Return a corpus as arrays, with the terms in alphabetical order."""
    ids = used_ids(documents.texts)
    by_term = ids[np.argsort([TERMS.term(number) for number in ids.tolist()], kind="stable")]
    columns = np.full(len(TERMS), -1, dtype=np.int64)
    columns[by_term] = np.arange(len(by_term))
    matrices = {
        "counts": documents.texts,
        **documents.parts,
        "anchors": [link[2] for link in documents.links],
        "contexts": [link[3] for link in documents.links],
    }
    arrays: dict[str, Any] = {
        "names": np.array(documents.names),
        "is_test": np.array(documents.is_test),
        "sources": np.array([link[0] for link in documents.links], dtype=np.int64),
        "targets": np.array([link[1] for link in documents.links], dtype=np.int64),
        "n_terms": np.array(len(by_term)),
    }
    for topic in topics:
        arrays[f"label {topic}"] = np.array([topic in labels for labels in documents.labels])
    for name, texts in matrices.items():
        matrix = count_matrix(texts, columns, len(by_term))
        arrays |= {
            f"{name} data": matrix.data.astype(np.float32),
            f"{name} indices": matrix.indices.astype(np.int32),
            f"{name} indptr": matrix.indptr.astype(np.int64),
        }
    return arrays


def _corpus(name: str, digest: str, arrays: dict[str, Any]) -> Corpus:
    n_terms = int(arrays["n_terms"])

    def matrix(of: str) -> sparse.csr_matrix:
        data, indices, indptr = (arrays[f"{of} {part}"] for part in ("data", "indices", "indptr"))
        return sparse.csr_matrix((data.astype(np.float64), indices, indptr), shape=(len(indptr) - 1, n_terms))

    has_links = len(arrays["sources"]) > 0
    corpus = Corpus(
        name=name,
        digest=digest,
        counts=matrix("counts"),
        fields={part: matrix(part) for part in FIELDS},
        labels={topic: arrays[f"label {topic}"] for topic in TOPICS[name]},
        is_test=arrays["is_test"],
        names=arrays["names"].tolist(),
        link_sources=arrays["sources"],
        link_targets=arrays["targets"],
        anchor_counts=matrix("anchors") if has_links else None,
        context_counts=matrix("contexts") if has_links else None,
    )
    say(f"{name}: {corpus.counts.shape[0]:,} documents, {n_terms:,} terms, {len(arrays['sources']):,} links")
    return corpus
