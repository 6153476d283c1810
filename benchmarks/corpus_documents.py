"""The documents of a corpus while it is read, and as arrays when all of its terms are known."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from focused.method.text.analyzer import TERMS
from focused.method.training.term_counting import Counts, count_matrix, used_ids

if TYPE_CHECKING:
    from collections.abc import Iterable

FIELDS = ("headline", "keywords", "anchor")
"""Marked parts of a document; what is in none of them is body."""


@dataclass
class Documents:
    """The documents of a corpus, before terms have columns."""

    names: list[str] = field(default_factory=list)
    labels: list[frozenset[str]] = field(default_factory=list)
    is_test: list[bool] = field(default_factory=list)
    texts: list[Counts] = field(default_factory=list)
    parts: dict[str, list[Counts]] = field(default_factory=lambda: {name: [] for name in FIELDS})
    links: list[tuple[int, int, Counts, Counts]] = field(default_factory=list)

    def add(self, name: str, labels: Iterable[str], is_test: bool, text: Counts, parts: dict[str, Counts]) -> None:
        """Add a document."""
        self.names.append(name)
        self.labels.append(frozenset(labels))
        self.is_test.append(is_test)
        self.texts.append(text)
        for part, counts in parts.items():
            self.parts[part].append(counts)


def arrays_of(documents: Documents, topics: list[str]) -> dict[str, Any]:
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
