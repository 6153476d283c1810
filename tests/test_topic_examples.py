"""The examples that stay with a topic: what is kept, and that nothing in their file is taken on trust."""

from __future__ import annotations

import hashlib
import io
import json
import pickle
from contextlib import ExitStack
from pathlib import Path

import hand_made
import numpy as np
import pytest
from scipy import sparse

from focused.method.page.reader import PageReader
from focused.method.text.analyzer import Analyzer
from focused.method.text.background import load_background
from focused.method.topic import EXAMPLES_FILE, MANIFEST_FILE, TopicError, TopicExamples, load_topic
from focused.method.topic import examples as examples_module
from focused.method.topic.names import SHIPPED
from focused.method.topic.page_keys import page_keys
from focused.method.training import kept_examples as kept
from focused.method.training.example_content import PageContent, Refusals
from focused.method.training.example_sources import Candidate, OpenSources, candidates_at
from focused.method.training.kept_examples import kept_examples
from focused.method.training.page_set import ExampleReader, PageSet, urls_of
from focused.method.training.term_counting import count
from focused.retraining.judged_pages import term_counts

ROOT = Path(__file__).resolve().parent.parent

PAGES = {
    "p1": '<p>Stars and galaxies far away. See <a href="/pnebula">a bright nebula</a> in the winter sky, '
    'or <a href="/u1">good food</a></p>',
    "pnebula": '<p>Telescopes show planets and a nebula. <a href="/elsewhere">more</a></p>',
    "u1": '<p>Butter and flour for a recipe. <a href="/p1">stars</a> and <a href="/u1">itself</a></p>',
    "u2": "<p>An oven for soup, and butter.</p>",
}


def page_sets(pages: dict[str, str] = PAGES) -> tuple[PageSet, PageSet]:
    def candidates(kind: str) -> list[Candidate]:
        return [
            Candidate(url, url, lambda url=url, name=name: PageContent(url, pages[name].encode(), "text/html"))
            for name in pages
            if name.startswith(kind)
            for url in [f"http://h.org/{name}"]
        ]

    positive, unlabeled = candidates("p"), candidates("u")
    wanted, reader = urls_of([*positive, *unlabeled]), ExampleReader("en")
    positives = reader.positives(positive, Refusals(), wanted)
    return positives, reader.unlabeled(unlabeled, Refusals(), wanted, positives)


@pytest.fixture(scope="module")
def found() -> TopicExamples:
    return kept_examples(*page_sets(), Analyzer("en"))


def words(examples: TopicExamples, name: str, row: int) -> set[str]:
    return {examples.terms[column] for column in getattr(examples, name)[row].indices}


def same(a: TopicExamples, b: TopicExamples) -> bool:
    return a.to_bytes() == b.to_bytes()


def saved(tmp_path: Path, examples: TopicExamples | None) -> Path:
    topic = hand_made.topic()
    topic.manifest = {"command": "scrapy train stars --positive pages"}
    topic.examples = examples
    return topic.save(tmp_path)


def replace_file(directory: Path, data: bytes) -> None:
    """Put another file in place of the examples, with a manifest that vouches for it."""
    (directory / EXAMPLES_FILE).write_bytes(data)
    manifest = json.loads((directory / MANIFEST_FILE).read_text())
    manifest["examples_sha256"] = hashlib.sha256(data).hexdigest()
    (directory / MANIFEST_FILE).write_text(json.dumps(manifest))


def known_again(examples: TopicExamples, urls: list[str], terms: dict[str, int]) -> list[int]:
    """The rows of the pages that such a page is taken for."""
    assert examples.keys is not None
    of_page = page_keys(urls, terms)
    return [row for key, row in zip(*map(np.ndarray.tolist, examples.keys), strict=True) if key in of_page]


def changed(data: bytes, **changes: np.ndarray) -> bytes:
    with np.load(io.BytesIO(data)) as archive:
        arrays = {key: archive[key] for key in archive.files}
    out = io.BytesIO()
    np.savez_compressed(out, **(arrays | changes))
    return out.getvalue()


def test_links_between_examples_are_kept_with_their_texts(found: TopicExamples) -> None:
    assert found.positive.tolist() == [True, True, False, False]
    links = list(zip(found.sources.tolist(), found.targets.tolist(), strict=True))
    assert links == [(0, 1), (0, 2), (2, 0)]
    assert words(found, "anchors", 0) == {"bright", "nebula"}
    assert {"galaxi", "nebula"} <= words(found, "contexts", 0)
    assert "food" not in words(found, "contexts", 0)  # the text of another link
    assert {"see", "nebula", "winter", "sky"} <= words(found, "windows", 0)
    assert "food" not in words(found, "windows", 0)
    assert {"org", "pnebula"} <= words(found, "urls", 0)


def test_all_words_of_positives_are_kept_and_of_others_those_of_several_pages_or_of_links(found: TopicExamples) -> None:
    assert {"far", "telescop", "butter"} <= set(found.terms)
    assert not {"oven", "soup"} & set(found.terms)


def test_what_is_saved_is_loaded(found: TopicExamples, tmp_path: Path) -> None:
    saved(tmp_path, found)
    loaded = load_topic("stars", tmp_path).examples
    assert loaded is not None
    assert same(loaded, found)
    assert loaded.terms == found.terms
    for name in ("pages", "anchors", "contexts", "windows", "urls"):
        assert (getattr(loaded, name) != getattr(found, name)).nnz == 0


def test_the_same_examples_give_the_same_bytes() -> None:
    assert same(kept_examples(*page_sets(), Analyzer("en")), kept_examples(*page_sets(), Analyzer("en")))


def test_a_topic_without_examples_loads_and_has_none(tmp_path: Path) -> None:
    directory = saved(tmp_path, None)
    assert not (directory / EXAMPLES_FILE).exists()
    assert load_topic("stars", tmp_path).examples is None


def test_a_topic_saved_without_examples_leaves_no_old_ones(found: TopicExamples, tmp_path: Path) -> None:
    saved(tmp_path, found)
    directory = saved(tmp_path, None)
    assert not (directory / EXAMPLES_FILE).exists()
    assert load_topic("stars", tmp_path).examples is None


def test_the_file_is_read_only_when_it_is_asked_for(found: TopicExamples, tmp_path: Path) -> None:
    (saved(tmp_path, found) / EXAMPLES_FILE).unlink()
    topic = load_topic("stars", tmp_path)
    with pytest.raises(TopicError, match=r"examples\.npz cannot be read.* Retrain it: scrapy train stars .*--force"):
        _ = topic.examples


@pytest.mark.parametrize("damage", ["flipped", "cut", "empty"])
def test_damaged_examples_are_refused_with_how_to_retrain(found: TopicExamples, tmp_path: Path, damage: str) -> None:
    path = saved(tmp_path, found) / EXAMPLES_FILE
    data = bytearray(path.read_bytes())
    data[100] ^= 1
    path.write_bytes({"flipped": bytes(data), "cut": bytes(data[:200]), "empty": b""}[damage])
    with pytest.raises(TopicError, match=r"is damaged, was changed.* Retrain it: scrapy train stars"):
        _ = load_topic("stars", tmp_path).examples


class _Bomb:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return Path.touch, (Path("exploded"),)


def test_a_foreign_file_runs_no_code(found: TopicExamples, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    directory = saved(tmp_path, found)
    bomb = np.empty(1, dtype=object)
    bomb[0] = _Bomb()
    for data in (changed(found.to_bytes(), positive=bomb), pickle.dumps(_Bomb())):
        replace_file(directory, data)
        with pytest.raises(TopicError, match="holds no usable examples"):
            _ = load_topic("stars", tmp_path).examples
    assert not Path("exploded").exists()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"targets": np.array([1, 2, 4], dtype=np.uint8)}, "not there"),
        ({"targets": np.array([1, 2], dtype=np.uint8)}, "as many sources, targets"),
        ({"positive": np.array([1, 0], dtype=np.uint8)}, "whether it is positive"),
        ({"pages_lengths": np.array([1, 1, 1, 1], dtype=np.uint8)}, "rows of its pages"),
        ({"pages_lengths": np.array([2**63, 2**63, 1, 1], dtype=np.uint64)}, "rows of its pages"),
        ({"anchors_steps": np.array([60000] * 4, dtype=np.uint16)}, ""),
        ({"sources": np.array([-1, 0, 0], dtype=np.int8)}, "not negative"),
        ({"sources": np.array([[0, 0, 0]], dtype=np.uint8)}, "not a row"),
        ({"terms": np.frombuffer(b"a\na", dtype=np.uint8)}, "twice"),
        ({"key_rows": np.array([4] * 8, dtype=np.uint8)}, "which page"),
        ({"key_rows": np.array([0], dtype=np.uint8)}, "which page"),
    ],
)  # fmt: skip
def test_arrays_that_do_not_fit_are_refused(
    found: TopicExamples, tmp_path: Path, changes: dict[str, np.ndarray], message: str
) -> None:
    directory = saved(tmp_path, found)
    replace_file(directory, changed(found.to_bytes(), **changes))
    with pytest.raises(TopicError, match=f"holds no usable examples: .*{message}.* Retrain it"):
        _ = load_topic("stars", tmp_path).examples


@pytest.mark.parametrize("limit", ["MAX_EXAMPLES_BYTES", "MAX_UNPACKED_BYTES"])
def test_files_that_are_too_large_are_refused(
    found: TopicExamples, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    saved(tmp_path, found)
    monkeypatch.setattr(examples_module, limit, 500)
    with pytest.raises(TopicError, match="larger than 500 bytes"):
        _ = load_topic("stars", tmp_path).examples


def test_of_many_pages_and_links_a_seeded_draw_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    links = "".join(f'<a href="/{kind}{n}">page {n}</a> ' for kind in "pu" for n in range(30))
    pages = {f"{kind}{n}": f"<p>words of {kind} number{n} {links}</p>" for kind in "pu" for n in range(30)}
    sets = page_sets(pages)
    monkeypatch.setattr(kept, "MAX_PAGES", 20)
    monkeypatch.setattr(kept, "MAX_LINKS", 100)
    drawn = [kept_examples(*sets, Analyzer("en"), random_state=seed) for seed in (0, 0, 1)]
    assert same(drawn[0], drawn[1])
    assert not same(drawn[0], drawn[2])
    assert drawn[0].pages.shape[0] == 40
    assert drawn[0].n_links == 100
    assert drawn[0].positive[drawn[0].targets].sum() == 50


def test_pages_are_known_again_by_their_urls_and_by_texts_of_which_words_were_left_out(tmp_path: Path) -> None:
    saved(tmp_path, kept_examples(*page_sets(), Analyzer("en")))
    found = load_topic("stars", tmp_path).examples
    assert found is not None
    assert known_again(found, ["http://h.org/pnebula"], {"another": 1}) == [1]
    assert "oven" not in found.terms
    read = PageReader(Analyzer("en")).read(PAGES["u2"].encode(), "http://mirror.org/", "text/html")
    counts = term_counts(count(read.terms))
    assert known_again(found, ["http://mirror.org/"], counts) == [3]
    assert known_again(found, ["http://mirror.org/"], counts | {"oven": 2}) == []


def test_where_the_pages_of_a_folder_lie_makes_no_difference(tmp_path: Path) -> None:
    made = []
    for name in ("here", "there"):
        folder = tmp_path / name
        folder.mkdir()
        for kind, text in PAGES.items():
            (folder / f"{kind}.html").write_text(text.replace("href", "title"))
        with ExitStack() as stack:
            candidates = candidates_at(folder, OpenSources(Refusals(), None, stack))
            pages = ExampleReader("en").positives(candidates, Refusals(), urls_of(candidates))
        made.append(kept_examples(pages, page_sets()[1], Analyzer("en")))
    assert same(*made)


def test_links_to_positives_fill_what_other_links_leave(monkeypatch: pytest.MonkeyPatch) -> None:
    links = "".join(f'<a href="/p{n}">page {n}</a> ' for n in range(15))
    pages = {f"p{n}": f"<p>words of number{n} {links}</p>" for n in range(15)} | {"u0": "<p>words of other pages</p>"}
    sets = page_sets(pages)
    monkeypatch.setattr(kept, "MAX_LINKS", 100)
    assert kept_examples(*sets, Analyzer("en")).n_links == 100


def test_of_the_background_a_thousand_pages_are_kept() -> None:
    positive, _ = page_sets()
    background = load_background()
    found = kept_examples(positive, background, Analyzer("en"))
    assert found.pages.shape[0] == 2 + 1000
    assert found.n_links == 1
    totals = dict(zip(found.terms, np.asarray(found.pages[2:].sum(axis=0)).ravel(), strict=True))
    known = dict(zip(background.terms, np.asarray(background.counts.sum(axis=0)).ravel(), strict=True))
    assert totals["time"] > 100
    assert all(count <= known.get(term, 0) for term, count in totals.items())


def test_a_topic_from_words_has_unlabelled_examples_only() -> None:
    found = kept_examples(None, page_sets()[1], Analyzer("en"))
    assert found.positive.tolist() == [False, False]


def test_large_counts_are_cut_instead_of_running_over() -> None:
    row = sparse.csr_matrix(np.array([[700, 0, 3]]))
    none = sparse.csr_matrix((0, 3))
    nowhere = np.zeros(0, dtype=np.int64)
    found = TopicExamples(["a", "b", "c"], row, np.array([True]), nowhere, nowhere, none, none, none, none)
    loaded = examples_module._from_arrays(dict(np.load(io.BytesIO(found.to_bytes()))))
    assert loaded.pages.toarray().tolist() == [[255.0, 0.0, 3.0]]


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_topics_bring_small_examples_with_links(name: str) -> None:
    topic = load_topic(name, ROOT / "models")
    assert topic.examples is not None
    assert topic.examples.n_links > 100
    assert (ROOT / "models" / name / EXAMPLES_FILE).stat().st_size < 1_500_000
