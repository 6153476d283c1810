"""What pages say of themselves is found, and what is broken or a lie does no harm."""

from __future__ import annotations

import json

import pytest

from focused.method.page.metadata import Metadata, metadata_of
from focused.method.page.reader import PageReader
from focused.method.text.analyzer import Analyzer

READER = PageReader(Analyzer("en"))
TODAY = "2026-11-23T10:00:00Z"


def told(head: str, body: str = "", url: str = "http://host.example/a/b") -> Metadata:
    return metadata_of(READER.read(f"<html><head>{head}</head><body>{body}</body>".encode(), url), TODAY)


def script(value: object) -> str:
    return f'<script type="application/ld+json">{value if isinstance(value, str) else json.dumps(value)}</script>'


def test_a_page_with_everything_is_read():
    article = {
        "@context": "https://schema.org",
        "@graph": [
            {"@type": "Organization", "name": "Not the author", "datePublished": "1999-01-01"},
            {
                "@type": ["NewsArticle"],
                "datePublished": "2024-05-06T07:08:09+02:00",
                "author": [{"@type": "Person", "name": "Jocelyn  Bell"}, {"name": "Antony Hewish"}],
                "publisher": {"name": "The Star Times"},
                "license": {"url": "https://creativecommons.org/licenses/by/4.0/"},
            },
        ],
    }
    found = told(
        f"<meta name=Description content=' Of  pulsars '><link rel=canonical href=../c>{script(article)}"
        "<meta name=author content='webmaster'><meta property=article:published_time content=2000-01-01>"
    )
    assert found == Metadata(
        author="Jocelyn Bell, Antony Hewish",
        date="2024-05-06",
        site_name="The Star Times",
        description="Of pulsars",
        license="https://creativecommons.org/licenses/by/4.0/",
        canonical_url="http://host.example/c",
    )


@pytest.mark.parametrize(
    ("html", "field", "value"),
    [
        ("<meta property=og:site_name content=Stars>", "site_name", "Stars"),
        ("<meta name=DC.date content=1967-11>", "date", "1967-11"),
        ("<meta name='dc:creator' content='A. Hewish'>", "author", "A. Hewish"),
        ("<meta name=citation_author content=A><meta name=citation_author content=B>", "author", "A, B"),
        ("<meta itemprop=datePublished content='March 4, 2020'>", "date", "2020-03-04"),
        ("<link rel=license href=/by>", "license", "http://host.example/by"),
        ("<meta name=dc.rights content='CC BY 4.0'>", "license", "CC BY 4.0"),
        ("<meta property=og:locale content=de_AT>", "language", "de-AT"),
        ("<meta property=og:description content=x>", "description", "x"),
    ],
)
def test_each_way_of_saying_it_is_understood(html: str, field: str, value: str):
    assert getattr(told(html), field) == value


def test_what_stands_in_the_text_counts():
    found = told("", "<p>By <a rel=author href=/u/1>J. <b>Bell</b></a>, <time datetime=2020-02-03>lately</time>.</p>"
                     "<a href=//creativecommons.org/licenses/by-sa/4.0/>licence</a>")  # fmt: skip
    assert (found.author, found.date) == ("J. Bell", "2020-02-03")
    assert found.license == "http://creativecommons.org/licenses/by-sa/4.0/"


def test_of_several_times_none_is_the_page_s():
    assert told("", "<time datetime=2020-01-01>a</time><time datetime=2021-01-01>b</time>").date == ""


def test_the_path_of_a_news_page_tells_its_date():
    assert told("", url="http://host.example/2019/07/04/stars.html").date == "2019-07-04"


def test_a_declared_language_that_is_none_gives_way_to_the_next_source_and_then_to_the_text():
    english = "<p>the stars of a galaxy are bright and far from us, and the light that they have is old</p>"
    for head, found in (("<meta property=og:locale content=de_AT>", "de-AT"), ("", "en")):
        page = READER.read(f"<html lang='xx-invalid!!'>{head}{english}".encode(), "http://h.example/")
        assert metadata_of(page).language == found


def test_the_language_of_the_text_is_found_where_none_is_declared():
    german = (
        "<p>Der Stern dreht sich in einer Sekunde dreißigmal um sich selbst, und niemand weiß, warum er das tut.</p>"
    )
    assert told("", german).language == "de"
    assert metadata_of(READER.read(f"<html lang=fr>{german}".encode(), "http://h.example/")).language == "fr"


@pytest.mark.parametrize(
    "head",
    [
        script("{"),
        script("[" * 5000),
        script('{"author": ' * 500 + "1" + "}" * 500),
        script({"@type": 7, "author": {"name": {"name": 3}}, "datePublished": {"a": []}, "license": [[]]}),
        script([None, True, 1.5, "x", [[[]]], {"@graph": {"@graph": 5}, "author": None}]),
        script({"author": ["x" * 10_000] * 1000, "@type": "Article"}),
        script("x" * 1_000_000),
        "<script type=application/ld+json>",
        "<meta name=date content=2999-01-01><meta name=pubdate content=0000-00-00>",
        "<meta name=date content='99999999999999999999-01-01'>",
        "<meta property=article:author content=https://social.example/someone>",
        "<link rel=canonical href='javascript:alert(1)'><link rel=license href='http://[::1'>",
        "<link rel=license href='javascript:alert(2)'><link rel=canonical href='data:text/html,x'>",
        "<link rel=canonical><link rel=author><meta name=author>",
        "<meta name=language content='English, of course'>",
        "".join(f"<meta name=m{n} content=x>" for n in range(1000)),
        "<meta name=author content='" + " " * 5000 + "'>",
    ],
)
def test_broken_and_lying_claims_say_nothing(head: str):
    found = told(head)
    assert found.date == ""
    assert found.canonical_url == ""
    assert found.license == ""
    assert found.language == ""
    assert len(found.author) <= 300
    assert "social" not in found.author
