"""The general background: what it is made of, and that it can be read from wherever the project lies."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from focused.method.text import background
from focused.method.text.analyzer import COUNTING, TITLE_PREFIX, Analyzer, TermTable
from focused.method.text.background import MAX_COUNT, from_bytes, load_background, to_bytes

ROOT = Path(background.__file__).resolve().parents[3]


def test_what_is_written_is_read() -> None:
    rng = np.random.default_rng(0)
    counts = sparse.random(40, 70, density=0.1, random_state=rng, data_rvs=lambda n: rng.integers(1, 99, n)).tocsr()
    counts = sparse.vstack([counts, sparse.csr_matrix(([1000], ([1], [69])), shape=(2, 70))]).tocsr()
    terms = sorted(f"stem{n}é" for n in range(70))
    read = from_bytes(to_bytes(terms, counts, {"sources": {"x": 42}}))
    expected = counts.toarray().clip(max=MAX_COUNT)
    assert np.array_equal(read.counts.toarray(), expected)
    assert read.terms == terms
    assert read.about == {"sources": {"x": 42}}
    assert read.n_pages == 42


def test_the_background_without_a_source_holds_no_term_that_only_its_pages_hold() -> None:
    shipped = load_background()
    left = shipped.without(["lilypond-doc-html", "HyperPhysics"])
    assert left.n_pages == shipped.n_pages - shipped.sources["lilypond-doc-html"] - shipped.sources["HyperPhysics"]
    assert {"lilypond", "hyperphys"} <= set(shipped.terms)
    assert {"lilypond", "hyperphys"}.isdisjoint(left.terms)
    assert {"anarchist", "gimp"} <= set(left.terms)
    assert np.bincount(left.counts.indices, minlength=len(left.terms)).min() >= shipped.about["minimum_pages_of_a_term"]
    assert left.sha256 != shipped.sha256
    assert shipped.without(["HyperPhysics"]).without(["lilypond-doc-html"]).n_pages == left.n_pages


@pytest.mark.parametrize(
    ("source", "own"),
    [
        *[("python3-doc", "python"), ("git-doc", "git"), ("postgresql-doc-15", "postgresql"), ("octave-doc", "octav")],
        *[("grass-doc", "grass"), ("gimp-help-en", "gimp"), ("anarchism", "anarchist"), ("20 Newsgroups", "nntp")],
        *[("lilypond-doc-html", "lilypond"), ("Reuters-21578", "dlrs"), ("HyperPhysics", "hyperphys")],
        ("WebKB", "homework"),
    ],
)
def test_the_pages_of_a_source_are_found_in_the_shipped_background(source: str, own: str) -> None:
    shipped = load_background()

    def n_holding(background: background.Background) -> int:
        column = {term: n for n, term in enumerate(background.terms)}.get(own)
        return 0 if column is None else int((background.counts[:, column] > 0).sum())

    assert n_holding(shipped.without([source])) < 0.5 * n_holding(shipped)


def test_an_unknown_source_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="WebXY is no source"):
        load_background().without(["WebXY"])


def test_the_same_counts_are_the_same_bytes() -> None:
    counts = sparse.csr_matrix([[1, 0, 2], [0, 3, 0]])
    first = to_bytes(["a", "b", "c"], counts, {"one": 1, "two": 2})
    assert first == to_bytes(["a", "b", "c"], counts.copy(), {"two": 2, "one": 1})


def test_the_shipped_background_is_varied() -> None:
    shipped = load_background()
    sources = shipped.about["sources"]
    assert sum(sources.values()) == shipped.n_pages > 2000
    assert len(sources) >= 8
    assert max(sources.values()) < 0.25 * shipped.n_pages
    assert shipped.about["language"] == "en"
    assert len(shipped.sha256) == 64


def test_the_shipped_background_holds_counts_of_stems() -> None:
    shipped = load_background()
    table = TermTable()
    analyzer = Analyzer("en", table)
    stems = {table.term(i) for i in analyzer.ids("moons observatories religion cooking hockey bank windows").tolist()}
    known = set(shipped.terms)
    assert len(stems & known) >= 6
    assert shipped.terms == sorted(known)
    assert {"the", "and", ""}.isdisjoint(known)
    frequencies = np.bincount(shipped.counts.indices, minlength=len(known))
    assert frequencies.min() >= shipped.about["minimum_pages_of_a_term"]
    assert (np.diff(shipped.counts.indptr) > 0).all()
    assert shipped.counts.data.min() >= 1
    # Columns of a row are different and in order: nothing was shifted by the packing.
    assert shipped.counts.has_sorted_indices
    assert shipped.counts.has_canonical_format


def test_the_shipped_background_was_counted_as_pages_are_now() -> None:
    shipped = load_background()
    assert shipped.about["counting"] == COUNTING
    titles = [column for column, term in enumerate(shipped.terms) if term.startswith(TITLE_PREFIX)]
    n_titled = np.count_nonzero(np.diff(shipped.counts[:, titles].indptr))
    assert n_titled > 0.8 * shipped.n_pages
    assert {"my", "our", "you"} <= set(shipped.terms)


def test_the_shipped_background_is_small() -> None:
    assert (ROOT / "focused/method/text" / background.BACKGROUND_FILE).stat().st_size < 1_500_000


def test_it_is_read_from_a_zipped_package(tmp_path: Path) -> None:
    egg = tmp_path / "focused.egg"
    with zipfile.ZipFile(egg, "w") as archive:
        for name in (
            "focused/__init__.py",
            "focused/utils/__init__.py",
            "focused/utils/version.py",
            "focused/method/__init__.py",
            "focused/method/text/__init__.py",
            "focused/method/text/background.py",
        ):
            archive.write(ROOT / name, name)
        archive.write(ROOT / "focused/method/text" / background.BACKGROUND_FILE, "focused/method/text/background.npz")
    code = (
        "from focused.method.text.background import load_background as load; import focused; "
        "print(load().n_pages, focused.__file__)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={"PYTHONPATH": str(egg)},
        capture_output=True,
        text=True,
        check=True,
    )
    n_pages, where = done.stdout.split()
    assert int(n_pages) == load_background().n_pages
    assert where.startswith(str(egg))


@pytest.mark.parametrize("data", [b"", b"nonsense", b"PK\x05\x06" + bytes(18)])
def test_what_is_no_background_is_refused(data: bytes) -> None:
    with pytest.raises((ValueError, EOFError, KeyError)):
        from_bytes(data)
