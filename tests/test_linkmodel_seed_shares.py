"""A seed that has had less than its share of the pages."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from test_linkmodel import learn, page, scores

from focused.method.strategies.linkmodel.seed_shares import UNKNOWN_START
from focused.method.strategies.linkmodel.session import LinkSession
from focused.utils.steps import finish


def crawl(session: LinkSession, n_pages: int = 60, relevance: float = 0.3) -> LinkSession:
    """Two seeds; of what the first leads to, many pages are fetched, of the second nothing but the seed."""
    learn(session, page("http://rich.org/", 0.3, *(f"http://rich.org/{k}" for k in range(n_pages + 1))))
    learn(session, page("http://poor.org/", 0.3, "http://poor.org/people"))
    for k in range(n_pages):
        learn(session, page(f"http://rich.org/{k}", relevance, f"http://rich.org/{k}/more"))
    return session


def test_links_behind_a_seed_that_has_had_few_pages_come_forward():
    fair, unfair = (crawl(LinkSession(fairness=fairness)) for fairness in (1.0, 0.0))
    poor, rich = "http://poor.org/people", "http://rich.org/60"
    assert scores(fair, poor)[0] > scores(unfair, poor)[0] + 0.1
    assert scores(fair, rich) == pytest.approx(scores(unfair, rich))


def test_where_most_pages_are_relevant_there_is_less_to_make_up_for():
    sessions = [crawl(LinkSession(fairness=1.0), relevance=relevance) for relevance in (0.01, 0.5, 0.99)]
    advantage = [
        session.learner.scorer.advantages(np.array(session.memory.numbers(["http://poor.org/people"]))).item()
        for session in sessions
    ]
    assert advantage[0] > advantage[1] > advantage[2] >= 0


def test_what_a_page_leads_to_counts_for_the_seed_that_the_page_was_reached_from():
    session = crawl(LinkSession())
    links = session.memory.links
    of = {
        url: int(links["start"][session.memory.number(url)])
        for url in ("http://rich.org/59/more", "http://poor.org/people")
    }
    assert of == {"http://rich.org/59/more": 0, "http://poor.org/people": 1}


def test_the_target_of_a_redirect_belongs_to_the_seed_whose_link_led_there():
    session = crawl(LinkSession())
    memory = session.memory
    memory.add(page("http://poor.org/people", 0.1, "http://else.org/x"))
    found = page("http://moved.org/x", 0.1, "http://moved.org/y")
    memory.add(
        type(found)(("http://else.org/x", "http://moved.org/x"), *(getattr(found, n) for n in found.__slots__[1:]))
    )
    assert int(memory.links["start"][memory.number("http://moved.org/y")]) == 1


def test_what_workers_learn_anew_keeps_its_seed_in_any_order_and_counts_no_page_twice():
    """A session's own pages are there at once when it learns anew; those of other workers are heard again one by one."""
    session = LinkSession(fairness=1.0)
    assert session.expect_other_workers()
    others = [
        replace(page("http://rich.org/", 0.3, "http://rich.org/1"), is_seed=True),
        *(page(f"http://rich.org/{k}", 0.3, f"http://rich.org/{k + 1}") for k in range(1, 9)),
        replace(page("http://poor.org/", 0.3, "http://poor.org/people"), is_seed=True),
    ]
    for found in others:
        finish(session.learn_from_others([found.pack()]))

    def known() -> tuple[dict[str, int], int, list[float]]:
        memory = session.memory
        starts = {url: int(memory.links["start"][memory.number(url)]) for found in others for url in found.links}
        return starts, memory.fairness.starts.n_starts, memory.fairness.starts._n_pages[:2].tolist()

    before = known()
    assert before == ({**{f"http://rich.org/{k}": 0 for k in range(1, 10)}, "http://poor.org/people": 1}, 2, [9.0, 1.0])
    for _ in range(2):  # a version, and another one before all was heard again
        list(session.learn_again(LinkSession(fairness=1.0), []))
        for found in reversed(others[3:]):
            finish(session.learn_from_others([found.pack()]))
    for found in others[:3]:
        finish(session.learn_from_others([found.pack()]))
    assert known() == before
    stranger = page("http://else.org/7", 0.3, "http://else.org/8")  # whose referrer is to come
    finish(session.learn_from_others([stranger.pack()]))
    assert session.memory.fairness.starts.n_starts == 2


def test_seeds_of_equal_shares_have_no_advantage():
    session = LinkSession(fairness=1.0)
    for host in "abcdef":
        learn(session, page(f"http://{host}.org/", 0.1, f"http://{host}.org/x"))
    assert (
        session.learner.scorer.advantages(
            np.array(session.memory.numbers(f"http://{host}.org/x" for host in "abcdef"))
        ).tolist()
        == [0] * 6
    )


def test_a_crawl_that_goes_on_knows_the_shares():
    session = crawl(LinkSession(fairness=1.0))
    again = LinkSession(fairness=1.0)
    for found in [
        page("http://rich.org/", 0.3, *(f"http://rich.org/{k}" for k in range(61))),
        page("http://poor.org/", 0.3, "http://poor.org/people"),
        *(page(f"http://rich.org/{k}", 0.3, f"http://rich.org/{k}/more") for k in range(60)),
    ]:
        again.replay(found.pack())
    links = np.arange(1, len(session.memory.links))
    assert again.learner.scorer.advantages(links).tolist() == session.learner.scorer.advantages(links).tolist()
    assert max(session.learner.scorer.advantages(links)) > 0


def test_once_links_are_forgotten_a_page_from_nowhere_is_no_seed():
    session = crawl(LinkSession(fairness=1.0))
    session.memory.n_forgotten = 1
    session.memory.add(page("http://forgotten.org/", 0.1, "http://forgotten.org/x"))
    assert int(session.memory.links["start"][session.memory.number("http://forgotten.org/x")]) == UNKNOWN_START
