from __future__ import annotations

import pytest

from focused.crawl.harvest import HarvestCounter, f_measure, harvest_rate, target_recall


def test_rates_are_shares_and_0_of_nothing():
    assert harvest_rate(3, 4) == 0.75
    assert target_recall(3, 12) == 0.25
    assert harvest_rate(0, 0) == target_recall(0, 0) == f_measure(0, 0) == 0


@pytest.mark.parametrize(
    ("precision", "recall", "f"),
    [(0.61, 1, 0.76), (0.70, 1, 0.82), (0.91, 0.95, 0.93), (0.70, 0.94, 0.80), (0.78, 0.95, 0.86)],
)
def test_f_measure_as_printed_in_i18(precision, recall, f):
    """I18, tables 3 and 4."""
    assert f_measure(precision, recall) == pytest.approx(f, abs=0.006)


def test_the_recent_rate_forgets_what_left_the_window():
    counter = HarvestCounter(window=3)
    rates = []
    for is_relevant in (True, True, False, False, True):
        counter.add(is_relevant)
        rates.append(round(counter.recent_rate * 3))
    assert rates == [3, 3, 2, 1, 1]
    assert counter.rate == 3 / 5


def test_paths_of_relevant_pages_are_summed():
    counter = HarvestCounter()
    counter.add(False, path_length=1)
    counter.add(True, path_length=2, irrelevant_on_path=1)
    counter.add(True, path_length=5, irrelevant_on_path=3)
    assert (counter.target_length, counter.n_irrelevant_on_path) == (7, 4)
