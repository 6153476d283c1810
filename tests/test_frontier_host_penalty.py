"""How far a host sinks: figures worked out by hand, and who is told when."""

from __future__ import annotations

import math

import pytest

from focused.frontier.host_penalty import HostPenalty
from focused.method.scoring.priority import LEVELS


def penalty(strength: float = 1.0, patience: float = 10.0, n_each: int = 49) -> HostPenalty:
    """After as many relevant pages of one host as irrelevant ones of another."""
    found = HostPenalty(strength, patience)
    found.load([("good", n_each, n_each), ("bad", n_each, 0)])
    return found


def test_before_the_first_page_no_host_stands_back():
    assert HostPenalty(1.0).levels("any") == 0


def test_a_host_sinks_by_the_share_that_its_best_likely_rate_falls_short():
    """98 pages, half of them relevant: the crawl's rate is (49 + 1) / (98 + 2) = 0.5."""
    seen = 49 + 10
    likely = 10 * 0.5 / seen + math.sqrt(0.25 * math.log(99) / seen) / 2
    assert likely == pytest.approx(0.154515, abs=1e-6)
    assert penalty().levels("bad") == round(LEVELS * (1 - likely / 0.5))
    assert penalty(strength=0.5).levels("bad") == round(LEVELS * 0.5 * (1 - likely / 0.5))
    assert penalty().levels("good") == 0


def test_patience_counts_as_pages_at_the_rate_of_the_crawl():
    seen = 49 + 200
    likely = 200 * 0.5 / seen + math.sqrt(0.25 * math.log(99) / seen) / 2
    assert penalty(patience=200).levels("bad") == round(LEVELS * (1 - likely / 0.5)) > 0


def test_a_host_without_pages_is_believed_to_be_as_good_as_the_crawl():
    assert penalty().levels("new") == 0


def test_pages_one_by_one_are_those_of_an_earlier_run():
    counted = HostPenalty(1.0)
    for _ in range(49):
        counted.count_page("good", relevant=True)
        counted.count_page("bad", relevant=False)
    assert {host: counted.levels(host) for host in ("good", "bad")} == penalty().load([])


def test_all_hosts_are_reviewed_every_hundred_pages_and_else_the_one_that_was_asked():
    found = penalty()
    assert set(found.count_page("third", relevant=True)) == {"third"}  # the 99th page
    assert set(found.count_page("third", relevant=True)) == {"good", "bad", "third"}
    assert found.count_page("bad", relevant=False) == {"bad": found.levels("bad")}
