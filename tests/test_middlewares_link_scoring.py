from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import hand_made
import pytest
from scrapy import Request
from scrapy.exceptions import NotConfigured
from scrapy.http import HtmlResponse
from scrapy.utils.test import get_crawler

from focused.crawl.state import Crawl
from focused.method.page.reader import PageReader
from focused.method.scoring.page_scores import PAGE_SCORES
from focused.method.scoring.priority import to_priority
from focused.method.strategies import make_strategy
from focused.method.topic.judge import Judge
from focused.middlewares.link_scoring import LinkScoringMiddleware

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

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
    assert list(middleware.crawl.new_links(page, again.meta[PAGE_SCORES])) == [f"{URL}b"]
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


def with_links(n_links: int, url: str = URL) -> HtmlResponse:
    body = hand_made.html(hand_made.STARS, *((f"/{number}", "a nebula") for number in range(n_links)))
    return HtmlResponse(url, body=body, headers={"Content-Type": "text/html"}, request=Request(url))


def judged_side_by_side(middleware: LinkScoringMiddleware, *responses: HtmlResponse) -> list[str]:
    """Send pages through the middleware at a time; return what happened, turns of the loop as well."""
    events: list[str] = []
    judge = middleware.crawl.judge

    def watched(page: Any, visit: Any) -> Any:
        events.append(f"begin {page.url}")
        found = yield from judge(page, visit)
        events.append(f"end {page.url}")
        return found

    middleware.crawl.judge = watched

    async def items(response: HtmlResponse) -> AsyncIterator[Any]:
        page = middleware.crawl.page(response)
        yield middleware.crawl.item(response, page)
        for url in middleware.crawl.new_links(page, response.meta.get(PAGE_SCORES)):
            yield Request(url)

    async def passes(response: HtmlResponse) -> None:
        async for each in middleware.process_spider_output_async(response, items(response)):
            if not isinstance(each, Request):
                assert each.relevance is not None
                events.append(f"item {response.url}")

    async def turns(tasks: asyncio.Future[Any]) -> None:
        while not tasks.done():
            events.append("turn")
            await asyncio.sleep(0)

    async def together() -> None:
        tasks = asyncio.gather(*map(passes, responses))
        await asyncio.gather(tasks, turns(tasks))

    asyncio.run(asyncio.wait_for(together(), 60))
    return events


@pytest.mark.parametrize("strategy", ["adaptive", "anchor_text"])
def test_a_page_of_many_links_leaves_others_their_turn_but_is_judged_before_those_that_come_later(strategy):
    large, small = with_links(3_500), with_links(3, "http://other.org/")
    middleware = make(strategy=strategy)
    events = judged_side_by_side(middleware, large, small)
    judging = [each.split(" ")[0] for each in events[events.index(f"begin {URL}") : events.index(f"end {URL}")]]
    assert set(judging) <= {"begin", "turn"}
    assert judging.count("begin") == 1
    assert judging.count("turn") >= (8 if strategy == "adaptive" else 0)
    assert events[0] == "turn"  # to read it was enough for one
    begun = [each for each in events if each.startswith("begin")]
    assert begun == [f"begin {URL}", "begin http://other.org/"]
    assert not middleware.crawl.judging.is_taken
    assert middleware.crawler.stats.get_value("focused/links/scored_count") == 3_503


def test_pages_of_few_links_pass_without_a_turn():
    events = judged_side_by_side(make(strategy="adaptive"), with_links(500), with_links(3, "http://other.org/"))
    assert "turn" not in events[: events.index("item http://other.org/")]


def test_scores_do_not_depend_on_how_many_turns_they_take():
    middleware, other = make(strategy="adaptive"), make(strategy="adaptive")
    in_turns, at_once = with_links(2_000), with_links(2_000)
    judged_side_by_side(middleware, in_turns)
    other.get_processed_item(other.crawl.item(at_once, other.crawl.page(at_once)), at_once)
    assert in_turns.meta[PAGE_SCORES].scores == at_once.meta[PAGE_SCORES].scores
    assert len(set(at_once.meta[PAGE_SCORES].scores)) >= 1


def test_a_page_that_cannot_be_judged_keeps_no_other_waiting(middleware):
    judge = middleware.crawl.judge

    def fails(page: Any, visit: Any) -> Any:
        if page.n_links > 1_000:
            yield 1
            raise ArithmeticError("on purpose")
        return (yield from judge(page, visit))

    middleware.crawl.judge = fails
    with pytest.raises(ArithmeticError):
        judged_side_by_side(middleware, with_links(1_500))
    assert not middleware.crawl.judging.is_taken
    small = with_links(3)
    judged_side_by_side(middleware, small)
    assert len(small.meta[PAGE_SCORES].scores) == 3
