"""The collected text is what a reader came for: no menus, no link lists, no furniture of the site."""

from __future__ import annotations

import numpy as np
import pytest

from focused.method.page.main_text import headings_of, main_lines, main_text
from focused.method.page.reader import PageReader
from focused.method.page.repeated_lines import RepeatedLines
from focused.method.text.analyzer import Analyzer

READER = PageReader(Analyzer("en"))
URL = "http://host.example/a"
STORY = "<p>The pulsar turns thirty times in a second, and its beam sweeps over the Earth each time.</p>"
MORE = "<p>Its magnetic field is a million million times as strong as that of the Earth, and slows it down.</p>"


def lines(html: str):
    return READER.read(f"<body>{html}".encode(), URL).lines


def text(html: str, memory: RepeatedLines | None = None) -> str:
    found = lines(html)
    return main_text(found, main_lines(found, memory.mark_and_learn(found, "host.example") if memory else None))


MENU = "".join(f"<a href=/{name}>{name}</a> " for name in ("News", "Archive", "People", "Contact", "Prev", "Next"))


@pytest.mark.parametrize(
    "menu",
    [
        f"<nav>Where to go? {MENU}</nav>",
        f"<div>{MENU}</div>",
        f"<ul class='main-nav'>{MENU}<li>and much more of this site</ul>",
        f"<div id=sidebar><h3>Lately said by the readers of this page</h3>{MENU}</div>",
        f"<div role=navigation>You are here and nowhere else {MENU}</div>",
        f"<h3>See also</h3><ul>{MENU}</ul>",
        "<footer>Made with the best software in the world</footer>",
    ],
)
def test_the_text_has_no_menu_before_or_after_it(menu: str):
    assert text(f"<h1>Pulsar</h1>{STORY}{MORE}{menu}").splitlines() == [
        "Pulsar",
        *(part.removeprefix("<p>").removesuffix("</p>") for part in (STORY, MORE)),
    ]
    if "See also" not in menu:
        assert not {"Archive", "software"} & set(text(f"{menu}{STORY}{MORE}").split())


def test_what_a_page_marks_as_its_main_part_is_the_text():
    found = text(
        f"<p>Our readers are the best in the world, and we like them.</p><main>{STORY}</main><p>Buy it now!</p>"
    )
    assert found == STORY.removeprefix("<p>").removesuffix("</p>")


def test_a_wrapper_that_is_named_like_a_menu_does_not_take_the_text_away():
    assert "pulsar" in text(f"<div class='nav'>{STORY}{MORE}</div><p>Short.</p>")
    assert "pulsar" in text(f"<div class='page-with-sidebar'>{STORY}</div>")


def test_links_within_a_sentence_stay_and_join_their_words_as_written():
    assert (
        text("<p>A <a href=/p>pulsar</a>, as <b>we</b> know, is <a href=/s>a star</a>.")
        == "A pulsar, as we know, is a star."
    )


def test_an_index_keeps_its_links_as_its_text():
    assert text("<h1>Stars</h1><ul><li><a href=/1>Algol</a><li><a href=/2>Mira</a></ul>").splitlines() == [
        "Stars",
        "Algol",
        "Mira",
    ]


def test_headings_are_those_of_the_text():
    found = lines(f"<h1>Pulsar</h1>{STORY}<h2>Field</h2>{MORE}<h2>More</h2><ul>{MENU}</ul>")
    assert headings_of(found, main_lines(found)) == [(1, "Pulsar"), (2, "Field")]


def test_what_stands_on_each_page_of_a_host_leaves_from_the_third_page_on():
    memory = RepeatedLines()
    site = "<h2>The Star Times</h2><p>All the stars that are fit to print</p>{}<p>Powered by stardust. No warranty.</p>"
    texts = [
        text(
            site.format(
                f"<h1>Star {number}</h1><p>{word} shines brighter than {number}00 suns, and nobody knows why.</p>"
            ),
            memory,
        )
        for number, word in enumerate(("Algol", "Mira", "Vega", "Deneb"))
    ]
    assert ["stardust" in each for each in texts] == [True, True, False, False]
    assert texts[3].splitlines() == ["Star 3", "Deneb shines brighter than 300 suns, and nobody knows why."]


def test_a_paragraph_that_three_pages_share_is_text_and_so_are_headings_within_the_text():
    memory = RepeatedLines()
    shared = (
        "<p>This star belongs to the constellation of the Lyre, which is seen from northern lands in summer nights.</p>"
    )
    for name in ("Algol", "Mira", "Vega", "Deneb"):
        found = text(
            f"<h1>{name}</h1><p>{name} is a bright star of many names.</p><h2>Place</h2>{shared}<p>{name} it is.</p>",
            memory,
        )
    assert found.splitlines()[2] == "Place"
    assert "Lyre" in found


def test_other_hosts_and_copies_teach_nothing_about_a_host():
    memory = RepeatedLines()
    page = lines(f"<p>Be quick.</p>{STORY}")
    for _ in range(3):
        memory.mark_and_learn(page, "other.example")
        memory.mark_and_learn(page, "host.example", learns=False)
    assert memory.mark_and_learn(page, "host.example") is None


def test_the_memory_of_lines_is_bounded_and_furniture_outlives_the_lines_of_single_pages():
    memory = RepeatedLines(n_bits=10)
    for number in range(300):
        page = lines(f"<p>Be quick.</p>{''.join(f'<p>Line {number} {part}</p>' for part in range(20))}")
        found = memory.mark_and_learn(page, "host.example")
    assert found is not None
    assert found[0]
    assert not found[1:].any()


@pytest.mark.parametrize("html", ["", "<p>", "<nav>only a menu</nav>", "<h1></h1>", "\0", "<table><tr><td>", "<p>1"])
def test_a_page_of_nearly_nothing_has_a_text_without_an_error(html: str):
    memory = RepeatedLines()
    found = [text(html, memory) for _ in range(4)]
    assert isinstance(found[-1], str)
    assert np.isin(["only a menu" in each for each in found], ["nav" in html]).all()
