"""The tables of an evaluation's report."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from focused.evaluation.report.colours import REFERENCES, style_of
from focused.evaluation.report.conclusions import MEASURE, percent, points, significance_of
from focused.evaluation.report.markup import UNKNOWN, Markup, element, joined, key_of, name, table
from focused.utils.estimates import estimated

if TYPE_CHECKING:
    from collections.abc import Sequence

    from focused.evaluation.report.results import Results, WebResults
    from focused.utils.estimates import Estimate

_SHARES = {"harvest_rate": "harvest rate", "target_recall": "target recall", "area": "area", "f_measure": "F-measure"}


def strategies_table(results: Results, web: WebResults, ranked: Sequence[str], default: str) -> Markup:
    """Return a row for each strategy, best first: means, intervals, difference to the default, CPU time."""
    against: list[object] = [joined(("difference to ", name(default))), "verdict"] if default in web.strategies else []
    heads = [
        "strategy", "share of bound", *_SHARES.values(), "target length", "irrelevant on paths", *against, "CPU s", "crawls",
    ]  # fmt: skip
    rows = []
    for strategy in ranked:
        row: list[object] = [_strategy(strategy, default), _share(web.estimate(strategy, MEASURE))]
        row += [_number(web.estimate(strategy, column)) for column in _SHARES]
        row += [_count(web.estimate(strategy, column)) for column in ("target_length", "irrelevant_on_path")]
        if against:
            row += _compared(significance_of(results, web, strategy, default))
        row += [_seconds(web.estimate(strategy, "cpu_seconds").mean), f"{len(web.of(strategy)):,}"]
        rows.append(row)
    what = "topics" if len(web.topics) > 1 else "repeats"
    caption = (
        f"Means over {what} after {web.max_pages:,} pages, best first, with 95 % intervals (Student's t over {what})."
    )
    if against:
        n = len(ranked) - 1
        caption += (
            " Difference: of the share of bound, in percentage points, in pairs of the same topic and repeat; a tie is one "
            f"whose 95 % interval holds 0. The intervals are not corrected for there being {n} of them."
        )
    return table("Strategies", caption, heads, rows)


def topics_table(web: WebResults, ranked: Sequence[str], default: str) -> Markup:
    """Return a row for each topic: the number of relevant pages, and the share of bound of each strategy."""
    rows = []
    for topic in web.topics:
        values = {strategy: _mean(web, strategy, topic, MEASURE) for strategy in ranked}
        known = [value for strategy, value in values.items() if strategy not in REFERENCES and not math.isnan(value)]
        best = max(known, default=math.nan)
        reachable = [_mean(web, strategy, topic, "reachable_relevant") for strategy in ranked]
        shown = [value for value in reachable if not math.isnan(value)]
        rows.append([
            name(topic),
            f"{shown[0]:,.0f}" if shown else UNKNOWN,
            *(
                element("span", percent(value), class_="best" if value == best and strategy not in REFERENCES else None)
                for strategy, value in values.items()
            ),
        ])  # fmt: skip
    heads = ["topic", "reachable relevant pages", *(_strategy(strategy, default, has_key=False) for strategy in ranked)]
    return table(
        "Topics",
        "Share of bound of each topic, mean over its repeats; strategies from left to right as above, underlined the best of "
        "a topic (the references left aside).",
        heads, rows, class_="many" if len(ranked) > 10 else None,
    )  # fmt: skip


def _strategy(strategy: str, default: str, *, has_key: bool = True) -> Markup:
    mark = " (default)" if strategy == default else " (reference)" if strategy in REFERENCES else ""
    key, breaks = (key_of(style_of(strategy)), "") if has_key else ("", "_")
    return joined((key, name(strategy, breaks), element("span", mark, class_="soft")))


def _mean(web: WebResults, strategy: str, topic: str, column: str) -> float:
    return estimated({"": [crawl.value(column) for crawl in web.of(strategy, topic)]}).mean


def _share(estimate: Estimate) -> Markup:
    # The interval of a mean below 1 may end above 1, but a share cannot: it is cut there.
    low, high = (f"{100 * min(1.0, max(0.0, value)):.0f}" for value in _known(estimate))
    return _with_range(percent(estimate.mean), estimate, f"{low} to {high}")


def _number(estimate: Estimate) -> Markup:
    low, high = (f"{min(1.0, max(0.0, value)):.2f}" for value in _known(estimate))
    return _with_range(UNKNOWN if math.isnan(estimate.mean) else f"{estimate.mean:.3f}", estimate, f"{low} to {high}")


def _count(estimate: Estimate) -> Markup:
    low, high = (f"{max(0.0, value):,.0f}" for value in _known(estimate))
    return _with_range(UNKNOWN if math.isnan(estimate.mean) else f"{estimate.mean:,.0f}", estimate, f"{low} to {high}")


def _known(estimate: Estimate) -> tuple[float, float]:
    return (0.0, 0.0) if math.isnan(estimate.low) else (estimate.low, estimate.high)


def _with_range(mean: str, estimate: Estimate, shown: str) -> Markup:
    return joined((mean, element("span", shown, class_="range") if not math.isnan(estimate.low) else ""))


def _compared(difference: Estimate | None) -> list[object]:
    if difference is None:
        return ["", "the default"]
    if math.isnan(difference.mean):
        return [UNKNOWN, UNKNOWN]
    if math.isnan(difference.low):
        return [points(difference.mean), "one pair"]
    shown = f"{points(difference.low)} to {points(difference.high)}"
    verdict = element("span", difference.verdict, class_=difference.verdict)
    return [_with_range(points(difference.mean), difference, shown), verdict]


def _seconds(value: float) -> str:
    return UNKNOWN if math.isnan(value) else f"{value:,.1f}" if value < 100 else f"{value:,.0f}"
