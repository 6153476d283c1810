"""Forecasts the rest of a crawl: relevant pages by the end of its budgets, and whether it still finds new ones."""

from __future__ import annotations

import csv
import time
from typing import TYPE_CHECKING, Any

from focused.crawl.alerts import HARVEST_PAGES
from focused.crawl.forecast import Forecaster
from focused.crawl.saturation import SATURATED, SATURATION_PAGES, SATURATION_SHARE, LastPages, Saturation
from focused.crawl.time_left import TimeLeft
from focused.method.scoring.reasons import kind_of
from focused.utils.finish_reasons import WORDS_NOT_FOUND
from focused.utils.frontier_settings import DATABASE
from focused.utils.words import quantity

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from focused.crawl.forecast import Forecast
    from focused.crawl.harvest import HarvestCounter
    from focused.crawl.plan import CrawlPlan
    from focused.frontier.interface import Frontier

_SPENT = ("max_pages", "max_relevant", "max_minutes", "finished")
_BROKEN_OFF = ("wrong_scores", WORDS_NOT_FOUND, "frontier_not_readable", "frontier_not_writable")
"""Reasons after which the crawl would not go on as before: an error has just said what is wrong."""
_DEFERRED = "below threshold"


class Outlook:
    """Counts pages for the forecast and for saturation, and knows how many pages the budgets leave."""

    def __init__(self, plan: CrawlPlan, harvest: HarvestCounter, settings: Mapping[str, Any]) -> None:
        self._plan, self._harvest = plan, harvest
        self._forecaster = Forecaster()
        self.saturation = Saturation(SATURATION_PAGES.read(settings), SATURATION_SHARE.read(settings))
        #: The pages that the alert `harvest` looks at.
        self.last = LastPages(HARVEST_PAGES.read(settings))
        #: Whether one process has the whole crawl. Of many workers each sees some of the pages: nothing is foretold of them.
        self._is_alone = not DATABASE.read(settings)
        max_relevant = plan.max_relevant if self._is_alone else 0
        self.time_left = TimeLeft((plan.max_pages, max_relevant, 60 * plan.max_minutes))
        #: The forecast half way through the first budget of pages or minutes, with the pages there were then.
        self.halfway: tuple[int, Forecast] | None = None
        #: Whether pages of an earlier run are lost to the forecast.
        self._is_whole = True

    @property
    def is_to_end(self) -> bool:
        """Whether the crawl is to end now, because it is saturated."""
        return self._plan.stop_when == SATURATED and self.saturation.is_reached

    def add(self, kind: str, score: float, *, is_new: bool) -> None:
        """Count the next page: the kind of its link's reason, the link's score, and whether it is relevant and no copy."""
        self._forecaster.add(_level(kind, score), is_relevant=is_new)
        self.saturation.add(is_new)
        self.last.add(is_new)

    def note_spent(self, now: float, n_of_all: int | None = None) -> None:
        """Note what has been spent of the budgets at a moment, in seconds of a clock.

        ``n_of_all``: pages of all workers; None where one process crawls.
        """
        harvest = self._harvest
        n_pages = harvest.n_pages if n_of_all is None else n_of_all
        self.time_left.note_spent(now, (n_pages, harvest.n_relevant, harvest.spent_secs()))

    def n_left(self) -> float | None:
        """Return how many pages the budgets of pages and minutes leave; None where that is not known."""
        plan, harvest = self._plan, self._harvest
        found = [float(plan.max_pages - harvest.n_pages)] if plan.max_pages else []
        if plan.max_minutes and (speed := self.time_left.speed(0, 2)) is not None:
            found.append(speed * (60 * plan.max_minutes - harvest.spent_secs()))
        return max(min(found), 0.0) if found else None

    def forecast(self, frontier: Frontier) -> Forecast | None:
        """Return how many relevant pages the crawl will have when its budgets are spent; None where nothing can be said."""
        n_left = self.n_left()
        if n_left is None or not self._is_whole or not self._is_alone:
            return None
        found = self._forecaster.forecast(frontier.waiting_scores(), n_left)
        most = self._plan.max_relevant
        return found if found is None or not most else type(found)(*(min(each, most) for each in found))

    def note(self, forecast: Forecast | None) -> None:
        """Keep the forecast that is made when half of a budget is spent: the end can be compared with it."""
        plan, harvest = self._plan, self._harvest
        is_half = 2 * harvest.n_pages >= plan.max_pages > 0 or harvest.spent_secs() / 30 >= plan.max_minutes > 0
        if self.halfway is None and forecast is not None and is_half:
            self.halfway = (harvest.n_pages, forecast)

    def as_json(self) -> dict[str, int] | None:
        """Return `halfway` for ``run.json``."""
        return None if self.halfway is None else {"at_pages": self.halfway[0], **self.halfway[1]._asdict()}

    def text(self, frontier: Frontier) -> str:
        """Return what to say in a line of the log; empty where nothing can be said."""
        found = self.forecast(frontier)
        parts = [] if found is None else [f"judged relevant by {self.ends_at() or 'the end'}: {found}"]
        return "  ".join([*parts, *([self.saturation.text] if self.saturation.is_reached else [])])

    def ends_at(self) -> str:
        """Return the time of day at which the first budget will be spent, for people; empty where that is not known."""
        secs = self.time_left.secs()
        if secs is None:
            return ""
        at = time.localtime(time.time() + secs)
        return time.strftime("%H:%M" if secs < 20 * 3600 else "%a %H:%M" if secs < 6 * 86_400 else "%d %b", at)

    def summary(self, reason: str, frontier: Frontier) -> Iterator[str]:
        """Yield what to say when the crawl ends for a reason: what was foretold, or what would still have come."""
        n_relevant, found = self._harvest.n_relevant, self.forecast(frontier)
        if self.saturation.is_reached:
            why = "Ended" if reason == SATURATED else "It might have ended (-a stop_when=saturated)"
            yield f"{why} because there is {self.saturation.text}"
        if reason in _SPENT and self.halfway is not None:
            n_pages, then = self.halfway
            yield f"Foretold after {quantity(n_pages, 'pages')}: {then} judged relevant in the end; there are {n_relevant:,}"
        elif reason not in (*_SPENT, *_BROKEN_OFF) and found is not None and self.n_left():
            yield f"With what is left of the budgets: about {found} judged relevant, now {n_relevant:,}"

    def restore(self, path: Path, n_pages: int) -> None:
        """Count the ``n_pages`` pages that earlier runs of this crawl wrote to ``fetched.csv``, for the forecast."""
        if path.is_file():
            with path.open(newline="", encoding="utf-8", errors="replace") as file:
                for row in csv.DictReader(file):
                    self._restore_row(row)
        self._is_whole = self._forecaster.n_pages == n_pages

    def _restore_row(self, row: Mapping[str, str]) -> None:
        try:
            level = _level(kind_of(row["link_reason"]), float(row["link_score"]))
            self._forecaster.add(level, is_relevant=row["relevant"] == "1")
        except (KeyError, TypeError, ValueError):
            self._forecaster.add(None, is_relevant=False)


def _level(kind: str, score: float) -> float | None:
    return None if kind == "seed" else score - (kind == _DEFERRED)
