"""Scores links: what the model says, what its seed is owed, and what may lie behind it; and says why, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from focused.method.strategies.linkmodel.link_reasons import LinkReasons

if TYPE_CHECKING:
    from focused.method.strategies.linkmodel.discovery import Discovery
    from focused.method.strategies.linkmodel.model import LinkModel

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


class LinkScorer:
    """Scores remembered links.

    Links come forward by ``fairness`` that were reached from a seed that has had less than an equal share of the pages
    (:class:`SeedShares`), less if most pages are relevant; and by ``discovery`` that others may lie behind.
    """

    def __init__(self, model: LinkModel, discovery: Discovery, fairness: float) -> None:
        self._model, self._memory, self._discovery, self._fairness = model, model.memory, discovery, fairness
        self._reasons = LinkReasons(model)

    def scores(self, links: Integers) -> Floats:
        """Return the scores of links, by their numbers, in [0, 1]; 1 for links that are explored."""
        # Half the log-odds: where few links lead to relevant pages a frontier with a thousand levels tells them apart.
        log_odds = self._discovery.with_expected_yields(self._model.scores(links) + self.advantages(links), links)
        found: Floats = expit(log_odds / 2)
        return np.where(self._memory.links["explores"][links], 1.0, found)

    def advantages(self, links: Integers) -> Floats:
        """Return the advantage in log-odds of links behind seeds with few pages so far: less if most pages are relevant."""
        return self._factor() * self._memory.fairness.advantages(links)

    def why(self, url: str) -> str:
        """Return the strongest evidence for a link in words; empty if no page is known to link there."""
        number = self._memory.number(url)
        if number is None:
            return ""
        advantage = self._factor() * self._memory.fairness.advantage(number)
        links = np.array([number])
        log_odds = self._model.scores(links) + advantage
        lift = float((self._discovery.with_expected_yields(log_odds, links) - log_odds).item())
        return self._reasons.of(number, url, advantage, lift)

    def _factor(self) -> float:
        """Return what an advantage in log-odds counts for."""
        return self._fairness * (1 - self._memory.mean_relevance)
