"""Workers that are patient for all of a crawl: what each counts of its own hosts, what it tells, and what it hears."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np
import pytest
from stores import PostgreSQLStore, link, until

pytest.importorskip("psycopg")

from focused.frontier.shared.balance import OtherHosts
from focused.frontier.shared.commit_result import CommitResult
from focused.frontier.shared.crawl_overview import CrawlOverview
from focused.frontier.shared.leasing import LeasedHost
from focused.frontier.shared.link_rows import WaitingLink, waiting_from
from focused.frontier.shared.links_wanted import LinksWanted
from focused.frontier.shared.own_hosts import OwnHosts
from focused.frontier.shared.own_waiting import OwnWaiting
from focused.frontier.store.priority_bins import N_BINS, bin_of
from focused.frontier.store.ranks import Ranks
from focused.frontier.store.waiting_counts import WaitingCounts
from focused.frontier.store.worker_demand import OtherWorkers, WorkerDemand
from focused.method.scoring.priority import to_priority

if TYPE_CHECKING:
    from collections.abc import Iterator

RANKS = Ranks()


def waiting(host: str, number: int, score: float, referrer: str = "") -> WaitingLink:
    """A link of a host."""
    found = link(f"http://{host}/{number}", score, referrer=referrer)
    return waiting_from(found, found.host, RANKS.rank(to_priority(score, True), number))


def rank(score: float) -> int:
    """The rank of a link with a score."""
    return RANKS.rank(to_priority(score, True), 1)


def place(score: float) -> int:
    """The place of a score's level in a supply."""
    return N_BINS - 1 - bin_of(rank(score))


def owning(*links: WaitingLink) -> OwnHosts:
    """A worker that owns the hosts of links, and knows these links."""
    own = OwnHosts()
    for host in sorted({each.host_name for each in links}):
        own.add(LeasedHost(host, 0, 0.0, 0.0, 0, 0))
        own.links_read(host, [each for each in links if each.host_name == host], LinksWanted())
    return own


def test_links_in_memory_count_by_level_and_of_each_host_no_more_than_its_turns():
    own = owning(*(waiting("a.org", n, 0.9) for n in range(5)), *(waiting("b.org", n, 0.4) for n in range(3)))
    counts = OwnWaiting(own, 33.0, lambda: 1)
    assert counts.supply(10, 100.0)[place(0.9)] == 5
    assert counts.supply(10, 100.0)[-1] == 8
    assert counts.supply(10, 2.0)[place(0.9)] == 2
    assert counts.supply(10, 2.0)[-1] == 4
    own.lease(own.get("a.org").best())
    assert counts.supply(10, 100.0)[-1] == 7


def test_of_hosts_that_other_workers_own_a_part_of_the_turns_counts_for_what_is_going_to_be_found_there():
    """Who counted none of them would take the links of this crawl for few, and wait for nothing."""
    own = owning(waiting("mine.org", 1, 0.5))
    page = waiting("mine.org", 2, 0.5)
    n_workers = 1
    counts = OwnWaiting(own, 33.0, lambda: n_workers)
    counts.leased(own.get("mine.org").number, page.url, page.rank)
    counts.written(
        CommitResult(new=[waiting(host, n, 0.9, page.url) for host in ("mine.org", "other.org") for n in (3, 4)])
    )
    counts.begin_page(to_priority(0.5, True))
    counts.page_ended()
    alone = counts.supply(10, 1.0)
    n_workers = 2
    with_other = counts.supply(10, 1.0)
    assert alone[-1] == 2  # one turn of each of the two hosts
    assert with_other[-1] == 1.5


def test_what_a_page_brings_counts_for_pages_of_its_level_though_it_is_written_later():
    own = owning(waiting("a.org", 1, 0.9))
    counts = OwnWaiting(own, 33.0, lambda: 1)
    host = own.get("a.org").number
    good, poor = waiting("a.org", 2, 0.9), waiting("a.org", 3, 0.1)
    for page in (good, poor):
        counts.leased(host, page.url, page.rank)
    counts.written(CommitResult(new=[waiting("a.org", 4, 0.8, good.url), waiting("a.org", 5, 0.2, poor.url)]))
    assert counts._flow[bin_of(rank(0.9)), bin_of(rank(0.8))] == 1
    assert counts._flow[bin_of(rank(0.1)), bin_of(rank(0.2))] == 1


def test_demand_is_a_row_of_numbers_whatever_the_number_of_levels_was():
    own = WorkerDemand(12.0, 3.5, np.arange(N_BINS, dtype=float))
    again = WorkerDemand.of_numbers(own.numbers())
    assert again[:2] == own[:2]
    assert (again.supply == own.supply).all()
    assert WorkerDemand.of_numbers([1.0, 2.0, 7.0]).supply.tolist() == [7.0, *[0.0] * (N_BINS - 1)]
    assert (WorkerDemand.of_numbers([*own.numbers(), 9.0]).supply == own.supply).all()


def test_the_cut_is_where_all_workers_together_have_as_many_links_as_are_wanted():
    supply = np.zeros(N_BINS)
    supply[place(0.9) :] = 10
    supply[place(0.1) :] = 50
    least_priority = WaitingCounts().least_priority
    assert least_priority(supply, 15) <= to_priority(0.1, True)
    assert to_priority(0.1, True) < least_priority(supply + supply, 15) <= to_priority(0.9, True)


def test_another_worker_s_better_link_is_worth_waiting_for_unless_no_worker_gets_on(monkeypatch):
    overview = CrawlOverview(64)
    assert not OtherWorkers().have(0)
    overview._other_hosts = OtherHosts(of_workers=[None, rank(0.5)])
    assert overview.others_have_link(to_priority(0.4, True))
    assert not overview.others_have_link(to_priority(0.6, True))
    overview._seen_at -= 1000.0
    assert not overview.others_have_link(to_priority(0.4, True))


@pytest.fixture
def two(database) -> Iterator[tuple[PostgreSQLStore, PostgreSQLStore]]:
    from focused.frontier.shared.schema import connect, make_tables

    with connect(database) as sql:
        make_tables(sql)
        sql.execute("INSERT INTO crawls (name, about) VALUES ('a crawl', '{}')")
    both = PostgreSQLStore(database), PostgreSQLStore(database)
    yield both
    for each in both:
        each.close()


def test_each_worker_hears_what_the_others_have_told_and_of_ended_ones_only_what_is_done(two):
    first, second = (each.worker for each in two)
    supply = np.arange(N_BINS, dtype=float)
    until(lambda: first.other_workers.n_workers == 2 and second.other_workers.n_workers == 2, Both(first, second))
    first.other_workers.send(WorkerDemand(7.0, 2.0, supply))
    second.other_workers.send(WorkerDemand(5.0, 1.0, supply + 1))
    until(lambda: first.other_workers.rate == 1.0 and second.other_workers.rate == 2.0, Both(first, second))
    assert (first.other_workers.n_impatient, second.other_workers.n_impatient) == (5.0, 7.0)
    assert (first.other_workers.supply == supply + 1).all()
    two[1].close()
    until(lambda: first.other_workers.n_workers == 1, first)
    assert (first.other_workers.n_impatient, first.other_workers.rate, first.other_workers.supply.sum()) == (
        5.0,
        0.0,
        0.0,
    )


class Both:
    """Two workers whose threads are waited for."""

    def __init__(self, *workers) -> None:
        self._workers = workers

    def process_events(self) -> None:
        """Let both take in what their threads have done."""
        for worker in self._workers:
            worker.process_events()
        time.sleep(0.01)
