"""Example pages: every kind of PATH, and a reason for every page that is refused."""

from __future__ import annotations

import json
import os
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest
from warcs import Warc

from focused.method.page.limits import PageLimits
from focused.method.page.link_context import link_context
from focused.method.page.reader import PageReader
from focused.method.text.analyzer import TERMS, Analyzer
from focused.method.training.example_content import PageContent, Refusals, RefusedError
from focused.method.training.example_selection import SeenExamples, digest_of, examples, shuffled
from focused.method.training.example_sources import Candidate, OpenSources, SourceError, candidates_at, candidates_in
from focused.method.training.page_set import ExampleReader, PageSet, urls_of
from focused.method.training.seeds import SeedError, read_seeds, seeds_from
from focused.method.training.term_counting import count, counted_page
from focused.utils.url_lists import http_url
from focused.webs import WebError

STARS = b"<html><title>Stars</title><p>The stars and the moon shine at night over the observatory.</p>"


class FetchedExamples:
    """Pages as a fetching spider would have left them."""

    def __init__(self, **bodies: bytes) -> None:
        self.bodies = {f"http://h.org/{name}": body for name, body in bodies.items()}

    def content(self, url: str) -> PageContent:
        if url not in self.bodies:
            raise RefusedError("answered 404")
        return PageContent(url, self.bodies[url], "text/html")


@pytest.fixture
def opening():
    with ExitStack() as stack:
        yield OpenSources(Refusals(), FetchedExamples(a=STARS), stack)


def pages_of(candidates: list[Candidate], refusals: Refusals) -> dict[str, bytes]:
    return {example.candidate.name: example.content.body for example in examples(candidates, SeenExamples(), refusals)}


def test_a_folder_is_read_to_its_depths_and_names_what_it_refuses(tmp_path: Path, opening: OpenSources) -> None:
    (tmp_path / "deep" / "er").mkdir(parents=True)
    (tmp_path / ".git").mkdir()
    files = {
        "deep/er/a.html": STARS,
        "deep/er/c.html": STARS + b"!",
        "b.txt": b"A <b>text</b> about the moon",
        "no-suffix": b"From: someone\n\nabout the sun",
        "copy.htm": STARS,
        "empty.html": b" \n",
        "page.html": b"%PDF-1.4 and so on",
        "picture.jpg": b"\xff\xd8\xff",
        "style.css": b"p {}",
        ".hidden.html": STARS,
    }
    for name, body in files.items():
        (tmp_path / name).write_bytes(body)
    (tmp_path / "dangling.html").symlink_to(tmp_path / "nowhere")
    found = pages_of(candidates_at(tmp_path, opening), opening.refusals)
    # Files of a folder come before those of its subfolders, so of two copies the upper one stays.
    assert [Path(name).name for name in found] == ["b.txt", "copy.htm", "no-suffix", "c.html"]
    assert opening.refusals.counts == {
        "duplicate of another body": 1,
        "empty": 1,
        "PDF file": 1,
        "neither HTML nor text": 2,
        "hidden": 2,
        "unreadable": 1,
    }
    assert any("picture.jpg" in line and "style.css" in line for line in opening.refusals.lines())


def test_a_text_file_is_text_and_an_html_file_is_html(tmp_path: Path, opening: OpenSources) -> None:
    (tmp_path / "a.txt").write_bytes(b"<p>one <a href='http://x.org/'>two</a>")
    (tmp_path / "b.html").write_bytes(b"<p>one <a href='http://x.org/'>three</a>")
    (tmp_path / "c").write_bytes(b"<!DOCTYPE html><p>four")
    kinds = [e.content.content_type for e in examples(candidates_at(tmp_path, opening), SeenExamples(), Refusals())]
    assert kinds == ["text/plain", "text/html", "text/html"]


def test_a_large_file_is_read_up_to_the_limit(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_bytes(STARS + b"x" * 10_000)
    with ExitStack() as stack:
        opening = OpenSources(Refusals(), FetchedExamples(), stack, max_bytes=1000)
        (example,) = examples(candidates_at(tmp_path, opening), SeenExamples(), Refusals())
    assert len(example.content.body) == 1001  # one more, so that the page's reader knows and counts what it cuts


@pytest.fixture
def warc(tmp_path: Path) -> Path:
    warc = Warc(tmp_path / "site.warc.gz")
    warc.page("http://h.org/a", STARS)
    warc.page("http://h.org/b", b"<p>other things")
    warc.page("http://h.org/gone", b"", status="404 Not Found")
    warc.page("http://h.org/moved", b"", status="301 Moved", headers=[("Location", "http://h.org/a")])
    warc.page("http://h.org/logo", b"GIF89a", headers=[("Content-Type", "image/gif")])
    warc.page("http://h.org/data", b"{}", headers=[("Content-Type", "application/json")])
    return warc.save()


def test_a_warc_gives_the_pages_that_were_answered_2xx(warc: Path, opening: OpenSources) -> None:
    found = pages_of(candidates_at(warc, opening), opening.refusals)
    assert found == {"http://h.org/a": STARS, "http://h.org/b": b"<p>other things"}
    reasons = {"answered 404": 1, "answered 301": 1, "binary": 1, "neither HTML nor text": 1}
    assert opening.refusals.counts == reasons


def test_pages_of_a_warc_are_chosen_as_tolerantly_as_a_server_would(warc: Path, opening: OpenSources) -> None:
    urls = ["http://h.org/A/", "http://h.org/nothing", "http://h.org/gone"]
    found = list(examples(candidates_in([warc], opening, urls), SeenExamples(), opening.refusals))
    assert [example.content.url for example in found] == ["http://h.org/a"]
    assert found[0].urls == {"http://h.org/A/", "http://h.org/a"}
    assert opening.refusals.counts == {"not in the WARC": 1, "answered 404": 1}


def test_a_url_in_the_second_warc_is_not_missing(warc: Path, tmp_path: Path, opening: OpenSources) -> None:
    other = Warc(tmp_path / "other.warc")
    other.page("http://i.org/c", b"<p>third page")
    found = candidates_in([warc, other.save()], opening, ["http://h.org/a", "http://i.org/c"])
    assert [candidate.name for candidate in found] == ["http://h.org/a", "http://i.org/c"]
    assert not opening.refusals.total


def test_urls_choose_from_a_warc_only(tmp_path: Path, opening: OpenSources) -> None:
    with pytest.raises(SourceError, match="no WARC among"):
        candidates_in([tmp_path], opening, ["http://h.org/a"])


@pytest.mark.parametrize("body", [b"", b"nonsense", b"\x1f\x8bnonsense"])
def test_a_file_that_is_no_warc_is_an_error(tmp_path: Path, opening: OpenSources, body: bytes) -> None:
    path = tmp_path / "x.warc.gz"
    path.write_bytes(body)
    with pytest.raises(WebError, match=r"x\.warc\.gz"):
        candidates_at(path, opening)


def test_json_lines_hold_html_or_text(tmp_path: Path, opening: OpenSources) -> None:
    records = [
        {"url": "http://h.org/1", "html": "<p>é one"},
        {"text": "<p> two"},
        {"html": "", "text": "three"},
        {"url": "http://h.org/4"},
        {"html": 5},
        ["html"],
        {"html": "  "},
    ]
    path = tmp_path / "pages.jsonl"
    lines = [json.dumps(record, ensure_ascii=False) for record in records]
    path.write_text("\n".join([*lines[:3], "", "{broken", *lines[3:]]), encoding="utf-8")
    found = list(examples(candidates_at(path, opening), SeenExamples(), opening.refusals))
    assert [e.content.content_type for e in found] == [f"text/{k}; charset=utf-8" for k in ("html", "plain", "plain")]
    assert [e.content.body.decode() for e in found] == ["<p>é one", "<p> two", "three"]
    assert found[0].content.url == "http://h.org/1"
    assert opening.refusals.counts == {"no JSON object": 2, "no html or text field": 2, "empty": 1}
    assert "pages.jsonl line 5" in opening.refusals.summary()


def test_json_lines_of_one_name_in_two_folders_are_different_pages(tmp_path: Path, opening: OpenSources) -> None:
    urls = set()
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "pages.jsonl").write_text(json.dumps({"text": name}))
        urls |= urls_of(candidates_at(tmp_path / name / "pages.jsonl", opening))
    assert len(urls) == 2


def test_a_list_of_urls_names_what_has_to_be_fetched(tmp_path: Path, opening: OpenSources) -> None:
    path = tmp_path / "urls.txt"
    path.write_text("# a comment\nhttp://h.org/a\tlabel\n\nnot a url\nhttps://h.org/b\n")
    candidates = candidates_at(path, opening)
    assert [(c.url, c.is_remote) for c in candidates] == [("http://h.org/a", True), ("https://h.org/b", True)]
    assert pages_of(candidates, opening.refusals) == {"http://h.org/a": STARS}
    assert opening.refusals.counts == {"no URL": 1, "answered 404": 1}


@pytest.mark.parametrize("name", ["missing", "words.txt", "binary.txt", "a\0b", "pipe"])
def test_a_path_that_is_nothing_of_the_kind_is_an_error(tmp_path: Path, opening: OpenSources, name: str) -> None:
    (tmp_path / "words.txt").write_text("only words\n")
    (tmp_path / "binary.txt").write_bytes(b"\xff\xfe\x00\x01")
    os.mkfifo(tmp_path / "pipe")  # must not be waited for
    with pytest.raises(SourceError) as caught:
        candidates_at(tmp_path / name, opening)
    assert "\n" not in str(caught.value)


def test_unlabelled_pages_that_are_positives_are_refused_by_url_and_by_body() -> None:
    def page(name: str, body: bytes) -> Candidate:
        return Candidate(name, f"http://h.org/{name}", lambda: PageContent(f"http://h.org/{name}", body))

    positives, refusals = SeenExamples(), Refusals()
    assert len(list(examples([page("a?y=1&x=2", b"one"), page("b", b"two")], positives, refusals))) == 2
    others = [page("a?x=2&y=1", b"changed since"), page("c", b"two"), page("d", b"three"), page("d", b"four")]
    left = list(examples(others, SeenExamples(), refusals, positives))
    assert [example.content.body for example in left] == [b"three"]
    assert refusals.counts == {"also among the positives": 2, "duplicate URL": 1}


def test_the_digest_of_examples_depends_on_what_is_positive_and_not_on_order() -> None:
    assert digest_of([b"a", b"b"], [b"c"]) == digest_of([b"b", b"a"], [b"c"])
    assert digest_of([b"a", b"b"], [b"c"]) != digest_of([b"a"], [b"b", b"c"])


def test_a_draw_depends_on_the_random_state_alone() -> None:
    candidates = [Candidate(str(n), f"http://h.org/{n}", lambda: PageContent("", b"")) for n in range(50)]
    assert shuffled(candidates, 1) == shuffled(candidates, 1) != shuffled(candidates, 2)
    assert {c.name for c in shuffled(candidates, 1)} == {c.name for c in candidates}


def test_refusals_name_the_first_few_of_each_reason() -> None:
    refusals = Refusals()
    for number in range(5):
        refusals.add("empty", f"{number}.html")
    refusals.add("binary", "x.html", "a picture")
    assert refusals.lines() == ["5 empty: 0.html, 1.html, 2.html, ...", "1 binary: x.html (a picture)"]
    assert refusals.total == 6


def read(bodies: list[tuple[str, bytes]], **options) -> tuple[ExampleReader, PageSet]:
    """Read pages as positives."""
    candidates = [Candidate(url, url, lambda url=url, body=body: PageContent(url, body)) for url, body in bodies]
    reader = ExampleReader(**options)
    return reader, reader.positives(candidates, Refusals(), urls_of(candidates))


GERMAN = "Die Sterne und der Mond leuchten in der Nacht über dem Haus, während die Menschen schlafen."
ENGLISH = "The stars and the moon shine at night above the house while the people are asleep."


def test_the_language_is_that_of_most_positives() -> None:
    bodies = [(f"http://h.org/{n}", f"<p>{text}{n}".encode()) for n, text in enumerate([GERMAN, GERMAN, ENGLISH, "x"])]
    reader, pages = read(bodies)
    assert reader.language == "de"
    assert pages.languages == {"de": 2, "en": 1, "unknown": 1}
    terms = {TERMS.term(i) for i in pages.pages[0].terms.ids.tolist()}
    assert "stern" in terms
    assert "und" not in terms
    assert read(bodies, language="en")[0].language == "en"


def test_pages_without_words_are_refused() -> None:
    _, pages = read([("http://h.org/1", b"<p>42 17"), ("http://h.org/2", b"<p>the and of"), ("http://h.org/3", STARS)])
    assert pages.urls == ["http://h.org/3"]
    assert pages.refusals.counts == {"no words": 2}


def test_pages_that_a_limit_cut_are_counted() -> None:
    _, pages = read(
        [("http://h.org/1", STARS + b"<p>more" * 1000)],
        reader_of=lambda _: PageReader(Analyzer(), limits=PageLimits(max_bytes=500)),
    )
    assert pages.n_cut == 1


LINKING = b"""<div><p>Before <a href="/b?y=1&x=2">the <i>bright</i> nebula</a> and <a href="/far">elsewhere</a> behind</p>
<ul><li>List <a href="/b?x=2&y=1#part">go</a></ul><p><a href="/a">myself</a></div>"""


@pytest.mark.parametrize("other_anchors", [False, True])
def test_links_between_examples_carry_anchor_and_context_as_pages_define_them(other_anchors: bool) -> None:
    analyzer = Analyzer("en")
    page = PageReader(analyzer).read(LINKING, "http://h.org/a", "text/html")
    wanted = {"http://h.org/b?x=2&y=1", "http://h.org/a"}
    links = counted_page(page, {"http://h.org/a"}, wanted, other_anchors=other_anchors).links
    # Two spellings of one target are two links of the page; its own URL is none, and /far is no example.
    assert [link.target for link in links] == ["http://h.org/b?x=2&y=1"] * 2
    for link, anchor, text in zip(links, [0, 2], ["the bright nebula", "go"], strict=True):
        expected = count(analyzer.ids(link_context(page, anchor, other_anchors)))
        assert np.array_equal(link.context.ids, expected.ids)
        assert np.array_equal(link.context.counts, expected.counts)
        assert np.array_equal(link.anchor.ids, count(analyzer.ids(text)).ids)


def test_of_several_anchors_of_one_target_the_longest_counts() -> None:
    analyzer = Analyzer("en")
    body = b"<p><a href=/b>more</a></p><p><a href=/b>bright planetary nebula</a></p><p><a href=/b>see nebula</a></p>"
    page = PageReader(analyzer).read(body, "http://h.org/a", "text/html")
    (link,) = counted_page(page, set(), {"http://h.org/b"}).links
    assert {TERMS.term(i) for i in link.anchor.ids.tolist()} == {"bright", "planetari", "nebula"}


def test_relative_links_between_files_are_links_between_examples(tmp_path: Path, opening: OpenSources) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.html").write_text("<p>moon <a href='sub/b%20c.html'>stars</a>")
    (tmp_path / "sub" / "b c.html").write_text("<p>stars <a href='../a.html'>moon</a>")
    candidates = candidates_at(tmp_path / "sub" / "..", opening)
    pages = ExampleReader("en").positives(candidates, Refusals(), urls_of(candidates)).pages
    assert [[link.target for link in page.links] for page in pages] == [list(pages[1].urls), list(pages[0].urls)]


def test_seeds_are_urls_or_files_of_urls(tmp_path: Path) -> None:
    path = tmp_path / "seeds.txt"
    path.write_text("# two\nhttp://a.org/\n\nhttp://b.org/x#part\n")
    assert read_seeds(["https://c.org", str(path), "http://a.org/"]) == [
        "https://c.org",
        "http://a.org/",
        "http://b.org/x",
    ]
    path.write_text("http://a.org/\nb.org\n")
    with pytest.raises(SeedError, match=r"Line 2 .* 'b\.org'"):
        read_seeds([str(path)])
    path.write_text("\n")
    with pytest.raises(SeedError, match="holds no seeds"):
        read_seeds([str(path)])
    path.write_text("http://a.org/\nb.org two words\n")
    with pytest.raises(SeedError, match=r"Did you mean http://b\.org/\?"):
        read_seeds([str(path)])
    with pytest.raises(SeedError, match=r"Did you mean --seeds http://www\.b\.example/\?"):
        read_seeds(["www.b.example"])
    for value in ("b.org", "ftp://b.org/", "", str(tmp_path), "a\0b"):
        with pytest.raises(SeedError):
            read_seeds([value])


def test_seeds_are_taken_from_as_many_hosts_as_there_are() -> None:
    urls = [f"http://a.org/{n}" for n in range(20)] + ["http://b.org/", "http://files.invalid/x.html"]
    seeds = seeds_from(urls)
    assert len(seeds) == 10
    assert seeds[:2] == ["http://a.org/0", "http://b.org/"]


@pytest.mark.parametrize(
    "text", ["", "a.org", "mailto:a@b.org", "http://[::1", "http://a.org:99999/", "http:///x", "\0"]
)
def test_what_is_no_http_url(text: str) -> None:
    assert http_url(text) is None
