from __future__ import annotations

import numpy as np
import pytest

from focused.method.page.copy_index import CopyIndex
from focused.method.page.near_copies import TermHashes, sketch, sketch_of_pairs
from focused.method.page.reader import PageReader
from focused.method.page.text_sketch import LEAST_PAIRS, TextSketch
from focused.method.page.triples import NEW
from focused.method.scoring.stored_text import form_and_newness
from focused.method.text.analyzer import Analyzer, TermTable

MENU = "<ul>{}</ul>".format("".join(f"<li><a href=/m{n}>menu entry number{n}</a>" for n in range(15)))


def reader() -> PageReader:
    return PageReader(Analyzer("en", TermTable()))


def prose(seed: int, n_words: int) -> list[str]:
    source = np.random.default_rng(seed)
    return [f"word{number}q" for number in source.zipf(1.3, n_words) % 5000]


def sketch_of(own: PageReader, words: list[str], before: str = "", title: str = "A title") -> TextSketch:
    body = f"<title>{title}</title>{before}<p>{' '.join(words)}</p>".encode()
    found = sketch(own.read(body, "http://h.org/", "text/html"), TermHashes(own.analyzer.table))
    assert found is not None
    return found


@pytest.mark.parametrize("rate", [0.02, 0.05])
def test_copies_with_some_words_changed_and_other_menus_are_found(rate):
    own, index, source = reader(), CopyIndex(), np.random.default_rng(1)
    n_found = 0
    for seed in range(40):
        words = prose(seed, 150)
        assert not index.find_or_add(sketch_of(own, words))[1]
        changed = [f"other{source.integers(999)}x" if source.random() < rate else word for word in words]
        n_found += index.find_or_add(sketch_of(own, changed, before=MENU)) == (index.n_added - 1, True)
    assert n_found >= 38


def test_pages_that_share_their_frame_are_no_copies():
    own, index = reader(), CopyIndex()
    frame = prose(0, 80)
    for seed in range(1, 30):
        assert not index.find_or_add(sketch_of(own, frame + prose(seed, 120)))[1]


@pytest.mark.parametrize("n_words", [45, 150])
def test_of_texts_that_differ_somewhat_those_with_one_title_are_copies_those_with_two_are_none(n_words):
    """What one form says of two things: six tenths of the pairs are common."""
    own = reader()
    words = [f"word{number}q" for number in range(n_words)]
    other = [f"other{number}q" if number % 8 == 5 else word for number, word in enumerate(words)]
    for title, is_copy in (("A  TITLE", True), ("Another title", False)):
        index = CopyIndex()
        index.find_or_add(sketch_of(own, words))
        assert index.find_or_add(sketch_of(own, other, title=title))[1] == is_copy


def test_lists_of_links_in_the_frame_of_a_site_are_no_copies_of_each_other():
    own, index = reader(), CopyIndex()
    frame = prose(0, 60)
    for seed in range(1, 20):
        links = prose(seed, 200)
        listed = "<ul>{}</ul>".format("".join(f"<li><a href=/{n}>{word}</a>" for n, word in enumerate(links)))
        assert not index.find_or_add(sketch_of(own, frame, before=listed))[1]


def test_short_pages_that_differ_by_a_number_are_no_copies():
    own, index = reader(), CopyIndex()
    first = sketch_of(own, "homework set 1 is due on Monday".split())
    assert first.n_pairs < LEAST_PAIRS
    assert not index.find_or_add(first)[1]
    assert not index.find_or_add(sketch_of(own, "homework set 2 is due on Monday".split()))[1]
    assert index.find_or_add(sketch_of(own, "homework set 1 is due on Monday".split())) == (0, True)


def test_a_sketch_is_the_same_in_another_process_and_comes_back_from_bytes():
    words = prose(7, 100)
    here, other = reader(), reader()
    other.analyzer.ids("terms that are met first and so have other numbers")
    one, same = sketch_of(here, words), sketch_of(other, words)
    assert one.to_bytes() == same.to_bytes()
    back = TextSketch.from_bytes(one.to_bytes())
    assert back.n_pairs == one.n_pairs
    assert (back.places == one.places).all()
    assert (back.whole == one.whole).all()
    assert back.title == one.title != 0
    data = one.to_bytes()
    with pytest.raises(ValueError, match="of another version"):
        TextSketch.from_bytes(data[:3] + b"\1" + data[4:])
    with pytest.raises(ValueError, match=r"must have 332 bytes and 4 for each of its triples\. Got 3"):
        TextSketch.from_bytes(b"abc")


def test_a_page_without_words_has_no_sketch():
    own = reader()
    assert sketch(own.read(b"<p>1 2 3", "http://h.org/", "text/html"), TermHashes(own.analyzer.table)) is None


def random_sketch(seed: int) -> TextSketch:
    return sketch_of_pairs(np.random.default_rng(seed).integers(0, 1 << 32, 100, dtype=np.uint32))


def test_the_oldest_texts_are_forgotten_and_numbers_go_on():
    index, texts = CopyIndex(max_pages=50), [random_sketch(seed) for seed in range(120)]
    assert [index.find_or_add(text) for text in texts] == [(number, False) for number in range(120)]
    assert len(index) == 50
    assert index.find_or_add(texts[119]) == (119, True)
    assert index.find_or_add(texts[75]) == (75, True)
    assert not index.find_or_add(texts[10])[1]


def test_an_index_that_grew_knows_its_first_pages():
    index, texts = CopyIndex(), [random_sketch(seed) for seed in range(1100)]
    for text in texts:
        index.find_or_add(text)
    assert index.find_or_add(texts[3]) == (3, True)


def test_the_bytes_of_a_sketch_say_how_new_the_text_is_and_its_title_without_numbers():
    own = reader()
    one, other = (sketch_of(own, prose(1, 100), title=f"Calendar {day}") for day in (1, 2))
    assert one.title != other.title
    form, newness = form_and_newness(one._replace(new_share=0.4).to_bytes())
    assert form == form_and_newness(other.to_bytes())[0] != 0
    assert newness == pytest.approx(0.4 / NEW, abs=0.01)
    assert (TextSketch.from_bytes(one.to_bytes()).kept == one.kept).all()
    assert form_and_newness(one.to_bytes()[:3] + b"\2" + one.to_bytes()[4:]) == (0, 1.0)


def test_titles_that_differ_by_a_hash_are_one_without_numbers_and_those_with_other_names_are_not():
    own = reader()
    titles = ("Commit 3f2a9c1d", "Commit 07bc11e", "Commit", "Commit h2o2base")
    forms = [sketch_of(own, prose(1, 100), title=title).title_form for title in titles]
    assert forms[0] == forms[1] == forms[2] != forms[3]
