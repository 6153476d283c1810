"""What is handed out next: links of the file and requests that only memory can hold, in one order of priority."""

from __future__ import annotations

import pytest
from scrapy import Request, Spider
from scrapy.utils.test import get_crawler
from test_frontier_host_availability import downloader

from focused.frontier.dispatch import Dispatch
from focused.frontier.known_links import KnownLinks
from focused.frontier.leases import Leases
from focused.frontier.link_requests import LinkRequests
from focused.frontier.politeness import HostAvailability
from focused.frontier.store.link import FrontierLink, fingerprint_of
from focused.frontier.store.store import FrontierStore
from focused.method.scoring import Evidence
from focused.method.scoring.priority import to_priority


@pytest.fixture
def dispatch(tmp_path):
    crawler = get_crawler()
    crawler.spider = Spider("any")
    store = FrontierStore(tmp_path / "frontier.db")
    links = KnownLinks(store)
    for score in (0.9, 0.2):
        url = f"http://links.example/{score}"
        links.add(
            FrontierLink(fingerprint_of(url, ""), url, Evidence(score, 3, True, referrer="http://links.example/"))
        )
    leases = Leases(crawler.signals, HostAvailability(downloader(concurrency=8)))
    yield Dispatch(links, LinkRequests(crawler), leases)
    store.close()


def order(dispatch: Dispatch) -> list[str]:
    return [request.url.rpartition("/")[2] for request in iter(dispatch.next, None)]


def own(name: str, score: float) -> Request:
    return Request(f"http://own.example/{name}", priority=to_priority(score, True))


def test_requests_in_memory_take_their_turn_among_the_links(dispatch):
    for name, score in [("last", 0.1), ("middle", 0.5), ("first", 0.95), ("middle-too", 0.5)]:
        dispatch.queue.push(own(name, score), is_new=True)
    assert order(dispatch) == ["first", "0.9", "middle", "middle-too", "0.2", "last"]


def test_what_goes_on_with_a_link_comes_before_all(dispatch):
    dispatch.queue.push(own("better", 1.0), is_new=True)
    dispatch.queue.push(own("retry", 0.1), is_new=False)
    assert order(dispatch) == ["retry", "better", "0.9", "0.2"]


def test_a_request_in_memory_does_not_wait_for_a_link_whose_host_rests(dispatch):
    dispatch.leases.ready_at.rest("links.example", float("inf"))
    dispatch.queue.push(own("now", 0.1), is_new=True)
    assert order(dispatch) == ["now"]


def test_a_request_in_memory_waits_while_its_origin_rests_and_another_of_the_same_host_does_not(dispatch):
    standing_back = dispatch.links.store.standing_back
    standing_back.rests_until = lambda url: float("inf") if url.startswith("http://own.example:81/") else 0.0
    dispatch.queue.push(Request("http://own.example:81/rests", priority=to_priority(1.0, True)), is_new=False)
    dispatch.queue.push(own("now", 0.95), is_new=True)
    assert order(dispatch) == ["now", "0.9", "0.2"]
    standing_back.rests_until = lambda _: 0.0
    assert order(dispatch) == ["rests"]
