from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import hand_made
import pytest
from crawls import a_crawl, handed_over, passed_on
from scrapy import Request
from scrapy.exceptions import NotConfigured
from scrapy.http import HtmlResponse, Response
from scrapy.utils.test import get_crawler

from focused.items import PageItem
from focused.method.scoring import Visit
from focused.method.scoring.priority import to_priority
from focused.middlewares.link_scoring import LinkScoringMiddleware
from focused.utils.scope import Scope
from focused.utils.steps import Steps, finish

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

URL = "http://h.org/"
BODY = hand_made.html(
    hand_made.STARS, ("/a", "a nebula"), ("/b", "soup"), ("/x.pdf", "paper"), ("mailto:me@h.org", "me"), title="Stars"
)


def make(*, strategy: str = "anchor_text", drops: bool = False, **settings) -> LinkScoringMiddleware:
    return LinkScoringMiddleware.from_crawler(a_crawl(strategy, drops=drops, settings=settings)[0])


def response(body: bytes = BODY, url: str = URL, **meta) -> HtmlResponse:
    request = Request(url, meta=meta)
    return HtmlResponse(url, body=body, headers={"Content-Type": "text/html"}, request=request)


def item_and_requests(middleware: LinkScoringMiddleware, page: Response) -> tuple[PageItem, dict[str, Request]]:
    """The item of a page, and the requests for its links by their paths."""
    item, *requests = passed_on(middleware, page)
    return item, {request.url.removeprefix("http://h.org"): request for request in requests}


@pytest.fixture
def middleware() -> LinkScoringMiddleware:
    return make()


def test_a_link_gets_its_score_as_priority_and_says_why(middleware):
    request = item_and_requests(middleware, response(focused_irrelevant_on_path=2))[1]["/a"]
    score = request.meta["focused_link_score"]
    assert 0.5 <= score <= 1
    assert request.priority == to_priority(score, True)
    assert request.meta["focused_link_reason"] == "anchor"
    assert request.meta["focused_referrer"] == URL
    assert request.meta["focused_irrelevant_on_path"] == 2  # this page is relevant
    assert request.errback == middleware.crawler.spider.failed


def test_an_irrelevant_page_is_one_more_on_the_path(middleware):
    page = response(hand_made.html(hand_made.FOOD, ("/a", "a nebula")), focused_irrelevant_on_path=2)
    assert item_and_requests(middleware, page)[1]["/a"].meta["focused_irrelevant_on_path"] == 3


def test_a_link_below_the_threshold_is_deferred(middleware):
    page = response(hand_made.html(hand_made.STARS, ("/b", "soup")))
    request = item_and_requests(middleware, page)[1]["/b"]
    assert request.priority < 0
    assert request.meta["focused_link_reason"] == "below threshold"
    stats = middleware.crawler.stats
    assert stats.get_value("focused/links/deferred_count") == 1
    assert stats.get_value("focused/links/by_anchor_count") is None


def test_or_dropped_and_may_be_found_again_on_a_better_page():
    middleware = make(drops=True)
    assert list(item_and_requests(middleware, response())[1]) == ["/a"]
    assert middleware.crawler.stats.get_value("focused/links/dropped_count") == 1
    better = response(hand_made.html(hand_made.STARS, ("/b", "a nebula")), f"{URL}2")
    assert list(item_and_requests(middleware, better)[1]) == ["/b"]


def test_what_else_a_spider_yields_passes_untouched(middleware):
    own, other = Request(f"{URL}a", priority=7), {"url": URL}

    async def output() -> AsyncIterator[Any]:
        yield own
        yield other

    async def passes() -> list[Any]:
        return [each async for each in middleware.process_spider_output(response(), output())]

    assert asyncio.run(passes()) == [own, other]
    assert (own.priority, own.meta, other) == (7, {}, {"url": URL})


def test_links_that_were_requested_are_not_requested_again(middleware):
    assert list(item_and_requests(middleware, response())[1]) == ["/a", "/b"]
    assert item_and_requests(middleware, response(url=f"{URL}2"))[1] == {}
    assert middleware.crawler.stats.get_value("focused/links/merged_count") == 2


def test_the_item_carries_what_was_found_on_its_page(middleware):
    item = item_and_requests(middleware, response())[0]
    assert (item.url, item.title) == (URL, "Stars")
    expected = middleware.crawler.spider.plan.judge.judge(item.analysed)
    assert item.scores.relevance.page == pytest.approx(expected.page)
    assert item.scores.relevance.is_relevant
    assert item.relevant is None  # a pipeline classifies


def test_a_page_fetched_before_under_another_url_and_one_without_text_are_counted_and_end_here(middleware):
    assert passed_on(middleware, response())
    assert passed_on(middleware, response(focused_link_reason="anchor")) == []
    assert passed_on(middleware, response(b"\x89PNG\x00", f"{URL}picture")) == []
    assert passed_on(middleware, Response(f"{URL}empty", request=Request(f"{URL}empty"))) == []
    stats = middleware.crawler.stats
    assert stats.get_value("focused/pages/repeated_count") == 1
    assert stats.get_value("focused/pages/not_text_count") == 2


def test_a_second_answer_to_a_form_is_not_taken_for_the_first_one_s_page_and_the_log_says_how_to_keep_it(
    middleware, caplog
):
    assert passed_on(middleware, response())
    for _ in range(2):
        assert passed_on(middleware, response()) == []
    stats = middleware.crawler.stats
    assert stats.get_value("focused/pages/same_url_count") == 2
    assert stats.get_value("focused/pages/repeated_count") is None
    [said] = [line for line in caplog.messages if "is not taken" in line]
    assert f"A second page of {URL} is not taken" in said
    assert "PageItem.from_response(response, url=...)" in said

    for q in ("a", "b"):
        url = f"{URL}?q={q}"
        middleware.crawler.spider.parse = lambda page, url=url: [PageItem.from_response(page, url=url)]
        item, *_ = passed_on(middleware, response())
        assert (item.url, item.known_as) == (url, url)


@pytest.mark.parametrize(("depth", "n_links"), [(0, 2), (1, 2), (2, 0)])
def test_links_that_lie_too_deep_are_neither_requested_nor_counted(depth, n_links):
    middleware = LinkScoringMiddleware.from_crawler(a_crawl("anchor_text", scope=Scope(max_depth=2))[0])
    assert len(item_and_requests(middleware, response(depth=depth))[1]) == n_links
    stats = middleware.crawler.stats
    counted = sum(stats.get_value(f"focused/links/{what}_count", 0) for what in ("by_anchor", "deferred"))
    assert counted == n_links


def test_a_page_is_judged_once_and_what_it_lost_is_counted_once(middleware):
    passed_on(middleware, response())
    stats = middleware.crawler.stats
    assert stats.get_value("focused/links/scored_count") == 2
    assert stats.get_value("focused/links/refused_pdf_count") == 1
    assert stats.get_value("focused/links/refused_not_http_count") == 1


def test_without_scoring_all_links_have_the_same_priority():
    middleware = make(FOCUSED_LINK_SCORING_ENABLED=False)
    item, requests = item_and_requests(middleware, response())
    assert item.scores is None
    assert {path: request.priority for path, request in requests.items()} == {"/a": 0, "/b": 0}


def test_it_stays_out_of_other_spiders():
    with pytest.raises(NotConfigured):
        LinkScoringMiddleware.from_crawler(get_crawler(settings_dict={"TWISTED_REACTOR_ENABLED": False}))


def with_links(n_links: int, url: str = URL) -> HtmlResponse:
    return response(hand_made.html(hand_made.STARS, *((f"/{number}", "a nebula") for number in range(n_links))), url)


def judged_side_by_side(
    middleware: LinkScoringMiddleware, *responses: HtmlResponse
) -> tuple[list[str], list[PageItem]]:
    """Send pages through the middleware at a time; return what happened, turns of the loop as well, and the items."""
    events: list[str] = []
    items: list[PageItem] = []
    judging = middleware.crawler.spider.crawl.judging
    steps = judging.steps

    def watched(page: Any, visit: Any, **about: Any) -> Any:
        events.append(f"begin {page.url}")
        found = yield from steps(page, visit, **about)
        events.append(f"end {page.url}")
        return found

    judging.steps = watched

    async def passes(page: HtmlResponse) -> None:
        async for each in middleware.process_spider_output(page, handed_over(middleware.crawler, page)):
            if isinstance(each, PageItem):
                items.append(each)
                events.append(f"item {page.url}")

    async def turns(tasks: asyncio.Future[Any]) -> None:
        while not tasks.done():
            events.append("turn")
            await asyncio.sleep(0)

    async def together() -> None:
        tasks = asyncio.gather(*map(passes, responses))
        await asyncio.gather(tasks, turns(tasks))

    try:
        asyncio.run(asyncio.wait_for(together(), 60))
    finally:
        judging.steps = steps
    return events, items


@pytest.mark.parametrize("strategy", ["adaptive", "anchor_text"])
def test_a_page_of_many_links_leaves_others_their_turn_but_is_judged_before_those_that_come_later(strategy):
    large, small = with_links(3_500), with_links(3, "http://other.org/")
    middleware = make(strategy=strategy)
    events, _ = judged_side_by_side(middleware, large, small)
    judging = [each.split(" ")[0] for each in events[events.index(f"begin {URL}") : events.index(f"end {URL}")]]
    assert set(judging) <= {"begin", "turn"}
    assert judging.count("begin") == 1
    assert judging.count("turn") >= (8 if strategy == "adaptive" else 0)
    assert events[0] == "turn"  # to read it was enough for one
    begun = [each for each in events if each.startswith("begin")]
    assert begun == [f"begin {URL}", "begin http://other.org/"]
    assert not middleware.crawler.spider.crawl.judging.turn.is_taken
    assert middleware.crawler.stats.get_value("focused/links/scored_count") == 3_503


def test_pages_of_few_links_pass_without_a_turn():
    events, _ = judged_side_by_side(make(strategy="adaptive"), with_links(500), with_links(3, "http://other.org/"))
    assert "turn" not in events[: events.index("item http://other.org/")]


def test_scores_do_not_depend_on_how_many_turns_they_take():
    _, [in_turns] = judged_side_by_side(make(strategy="adaptive"), with_links(2_000))
    other = make(strategy="adaptive").crawler.spider.crawl.judging
    at_once = finish(other.steps(in_turns.analysed, in_turns.scores.visit))
    assert in_turns.scores.scores == at_once.scores
    assert len(set(at_once.scores)) >= 1


def test_a_model_that_takes_over_while_a_page_is_judged_changes_nothing_about_that_page():
    judging = make(strategy="adaptive").crawler.spider.crawl.judging
    page = make().crawler.spider.plan.reader.read(BODY, URL)
    steps = judging.steps(page, Visit())
    next(steps)
    judging.replace(version=2)
    work = Steps(steps)
    for _ in work:
        pass
    assert work.result.model_version == 1
    assert finish(judging.steps(page, Visit())).model_version == 2


def test_a_strategy_learns_less_of_a_page_that_says_little_new_and_nothing_of_a_copy():
    learnt = {}
    for newness in (1.0, 0.5, 0.25, 0.0):
        judging = make(strategy="adaptive").crawler.spider.crawl.judging
        page = make().crawler.spider.plan.reader.read(BODY, URL)
        scoring, seen = judging.session.score_in_steps, []
        judging.session.score_in_steps = lambda *args, scoring=scoring, seen=seen: (
            seen.append(args[1]) or scoring(*args)
        )
        scores = finish(judging.steps(page, Visit(), newness=newness))
        learnt[newness] = seen[0].page / scores.relevance.page
    assert learnt == {1.0: 1.0, 0.5: 1.0, 0.25: pytest.approx(0.5), 0.0: 0.0}


def test_a_page_that_cannot_be_judged_keeps_no_other_waiting(middleware):
    judging = middleware.crawler.spider.crawl.judging
    steps = judging.steps

    def fails(page: Any, visit: Any, **about: Any) -> Any:
        if page.n_links > 1_000:
            yield 1
            raise ArithmeticError("on purpose")
        return (yield from steps(page, visit))

    judging.steps = fails
    with pytest.raises(ArithmeticError):
        judged_side_by_side(middleware, with_links(1_500))
    assert not judging.turn.is_taken
    _, [small] = judged_side_by_side(middleware, with_links(3, f"{URL}small"))
    assert len(small.scores.scores) == 3
