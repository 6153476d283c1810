"""Markdown of a page's main text, read by a Markdown parser: it has the page's structure, and a page's text means nothing."""

from __future__ import annotations

import random

import pytest
from markdown_it import MarkdownIt

from focused.method.page.encoding import printable
from focused.method.page.main_text import main_lines, main_text
from focused.method.page.markdown import markdown_of
from focused.method.page.reader import PageReader
from focused.method.text.analyzer import Analyzer

READER = PageReader(Analyzer("en"))
READER.keeps_emphasis = True
PARSER = MarkdownIt("commonmark").enable("table")
TEXT = "A star is a hot body of gas that shines by its own light for a very long time, as everybody can see."


def made(html: str) -> tuple[str, str]:
    """Return the Markdown and the main text of a page."""
    page = READER.read(f"<!DOCTYPE html><title>T</title><body><main>{html}</main>".encode(), "http://h.org/d/x.html")
    is_main = main_lines(page.lines)
    return markdown_of(page, is_main), main_text(page.lines, is_main)


def outline(markdown: str) -> list[str]:
    """Return what the parser opens, with what stands in it."""
    found = []
    for token in PARSER.parse(markdown):
        if token.type.endswith("_open") and token.type != "paragraph_open":
            found.append(token.tag)
        elif token.type == "inline":
            found.append("".join(child.content for child in token.children if child.type in ("text", "code_inline")))
        elif token.type in ("fence", "html_block", "code_block", "hr"):
            found.append(f"{token.type}: {token.content}")
    return found


def test_headings_paragraphs_and_links_are_those_of_the_page():
    markdown, _ = made(
        f"<h1>Stars</h1><p>{TEXT} See <a href='/gas?a=(1)'>the gas</a>, <a href='#n'>here</a>, <a href='javascript:x'>js</a>."
        "<h3>More</h3><p>And more."
    )
    assert outline(markdown) == ["h1", "Stars", f"{TEXT} See the gas, here, js.", "h3", "More", "And more."]
    [*links] = [
        child.attrs["href"]
        for token in PARSER.parse(markdown)
        for child in token.children or ()
        if child.type == "link_open"
    ]
    assert links == ["http://h.org/gas?a=%281%29"]


def test_lists_keep_their_nesting_their_numbers_and_the_paragraphs_of_an_item():
    markdown, _ = made(
        f"<p>{TEXT}</p><ul><li>one<ol><li>first<li>second</ol><li><p>two</p><p>still two</p></ul><blockquote><p>said</p></blockquote>"
    )
    assert markdown.splitlines()[2:] == [
        *("- one", "  1. first", "  2. second", "- two", "", "  still two", "", "> said")
    ]


@pytest.mark.parametrize(
    ("start", "first"),
    [("3", 3), ("0", 0), ("-2", 1), ("x", 1), ("9" * 10, 1), ("\u0663", 1)],
)
def test_a_numbered_list_begins_with_the_number_that_the_page_gives_it(start, first):
    inner = "<a>a<b>b</b></a><ul><li><ol class=x><li>other</ol></ul>"  # nodes, and one that is no node, come before it
    markdown, _ = made(f"<p>{TEXT}</p>{inner}<ol class=y start={start}><li>here<li>there</ol>")
    lines = markdown.splitlines()
    assert lines[-2:] == [f"{first}. here", f"{first + 1}. there"]
    assert any("1. other" in line for line in lines)


def test_a_table_of_data_is_a_table_and_one_that_lays_out_the_page_is_text():
    data = "<table><tr><th>Name<th>Mass<tr><td>Sun<td>1 | 2<tr><td><td>3</table>"
    markdown, _ = made(f"<p>{TEXT}</p>{data}")
    cells = ["Name", "Mass", "Sun", "1 | 2", "", "3"]
    assert [
        each for each in outline(markdown)[1:] if each not in ("table", "thead", "tbody", "tr", "th", "td")
    ] == cells
    laid_out, _ = made(f"<table><tr><td><h2>Left</h2><td><p>{TEXT}</p><tr><td>a<td>b</table>")
    assert outline(laid_out) == ["h2", "Left", TEXT, "a", "b"]


def test_code_keeps_its_lines_and_no_fence_within_it_ends_it():
    code = "def f(x):\n    return x\n\n```\nend"
    markdown, _ = made(f"<p>{TEXT}</p><ul><li>item<pre>\n{code}\n</pre></ul><p>after")
    assert outline(markdown)[1:] == ["ul", "li", "item", f"fence: {code}\n", "after"]


def emphasised(markdown: str) -> list[tuple[str, str]]:
    """Return what the parser finds emphasised, with the outermost tag."""
    found, inside = [], []
    for child in (child for token in PARSER.parse(markdown) for child in token.children or ()):
        if child.type in ("em_open", "strong_open"):
            inside.append(child.tag)
            found.append((" ".join(inside), ""))
        elif child.type in ("em_close", "strong_close"):
            inside.pop()
        elif child.type == "code_inline":
            found.append(("code", child.content))
        elif inside and child.type == "text":
            found[-1] = found[-1][0], found[-1][1] + child.content
    return [each for each in found if each[1]]


def test_emphasis_and_code_within_a_line_are_kept_also_in_links_lists_and_tables():
    markdown, _ = made(
        f"<p>{TEXT} A <b>hot  body</b>, <i>very</i> <strong><em>hot</em></strong>, in<em>side</em>, <code>x*y &lt;b&gt;</code>, "
        f"<a href=/y>a <tt>link()</tt></a>.<ul><li><b>1. item</b> (<i>so!</i>)</ul><h2>The <b>head</b></h2>"
        "<table><tr><th>a<th><b>b</b><tr><td><code>c|d</code><td><code>e</code><tr><td>f<td>g</table>"
    )
    assert emphasised(markdown) == [
        *(
            ("strong", "hot body"),
            ("em", "very"),
            ("em strong", "hot"),
            ("em", "side"),
            ("code", "x*y <b>"),
            ("code", "link()"),
        ),
        *(("strong", "1. item"), ("em", "so!"), ("strong", "b"), ("code", "e")),
    ]
    assert "## The head" in markdown.splitlines()


def test_no_mark_becomes_text_whatever_is_emphasised():
    rng, n_marked = random.Random(4), 0
    tags, texts = (
        ("b", "i", "code", "tt", "em", "strong", "u", "a href=/x"),
        ("a", "*", " ", "_b", "`", "\\", "(", "é", "1.", "|"),
    )
    for _ in range(100):
        html = ""
        for _ in range(rng.randrange(1, 9)):
            tag, text = rng.choice(tags), "".join(rng.choices(texts, k=rng.randrange(4)))
            inner = f"<{rng.choice(tags[:6])}>{text}</{rng.choice(tags[:6])}>" if rng.random() < 0.3 else ""
            html += f"<{tag}>{text}{inner}{rng.choice(texts)}</{tag.split()[0]}>{rng.choice(('', ' ', 'x', '.'))}"
        markdown, plain = made(f"<p>{TEXT}</p><p>{html} word</p><p>{TEXT} Again.</p>")
        assert outline(markdown) == printable(plain).split("\n"), markdown
        n_marked += len(emphasised(markdown))
    assert n_marked > 100


@pytest.mark.parametrize(
    "text",
    [
        *(
            "# no heading",
            "- no list",
            "+ no",
            "1. no list",
            "12) no",
            "> no quotation",
            "=== no",
            "--- no",
            "*no* _no_ `no`",
        ),
        *(
            "[no](http://x.org) ![no](y)",
            "&lt;b&gt;no&lt;/b&gt; &amp;lt;",
            "a \\ b \\* c",
            "| a | b |",
            "~~~ no ~~no~~",
            "C #",
        ),
        "&lt;http://no.example&gt; \ud800 \x00 \x1b[0m".encode("utf-8", "replace").decode(),
    ],
)
def test_what_a_page_says_is_text_to_markdown_wherever_it_stands(text):
    for html in (
        f"<p>{text}</p>",
        f"<h2>{text}</h2>",
        f"<li>{text}",
        f"<p><a href=/x>{text}</a></p>",
        f"<blockquote>{text}",
    ):
        markdown, plain = made(f"<p>{TEXT}</p>{html}<p>{TEXT} Again.</p>")
        found = [part for part in outline(markdown) if part not in ("h2", "ul", "li", "blockquote")]
        assert found == printable(plain).split("\n"), markdown


def test_a_page_of_nothing_and_one_of_many_levels_have_a_markdown():
    assert made("") == ("", "")
    deep = "".join(f"<ul><li>level {n} of many" for n in range(400))
    markdown, plain = made(f"<p>{TEXT}</p>{deep}")
    assert len(markdown) < 10 * len(plain) + 400 * 40
    assert "level 399 of many" in markdown
