"""Sitemaps and feeds as sites write them, and as nobody should."""

from __future__ import annotations

import gzip

import hand_made
import pytest

from focused.method.page import link_source
from focused.method.page.link_list import FEED, INDEX, SITEMAP, ListedPage, as_page, newest_first
from focused.method.page.link_source import read_in_steps
from focused.method.page.reader import PageReader
from focused.method.page.urls import UrlResolver
from focused.utils.steps import finish

NAMESPACE = b"http://www.sitemaps.org/schemas/sitemap/0.9"


def read(body: bytes, **limits):
    return finish(read_in_steps(body, **limits))


def urls(body: bytes) -> list[str]:
    return [entry.url for entry in read(body).entries]


def test_a_sitemap_gives_urls_and_dates():
    body = (
        b'\xef\xbb\xbf<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="' + NAMESPACE + b'" '
        b'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns:news="http://x/schemas/sitemap-news/0.9">'
        b"<url><loc>\n http://h.org/a?b=1&amp;c=2 </loc><lastmod>1970-01-02</lastmod><priority>0.8</priority></url>"
        b"<url><image:image><image:loc>http://h.org/x.jpg</image:loc></image:image><loc><![CDATA[http://h.org/b]]></loc></url>"
        b"<url><loc>http://h.org/c</loc><news:news><news:publication><news:name>Paper</news:name></news:publication>"
        b"<news:publication_date>1970-01-03</news:publication_date><news:title>Stars</news:title></news:news></url>"
        b"<url><lastmod>2020-01-01</lastmod></url></urlset>"
    )
    found = read(body)
    assert (found.kind, found.is_cut, found.n_left) == (SITEMAP, False, 0)
    assert found.entries == [
        ListedPage("http://h.org/a?b=1&c=2", date=86400.0),
        ListedPage("http://h.org/b"),
        ListedPage("http://h.org/c", "Stars", date=2 * 86400.0),
    ]
    assert [entry.url[-1] for entry in newest_first(found.entries)] == ["c", "2", "b"]


def test_an_index_gives_its_sitemaps_packed_or_not():
    body = b"<sitemapindex><sitemap><loc>http://h.org/1.xml.gz</loc></sitemap><sitemap><loc>/2.xml</loc></sitemap></sitemapindex>"
    for packed in (body, gzip.compress(body), gzip.compress(body[:50]) + gzip.compress(body[50:])):
        assert read(packed).kind == INDEX
        assert urls(packed) == ["http://h.org/1.xml.gz", "/2.xml"]


def test_a_sitemap_may_be_plain_text():
    assert urls(b"http://h.org/a\r\nhttps://h.org/b\nno url\n\nhttp://h.org/a\n") == [
        "http://h.org/a",
        "https://h.org/b",
    ]


@pytest.mark.parametrize(
    "body",
    [
        b"""<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:content="http://c/"><channel><title>News</title>
        <link>http://h.org/</link><atom:link rel="self" href="http://h.org/feed"/><image><title>x</title></image><item>
        <title>Bees &amp; wasps</title><link>http://h.org/1</link><guid isPermaLink="false">77</guid><description>&lt;p&gt;They
        &lt;b&gt;sting&lt;/b&gt;.&lt;/p&gt;</description><content:encoded>long</content:encoded>
        <pubDate>Fri, 02 Jan 1970 00:00:00 GMT</pubDate></item></channel></rss>""",
        b"""<feed xmlns="http://www.w3.org/2005/Atom"><title type="text">News</title><link href="http://h.org/"/><entry>
        <title type="html">Bees &amp;amp; wasps</title><link rel="replies" href="/r"/><link href="http://h.org/1"/><author>
        <name>x</name></author><summary type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">They <b>sting</b>.</div></summary>
        <updated>1970-01-02T00:00:00Z</updated></entry></feed>""",
        b"""<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
        xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>News</title></channel><item><title>Bees &amp; wasps</title>
        <link>http://h.org/1</link><description>They sting .</description><dc:date>1970-01-02</dc:date></item></rdf:RDF>""",
    ],
    ids=["RSS 2.0", "Atom", "RSS 1.0"],
)
def test_a_feed_gives_titles_descriptions_and_dates(body):
    found = read(body)
    assert (found.kind, found.title) == (FEED, "News")
    [entry] = found.entries
    assert entry._replace(text=entry.text.replace(" .", ".")) == ListedPage(
        "http://h.org/1", "Bees & wasps", "They sting.", 86400.0
    )


def test_urls_of_a_feed_are_resolved_as_its_elements_say():
    feed = (
        b'<feed xmlns="http://www.w3.org/2005/Atom" xml:base="http://h.org/blog/"><entry xml:base="2024/">'
        b'<link href="a"/></entry><entry><title xml:base="/no/">T</title><link href="b"/></entry></feed>'
    )
    assert urls(feed) == ["http://h.org/blog/2024/a", "http://h.org/blog/b"]
    rss = b'<rss xml:base="/blog/"><channel><item><link>a</link></item><item><guid>http://h.org/b</guid></item></channel></rss>'
    assert urls(rss) == ["/blog/a", "http://h.org/b"]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"  ",
        b"<html><body><a href=x>y</a>",
        b"\x89PNG\r\n",
        b"<urlse",
        b"\x1f\x8b\x08broken",
        b"{}",
        b"<!-- only -->",
    ],
)
def test_what_is_neither_is_none(body):
    assert read(body) is None


def test_entities_of_a_document_are_not_expanded():
    a_lot = b"".join(b'<!ENTITY %c "%s">' % (98 + n, b"&%c;" % (97 + n) * 10) for n in range(9))
    bomb = (
        b'<!DOCTYPE urlset [<!ENTITY a "aaaaaaaaaa">'
        + a_lot
        + b"]><urlset><url><loc>http://h.org/&j;</loc></url></urlset>"
    )
    assert read(bomb) is None
    outside = (
        b'<!DOCTYPE r [<!ENTITY e SYSTEM "file:///etc/hostname">]><rss><item><link>http://h/&e;</link></item></rss>'
    )
    assert read(outside) is None
    assert read(b"<rss><item><title>a &nbsp; b &e;</title><link>/1</link></item></rss>").entries == [
        ListedPage("/1", "a b &e;")
    ]


def test_no_more_is_unpacked_than_the_limit():
    bomb = gzip.compress(b"<urlset>" + b"<url><loc>http://h.org/a</loc></url>" * 300_000)  # 10 MB from 30 kB
    found = read(bomb, max_bytes=100_000)
    assert found.is_cut
    assert 2_000 < len(found.entries) < 3_000
    assert link_source.unpacked(bomb, 10)[0] == b"<urlset><u"


def test_what_is_too_much_is_counted_and_what_is_broken_is_read_as_far_as_it_goes(monkeypatch):
    monkeypatch.setattr(link_source, "MAX_ENTRIES", 3)
    found = read(b"<urlset>" + b"<url><loc>/a</loc></url>" * 5)
    assert (len(found.entries), found.n_left, found.is_cut) == (3, 2, True)
    assert len(read(b"http://h.org/a\nhttp://h.org/b\nhttp://h.org/c\nhttp://h.org/d").entries) == 3
    assert urls(b"<urlset><url><loc>/a</loc></url><url><loc>/b</lo") == ["/a"]
    assert read(b"<urlset>" + b"<a>" * 100_000).entries == []


def test_as_a_page_a_source_has_a_block_an_anchor_text_and_a_context_for_each_link():
    entries = [ListedPage("http://h.org/big-nebula/7.html"), ListedPage("/b?x=<&", 'A "star" <b>', "An orbit & more.")]
    page = PageReader(hand_made.topic().analyzer).read(as_page(entries, "Sky <1>"), "http://h.org/feed", "text/html")
    assert list(page.link_numbers) == ["http://h.org/big-nebula/7.html", "http://h.org/b?x=%3C&"]
    assert [page.anchor_text(anchor) for anchor in range(2)] == ["big nebula", 'A "star" <b>']
    assert [page.block_text(block) for block in page.anchor_blocks] == ["big nebula", 'A "star" <b> An orbit & more.']
    assert page.title == "Sky <1>"


def test_feeds_that_a_page_names_are_noted():
    head = (
        b"<link rel=alternate type=application/rss+xml href=/feed.rss><link rel=stylesheet href=/x.css>"
        b'<link rel="ALTERNATE nofollow" type="Application/Atom+XML" href="a.atom"><link rel=alternate hreflang=de href=/de>'
        b"<link rel=alternate type=application/rss+xml>" + b"<link rel=alternate type=application/rss+xml href=/y>" * 50
    )
    page = PageReader(hand_made.topic().analyzer).read(head, "http://h.org/x/")
    assert page.marked_text.feeds[:3] == ["/feed.rss", "a.atom", "/y"]
    assert len(page.marked_text.feeds) == 10
    assert UrlResolver(page.url).resolve_file("a.atom#new") == "http://h.org/x/a.atom"


MESSES = {
    "a stray &": b"<url><loc>http://h.org/?x=1&y=2</loc></url>",
    "a stray <": b"<url><loc>http://h.org/?x<1</loc><title>1 < 2 <</title></url>",
    "an entity of HTML": b"<url><loc>http://h.org/?x=1&copy=2&nbsp;</loc></url>",
    "a reference to a forbidden character": b"<url><loc>http://h.org/&#0;&#xFFFFFF;&#99999999;</loc></url>",
    "control characters": b"<url><loc>http://h.org/\x00\x01\x1f\x7f</loc></url>",
    "a control character in CDATA": b"<url><loc><![CDATA[http://h.org/?x=1&y=2\x02]]></loc></url>",
    "an unknown prefix": b"<url><loc>http://h.org/1</loc><video:video>x</video:video></url>",
    "bytes that are no text": b"<url><loc>http://h.org/\xff\xfe</loc></url>",
}


@pytest.mark.parametrize("mess", MESSES)
@pytest.mark.parametrize("n_bytes", [0, 9, 65_536])
def test_what_is_wrong_in_a_document_falsifies_no_later_url(monkeypatch, mess, n_bytes):
    monkeypatch.setattr(link_source, "_PIECE_BYTES", n_bytes)
    later = b"<url><loc>http://h.org/p?a=1&amp;b=2&#38;c=%d</loc></url><url><loc><![CDATA[http://h.org/p?a=1&b=%d]]></loc></url>"
    body = b"<urlset>" + MESSES[mess] + b"".join(later % (n, n) for n in range(20)) + b"</urlset>"
    found = urls(body)
    for number in range(20):
        assert f"http://h.org/p?a=1&b=2&c={number}" in found
        assert f"http://h.org/p?a=1&b={number}" in found


def test_a_stray_ampersand_is_one_and_a_control_character_is_none():
    body = b"<urlset><url><loc>http://h.org/?x=1&y=2&copy=3\x00</loc></url></urlset>"
    assert urls(body) == ["http://h.org/?x=1&y=2&copy=3"]
    assert urls(b"<urlset><url><loc>http://h.org/?x<1</loc></url></urlset>") == ["http://h.org/?x<1"]
    feed = b'<feed><entry><title>R&D &eacute; &amp; more</title><link href="http://h.org/?a=1&b=2&amp;c=3"/></entry></feed>'
    assert read(feed).entries == [ListedPage("http://h.org/?a=1&b=2&c=3", "R&D \xe9 & more")]


def test_where_a_piece_ends_makes_no_difference(monkeypatch):
    body = (
        b"<urlset>"
        + b"<url><loc>http://h.org/?a&amp;b&c</loc></url><url><loc><![CDATA[http://h.org/?d&amp;e]]></loc></url>" * 3
        + b"</urlset>"
    )
    for n_bytes in range(1, 80):
        monkeypatch.setattr(link_source, "_PIECE_BYTES", n_bytes)
        assert urls(body) == ["http://h.org/?a&b&c", "http://h.org/?d&amp;e"] * 3


def test_an_encoding_that_shifts_is_left_to_the_parser():
    title = "\u661f\u3068\u6708"
    body = f'<?xml version="1.0" encoding="ISO-2022-JP"?><rss><item><title>{title}&amp;</title><link>/1</link></item></rss>'
    assert [entry.title for entry in read(body.encode("iso-2022-jp")).entries] == [f"{title}&"]
