"""`KnownLinks`: sorts the links of a page into new and known ones, and updates the known ones, mostly in memory."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from focused.frontier.link_levels import SETTLED, UNKNOWN, FetchedUrls, LinkLevels
from focused.frontier.store.answers import KNOWN, MERGED, NEW, SENT, TAKEN_OVER, UNREACHABLE
from focused.frontier.store.link import FrontierLink
from focused.method.scoring.priority import to_priorities, to_priority
from focused.method.scoring.sorted_links import SortedLinks, UpdatedLink

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from focused.frontier.link_levels import Integers
    from focused.frontier.store.interface import LinkStore
    from focused.frontier.store.link import Leased
    from focused.method.scoring import Evidence
    from focused.method.scoring.page_scores import PageScores

_MAX_UNSAVED = 30_000
_LEAST_EXTRA = -(10**6)


class LaterPages(NamedTuple):
    """How further pages that link to a waiting link change it; its first evidence came from the first page."""

    #: Whether their evidence counts; otherwise the first page's evidence stays.
    are_joined: bool = True
    #: Whether the link's score is the mean over all pages; otherwise each page is saved at once.
    are_averaged: bool = False
    #: Scrapy's DEPTH_PRIORITY, which the file holds beside the score.
    depth_priority: int = 0


_LATER_PAGES = LaterPages()


@dataclass(eq=False)
class KnownLinks:
    """Knows which links the frontier has, and updates their evidence when a page links to them again.

    A known link costs no request, and mostly no fingerprint and no look at the frontier's file.

    If the score of a link is the mean over the pages that link to it, the mean is kept in memory, too. A page that does not
    move the mean by a whole level of priority is noted in memory only, and is saved with the next page that does. So links
    are fetched in the order of their means. The file is less than a level behind, and knows at least half of the pages.
    When a crawl ends in order, it knows all.
    """

    store: LinkStore
    later_pages: LaterPages = _LATER_PAGES
    #: How many links are remembered. The file is asked about all others, as if they were new.
    max_links: int = 1_000_000

    def __post_init__(self) -> None:
        self.joins, self._is_mean, self._depth_priority = self.later_pages
        self._levels = LinkLevels(self.max_links, self.store.waiting.count_referrers)
        self._fetched = FetchedUrls()
        self._n_prunings = self.store.n_cut_rounds

    # --- In

    def sort_links(
        self, links: Mapping[str, int], scores: PageScores | None, *, drops: bool
    ) -> tuple[SortedLinks, int]:
        """Sort the links of a page by what is known of them; return also how many waiting ones were updated in memory.

        ``links`` are URLs and their places in ``scores``; None where links are not scored. With ``drops``, a page does
        not update a known link that it scores below the threshold.
        """
        urls, numbers = list(links), list(links.values())
        table = self._levels
        places = table.find(urls)
        is_new = places < 0
        new = [urls[row] for row in np.flatnonzero(is_new).tolist()]
        if scores is None or not self.joins or len(new) == len(urls):
            return SortedLinks(new), 0
        joins = ~is_new
        joins[joins] = table.levels[places[joins]] != SETTLED
        if drops:
            joins &= np.array([scores.admitted[number] for number in numbers], dtype=bool)
        rows = np.flatnonzero(joins)
        n_passed = 0
        if self._is_mean and not self._depth_priority and len(rows):
            passed = self._counted_in_memory(places[rows], [numbers[row] for row in rows.tolist()], scores)
            n_passed, rows = int(passed.sum()), rows[~passed]
        known = zip(rows.tolist(), table.numbers[places[rows]].tolist(), strict=True)
        joined = [UpdatedLink(urls[row], number, scores.evidence(numbers[row])) for row, number in known]
        return SortedLinks(new, joined), n_passed

    def _counted_in_memory(self, at: Integers, numbers: list[int], scores: PageScores) -> np.ndarray:
        """Update waiting links in memory where that is enough; return where it was, shape (n_links,)."""
        table = self._levels
        mine = np.array([scores.scores[number] for number in numbers])
        admits = np.array([scores.admitted[number] for number in numbers], dtype=bool)
        levels, n_pages, n_unsaved = table.levels[at], table.n_pages[at], table.n_unsaved[at]
        admitted = levels > 0
        means = (n_pages * table.scores[at] + table.unsaved_scores[at] + mine) / (n_pages + n_unsaved + 1)
        passed: np.ndarray = (
            (to_priorities(means, admitted) == levels)
            & (admitted | ~admits)
            & (n_unsaved < np.minimum(n_pages, _MAX_UNSAVED))
            & (levels != UNKNOWN)
        )
        table.n_unsaved[at[passed]] += 1
        table.unsaved_scores[at[passed]] += mine[passed]
        return passed

    def add(self, link: FrontierLink) -> str:
        """Add a link to the store; return the store's answer."""
        [what] = self.store.add([link])
        if link.request is not None:  # its URL may be that of a link, too
            if what == TAKEN_OVER:
                self.settle(link.url)
        elif what in (NEW, SENT):
            self._remember(link.url, self.store.last_id, link.evidence)
        elif what == MERGED and self.store.joined is not None:
            number, _, merged = self.store.joined
            self._remember(link.url, number, merged)
        elif what in (KNOWN, UNREACHABLE):
            self.settle(link.url)
        if self.store.n_cut_rounds != self._n_prunings:  # a link that was pruned is new when it is found again
            self._n_prunings = self.store.n_cut_rounds
            if not self.joins:
                self._levels.forget_waiting()
        return what

    def last_joined(self) -> tuple[Evidence, Evidence]:
        """Return the evidence of the last waiting link that ``add`` updated, before and after."""
        assert self.store.joined is not None
        return self.store.joined[1:]

    def update_evidence(self, link: UpdatedLink, tunnel: int) -> tuple[Evidence, Evidence] | None:
        """Update a link by a page; return its evidence before and after, None if it does not wait."""
        url, number, evidence = link
        evidence = self._with_unsaved(self._levels.place_of(url), evidence)
        # What other middlewares add to a priority was added when the link was found first.
        extra = -self._depth_priority * evidence.depth if self._depth_priority else _LEAST_EXTRA
        joined = self.store.update_evidence(number, FrontierLink(0, url, evidence, extra=extra, tunnel=tunnel))
        if joined is not None:
            self._remember(url, number, joined[1])
        return joined

    def send(self, link: UpdatedLink, tunnel: int) -> str:
        """Send what a page says of a link to a shared store; the result comes back by `note_stored_evidence`."""
        url, number, evidence = link
        place = self._levels.place_of(url)
        evidence = self._with_unsaved(place, evidence)
        if place >= 0 and self._levels.levels[place] != SETTLED:
            self._levels.put(url, number, UNKNOWN)
        extra = -self._depth_priority * evidence.depth if self._depth_priority else _LEAST_EXTRA
        [what] = self.store.add([FrontierLink(number, url, evidence, extra=extra, tunnel=tunnel)])
        return what

    def _with_unsaved(self, place: int, evidence: Evidence) -> Evidence:
        """Return evidence averaged with that of earlier pages which is in memory only; ``place``: the link's in the table."""
        n_unsaved = int(self._levels.n_unsaved[place]) if place >= 0 else 0
        if not n_unsaved:
            return evidence
        score = (float(self._levels.unsaved_scores[place]) + evidence.score) / (n_unsaved + 1)
        return replace(evidence, score=score, n_referrers=evidence.n_referrers + n_unsaved)

    def note_stored_evidence(self, url: str, number: int, evidence: Evidence) -> None:
        """Note the evidence that a shared store has of a waiting link now."""
        place = self._levels.place_of(url)
        if place < 0 or self._levels.levels[place] != SETTLED:
            self._remember(url, number, evidence)

    def note_fetched(self, url: str) -> bool:
        """Note the URL of a page that has been fetched; tell whether it was noted before."""
        if self._fetched.note(url):
            return True
        self.settle(url)
        return False

    def forget_fetched(self, url: str) -> None:
        """Note that a page counts as not fetched: what it brought is not durable."""
        self._fetched.forget(url)

    def forget(self, url: str) -> None:
        """Note that a link which was sent may not be stored: whoever finds it again sends it again."""
        self._levels.forget(url)

    def settle(self, url: str) -> None:
        """Note that further evidence of a link has no effect."""
        self._levels.put(url, 0, SETTLED)

    def resume(self, urls: Iterable[str]) -> None:
        """Note the URLs of pages that earlier runs fetched, as many as are remembered."""
        for url in self._fetched.load(urls):
            self.settle(url)

    # --- Out

    def next(
        self, ready_at: Callable[[str], float], now: float, least: int | None = None, *, spares: bool = False
    ) -> Leased | None:
        """Lease the best link of the hosts that may be asked now, with all pages that link to it counted.

        None if it is held back (arguments as of `Choice.best`), or there is none.
        """
        link = self.store.next(ready_at, now, least, spares=spares)
        return link if link is None or link.request is not None else self._settled(link)

    def best_priority(self, ready_at: Callable[[str], float], now: float) -> int | None:
        """Return the priority of the link that ``next`` would lease; None without one."""
        return self.store.best_priority(ready_at, now)

    def lease(self, number: int) -> Leased | None:
        """Lease a link of a page by its number, with all pages that link to it counted; None if it cannot be leased."""
        link = self.store.lease(number)
        return None if link is None else self._settled(link)

    def refuse(self, link: Leased, why: str) -> None:
        """Note why a link that was leased is not fetched."""
        self.store.failed(link.id, why)

    def _settled(self, link: Leased) -> Leased:
        place = self._levels.place_of(link.url)
        if place < 0:
            return link
        n_unsaved, more = int(self._levels.n_unsaved[place]), float(self._levels.unsaved_scores[place])
        self._levels.put(link.url, link.id, SETTLED)
        if not n_unsaved:
            return link
        self.store.waiting.count_referrers([(more, n_unsaved, link.id)])
        known = link.evidence
        n_pages = known.n_referrers + n_unsaved
        score = (known.score * known.n_referrers + more) / n_pages
        return link._replace(evidence=replace(known, score=score, n_referrers=n_pages))

    @property
    def held_back(self) -> int | None:
        """The priority of the best link of the hosts that may be asked, if ``next`` held it back; else None."""
        return self.store.choice.held_back

    @property
    def levels_below(self) -> int:
        """By how many levels of priority the last link is behind the best one, whose host had to wait."""
        return self.store.hosts.levels_below

    def next_ready(self) -> float | None:
        """Return when the first of the resting hosts may be asked; None if it is not known."""
        return self.store.hosts.next_ready()

    # --- All

    def close(self) -> None:
        """Write what is only in memory; the caller commits."""
        self.store.waiting.count_referrers(self._levels.unsaved())

    def forget_levels(self) -> None:
        """Ask the file about every link again: the scores of those that wait have changed."""
        self._levels.forget_levels()

    def _remember(self, url: str, number: int, evidence: Evidence) -> None:
        level = to_priority(evidence.score, evidence.admitted)
        self._levels.put(url, number, level, evidence.score, evidence.n_referrers)
