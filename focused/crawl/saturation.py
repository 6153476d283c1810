"""Tells whether a crawl still finds anything new."""

from __future__ import annotations

from collections import deque

from focused.utils.setting import TOPIC, Setting
from focused.utils.words import quantity

BUDGETS, SATURATED = "budgets", "saturated"

STOP_WHEN = Setting(
    "FOCUSED_STOP_WHEN", BUDGETS,
    "When the crawl ends: when its `budgets` are spent or no link waits; or before, when it is `saturated`: "
    "[saturation](../method/forecast.md#saturation).", choices=(BUDGETS, SATURATED), set_by=TOPIC)  # fmt: skip
SATURATION_PAGES = Setting(
    "FOCUSED_SATURATION_PAGES", 300,
    "A crawl is saturated when of so many pages, the last it has fetched since it was started or resumed, hardly any was "
    "relevant and new: FOCUSED_SATURATION_SHARE.", least=20, most=1_000_000, set_by=TOPIC)  # fmt: skip
SATURATION_SHARE = Setting(
    "FOCUSED_SATURATION_SHARE", 0.01,
    "Share of relevant pages among the last FOCUSED_SATURATION_PAGES up to which a crawl is saturated. Larger: it ends "
    "earlier.", least=0, most=1, set_by=TOPIC)  # fmt: skip
ENDING = (STOP_WHEN, SATURATION_PAGES, SATURATION_SHARE)


class LastPages:
    """Knows how many of the last ``n_pages`` pages were relevant and new."""

    def __init__(self, n_pages: int) -> None:
        self._last: deque[bool] = deque(maxlen=n_pages)
        self.n_new = 0

    def __len__(self) -> int:
        return len(self._last)

    @property
    def is_full(self) -> bool:
        """Whether ``n_pages`` pages have been counted."""
        return len(self._last) == self._last.maxlen

    def add(self, is_new: bool) -> None:
        """Count a page, and whether it is relevant and no copy."""
        if self.is_full:
            self.n_new -= self._last[0]
        self._last.append(is_new)
        self.n_new += is_new


class Saturation(LastPages):
    """Looks at the last ``n_pages`` pages since the crawl was started or resumed. Copies count as irrelevant pages.

    >>> saturation = Saturation(4, 0.25)
    >>> for is_new in (True, False, True, False, False): saturation.add(is_new)
    >>> saturation.is_reached, saturation.text
    (True, 'nothing new: of the last 4 pages 1 was relevant and new')
    """

    def __init__(self, n_pages: int, share: float) -> None:
        super().__init__(n_pages)
        self._most = share * n_pages

    @property
    def is_reached(self) -> bool:
        """Whether hardly any of the last pages was new; False before there have been ``n_pages``."""
        return self.is_full and self.n_new <= self._most

    @property
    def text(self) -> str:
        """The state in words, if it is reached."""
        n_new = f"{self.n_new:,} {'was' if self.n_new == 1 else 'were'}" if self.n_new else "none was"
        return f"nothing new: of the last {quantity(len(self), 'pages')} {n_new} relevant and new"
