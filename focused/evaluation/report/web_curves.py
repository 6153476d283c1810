"""The curves of one web's strategies, as all of its figures draw them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from focused.evaluation.report.colours import REFERENCES, look_of
from focused.evaluation.report.figures import Curve

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from focused.evaluation.report.results import CrawlResult, WebResults

_MANY = 9  # from this number of curves on, most are drawn as background
_N_BEST = 4


@dataclass(frozen=True)
class WebCurves:
    """The strategies of a web, best first; ``key`` begins the ids of its figures."""

    web: WebResults
    key: str
    ranked: list[str]
    default: str

    def strength(self, strategy: str) -> str:
        """Return the strength of a strategy's curve: if there are many, only the best and the default stand out."""
        if len(self.ranked) <= _MANY:
            return "strong"
        best = [each for each in self.ranked if each not in (*REFERENCES, "breadth_first")][:_N_BEST]
        if strategy == self.default or strategy in best:
            return "strong"
        return "plain" if strategy in (*REFERENCES, "breadth_first") else "thin"

    @property
    def has_background(self) -> bool:
        """Whether some curves are drawn as background."""
        return len(self.ranked) > _MANY

    def curves(
        self, of: Callable[[CrawlResult], NDArray[np.float64]], topic: str | None = None, has_error: bool = True
    ) -> list[Curve]:
        """Return the curve of each strategy: means against pages fetched."""
        curves = []
        for strategy in self.ranked:
            x, y, error = self.web.curve(strategy, of, topic)
            curves.append(
                Curve(strategy, look_of(strategy), x, y, error if has_error else None, self.strength(strategy))
            )
        return curves
