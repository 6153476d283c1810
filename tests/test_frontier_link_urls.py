"""Requests for links have the URL that Scrapy gives them, whether it was quoted again or not."""

from __future__ import annotations

import random

import pytest
from scrapy import Request
from scrapy.utils.test import get_crawler
from w3lib.url import safe_url_string

from focused.frontier.link_requests import TUNNEL, LinkRequests, _is_quoted

ALPHABET = "abzAZ09_.~/-?&=+:%#@ é;[]|"


def test_a_url_that_is_not_quoted_again_is_one_that_scrapy_leaves_as_it_is():
    draw, n_plain = random.Random(0), 0
    for _ in range(20_000):
        host = "".join(draw.choices("ab9-.xX", k=draw.randint(1, 8)))
        port = draw.choice(["", "", ":80", ":443", ":8080", ":", ":0"])
        url = f"{draw.choice(['http', 'https', 'HTTP'])}://{host}{port}/{''.join(draw.choices(ALPHABET, k=draw.randint(0, 9)))}"
        if _is_quoted(url):
            n_plain += 1
            assert safe_url_string(url) == url
    assert n_plain > 500


@pytest.mark.parametrize("url", ["http://a.org/x/y.html?b=1", "http://a.org/x y?é", "http://a.org", "http://a.org/?"])
def test_a_request_for_a_link_is_as_scrapy_makes_it(url: str):
    found, plain = (
        LinkRequests(get_crawler(settings_dict={})).request_for_new(url, None),
        Request(url, meta={TUNNEL: 0}),
    )
    assert found.to_dict() == plain.to_dict()
    assert found.replace(url="http://a.org/z z").url == "http://a.org/z%20z"


def test_what_is_no_url_is_refused_as_before():
    with pytest.raises(ValueError, match="Missing scheme"):
        LinkRequests(get_crawler(settings_dict={})).request_for_new("x", None)
