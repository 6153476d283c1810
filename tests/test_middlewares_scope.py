"""Requests that are out of scope, whoever makes them."""

from __future__ import annotations

import pytest
from crawls import a_crawl
from scrapy import Request
from scrapy.exceptions import IgnoreRequest

from focused.middlewares.scope import ScopeMiddleware
from focused.utils.scope import Scope

IN, OUT = "http://a.example/papers/1", "http://a.example/private/1"


@pytest.fixture
def middleware() -> ScopeMiddleware:
    crawler, _ = a_crawl(scope=Scope(allow=("a.example/papers/",)))
    return ScopeMiddleware.from_crawler(crawler)


def is_refused(middleware: ScopeMiddleware, request: Request) -> bool:
    try:
        middleware.request_scheduled(request, middleware.crawler.spider)
    except IgnoreRequest:
        return True
    return False


def test_what_is_out_of_scope_is_refused_also_with_dont_filter_and_let_through_by_allow_offsite_alone(middleware):
    assert not is_refused(middleware, Request(IN))
    assert is_refused(middleware, Request(OUT))
    assert is_refused(middleware, Request(OUT, dont_filter=True))
    assert not is_refused(middleware, Request(OUT, meta={"allow_offsite": True}))
    assert middleware.stats.get_value("focused/scope/requests_refused_count") == 2
    assert middleware.stats.get_value("offsite/filtered") is None


def test_domains_of_the_spider_hold_beside_the_scope(middleware):
    middleware.crawler.spider.allowed_domains = ["b.example"]
    assert is_refused(middleware, Request(IN))
    assert middleware.stats.get_value("offsite/filtered") == 1


def test_of_what_an_earlier_run_left_in_scrapys_queue_robots_txt_alone_is_fetched(middleware):
    assert (
        middleware.process_request(Request("http://a.example/robots.txt", meta={"dont_obey_robotstxt": True})) is None
    )
    with pytest.raises(
        IgnoreRequest, match=r"Out of scope \(allow has a\.example/papers/\): http://a\.example/private/1"
    ):
        middleware.process_request(Request(OUT))


def test_without_a_crawl_for_a_topic_it_is_scrapys_own():
    crawler, _ = a_crawl()
    middleware = ScopeMiddleware.from_crawler(crawler)
    assert not is_refused(middleware, Request(OUT))
