"""A few chunks of a page's text are found without cutting all of it apart."""

from __future__ import annotations

from collections import Counter

import pytest

from focused.method.page.marked_text import MarkedText, plain_text
from focused.method.page.walk import Walker

PAGES = {
    "html": Walker("modern", 10_000).walk(
        "<title>Zwölf 😀</title><body>a<p>b <a href=x>c<b>d</b></a> e</p><div><a href=y></a></div>\u00a0f".encode(),
        Counter(),
    ),
    "plain": plain_text("one \ud800 text"),
    "empty": MarkedText(),
}


@pytest.mark.parametrize("name", PAGES)
def test_any_run_of_chunks_is_what_cutting_the_whole_text_gives(name: str):
    page = PAGES[name]
    n = len(page.chunks)
    for first in range(n + 3):
        for last in range(n + 3):
            assert page.between(first, last) == " ".join(page.chunks[first:last]), (first, last)
