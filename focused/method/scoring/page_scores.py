"""What was found on a page when it was judged: the page once, its links one by one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from focused.method.scoring import Evidence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy.http import Response

    from focused.method.page.page import Page
    from focused.method.scoring import LinkScores
    from focused.method.topic.judge import PageRelevance

PAGE_SCORES = "focused_looked"
"""In the meta of a response: what was found on its page."""


@dataclass(slots=True)
class PageScores:
    """What was found on a page: the relevance, and lists with an entry for each link."""

    relevance: PageRelevance
    #: The place of each link's URL in the lists.
    links: dict[str, int]
    scores: list[float]
    reasons: list[int]
    admitted: list[bool]
    carried: list[float] | None
    parts: list[list[float]] | None
    #: What all links of the page have in common.
    referrer: str
    depth: int
    irrelevant_on_path: int
    #: Of the model that judged.
    model_version: int
    #: URLs to ask for: links that are new, and known ones that can be joined no cheaper way. None: not sorted out.
    to_ask: list[str] | None = None
    #: Links of which all is noted: URLs that need not be asked for, whoever does.
    noted: frozenset[str] = frozenset()
    #: Links that the durable frontier is to join: URL, number there, what the page says.
    again: list[tuple[str, int, Evidence]] = field(default_factory=list)

    @classmethod
    def on(
        cls, response: Response, relevance: PageRelevance, page: Page, found: LinkScores, version: int
    ) -> PageScores:
        """Return what was found on the page of a response, in lists: their entries are read one by one."""
        meta = response.meta
        return cls(
            relevance,
            page.link_numbers,
            found.scores.tolist(),
            found.reasons.tolist(),
            found.admitted.tolist(),
            None if found.carried is None else found.carried.tolist(),
            None if found.parts is None else found.parts.tolist(),
            referrer=response.url,
            depth=meta.get("depth", 0) + 1,
            irrelevant_on_path=meta.get("focused_irrelevant_on_path", 0) + (not relevance.is_relevant),
            model_version=version,
        )

    def evidence(self, number: int) -> Evidence:
        """Return what the page says of one of its links."""
        return Evidence(
            score=self.scores[number],
            reason=self.reasons[number],
            admitted=self.admitted[number],
            referrer=self.referrer,
            depth=self.depth,
            irrelevant_on_path=self.irrelevant_on_path,
            carried=None if self.carried is None else self.carried[number],
            parts=() if self.parts is None else tuple(self.parts[number]),
            model_version=self.model_version,
        )


class RememberedLinks(Protocol):
    """What knows the links that wait, and whether another page may still change their score.

    With Scrapy's schedulers that is :class:`focused.frontier.waiting_links.WaitingLinks`, with the durable frontier
    :class:`focused.frontier.rediscovery.Rediscovery`.
    """

    #: Links found again, all pages taken together, whose score what the page says did not change.
    n_passed: int

    def look(
        self, urls: Sequence[str], numbers: Sequence[int], looked: PageScores
    ) -> tuple[list[int], list[tuple[int, int]]]:
        """Take down what a page says of links that were found before.

        Parameters
        ----------
        urls : sequence of str, length n
        numbers : sequence of int, length n
            The links' places in ``looked``.
        looked : PageScores

        Returns
        -------
        list of int
            Places in ``urls`` of those to be asked for as if they were new: they are not remembered, or get better in a
            way that only another request can tell the scheduler.
        list of tuple of (int, int)
            Of those that are to be joined in the frontier's file, the places in ``urls`` and their numbers there; none
            with Scrapy's schedulers.
        """
        ...
