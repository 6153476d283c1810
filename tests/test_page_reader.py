"""Blocks, links and contexts of ordinary pages."""

from __future__ import annotations

from urllib.parse import urljoin

import hand_made
import pytest
from commands import crawl
from pages import anchors_of, blocks_of, page_of, paths_of
from scrapy import Request
from sites import Site
from w3lib.url import canonicalize_url

from focused.method.page.link_context import link_context, url_terms, window_context
from focused.method.page.page import Page
from focused.method.page.reader import PageReader
from focused.method.page.urls import UrlResolver
from focused.method.text.analyzer import TERMS, Analyzer

URL = "http://host.example/a/b/page.html"


def read(body: str | bytes, url: str = URL, content_type: str = "text/html; charset=utf-8", **options: object) -> Page:
    raw = body.encode() if isinstance(body, str) else body
    return PageReader(Analyzer("en"), **options).read(raw, url, content_type)  # type: ignore[arg-type]


def urls(page: Page) -> list[str]:
    return [link.url for link in page.links]


def block_texts(page: Page) -> list[str]:
    return [page.block_text(block) for block in range(page.n_blocks)]


def terms(page: Page, first: int = 0, last: int | None = None) -> list[str]:
    return [TERMS.term(number) for number in page.terms[first:last].tolist()]


def test_page_without_block_tags_is_one_block() -> None:
    assert block_texts(read("one <a href=x>two</a> three <b>four</b>")) == ["one two three four"]


def test_text_of_a_split_node_is_one_block() -> None:
    page = read("<div>stars <b>and</b> <div><p><a href=x>moon</a></p></div> planets</div>")
    assert sorted(block_texts(page)) == ["moon", "stars and planets"]


def test_anchor_that_is_a_child_of_a_split_node_is_a_block_of_its_own() -> None:
    page = read("<div><a href=x>alone</a><div><p><a href=y>deep</a></p></div></div>")
    assert sorted(block_texts(page)) == ["alone", "deep"]


def test_blocks_hold_all_text_and_every_link_once() -> None:
    page = read(
        "<body>top<ul><li><a href=1>one</a> <li><a href=2>two</a></ul><div><p>text</p><p>more <a href=3>three</a></div>"
        "<table><tr><td><a href=4>four</a><td>cell</table>end</body>"
    )
    assert sorted(" ".join(block_texts(page)).split()) == sorted("top one two text more three four cell end".split())
    assert all(0 <= block < page.n_blocks for block in page.anchor_blocks)
    for anchor, block in enumerate(page.anchor_blocks):
        assert page.anchor_text(anchor) in page.block_text(block)


def test_larger_alpha_makes_fewer_blocks() -> None:
    body = "<div><div><div><p><a href=1>one</a><p><a href=2>two</a></div><p>three</div><p><a href=4>four</a></div>"
    assert read(body, alpha=0.1).n_blocks > read(body, alpha=1.0).n_blocks


def test_children_need_k_links_for_their_parent_to_be_split() -> None:
    body = "<div><p><a href=1>one</a></p><p><a href=2>two</a></p></div>"
    assert read(body, min_links=1).n_blocks == 2
    assert block_texts(read(body, min_links=3)) == ["one two"]


def test_new_tags_count_for_the_height_of_a_block_in_the_modern_set_only() -> None:
    body = "<section><article><a href=1>one</a></article><article><a href=2>two</a></article></section>"
    assert read(body).n_blocks == 2
    assert read(body, block_tags="paper").n_blocks == 1


@pytest.mark.parametrize(
    ("element", "text"),
    [
        ("<a href=x><img alt='a moon' src=m.png></a>", "a moon"),
        ("<a href=x title='to the stars'></a>", "to the stars"),
        ("<a href=x aria-label='menu'> </a>", "menu"),
        ("<a href=x title='no'>words win</a>", "words win"),
        ("<map><area href=x alt='north'></map>", "north"),
        ("<iframe src=x title='inside'>old text</iframe>", "inside"),
        ("<a href=x><b>bold</b> and <i>slant</i></a>", "bold and slant"),
    ],
)
def test_anchor_text(element: str, text: str) -> None:
    page = read(f"<p>before {element} after</p>")
    assert urls(page) == ["http://host.example/a/b/x"]
    assert page.anchor_text(0) == text


def test_frameset_gives_its_frames_and_what_it_says_without_them() -> None:
    page = read(
        "<frameset><frame src=a name=menu><frame src=b><noframes>Stars <a href=c>here</a></noframes></frameset>"
    )
    assert urls(page) == [f"http://host.example/a/b/{name}" for name in "abc"]
    assert "Stars here" in page.text


@pytest.mark.parametrize(
    "hidden",
    [
        "<script>secret</script>",
        "<style>secret</style>",
        "<noscript>secret</noscript>",
        "<template>secret</template>",
        "<p hidden>secret</p>",
        "<P HIDDEN>secret</P>",
        "<div style='display: none'>secret <a href=s>x</a></div>",
        "<span style='VISIBILITY:hidden'>secret</span>",
        "<!-- secret -->",
        "<textarea>secret</textarea>",
    ],
)
def test_what_a_reader_does_not_see_is_left_out(hidden: str) -> None:
    page = read(f"<p>seen {hidden} too <a href=x>link</a></p>")
    assert page.text.split() == ["seen", "too", "link"] or page.text.split() == ["seen", "too", "link"]
    assert urls(page) == ["http://host.example/a/b/x"]


def test_phrase_elements_do_not_break_words_and_others_do() -> None:
    assert read("<p>gala<b>xies</b></p><p>co<br>met</p>").text.split() == ["galaxies", "co", "met"]


def test_marks_point_at_title_keywords_headings_and_anchors() -> None:
    page = read(
        "<title>Red giants</title><meta name=Keywords content='dwarf nova'><h2>Bright comet</h2><a href=x>lunar orbit</a>"
    )
    found = {role: [terms(page, *place) for place in places] for role, places in page.marks.items()}
    assert found == {
        "title": [["red", "giant"]],
        "keywords": [["dwarf", "nova"]],
        "heading": [["bright", "comet"]],
        "anchor": [["lunar", "orbit"]],
    }


def test_links_that_are_none_are_counted_by_reason() -> None:
    page = read(
        "<a href='mailto:a@b'>m</a><a href='javascript:x()'>j</a><a href='data:text/html,x'>d</a><a href='ftp://h/x'>f</a>"
        "<a href='x.PDF'>p</a><a href='y.zip?z'>z</a><a href='http://[::1'>i</a><a href='#top'>t</a><a href='?ok.pdf'>q</a>"
        f"<a href='/{'x' * 3000}'>long</a><a name=n>no</a>"
    )
    assert urls(page) == [f"{URL}?ok.pdf"]
    assert page.cuts == {
        "links_not_http": 4,
        "links_not_page": 1,
        "links_pdf": 1,
        "links_invalid": 1,
        "links_too_long": 1,
    }


def test_a_target_linked_several_times_is_one_link() -> None:
    page = read("<p><a href=x>one</a> first</p><p><a href='x#part'>two</a> second</p>")
    assert [link.url for link in page.links] == ["http://host.example/a/b/x"]
    assert [page.anchor_text(anchor) for anchor in page.links[0].anchors] == ["one", "two"]


def test_base_counts_for_links_and_only_if_it_is_http() -> None:
    assert urls(read("<base href='http://other.example/d/'><a href=x>y</a>")) == ["http://other.example/d/x"]
    for base in ("javascript:alert(1)", "http://x:port/", "file:///etc/", "http://[::1"):
        assert urls(read(f"<base href='{base}'><a href=x>y</a>")) == ["http://host.example/a/b/x"]


def test_meta_refresh_is_a_link() -> None:
    page = read("<meta http-equiv=refresh content=\"0; URL='next.html'\"><p>moved</p>")
    assert page.refresh_url == "http://host.example/a/b/next.html"
    assert urls(page) == [page.refresh_url]


def test_the_header_refresh_is_a_link_unless_the_page_has_a_meta_refresh() -> None:
    reader = PageReader(Analyzer("en"))
    for body, targets in (
        (b"<p>moved</p>", ["next"]),
        (b"<meta http-equiv=refresh content='0;x'><a href=a>a</a>", ["a", "x"]),
    ):
        page = reader.read(body, "http://host.example/")
        reader.add_refresh(page, "/next")
        assert urls(page) == [f"http://host.example/{target}" for target in targets]
        assert page.refresh_url == urls(page)[-1]
        assert [len(link.anchors) for link in page.links] == [1] * len(targets)


def test_the_next_page_of_a_series_is_a_link_if_no_element_shows_one() -> None:
    head = "<link rel=next href=3><link rel='prev' href=1><link rel=stylesheet href=s><link rel=prefetch href=4>"
    page = read(f"{head}<p>text</p><p><a href=1>back</a></p>")
    assert urls(page) == ["http://host.example/a/b/1", "http://host.example/a/b/3"]
    assert [len(link.anchors) for link in page.links] == [1, 1]
    assert urls(read("<link rel='next' href=3>")) == ["http://host.example/a/b/3"]


def test_choices_of_a_menu_are_links_if_their_values_are_paths() -> None:
    values = ("/stars", "galaxies/7.html", "https://x.example/", "?page=2", "Europe/Berlin", "", "red", "1/2", "?")
    options = "".join(f"<option value='{value}'>to {value}" for value in values)
    page = read(f"<p>Choose <select onchange='location=this.value'>{options}</select> <a href=z>z</a></p>")
    assert urls(page) == [
        *("http://host.example/stars", "http://host.example/a/b/galaxies/7.html", "https://x.example/"),
        *("http://host.example/a/b/page.html?page=2", "http://host.example/a/b/z"),
    ]
    assert page.anchor_text(1) == "to galaxies/7.html"


def test_nofollow_of_links_and_pages() -> None:
    page = read("<a href=x rel='nofollow noopener'>x</a><a href=y>y</a><a href=x rel=nofollow>again</a>")
    assert [page.is_nofollow(link) for link in page.links] == [True, False]
    page = read("<meta name=robots content='noindex, NoFollow'><a href=y>y</a>")
    assert page.is_nofollow(page.links[0])


def test_context_of_a_link_that_stands_twice_counts_each_text_once() -> None:
    page = read("<ul><li>alpha <a href=x>one</a></li><li>beta <a href=y>two</a></li></ul>")
    assert link_context(page, 0) == "alpha one"
    assert link_context(page, 1, other_anchors=True) == "beta two"


def test_window_stops_at_words_and_at_other_anchors() -> None:
    page = read(f"<p>{'far ' * 20}near words <a href=x>link</a> close <a href=y>other</a> beyond</p>")
    window = window_context(page, 0, n_chars=12)
    assert window == "near words link close"
    assert "beyond" not in window_context(page, 0, n_chars=500)


def test_words_of_a_url() -> None:
    assert url_terms("http://www.stars.example/hbase/black%20holes2.html") == "stars example hbase black holes"


@pytest.mark.parametrize(
    "base", ["http://h.example/a/b/c.html", "http://h.example/", "https://h.example/x/?q=1", "http://h.example/a/"]
)
def test_shortcut_of_the_resolver_agrees_with_urljoin(base: str) -> None:
    parts = ["", "x", "../", "./", "/", "y.html", "?q=2", "..", ".", "a/b", "z/", "//", ";p", "%20", "~u"]
    resolver = UrlResolver(base)
    for first in parts:
        for second in parts:
            for third in ("", "end.htm", "../up", "#f"):
                target = first + second + third
                got = resolver.resolve(target)
                expected = urljoin(base, target.partition("#")[0]) if target.partition("#")[0] else base
                if expected.count("/") < 3:
                    expected += "/"
                if got not in ("not_http", "invalid", "not_page", "pdf"):
                    assert canonicalize_url(got) == canonicalize_url(expected), target


@pytest.mark.parametrize(
    "target",
    ["http://x:99999/", "http://\uff45xample.com/", "//[", "http://a]b/", "http:///x", "\udce4.html", "http://u:p@h.example/",
     "x y", "%zz", "\\\\h\\x", "HTTP://EX.example/A", "http:rel", "\x01x", "http://ex\u2100.example/"],
)  # fmt: skip
def test_whatever_the_target_scrapy_accepts_what_comes_back(target: str) -> None:
    url = UrlResolver(URL).resolve(target)
    if url not in ("not_http", "invalid", "not_page", "pdf", "too_long"):
        Request(url)
        canonicalize_url(url)


@pytest.mark.parametrize(
    ("header", "declared", "encoding", "wanted"),
    [
        ("iso-8859-1", "utf-8", "utf-8", "caf\u00e9 \u5929"),  # the server says so of every page
        ("windows-1252", "utf-8", "utf-8", "caf\u00e9"),
        ("iso-8859-1", "utf-8", "latin-1", "caf\u00e9"),  # the page is wrong
        ("iso-8859-1", "", "utf-8", "caf\u00c3\u00a9"),  # nobody contradicts the header
        ("iso-8859-5", "utf-8", "utf-8", "caf\u0423\u0409"),  # such a header is rarely a default
    ],
)
def test_a_page_that_says_it_is_in_utf_8_and_is_is_believed_over_a_server_that_calls_it_latin_1(
    header, declared, encoding, wanted
):
    text = "caf\u00e9 \u5929" if "\u5929" in wanted else "caf\u00e9"
    meta = f"<meta charset={declared}>" if declared else ""
    page = read(
        f"<html><head>{meta}</head><body><p>{text}</p>".encode(encoding), content_type=f"text/html; charset={header}"
    )
    assert wanted in " ".join(block_texts(page))


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("declared", ["", "; charset=utf-16", "; charset=utf-8"])
def test_a_page_in_utf_16_needs_no_byte_order_mark(encoding: str, declared: str) -> None:
    body = "<!doctype html><p>caf\u00e9 \u5929 <a href=/b>b</a>".encode(encoding)
    page = read(body, content_type=f"text/html{declared}")
    assert "caf\u00e9 \u5929" in " ".join(block_texts(page))
    assert page.n_links == 1


def test_links_for_browsers_without_scripts_are_links_and_their_notice_is_no_text() -> None:
    page = page_of(
        "<body><div id=app></div><noscript><p>Scripts are off. <ul><li><a href=/a>All <b>stars</b></a>"
        "<li><a href=/b title=Moons><img src=x></a><li><a name=c>none</a></ul></noscript><p>Planets"
        "<a href=/d>in <noscript><a href=/e>no</a></noscript>orbit</a><noscript><a href=/f rel=nofollow>Comets"
    )
    assert paths_of(page) == ["/a", "/b", "/d", "/f"]
    assert anchors_of(page) == ["All stars", "Moons", "in orbit", "Comets"]
    assert "scripts" not in " ".join(blocks_of(page)).lower()


@pytest.mark.slow
def test_a_site_whose_menu_needs_no_scripts_only_in_a_noscript_is_crawled(models, tmp_path) -> None:
    menu = "".join(f"<li><a href=/{n}>a star</a>" for n in range(4)).encode()
    stars = {f"/{n}": hand_made.html(f"{hand_made.STARS} {n}") for n in range(4)}
    with Site({"/": b"<p>Welcome.<noscript><ul>" + menu + b"</ul></noscript>", **stars}) as site:
        settings = {"DOWNLOAD_DELAY": 0, "AUTOTHROTTLE_ENABLED": 0}
        result = crawl(models, tmp_path, seeds=f"{site.url}/", settings=settings)
    assert {page["url"] for page in result.pages} >= {f"{site.url}{path}" for path in stars}
