"""The language of a page: what it declares, and what its text says."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING

from focused.method.text.analyzer import MARK_CHAR
from focused.method.text.languages import detect_language, detectable_languages

if TYPE_CHECKING:
    from collections.abc import Collection

    from focused.method.page.page import Page

_MAX_HEAD_BYTES = 4_096
_declared = re.compile(
    rb"<html\b[^>]{0,1000}?\slang\s*=\s*[\"']?([a-z]{2,3})\b|"
    rb"<meta\s[^>]{0,200}?content-language[\"'][^>]{0,200}?content\s*=\s*[\"']?([a-z]{2,3})\b",
).search
# The language of a shorter text cannot be detected. A longer text hardly helps, and each thousand characters take 0.1 ms.
_LEAST_LETTERS, _SAMPLE_CHARS = 60, 800
# Where nothing depends on it but what is written of a page: 99 % of the same answers in half of the time.
_SHORT_CHARS = 300
# English is told by its function words: a twentieth of the cost, and the language model need not be loaded. These are words of
# hardly any other language; those of the second list are, and only count beside them.
_ENGLISH = frozenset(
    "the and that with this which from have are not been were has their these they your what when there would should".split()
)
_ALSO_ENGLISH = frozenset("of to is in a for it by be an as at on or can may was will only one".split())
_NO_LETTERS = str.maketrans(dict.fromkeys(f"{MARK_CHAR}0123456789", " "))


def declared_language(body: bytes) -> str:
    """Return the language that a page says it is in, as the code of two or three letters without region; empty if none.

    ``body``: in UTF-8. Only its first 4 kB are looked at.

    >>> declared_language(b"<!doctype html><html class=x lang='de-AT'>"), declared_language(b"<p lang=en>")
    ('de', '')
    """
    head = body[:_MAX_HEAD_BYTES].lower()
    found = _declared(head) if b"lang" in head else None
    return (found[1] or found[2]).decode() if found else ""


def other_language(page: Page, languages: Collection[str]) -> str:
    """Return the language of a page if it is none of some; empty if it is one of them, or cannot be detected.

    What a page declares is believed. Where it declares nothing, or a language that is none of these, its text is asked, too:
    many sites declare that of their template.
    """
    if page.declared_language in languages:
        return ""
    detected = detect_language(sample(page), least_letters=_LEAST_LETTERS)
    if detected in languages:
        return ""
    return page.declared_language or detected or ""


def page_language(page: Page, main_text: str = "") -> str:
    """Return the language that a page declares, or else that of its text; empty if it cannot be detected."""
    return page.declared_language or language_of_text(page, main_text)


def language_of_text(page: Page, main_text: str = "") -> str:
    """Return the language that a page's text is in; empty if it cannot be detected.

    ``main_text``: asked instead of the whole page, if it is long enough.
    """
    is_long = len(main_text) >= 2 * _SHORT_CHARS
    start = max((len(main_text) - _SAMPLE_CHARS) // 2, 0)
    # As it stands: to take the numbers out first costs more than this look, after which most pages are known.
    if is_long and is_plainly_english(main_text[start : start + _SAMPLE_CHARS]):
        return "en"
    some = _from_the_middle(main_text, _SHORT_CHARS) if is_long else sample(page)[:_SHORT_CHARS]
    return "en" if is_plainly_english(some) else detect_language(some, least_letters=_LEAST_LETTERS) or ""


def is_plainly_english(text: str) -> bool:
    """Tell whether function words of English make up a fifth of a text, at least four different ones; False says nothing.

    >>> is_plainly_english("It was the best of times and the worst"), is_plainly_english("Het was de beste tijd van allen")
    (True, False)
    """
    words = text.lower().split()
    sure, others = ([word for word in words if word in known] for known in (_ENGLISH, _ALSO_ENGLISH))
    n_different = len(set(sure)) + len(set(others))
    return len(sure) >= 2 and n_different >= 4 and 5 * (len(sure) + len(others)) >= len(words)


def sample(page: Page) -> str:
    """Return some text from the middle of a page: menus stand at the ends."""
    return _from_the_middle(page.marked_text.text, _SAMPLE_CHARS)


def _from_the_middle(text: str, n_chars: int) -> str:
    first = max((len(text) - 4 * n_chars) // 2, 0)
    found = " ".join(text[first : first + 4 * n_chars].translate(_NO_LETTERS).split())
    start = max((len(found) - n_chars) // 2, 0)
    return found[start : start + n_chars]


def language_codes(text: str) -> tuple[str, ...]:
    """Return the codes in a list separated by commas or white space, each once, without regions.

    >>> language_codes("en-GB, de")
    ('en', 'de')
    """
    return tuple(dict.fromkeys(re.split("[-_]", code)[0].lower() for code in text.replace(",", " ").split()))


def check_languages(codes: Collection[str]) -> None:
    """Refuse codes of languages that no text can be found to be in, by a ValueError."""
    known = detectable_languages()
    for code in codes:
        if code not in known:
            alike = get_close_matches(code, sorted(known), n=5, cutoff=0.3) or sorted(known)[:5]
            raise ValueError(f"Got {code!r}. {len(known)} are known, such as {', '.join(alike)}.")
