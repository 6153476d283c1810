"""What the judge and the strategy find on one page: its relevance, and a score for each of its links."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from focused.method.scoring.evidence import Evidence
from focused.method.scoring.link_scores import BELOW

if TYPE_CHECKING:
    from collections.abc import Mapping

    from focused.method.page.page import Page
    from focused.method.scoring.link_scores import LinkScores, Visit
    from focused.method.topic.judge import PageRelevance


@dataclass(frozen=True, slots=True)
class PageScores:
    """The relevance of a page, and lists with an entry for each of its links. All of it comes from one model."""

    relevance: PageRelevance
    visit: Visit
    #: The URL that the links were found on.
    referrer: str
    #: The place of each link's URL in the lists.
    links: Mapping[str, int]
    scores: list[float]
    reasons: list[int]
    admitted: list[bool]
    carried: list[float] | None
    parts: list[list[float]] | None
    #: Version of the model that judged.
    model_version: int
    #: What the page counts for among those that link to a link.
    n_referrers: int = 1

    @classmethod
    def of(
        cls, page: Page, visit: Visit, relevance: PageRelevance, found: LinkScores, model_version: int
    ) -> PageScores:
        """Return the scores of a page. Lists, because their entries are read one by one."""
        return cls(
            relevance,
            visit,
            page.url,
            page.link_numbers,
            found.scores.tolist(),
            found.reasons.tolist(),
            found.admitted.tolist(),
            None if found.carried is None else found.carried.tolist(),
            None if found.parts is None else found.parts.tolist(),
            model_version,
        )

    @property
    def depth(self) -> int:
        """Links from a seed to the linked pages."""
        return self.visit.depth + 1

    def evidence(self, number: int) -> Evidence:
        """Return what the page says of one of its links."""
        return Evidence(
            score=self.scores[number],
            reason=self.reasons[number],
            admitted=self.admitted[number],
            referrer=self.referrer,
            depth=self.visit.depth + 1,
            irrelevant_on_path=self.visit.irrelevant_on_path + (not self.relevance.is_relevant),
            carried=None if self.carried is None else self.carried[number],
            parts=() if self.parts is None else tuple(self.parts[number]),
            n_referrers=self.n_referrers,
            model_version=self.model_version,
        )

    def of_source(self, reason: int) -> PageScores:
        """Return the same scores as a sitemap or a feed gives them: it is neither a referrer nor an irrelevant page."""
        reasons = [reason if own != BELOW else own for own in self.reasons]
        return replace(self, relevance=replace(self.relevance, is_relevant=True), reasons=reasons, n_referrers=0)
