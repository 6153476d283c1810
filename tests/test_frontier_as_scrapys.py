"""What Scrapy's own tests ask of a scheduler, of this one: Scrapy 2.19's test_scheduler, _scheduler_base, _squeues_request."""

from __future__ import annotations

import hashlib
from contextlib import contextmanager
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from crawls import a_crawl
from databases import empty_database
from scrapy import FormRequest, Request
from scrapy.core.scheduler import BaseScheduler
from stores import commit, quick_threads, settle, until
from test_frontier_host_availability import downloader

from focused.frontier.scheduler import FrontierScheduler

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

URLS = [f"https://example.org/{name}" for name in "abc"]
HUGE = [10**30, 10**30 - 10**18, 2**64, 2**63, 2**61 + 1, 2**61, 2**40 + 1, 2**40, 10**6 + 1, 10**6, 8_000_000]
PRIORITIES = sorted({*HUGE, *(-each for each in HUGE), 10_001, 1_001, 3, 2, 1, 0, -1, -2, -3, -70_000})


#: A connection to the database of the tests here, by its URL.
ASKED: dict[str, Any] = {}


@pytest.fixture(scope="module")
def shared_tables(database_server) -> Iterator[str]:
    """The URL of a database for crawls of all tests here, each of its own name."""
    from focused.frontier.shared.schema import connect

    url = empty_database(database_server)
    with connect(url) as ASKED[url]:
        yield url


@pytest.fixture(params=["SQLite", "PostgreSQL"])
def opened(request, tmp_path, monkeypatch) -> Iterator[Callable[[], Any]]:
    """Opens a scheduler as a crawl has it, with a downloader that holds what it is given; again each time it is called."""
    settings = {}
    if request.param == "PostgreSQL":
        settings = {
            "FOCUSED_DATABASE": request.getfixturevalue("shared_tables"),
            "FOCUSED_CRAWL": hashlib.sha256(request.node.name.encode()).hexdigest()[:20],
        }
        monkeypatch.setattr("focused.frontier.shared_scheduler.SharedScheduler._woken", lambda self: None)
        monkeypatch.setattr("focused.frontier.wakeup.Wakeup.at", lambda self, when: None)  # there is no reactor

    @contextmanager
    def open_it() -> Iterator[FrontierScheduler]:
        crawler, _ = a_crawl(run_dir=tmp_path, settings=settings)
        crawler._engine = SimpleNamespace(downloader=downloader(concurrency=8), _slot=SimpleNamespace(inprogress=set()))
        crawler.engine = crawler._engine
        scheduler = FrontierScheduler.from_crawler(crawler)
        assert isinstance(scheduler, FrontierScheduler)
        assert scheduler.open(crawler.spider) is None
        try:
            yield scheduler
        finally:
            assert FrontierScheduler.close(scheduler, "finished") is None
            if scheduler.store.is_shared:
                scheduler._say_good_bye()

    with quick_threads(monkeypatch):
        yield open_it


def settled(scheduler: FrontierScheduler) -> FrontierScheduler:
    """The scheduler, when all that waits is there to be handed out: many workers' links come from a database."""
    if scheduler.store.is_shared:
        store, crawler = scheduler.store, scheduler.crawler
        settle(store, ASKED[crawler.settings["FOCUSED_DATABASE"]])
        scheduler.worker.exchange.keeper._renewed = 0.0
        seen = scheduler.worker.totals
        until(lambda: scheduler.worker.totals is not seen, scheduler.worker)
        seen = scheduler.worker.totals
        until(lambda: scheduler.worker.totals is not seen, scheduler.worker)
    return scheduler


def put(scheduler: FrontierScheduler, *requests: Request) -> list[bool]:
    """Which of requests are new; where a database says so, later, by how many wait then."""
    if not scheduler.store.is_shared:
        return [scheduler.enqueue_request(request) for request in requests]
    found = []
    for request in requests:
        n_before = scheduler.crawler.stats.get_value("scheduler/enqueued", 0)
        is_new = scheduler.enqueue_request(request)
        commit(scheduler.store)
        found.append(is_new and scheduler.crawler.stats.get_value("scheduler/enqueued", 0) > n_before)
    return found


def size(scheduler: FrontierScheduler) -> int:
    """How many requests wait, those under way left out."""
    n_under_way = len(scheduler._leases) if scheduler.store.is_shared else 0
    return len(settled(scheduler)) - n_under_way


def pop(scheduler: FrontierScheduler) -> Request:
    """The next request, which the downloader then holds."""
    request = settled(scheduler).next_request()
    assert request is not None
    scheduler.crawler.engine._slot.inprogress.add(request)
    return request


def is_pending(scheduler: FrontierScheduler) -> bool:
    """Whether anything waits; many workers' scheduler says so as well while others, or pages under way, may bring more."""
    return size(scheduler) > 0 if scheduler.store.is_shared else scheduler.has_pending_requests()


def drain(scheduler: FrontierScheduler) -> list[Request]:
    """All requests in order."""
    found = []
    while is_pending(scheduler):
        found.append(pop(scheduler))
    return found


@pytest.fixture(params=[False, True], ids=["open", "opened again"])
def filled(request, opened):
    """Returns a scheduler that was given requests, and was closed and opened again since, or not."""
    contexts = []

    def fill(*requests: Request) -> FrontierScheduler:
        contexts.append(opened())
        scheduler = contexts[-1].__enter__()
        put(scheduler, *requests)
        if request.param:
            contexts.pop().__exit__(None, None, None)
            contexts.append(opened())
            scheduler = contexts[-1].__enter__()
        return scheduler

    yield fill
    for context in contexts:
        context.__exit__(None, None, None)


def test_it_is_a_scheduler_that_is_empty_at_first(opened):
    with opened() as scheduler:
        assert isinstance(scheduler, BaseScheduler)
        assert not is_pending(scheduler)
        assert size(scheduler) == 0
        assert settled(scheduler).next_request() is None


def test_what_is_put_in_is_counted_and_comes_out_once(filled):
    scheduler = filled(*map(Request, URLS))
    assert is_pending(scheduler)
    assert size(scheduler) == len(URLS)
    assert {request.url for request in drain(scheduler)} == set(URLS)
    assert not is_pending(scheduler)
    assert size(scheduler) == 0
    assert settled(scheduler).next_request() is None


def test_equals_come_out_in_the_order_in_which_they_went_in(filled):
    assert [request.url for request in drain(filled(*map(Request, URLS)))] == URLS


def test_priorities_of_any_size_are_an_order_and_come_back_as_they_were(filled):
    requests = [
        Request(f"https://example.org/{number}", priority=priority) for number, priority in enumerate(PRIORITIES)
    ]
    assert [request.priority for request in drain(filled(*requests))] == PRIORITIES[::-1]


def test_of_equal_huge_priorities_the_oldest_comes_first(filled, request):
    if "PostgreSQL" in request.node.name:
        pytest.xfail("a rank holds no turn there, and a row of many workers' links no number: they come in any order")
    requests = [Request(url, priority=2**70) for url in URLS]
    assert [request.url for request in drain(filled(*requests))] == URLS


@pytest.mark.parametrize("priority", [0, 2**70])
@pytest.mark.parametrize(
    "more",
    [{}, {"meta": {"page": 1}}, {"callback": print}, {"method": "POST", "body": b"q=1"}, {"meta": {"x": object()}}],
)
def test_a_request_is_taken_in_once_also_when_it_was_handed_out_unless_it_says_otherwise(opened, more, priority):
    with opened() as scheduler:
        requests = [Request(URLS[0], priority=priority, **more) for _ in range(4)]
        requests[3] = requests[3].replace(dont_filter=True)
        assert put(scheduler, *requests[:2]) == [True, False]
        drain(scheduler)
        assert put(scheduler, *requests[2:]) == [False, True]
        assert size(scheduler) == 1


def test_bodies_and_methods_tell_requests_apart_and_meta_does_not(filled):
    form = [FormRequest(URLS[0], formdata={"page": str(number % 2)}) for number in range(4)]
    scheduler = filled(Request(URLS[0]), *form, Request(URLS[0], meta={"page": 3}), Request(URLS[0], method="HEAD"))
    found = drain(scheduler)
    assert [(request.method, request.body) for request in found] == [
        ("GET", b""), ("POST", b"page=0"), ("POST", b"page=1"), ("HEAD", b"")
    ]  # fmt: skip


def test_what_was_taken_in_is_known_when_it_is_opened_again(opened):
    posts = [FormRequest(url, formdata={"q": "1"}, meta={"page": 1}) for url in URLS]
    with opened() as scheduler:
        assert put(scheduler, *posts) == [True] * 3
        assert pop(scheduler).url == URLS[0]
    with opened() as scheduler:
        assert put(scheduler, *posts) == [False] * 3
        # What was under way waits again.
        assert [(request.url, request.meta["page"]) for request in drain(scheduler)] == [(url, 1) for url in URLS]


@pytest.mark.parametrize("more", [{}, {"meta": {"x": object()}}], ids=["durable", "in memory"])
def test_one_that_is_not_filtered_takes_its_turn_by_its_priority(opened, more):
    with opened() as scheduler:
        late = Request(URLS[0], priority=-5, dont_filter=True, **more)
        put(scheduler, late, Request(URLS[1], priority=5), Request(URLS[2], priority=-9), Request(URLS[0], priority=3))
        assert [request.priority for request in drain(scheduler)] == [5, 3, -5, -9]


def test_it_may_be_closed_and_opened_many_times(opened):
    for number in range(3):
        with opened() as scheduler:
            assert size(scheduler) == number
            put(scheduler, Request(f"{URLS[0]}{number}"))
    with opened() as scheduler:
        assert len(drain(scheduler)) == 3


def test_hosts_take_turns_while_each_may_have_one_request(opened):
    with opened() as scheduler:
        put(scheduler, *(Request(f"https://{host}.example/{turn}") for host in "abc" for turn in (1, 2)))
        loader = scheduler.crawler.engine.downloader
        loader.domain_concurrency = 1
        for turn in (1, 2):
            for host in "abc":
                found = pop(scheduler)
                assert found.url == f"https://{host}.example/{turn}"
                loader.active.add(found)
            assert settled(scheduler).next_request() is None
            assert is_pending(scheduler) is (turn == 1)
            loader.active.clear()
