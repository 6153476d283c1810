from __future__ import annotations

from types import SimpleNamespace

import hand_made
import pytest
from scrapy import Request
from scrapy.exceptions import NotConfigured
from scrapy.http import HtmlResponse
from scrapy.utils.test import get_crawler

from focused.crawl import Crawl
from focused.frontier.priority import to_priority
from focused.looked import LOOKED
from focused.middlewares import LinkScoringMiddleware
from focused.page.reader import PageReader
from focused.relevance import Judge
from focused.strategies import make_strategy

URL = "http://h.org/"
BODY = hand_made.html(
    hand_made.STARS, ("/a", "a nebula"), ("/b", "soup"), ("/x.pdf", "paper"), ("mailto:me@h.org", "me"), title="Stars"
)


def make(*, strategy: str = "anchor_text", drops: bool = False, **settings) -> LinkScoringMiddleware:
    topic = hand_made.topic()
    plan = SimpleNamespace(
        topic=topic,
        judge=Judge(topic),
        strategy=make_strategy(strategy),
        reader=PageReader(topic.analyzer),
        drops_below_threshold=drops,
    )
    settings = {"TWISTED_REACTOR_ENABLED": False, "FOCUSED_LINK_SCORING_ENABLED": True, **settings}
    crawler = get_crawler(settings_dict=settings)
    crawler.spider = SimpleNamespace(crawl=Crawl(plan), plan=plan, crawler=crawler)
    return LinkScoringMiddleware.from_crawler(crawler)


def response(body: bytes = BODY, **meta) -> HtmlResponse:
    request = Request(URL, meta=meta)
    return HtmlResponse(URL, body=body, headers={"Content-Type": "text/html"}, request=request)


@pytest.fixture
def middleware() -> LinkScoringMiddleware:
    return make()


def test_a_link_gets_its_score_as_priority_and_says_why(middleware):
    request = middleware.get_processed_request(Request(f"{URL}a"), response(focused_irrelevant_on_path=2))
    score = request.meta["focused_link_score"]
    assert 0.5 <= score <= 1
    assert request.priority == to_priority(score, True)
    assert request.meta["focused_link_reason"] == "anchor"
    assert request.meta["focused_referrer"] == URL
    assert request.meta["focused_irrelevant_on_path"] == 2  # this page is relevant


def test_an_irrelevant_page_is_one_more_on_the_path(middleware):
    page = response(hand_made.html(hand_made.FOOD, ("/a", "a nebula")), focused_irrelevant_on_path=2)
    request = middleware.get_processed_request(Request(f"{URL}a"), page)
    assert request.meta["focused_irrelevant_on_path"] == 3


def test_a_link_below_the_threshold_is_deferred(middleware):
    request = middleware.get_processed_request(Request(f"{URL}b"), response())
    assert request.priority < 0
    assert request.meta["focused_link_reason"] == "below threshold"
    stats = middleware.crawler.stats
    assert stats.get_value("focused/links/deferred_count") == 1
    assert stats.get_value("focused/links/by_anchor_count") is None


def test_or_dropped_and_may_be_found_again_on_a_better_page():
    middleware = make(drops=True)
    assert middleware.get_processed_request(Request(f"{URL}b"), response()) is None
    assert middleware.crawler.stats.get_value("focused/links/dropped_count") == 1
    page = middleware.crawl.plan.reader.read(b"<a href=/b>nebula</a>", URL)
    assert list(middleware.crawl.new_links(page)) == [f"{URL}b"]


def test_priorities_of_other_middlewares_are_kept():
    """Scrapy's DEPTH_PRIORITY comes before."""
    plain = make().get_processed_request(Request(f"{URL}a"), response()).priority
    assert make().get_processed_request(Request(f"{URL}a", priority=-7), response()).priority == plain - 7


def test_requests_that_are_no_links_of_the_page_pass_untouched(middleware):
    for request, origin in ((Request(f"{URL}elsewhere"), response()), (Request(f"{URL}a"), None)):
        assert middleware.get_processed_request(request, origin) is request
        assert (request.priority, request.meta) == (0, {})


def test_links_that_were_asked_for_are_not_asked_for_again(middleware):
    middleware.get_processed_request(Request(f"{URL}a"), response())
    again = response()
    page = middleware.crawl.page(again)
    middleware.get_processed_item(middleware.crawl.item(again, page), again)
    assert list(middleware.crawl.new_links(page, again.meta[LOOKED])) == [f"{URL}b"]
    # Nor where somebody asks for more.
    assert middleware.get_processed_request(Request(f"{URL}a"), again) is None
    assert middleware.crawler.stats.get_value("focused/links/merged_count") == 1


def test_the_item_gets_the_relevance_of_its_page(middleware):
    origin = response()
    item = middleware.crawl.item(origin, middleware.crawl.page(origin))
    assert middleware.get_processed_item(item, origin) is item
    expected = middleware.crawl.plan.judge.judge(item.analysed)
    assert item.relevance == pytest.approx(expected.page)
    assert item.relevant is True


def test_other_items_are_nobodys_business(middleware):
    item = {"url": URL}
    assert middleware.get_processed_item(item, response()) is item
    assert item == {"url": URL}


def test_a_page_is_judged_once_and_what_it_lost_is_counted_once(middleware):
    origin = response()
    for name in ("a", "b"):
        middleware.get_processed_request(Request(f"{URL}{name}"), origin)
    middleware.get_processed_item(middleware.crawl.item(origin, middleware.crawl.page(origin)), origin)
    stats = middleware.crawler.stats
    assert stats.get_value("focused/links/scored_count") == 2
    assert stats.get_value("focused/links/refused_not_page_count") == 1
    assert stats.get_value("focused/links/refused_not_http_count") == 1


def test_it_can_be_switched_off_and_stays_out_of_other_spiders():
    with pytest.raises(NotConfigured):
        make(FOCUSED_LINK_SCORING_ENABLED=False)
    crawler = get_crawler(settings_dict={"TWISTED_REACTOR_ENABLED": False, "FOCUSED_LINK_SCORING_ENABLED": True})
    crawler.spider = SimpleNamespace(crawler=crawler)
    with pytest.raises(NotConfigured):
        LinkScoringMiddleware.from_crawler(crawler)


def test_a_page_is_judged_and_counted_once_however_many_others_come_between(middleware):
    judged = []
    judge = middleware.crawl.judge
    middleware.crawl.judge = lambda page, visit: judged.append(page.url) or judge(page, visit)
    first, second = response(), response(BODY.replace(b"soup", b"star"))
    for _ in range(3):
        for each in (first, second):
            middleware.get_processed_request(Request(f"{URL}a"), each)
            middleware.get_processed_request(Request(f"{URL}b"), each)
    assert len(judged) == 2
    stats = middleware.crawler.stats
    assert stats.get_value("focused/links/scored_count") == 4
    assert stats.get_value("focused/links/refused_not_page_count") == 2
