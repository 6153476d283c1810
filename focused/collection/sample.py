"""Estimates shares from the verdicts that are a random sample, of groups of pages that grow while people judge.

Each page has a random place (`focused.collection.random_order`). A draw takes the page with the lowest place that has no
verdict yet. So all pages that were there at a draw and have a lower place have verdicts, no matter who gave them or why. The
chance that a page is in the sample is therefore the highest place that was drawn since the page came. Pages that came late had
a smaller chance; each page counts for 1 / chance (Hajek's estimator).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy.special import betainc

if TYPE_CHECKING:
    from collections.abc import Callable

    Floats = npt.NDArray[np.float64]
    Ints = npt.NDArray[np.int64]
    Flags = npt.NDArray[np.bool_]

MOST_UNEQUAL = 1.3
"""A verdict of an even sample may be worth up to so many of ours. Beyond that, the pages that came last are left out."""
_ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class Group:
    """Some pages of a crawl in the order in which they were fetched; arrays of shape (n_pages,)."""

    #: Place of each page among all that the crawl judged, ascending.
    number: Ints
    #: In the random order, in [0, 1).
    place: Floats
    #: Share of its judges who call it relevant; NaN: nobody has judged it.
    verdict: Floats
    #: For a page that was drawn at random: the number of the last page at that time. 0 for other pages.
    drawn_at: Ints

    def up_to(self, number: int) -> Group:
        """Return the pages up to a number."""
        n = int(np.searchsorted(self.number, number, side="right"))
        return Group(self.number[:n], self.place[:n], self.verdict[:n], self.drawn_at[:n])


def chances(group: Group) -> Floats:
    """Return the chance of each page to be in the sample, shape (n_pages,); 0 for pages that came after the last draw."""
    drawn = np.flatnonzero(group.drawn_at)
    drawn = drawn[np.argsort(group.drawn_at[drawn], kind="stable")]
    times = group.drawn_at[drawn]
    # For each draw: the highest place among it and all later draws. For each page: the first draw after it came.
    farthest = np.maximum.accumulate(group.place[drawn][::-1])[::-1]
    first = np.searchsorted(times, group.number, side="left")
    found: Floats = np.append(farthest, 0.0)[first]
    return found


@dataclass(frozen=True, slots=True)
class Share:
    """An estimated share in [0, 1] of a group's pages, with its 95 % interval."""

    value: float
    low: float
    high: float
    #: Verdicts that it rests on.
    n: int
    #: The estimate is of the pages up to this number.
    of_pages: int


def relevant_share(group: Group, number: int) -> tuple[Share | None, float]:
    """Return what share of the pages up to a number is relevant, and how many verdicts are worth one of a fair sample.

    None, and infinity, if no page of the sample has a verdict.
    """
    chance = chances(group)
    there = group.number <= number
    taken = there & (group.place <= chance) & ~np.isnan(group.verdict)
    n, n_pages = int(taken.sum()), int(there.sum())
    if not n:
        return None, math.inf
    weight, said = 1 / chance[taken], group.verdict[taken]
    value = float((weight * said).sum() / weight.sum())
    worth = float(weight.sum() ** 2 / (weight**2).sum())
    low, high = mid_p_interval(value, worth, n_pages)
    return Share(value, low, high, n, number), n / worth


def mid_p_interval(share: float, n: float, n_pages: int) -> tuple[float, float]:
    """Return the 95 % interval of a share found in ``n`` of ``n_pages`` pages, by mid-p; the share itself if ``n`` is all.

    The limits p are those for which so many relevant pages or more, or so many or fewer, come with a chance of 0.025, where
    the number itself counts half. For a number that is not whole the binomial distribution is that of the beta function. Of a
    finite group a sample counts for more: n (N - 1) / (N - n).

    >>> [round(limit, 3) for limit in mid_p_interval(0.8, 10, 100_000)]
    [0.481, 0.965]
    >>> mid_p_interval(0.8, 10, 10)
    (0.8, 0.8)
    """
    if n >= n_pages:
        return share, share
    n *= (n_pages - 1) / (n_pages - n)
    yes, no = share * n, (1 - share) * n

    def lower(p: float) -> float:
        return float(betainc(yes, no + 1, p) + betainc(yes + 1, max(no, 1e-9), p)) / 2 - _ALPHA / 2

    def upper(p: float) -> float:
        return 1 - float(betainc(yes + 1, no, p) + betainc(max(yes, 1e-9), no + 1, p)) / 2 - _ALPHA / 2

    return _crossing(lower) if yes > 1e-9 else 0.0, _crossing(upper) if no > 1e-9 else 1.0


def _crossing(function: Callable[[float], float]) -> float:
    """Return where a monotonic function over [0, 1] crosses 0, to 1e-6.

    By halving: SciPy's solvers would take 25 MB in a dashboard, and 0.3 s at the end of a crawl with verdicts.
    """
    low, high, rises = 0.0, 1.0, function(1.0) > 0
    while high - low > 1e-6:
        middle = (low + high) / 2
        low, high = (low, middle) if (function(middle) > 0) == rises else (middle, high)
    return (low + high) / 2


def horizon(groups: list[Group], least: int) -> int:
    """Return up to which number the pages are sampled evenly, as far as possible; 0 if they are not.

    The largest number at which a draw was made, with ``least`` verdicts of the sample of each group up to it, each worth
    `MOST_UNEQUAL` at most. ``groups`` must not be empty.
    """
    times = np.unique(np.concatenate([group.drawn_at[group.drawn_at > 0] for group in groups]))
    for number in times[::-1].tolist():
        found = [relevant_share(group, number) for group in groups]
        if all(share is not None and share.n >= least and cost <= MOST_UNEQUAL for share, cost in found):
            return int(number)
    return 0
