"""Patience: which links are worth a page, and crawls that wait for them."""

from __future__ import annotations

import random
from bisect import bisect_right
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import hand_made
import numpy as np
import pytest
from commands import Finished, crawl
from scrapy import Spider
from scrapy.utils.test import get_crawler
from test_frontier_host_availability import downloader
from warcs import Warc

from focused.frontier.allowance import Allowance, LinkSupply, RequestPace
from focused.frontier.dispatch import Dispatch
from focused.frontier.known_links import KnownLinks
from focused.frontier.leases import Leases
from focused.frontier.link_requests import LinkRequests
from focused.frontier.patience import IMPATIENT, WAITED, Patience
from focused.frontier.politeness import HostAvailability
from focused.frontier.store.host_queue import HostQueue
from focused.frontier.store.limits import StoreLimits
from focused.frontier.store.link import FrontierLink
from focused.frontier.store.priority_bins import BOUNDS, N_BINS, bin_of
from focused.frontier.store.ranks import Ranks, priority_of
from focused.frontier.store.schema import RANK_BITS
from focused.frontier.store.store import FrontierStore
from focused.frontier.store.waiting_counts import WaitingCounts, extended_to_hosts
from focused.frontier.store.worker_demand import OtherWorkers, WorkerDemand
from focused.method.scoring import Evidence
from focused.method.scoring.priority import SEED, to_priority

RANKS = Ranks()
N_PAGES = 40


def link(number: int, host: str, score: float, admitted: bool = True) -> FrontierLink:
    return FrontierLink(number, f"http://{host}/{number}", Evidence(score, 3, admitted, referrer="http://a.org/"))


def rank(score: float) -> int:
    return RANKS.rank(to_priority(score, True), 1)


def test_better_links_lie_in_later_bins_and_seeds_in_the_last():
    priorities = [to_priority(0.0, False), to_priority(1.0, False), to_priority(0.0, True), to_priority(0.002, True)]
    priorities += [to_priority(0.5, True), to_priority(0.99, True), to_priority(1.0, True), SEED]
    bins = [bin_of(RANKS.rank(each, 7)) for each in priorities]
    assert bins == sorted(set(bins))
    assert bins[-1] == N_BINS - 1


def test_what_is_counted_by_host_and_level_is_what_waits_in_the_file(tmp_path):
    source = random.Random(1)
    with_merge = FrontierStore(tmp_path / "frontier.db", limits=StoreLimits(max_per_host=60))
    counts = with_merge.count_waiting(33.0)
    leased = []
    for number in range(600):
        again = source.randrange(1, number + 2)
        score = source.random()
        with_merge.add([link(again, f"h{again % 7}.org", score, source.random() < 0.8)])
        if number % 3 == 0 and (taken := with_merge.next()) is not None:
            leased.append(taken.id)
        if number % 10 == 0 and leased:
            with_merge.give_back(leased.pop())
        if number % 50 == 0:
            with_merge.waiting.place(
                [(each, source.random()) for each in source.sample(range(1, with_merge.last_id + 1), 1)]
            )
    found = np.zeros_like(counts._waiting)
    for host, place in with_merge._sql.execute("SELECT host, rank FROM links WHERE state = 0"):
        found[host, bin_of(place)] += 1
    assert found.sum() == len(with_merge) > 100
    assert (found == counts._waiting).all()
    exact = np.zeros(len(counts._of_priority))
    for (place,) in with_merge._sql.execute("SELECT rank FROM links WHERE state = 0"):
        exact[priority_of(place) - BOUNDS[0]] += 1
    assert exact.tolist() == counts._of_priority
    with_merge.commit()
    with_merge.close()
    resumed = FrontierStore(tmp_path / "frontier.db")
    # What was under way waits again.
    assert resumed.count_waiting(33.0)._waiting.sum() == len(resumed) == found.sum() + len(leased)
    resumed.close()


def counted(links: dict[int, list[float]]) -> WaitingCounts:
    counts = WaitingCounts()
    for host, scores in links.items():
        for score in scores:
            counts.add(host, rank(score))
    return counts


def least(counts: WaitingCounts, n_links: int, n_wanted: int, turns) -> int | None:
    return counts.least_priority(counts.supply(n_links, turns), n_wanted)


def test_a_link_is_worth_a_page_if_fewer_better_ones_wait_than_pages_are_left():
    counts = counted({1: [0.9] * 10, 2: [0.4] * 10, 3: [0.1] * 10})
    many = 1000.0
    assert to_priority(0.4, True) < least(counts, 10, 10, many) <= to_priority(0.9, True)
    assert to_priority(0.1, True) < least(counts, 11, 11, many) <= to_priority(0.4, True)
    assert least(counts, 31, 31, many) is None


def test_the_cut_lies_where_the_links_of_a_level_lie():
    """All of them are of one level: 0.51 to 0.61."""
    counts = counted({1: [0.52, 0.54], 2: [0.56, 0.58]})
    assert [least(counts, 4, n_wanted, 1000.0) for n_wanted in (1, 2, 3, 4)] == [
        to_priority(score, True) for score in (0.58, 0.56, 0.54, 0.52)
    ]
    same = counted({1: [0.55] * 10})
    assert {least(same, 10, n_wanted, 1000.0) for n_wanted in range(1, 10)} == {to_priority(0.55, True)}
    for score in (0.56, 0.58):
        counts.remove(2, rank(score))
    assert least(counts, 2, 1, 1000.0) == to_priority(0.54, True)


def test_of_a_host_no_more_links_count_than_it_can_give_in_the_time_left():
    counts = counted({1: [0.9] * 10, 2: [0.4] * 10, 3: [0.1] * 10})
    assert to_priority(0.1, True) < least(counts, 10, 10, 5.0) <= to_priority(0.4, True)
    assert least(counts, 10, 10, 2.0) is None
    # The first host is slow, all others are quick.
    assert least(counts, 10, 10, np.array([50.0, 1.0, 50.0])) <= to_priority(0.4, True)


def test_links_of_a_host_that_has_sunk_count_where_they_stand():
    links = {1: [0.9] * 10, 2: [0.8] * 30, 3: [0.3] * 30}
    counts = counted(links)
    place = N_BINS - 1 - bin_of(rank(0.5))
    for turns in (1000.0, 5.0):
        most = min(turns, 30)
        for levels, above in ((0, min(turns, 10) + most), (100, min(turns, 10) + most), (600, min(turns, 10))):
            found = counts.supply(10, turns, {2: levels << RANK_BITS})
            assert found[place] == above
            assert found[-1] == min(turns, 10) + 2 * most
    assert counts.supply(10, 1000.0).tolist() == counts.supply(10, 1000.0, {}).tolist()


def test_links_that_pages_are_about_to_bring_count_with_those_that_wait():
    counts = counted({1: [0.9] * 10, 2: [0.1] * 50})
    before = least(counts, 30, 30, 1000.0)
    for _ in range(40):
        counts.begin_page(to_priority(0.9, True))
        counts.note_found(1, rank(0.9))
        counts.page_ended()
    after = least(counts, 30, 30, 1000.0)
    assert before <= to_priority(0.1, True) < after <= to_priority(0.9, True)


def test_what_poor_pages_do_not_bring_does_not_hide_what_good_ones_do():
    counts = counted({1: [0.9] * 10, 2: [0.1] * 100})
    for number in range(60):
        counts.begin_page(to_priority(0.1 if number % 3 else 0.9, True))
        if number % 3 == 0:
            counts.note_found(1, rank(0.9))
        counts.page_ended()
    # A link for each good page, for a third of all: each request for a good link will bring another.
    assert least(counts, 30, 25, 1000.0) > to_priority(0.1, True)


def test_hosts_with_more_links_than_turns_and_others_are_counted_by_one_rule():
    source = random.Random(2)
    counts = counted({host: [source.random() for _ in range(source.randrange(1, 60))] for host in range(20)})
    turns = np.array([source.uniform(0.0, 60.0) for _ in range(20)])
    for wanted in (1, 20, 100, 200):
        limits = extended_to_hosts(turns, len(counts._waiting))[:, None]
        supply = np.minimum(np.cumsum(counts._waiting[:, ::-1], axis=1), limits).sum(axis=0)
        place = N_BINS - 1 - int(np.searchsorted(supply, wanted))
        found = least(counts, wanted, wanted, turns)
        assert (0 if found is None else bisect_right(BOUNDS, found)) == place


class Others(OtherWorkers):
    """One other worker, and what it is told."""

    def __init__(self) -> None:
        super().__init__()
        self.n_workers, self.rate, self.n_ended, self.n_pages = 2, 1.0, 90.0, 10.0
        self.told: list[WorkerDemand] = []

    def send(self, own: WorkerDemand) -> None:
        self.told.append(own)


def test_workers_agree_on_how_many_pages_a_request_brings_and_tell_of_no_links_when_their_time_is_up():
    counts = counted({1: [0.9] * 100})
    hosts = SimpleNamespace(delay_of=lambda _: 1.0, resting=dict, clock=SimpleNamespace(now=lambda: now[0]))
    now, others, one = [0.0], Others(), HostQueue()
    one.offer(1, 0)
    patience = Patience(
        LinkSupply(SimpleNamespace(hosts=one), counts, others),
        RequestPace(hosts, 16, begins=lambda: False),
        Allowance(lambda: 50, lambda: 50, factor=2.0, max_secs=60.0, spent_secs=lambda: now[0]),
        stats=SimpleNamespace(get_value=lambda *_: 0, set_value=lambda *_: None),
    )
    patience._n_ended = patience._n_pages = 10  # all of this worker's, one in nine of the other's
    patience.least_priority()
    assert patience._pages_a_request() == pytest.approx((10 + 10 + 10) / (10 + 90 + 10))
    assert (others.told[-1].n_ended, others.told[-1].n_pages) == (10, 10)
    assert others.told[-1].supply[-1] == pytest.approx(60.5, abs=0.01)  # a turn a second
    now[0], patience._next_look = 90.0, 0.0
    patience.least_priority()
    assert 0 <= others.told[-1].supply[-1] <= 1


def test_an_impatient_crawl_asks_a_host_half_as_often_when_it_has_used_up_its_links():
    counts = counted({1: [0.9] * 3, 2: [0.9] * 100})
    hosts = SimpleNamespace(delay_of=lambda _: 1.0, resting=dict, clock=SimpleNamespace(now=lambda: now[0]))
    stats, now, two = {}, [0.0], HostQueue()
    two.offer(1, 0), two.offer(2, 0)
    patience = Patience(
        LinkSupply(SimpleNamespace(hosts=two), counts),
        RequestPace(hosts, 16, begins=lambda: False),
        Allowance(lambda: 50, lambda: 50, factor=2.0, max_secs=0.0, spent_secs=lambda: now[0]),
        stats=SimpleNamespace(get_value=lambda *_: 0, set_value=stats.__setitem__),
    )
    patience.least_priority()
    patience.wait()
    now[0] = 20.0
    patience._next_look = 0.0
    patience.least_priority()
    assert stats[IMPATIENT] == 20 + 10
    # The 20 that are missing come of one host and half of another.
    assert patience.secs_left() == pytest.approx(2 * (20 + 20 / 1.5) - 20)


class Demanding:
    """Wants links that there are not."""

    other_workers = OtherWorkers()

    def __init__(self) -> None:
        self.n_waits = 0

    def least_priority(self) -> int:
        return to_priority(0.95, True)

    def wait(self) -> None:
        self.n_waits += 1

    def next_check_time(self) -> float:
        return 5.0

    def note_lease(self, link: Any) -> None:
        pass


def test_a_crawl_waits_while_something_better_may_come_and_no_longer(tmp_path):
    crawler = get_crawler()
    crawler.spider = Spider("any")
    store = FrontierStore(tmp_path / "frontier.db")
    links = KnownLinks(store)
    for number, (host, score) in enumerate([("good.org", 0.99), ("poor.org", 0.3), ("poorer.org", 0.2)], 1):
        links.add(link(number, host, score))
    leases = Leases(crawler.signals, HostAvailability(downloader(concurrency=1)))
    patience = Demanding()
    dispatch = Dispatch(links, LinkRequests(crawler), leases)
    dispatch.patience = patience
    leases.ready_at.rest("good.org", far := leases.now() + 1000)
    assert dispatch.next() is None  # the host of the good link rests
    assert patience.n_waits == 1
    assert dispatch.next_time() == 5.0  # not only when the host has rested: others may be worth a page by then
    leases.ready_at._rests_until.clear()
    store.hosts.recheck(store.host_number("good.org"))
    assert dispatch.next().url == "http://good.org/1"
    assert dispatch.next() is None  # its page may bring something
    [lease] = leases
    store.done(lease.link.id)
    leases.end(lease)
    assert dispatch.next().url == "http://poor.org/2"  # nothing better can come
    assert far > leases.now()
    store.close()


def test_with_a_limit_of_pages_a_trap_waits_until_the_better_host_has_answered(tmp_path):
    for spares, expected in ((True, None), (False, "http://trap.org/2")):
        crawler = get_crawler()
        crawler.spider = Spider("any")
        store = FrontierStore(tmp_path / f"{spares}.db")
        links = KnownLinks(store)
        for number, (host, score) in enumerate([("good.org", 0.6), ("trap.org", 0.9), ("good.org", 0.5)], 1):
            links.add(link(number, host, score))
        store.standing_back.sink_host("trap.org", 1000)
        loader = downloader(concurrency=1)
        leases = Leases(crawler.signals, HostAvailability(loader))
        dispatch = Dispatch(links, LinkRequests(crawler), leases, spares=spares)
        loader.active.add(request := dispatch.next())
        assert request.url == "http://good.org/1"
        found = dispatch.next()
        assert (found and found.url) == expected
        if spares:
            loader.active.clear()
            [lease] = leases
            store.done(lease.link.id)
            leases.end(lease)
            assert [dispatch.next().url for _ in range(2)] == ["http://good.org/3", "http://trap.org/2"]
        store.close()


@pytest.fixture(scope="module")
def web(tmp_path_factory) -> Path:
    """A host about stars and four about food, whose pages all are linked from one page; stars in other words are not told."""
    warc = Warc(tmp_path_factory.mktemp("web") / "web.warc.gz")
    hosts = {
        "stars.test": (hand_made.STARS, "a telescope"),
        **{f"food{n}.test": (hand_made.FOOD, "soup") for n in range(4)},
    }
    links = [(f"http://{host}/{n}", anchor) for host, (_, anchor) in hosts.items() for n in range(30)]
    warc.page("http://home.test/", hand_made.html("Welcome.", *links))
    for host, (text, _) in hosts.items():
        for n in range(30):
            warc.page(f"http://{host}/{n}", hand_made.html(text, title=f"{host} {n}"))
    warc.path.write_bytes(warc.bytes())
    return warc.path


@pytest.fixture(scope="module")
def models(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    hand_made.topic(seeds=["http://home.test/"]).save(folder)
    return folder


def crawled(models: Path, folder: Path, web: Path, settings: dict[str, Any], **more: Any) -> Finished:
    done = crawl(
        *(models, folder), web=web, strategy="anchor_text", **{"max_pages": N_PAGES, **more},
        settings={"FOCUSED_METRICS_INTERVAL_SECS": 0, "ROBOTSTXT_OBEY": False} | settings,
    )  # fmt: skip
    assert done.exit_code == 0, done.err
    return done


@pytest.mark.slow
def test_a_patient_crawl_finds_more_in_its_time_and_an_impatient_one_is_as_ever(models, web, tmp_path):
    delay = {"FOCUSED_VIRTUAL_DELAY_SECS": 1}
    patient = crawled(models, tmp_path / "patient", web, delay | {"FOCUSED_PATIENCE": 2})
    hasty = crawled(models, tmp_path / "hasty", web, delay | {"FOCUSED_PATIENCE": 0})
    found = [run.stats["focused/pages/relevant_count"] for run in (patient, hasty)]
    # Five hosts give 40 pages in 8 seconds, 8 of them about stars; in twice the time the host of stars gives 16.
    assert found[1] <= 9
    assert found[0] >= 13
    assert patient.stats["focused/pages/fetched_count"] == hasty.stats["focused/pages/fetched_count"] == N_PAGES
    assert patient.stats[WAITED] > 4
    assert patient.stats[IMPATIENT] > N_PAGES
    # All that it asks for is pages: once it would have had them, no request more is reckoned to it.
    last_lines = patient.err[patient.err.index("Finished (") :]
    assert "for better links; a crawl that never waits would have had its pages after" in last_lines
    assert "would have made" not in last_lines
    assert WAITED not in hasty.stats
    assert "for better links; a crawl" not in hasty.err


@pytest.mark.slow
def test_a_crawl_without_delays_does_not_know_patience(models, web, tmp_path):
    runs = [crawled(models, tmp_path / f"{n}", web, {"FOCUSED_PATIENCE": n, "CONCURRENT_REQUESTS": 1}) for n in (0, 3)]
    assert runs[0].run_dir.joinpath("fetched.csv").read_bytes() == runs[1].run_dir.joinpath("fetched.csv").read_bytes()
    assert WAITED not in runs[1].stats
    assert runs[1].stats["focused/pages/relevant_count"] == 30


@pytest.mark.slow
def test_the_minutes_of_a_crawl_are_spent_over_all_its_runs(models, web, tmp_path):
    delay = {"FOCUSED_VIRTUAL_DELAY_SECS": 1}
    first = crawled(models, tmp_path, web, delay, max_pages=0, max_minutes=0.1)
    assert first.run["finish_reason"] == "max_minutes"
    n_pages = first.stats["focused/pages/fetched_count"]
    assert 20 < n_pages < 40  # six seconds, five hosts
    again = crawled(models, tmp_path, web, delay, max_pages=0, max_minutes=0.1)
    assert again.stats["focused/pages/fetched_count"] == n_pages
    assert again.run["finish_reason"] == "max_minutes"
    more = crawled(models, tmp_path, web, delay, max_pages=0, max_minutes=0.2)
    assert n_pages + 20 < more.stats["focused/pages/fetched_count"] < n_pages + 40
