from __future__ import annotations

import random

import pytest

from focused.utils.url_forms import canonical_form, tolerant_form


def form(url: str) -> str | None:
    canonical = canonical_form(url)
    return None if canonical is None else tolerant_form(canonical)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://h.org/A/B.html", "http://h.org/a/b.HTML"),  # case of the path
        ("http://H.org/a", "http://h.org/a"),  # case of the host
        ("http://h.org/a/", "http://h.org/a"),  # trailing slash
        ("http://h.org/a/", "http://h.org/a/index.html"),  # index file
        ("http://h.org/a/Default.htm", "http://h.org/a/"),
        ("http://h.org/a/home.html", "http://h.org/a/"),
        ("http://h.org", "http://h.org/"),  # missing path
        ("http://h.org", "http://h.org/index.shtml"),
        ("http://h.org:80/a", "http://h.org/a"),  # default port
        ("https://h.org:443/a", "https://h.org/a"),
        ("http://h.org./a", "http://h.org/a"),  # dot of the root domain
        ("http://h.org//a///b", "http://h.org/a/b"),  # doubled slashes
        ("http://h.org/a/../b/./c", "http://h.org/b/c"),  # dot segments
        ("http://h.org/%7Eme/%41", "http://h.org/~me/a"),  # escapes
        ("http://h.org/caf%E9", "http://h.org/caf%C3%A9"),  # escapes of Latin-1 and of UTF-8
        ("http://h.org/café", "http://h.org/caf%c3%a9"),
        ("http://me:secret@h.org/a", "http://h.org/a"),  # never part of what a server is asked for
        ("http://h.org/a#part", "http://h.org/a"),
        ("http://h.org/a?", "http://h.org/a"),
        ("http://h.org/a?y=2&x=1", "http://h.org/a/?x=1&y=2"),
    ],
)
def test_a_server_would_answer_both_urls_with_the_same_file(one, other):
    assert form(one) == form(other) is not None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://h.org/a", "https://h.org/a"),
        ("http://h.org/a", "http://www.h.org/a"),
        ("http://h.org:8080/a", "http://h.org/a"),
        ("http://h.org:443/a", "http://h.org/a"),
        ("http://h.org/a?v=Ab", "http://h.org/a?v=aB"),  # identifiers in queries tell case apart
        ("http://h.org/a?x=1", "http://h.org/a"),
        ("http://h.org/a%2Fb", "http://h.org/a/b"),
        ("http://h.org/a%3Fb", "http://h.org/a?b"),
        ("http://h.org/a.html", "http://h.org/a.htm"),
        ("http://h.org/a/index.html", "http://h.org/a/main.html"),
        ("http://h.org/myindex.html", "http://h.org/"),
    ],
)
def test_other_pages_have_other_forms(one, other):
    assert form(one) != form(other)


def test_case_can_be_kept_to_tell_candidates_apart():
    assert tolerant_form("http://h.org/A/INDEX.html", fold_case=False) == "http://h.org/A?"


@pytest.mark.parametrize(
    "url", ["http://[::1", "http://x:port/", "http://x:99999/", "http://h/\ud800", "//[", "http://["]
)
def test_what_is_no_url_has_no_form(url):
    assert form(url) is None


def test_no_text_raises():
    rng = random.Random(1)
    alphabet = "htp:/[]@?#%&=;.aAé\ud800\x00 \uff10℀ıß~|^\\{}\n\t0123456789"
    for _ in range(3000):
        text = "http://" * rng.randrange(2) + "".join(rng.choice(alphabet) for _ in range(rng.randrange(15)))
        result = form(text)
        assert result is None or result.encode()
