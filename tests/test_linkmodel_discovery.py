"""What lies behind a link counts as far as the harvest has fallen."""

from __future__ import annotations

import hand_made
import numpy as np
import pytest
from test_linkmodel import learn, page, scores

from focused.method.page.reader import PageReader
from focused.method.scoring import Visit
from focused.method.strategies import make_strategy
from focused.method.strategies.linkmodel.session import LinkSession
from focused.method.topic.judge import Judge
from focused.utils.steps import finish

SITE = "http://h.org"


def crawl(discovery: float = 0.6, n_good: int = 30, n_bad: int = 30) -> LinkSession:
    """Relevant pages that a list of the day named, then others that an article did; two lists and articles still wait."""
    session = LinkSession(discovery=discovery)
    good, bad = ([f"{SITE}/{kind}/{n}.html" for n in range(number)] for kind, number in (("a", n_good), ("b", n_bad)))
    waiting = [f"{SITE}/list?day=2", f"{SITE}/list?day=3", f"{SITE}/b/99.html"]
    learn(session, page(f"{SITE}/", 0.3, f"{SITE}/list?day=1", f"{SITE}/b/0.html", *waiting))
    learn(session, page(f"{SITE}/b/0.html", 0.3, *bad[1:]))
    learn(session, page(f"{SITE}/list?day=1", 0.3, *good))
    for url in good:
        learn(session, page(url, 0.9))
    for url in bad[1:]:
        learn(session, page(url, 0.1))
    finish(session.learner.fit_in_steps())
    return session


def hopes(session: LinkSession, *urls: str) -> list[float]:
    return session.learner.discovery.expected_yields(np.array(session.memory.numbers(urls))).tolist()


def test_more_lies_behind_links_of_the_kind_that_led_to_relevant_pages():
    of_list, of_article = hopes(crawl(), f"{SITE}/list?day=2", f"{SITE}/b/99.html")
    assert of_list > 2 * of_article > 0


def test_what_lies_behind_a_link_brings_it_forward():
    urls = f"{SITE}/list?day=2", f"{SITE}/b/99.html"
    on, off = (scores(crawl(discovery), *urls) for discovery in (0.6, 0.0))
    assert on[0] > off[0] + 0.1
    assert on[0] - off[0] > on[1] - off[1]


def test_as_long_as_a_crawl_does_as_well_as_ever_nothing_comes_forward():
    session = crawl(n_bad=1)
    assert hopes(session, f"{SITE}/list?day=2") == [0.0]


def test_of_an_untried_kind_the_first_links_come_forward():
    session = crawl()
    learn(session, page(f"{SITE}/b/99.html", 0.1, *(f"{SITE}/tags/{n}/" for n in range(20))))
    first, later, list_ = hopes(session, f"{SITE}/tags/0/", f"{SITE}/tags/19/", f"{SITE}/list?day=2")
    assert first > later
    assert list_ > later


def test_a_yield_is_counted_over_several_hops():
    session = LinkSession(discovery=0.6)
    chain = [f"{SITE}/{'x' * n}/{n}.html" for n in range(1, 6)]
    learn(session, page(f"{SITE}/", 0.0, chain[0]))
    for url, after in zip(chain, [*chain[1:], ""], strict=True):
        learn(session, page(url, 0.0 if after else 1.0, *([after] if after else [])))
    yields = session.learner.discovery.observed_yields()[session.memory.numbers(chain)]
    mean = session.memory.mean_relevance
    assert yields[-1] == 0
    assert yields[-2] == pytest.approx(1 - mean)
    assert yields[-3] == pytest.approx((1 - mean) / 2 - mean)


def test_what_is_forgotten_still_counts_for_its_kind():
    session = crawl()
    before = hopes(session, f"{SITE}/list?day=2")
    memory = session.memory
    gone = np.array(memory.numbers([f"{SITE}/list?day=1"]))
    finish(
        memory.forget_in_steps(
            gone, session.learner.model.outcomes_with_credit(), session.learner.discovery.observed_yields()
        )
    )
    session.learner.discovery.learn()
    assert hopes(session, f"{SITE}/list?day=2") == pytest.approx(before, rel=0.05)


def test_a_link_that_leads_on_says_so():
    assert "leads on" in crawl().why(f"{SITE}/list?day=2")


def test_crawls_for_topics_from_words_do_not_discover():
    words = hand_made.topic(manifest={"examples": {"keywords": {"terms": ["star"]}}})
    on, off = (make_strategy("adaptive").prepare(topic) for topic in (hand_made.topic(), words))
    assert on.discovery > 0 == off.discovery


def hope_after(session: LinkSession, **visit: int) -> float:
    """What is hoped to lie behind a list, once one more page has come by such a visit."""
    topic = hand_made.topic()
    url = f"{SITE}/b/99.html"
    read = PageReader(topic.analyzer).read(b"<p>A recipe for soup. <a href='/c.html'>Soup</a>", url, "text/html")
    relevance = Judge(topic).judge(read, make_strategy("adaptive").kinds)
    session.score(read, relevance, Visit(urls=(url,), **visit))
    finish(session.learner.fit_in_steps())
    [found] = hopes(session, f"{SITE}/list?day=2")
    return found


# Of 62 pages.
@pytest.mark.parametrize(("goal_pages", "part"), [(0, 1), (1_000, 1), (124, 1), (83, 0.5), (62, 0), (20, 0)])
def test_in_the_second_half_of_a_page_budget_less_and_less_is_hoped(goal_pages, part):
    session = crawl()
    assert session.n_pages == 62
    assert hope_after(session, goal_pages=goal_pages) == pytest.approx(part * hope_after(crawl()), rel=0.02)


def test_pages_of_earlier_runs_count_in_the_page_budget():
    assert hope_after(crawl(), goal_pages=1_000, number=999) < 0.01


def test_a_learner_that_takes_over_late_in_a_crawl_hopes_for_as_little_as_the_one_before():
    session = crawl()
    assert hope_after(session, goal_pages=63) < 0.05
    finish(session.learn_again(LinkSession(discovery=0.6), []))
    assert session.learner.discovery.part_left < 0.05
