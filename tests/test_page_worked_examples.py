"""The papers' own examples of pages, number for number [spec: worked examples]."""

from __future__ import annotations

import pytest

from focused.page.context import link_context
from focused.page.page import Page
from focused.page.reader import PageReader
from focused.text.analyzer import Analyzer

# L14 fig. 4 (= P15 fig. 2), as printed: the h3 stands in a p, which an HTML parser mends.
FIGURE_4 = b"""<html>
<head>
<title>CS@Illinois | Department of Computer Science at Illinois</title>
</head>
<body>
<h1 class="cs">Department of Computer Science</h1>
<a href="http://cs.illinois.edu/csillinois/overview">
<text>Overview</text></a>
<p>
<a href="/csillinois/history"><text>History</text></a>
<text>have a look at awards<a href="/csillinois/awards">
<text>Read more</text></a></text>
<h3>Connect with Us</h3>
</p>
</body>
</html>"""


def read(body: bytes, **options: object) -> Page:
    return PageReader(Analyzer("en"), **options).read(body, "http://cs.illinois.edu/")  # type: ignore[arg-type]


@pytest.mark.parametrize("block_tags", ["modern", "paper"])
def test_figure_4_falls_into_four_blocks(block_tags: str) -> None:
    page = read(FIGURE_4, block_tags=block_tags)
    assert sorted(page.block_text(block) for block in range(page.n_blocks)) == [
        "Connect with Us",
        "Department of Computer Science",
        "History have a look at awards Read more",
        "Overview",
    ]


def test_contexts_of_figure_4_without_other_anchors() -> None:
    page = read(FIGURE_4)
    assert [link_context(page, anchor) for anchor in range(3)] == [
        "Department of Computer Science Overview have a look at awards Connect with Us",
        "History have a look at awards",
        "have a look at awards Read more",
    ]


def test_contexts_of_figure_4_with_other_anchors() -> None:
    page = read(FIGURE_4)
    assert [link_context(page, anchor, other_anchors=True) for anchor in range(3)] == [
        "Department of Computer Science Overview History have a look at awards Read more Connect with Us",
        "History have a look at awards Read more",
        "have a look at awards Read more",
    ]


def test_link_context_of_figure_1b() -> None:
    page = read(b'<ul><li>Additional scholarship resources are available <a href="/more">here</a></li></ul>')
    assert page.anchor_text(0) == "here"
    assert link_context(page, 0) == "Additional scholarship resources are available here"
