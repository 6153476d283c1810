"""Pages written to hold up the parser or to lose what is behind them; what is cut off is counted."""

from __future__ import annotations

import random

import pytest
from pages import anchors_of, blocks_of, page_of, paths_of

from focused.crawl.losses import LOSSES
from focused.method.page.limits import PageLimits
from focused.method.page.link_context import link_context

AFTER = "<p>text <a href=after>link</a></p>"


@pytest.mark.parametrize("end_tag", ["</p>", "</b>", "</nosuch>"])
def test_end_tags_without_start_in_a_deep_page_end_it(end_tag):
    # Fed whole, libxml2 looks for the start of each through all 40,000 open elements: 45 s.
    page = page_of("<div>" * 40_000 + "<a href=before>x</a>" + end_tag * 300_000)
    assert paths_of(page) == ["/folder/before"]
    # What the limit of bytes cuts off is another count.
    assert page.cuts["bytes"] in (0, 40_000 * 5 + 20 + len(end_tag) * 300_000 - PageLimits().max_bytes)
    assert page.cuts["unparsed_bytes"] > 1_000_000
    assert "nested too deeply" in LOSSES["focused/page/cut_unparsed_bytes_count"]


def test_end_tags_without_start_in_a_page_of_ordinary_depth_cut_nothing():
    page = page_of("<div>" * 500 + "</b>" * 100_000 + AFTER)
    assert paths_of(page) == ["/folder/after"]
    assert not page.cuts


def test_a_deep_page_that_closes_its_elements_is_read_to_its_end():
    page = page_of("<div><b>" * 20_000 + "<p>x</p>" * 10_000 + "</b></div>" * 20_000 + AFTER)
    assert paths_of(page) == ["/folder/after"]
    assert not page.cuts


def test_a_long_page_in_pieces_is_the_same_as_in_one(monkeypatch):
    draw = random.Random(3)
    words = ["naïve", "&eacute;", "“x”", "<b>bold</b>", "<!-- c -->", "a", "\n", "&amp;", "日本"]
    html = "".join(f"<p title='{n}'>{''.join(draw.choices(words, k=9))} <a href='x{n}'>y</a>" for n in range(300))
    html = f"<div>{html}</div><script>if (a < b) '</p>'</script>{html}"
    whole = page_of(html)
    monkeypatch.setattr("focused.method.page.parser_feed._WHOLE_BYTES", 100)
    for size in (1, 7, 1000):
        monkeypatch.setattr("focused.method.page.parser_feed._PIECE_BYTES", size)
        assert page_of(html).marked_text == whole.marked_text
    monkeypatch.setattr("focused.method.page.parser_feed._DEEP", 2)
    assert page_of(html).marked_text == whole.marked_text


def test_an_eleven_megabyte_text_is_cut_and_counted():
    page = page_of(b"<a href=before>x</a><p>" + b"word " * 2_200_000)
    assert page.cuts["bytes"] == 9_000_023
    assert paths_of(page) == ["/folder/before"]
    assert len(page.terms) > 390_000


@pytest.mark.parametrize("n_frames", [1, 10])
def test_what_noframes_holds_is_read(n_frames):
    html = "<frameset>" + "".join(f"<noframes><body><p><a href=n{n}>x</a></noframes>" for n in range(n_frames))
    page = page_of(html + "<frame src=f>")
    assert paths_of(page) == [*(f"/folder/n{n}" for n in range(n_frames)), "/folder/f"]


def test_dozens_of_noframes_are_cut_and_counted():
    page = page_of("<noframes><a href=x>y</a></noframes>" * 60)
    assert page.cuts == {"noframes": 50}
    assert page_of("<noframes>" * 5000 + "<a href=x>").cuts["noframes"] == 1


def test_links_that_are_not_closed_are_all_kept():
    page = page_of("<a href=x0>one<b>" + "".join(f"<a href=x{n}>word<b>" for n in range(1, 3000)))
    assert len(page.links) == 3000
    assert (
        sum(bool(text.strip()) for text, inside in zip(page.marked_text.chunks, page.in_anchor, strict=True) if inside)
        == 3000
    )
    assert link_context(page, 2999) == "word"


def test_nothing_behind_the_last_element_looked_at_is_kept():
    page = page_of(f"<p>one</p><p>two</p><p>three</p>{AFTER}", limits={"max_elements": 4})
    assert page.text.split() == ["one", "two"]
    assert page.cuts == {"elements": 1}
    deep = page_of("<span>" * 100 + "<div>" + AFTER, limits={"max_elements": 50})
    assert deep.cuts == {"elements": 1}
    assert deep.links == []


def test_refused_targets_count_towards_the_limit_of_links():
    html = "".join(f"<a href='mailto:{n}'>m</a>" for n in range(5)) + AFTER + "<a href='mailto:0'>again</a>"
    page = page_of(html, limits={"max_links": 5})
    assert page.links == []
    assert page.cuts == {"links_not_http": 5, "links_over_limit": 1}


def test_a_page_after_a_cut_one_is_not_touched_by_it():
    from focused.method.page.limits import PageLimits
    from focused.method.page.reader import PageReader
    from focused.method.text.analyzer import Analyzer, TermTable

    reader = PageReader(Analyzer("en", TermTable()), limits=PageLimits(max_elements=10))
    first = reader.read(AFTER.encode(), "http://site.example/")
    reader.read(b"<title>t<p hidden><div>" + b"<p>x" * 50, "http://site.example/")
    reader.read(b"<title>t</title><b><i><a href=x>" + b"<p>x" * 50, "http://site.example/")
    again = reader.read(AFTER.encode(), "http://site.example/")
    assert again.marked_text == first.marked_text
    assert not again.cuts


@pytest.mark.parametrize(
    ("body", "header", "encoding"),
    [
        (b"caf\xe9 au lait", None, "cp1252"),
        ("<p>é</p>".encode("utf-16-le") * 9, "text/html; charset=utf-16", "utf-16-le"),
        (b"<p>caf\xc3\xa9</p>", "text/html; charset=utf-16", "utf-8"),
        (b"<p>caf\xc3\xa9</p>", "text/html; charset=cp037", "utf-8"),
        (b"<p>caf\xc3\xa9</p>", "text/html; charset=unicode_escape", "utf-8"),
        (b"<meta charset=koi8-r><p>\xd7", "text/html", "koi8-r"),
        (b"<meta charset=koi8-r><p>\xc3\xa9", "text/html; charset=utf-8", "utf-8"),
        (b"\xef\xbb\xbf<p>\xc3\xa9", "text/html; charset=latin-1", "utf-8"),
    ],
)
def test_encoding_is_what_a_browser_would_read_it_in(body, header, encoding):
    page = page_of(body + AFTER.encode(encoding if encoding == "utf-16-le" else "ascii"), content_type=header)
    assert paths_of(page) == ["/folder/after"]
    assert page.encoding == encoding


def test_a_page_that_is_cut_off_within_a_character_keeps_its_encoding():
    page = page_of("<p>é</p>é".encode(), limits={"max_bytes": 10})
    assert (page.encoding, page.text.split()) == ("utf-8", ["é", "\ufffd"])
    assert page.cuts == {"bytes": 1}
    assert page_of(b"caf\xc3").encoding == page_of(b"caf\xc3 au lait").encoding == "cp1252"


@pytest.mark.parametrize(
    ("content", "target"),
    [
        ("0;url=next", "next"),
        ("5; URL = 'next'", "next"),
        ("0, next", "next"),
        ("0 url=next", "next"),
        ('1.5;"next" ignored', "next"),
        ("300", ""),
        ("next", ""),
        ("", ""),
        ("0;url=", ""),
        ("0;url=javascript:x()", ""),
        (" " * 50_000 + "0" * 50_000 + " " * 50_000, ""),
    ],
)
def test_refresh_is_read_in_all_spellings_of_browsers(content, target):
    quote = "'" if '"' in content else '"'
    page = page_of(f"<meta http-equiv=Refresh content={quote}{content}{quote}><p>moved</p>")
    assert page.refresh_url.removeprefix("http://site.example/folder/") == target
    assert len(page.links) == bool(target)


def test_plain_text_is_read_as_it_is():
    page = page_of("a <b> star\0 <a href=x>", content_type="text/plain; charset=utf-8")
    assert blocks_of(page) == ["a <b> star <a href=x>"]
    assert page.links == []
    assert anchors_of(page) == []
