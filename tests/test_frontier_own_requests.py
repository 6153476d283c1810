"""Requests of a spider's own as text: all that JSON can keep comes back as it was, the rest is refused and named."""

from __future__ import annotations

import json

import pytest
import scrapy
from scrapy import FormRequest, Request
from scrapy.http import JsonRequest
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.test import get_crawler

from focused.frontier.link_requests import LinkRequests, NotDurableError, from_text, to_text


class Spider(scrapy.Spider):
    name = "own"

    def parse_story(self, response):
        pass

    def gone(self, failure):
        pass


@pytest.fixture
def spider() -> Spider:
    return Spider()


def test_all_of_a_request_comes_back(spider):
    request = Request(
        "http://a.example/x",
        method="POST",
        headers={"X-Many": ["1", "2"], "X-Bytes": b"\xff\x00"},
        body=b"\x00\xff body",
        cookies={"session": "1"},
        meta={
            "playwright": True,
            "proxy": "http://p.example:1",
            "cookiejar": 3,
            "depth": 2,
            "nested": {"list": [1, None, 0.5]},
        },
        cb_kwargs={"page": 2},
        flags=["first"],
        dont_filter=True,
        callback=spider.parse_story,
        errback=spider.gone,
        encoding="latin-1",
    )
    back = from_text(to_text(request, spider), spider, priority=7)
    assert back.to_dict(spider=spider) == {**request.to_dict(spider=spider), "priority": 7}


@pytest.mark.parametrize(
    "request_", [FormRequest("http://a.example/", formdata={"q": "1"}), JsonRequest("http://a.example/", data=[1])]
)
def test_requests_of_scrapys_other_classes_come_back(spider, request_):
    back = from_text(to_text(request_, spider), spider, priority=0)
    assert type(back) is type(request_)
    assert (back.method, back.headers, back.body) == (request_.method, request_.headers, request_.body)


def test_what_belongs_to_the_link_of_the_page_it_came_from_is_left_out(spider):
    request = Request("http://a.example/", meta={"focused_link_score": 0.5, "download_latency": 0.1, "kept": 1})
    assert json.loads(to_text(request, spider))["meta"] == {"kept": 1}


class Own(Request):
    pass


@pytest.mark.parametrize(
    ("request_", "why"),
    [
        (Request("http://a.example/", meta={"x": object()}), r"meta\['x'\] holds a object, which JSON cannot keep"),
        (Request("http://a.example/", meta={"x": [(1, 2)]}), r"meta\['x'\] holds a tuple"),
        (Request("http://a.example/", cb_kwargs={"x": {1: 2}}), r"cb_kwargs\['x'\] has the key 1, which is no text"),
        (Request("http://a.example/", callback=lambda response: None), "its callback or errback is no method of the spider"),
        (Request("http://a.example/", callback=NO_CALLBACK), "its callback or errback is no method of the spider"),
        (Own("http://a.example/"), "its class is test_frontier_own_requests.Own, not one of Scrapy's"),
    ],
)  # fmt: skip
def test_what_cannot_be_kept_is_named(spider, request_, why):
    with pytest.raises(NotDurableError, match=why):
        to_text(request_, spider)


def test_a_file_names_neither_foreign_classes_nor_methods_that_there_are_not(spider):
    text = to_text(Request("http://a.example/", callback=spider.parse_story), spider)
    with pytest.raises(ValueError, match="'parse_story' not found"):
        from_text(text, scrapy.Spider("other"), priority=0)
    with pytest.raises(ValueError, match=r"of the class os\.system, which is not one of Scrapy's"):
        from_text(json.dumps({**json.loads(text), "_class": "os.system"}), spider, priority=0)


@pytest.mark.parametrize(
    "own",
    [{"headers": {"X-Own": "1"}}, {"flags": ["own"]}, {"meta": {"focused_link_score": 0.5, "own": 1}}, {"cls": FormRequest}],
    ids=["headers", "flags", "meta", "class"],
)  # fmt: skip
def test_what_a_spider_middleware_adds_to_the_request_for_a_link_is_kept(own):
    crawler = get_crawler(Spider, settings_dict={})
    crawler.spider = crawler._create_spider()
    requests = LinkRequests(crawler)
    found = requests.request_for_new("http://a.example/", None)
    found.headers["Referer"] = "http://a.example/from"  # made again when it is handed out
    assert requests.text_of(found) is None
    text = requests.text_of(found.replace(**own))
    assert text is not None
    back = from_text(text, crawler.spider, priority=0)
    assert (back.headers.get("X-Own"), back.flags, back.meta.get("own"), type(back)) == (
        b"1" if "headers" in own else None,
        own.get("flags", []),
        1 if "meta" in own else None,
        own.get("cls", Request),
    )
