"""What a topic was learnt from, as far as strategies with a model of their own need it: ``examples.npz``.

Term counts of the training pages and of the links among them, over a list of terms of their own. Of URLs and of whole
texts there are hashes as well. No texts, no addresses and no pickle; like the model the file is checked against the
manifest before it is used.
"""

from __future__ import annotations

import io
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from focused.method.topic.archive import UNREADABLE, arrays_of, read_described
from focused.method.topic.names import TopicError
from focused.method.topic.page_keys import MAX_COUNT, PageKeys, checked_keys

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from scipy import sparse

MAX_EXAMPLES_BYTES = 50_000_000
MAX_UNPACKED_BYTES = 200_000_000
"""A small archive can hold an endless array."""
N_PLACES = 18
"""Of each link: a folder, a host and sixteen terms."""
MAX_COLUMN = 2**16 - 1

_ROWS = ("pages", "anchors", "contexts", "windows", "urls")
_ARRAYS = (
    *("terms", "positive", "sources", "targets"),
    *(f"{name}_{part}" for name in _ROWS for part in ("lengths", "steps", "counts")),
)
_OPTIONAL = frozenset(("places", "keys", "key_rows"))
"""Not in files of earlier versions."""


@dataclass(frozen=True)
class TopicExamples:
    """Training pages and the links among them, as term counts: CSR matrices with a column for each of `terms`."""

    terms: list[str]
    #: Shape (n_pages, n_terms).
    pages: sparse.csr_matrix
    #: Which pages are positive, shape (n_pages,); the others are unlabelled.
    positive: npt.NDArray[np.bool_]
    #: For each link the row of the page that holds it, shape (n_links,) ...
    sources: npt.NDArray[np.int64]
    #: ... and of the page that it leads to.
    targets: npt.NDArray[np.int64]
    #: The longest anchor text of each link, shape (n_links, n_terms) ...
    anchors: sparse.csr_matrix
    #: ... the link context ...
    contexts: sparse.csr_matrix
    #: ... that anchor text with 50 characters on each side [I18, Sect. 2] ...
    windows: sparse.csr_matrix
    #: ... and the words of the target's URL.
    urls: sparse.csr_matrix
    #: Hashes of what the target's URL says (folder, host, terms; 0: none), shape (n_links, N_PLACES); None where that was
    #: not kept.
    places: npt.NDArray[np.int64] | None = None
    #: What the pages are known again by; None where that was not kept.
    keys: PageKeys | None = None

    @property
    def n_links(self) -> int:
        """Number of links."""
        return len(self.sources)

    def where(self, pages: npt.NDArray[np.bool_], *, keeps_terms: int = 0) -> TopicExamples:
        """Return the examples of some pages, with the links among them, and the terms that these have.

        Parameters
        ----------
        pages : ndarray of bool of shape (n_pages,)
            Which pages stay.
        keeps_terms : int
            So many of the first terms stay in any case.
        """
        from scipy import sparse

        links = np.flatnonzero(pages[self.sources] & pages[self.targets])
        rows = np.flatnonzero(pages)
        cut = {name: getattr(self, name)[rows if name == "pages" else links] for name in _ROWS}
        has_term = np.arange(len(self.terms)) < keeps_terms
        for matrix in cut.values():
            has_term[matrix.indices] = True
        column_of, row_of, n_terms = np.cumsum(has_term) - 1, np.cumsum(pages) - 1, int(has_term.sum())
        narrow = {
            name: sparse.csr_matrix((each.data, column_of[each.indices], each.indptr), (each.shape[0], n_terms))
            for name, each in cut.items()
        }
        keys = self.keys
        if keys is not None:
            keys = PageKeys(keys.keys[pages[keys.rows]], row_of[keys.rows[pages[keys.rows]]])
        return TopicExamples(
            terms=[term for term, is_there in zip(self.terms, has_term.tolist(), strict=True) if is_there],
            positive=self.positive[rows],
            sources=row_of[self.sources[links]],
            targets=row_of[self.targets[links]],
            places=None if self.places is None else self.places[links],
            keys=keys,
            **narrow,
        )

    def without_links(self) -> TopicExamples:
        """Return the same pages without links."""
        none = {name: getattr(self, name)[:0] for name in (*_ROWS[1:], "sources", "targets")}
        return replace(self, **none, places=None if self.places is None else self.places[:0])

    def to_bytes(self) -> bytes:
        """Return the examples as a file; the same for the same examples.

        Terms lie in one text; of each row's sorted columns the steps are kept, which compress well.
        """
        arrays: dict[str, npt.NDArray[Any]] = {
            "terms": np.frombuffer("\n".join(self.terms).encode(), dtype=np.uint8),
            "positive": self.positive.astype(np.uint8),
            "sources": _smallest(self.sources),
            "targets": _smallest(self.targets),
        }
        for name in _ROWS:
            arrays |= {f"{name}_{part}": values for part, values in _packed(getattr(self, name)).items()}
        if self.places is not None:
            arrays["places"] = self.places.astype(np.uint32).ravel()
        if self.keys is not None:
            arrays |= {"keys": self.keys.keys, "key_rows": _smallest(self.keys.rows)}
        out = io.BytesIO()
        np.savez_compressed(out, **arrays)  # type: ignore[arg-type]
        return out.getvalue()


def read_examples(path: Path, sha256: str, advice: str) -> TopicExamples:
    """Read what `TopicExamples.to_bytes` made, and check it.

    ``sha256``: digest that the manifest gives. ``advice``: what a user can do where the file cannot be used. Raises
    TopicError if the file is missing, too large, not the one that the manifest describes, or no examples.
    """
    data = read_described(path, sha256, MAX_EXAMPLES_BYTES, ("those are no examples", "the manifest"), advice)
    try:
        return _from_arrays(arrays_of(data, MAX_UNPACKED_BYTES, _ARRAYS, _OPTIONAL))
    except UNREADABLE as error:
        raise TopicError(f"{path} holds no usable examples: {error}. {advice}") from None


def _from_arrays(arrays: Mapping[str, npt.NDArray[Any]]) -> TopicExamples:
    if any(array.ndim != 1 or array.dtype.kind != "u" for array in arrays.values()):
        raise ValueError("an array is not a row of numbers that are not negative")
    text = arrays["terms"].astype(np.uint8).tobytes().decode("utf-8", "replace")
    terms = text.split("\n") if text else []
    if len(set(terms)) < len(terms):
        raise ValueError("a term stands twice in its list of terms")
    rows = {name: _unpacked(name, arrays, len(terms)) for name in _ROWS}
    n_pages, n_links = rows["pages"].shape[0], len(arrays["sources"])
    sources, targets = arrays["sources"].astype(np.int64), arrays["targets"].astype(np.int64)
    if len(arrays["positive"]) != n_pages or not n_pages:
        raise ValueError("it does not say of each page whether it is positive")
    if len(targets) != n_links or any(rows[name].shape[0] != n_links for name in _ROWS[1:]):
        raise ValueError("its links have not as many sources, targets and texts")
    if n_links and max(sources.max(), targets.max()) >= n_pages:
        raise ValueError("a link leads from or to a page that is not there")
    places = arrays.get("places")
    if places is not None:
        if len(places) != N_PLACES * n_links:
            raise ValueError("it does not say of each link where it leads")
        places = places.astype(np.int64).reshape(n_links, N_PLACES)
        if n_links and places[:, 2:].max() > MAX_COLUMN:
            raise ValueError("a hashed term of a URL is too large")
    keys = checked_keys(arrays["keys"], arrays["key_rows"], n_pages) if "keys" in arrays else None
    return TopicExamples(
        terms, rows.pop("pages"), arrays["positive"] > 0, sources, targets, places=places, keys=keys, **rows
    )


def _packed(rows: sparse.csr_matrix) -> dict[str, npt.NDArray[Any]]:
    rows = rows.copy()
    rows.sum_duplicates()
    steps = np.diff(rows.indices.astype(np.int64), prepend=0)
    starts = rows.indptr[:-1][np.diff(rows.indptr) > 0]
    steps[starts] = rows.indices[starts]
    return {
        "lengths": _smallest(np.diff(rows.indptr)),
        "steps": _smallest(steps),
        "counts": np.minimum(rows.data, MAX_COUNT).astype(np.uint8),
    }


def _unpacked(name: str, arrays: Mapping[str, npt.NDArray[Any]], n_terms: int) -> sparse.csr_matrix:
    from scipy import sparse  # most crawls read no examples, and should not wait for it

    lengths, steps = (arrays[f"{name}_{part}"].astype(np.int64) for part in ("lengths", "steps"))
    counts = arrays[f"{name}_counts"]
    indptr = np.concatenate(([0], np.cumsum(lengths)))
    if indptr[-1] != len(steps) or len(counts) != len(steps) or (np.diff(indptr) < 0).any():
        raise ValueError(f"the rows of its {name} do not fit together")
    total = np.concatenate(([0], np.cumsum(steps)))
    # The sum of a row's steps up to a column is the column; what came before the row is taken off again.
    indices = total[1:] - np.repeat(total[indptr[:-1]], lengths)
    is_first = np.zeros(len(steps), dtype=np.bool_)
    is_first[indptr[:-1][lengths > 0]] = True
    if len(steps) and (indices.max() >= n_terms or indices.min() < 0 or not (is_first | (steps > 0)).all()):
        raise ValueError(f"the terms of its {name} are not in its list of terms")
    if len(counts) and not counts.all():
        raise ValueError(f"a term of its {name} occurs no time")
    rows = sparse.csr_matrix((counts.astype(np.float64), indices, indptr), shape=(len(lengths), n_terms))
    rows.has_sorted_indices = rows.has_canonical_format = True
    return rows


def _smallest(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return whole numbers that are not negative in the smallest type that holds them."""
    return values.astype(np.min_scalar_type(int(values.max(initial=0))))
