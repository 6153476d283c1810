"""What sitemaps and feeds say of links: it counts until a page says something, and teaches nothing of pages."""

from __future__ import annotations

from dataclasses import replace

import hand_made
import numpy as np
import pytest

from focused.method.page.link_list import ListedPage, as_page
from focused.method.page.reader import PageReader
from focused.method.scoring import Evidence, Visit
from focused.method.scoring.base import BELOW, BY_FEED, BY_PAGE, BY_SITEMAP
from focused.method.scoring.page_scores import PageScores
from focused.method.strategies import CHOICES, STRATEGIES, make_strategy
from focused.method.strategies.linkmodel.memory import LinkMemory
from focused.method.strategies.linkmodel.page_links import PageLinks, page_links
from focused.method.strategies.linkmodel.seed_shares import UNKNOWN_START
from focused.method.strategies.linkmodel.session import LinkSession
from focused.method.topic.judge import Judge

OF_SITEMAP = Evidence(0.2, BY_SITEMAP, admitted=True, referrer="http://h.org/sitemap.xml", n_referrers=0)
OF_PAGE = Evidence(0.8, BY_PAGE, admitted=True, referrer="http://h.org/")


def source(number: int = 0):
    """A sitemap of two pages, and its relevance."""
    topic = hand_made.topic()
    body = as_page([ListedPage(f"http://h.org/nebula/{number}"), ListedPage(f"http://h.org/soup/{number}")])
    page = PageReader(topic.analyzer).read(body, "http://h.org/sitemap.xml", "text/html")
    return page, Judge(topic).judge(page, {"block", "anchor", "context"})


@pytest.mark.parametrize("name", [name for name in STRATEGIES if STRATEGIES[name].merges])
def test_a_page_outweighs_all_sitemaps_whichever_comes_first(name):
    strategy = make_strategy(name)
    of_sitemap, of_page = (replace(each, parts=(each.score,) * 2, carried=each.score) for each in (OF_SITEMAP, OF_PAGE))
    both = strategy.merge(of_sitemap, of_sitemap)
    assert (both.score, both.n_referrers) == (0.2, 0)
    for merged in (strategy.merge(of_sitemap, of_page), strategy.merge(of_page, of_sitemap)):
        assert merged.score == pytest.approx(0.8)
        assert merged.n_referrers == 1


@pytest.mark.parametrize("name", [name for name in CHOICES if name not in ("anchor_tree", "incremental", "hybrid")])
def test_every_strategy_scores_the_links_of_a_sitemap(name):
    page, _ = source()
    strategy = make_strategy(name).prepare(hand_made.topic())
    relevance = Judge(hand_made.topic()).judge(page, strategy.kinds)
    session = strategy.session()
    visit = Visit(is_source=True)
    found = strategy.score(page, relevance, visit) if session is None else session.score(page, relevance, visit)
    scores = PageScores.of(page, visit, relevance, found, 1).of_source(BY_FEED)
    assert [score >= 0 for score in scores.scores] == [True, True]
    assert scores.scores[0] >= scores.scores[1]
    evidence = scores.evidence(0)
    assert evidence.reason == (BY_FEED if evidence.admitted else BELOW)
    assert (evidence.n_referrers, evidence.irrelevant_on_path) == (0, 0)


def test_a_learner_takes_the_links_of_a_sitemap_and_no_outcome():
    page, relevance = source()
    found = page_links(page, relevance, Visit(is_source=True))
    again = PageLinks.unpack(found.pack())
    assert again.is_source
    assert not PageLinks.unpack(replace(found, is_source=False).pack()).is_source
    memory = LinkMemory()
    memory.add(again)
    assert (memory.n_pages, memory.mean_relevance, memory.fairness.starts.n_starts) == (0, 0.5, 0)
    assert memory.number(page.url) is None
    [number] = memory.numbers(["http://h.org/nebula/0"])
    # The page behind it is one of the crawl, and no seed.
    nothing = np.zeros(0, dtype=np.int64)
    memory.add(PageLinks(("http://h.org/nebula/0",), 1.0, "h.org", [], nothing, nothing, np.zeros((0, 4)), []))
    assert memory.n_pages == 1
    assert memory.links["outcome"][number] == 1.0
    assert memory.fairness.starts.n_starts == 0
    assert memory.links["start"][number] == UNKNOWN_START


def test_a_model_learns_what_the_links_of_sitemaps_led_to():
    session = LinkSession(every_pages=1, credit=0.3, discovery=0.6)
    for n in range(30):
        page, relevance = source(n)
        visit = Visit(urls=(f"http://h.org/sitemap{n}.xml",), is_source=True)
        before = session.score(page, relevance, visit).scores
        for name, value in (("nebula", 0.05), ("soup", 0.95)):  # not what their words promise
            led = Visit(urls=(f"http://h.org/{name}/{n}",), number=session.n_pages)
            session.score(page, replace(relevance, page=value), led)
    assert session.n_pages == 60
    assert session.figures["focused/adaptive/fits_count"] > 0
    assert before[1] > before[0]
