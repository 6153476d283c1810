"""The language of a page: what it declares, and what its text says."""

from __future__ import annotations

import pytest

from focused.method.page.page_language import declared_language, other_language
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
