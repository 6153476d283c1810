"""Whether an order that a paper states is found again: paired differences, over the topics of each web and of all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import common  # noqa: F401 - the project is not installed

from focused.utils.estimates import Estimate, compare

if TYPE_CHECKING:
    from collections.abc import Mapping

Values = dict[tuple[str, int], float]
"""A figure of each crawl, by topic and repeat."""


@dataclass(frozen=True, slots=True)
class Order:
    """The paired differences of two crawlers: on each web, and over the topics of all webs."""

    on_web: dict[str, Estimate]
    on_all: Estimate

    @property
    def verdict(self) -> str:
        """One phrase: repeats, repeats in part, not decided, or does not repeat; with the webs.

        Where the intervals of single webs say opposite things, each of both is named.
        """
        if not self.on_web:
            return "not measured"
        lost = [web for web, found in self.on_web.items() if found.mean <= 0]
        proven, refuted = (
            [web for web, found in self.on_web.items() if found.verdict == verdict] for verdict in ("better", "worse")
        )
        otherwise = f"; the other way round on {joined(refuted)}" if refuted else ""
        if self.on_all.verdict == "better":
            return "repeats" if not lost else f"repeats in part: not on {joined(lost)}{otherwise}"
        if self.on_all.verdict == "worse" or self.on_all.mean <= 0:
            return f"does not repeat{f' (but on {joined(proven)} it does)' if proven else ''}"
        if proven:
            return f"repeats in part: on {joined(proven)}{otherwise}"
        lower = [web for web in lost if web not in refuted]
        undecided = "not decided: higher, but the interval holds 0"
        return undecided + (f"; lower on {joined(lower)}" if lower else "") + otherwise


def order(first: Mapping[str, Values], second: Mapping[str, Values]) -> Order:
    """Compare two crawlers by their values on each web; webs that lack one of them are left out.

    >>> order({"a": {("x", 0): 0.5, ("y", 0): 0.6}}, {"a": {("x", 0): 0.4, ("y", 0): 0.5}}).verdict
    'repeats'
    """
    webs = [web for web in first if first[web] and second.get(web)]
    on_web = {web: compare(first[web], second[web]) for web in webs}
    pooled: list[Values] = [
        {(f"{web}/{topic}", repeat): value for web in webs for (topic, repeat), value in of[web].items()}
        for of in (first, second)
    ]
    return Order(on_web, compare(*pooled))


def verdict_of_counts(n: int, n_all: int) -> str:
    """Return the verdict on what should be found everywhere, by where it is.

    >>> verdict_of_counts(3, 3), verdict_of_counts(1, 3), verdict_of_counts(0, 3)
    ('repeats', 'repeats in part', 'does not repeat')
    """
    return "repeats" if n == n_all else "repeats in part" if n else "does not repeat"


def joined(names: list[str]) -> str:
    """Return names as a list in words.

    >>> joined(["a", "b", "c"])
    'a, b and c'
    """
    return names[0] if len(names) < 2 else f"{', '.join(names[:-1])} and {names[-1]}"


def signed(found: Estimate) -> str:
    """Return a difference with its interval.

    >>> signed(Estimate(0.1, 0.05, 0.15, 5))
    '+0.100 [+0.050, +0.150]'
    """
    if found.n < 2:
        return f"{found.mean:+.3f}" if found.n else "-"
    return f"{found.mean:+.3f} [{found.low:+.3f}, {found.high:+.3f}]"
