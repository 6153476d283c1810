"""The columns and rows of ``harvest.csv``."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from focused.crawl.harvest import HarvestCounter

ESTIMATE_COLUMNS = ("estimated", "estimated_low", "estimated_high")
"""The share of relevant pages by the calibrated model, and its 90 % interval; empty while it is not known."""
FORECAST_COLUMNS = ("forecast", "forecast_low", "forecast_high")
"""Relevant pages by the end of the budgets, with an 80 % interval; empty while nothing can be said, and in the last row."""
FURTHER_COLUMNS = (ESTIMATE_COLUMNS, FORECAST_COLUMNS)
"""Columns after the counts, in groups, in the order in which versions of this program have added them."""


def harvest_columns(window: int) -> tuple[str, ...]:
    """Return the columns of the counts; ``window`` is the number of pages that the recent rate is of."""
    return "pages", "relevant", "harvest_rate", f"harvest_rate_last_{window}", "frontier", "target_length"


def harvest_row(counter: HarvestCounter, n_waiting: int, further: Iterable[str]) -> str:
    """Return a row: the counts, the number of waiting links, and the cells of the further columns."""
    rates = f"{counter.rate:.4f}", f"{counter.recent_rate:.4f}"
    counts = str(counter.n_pages), str(counter.n_relevant), *rates, str(n_waiting), str(counter.target_length)
    return ",".join([*counts, *further])


def estimate_cells(found: Iterable[float] | None) -> list[str]:
    """Return the cells of an estimate; empty ones where there is none."""
    return [""] * len(ESTIMATE_COLUMNS) if found is None else [f"{each:.4f}" for each in found]
