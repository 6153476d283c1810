"""The examples printed in the papers, number for number (spec of the algorithms, section 10)."""

from __future__ import annotations

import pytest
from pages import blocks_of, page_of, urls_of

from focused.method.page.link_context import link_context

# [L14, fig. 4], the same page as [P15, fig. 2], as printed.
FIGURE = """
<html>
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
</html>
"""
BODY = "Department of Computer Science Overview History have a look at awards Read more Connect with Us"


@pytest.fixture(params=["modern", "paper"])
def page(request):
    return page_of(FIGURE, "http://cs.illinois.edu/", block_tags=request.param, alpha=0.5)


def test_the_page_of_the_figure_falls_into_its_four_blocks(page):
    assert blocks_of(page) == [
        "Department of Computer Science",
        "Overview",
        "History have a look at awards Read more",
        "Connect with Us",
    ]


def test_the_page_of_the_figure_has_its_title_and_three_links(page):
    assert page.title == "CS@Illinois | Department of Computer Science at Illinois"
    assert urls_of(page) == [f"http://cs.illinois.edu/csillinois/{name}" for name in ("overview", "history", "awards")]


@pytest.mark.parametrize(
    ("anchor", "excluded", "included"),
    [
        (0, "Department of Computer Science Overview have a look at awards Connect with Us", BODY),
        (1, "History have a look at awards", "History have a look at awards Read more"),
        (2, "have a look at awards Read more", "have a look at awards Read more"),
    ],
    ids=["aggregated at body", "aggregated at p", "aggregated at text"],
)
def test_link_contexts_of_the_figure(page, anchor, excluded, included):
    assert link_context(page, anchor) == excluded
    assert link_context(page, anchor, other_anchors=True) == included


def test_a_weak_anchor_gets_its_sentence_as_context():
    page = page_of(
        '<p>Additional scholarship resources are available <a href="more.html">here</a></p>'
    )  # [L14, fig. 1b]
    assert page.anchor_text(0) == "here"
    assert link_context(page, 0) == "Additional scholarship resources are available here"
