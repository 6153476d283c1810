from __future__ import annotations

import math

import pytest

from focused.crawl.harvest import area
from focused.evaluation.measures import FetchedRow, length_at, measure
from focused.utils.estimates import compare, estimated

A, B, C, D, E, F = (f"http://h.org/{name}" for name in "abcdef")


def row(url, referrer="", reason="seed", depth=0, location=""):
    return FetchedRow(url, location or url, referrer, reason, depth)


def by_location(found):
    return found.location


# a (a positive, the seed) -> b (irrelevant) -> c (relevant) -> d (relevant); a -> e (irrelevant); b -> f (relevant)
ROWS = [
    row(A),
    row(B, A, "below threshold", 1),
    row(C, B, "block", 2),
    row(D, C, "anchor", 3),
    row(E, A, "context", 1),
    row(F, B, "below threshold", 2),
]


def judged(rows=ROWS, budget=10, **changes):
    about = {"relevant": {A, C, D, F}, "positives": {A}, "targets": {C, D, F}, "budget": budget}
    return measure(rows, by_location, **(about | changes))


def test_a_crawl_worked_out_by_hand():
    found = judged()
    last = found.last
    # Counted: b c d e f; relevant: c d f.
    assert (last.pages, last.relevant) == (5, 3)
    assert last.harvest_rate == 3 / 5
    assert last.target_recall == 1
    assert last.target_length == 2 + 3 + 2  # links on the ways to c, d and f
    assert last.irrelevant_on_path == 1 + 1 + 1  # b, on each of them
    assert found.share_of_bound == 1
    assert found.area == pytest.approx((0 / 1 + 1 / 2 + 2 / 3 + 2 / 4 + 3 / 5) / 5)
    assert found.f_measure == pytest.approx(2 * 0.6 * 1 / 1.6)
    assert found.relevant_through == {"block": 1, "anchor": 1, "context": 0, "deferred": 1, "seed": 0, "other": 0}
    assert found.n_relevant_unreachable == 0


def test_a_point_of_the_curve_has_the_virtual_hours_until_the_last_counted_page():
    found = judged(secs_of={A: 10.0, B: 20.0, C: 30.0, D: 1800.0, E: 2700.0, F: 3600.0}, budget=4)
    assert found.last.virtual_hours == 0.75
    assert judged().last.virtual_hours is None


def test_target_length_follows_the_path_by_which_a_link_was_found_first():
    # a -> b (irrelevant) -> c; a links to c, too, but b said more for it, so the row of c names b.
    links = {A: [B, C], B: [C], C: [D], D: []}
    rows = [row(A), row(B, A, "block", 1), row(C, B, "block", 2), row(D, C, "block", 3)]
    found = judged(rows, links_of=links.__getitem__)
    assert found.last.target_length == 1 + 2
    assert found.last.irrelevant_on_path == 0
    as_named = judged(rows)
    assert (as_named.last.target_length, as_named.last.irrelevant_on_path) == (2 + 3, 1 + 1)


def test_target_lengths_are_compared_after_the_same_number_of_relevant_pages():
    rows = [row(A), *(row(f"http://h.org/{n}", A, "block", 2) for n in range(20))]
    found = judged(rows, relevant={one.url for one in rows[1:]}, budget=30)
    assert [length_at(found.curve, n) for n in (5, 10, 15)] == [10, 20, 30]
    assert math.isnan(length_at(found.curve, 21))


def test_training_positives_count_neither_as_relevant_nor_as_fetched():
    with_them = judged([row(A), row(D, A, "anchor", 1)], positives={A})
    as_others = judged([row(A), row(D, A, "anchor", 1)], positives=set())
    assert (with_them.last.pages, with_them.last.relevant) == (1, 1)
    assert (as_others.last.pages, as_others.last.relevant) == (2, 2)


def test_the_crawl_is_cut_off_after_the_budget_of_counted_pages():
    found = judged(budget=2)
    assert (found.last.pages, found.last.relevant) == (2, 1)
    assert found.share_of_bound == 1 / 2  # of the three that can be reached, two fit into the budget


def test_a_crawl_that_runs_dry_is_held_against_the_budget():
    found = judged(ROWS[:3], budget=4)
    assert found.last.harvest_rate == 1 / 2
    assert found.share_of_bound == pytest.approx(1 / 3)
    assert found.curve[-1].pages == 2


def test_one_page_under_two_urls_counts_once():
    found = judged([row(A), row(C, A, "block", 1), row("http://h.org/C", A, "block", 1, location=C)])
    assert (found.last.pages, found.last.relevant) == (1, 1)


def test_the_curve_has_a_point_every_ten_pages_and_one_at_the_end():
    rows = [row(f"http://h.org/{number}") for number in range(23)]
    assert [point.pages for point in judged(rows, budget=100).curve] == [10, 20, 23]
    assert [point.pages for point in judged(rows, budget=20).curve] == [10, 20]


def test_where_nothing_can_be_found_there_is_no_share_of_it():
    assert judged(targets=set(), relevant=set()).share_of_bound is None


def test_of_two_crawls_that_found_the_same_the_earlier_has_the_larger_area():
    assert area([1, 1 / 2, 1 / 3]) > area([0, 0, 1 / 3])
    assert area([]) == 0


def test_the_interval_is_that_of_student():
    found = estimated({"a": [0.1, 0.2, 0.3, 0.4]})
    # mean 0.25, deviation 0.1291, t(3) = 3.1824
    assert found.low == pytest.approx(0.25 - 3.18245 * 0.129099 / 2, abs=1e-5)
    assert found.high == pytest.approx(0.25 + 3.18245 * 0.129099 / 2, abs=1e-5)
    assert math.isnan(estimated({"a": [0.5]}).low)


def crawls(*values, repeats=1):
    return {(f"topic {n // repeats}", n % repeats): value for n, value in enumerate(values)}


def test_a_difference_is_paired_and_its_interval_taken_over_topics():
    found = compare(crawls(0.9, 0.5, 0.3), crawls(0.8, 0.41, 0.19))
    assert found.mean == pytest.approx(0.1)
    assert (found.n, found.unit, found.verdict) == (3, "topics", "better")
    assert compare(crawls(0.8, 0.41, 0.19), crawls(0.9, 0.5, 0.3)).verdict == "worse"


def test_repeats_of_a_topic_are_no_further_evidence():
    once = compare(crawls(0.9, 0.5), crawls(0.8, 0.3))
    often = compare(crawls(*[0.9] * 5, *[0.5] * 5, repeats=5), crawls(*[0.8] * 5, *[0.3] * 5, repeats=5))
    assert often.n == 2
    assert (often.low, often.high) == pytest.approx((once.low, once.high))
    assert once.verdict == "tie"


def test_what_differs_now_one_way_now_the_other_is_a_tie():
    assert compare(crawls(0.9, 0.5, 0.6), crawls(0.8, 0.6, 0.6)).verdict == "tie"


def test_only_crawls_that_both_have_are_compared():
    found = compare({("a", 1): 0.5, ("b", 1): 0.9}, {("a", 1): 0.4, ("c", 1): 0.1})
    assert (found.n, found.verdict) == (1, "tie")
    assert math.isnan(found.low)
    assert found.mean == pytest.approx(0.1)
    assert compare({("a", 1): 0.5}, {("b", 1): 0.5}).n == 0


def test_of_a_single_topic_the_repeats_are_compared():
    found = compare(crawls(0.5, 0.6, 0.7, repeats=3), crawls(0.4, 0.5, 0.59, repeats=3))
    assert (found.n, found.unit, found.verdict) == (3, "repeats", "better")
