from __future__ import annotations

import json
from typing import TYPE_CHECKING

import hand_made
import pytest
from commands import Finished, environment, scrapy
from sites import Reply, Site, redirect

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.slow


@pytest.fixture
def explain(models, tmp_path) -> Callable[..., Finished]:
    def explain(*argv: str) -> Finished:
        return scrapy("explain", *map(str, argv), cwd=tmp_path, env=environment(models))

    return explain


def refused(result: Finished) -> str:
    assert result.exit_code == 1
    assert result.out == ""
    [line] = result.err.splitlines()
    assert line.startswith("Error: ")
    return line


def test_a_page_of_a_recorded_web(explain, two_regions):
    result = explain("stars", "http://site.example/stars/0", "--web", two_regions)
    assert result.exit_code == 0, result.err
    assert result.err == ""
    for fragment in ("http://site.example/stars/0", "stars 0", ": relevant for topic stars", "telescop", "/food/0"):
        assert fragment in result.out


def test_a_page_of_the_demo_web_and_another_strategy(explain):
    result = explain("stars", "http://www.webring-central.example/", "--web", "demo", "--strategy", "lpe", "--json")
    found = json.loads(result.out)
    assert (found["strategy"], found["url"]) == ("lpe", "http://www.webring-central.example/")
    assert found["links"]


def test_a_file_and_where_it_came_from(explain, tmp_path):
    (tmp_path / "a page.html").write_bytes(hand_made.html(hand_made.STARS, ("b.html", "a nebula")))
    found = json.loads(explain("stars", "a page.html", "--json", "--url", "http://h.org/dir/a.html").out)
    assert found["is_relevant"]
    assert [link["url"] for link in found["links"]] == ["http://h.org/dir/b.html"]
    assert "a%20page.html" in explain("stars", "a page.html").out


def test_a_text_file(explain, tmp_path):
    (tmp_path / "notes.txt").write_text(f"<b> {hand_made.FOOD}")
    result = explain("stars", "notes.txt")
    assert ": not relevant for topic stars" in result.out
    assert "Links: none" in result.out


def test_settings_count_as_in_a_crawl(explain, tmp_path):
    (tmp_path / "a.html").write_bytes(hand_made.html(hand_made.STARS, ("/b", "soup")))
    options = ("--strategy", "anchor_text", "-s", "FOCUSED_BELOW_THRESHOLD=drop", "-s", "FOCUSED_RELEVANCE_THRESHOLD=1")
    result = explain("stars", "a.html", *options)
    assert "not relevant" in result.out
    assert "dropped" in result.out


def test_it_says_from_where_on_pages_are_relevant_until_a_crawl_has_learnt_from_its_web(models, tmp_path):
    examples = tmp_path / "examples"
    examples.mkdir()
    for number, more in enumerate(("nebula", "galaxy", "comet", "orbit", "planet")):
        (examples / f"{number}.html").write_bytes(hand_made.html(f"{hand_made.STARS} {more} {more}", title=more))
    options = ("--seeds", "http://a.example/", "--look-around", "0", "--quick")
    made = scrapy("train", "few", "--positive", str(examples), *options, cwd=tmp_path, env=environment(models))
    assert made.exit_code == 0, made.err

    def explained(page: str, *more: str) -> str:
        argv = ("explain", "few", str(tmp_path / page), *more)
        return scrapy(*argv, cwd=tmp_path, env=environment(models)).out

    (tmp_path / "food.html").write_bytes(hand_made.html(hand_made.FOOD))
    first = json.loads(explained("food.html", "--json"))["first_threshold"]
    assert first is not None
    assert f"until its first training a crawl asks for {first:.3f}: not relevant there" in explained("food.html")
    asked = ("-s", "FOCUSED_RELEVANCE_THRESHOLD=0.5")  # stronger than that
    assert "until its first training" not in explained("food.html", *asked)


def test_links_are_scored_as_crawls_of_a_preset_score_them(models, tmp_path):
    for kind, text in (("stars", hand_made.STARS), ("food", hand_made.FOOD)):
        (tmp_path / kind).mkdir()
        for number, more in enumerate(("nebula", "galaxy", "comet", "orbit", "planet")):
            (tmp_path / kind / f"{number}.html").write_bytes(hand_made.html(f"{text} {more}", title=more))
    pages = ("--positive", "stars", "--unlabeled", "food", "--seeds", "http://a.example/", "--quick")
    made = scrapy("train", "printed", "--preset", "l16", *pages, cwd=tmp_path, env=environment(models))
    assert made.exit_code == 0, made.err

    (tmp_path / "a.html").write_bytes(hand_made.html(hand_made.STARS, ("/b", "soup"), ("/c", "a galaxy")))

    def explained(*options: str) -> Finished:
        return scrapy("explain", "printed", "a.html", "--json", *options, cwd=tmp_path, env=environment(models))

    today = json.loads(explained().out)
    as_printed = json.loads(explained("--preset", "l16").out)
    assert (today["strategy"], today["similarity"]) == ("adaptive", "calibrated")
    assert (as_printed["strategy"], as_printed["similarity"], as_printed["thresholds"]["block"]) == (
        "lpe",
        "cosine",
        0.1,
    )
    assert json.loads(explained("--preset", "l16", "--strategy", "cbp").out)["strategy"] == "cbp"
    assert "Preset 'p13' needs a topic that was trained with wvc_p13." in refused(explained("--preset", "p13"))
    assert "Did you mean 'l16'?" in refused(explained("--preset", "l17"))


def test_the_live_web_is_asked_politely(explain):
    pages = {
        "/robots.txt": Reply(b"User-agent: *\nDisallow: /private", headers={"Content-Type": "text/plain"}),
        "/old": redirect("/new"),
        "/new": hand_made.html(hand_made.STARS, title="New"),
        "/private": hand_made.html(hand_made.STARS),
        **{f"/round/{n}": redirect(f"/round/{n + 1}") for n in range(9)},
    }
    with Site(pages) as site:
        contact = ("-s", "FOCUSED_CONTACT=me@h.org", "-s", "DOWNLOAD_DELAY=0", "-s", "AUTOTHROTTLE_ENABLED=0")
        moved = explain("stars", f"{site.url}/old", *contact)
        assert moved.out.startswith(f"{site.url}/new\nNew\n"), moved.err
        assert "robots.txt" in refused(explain("stars", f"{site.url}/private", *contact))
        assert "redirected without end" in refused(explain("stars", f"{site.url}/round/0", *contact))
        assert "answered 404" in refused(explain("stars", f"{site.url}/missing", *contact))
    assert "/private" not in site.asked
    assert all("(+me@h.org)" in agent for agent in site.agents)


CASES = {
    "nothing": ((), "Name a topic and a page"),
    "one": (("stars",), "Name a topic and a page"),
    "three": (("stars", "a", "b"), "Name a topic and a page"),
    "option": (("stars", "http://h.org/", "--stategy=x"), "There is no option --stategy=x"),
    "topic": (("moon", "http://h.org/"), "No topic 'moon'"),
    "topic path": (("../x", "http://h.org/"), "A topic's name must be"),
    "strategy": (("stars", "http://h.org/", "--strategy", "magic"), "strategy must be one of"),
    "top": (("stars", "http://h.org/", "--top", "-1"), "--top"),
    "page": (("stars", "nowhere.html"), "must be a URL such as http://a.example/ or a file. Got 'nowhere.html'"),
    "bad URL": (("stars", "http://[::1"), "must be a URL such as http://a.example/ or a file. Got 'http://[::1'"),
    "folder": (("stars", "."), "or a file. Got '.'"),
    "url with a URL": (("stars", "http://h.org/", "--url", "http://h.org/"), "--url goes with a file"),
    "url": (("stars", "page.html", "--url", "h.org"), "--url must be a URL"),
    "binary": (("stars", "binary.html"), "There is no page to explain in binary.html: binary"),
    "empty": (("stars", "empty.html"), "There is no page to explain in empty.html: empty"),
    "PDF": (("stars", "broken.pdf"), "There is no page to explain in broken.pdf: PDF file (damaged)"),
    "web": (("stars", "http://h.org/", "--web", "nowhere.warc"), "nowhere.warc"),
    "setting unknown": (("stars", "page.html", "-s", "FOCUSED_SIMILARTY=cosine"), "Did you mean 'FOCUSED_SIMILARITY'?"),
    "setting": (("stars", "page.html", "-s", "FOCUSED_BLOCK_ALPHA=x"), "FOCUSED_BLOCK_ALPHA must be a number"),
}


@pytest.mark.parametrize("case", CASES)
def test_what_cannot_be_explained_is_one_line(explain, tmp_path, case):
    (tmp_path / "page.html").write_bytes(hand_made.html("Page."))
    (tmp_path / "binary.html").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" * 9)
    (tmp_path / "empty.html").write_bytes(b"")
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.4\nnothing else")
    argv, fragment = CASES[case]
    assert fragment in refused(explain(*argv))


def test_help_has_examples(explain):
    result = explain("-h")
    assert result.exit_code == 0
    assert "\nExamples:\n  scrapy explain " in result.out
