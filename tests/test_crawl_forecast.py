"""The forecast of a crawl, and when it is saturated."""

from __future__ import annotations

import csv
import json

import hand_made
import pytest
from commands import ROOT, crawl
from sites import Site

from focused.crawl.forecast import LEAST_PAGES, Forecaster

MODELS = ROOT / "models"


def told(pattern: str, waiting: list[tuple[float, int]], n_left: int, level: float = 0.5) -> tuple[float, float]:
    """Return the share of relevant pages that is foretold of the rest, and the width of its interval."""
    forecaster = Forecaster()
    for letter in pattern:
        forecaster.add(level, is_relevant=letter == "+")
    found = forecaster.forecast(waiting, n_left)
    assert found is not None
    assert found.low <= found.n_relevant <= found.high
    return (found.n_relevant - forecaster.n_relevant) / n_left, (found.high - found.low) / n_left


def test_nothing_is_foretold_of_a_few_pages():
    forecaster = Forecaster()
    for _ in range(LEAST_PAGES - 1):
        forecaster.add(0.5, is_relevant=True)
    assert forecaster.forecast([(0.5, 100)], 100) is None


def test_links_count_as_links_of_their_scores_have_come_true():
    forecaster = Forecaster()
    for number in range(2000):
        forecaster.add((0.9, 0.1)[number % 2], is_relevant=number % 2 == 0)
    good, poor = (forecaster.forecast([(level, 500)], 500) for level in (0.9, 0.1))
    assert good is not None
    assert poor is not None
    assert good.low - 1000 > 300
    assert poor.high - 1000 < 200


def test_links_below_the_threshold_say_nothing_of_those_above():
    forecaster = Forecaster()
    for _ in range(2000):
        forecaster.add(-0.1, is_relevant=False)
        forecaster.add(0.1, is_relevant=True)
    assert forecaster.forecast([(-0.1, 500)], 500).high < forecaster.forecast([(0.1, 500)], 500).low


def test_a_young_crawl_is_told_by_what_is_usual_and_by_the_scores_of_its_latest_links_and_an_old_one_by_what_came_true():
    waiting = [(0.5, 400)]
    young, old = (told("+++++++++-" * n_tens, waiting, 400)[0] for n_tens in (2, 400))
    assert 0.4 < young < 0.7 < 0.8 < old
    poor, good = (told("+-" * 20 + "+" * 2, waiting, 400, level=level)[0] for level in (0.2, 0.8))
    assert poor < good - 0.1


def test_links_below_the_threshold_have_scores_like_others():
    above, below = (told("+-" * 40, [], 400, level=level)[0] for level in (0.3, 0.3 - 1))
    assert above == pytest.approx(below, abs=0.01)


def test_an_older_crawl_is_surer():
    assert told("++-" * 300, [(0.5, 400)], 400)[1] < told("++-" * 10, [(0.5, 400)], 400)[1]


def test_memory_does_not_grow_with_the_crawl():
    forecaster = Forecaster()
    for number in range(20_000):
        forecaster.add(0.3, is_relevant=number % 3 == 0)
    assert len(forecaster._stretches) <= 16
    assert sum(forecaster._stretches).tolist() == pytest.approx([forecaster.n_relevant, 20_000, 0.3 * 20_000])


def test_no_page_left_changes_nothing():
    forecaster = Forecaster()
    for _ in range(50):
        forecaster.add(0.5, is_relevant=True)
    assert forecaster.forecast([], 0) == (50, 50, 50)


@pytest.fixture(scope="module")
def long_crawl(tmp_path_factory):
    """A crawl of the demo web in two runs."""
    folder = tmp_path_factory.mktemp("runs")
    assert crawl(MODELS, folder, topic="demo", max_pages=45, run_dir="run").exit_code == 0
    result = crawl(
        MODELS, folder, topic="demo", max_pages=120, run_dir="run", settings={"FOCUSED_METRICS_INTERVAL_SECS": 0.2}
    )
    assert result.exit_code == 0
    return result


def test_a_crawl_says_what_it_will_find_in_its_line_its_table_and_its_summary(long_crawl):
    with (long_crawl.run_dir / "harvest.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["forecast"] != "" for row in rows if int(row["pages"]) in (10, 30, 50, 110, 120)] == [
        False, True, True, True, False,
    ]  # fmt: skip
    for row in rows:
        if row["forecast"]:
            low, n_relevant, high = (int(row[name]) for name in ("forecast_low", "forecast", "forecast_high"))
            n_most = int(row["relevant"]) + (45 if int(row["pages"]) < 45 else 120) - int(row["pages"])
            assert int(row["relevant"]) <= low <= n_relevant <= high <= n_most
    assert "  judged relevant by " in long_crawl.err
    run = json.loads((long_crawl.run_dir / "run.json").read_text())
    assert 60 <= run["forecast"]["at_pages"] < 75
    told_then, n_relevant = run["forecast"], run["stats"]["focused/pages/relevant_count"]
    foretold = f"{told_then['n_relevant']} ({told_then['low']} to {told_then['high']}) judged relevant in the end"
    assert f"{foretold}; there are {n_relevant}" in long_crawl.err


def test_a_crawl_that_finds_nothing_new_ends_if_it_is_asked_to(models, tmp_path):
    n = 60
    pages = {f"/{number}": hand_made.html(hand_made.FOOD, (f"/{number + 1}", "recipe")) for number in range(1, n)}
    pages["/"] = hand_made.html(hand_made.STARS, ("/1", "nebula"))
    settings = {"DOWNLOAD_DELAY": 0, "AUTOTHROTTLE_ENABLED": 0, "FOCUSED_SATURATION_PAGES": 20}
    with Site(pages) as site:
        given = {"seeds": f"{site.url}/", "strategy": "best_first", "settings": settings, "max_pages": 50}
        result = crawl(models, tmp_path, stop_when="saturated", **given)
        other = crawl(models, tmp_path / "other", **given)
    assert (result.run["finish_reason"], result.stats["focused/pages/fetched_count"]) == ("saturated", 21)
    assert "Ended because there is nothing new: of the last 20 pages none was relevant and new" in result.err
    assert other.run["finish_reason"] == "max_pages"
    assert "It might have ended (-a stop_when=saturated) because there is nothing new" in other.err


def test_another_way_to_end_is_refused_in_one_line(models, tmp_path):
    result = crawl(models, tmp_path, stop_when="bored", seeds="http://127.0.0.1:9/")
    assert result.exit_code == 1
    assert "Spider argument 'stop_when' must be 'budgets' or 'saturated'. Got 'bored'." in result.err
