"""Calls the ``merge`` of a strategy from outside the project, and checks each result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from focused.method.scoring.evidence import better
from focused.method.scoring.link_scores import is_score

if TYPE_CHECKING:
    from collections.abc import Callable

    from focused.method.scoring.base import Strategy
    from focused.method.scoring.evidence import Evidence


@dataclass(eq=False)
class CheckedMerge:
    """Joins evidence by ``Strategy.merge``. A score that is none is reported, and the better evidence stands meanwhile."""

    strategy: Strategy
    #: Ends the crawl, with a message.
    on_error: Callable[[str], None]

    def __call__(self, known: Evidence, new: Evidence) -> Evidence:
        """Return what two pages together say of a link."""
        merged = self.strategy.merge(known, new)
        if is_score(merged.score):
            return merged
        self.on_error(
            f"Strategy {self.strategy.name} must merge two pages' evidence to a score from 0 to 1. Got {merged.score} of "
            f"{known.score} and {new.score}, for a link on {new.referrer}."
        )
        return better(known, new)
