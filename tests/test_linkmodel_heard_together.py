"""Pages of other workers teach a session the same, whether it hears of them one by one or of several at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from test_linkmodel import learn, page

from focused.method.scoring.session import Session
from focused.method.strategies.linkmodel.recent_harvest import RecentHarvest
from focused.method.strategies.linkmodel.session import LinkSession
from focused.utils.steps import finish

if TYPE_CHECKING:
    from focused.method.strategies.linkmodel.growing_table import GrowingTable
    from focused.method.strategies.linkmodel.page_links import PageLinks

N_PAGES = 90


def pages() -> list[PageLinks]:
    """Pages that link to each other and to one hub, which has more referrers than are kept; some come twice."""
    rng = np.random.default_rng(5)
    made = [page("http://a.org/0", 0.5, *(f"http://a.org/{k}" for k in range(1, 30)))]
    for number in range(1, N_PAGES):
        others = rng.choice(2 * N_PAGES, size=8, replace=False).tolist()
        links = (f"http://{'ab'[other % 2]}.org/{other % 7}/{other}" for other in others)
        made.append(
            page(f"http://a.org/{number}", round(float(rng.random()), 3), "http://a.org/hub", *links, anchor=number % 5)
        )
        if number % 11 == 0:
            made.append(made[-3])
    return made


def heard(n_at_once: int) -> LinkSession:
    session = LinkSession(every_pages=25, credit=0.3, fairness=0.5, discovery=1.0)
    session.expect_other_workers()
    session.learner.has_frontier = True
    records = [found.pack() for found in pages()]
    for start in range(0, len(records), n_at_once):
        assert finish(session.learn_from_others(records[start : start + n_at_once])) == 0
    return session


def assert_same(one: GrowingTable, other: GrowingTable) -> None:
    assert one.size == other.size
    for name in one._kinds.keys() - {"sum", "count"}:  # what lies behind links is learnt now and then
        np.testing.assert_allclose(one[name], other[name], rtol=1e-5, atol=1e-6, err_msg=name)


@pytest.fixture(scope="module")
def one_by_one() -> LinkSession:
    return heard(1)


@pytest.mark.parametrize("n_at_once", [2, 16, 200])
def test_what_is_heard_together_is_remembered_as_if_it_had_come_one_by_one(one_by_one, n_at_once):
    together = heard(n_at_once)
    one, other = one_by_one.memory, together.memory
    assert (other.n_pages, other.relevance, other.harvest.share_lost) == pytest.approx(
        (one.n_pages, one.relevance, one.harvest.share_lost)
    )
    assert one.n_pages == N_PAGES  # those that came twice count once
    assert (one.links["n_referrers"] > one.links["n_kept"]).any()  # so the limit is part of what is compared
    assert together.learner.n_fits == one_by_one.learner.n_fits > 2
    for tables in ("groups", "kinds"):
        for name, groups in getattr(one, tables).items():
            assert_same(groups.table, getattr(other, tables)[name].table)
    assert_same(one.evidence, other.evidence)
    assert_same(one.links, other.links)


def test_what_is_no_record_is_counted_and_the_pages_beside_it_are_learnt():
    session = LinkSession()
    session.expect_other_workers()
    assert (
        finish(session.learn_from_others([b"no record", page("http://a.org/", 0.5, "http://a.org/1").pack(), b""])) == 2
    )
    assert session.n_pages == 1


def moved_after_a_fit(n_heard: int) -> tuple[int, int]:
    """Learn from 65 pages, of which others have fetched so many; how many links move at once, and how many with a page."""
    session = LinkSession(every_pages=30)
    session.expect_other_workers()
    rng = np.random.default_rng(3)
    for k in range(65):  # fits are made at pages 5, 35 and 65
        urls = [*(f"http://a.org/{k % 5}/{k}/{i}" for i in range(20)), f"http://a.org/{k + 1}"]
        found = page(f"http://a.org/{k}", float(rng.random()), *urls)
        finish(session.learn_from_others([found.pack()]) if k < n_heard else session._learn_in_steps(found))
        for number, url in enumerate(urls, 21 * k):
            session.note_waiting(url, number, 0.01)
        if k < 64:
            session.take_moves(is_last=True)
    assert session.learner.n_fits >= 3
    return len(session.take_urgent_moves()), len(session.take_moves())


def test_where_others_fetch_most_pages_they_move_most_of_the_links():
    alone, shared = moved_after_a_fit(0), moved_after_a_fit(45)
    assert 0 < shared[0] < 0.5 * alone[0]


def test_what_can_wait_moves_only_when_an_own_page_has_ended():
    at_once, with_a_page = moved_after_a_fit(45)
    assert at_once > 0
    assert with_a_page == 5


def test_a_session_of_somebody_else_that_knows_only_moves_is_asked_for_these_when_others_have_fetched_pages():
    class Own(Session):
        def take_moves(self, *, is_last: bool = False) -> list[tuple[int, float]]:
            return [(7, 0.5)]

    assert Own().take_urgent_moves() == [(7, 0.5)]


def test_pages_that_other_workers_judge_anew_count_for_the_harvest_in_the_order_of_the_crawl():
    """Else the good pages of one worker stand together, and the crawl seems to have been better once than it ever was."""
    made = [page(f"http://a.org/{n}", 0.8 if n % 4 == 0 else 0.0, f"http://a.org/{n + 1}") for n in range(88)]
    session, fresh = LinkSession(every_pages=25, discovery=1.0), LinkSession(every_pages=25, discovery=1.0)
    for each in (session, fresh):
        each.expect_other_workers()
    finish(session.learn_from_others([found.pack() for found in made]))
    assert session.memory.harvest.share_lost == pytest.approx(0, abs=1e-9)
    own, *others = (made[first::4] for first in range(4))  # one of four workers has found all that is good
    finish(fresh.learner.learn_all_in_steps(iter(own), []))
    fresh.learner.take_over_from(session.learner)
    for of_worker in others:
        finish(fresh.learn_from_others([found.pack() for found in of_worker]))
    assert fresh.memory.harvest.mean == pytest.approx(session.memory.harvest.mean)
    assert fresh.memory.harvest.share_lost == pytest.approx(0, abs=1e-9)


def test_the_best_time_of_a_crawl_is_remembered_after_its_pages_were_forgotten():
    harvest = RecentHarvest()
    for n in range(15_000):
        harvest.add(f"http://a.org/{n}", 0.9 if n < 28 else 0.3)
    assert len(harvest._places) <= 10_000
    assert (harvest.mean, harvest.share_lost) == pytest.approx((0.3, 2 / 3))


def learnt_anew(n_heard: int) -> LinkSession:
    """A session that has heard of all pages, learns anew, and has heard of some pages again, whose links wait."""
    session = heard(16)
    list(session.learn_again(LinkSession(every_pages=25, credit=0.3, fairness=0.5, discovery=1.0), []))
    hear(session, *pages()[:n_heard])
    for found in pages()[:n_heard]:
        for url in found.links:
            session.note_waiting(url, 1 + session.memory.numbers([url])[0], 0.9)
    return session


def hear(session: LinkSession, *again: PageLinks) -> None:
    finish(session.learn_from_others([each.pack() for each in again]))
    while session.learner.work.is_under_way:
        session.learner.work.do_portion()


def test_links_keep_their_scores_until_a_session_that_learns_anew_has_heard_of_nearly_all_pages_again():
    """The part that it knows meanwhile would send the crawl elsewhere, for some seconds after each change of model."""
    session = learnt_anew(30)
    n_fits = session.learner.n_fits
    hear(session, *pages()[30:80])
    assert session.take_moves() == session.take_urgent_moves() == []
    assert session.learner.n_fits == n_fits
    hear(session, *pages()[80:])
    assert session.learner.n_fits == n_fits + 1
    assert session.take_moves()


def test_a_session_that_learns_anew_does_not_wait_for_workers_that_say_nothing_any_more():
    session = learnt_anew(30)
    for number in range(9):
        learn(session, page(f"http://own.org/{number}", 0.5, f"http://own.org/{number}/more"))
    assert session.take_moves() == []
    learn(session, page("http://own.org/last", 0.5, "http://own.org/last/more"))
    assert session.take_moves()
