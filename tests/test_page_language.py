"""The language of a page: what it declares, and what its text says."""

from __future__ import annotations

import pytest

from focused.method.page import page_language as languages
from focused.method.page.page_language import declared_language, is_plainly_english, language_of_text, other_language
from focused.method.page.reader import PageReader
from focused.method.text.analyzer import Analyzer

ENGLISH = (
    "The stars of the galaxy move around its centre in two hundred million years, and nobody has ever seen them arrive."
)
GERMAN = "Die Sterne der Galaxie bewegen sich in zweihundert Millionen Jahren um die Mitte, und niemand hat sie ankommen sehen."
MENU = "<p>Home <p>About us <p>Contact <p>Imprint <p>Login " * 4


@pytest.fixture(scope="module")
def reader() -> PageReader:
    return PageReader(Analyzer("en"))


@pytest.mark.parametrize(
    ("head", "text", "other"),
    [
        ("<html lang=en>", ENGLISH, ""),
        ("<html>", ENGLISH, ""),
        ("<html>", GERMAN, "de"),
        ("<html lang='de-AT'>", GERMAN, "de"),
        # Its template's.
        ('<html lang="de">', ENGLISH, ""),
        # What is declared is believed: the text is not asked.
        ("<html lang=en>", GERMAN, ""),
        ("<html>", "Die Sterne.", ""),
        ("<html lang=de>", "Die Sterne.", "de"),
        ("<html>", f"{MENU}<p>{GERMAN * 6}</p>{MENU}", "de"),
        ("<html>", "", ""),
    ],
)
def test_a_page_is_in_another_language_if_neither_its_declaration_nor_its_text_is_in_one_of_ours(
    reader, head, text, other
):
    page = reader.read(f"<!doctype html>{head}<title>1</title><body>{text}".encode(), "http://h.org/", "text/html")
    assert other_language(page, ("en",)) == other


@pytest.mark.parametrize(
    ("body", "language"),
    [
        (b"<HTML CLASS=x LANG=FR><head>", "fr"),
        (b'<html xml:lang="pt-BR"  lang="pt-BR">', "pt"),
        (b"<html><meta http-equiv='Content-Language' content='it, en'>", "it"),
        (b"<html><body lang=de>", ""),
        (b"<html data-lang=de>", ""),
        (b"<html lang=''>", ""),
        (b"x" * 5_000 + b"<html lang=de>", ""),
    ],
)
def test_a_declaration_stands_at_the_beginning_of_the_page(body, language):
    assert declared_language(body) == language


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The pulsar in the nebula was found by students who have read that which their teachers had written", True),
        (
            "Die Sterne sind so weit von uns entfernt, dass das Licht viele Jahre braucht, was man in einer Nacht sieht",
            False,
        ),
        ("De sterren in de nevel was een van de eerste die in het donker of bij de maan te zien is", False),
        ("Det er en af de to stjerner som vi kan se, for den er at finde i nord and is i vand on dag", False),
        ("Les étoiles que nous avons vues on peut les voir a la campagne or la nuit an et jour", False),
        ("Pulsar. Nebula. Quasar. Comet. Galaxy. Star. The end of it", False),
    ],
)
def test_english_is_told_by_its_function_words_and_other_languages_are_never_taken_for_it(text, expected):
    assert is_plainly_english(text) is expected


def test_english_sentences_around_a_listing_are_known_without_the_detector(reader, monkeypatch):
    sentences = (
        "The pulsar that was found in the nebula is one of those which have been seen by the students of the school. "
    )
    listing = "malloc(sizeof) strncpy(dst, src) errno EINVAL O_RDONLY fprintf(stderr) "
    text = sentences * 4 + listing * 5 + sentences * 4
    page = reader.read(f"<p>{text}".encode(), "http://h.org/", "text/html")
    middle = len(text) // 2
    assert not is_plainly_english(text[middle - 150 : middle + 150])
    monkeypatch.setattr(languages, "detect_language", lambda *_, **__: "asked")
    assert language_of_text(page, text) == "en"
    assert language_of_text(page, listing * 20) == "asked"
