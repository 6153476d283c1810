"""The four corpora that learners are compared on, as term counts: 20 Newsgroups, Reuters-21578, HyperPhysics, WebKB.

RCV1, ODP and Yahoo!, which the papers used, are no longer available; these four replace them. The project's own page reader
and analyser read the texts. A cache folder keeps each corpus under the digest of its file.
"""

from __future__ import annotations

import hashlib
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from common import say
from corpus_documents import FIELDS, arrays_of
from scipy import sparse
from text_corpora import newsgroups, reuters
from web_corpora import web_corpus

from focused.method.text.analyzer import COUNTING

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

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


MORE_TOPICS = {
    "20newsgroups": [
        *(
            "comp.graphics",
            "comp.sys.ibm.pc.hardware",
            "comp.windows.x",
            "rec.autos",
            "rec.sport.baseball",
            "sci.crypt",
        ),
        *("sci.med", "soc.religion.christian", "talk.politics.mideast", "talk.religion.misc"),
    ],
    "reuters": [
        *("money-supply", "dlr", "sugar", "oilseed", "coffee", "gnp", "gold", "veg-oil", "soybean", "nat-gas"),
    ],
}
"""Ten more of each text corpus, which nothing was chosen on: the rest of 20 Newsgroups, the next largest of Reuters."""


@dataclass(frozen=True)
class Corpus:
    """Documents as counts, with labels given by people."""

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


_READERS = {"20newsgroups": newsgroups, "reuters": reuters, "hyperphysics": web_corpus, "webkb": web_corpus}
COUNTED = f"counting{COUNTING}"
"""In the name of a cached file: what another counting left is not used."""


def load(name: str, data: Path, cache: Path) -> Corpus:
    """Return a corpus, from its file in `data` or from `cache`."""
    file = data / FILES[name]
    if not file.is_file():
        sys.exit(f"{file} is not there. Say with --data in which folder the four corpora lie.")
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    topics = [*TOPICS[name], *MORE_TOPICS.get(name, [])]
    cached = cache / f"{name}-{digest[:12]}-{COUNTED}-{len(topics)}-topics.npz"
    if not cached.is_file():
        documents = _READERS[name](file)
        cache.mkdir(parents=True, exist_ok=True)
        part = cached.with_suffix(".part.npz")
        np.savez(part, **arrays_of(documents, topics))
        part.replace(cached)
    with np.load(cached, allow_pickle=False) as arrays:
        return _corpus(name, digest, dict(arrays))


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
        labels={key.removeprefix("label "): flags for key, flags in arrays.items() if key.startswith("label ")},
        is_test=arrays["is_test"],
        names=arrays["names"].tolist(),
        link_sources=arrays["sources"],
        link_targets=arrays["targets"],
        anchor_counts=matrix("anchors") if has_links else None,
        context_counts=matrix("contexts") if has_links else None,
    )
    say(f"{name}: {corpus.counts.shape[0]:,} documents, {n_terms:,} terms, {len(arrays['sources']):,} links")
    return corpus
