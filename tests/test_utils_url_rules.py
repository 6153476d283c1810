"""Domains and paths that URLs are compared with: what an entry means, and what is none."""

from __future__ import annotations

import re

import pytest

from focused.utils.scope import Scope
from focused.utils.url_rules import UrlRules, entries_of

ENTRIES = [
    # entry, URLs that are like it, URLs that are not
    ("example.org", "http://example.org http://WWW.Example.ORG:8000/a https://a.b.example.org.", "http://myexample.org/ http://example.com/example.org"),
    ("example.org:8000", "http://example.org:8000/ http://a.example.org:8000/", "http://example.org/ http://example.org:80/"),
    (".edu", "http://cs.cornell.edu/", "http://edu.example/ http://cornell.education/"),
    ("127.0.0.1", "http://127.0.0.1:99/", "http://127.0.0.10/"),
    ("[::1]", "http://[::1]:8000/a", "http://[::2]/"),
    ("bücher.example", "http://www.xn--bcher-kva.example/", "http://bucher.example/"),
    ("/papers/", "http://h.org/papers/ http://h.org/papers/1?x", "http://h.org/papers http://h.org/a/papers/"),
    ("example.org/papers", "http://www.example.org/papers/1 http://example.org/papers2", "http://h.org/papers http://example.org/"),
    ("https://example.org/papers", "http://example.org/papers", "http://example.org/"),
    ("example.org/", "http://example.org http://example.org?q", "http://h.org/"),
    ("/*.pdf$", "http://h.org/a/b.pdf", "http://h.org/a.pdf?x=1 http://h.org/pdf http://h.org/a.PDF"),
    ("/*?*sid=", "http://h.org/a?sid=1 http://h.org/?x=1&sid=2", "http://h.org/sid=1"),
    ("/a*b*c$", "http://h.org/abc http://h.org/a-b-b-c", "http://h.org/acb http://h.org/abcd"),
    ("/ab*ba$", "http://h.org/abba http://h.org/ab-ba", "http://h.org/aba"),
    ("/a$", "http://h.org/a", "http://h.org/ab http://h.org/a?q"),
    ("/~me/café", "http://h.org/%7Eme/caf%c3%a9", "http://h.org/me/cafe"),
    ("/100%25", "http://h.org/100%25", "http://h.org/100"),
    ("/a%24", "http://h.org/a$b", "http://h.org/a"),
]  # fmt: skip


@pytest.mark.parametrize(("entry", "like", "unlike"), ENTRIES, ids=[entry for entry, _, _ in ENTRIES])
def test_an_entry_is_like_what_it_says(entry, like, unlike):
    rules = UrlRules(entries_of(entry, "allow"))
    assert [bool(rules.match(url)) for url in like.split()] == [True] * len(like.split())
    assert [bool(rules.match(url)) for url in unlike.split()] == [False] * len(unlike.split())


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("private", "If it is a path, begin it with a slash: /private"),
        ("example.org, *.pdf", "a domain stands for all names below it"),
        ("*.example.org", "Write example.org"),
        ("ex*mple.org", "Got 'ex*mple.org'"),
        ("user@example.org", "Got 'user@example.org'"),
        ("ftp://example.org/", "Got 'ftp://example.org/'"),
        ("example.org:99999", "whose port is none"),
        ("/" + "a" * 1000, "which has 1,001 characters; 1,000 are allowed"),
        ("..", "Got '..'"),
    ],
)
def test_what_is_no_domain_and_no_path_is_refused_by_a_line_that_says_where_it_stands(text, what):
    with pytest.raises(ValueError, match=r"^deny must hold domains such as example\.org, and paths") as error:
        entries_of(text, "deny")
    assert what in str(error.value)


def test_entries_are_separated_by_commas_or_white_space_and_stand_once():
    assert entries_of(" a.org,, b.org\n/x/ a.org ", "allow") == ("a.org", "b.org", "/x/")
    assert entries_of("", "allow") == ()


def test_there_may_be_many_domains_and_a_hundred_paths_of_each():
    many = [f"site{number}.example/{path}" for number in range(50) for path in range(100)]
    assert len(entries_of(",".join(many), "deny")) == 5_000
    with pytest.raises(ValueError, match=r"^deny must hold at most 100 paths without a domain\. Join some"):
        entries_of(",".join(f"/{path}" for path in range(101)), "deny")
    with pytest.raises(ValueError, match=r"^deny must hold at most 10,000 domains and paths\. Got 10,001"):
        entries_of(",".join(f"site{number}.example" for number in range(10_001)), "deny")


def test_a_text_that_is_no_url_is_like_nothing():
    assert UrlRules(["/"]).match("http://[broken/") is None


def test_many_stars_come_to_an_end():
    # As a regular expression this entry would take years.
    rules = UrlRules(["/" + "*a" * 400 + "$"])
    assert rules.match("http://h.org/" + "a" * 399 + "b" * 1500) is None


def test_what_is_denied_is_denied_also_where_it_is_allowed_and_one_of_allow_is_enough():
    scope = Scope(allow=("example.org", "/papers/"), deny=("example.org/private/",), max_depth=2)
    urls = ["http://example.org/", "http://h.org/papers/1", "http://example.org/private/1", "http://h.org/"]
    assert [scope.refusal(url) for url in urls] == ["", "", "denied", "not_allowed"]
    assert scope.refusal(urls[0], 2) == ""
    assert re.fullmatch("it lies 3 links from a seed, max_depth is 2", scope.why(urls[0], 3))
    assert Scope.from_json(scope.as_json()) == scope
    assert not Scope()
