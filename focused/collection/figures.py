"""Estimates how good a collection is from people's verdicts on random pages; the model's judgements are not used.

Precision: of the pages that are delivered, the share that is relevant. Recall: of the relevant pages that were fetched, the
share that is delivered. Both are those of the collection as it stands, in which each page with a verdict is where it belongs:
so they say how good the rest is. Copies, and pages that ask not to be indexed, count nowhere.

Pages whose verdicts the model has learnt from (`focused.collection.learnt_verdicts`) are known, and say nothing of the others.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from focused.collection.sample import Group, Share, horizon, relevant_share

if TYPE_CHECKING:
    from focused.collection.sample import Flags, Ints

LEAST_VERDICTS = 10
"""On pages drawn at random, from which figures are shown."""
LEAST_OF_GROUP = 3
"""Of these, among the pages that the model calls relevant (for precision), and among the others as well (for recall)."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What the verdicts say; None where there are too few."""

    precision: Share | None
    recall: Share | None
    #: Verdicts on pages drawn at random so far, among those that the model calls relevant, and among the others.
    n_accepted: int
    n_refused: int
    #: Pages drawn at random without a verdict: skipped, or the verdict was taken back.
    n_skipped: int
    #: What was known last before the model learnt from the verdicts.
    former_precision: Share | None = None
    former_recall: Share | None = None
    #: Verdicts on random pages that the model has learnt from: they say nothing of it since.
    n_learnt: int = 0


def figures(pages: Group, relevant: Flags, learnt: Ints | None = None) -> Figures:
    """Return the figures of a collection.

    Parameters
    ----------
    pages : Group
        All pages of the crawl that are no copies and may be shown.
    relevant : ndarray of bool of shape (n_pages,)
        What the model says.
    learnt : ndarray of int of shape (n_learnt,), optional
        Numbers, ascending, of the pages that people call relevant and that are none of ``pages``: the model has learnt from
        their verdicts. They are delivered.
    """
    known = np.zeros(0, dtype=np.int64) if learnt is None else learnt
    accepted, refused = _part(pages, relevant), _part(pages, ~relevant)
    n_skipped = int((np.isnan(pages.verdict) & (pages.drawn_at > 0)).sum())
    n_accepted, n_refused = _n_sampled(accepted), _n_sampled(refused)
    if n_accepted + n_refused < LEAST_VERDICTS:
        return Figures(None, None, n_accepted, n_refused, n_skipped)
    precision, recall = _precision(accepted, refused, known), _recall(accepted, refused, known)
    return Figures(precision, recall, n_accepted, n_refused, n_skipped)


def _precision(accepted: Group, refused: Group, learnt: Ints) -> Share | None:
    """Return the precision. Pages that people have taken out, and those that they have put in, are known."""
    of_pages = horizon([accepted], LEAST_OF_GROUP)
    if not of_pages:
        return None
    share, _ = relevant_share(accepted, of_pages)
    accepted, refused = accepted.up_to(of_pages), refused.up_to(of_pages)
    n_pages, n_left_out = len(accepted.number), _n_irrelevant(accepted)
    n_delivered = n_pages - n_left_out + _n_relevant(refused) + _n_up_to(learnt, of_pages)
    if share is None or not n_delivered:
        return None
    n_unknown = float(np.isnan(accepted.verdict).sum())

    def precision(relevant: float) -> float:
        """Return it, if this share of the accepted pages is relevant."""
        return 1 - min(max((1 - relevant) * n_pages - n_left_out, 0.0), n_unknown) / n_delivered

    return Share(precision(share.value), precision(share.low), precision(share.high), share.n, of_pages)


def _recall(accepted: Group, refused: Group, learnt: Ints) -> Share | None:
    """Return the recall: found / (found + missed), its interval by MOVER for a ratio (Donner and Zou 2012)."""
    of_pages = horizon([accepted, refused], LEAST_OF_GROUP)
    if not of_pages:
        return None
    found_share, _ = relevant_share(accepted, of_pages)
    missed_share, _ = relevant_share(refused, of_pages)
    accepted, refused = accepted.up_to(of_pages), refused.up_to(of_pages)
    if found_share is None or missed_share is None:
        return None
    n_put_in, n_unknown = _n_relevant(refused), float(np.isnan(refused.verdict).sum())
    n_accepted, n_refused = len(accepted.number), len(refused.number)
    n_known = n_put_in + _n_up_to(learnt, of_pages)
    found = [n_accepted * limit + n_known for limit in (found_share.value, found_share.low, found_share.high)]
    missed = [
        min(max(n_refused * limit - n_put_in, 0.0), n_unknown)
        for limit in (missed_share.value, missed_share.low, missed_share.high)
    ]
    low, high = _ratio_interval(missed, found)
    value = found[0] / (found[0] + missed[0]) if found[0] + missed[0] else 0.0
    return Share(value, 1 / (1 + high), 1 / (1 + low), found_share.n + missed_share.n, of_pages)


def _ratio_interval(over: list[float], under: list[float]) -> tuple[float, float]:
    """Return the 95 % interval of a ratio from value and limits of both; infinite where the lower may be 0."""
    (a, a_low, a_high), (b, b_low, b_high) = over, under
    low = high = math.inf
    if b_high > 0:
        root = max((a * b) ** 2 - a_low * b_high * (2 * a - a_low) * (2 * b - b_high), 0.0)
        divisor = b_high * (2 * b - b_high)
        low = (
            (a * b - math.sqrt(root)) / divisor
            if abs(divisor) > 1e-12
            else a_low * (2 * a - a_low) / (2 * a * b or 1.0)
        )
    if b_low > 0:
        root = max((a * b) ** 2 - a_high * b_low * (2 * a - a_high) * (2 * b - b_low), 0.0)
        high = (a * b + math.sqrt(root)) / (b_low * (2 * b - b_low))
    return max(min(low, high), 0.0), high


def _n_up_to(numbers: Ints, number: int) -> int:
    return int(np.searchsorted(numbers, number, side="right"))


def _part(pages: Group, chosen: Flags) -> Group:
    return Group(pages.number[chosen], pages.place[chosen], pages.verdict[chosen], pages.drawn_at[chosen])


def _n_sampled(group: Group) -> int:
    return int(((group.drawn_at > 0) & ~np.isnan(group.verdict)).sum())


def _n_irrelevant(group: Group) -> int:
    """Pages that people have taken out: most of them say no."""
    return int((group.verdict < 0.5).sum())


def _n_relevant(group: Group) -> int:
    return int((group.verdict > 0.5).sum())
