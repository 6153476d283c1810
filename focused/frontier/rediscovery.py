"""Links that are found again: what is said of them is joined to what is known, most of it without a look at the file."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from focused.frontier.link_levels import SETTLED, UNKNOWN, LinkLevels
from focused.frontier.store.link import Link
from focused.frontier.store.store import KNOWN, MERGED, NEW
from focused.method.scoring.priority import to_priorities, to_priority

if TYPE_CHECKING:
    from collections.abc import Sequence

    from focused.frontier.store.link import Leased
    from focused.frontier.store.store import FrontierStore
    from focused.method.scoring.evidence import Evidence
    from focused.method.scoring.page_scores import PageScores

_MAX_MORE = 30_000


class Rediscovery:
    """Joins what later pages say of the frontier's links, without a request, and mostly without a fingerprint.

    Where the score of a link is the mean over the pages that link to it, it is kept in memory, too: a page that does not
    move it by a whole level of priority is taken down there, and goes into the file together with the next one that does.
    So the order of fetching is that of the means. The file is behind by less than a level, and knows at least half of the
    pages; when the crawl ends in peace it knows all.

    Parameters
    ----------
    store : FrontierStore
    is_mean : bool
        Whether scores are means; else every page goes into the file.
    max_links : int
        Links that are remembered; what is said of others has to come as a request.
    """

    def __init__(self, store: FrontierStore, *, is_mean: bool, max_links: int = 1_000_000) -> None:
        self._store = store
        self._is_mean = is_mean
        self._levels = LinkLevels(max_links, store.waiting.count_referrers)
        #: Pages that changed no level.
        self.n_passed = 0

    def knows(self, url: str) -> bool:
        """Tell whether a link can be joined by ``join``, or waits no more."""
        return self._levels.place_of(url) >= 0

    def look(
        self, urls: Sequence[str], numbers: Sequence[int], looked: PageScores
    ) -> tuple[list[int], list[tuple[int, int]]]:
        """See :class:`RememberedLinks`: those that are not remembered have to be asked for."""
        table = self._levels
        places = table.find(urls)
        is_known = places >= 0
        at = places[is_known]
        levels = table.levels[at]
        joins = levels != SETTLED
        if self._is_mean:
            mine = np.flatnonzero(is_known).tolist()
            scores = np.array([looked.scores[numbers[place]] for place in mine])
            admits = np.array([looked.admitted[numbers[place]] for place in mine], dtype=bool)
            n_pages, n_more, admitted = table.n_pages[at], table.n_more[at], levels > 0
            means = (n_pages * table.scores[at] + table.more[at] + scores) / (n_pages + n_more + 1)
            is_same = (
                (to_priorities(means, admitted) == levels)
                & (admitted | ~admits)
                & (n_more < np.minimum(n_pages, _MAX_MORE))
            )
            passed = is_same & joins & (levels != UNKNOWN)
            table.n_more[at[passed]] += 1
            table.more[at[passed]] += scores[passed]
            self.n_passed += int(passed.sum())
            joins &= ~passed
        joined = zip(np.flatnonzero(is_known)[joins].tolist(), table.numbers[at[joins]].tolist(), strict=True)
        return np.flatnonzero(~is_known).tolist(), list(joined)

    def added(self, link: Link, what: str) -> None:
        """Remember what the frontier has said of a link that it was given."""
        if what == NEW:
            self._remember(link.url, self._store.last_id, link.evidence)
        elif what == MERGED and self._store.joined is not None:
            number, _, merged = self._store.joined
            self._remember(link.url, number, merged)
        elif what == KNOWN:
            self._levels.put(link.url, 0, SETTLED)

    def join(self, url: str, number: int, evidence: Evidence, tunnel: int) -> tuple[Evidence, Evidence] | None:
        """Join what a page says of a link; return what was known and what is now, None if it does not wait."""
        table, place = self._levels, self._levels.place_of(url)
        if place >= 0 and (n_more := int(table.n_more[place])):
            score = (float(table.more[place]) + evidence.score) / (n_more + 1)
            evidence = replace(evidence, score=score, n_referrers=evidence.n_referrers + n_more)
        # What other middlewares add to a priority was added when the link was found.
        joined = self._store.join(number, Link(0, url, evidence, extra=-(10**6), tunnel=tunnel))
        if joined is not None:
            self._remember(url, number, joined[1])
        return joined

    def leased(self, link: Leased) -> Leased:
        """Return a link that is handed out with all pages that link to it counted; nothing is joined to it any more."""
        place = self._levels.place_of(link.url)
        if place < 0:
            return link
        n_more, more = int(self._levels.n_more[place]), float(self._levels.more[place])
        self._levels.put(link.url, link.id, SETTLED)
        if not n_more:
            return link
        self._store.waiting.count_referrers([(more, n_more, link.id)])
        known = link.evidence
        n_pages = known.n_referrers + n_more
        score = (known.score * known.n_referrers + more) / n_pages
        return link._replace(evidence=replace(known, score=score, n_referrers=n_pages))

    def close(self) -> None:
        """Write what is only in memory; the commit is the caller's."""
        self._store.waiting.count_referrers(self._levels.heard())

    def forget_levels(self) -> None:
        """Ask the file of every link again: the scores of those that wait have changed."""
        self._levels.forget_levels()

    def _remember(self, url: str, number: int, evidence: Evidence) -> None:
        level = to_priority(evidence.score, evidence.admitted)
        self._levels.put(url, number, level, evidence.score, evidence.n_referrers)
