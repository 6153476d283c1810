from __future__ import annotations

import time
from types import SimpleNamespace

import pytest
from scrapy.core.downloader import Slot

from focused.frontier.politeness import HostAvailability, retry_after
from focused.frontier.store.host_queue import BUSY


@pytest.fixture
def in_tokyo(monkeypatch):
    """A date without a zone is one of GMT wherever the crawl runs."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "Asia/Tokyo")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.parametrize(
    ("value", "secs"),
    [
        (b"0", 0), (b" 7 ", 7), (b"Sun, 22 Nov 2026 09:00:30 GMT", 30), (b"Sunday, 22-Nov-26 09:00:30 GMT", 30),
        (b"Sun Nov 22 09:00:30 2026", 30), (b"Sun, 22 Nov 2026 10:00:30 +0100", 30), (b"Sun, 22 Nov 2026 08:00:00 GMT", 0),
        (b"", 0), (b"-5", 0), (b"1.5", 0), (b"soon", 0), (b"\xb2", 0), (b"\xff\x00", 0), (b"Sun, 99 Nov 2026 09:00:30 GMT", 0),
        (b"1 Jan 0001 00:00:00 +2359", 0), (b"9" * 5000, float("inf")),
    ],
)  # fmt: skip
def test_what_a_server_asks_for_is_read_as_seconds_or_a_date_and_nonsense_is_nothing(value, secs, in_tokyo):
    assert retry_after(value, 1_795_338_000.0) == secs


def test_a_host_rests_until_the_latest_moment_it_was_given_and_no_other_does():
    slot = SimpleNamespace(concurrency=1, delay=2.0, lastseen=100.0, queue=[], transferring=[])
    downloader = SimpleNamespace(
        slots={"h.org": slot}, per_slot_settings={}, ip_concurrency=0, domain_concurrency=1, _delay=2.0, active=set()
    )
    ready = HostAvailability(downloader)
    assert ready("h.org") == 102.0
    ready.rest("h.org", 110.0)
    ready.rest("h.org", 105.0)
    assert ready("h.org") == 110.0
    assert ready("i.org") == 0.0
    ready.note_request("h.org", request := object())
    downloader.active.add(request)
    assert ready("h.org") == BUSY


def slots_after_a_request(n_hosts, **of_one):
    """Hand out a request where the downloader knows so many hosts, asked a quarter of a minute ago; return what it knows then."""
    slots = {f"h{number}.org": Slot(1, 2.0, 0.0) for number in range(n_hosts)}
    for slot in slots.values():
        slot.lastseen = time.monotonic() - 15.0
    for name, value in of_one.items():
        setattr(slots["h7.org"], name, value)
    downloader = SimpleNamespace(slots=slots, _delay=2.0, active=set())
    HostAvailability(downloader).note_request("new.org", object())
    return slots


def test_of_many_hosts_those_that_have_had_their_delay_for_ten_seconds_are_forgotten():
    assert slots_after_a_request(1_001) == {}
    assert len(slots_after_a_request(1_000)) == 1_000


@pytest.mark.parametrize(
    "of_one",
    [{"active": {object()}}, {"lastseen": time.monotonic() + 3600}, {"delay": 5.5}],
    ids=lambda of_one: next(iter(of_one)),
)
def test_a_host_that_is_asked_or_rests_or_was_given_a_longer_delay_is_not_forgotten(of_one):
    assert list(slots_after_a_request(1_001, **of_one)) == ["h7.org"]


def test_a_crawl_delay_outlasts_the_forgotten_slot():
    downloader = SimpleNamespace(
        slots={}, per_slot_settings={}, ip_concurrency=0, domain_concurrency=1, _delay=2.0, active=set()
    )
    ready = HostAvailability(downloader)
    ready.note_crawl_delay("slow.org", 11.0)
    ready.note_request("slow.org", object())
    assert ready("slow.org") > time.monotonic() + 10.0


def test_of_a_host_whose_origins_rest_the_longer_rest_counts():
    ready = HostAvailability(SimpleNamespace(slots={}, active=set()))
    ready.rest("a.example", 1000.0)
    ready.resting_hosts = lambda: {"a.example": 10.0, "b.example": 20.0}
    assert ready.resting() == {"a.example": 1000.0, "b.example": 20.0}
