"""When a host may be asked, from the downloader's slots alone."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from scrapy import Request

from focused.frontier.politeness import HostAvailability
from focused.frontier.store.host_queue import BUSY

HOST = "h.org"


def downloader(*, concurrency: int = 1, delay: float = 0.0, slots=None, own=None) -> SimpleNamespace:
    """What the frontier reads of Scrapy's downloader."""
    return SimpleNamespace(
        slots=slots or {},
        ip_concurrency=0,
        domain_concurrency=concurrency,
        per_slot_settings=own or {},
        active=set(),
        _delay=delay,
    )


def slot(*, concurrency: int = 1, delay: float = 0.0, lastseen: float = 0.0) -> SimpleNamespace:
    return SimpleNamespace(concurrency=concurrency, delay=delay, lastseen=lastseen, queue=[], transferring=set())


def hand_out(hosts: HostAvailability, loader: SimpleNamespace, n: int = 1) -> list[Request]:
    requests = [Request(f"http://{HOST}/{number}") for number in range(n)]
    for request in requests:
        hosts.note_request(HOST, request)
        loader.active.add(request)
    return requests


@pytest.mark.parametrize("concurrency", [1, 3])
def test_a_host_is_busy_with_as_many_requests_as_it_may_have(concurrency):
    loader = downloader(concurrency=concurrency)
    hosts = HostAvailability(loader)
    requests = hand_out(hosts, loader, concurrency - 1)
    assert hosts(HOST) == 0
    requests += hand_out(hosts, loader)
    assert hosts(HOST) == BUSY
    assert hosts("other.org") == 0
    loader.active.discard(requests[0])
    assert hosts(HOST) == 0


def test_the_limits_of_a_slot_come_before_those_of_its_settings_and_these_before_all_others():
    loader = downloader(concurrency=1, own={HOST: {"concurrency": 2}})
    hosts = HostAvailability(loader)
    hand_out(hosts, loader)
    assert hosts(HOST) == 0
    loader.slots[HOST] = slot(concurrency=1)
    assert hosts(HOST) == BUSY


def test_a_host_without_a_slot_takes_one_request_where_there_is_a_delay():
    for settings in ({"delay": 2.0}, {"own": {HOST: {"delay": 2.0}}}):
        loader = downloader(concurrency=8, **settings)
        hosts = HostAvailability(loader)
        assert hosts(HOST) == 0
        hand_out(hosts, loader)
        assert hosts(HOST) == BUSY


def test_a_host_with_a_delay_may_be_asked_that_long_after_the_last_time():
    waiting = slot(concurrency=8, delay=2.0, lastseen=100.0)
    loader = downloader(concurrency=8, slots={HOST: waiting})
    hosts = HostAvailability(loader)
    assert hosts(HOST) == 102.0
    hosts.note_crawl_delay(HOST, 5.0)  # robots.txt asks for more
    assert hosts(HOST) == 105.0
    waiting.lastseen = 0.0  # never asked
    assert hosts(HOST) == 0
    waiting.queue = ["a request that waits for its time"]
    assert hosts(HOST) == BUSY
    waiting.queue = []
    hand_out(hosts, loader)
    assert hosts(HOST) == BUSY  # on its way to the slot: it takes the next turn
    waiting.transferring = {"it"}
    assert hosts(HOST) == 0


def test_a_host_whose_robots_txt_is_not_in_takes_one_request():
    loader = downloader(concurrency=8)
    hosts = HostAvailability(loader, obeys_robots=True)
    assert hosts(HOST) == 0
    [request] = hand_out(hosts, loader)
    assert hosts(HOST) == BUSY
    hosts.note_crawl_delay(HOST, 0)
    assert hosts(HOST) == 0
    assert hosts.crawl_delays == {}
    other = HostAvailability(loader, obeys_robots=True)
    other.note_request(HOST, request)
    loader.active.clear()
    assert other(HOST) == 0  # the first answer is in, so robots.txt could not be had
    hand_out(other, loader)
    assert other(HOST) == 0


def test_a_host_rests_until_the_latest_moment_that_was_named():
    hosts = HostAvailability(downloader())
    hosts.rest(HOST, 50.0)
    hosts.rest(HOST, 40.0)
    assert hosts(HOST) == 50.0
    assert hosts("other.org") == 0


def test_nothing_is_kept_of_hosts_whose_requests_have_ended():
    loader = downloader(concurrency=1)
    hosts = HostAvailability(loader, obeys_robots=True)
    for number in range(30_000):
        request = object()
        hosts.note_request(f"h{number}.org", request)
        hosts.rest(f"h{number}.org", hosts.clock.now() + (0.0 if number < 29_000 else 100.0))
        loader.active = {request}
    assert len(hosts._handed) < 50
    assert len(hosts._met) <= 20_000
    assert len(hosts._rests_until) < 5_000
    assert hosts("h29999.org") == BUSY
    assert hosts("h29998.org") > hosts.clock.now()  # it rests
    assert hosts("h1.org") == 0


def test_a_long_crawl_delay_is_kept_when_the_downloader_has_forgotten_the_host():
    loader = downloader(delay=1.0)
    hosts = HostAvailability(loader)
    hosts.note_crawl_delay(HOST, 300.0)
    [request] = hand_out(hosts, loader)
    loader.active.discard(request)
    assert hosts(HOST) > hosts.clock.now() + 290
