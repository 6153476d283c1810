"""What drawn pages say of pages that were followed: those that only look like the topic are not counted."""

from __future__ import annotations

import numpy as np
import pytest

from focused.method.learning import share_of_relevant
from focused.method.learning.share_by_drawn import DrawnReading, share_by_drawn
from focused.method.learning.share_of_relevant import estimate_share, prior_of_pages_met

N_DRAWN, N_FOLLOWED, SHARE = 36, 264, 0.05


def chosen_by_looks(seed: int, apart: float) -> tuple[np.ndarray, ...]:
    """Return decisions of 30 positives and of pages met, of which those followed were the most alike of a large web.

    What they were chosen by is not all that a decision knows, and it knows nothing else of the topic.
    """
    rng = np.random.default_rng(seed)
    relevant = rng.random(3000) < SHARE
    looks = rng.normal(0, 1, 3000) + apart * relevant
    chosen = np.argsort(-(looks + rng.normal(0, 0.7, 3000)))
    drawn, followed = rng.choice(3000, N_DRAWN, replace=False), chosen[:N_FOLLOWED]
    met = np.concatenate([drawn, followed])
    return rng.normal(apart, 1, 30), looks[met], np.arange(len(met)) < N_DRAWN, relevant[met]


def test_followed_pages_that_look_like_the_topic_are_not_taken_for_relevant_if_drawn_ones_look_so_too(monkeypatch):
    crawls = [chosen_by_looks(seed, apart=1.4) for seed in range(8)]
    truths = [relevant.mean() for *_, relevant in crawls]
    assert max(truths) < 0.25
    found = [estimate_share(*crawl[:3]) for crawl in crawls]
    priors = [prior_of_pages_met(*crawl[:3]) for crawl in crawls]  # what relevances are calibrated to stays
    monkeypatch.setattr(share_of_relevant, "share_by_drawn", lambda *_: None)
    others = [estimate_share(*crawl[:3]).share for crawl in crawls]  # what examples alone say
    assert min(others) > 0.7
    errors = [abs(each.share - truth) for each, truth in zip(found, truths, strict=True)]
    assert np.mean(errors) < 0.5 * np.mean(np.subtract(others, truths))
    assert sum(each.low <= truth <= each.high for each, truth in zip(found, truths, strict=True)) >= 5
    assert all(prior == prior_of_pages_met(*crawl[:3]) for prior, crawl in zip(priors, crawls, strict=True))


def test_where_the_topic_is_easily_told_drawn_pages_are_not_asked():
    positive, met, drawn, _ = chosen_by_looks(0, apart=4.0)
    reading = share_by_drawn(positive, met, drawn)
    assert reading is not None
    assert reading.weight == 0


def test_a_reading_that_is_higher_than_the_others_does_not_raise_the_share(monkeypatch):
    positive, met, drawn, _ = chosen_by_looks(0, apart=1.4)
    monkeypatch.setattr(share_of_relevant, "share_by_drawn", lambda *_: None)
    alone = estimate_share(positive, met, drawn)
    high = DrawnReading(0.97, 1.0)
    monkeypatch.setattr(share_of_relevant, "share_by_drawn", lambda *_: high)
    assert estimate_share(positive, met, drawn) == alone


@pytest.mark.parametrize("share", [0.0, 0.7])
def test_where_irrelevant_pages_that_were_followed_look_as_drawn_ones_do_the_other_readings_are_right(share):
    """What links say of the web, and not looks, led to the relevant ones among them."""
    rng = np.random.default_rng(0)
    drawn = np.arange(900) < 200
    relevant = ~drawn & (rng.random(900) < share)
    reading = share_by_drawn(rng.normal(1.4, 1, 30), rng.normal(0, 1, 900) + 1.4 * relevant, drawn)
    assert reading is not None
    assert reading.weight < 0.15


def test_a_few_drawn_pages_say_nothing():
    positive, met, _, _ = chosen_by_looks(0, apart=1.4)
    drawn = np.zeros(len(met), dtype=np.bool_)
    drawn[np.argsort(met)[:4]] = True
    assert share_by_drawn(positive, met, drawn) is None
    assert share_by_drawn(positive, met, np.ones_like(drawn)) is None
