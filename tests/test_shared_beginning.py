"""How a shared crawl begins: one worker alone, whose hosts go to the others bit by bit."""

from __future__ import annotations

from dataclasses import replace

import pytest
from test_shared_own_hosts import waiting

from focused.frontier.shared.balance import OtherHosts, hosts_to_release
from focused.frontier.shared.crawl_overview import CrawlOverview
from focused.frontier.shared.events import KeeperReport
from focused.frontier.shared.leasing import LeasedHost, Totals
from focused.frontier.shared.links_wanted import LinksWanted
from focused.frontier.shared.own_hosts import OwnHosts

FIRST, SECOND = 3, 4


def seen(n_pages: int, *, n_hosts: int = 12) -> KeeperReport:
    totals = Totals(n_pages, 0, 50, 2, True, n_hosts, 1, FIRST)
    return KeeperReport(totals, {}, [], [], False, (0, 0), 0)


@pytest.fixture
def overview() -> CrawlOverview:
    made = CrawlOverview(64)
    made.n_pages_alone = 50
    return made


def test_until_a_crawl_has_its_first_pages_only_the_worker_that_came_first_asks_and_holds_hosts(overview):
    assert (overview.waits_for_first_worker, overview.n_hosts_wanted) == (True, 0)  # it knows nothing of the others yet
    overview.update(seen(49), SECOND)
    assert (overview.waits_for_first_worker, overview.n_hosts_wanted) == (True, 0)
    overview.update(seen(49), FIRST)
    assert (overview.waits_for_first_worker, overview.n_hosts_wanted) == (False, 64)
    for worker in (FIRST, SECOND):
        overview.update(seen(50), worker)
        assert (overview.waits_for_first_worker, overview.n_hosts_wanted) == (False, 6)


def test_the_others_begin_too_where_the_first_does_not_get_on(overview):
    overview.update(seen(10), SECOND)
    overview._seen_at -= 100.0
    assert (overview.waits_for_first_worker, overview.n_hosts_wanted) == (False, 6)
    overview.update(seen(11), SECOND)
    assert overview.waits_for_first_worker


def test_when_a_worker_has_ended_nobody_asks_alone_for_its_hosts_may_be_anybodys(overview):
    lost = seen(10)
    overview.update(replace(lost, totals=lost.totals._replace(has_lost=True)), SECOND)
    assert (overview.waits_for_first_worker, overview.n_hosts_wanted) == (False, 6)


def test_where_nothing_is_learnt_nobody_waits_for_the_first():
    overview = CrawlOverview(64)
    assert (overview.waits_for_first_worker, overview.n_hosts_wanted) == (False, 64)
    overview.update(seen(0), SECOND)
    assert (overview.waits_for_first_worker, overview.n_hosts_wanted) == (False, 6)


def test_hosts_above_a_worker_s_share_go_a_few_at_a_time():
    ranks = [-1200 << 40] * 40
    assert hosts_to_release(ranks, 40, 10, OtherHosts()) == [1, 3, 5, 7, 9, 11, 13]
    assert hosts_to_release(ranks[:12], 12, 10, OtherHosts()) == [1, 3]


def test_a_host_that_is_about_to_go_is_not_one_above_the_share():
    overview, own = CrawlOverview(64), OwnHosts()
    for number in range(8):
        name = f"{number}.example"
        own.add(LeasedHost(name, 0, 0.0, 0.0, 0, 0))
        own.links_read(name, [waiting("page")], LinksWanted())
        own.get(name).put(waiting(str(number)))
    overview.update(seen(100, n_hosts=8), FIRST)
    for _ in range(10):  # none of them can go yet
        overview.release_hosts(own, hosts_rest=True)
    assert sum(not host.is_leaving for host in own) == overview.n_hosts_wanted
