"""The replay of forecasts: what was recorded gives the forecasts that the crawl itself would have made."""

from __future__ import annotations

import forecast
import pytest

from focused.crawl.forecast import Forecaster


def recorded(tmp_path, n_pages: int):
    path = tmp_path / "runs" / "sky-stars-r1-examples" / "adaptive" / "forecast.tsv"
    path.parent.mkdir(parents=True)
    rows = (
        f"{int(number % 3 == 0)}\t{0.5 if number else 1.0}\t{'block' if number else 'seed'}\thttp://h.org/{number}\t0.5:400"
        for number in range(n_pages)
    )
    path.write_text("".join(f"{row}\n" for row in rows))
    return path


def test_a_replayed_forecast_is_that_of_the_crawl(tmp_path):
    labels = {f"http://h.org/{number}": {"stars"} for number in range(200, 300)}
    relevant, true, rows = forecast.read("sky", recorded(tmp_path, 300), labels)
    found = forecast.told("sky", relevant, true, rows)
    forecaster = Forecaster()
    for number in range(75):
        forecaster.add(0.5 if number else None, is_relevant=number % 3 == 0)
    low = forecaster.forecast([(0.5, 400)], 225).low
    assert [each.at for each in found] == [30, 75, 150]
    assert found[1].forecast.low == pytest.approx((low - 25) / 225)
    assert (found[1].outcome, found[1].true) == pytest.approx((75 / 225, 100 / 225))
    assert found[1].naive[0] == pytest.approx(1 / 3)


def test_a_crawl_that_ended_before_the_last_moment_tells_nothing(tmp_path):
    relevant, true, rows = forecast.read("sky", recorded(tmp_path, 150), {})
    assert true is None
    assert forecast.told("sky", relevant, true, rows) == []
