from __future__ import annotations

import random
import unicodedata

import numpy as np
import pytest

from focused.method.text import analyzer
from focused.method.text.analyzer import FIRST_TERM, N_MARKS, NOTHING, RARE, Analyzer, TermTable, mark, words


def terms_of(text: str, language: str = "en") -> list[str]:
    table = TermTable()
    return [table.term(number) for number in Analyzer(language, table).ids(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Milky-Way, seen_from x2y in 1998 (3rd ed.)", "the milky way seen from x2y in rd ed"),
        ("परमाणु भौतिकी के सिद्धांत", "परमाणु भौतिकी के सिद्धांत"),
        ("Ядерная физика, звёзды", "ядерная физика звёзды"),
        ("Πυρηνική ΟΔΟΣ", "πυρηνική οδος"),
        ("الفيزياء النووية", "الفيزياء النووية"),
        ("פיזיקה גרעינית", "פיזיקה גרעינית"),
        ("물리학 연구", "물리학 연구"),
        ("核物理学", "核物 物理 理学"),
        ("星", "星"),
        ("日本語テキストtext", "日本 本語 語テ テキ キス スト text"),
        ("ไทย", "ไท ทย"),
        ("l\u2019étoile d'or", "étoile or"),
        ("“quoted” — word…", "quoted word"),
        ("Kern\u00adphysik", "kernphysik"),
        ("\ufb01nal \uff26\uff55\uff4c\uff4c H₂O", "final full h2o"),
        ("İstanbul", "istanbul"),
        ("Python™ C++ a b 12 3.5", "python"),
        ("😀 word😀word", "word word"),
    ],
)
def test_words_of_many_alphabets(text, expected):
    assert words(text) == expected.split()


def test_one_word_has_one_spelling_however_its_accents_are_coded():
    text = "café żółw Ωραίος ガラス हिन्दी"
    assert words(unicodedata.normalize("NFD", text)) == words(unicodedata.normalize("NFC", text))
    assert terms_of(unicodedata.normalize("NFD", text)) == terms_of(text)


def test_the_shortcut_for_ascii_gives_what_the_long_way_gives():
    draw = random.Random(0)
    for _ in range(3000):
        token = "".join(draw.choices("abXY019", k=draw.randint(1, 6)))
        assert words(token) == words(token + "\u2019")


def test_keys_and_coded_data_are_no_words():
    assert words("a" * 65) == words("é" * 65) == []
    assert words("a" * 64) == ["a" * 64]


def test_stopwords_are_dropped_and_words_stemmed_by_the_language():
    assert terms_of("The stars and the Star of galaxies") == ["star", "star", "galaxi"]
    assert terms_of("Die Sterne und der Stern", "de") == ["stern", "stern"]
    assert terms_of("звезда и звёзды, звезды", "ru")[0] == terms_of("звезды", "ru")[0]
    assert terms_of("האור של הכוכב", "he") == ["האור", "הכוכב"]


def test_a_language_without_stemmer_keeps_whole_words():
    assert terms_of("words worded", "xx") == ["words", "worded"]


def test_ids_do_not_depend_on_what_was_read_before():
    table = TermTable()
    first, second = Analyzer("en", table), Analyzer("en", table)
    text = "stars “bright,” moons don\u2019t 核物理学"
    first.ids("something else entirely: 天文学 “moons”")
    np.testing.assert_array_equal(first.ids(text), second.ids(text))
    np.testing.assert_array_equal(first.ids(text), first.ids(text))


def test_words_of_one_token_stand_in_their_order():
    assert terms_of("before red\u2014blue\u2014green after") == ["red", "blue", "green"]


def test_a_stream_keeps_its_marks_and_the_places_of_tokens_without_a_term():
    table = TermTable()
    ids = Analyzer("en", table).stream(f"star{mark(0)}the {mark(7)} moon 1998{mark(7)} ")
    shown = [str(i) if i < N_MARKS else "-" if i == NOTHING else table.term(i) for i in ids.tolist()]
    assert shown == ["star", "0", "-", "7", "moon", "-", "7"]


@pytest.mark.parametrize("text", ["", " ", "\0", "1 2 3", "the of", "\ud800 \udfff", "\u0301" * 10, "\x7f\x80"])
def test_texts_without_words_have_no_terms(text):
    ids = Analyzer("en", TermTable()).ids(text)
    assert ids.dtype == np.int32
    assert ids.shape == (0,)


def test_a_full_table_gives_new_terms_one_id_and_keeps_the_old():
    table = TermTable(max_terms=2)
    analyse = Analyzer("xx", table).ids
    assert analyse("aa bb cc dd aa").tolist() == [FIRST_TERM, FIRST_TERM + 1, RARE, RARE, FIRST_TERM]
    assert table.intern("ee", always=True) == FIRST_TERM + 2
    assert len(table) == FIRST_TERM + 3


def test_forgetting_tokens_changes_no_id(monkeypatch):
    table = TermTable()
    keen = Analyzer("en", table)
    texts = [f"star moon{n} “red—blue{n % 3}” 核物理{n}" for n in range(20)]
    expected = [keen.ids(text).tolist() for text in texts]
    monkeypatch.setattr(analyzer, "MAX_REMEMBERED_TOKENS", 3)
    forgetful = Analyzer("en", table)
    assert [forgetful.ids(text).tolist() for text in texts] == expected
    assert len(forgetful._codes) < len(keen._codes)


def test_a_run_of_accents_takes_no_quadratic_time():
    # 400,000 marks in an order that is to be turned: some ten minutes if normalised in one piece.
    assert words("a" + "\u0316\u0301" * 200_000 + " star") == ["star"]
    assert len(words("\u0e01" + "\u0e48\u0e38" * 200_000)) == 400_000
