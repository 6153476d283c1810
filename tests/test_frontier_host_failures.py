"""Hosts that do not answer: how long they rest, when they are given up, and what becomes of their links in the store."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from scrapy import Request
from scrapy.statscollectors import MemoryStatsCollector
from scrapy.utils.test import get_crawler

from focused.frontier.host_failures import LONGEST_REST_SECS, HostFailures
from focused.frontier.store.answers import NEW, UNREACHABLE
from focused.frontier.store.link import FrontierLink, fingerprint_of
from focused.frontier.store.store import FrontierStore
from focused.frontier.unreachable import UnreachableHosts
from focused.method.scoring.evidence import Evidence

HOST = "h.org"


def rests(failures: HostFailures, n: int, **how) -> list[float]:
    """The rests after failures, each as soon as the last rest is over; 0 when the host is given up."""
    found, now = [], 100.0
    for _ in range(n):
        assert failures.failed(HOST, "refused", now, is_sure=True, **how)
        until = failures.rests_until(HOST)
        found.append(until - now if until else 0.0)
        now = until
    return found


def test_a_host_rests_twice_as_long_after_each_failure_and_is_given_up_in_the_end():
    assert rests(HostFailures(10.0, 5, lambda _: True), 5) == [10, 20, 40, 80, 0]
    assert rests(HostFailures(10.0, 5, lambda _: False), 3) == [10, 20, 0]  # it never answered
    assert max(rests(HostFailures(10.0, 20, lambda _: True), 19)) == LONGEST_REST_SECS


def test_an_answer_ends_the_trouble_of_a_host_and_failures_during_its_rest_count_once():
    failures = HostFailures(10.0, 3, lambda _: True)
    for _ in range(20):
        assert failures.failed(HOST, "refused", 100.0, is_sure=True)
    assert failures.rests_until(HOST) == 110.0
    failures.answered(HOST)
    assert not failures
    assert rests(failures, 3) == [10, 20, 0]
    assert failures.given_up == {HOST: "refused"}


def after_an_outage(secs: float, n_hosts: int = 4, answered_for: float = 100_000.0) -> HostFailures:
    """Hosts that had answered, and a stranger, none of which answers for so long; each is asked when its rest is over."""
    failures, now = HostFailures(10.0, 8, lambda _: False), 100.0
    hosts = [f"h{number}.org" for number in range(n_hosts)]
    for host in hosts:
        failures.answered(host)
    failures.network_answered(now - answered_for)
    failures.network_answered(now)
    while (now := now + 1) < 100.0 + secs:
        for host in (*hosts, "stranger.org"):
            if host not in failures.given_up and failures.rests_until(host) <= now:
                assert failures.failed(host, "no route", now, is_sure=True)
    return failures


def test_no_host_is_given_up_while_none_answers_at_all():
    failures = after_an_outage(10_000)
    assert not failures.given_up
    assert len(failures.resting(10_100)) == 5
    assert failures.network_answered(10_100) != []  # the network is back: none of them waits any longer
    assert failures.resting(10_100) == []


def test_hosts_are_given_up_if_a_few_fail_or_nothing_answers_for_more_than_a_day():
    assert len(after_an_outage(2_000, n_hosts=2).given_up) == 3
    assert len(after_an_outage(90_000).given_up) == 5


@pytest.mark.parametrize(("secs", "n_given_up"), [(3_000, 0), (6_000, 5)])
def test_a_crawl_that_has_just_begun_waits_an_hour_for_hosts_that_have_gone_together(secs, n_given_up):
    assert len(after_an_outage(secs, answered_for=60.0).given_up) == n_given_up


def test_hosts_that_were_dead_before_the_last_answer_are_given_up_however_few_others_there_are():
    failures = HostFailures(10.0, 8, lambda _: True)
    for now in range(100, 3_000):
        if now % 30 == 0:
            failures.network_answered(now)
        for host in ("a", "b", "c", "d"):
            if host not in failures.given_up and failures.rests_until(host) <= now:
                failures.failed(host, "refused", float(now), is_sure=True)
    assert len(failures.given_up) == 4


@pytest.mark.parametrize("has_answered", [True, False])
def test_what_may_be_the_pages_fault_is_the_hosts_from_the_third_in_a_row_on_or_if_it_never_answered(has_answered):
    failures = HostFailures(10.0, 8, lambda _: has_answered)
    assert [failures.failed(HOST, "timed out", float(at), is_sure=False) for at in range(4)] == [
        *([not has_answered] * 2),
        *([True] * 2),
    ]
    assert failures.rests_until(HOST) == (12.0 if has_answered else 10.0)


def link(path: str, host: str = HOST) -> FrontierLink:
    url = f"http://{host}/{path}"
    return FrontierLink(fingerprint_of(url, host), url, Evidence(0.5, 0, True))


def test_links_of_a_host_that_is_given_up_fail_and_wait_again_when_the_frontier_is_opened_again(tmp_path):
    store = FrontierStore(tmp_path / "frontier.sqlite")
    store.add([link("a"), link("b"), link("c", "other.org")])
    leased = store.next()
    assert leased.host == HOST
    store.give_up_origin(f"http://{HOST}")
    assert store.add([link("d"), link("e", "other.org")]) == [UNREACHABLE, NEW]
    store.wait_again(leased.id)
    assert store.counts() == {"waiting": 2, "leased": 0, "done": 0, "failed": 3, "dropped": 0}
    assert store.n_unreachable_of(f"http://{HOST}") == store.n_unreachable == 3
    assert [store.next().host for _ in range(2)] == ["other.org"] * 2
    assert store.next() is None
    store.commit()
    store.close()
    again = FrontierStore(tmp_path / "frontier.sqlite")
    assert again.n_resumed == 3
    assert again.n_unreachable == 0
    assert again.counts() == {"waiting": 5, "leased": 0, "done": 0, "failed": 0, "dropped": 0}
    assert {again.next().url for _ in range(5)} == {
        *(f"http://{HOST}/{path}" for path in "abd"),
        *(f"http://other.org/{path}" for path in "ce"),
    }
    again.close()


def test_another_port_of_a_host_that_is_given_up_goes_on(tmp_path):
    store = FrontierStore(tmp_path / "frontier.sqlite")
    store.count_waiting(10)
    store.add([link("a"), link("b", f"{HOST}:8080"), link("c")])
    store.give_up_origin(f"http://{HOST}")
    assert store.add([link("d"), link("e", f"{HOST}:8080")]) == [UNREACHABLE, NEW]
    assert [store.next().url for _ in range(2)] == [f"http://{HOST}:8080/{path}" for path in "be"]
    assert store.next() is None
    store.close()


@pytest.mark.parametrize("has_answered", [True, False])
def test_processes_that_hand_a_host_on_let_it_rest_as_long_and_give_it_up_as_soon_as_one(has_answered):
    def owner() -> HostFailures:
        return HostFailures(10.0, 5, lambda _: False)

    one, found, now = owner(), [], 100.0
    if has_answered:
        one.answered(HOST)
    standing = one.history(HOST)
    while not found or found[-1]:
        one = owner()
        one.take_over(HOST, *standing)
        one.failed(HOST, "refused", now, is_sure=True)
        until = one.rests_until(HOST)
        found.append(until - now if until else 0.0)
        now, standing = until, one.history(HOST)
    assert found == ([10, 20, 40, 80, 0] if has_answered else [10, 20, 0])
    after = owner()
    after.take_over(HOST, *standing)
    assert after.failed(HOST, "refused", now, is_sure=True)
    assert after.given_up == {HOST: "refused"}  # by whoever owns it next, with one request
    after = owner()
    after.take_over(HOST, *standing)
    after.answered(HOST)
    assert after.history(HOST) == (0, "", True)


def test_what_is_waited_for_is_said_at_most_once_in_ten_seconds_unless_it_is_something_else(caplog, tmp_path):
    caplog.set_level("INFO", "focused")
    now = 100.0
    ready_at = SimpleNamespace(rest=lambda *_: None, rest_of=lambda host: 0.0)
    leases = SimpleNamespace(now=lambda: now, of=lambda request: None, ready_at=ready_at)
    store = FrontierStore(tmp_path / "frontier.sqlite")
    hosts = UnreachableHosts(
        store, leases, HostFailures(0.2, 1000, lambda _: False), MemoryStatsCollector(get_crawler())
    )
    caplog.clear()
    n_said = []
    for number in range(100):
        hosts.failed(Request(f"http://{HOST}/{number}"), "refused", is_sure=True)
        hosts.log_waiting(None)
        n_said.append(len(caplog.records))
        now += 0.3
    assert n_said[30] == 1
    assert n_said[-1] <= 4
    hosts.failed(Request("http://other.example/"), "refused", is_sure=True)
    hosts.log_waiting(None)
    assert len(caplog.records) == n_said[-1] + 1
    now += 20.0
    store.add([link("a", "healthy.example")])  # whose delay, or patience, keeps it from its turn
    hosts.failed(Request("http://other.example/"), "refused", is_sure=True)
    hosts.log_waiting(now + 100.0)
    assert len(caplog.records) == n_said[-1] + 1
    store.close()


def test_what_a_host_does_is_told_when_it_fails_and_when_it_answers_again(tmp_path):
    told, url = [], f"http://{HOST}/a"
    store = FrontierStore(tmp_path / "frontier.sqlite")
    leases = SimpleNamespace(now=lambda: 100.0, of=lambda request: None, ready_at=SimpleNamespace(rest=lambda *_: None))
    failures = HostFailures(10.0, 5, lambda _: False)
    hosts = UnreachableHosts(store, leases, failures, MemoryStatsCollector(get_crawler()))
    hosts.hand_on_trouble = lambda *about: told.append(about)
    hosts.answered(Request(url))
    assert told == []  # as nearly all do
    hosts.failed(Request(url), "refused", is_sure=True)
    hosts.answered(Request(url))
    assert told == [(f"http://{HOST}", 1, "refused", True), (f"http://{HOST}", 0, "", True)]
    store.close()


def test_after_an_outage_no_link_that_timed_out_meanwhile_comes_last_and_all_hosts_are_asked(tmp_path):
    now = 100.0
    store = FrontierStore(tmp_path / "frontier.sqlite")
    leases = SimpleNamespace(now=lambda: now, of=lambda request: None, ready_at=SimpleNamespace(rest=lambda *_: None))
    hosts = UnreachableHosts(store, leases, HostFailures(10.0, 8, lambda _: False), MemoryStatsCollector(get_crawler()))
    links = [Request(f"http://h{number}.org/") for number in range(4)]
    for link in links:
        hosts.answered(link)
    for _ in range(5):
        now += 30.0
        for link in links:
            hosts.failed(link, "timed out", is_sure=False)
    assert len(hosts.failing()) == 4
    assert not any(hosts.is_doubtful(link.url) for link in links)
    hosts.answered(links[0])
    assert not any(hosts.is_doubtful(link.url) or hosts.rests_until(link.url) > now for link in links)
    hosts.failed(links[1], "timed out", is_sure=False)
    assert hosts.is_doubtful(links[1].url)  # again by itself
    store.close()
