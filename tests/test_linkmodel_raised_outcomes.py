"""What the link model learns from where the judge believes hardly any page."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import logit
from test_linkmodel import learn, many, page

from focused.method.strategies.linkmodel import raised_outcomes as raising
from focused.method.strategies.linkmodel.memory import LinkMemory
from focused.method.strategies.linkmodel.raised_outcomes import LEAST_MEAN, mean_of_raised, raised_outcomes
from focused.method.strategies.linkmodel.session import LinkSession


def memory_of(*relevances: float, seed: float = 0.95) -> tuple[LinkMemory, np.ndarray]:
    """A seed that links to pages of some relevances, and one more link; the memory, and the numbers of the pages' links."""
    memory = LinkMemory()
    urls = [f"http://h.org/{number}" for number in range(len(relevances))]
    memory.add(page("http://h.org/", seed, *urls, "http://h.org/waits"))
    for url, relevance in zip(urls, relevances, strict=True):
        memory.add(page(url, relevance))
    return memory, np.array(memory.numbers(urls))


def test_outcomes_that_hardly_say_anything_are_raised_to_a_mean_and_keep_how_likely_one_is_against_another():
    relevances = [0.05, 0.002, 0.01, 0.04, 0.001, 0.003]
    memory, numbers = memory_of(*relevances)
    raised = raised_outcomes(memory)
    assert raised[numbers].mean() == pytest.approx(LEAST_MEAN, abs=1e-6)
    shifts = logit(raised[numbers]) - logit(relevances)
    assert shifts == pytest.approx(shifts[0])
    assert shifts[0] > 1
    assert logit(raised[memory.number("http://h.org/")]) == pytest.approx(logit(0.95) + shifts[0])
    assert np.isnan(raised[memory.number("http://h.org/waits")])


def test_seeds_do_not_hide_that_nothing_else_is_believed():
    memory, numbers = memory_of(*[0.01] * 5)
    for number in range(20):
        memory.add(page(f"http://seed.org/{number}", 0.95))
    assert raised_outcomes(memory)[numbers].mean() == pytest.approx(LEAST_MEAN, abs=1e-6)


@pytest.mark.parametrize(
    "relevances",
    [
        pytest.param([0.9, 0.01, 0.01, 0.01, 0.3], id="enough is believed"),
        pytest.param([0.01, 0.02, 0.01, 0.01], id="there are too few to tell"),
    ],
)
def test_other_outcomes_stay_as_they_are(relevances):
    memory, numbers = memory_of(*relevances)
    assert raised_outcomes(memory)[numbers].tolist() == relevances
    if len(relevances) < 5:
        assert mean_of_raised(memory) == memory.mean_relevance


def test_a_group_whose_links_do_as_well_as_the_crawl_s_has_no_rate_above_the_crawl_s():
    memory, _ = memory_of(*[0.01] * 9)
    assert mean_of_raised(memory) == pytest.approx(LEAST_MEAN)


def test_pages_that_nobody_believes_at_all_are_no_error():
    memory, numbers = memory_of(*[0.0] * 8)
    raised = raised_outcomes(memory)[numbers]
    assert np.isfinite(raised).all()
    assert len(set(raised.tolist())) == 1


def test_a_crawl_whose_judge_believes_hardly_any_page_learns_where_relevant_pages_are(monkeypatch):
    """Good pages get .04, bad ones .005: as many times as likely as .9 and .5 would be in a crawl that finds much."""
    pages = [replace(found, relevance=0.04 if "good" in found.urls[0] else 0.005) for found in many(120)]

    def difference() -> float:
        session = LinkSession()
        for found in pages:
            learn(session, found)
        urls = [f"http://h.org/{folder}/new-{number}.html" for folder in ("good", "bad") for number in range(30)]
        last = page("http://h.org/last.html", 0.01, *urls)
        scores = session.learner.model.scores(learn(session, last))
        return float(scores[:30].mean() - scores[30:].mean())

    learns = difference()
    monkeypatch.setattr(raising, "LEAST_MEAN", 0.0)
    assert learns > difference() + 0.3
    assert learns > 1


def test_many_outcomes_are_raised_by_a_sample_of_them(monkeypatch):
    monkeypatch.setattr(raising, "_SAMPLE", 20)
    memory, numbers = memory_of(*np.random.default_rng(0).uniform(0.001, 0.05, 99).tolist())
    assert raised_outcomes(memory)[numbers].mean() == pytest.approx(LEAST_MEAN, abs=0.04)
