from __future__ import annotations

import gzip
import logging
import os
import random
import sqlite3
from typing import TYPE_CHECKING

import pytest
from warcs import HTML, Warc

from focused.webs import WebError, open_web
from focused.webs.recorded import RecordedWeb, index_store

if TYPE_CHECKING:
    from pathlib import Path

PAGE = b"<html><title>t</title>" + b"<p>some words</p>" * 50


@pytest.fixture
def warc(tmp_path) -> Warc:
    return Warc(tmp_path / "web.warc.gz")


def replay(warc: Warc, **options) -> RecordedWeb:
    return RecordedWeb(warc.save(), **options)


def ask(warc: Warc, url: str):
    with replay(warc) as web:
        return web.answer(url)


# What an answer is like


@pytest.mark.parametrize("version", ["1.0", "1.1"])
@pytest.mark.parametrize("is_gzip", [True, False], ids=["gzip", "plain"])
def test_a_page_is_answered_as_it_was_recorded(tmp_path, version, is_gzip):
    warc = Warc(tmp_path / "w", gzip=is_gzip, version=version).info()
    warc.page("http://h.org/a", PAGE, headers=[*HTML, ("Set-Cookie", "a"), ("Set-Cookie", "b")])
    answer = ask(warc, "http://h.org/a")
    assert (answer.status, answer.body, answer.match, answer.cut) == (200, PAGE, "exact", False)
    assert answer.headers == (*HTML, ("Set-Cookie", "a"), ("Set-Cookie", "b"), ("Content-Length", str(len(PAGE))))


def test_the_body_is_decoded_and_its_headers_say_so(warc):
    packed = gzip.compress(PAGE)
    chunked = b"%x\r\n%s\r\n0\r\n\r\n" % (len(packed), packed)
    codings = [("Content-Encoding", "gzip"), ("Transfer-Encoding", "chunked"), ("content-length", "9")]
    answer = ask(warc.page("http://h.org/a", chunked, headers=[*HTML, *codings]), "http://h.org/a")
    assert answer.body == PAGE
    assert answer.headers == (*HTML, ("Content-Length", str(len(PAGE))))


def test_a_body_that_cannot_be_decoded_keeps_the_header_that_says_how_it_is_encoded(warc):
    answer = ask(warc.page("http://h.org/a", b"\x1f\x9d", headers=[("Content-Encoding", "compress")]), "http://h.org/a")
    assert answer.headers == (("Content-Encoding", "compress"), ("Content-Length", "2"))


def test_redirects_and_errors_are_answered_as_such(warc):
    warc.page("http://h.org/a", status="301 Moved", headers=[("Location", "http://h.org/b")])
    warc.page("http://h.org/c", b"gone", status="410 Gone")
    with replay(warc) as web:
        answer = web.answer("http://h.org/a")
        assert (answer.status, answer.headers[0]) == (301, ("Location", "http://h.org/b"))
        assert web.answer("http://h.org/c").status == 410


def test_a_page_that_is_not_there_is_a_404(warc):
    answer = ask(warc.page("http://h.org/a"), "http://h.org/b")
    assert (answer.status, answer.match) == (404, "missing")
    assert dict(answer.headers)["Content-Length"] == str(len(answer.body))


@pytest.mark.parametrize("compress", [bytes, gzip.compress], ids=["as it is", "compressed"])
def test_a_body_beyond_the_limit_is_cut_and_said_to_be(warc, compress, caplog):
    warc.page("http://h.org/a", compress(bytes(5000)), headers=[("Content-Encoding", "gzip")])
    with replay(warc, max_body_bytes=4999) as web:
        answer = web.answer("http://h.org/a")
        assert (answer.body, answer.cut) == (bytes(4999), True)
        assert "http://h.org/a is longer than 4999 bytes" in caplog.text
    with replay(warc, max_body_bytes=5000) as web:
        answer = web.answer("http://h.org/a")
        assert (answer.body, answer.cut) == (bytes(5000), False)


# Which record answers


def test_the_latest_answer_wins_by_date_and_then_by_position(warc):
    warc.page("http://h.org/a", b"newest", date="2026-03-01T00:00:00.5Z")
    warc.page("http://h.org/a", b"older", date="2026-03-01T00:00:00Z")
    warc.page("http://h.org/b", b"first", date="2026-03-01T00:00:00Z")
    warc.page("http://h.org/b", b"second", date="2026-03-01T00:00:00Z")
    warc.page("http://h.org/c", b"dated")
    warc.page("http://h.org/c", b"of unknown date", date="yesterday")
    with replay(warc) as web:
        assert [web.answer(f"http://h.org/{name}").body for name in "abc"] == [b"newest", b"second", b"dated"]
        assert (len(web), web.index.n_superseded) == (3, 3)


@pytest.mark.parametrize(
    ("url", "match"),
    [
        ("http://h.org/Dir/?b=2&a=1", "exact"),
        ("http://h.org/Dir/?a=1&b=2", "canonical"),
        ("http://h.org/Dir/?b=2&a=1#part", "canonical"),  # a caller takes fragments off; if not, they do no harm
        ("http://h.org/dir/INDEX.html?a=1&b=2", "tolerant"),
        ("http://h.org:80/Dir?a=1&b=2", "tolerant"),
        ("http://h.org/Dir/", "missing"),
        ("https://h.org/Dir/?b=2&a=1", "missing"),
        ("http://www.h.org/Dir/?b=2&a=1", "missing"),
    ],
)
def test_how_a_page_was_found_is_said(warc, url, match):
    answer = ask(warc.page("http://h.org/Dir/?b=2&a=1", PAGE), url)
    assert (answer.match, answer.status) == (match, 404 if match == "missing" else 200)
    found_under = [value for name, value in answer.headers if name == "Content-Location"]
    assert found_under == (["http://h.org/Dir/?b=2&a=1"] if match in ("canonical", "tolerant") else [])


def test_of_several_candidates_a_good_answer_then_the_same_case_then_the_alphabet_decides(warc):
    warc.page("http://h.org/A/x", b"404", status="404 Not Found").page("http://h.org/a/X", b"good")
    warc.page("http://h.org/B/index.html", b"B").page("http://h.org/b/index.html", b"b")
    warc.page("http://h.org/c/index.php", b"php").page("http://h.org/c/index.html", b"html")
    with replay(warc) as web:
        assert web.answer("http://h.org/A/X").body == b"good"
        assert web.answer("http://h.org/b/").body == b"b"
        assert web.answer("http://h.org/B/").body == b"B"
        assert web.answer("http://h.org/c").body == b"html"


def test_an_exact_error_is_not_mended_by_tolerance(warc):
    warc.page("http://h.org/a", status="404 Not Found").page("http://h.org/A", PAGE)
    answer = ask(warc, "http://h.org/a")
    assert (answer.status, answer.match) == (404, "exact")


@pytest.mark.parametrize(
    ("url", "location", "asked"),
    [
        ("http://h.org/dir", "/dir/", "http://h.org/dir/"),
        ("http://h.org/Page", "page", "http://h.org/page"),
        ("http://h.org/dir/", "index.html", "http://h.org/dir/index.html"),
        ("http://h.org", "http://h.org/", "http://h.org/"),
    ],
)
def test_a_redirect_does_not_answer_for_its_own_target(warc, url, location, asked):
    warc.page(url, status="301 Moved", headers=[("Location", location)])
    with replay(warc) as web:
        assert web.answer(asked).match == "missing"  # and not a redirect to itself
        assert web.answer(url).status == 301


def test_a_redirect_elsewhere_is_found_tolerantly(warc):
    warc.page("http://h.org/Old", status="301 Moved", headers=[("Location", "http://[bad"), ("Location", "/new")])
    assert ask(warc, "http://h.org/old").status == 301


@pytest.mark.parametrize(
    "url",
    ["", "http://", "http://[::1", "http://x:port/", "http://x:99999/", "http://h/\ud800", "x" * 100_000, "\0", "//["],
)
def test_no_url_raises(warc, url):
    assert ask(warc.page("http://h.org/a"), url).match == "missing"


def test_recorded_urls_that_are_none_do_no_harm(warc):
    for url in ("http://[::1", "http://x:port/", "http://h.org/a b|c", "http://h.org/\u00e9", "HTTP://H.org/Z"):
        warc.page(url, url.encode(), WARC_Target_URI=url)
    with replay(warc) as web:
        assert web.answer("http://[::1").match == "exact"
        assert web.answer("http://h.org/a%20b%7Cc").match == "canonical"
        assert web.answer("http://h.org/%C3%A9").match == "canonical"
        assert web.answer("http://h.org/Z").match == "canonical"


# Other kinds of records


def test_records_that_are_no_pages_are_passed_over(warc):
    warc.info().page("http://h.org/a", PAGE)
    warc.record("http://h.org/a", b"GET / HTTP/1.1\r\n\r\n", "request", date="2027-01-01T00:00:00Z")
    warc.record("http://h.org/a", b"fetchTimeMs: 5", "metadata", date="2027-01-01T00:00:00Z")
    warc.record("http://h.org/a", b"text", "conversion", date="2027-01-01T00:00:00Z")
    warc.record("dns:h.org", b"20260101000000\nh.org. 300 IN A 10.0.0.1", "response", date="2027-01-01T00:00:00Z")
    warc.page("http://h.org/a", status="304 Not Modified", date="2027-01-01T00:00:00Z")
    with replay(warc) as web:
        assert (len(web), web.index.n_damaged) == (1, 0)
        assert web.answer("http://h.org/a").body == PAGE


def test_a_resource_is_a_page_without_a_server(warc):
    warc.record("http://h.org/a", PAGE, "resource", http_headers=None, Content_Type="text/html")
    answer = ask(warc.record("file:///etc/x", b"", "resource"), "http://h.org/a")
    assert (answer.status, answer.body, answer.headers[0]) == (200, PAGE, ("Content-Type", "text/html"))


def test_a_response_without_a_status_line_counts_as_damaged(warc):
    warc.page("http://h.org/a")
    head = b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://h.org/b\r\nContent-Length: 14\r\n\r\n"
    warc.raw(gzip.compress(head + b"<html>HTTP/0.9\r\n\r\n"))
    with replay(warc) as web:
        assert (len(web), web.index.n_damaged) == (1, 1)


def digest_of(warc: Warc) -> str:
    line = warc.bytes() if not warc.bytes().startswith(b"\x1f") else gzip.decompress(warc.bytes())
    return line.partition(b"WARC-Payload-Digest: ")[2].partition(b"\r\n")[0].decode()


def test_a_revisit_has_its_own_headers_and_the_body_of_the_same_payload(warc):
    warc.page("http://h.org/a", PAGE)
    digest = digest_of(warc)
    about = {"WARC_Payload_Digest": digest, "kind": "revisit"}
    warc.page("http://h.org/b", headers=[*HTML, ("X", "b")], WARC_Refers_To_Target_URI="http://h.org/a", **about)
    warc.page("http://h.org/r", status="302 Found", headers=[("Location", "/a")], **about)
    with replay(warc) as web:
        answer = web.answer("http://h.org/b")
        assert (answer.status, answer.body) == (200, PAGE)
        assert answer.headers == (*HTML, ("X", "b"), ("Content-Length", str(len(PAGE))))
        assert web.answer("http://h.org/r").status == 302


def test_a_revisit_without_a_digest_finds_the_version_it_names(warc):
    for body, date in ((b"one", "2026-01-01"), (b"two", "2026-01-02"), (b"three", "2026-01-03")):
        warc.page("http://h.org/a", body, date=f"{date}T00:00:00Z")
    refers = {"kind": "revisit", "WARC_Refers_To_Target_URI": "http://h.org/a", "WARC_Payload_Digest": "sha1:NONE"}
    warc.page("http://h.org/b", WARC_Refers_To_Date="2026-01-02T00:00:00Z", date="2026-01-05T00:00:00Z", **refers)
    warc.page("http://h.org/c", date="2026-01-01T12:00:00Z", **refers)
    warc.record(
        "http://h.org/d",
        kind="revisit",
        date="2026-02-01T00:00:00Z",
        **{k: v for k, v in refers.items() if k != "kind"},
    )
    with replay(warc) as web:
        assert [web.answer(f"http://h.org/{name}").body for name in "bcd"] == [b"two", b"one", b"three"]


def test_a_revisit_of_a_page_that_is_not_there_is_counted_and_said(warc, caplog):
    warc.page("http://h.org/a", PAGE)
    warc.page(
        "http://h.org/b", kind="revisit", WARC_Payload_Digest="sha1:X", WARC_Refers_To_Target_URI="http://h.org/x"
    )
    with replay(warc) as web:
        assert web.answer("http://h.org/b").match == "missing"
        assert web.index.n_unresolved == 1
    assert "skipped 1 revisit of pages that it does not hold; 1 page can be read" in caplog.text


# Damage and errors


def test_a_truncated_file_is_used_as_far_as_it_goes_and_that_is_said(warc, caplog):
    for number in range(5):
        warc.page(f"http://h.org/{number}", random.Random(number).randbytes(500))
    path = warc.path
    path.write_bytes(warc.bytes()[: warc.ends[3] - 20])
    with RecordedWeb(path) as web:
        assert [web.answer(f"http://h.org/{number}").status for number in range(5)] == [200, 200, 200, 404, 404]
    assert f"{path}: skipped 1 damaged place; " in caplog.text
    assert "3 pages can be read" in caplog.text


def test_a_damaged_later_answer_leaves_the_earlier_one(warc):
    warc.page("http://h.org/a", PAGE, date="2026-01-01T00:00:00Z").page(
        "http://h.org/a", b"later" * 100, date="2027-01-01T00:00:00Z"
    )
    warc.path.write_bytes(warc.bytes()[:-30])
    with RecordedWeb(warc.path) as web:
        assert web.answer("http://h.org/a").body == PAGE


def errors(tmp_path: Path) -> dict[str, tuple[str, str]]:
    """Name of a file that is no web: what the message says, and what to do."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "page.html").write_bytes(b"<html>")
    Warc(tmp_path / "info.warc.gz").info().save()
    Warc(tmp_path / "requests.warc").record("http://h.org/", b"GET / HTTP/1.1\r\n\r\n", "request").save()
    cut = Warc(tmp_path / "cut.warc.gz").page("http://h.org/", PAGE)
    cut.path.write_bytes(cut.bytes()[:-10])
    os.mkfifo(tmp_path / "pipe")
    return {
        "missing.warc": ("does not exist", "Give the path of a WARC file"),
        "folder": ("is a folder", "Give one WARC file"),
        "pipe": ("is not a regular file", "Give the path of a WARC file"),
        "x" * 300: ("cannot be read", "Check the path"),
        "page.html/x": ("does not exist", "Give the path of a WARC file"),
        "empty": ("is not a WARC file", "Give a WARC 1.0 or 1.1 file"),
        "page.html": ("is not a WARC file (it begins with b'<html>')", "Give a WARC 1.0 or 1.1 file"),
        "info.warc.gz": (
            "holds no page that can be read: 1 intact record, 0 damaged places, ",
            "FOCUSED_WARC=all",
        ),
        "requests.warc": (
            "holds no page that can be read: 1 intact record, 0 damaged places, ",
            "FOCUSED_WARC=all",
        ),
        "cut.warc.gz": (
            "holds no page that can be read: 0 intact records, 1 damaged place, ",
            "FOCUSED_WARC=all",
        ),
    }


def test_what_is_no_web_is_refused_in_one_line_with_the_remedy(tmp_path):
    for name, (reason, remedy) in errors(tmp_path).items():
        with pytest.raises(WebError) as caught:
            open_web(str(tmp_path / name), {})
        message = str(caught.value)
        assert message.startswith(f"{tmp_path / name} {reason}")
        assert remedy in message
        assert "\n" not in message
        assert not list(tmp_path.glob("*widx*")), "a failed build leaves nothing behind"


def test_the_home_of_nobody_is_no_place_for_a_file():
    with pytest.raises(WebError, match=r"^~nobody-of-this-name/x does not exist"):
        open_web("~nobody-of-this-name/x", {})


@pytest.mark.parametrize("name", ["", "a\0b"])
def test_a_web_must_have_a_name(name):
    with pytest.raises(WebError, match=r"FOCUSED_WEB must be demo, hostile or the path of a WARC file\. Got"):
        open_web(name, {})


def test_the_demo_web_is_opened_by_its_name():
    web = open_web("demo", {"FOCUSED_DEMO_PAGES": "1000", "FOCUSED_DEMO_SEED": 3})
    assert web.answer("http://no.such.host.example/").match == "missing"
    web.close()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"FOCUSED_DEMO_PAGES": "many"},
            r"^FOCUSED_DEMO_PAGES must be a whole number from 20 to 1,000,000\. Got 'many'\.",
        ),
        ({"FOCUSED_DEMO_SEED": []}, r"^FOCUSED_DEMO_SEED must be a whole number\. Got \[\]\."),
        ({"FOCUSED_DEMO_PAGES": 30}, r"^n_pages .*Got 30\. Set FOCUSED_DEMO_PAGES, "),
    ],
)
def test_settings_that_make_no_demo_web_are_named(settings, message):
    with pytest.raises(WebError, match=message):
        open_web("demo", settings)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file_is_refused(warc):
    warc.page("http://h.org/a").save().chmod(0)
    with pytest.raises(WebError, match="cannot be read: Permission denied"):
        open_web(str(warc.path), {})


# The index


def index_files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*widx*"))


def test_the_index_is_built_once_and_kept_beside_the_file(warc, tmp_path, monkeypatch):
    with replay(warc.page("http://h.org/a", PAGE)):
        assert index_files(tmp_path) == ["web.warc.gz.widx"]
    monkeypatch.setattr(index_store, "build_index", lambda *_: pytest.fail("built again"))
    with RecordedWeb(warc.path) as web:
        assert web.answer("http://h.org/a").body == PAGE


def test_the_index_goes_to_the_cache_folder_where_the_files_folder_is_read_only(tmp_path, monkeypatch):
    cache = tmp_path / "cache"
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        folder.mkdir()
        Warc(folder / "web.warc").page("http://h.org/", folder.name.encode()).save()
        folder.chmod(0o555)
    try:
        for folder in folders:
            web = open_web(str(folder / "web.warc"), {"FOCUSED_CACHE_DIR": str(cache)})
            assert web.answer("http://h.org/").body == folder.name.encode()
            web.close()
            assert index_files(folder) == []
        assert len(index_files(cache)) == 2
        monkeypatch.setattr(index_store, "build_index", lambda *_: pytest.fail("built again"))
        open_web(str(folders[0] / "web.warc"), {"FOCUSED_CACHE_DIR": str(cache)}).close()
    finally:
        for folder in folders:
            folder.chmod(0o755)


def test_the_users_cache_folder_is_the_default(warc, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "read-only"
    folder.mkdir()
    path = folder / "web.warc.gz"
    path.write_bytes(warc.page("http://h.org/a").bytes())
    folder.chmod(0o555)
    RecordedWeb(path).close()
    assert len(index_files(tmp_path / "cache" / "focused")) == 1


def test_without_any_place_the_index_serves_for_this_run_only(warc, tmp_path, caplog):
    warc.page("http://h.org/a", PAGE).save()
    (tmp_path / "file").write_text("no folder")
    tmp_path.chmod(0o555)
    try:
        with RecordedWeb(warc.path, tmp_path / "file") as web:
            assert web.answer("http://h.org/a").body == PAGE
    finally:
        tmp_path.chmod(0o755)
    assert index_files(tmp_path) == []
    assert "it is built for this run only" in caplog.text


def test_a_changed_file_is_indexed_anew(warc):
    replay(warc.page("http://h.org/a", b"old")).close()
    warc.page("http://h.org/b", b"new")
    assert ask(warc, "http://h.org/b").body == b"new"


@pytest.mark.parametrize("damage", ["truncated", "foreign", "empty", "other version"])
def test_a_useless_index_is_built_anew(warc, damage):
    for number in range(300):
        warc.page(f"http://h.org/{number}", PAGE)
    replay(warc).close()
    index = warc.path.with_name("web.warc.gz.widx")
    if damage == "other version":
        with sqlite3.connect(index) as connection:
            connection.execute("UPDATE meta SET value = 'focused-widx-0' WHERE name = 'identity'")
        connection.close()
    else:
        index.write_bytes(
            {"truncated": index.read_bytes()[:9000], "foreign": b"SQLite? no" * 999, "empty": b""}[damage]
        )
    with RecordedWeb(warc.path) as web:
        assert web.answer("http://h.org/299").body == PAGE


def test_no_damage_of_the_index_gives_a_wrong_page(warc):
    for number in range(40):
        warc.page(f"http://h.org/{number}", b"%d " % number + PAGE)
    replay(warc).close()
    index = warc.path.with_name("web.warc.gz.widx")
    good = index.read_bytes()
    rng = random.Random(5)
    for _ in range(60):
        bad = bytearray(good)
        for _ in range(20):
            bad[rng.randrange(100, len(bad))] ^= 1 << rng.randrange(8)
        index.write_bytes(bad)
        with RecordedWeb(warc.path) as web:
            for number in range(0, 40, 7):
                try:
                    answer = web.answer(f"http://h.org/{number}")
                except WebError as error:
                    assert "Delete" in str(error)  # noqa: PT017
                else:
                    assert answer.match == "missing" or answer.body == b"%d " % number + PAGE


def test_a_file_that_changes_while_it_is_replayed_is_noticed(warc):
    warc.page("http://h.org/a", b"a" * 100).page("http://h.org/b", b"b" * 100)
    with replay(warc) as web:
        warc.path.write_bytes(Warc(warc.path).page("http://h.org/x", b"x").bytes() * 3)
        with pytest.raises(WebError, match="has changed since it was indexed"):
            web.answer("http://h.org/b")


def test_all_pages_are_given_in_the_order_of_the_file(warc):
    for name in "cab":
        warc.page(f"http://h.org/{name}", name.encode())
    with replay(warc) as web:
        assert [(url, answer.body) for url, answer in web.pages()] == [(f"http://h.org/{n}", n.encode()) for n in "cab"]


def test_a_long_build_says_so_in_the_log_where_nobody_watches(warc, monkeypatch, caplog):
    monkeypatch.setattr("focused.webs.recorded.index_rows.LONG_BUILD_BYTES", 10)
    with caplog.at_level(logging.INFO):
        replay(warc.page("http://h.org/a")).close()
    assert "this is done once" in caplog.text
