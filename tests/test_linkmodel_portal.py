"""A portal as the only seed: links of it that have had less than their share of the pages."""

from __future__ import annotations

import csv

import hand_made
import numpy as np
import pytest
from commands import crawl as run_crawl
from test_linkmodel import learn, page
from test_linkmodel_crawl import OPTIONS
from warcs import Warc

from focused.method.strategies.linkmodel.page_links import PageLinks
from focused.method.strategies.linkmodel.session import LinkSession

PORTAL, LARGE, SMALL = "http://portal.org", "http://large.org", "http://small.org"
N_LARGE, N_SMALL = 400, 40


def site() -> dict[str, PageLinks]:
    """A large site without relevant pages that sounds better, and a small one with nothing else, two clicks away."""
    large = [f"{LARGE}/{number}" for number in range(N_LARGE)]
    small = [f"{SMALL}/{number}" for number in range(N_SMALL)]
    pages = [page(f"{PORTAL}/", 0.02, large[0], f"{PORTAL}/other", logits=-3.0)]
    pages.append(page(f"{PORTAL}/other", 0.02, small[0], anchor=8, logits=-3.0))
    pages += [page(url, 0.03, *large[at + 1 : at + 11], logits=-2.5) for at, url in enumerate(large)]
    pages += [page(url, 0.95, *small[at + 1 : at + 6], anchor=9, logits=2.0) for at, url in enumerate(small)]
    return {found.urls[0]: found for found in pages}


def best_first(session: LinkSession, n_pages: int, seeds: tuple[str, ...] = (f"{PORTAL}/",)) -> list[str]:
    """Fetch the best link that waits, again and again."""
    web, done = site(), list[str]()
    waiting = dict.fromkeys(seeds)
    while waiting and len(done) < n_pages:
        urls = list(waiting)
        url = urls[0]
        if len(done) >= len(seeds):
            url = urls[int(session.learner.scorer.scores(np.array(session.memory.numbers(urls))).argmax())]
        del waiting[url]
        done.append(url)
        learn(session, web[url])
        waiting.update(dict.fromkeys(link for link in web[url].links if link not in done))
    return done


def test_a_crawl_that_finds_nothing_on_a_large_site_looks_at_what_else_the_portal_names():
    found, missed = (best_first(LinkSession(fairness=fairness), n_pages=150) for fairness in (1.0, 0.0))
    assert not any(url.startswith(SMALL) for url in missed)
    assert sum(url.startswith(SMALL) for url in found) == N_SMALL


def portal(*seeds: str, relevance: float = 0.01, n_pages: int = 100) -> LinkSession:
    """A crawl that has fetched many pages of the large site."""
    session = LinkSession(fairness=1.0)
    learn(session, site()[f"{PORTAL}/"])
    for url in seeds:
        learn(session, page(url, relevance, f"{url}1"))
    for number in range(n_pages):
        learn(session, page(f"{LARGE}/{number}", relevance, f"{LARGE}/{number + 1}"))
    return session


def advantages(session: LinkSession, *urls: str) -> list[float]:
    return session.learner.scorer.advantages(np.array(session.memory.numbers(urls))).tolist()


def test_what_the_only_seed_names_and_nobody_has_opened_comes_forward():
    other, more = advantages(portal(), f"{PORTAL}/other", f"{LARGE}/100")
    assert other == pytest.approx(np.log(105 / 5), rel=0.05)
    assert more == 0


def test_what_lies_behind_a_link_of_the_seed_has_that_links_share():
    session = portal()
    learn(session, page(f"{PORTAL}/other", 0.01, f"{SMALL}/0"))
    before = advantages(session, f"{SMALL}/0")[0]
    for number in range(20):
        learn(session, page(f"{SMALL}/{number}", 0.01, f"{SMALL}/{number + 1}"))
    after, large = advantages(session, f"{SMALL}/20", f"{LARGE}/100")
    assert before > after > large == 0


def test_where_most_pages_are_relevant_the_portal_has_less_to_name():
    found = [advantages(portal(relevance=relevance), f"{PORTAL}/other")[0] for relevance in (0.01, 0.5, 0.99)]
    assert found[0] > found[1] > found[2] >= 0


def test_with_several_seeds_it_is_they_that_have_their_shares():
    session = portal("http://a.org/", "http://b.org/")
    other, more, a, b = advantages(session, f"{PORTAL}/other", f"{LARGE}/100", "http://a.org/1", "http://b.org/1")
    assert other == more == 0
    assert a == b > 1


def test_the_target_of_a_redirect_belongs_to_the_link_of_the_seed_that_led_there():
    session = portal()
    found = page("http://moved.org/", 0.01, "http://moved.org/x")
    names = found.__slots__[1:]
    learn(session, type(found)((f"{PORTAL}/other", "http://moved.org/"), *(getattr(found, name) for name in names)))
    memory = session.memory
    branches = memory.links["branch"][memory.numbers([f"{PORTAL}/other", "http://moved.org/x", f"{LARGE}/100"])]
    assert branches.tolist() == [1, 1, 0]


def test_a_crawl_that_goes_on_knows_the_shares_of_the_links():
    session, again = portal(), LinkSession(fairness=1.0)
    again.replay(site()[f"{PORTAL}/"].pack())
    for number in range(100):
        again.replay(page(f"{LARGE}/{number}", 0.01, f"{LARGE}/{number + 1}").pack())
    links = np.arange(1, len(session.memory.links))
    assert again.learner.scorer.advantages(links).tolist() == session.learner.scorer.advantages(links).tolist()
    assert max(session.learner.scorer.advantages(links)) > 1


def test_a_crawl_that_learns_anew_keeps_the_shares():
    session, fresh = portal(), LinkSession(fairness=1.0)
    urls = [f"{PORTAL}/other", f"{LARGE}/100"]

    def shares() -> list[float]:
        memory = session.memory
        return memory.fairness.branches.advantages(memory.links["branch"][memory.numbers(urls)]).tolist()

    before = shares()
    for found in (site()[f"{PORTAL}/"], page(f"{LARGE}/99", 0.01, f"{LARGE}/100")):
        fresh.replay(found.pack())  # of the others nothing was kept
    for _ in session.learn_again(fresh, []):
        pass
    assert session.memory is fresh.memory
    assert shares() == before
    assert before[0] > 1


def test_once_links_are_forgotten_a_page_from_nowhere_is_no_portal():
    session = portal()
    session.memory.n_forgotten = 1
    learn(session, page("http://forgotten.org/", 0.01, "http://forgotten.org/x"))
    assert advantages(session, "http://forgotten.org/x") == [0]


@pytest.mark.slow
def test_a_crawl_from_a_portal_finds_the_small_site_behind_it(tmp_path):
    """The large site is named first, and with a word of the topic; the small one behind a page about nothing."""
    hand_made.topic().save(tmp_path / "models")
    warc = Warc(tmp_path / "web.warc.gz")
    warc.page(f"{PORTAL}/", hand_made.html("Welcome.", (f"{LARGE}/0", "planet"), ("/other", "more")))
    warc.page(f"{PORTAL}/other", hand_made.html("Welcome.", (f"{SMALL}/0", "telescope")))
    for host, n_pages, text in ((LARGE, N_LARGE, hand_made.FOOD), (SMALL, N_SMALL, hand_made.STARS)):
        for number in range(n_pages):
            links = [(f"/{n}", "planet" if host == LARGE else "more") for n in range(number + 1, number + 11)]
            warc.page(f"{host}/{number}", hand_made.html(f"{text} {number}", *links))
    path = warc.indexed()
    hosts = {}
    for fairness in (1, 0):
        run = run_crawl(
            *(tmp_path / "models", tmp_path / f"fairness{fairness}"),
            web=path,
            seeds=f"{PORTAL}/",
            strategy="adaptive",
            max_pages=150,
            settings={
                **OPTIONS,
                "FOCUSED_ADAPTIVE_FAIRNESS": fairness,
                "FOCUSED_COPIES": "off",
                "FOCUSED_TRAPS": "off",
            },
        )
        assert run.exit_code == 0, run.err
        with (run.run_dir / "fetched.csv").open(newline="") as file:
            hosts[fairness] = [row["url"].split("/")[2] for row in csv.DictReader(file)]
    assert hosts[0].count("small.org") == 0
    assert hosts[1].count("small.org") >= 30
