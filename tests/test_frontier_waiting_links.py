"""Links that change their score while they wait: pushed again, passed over, pushed back; nothing fetched twice."""

from __future__ import annotations

import hand_made
import pytest
from crawls import a_crawl, passed_on
from scrapy import Request
from scrapy.exceptions import IgnoreRequest, NotConfigured
from scrapy.http import HtmlResponse

from focused.frontier.scrapy_frontier import WaitingLinks
from focused.method.scoring import REASONS, Evidence
from focused.method.scoring.evidence import better
from focused.method.scoring.link_meta import read_evidence, write_evidence
from focused.method.scoring.priority import to_priority
from focused.middlewares.link_scoring import LinkScoringMiddleware
from focused.middlewares.waiting_links import WaitingLinkMiddleware

URL = "http://h.org/"
A = Evidence(0.5, 1, True, referrer="http://h.org/1", depth=2, irrelevant_on_path=1, parts=(0.5, 0.5))
B = Evidence(0.7, 3, True, referrer="http://h.org/2", depth=5, carried=2.0, n_referrers=2)


# --- What is kept ---------------------------------------------------------------------------------------------------
def test_a_link_waits_until_it_is_asked_for_however_it_is_spelt():
    waiting = WaitingLinks(better)
    assert waiting.put(b"a", "http://h.org/?x&y", A)
    assert waiting.put(b"a", "http://h.org/?y&x", B)
    assert waiting.get(b"a") == waiting.best() == B
    assert [waiting.may_change(f"http://h.org/{query}") for query in ("?x&y", "?y&x", "?z")] == [True, True, False]
    waiting.take(b"a")
    assert (waiting.get(b"a"), waiting.best(), len(waiting), waiting.was_asked(b"a")) == (None, None, 0, True)
    assert [waiting.may_change(f"http://h.org/{query}") for query in ("?x&y", "?y&x")] == [False, False]


def test_there_is_room_for_so_many_links_and_no_more():
    waiting = WaitingLinks(better, max_links=2)
    assert [waiting.put(name.encode(), f"{URL}{name}", A) for name in "abc"] == [True, True, False]
    assert waiting.put(b"a", f"{URL}a", B)  # it waits already
    waiting.take(b"b")
    assert waiting.put(b"c", f"{URL}c", A)


@pytest.mark.parametrize("evidence", [A, B, Evidence(0.1, REASONS.index("below threshold"), False)])
def test_evidence_survives_the_meta_of_a_request(evidence):
    meta = {"focused_carried": 7.0, "focused_parts": (1.0,), "focused_referrers": 9}  # of the evidence before
    write_evidence(meta, evidence)
    assert read_evidence(meta) == evidence


# --- In a crawl -----------------------------------------------------------------------------------------------------
class Seam:
    """The link middlewares of one crawl on Scrapy's scheduler, and pages that link to /a."""

    def __init__(self, strategy: str = "patel_schmidt", *, drops: bool = False) -> None:
        self.crawler, _ = a_crawl(strategy, drops=drops)
        self.crawler.spider.failed = print
        self.scoring = LinkScoringMiddleware.from_crawler(self.crawler)
        self.popping = WaitingLinkMiddleware.from_crawler(self.crawler)

    def found_on(self, name: str, text: str, anchor: str = "more", url: str = "/a", **meta) -> Request | None:
        """What goes to the scheduler when a page is found to link to /a."""
        body = hand_made.html(text, (url, anchor))
        page = HtmlResponse(f"{URL}{name}", body=body, request=Request(f"{URL}{name}", meta=meta))
        requests = [each for each in passed_on(self.scoring, page) if isinstance(each, Request)]
        assert len(requests) <= 1
        return requests[0] if requests else None

    def pop(self, request: Request) -> Request | None:
        return self.popping.process_request(request)

    def stat(self, name: str) -> int:
        return self.crawler.stats.get_value(f"focused/links/{name}_count", 0)


@pytest.fixture
def seam() -> Seam:
    return Seam()


def test_a_link_that_got_better_is_pushed_again_past_the_dupefilter(seam):
    first = seam.found_on("1", hand_made.FOOD)
    second = seam.found_on("2", hand_made.STARS, "a nebula", depth=3)
    assert second.priority > first.priority
    assert (first.dont_filter, second.dont_filter) == (False, True)
    assert second.meta["focused_referrer"] == f"{URL}2"
    assert second.meta["focused_referrers"] == 2
    assert second.priority == to_priority(second.meta["focused_link_score"], True)
    assert (seam.stat("merged"), seam.stat("pushed_again")) == (1, 1)
    assert seam.stat("by_page") + seam.stat("by_anchor") == 1  # one link


def test_of_its_two_requests_the_first_is_fetched_with_all_that_is_known_and_the_second_is_nothing_at_all(seam):
    first, second = seam.found_on("1", hand_made.FOOD), seam.found_on("2", hand_made.STARS, "a nebula")
    assert seam.pop(second) is None
    assert (second.dont_filter, "focused_waits" in second.meta) == (False, False)
    with pytest.raises(IgnoreRequest):
        seam.pop(first)
    assert first.errback is None  # no failure
    assert seam.stat("stale") == 1
    assert seam.found_on("3", hand_made.STARS, "a nebula") is None  # it is being fetched


def test_a_retry_or_the_target_of_a_redirect_is_not_stale(seam):
    first, second = seam.found_on("1", hand_made.FOOD), seam.found_on("2", hand_made.STARS, "a nebula")
    seam.pop(second)
    retry, redirected = second.replace(dont_filter=True), second.replace(url=f"{URL}elsewhere")
    assert (seam.pop(retry), seam.pop(redirected)) == (None, None)
    assert redirected.dont_filter is False  # whoever knows the target fetches it once
    with pytest.raises(IgnoreRequest):
        seam.pop(first)


def test_a_link_that_got_worse_is_pushed_back_to_its_new_place(seam):
    first = seam.found_on("1", hand_made.STARS)
    assert seam.found_on("2", hand_made.FOOD) is None
    back = seam.pop(first)
    assert back.priority < first.priority
    assert back.priority == to_priority(back.meta["focused_link_score"], True)
    assert back.dont_filter
    assert back.errback is print
    assert seam.stat("pushed_back") == 1
    assert seam.pop(back) is None
    assert back.meta["focused_referrers"] == 2


def test_priorities_of_other_middlewares_are_kept_when_a_link_is_pushed_back(seam):
    """Scrapy's DEPTH_PRIORITY, say."""
    first = seam.found_on("1", hand_made.STARS)
    first.priority += 3
    seam.found_on("2", hand_made.FOOD)
    back = seam.pop(first)
    assert back.priority == to_priority(back.meta["focused_link_score"], True) + 3


def test_another_spelling_of_a_link_is_the_same_link(seam):
    first = seam.found_on("1", hand_made.FOOD, url="/a?x=1&y=2")
    second = seam.found_on("2", hand_made.STARS, "a nebula", url="/a?y=2&x=1")
    assert second.priority > first.priority
    assert seam.pop(second) is None
    with pytest.raises(IgnoreRequest):
        seam.pop(first)
    assert seam.found_on("3", hand_made.STARS, url="/a?y=2&x=1#top") is None


def test_a_link_that_was_asked_for_as_the_target_of_a_redirect_is_not_asked_for_again(seam):
    first = seam.found_on("1", hand_made.FOOD)
    assert seam.pop(Request(first.url, meta={"redirect_times": 1})) is None
    with pytest.raises(IgnoreRequest):
        seam.pop(first)
    assert seam.found_on("2", hand_made.STARS, "a nebula") is None


def test_questions_for_robots_txt_always_pass(seam):
    for _ in range(2):
        assert seam.pop(Request(f"{URL}robots.txt", meta={"dont_obey_robotstxt": True})) is None


def test_a_deferred_link_that_is_admitted_later_is_counted_as_admitted():
    seam = Seam("fish_search")
    first = seam.found_on("1", hand_made.FOOD, focused_carried=0.0)
    assert first.priority < 0
    assert seam.stat("deferred") == 1
    second = seam.found_on("2", hand_made.STARS)
    assert second.priority > 0
    assert second.meta["focused_carried"] == 3.0
    assert (seam.stat("deferred"), seam.stat("by_page")) == (0, 1)


def test_a_dropped_link_can_be_found_again_on_a_better_page():
    seam = Seam("fish_search", drops=True)
    assert seam.found_on("1", hand_made.FOOD, focused_carried=0.0) is None
    assert seam.stat("dropped") == 1
    assert seam.found_on("2", hand_made.STARS).priority > 0


def test_what_a_page_gives_along_reaches_the_next_one_through_the_request():
    seam = Seam("fish_search")
    assert seam.found_on("1", hand_made.FOOD, focused_carried=2.0).meta["focused_carried"] == 1.0


def test_strategies_that_do_not_merge_keep_nothing_and_have_no_such_middleware():
    with pytest.raises(NotConfigured):
        Seam("breadth_first")
