"""Lets links stand back, and URLs count as one, by what the pages of a crawl bring."""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from focused.frontier.dead_links import DeadLinks
from focused.frontier.idle_parameters import IdleParameters
from focused.frontier.mirrors import Mirrors
from focused.frontier.new_text import NewText
from focused.frontier.one_title import OneTitle
from focused.frontier.soft_404s import Soft404s
from focused.frontier.store.interface import SOFT_404S
from focused.method.scoring.priority import LEVELS
from focused.method.scoring.stored_text import brought_by_links, form_and_newness, is_list
from focused.utils.origins import host_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from scrapy.statscollectors import StatsCollector

    from focused.frontier.credit import Credit
    from focused.frontier.host_penalty import HostPenalty
    from focused.frontier.link_requests import LinkRequests
    from focused.frontier.store.interface import LinkStore

logger = logging.getLogger(__name__)

_REVIEW_EVERY_PAGES = 20
_OF_A_LIST = 0.5
"""The newness, in [0, 1], that a page of links only counts with."""
_STEEPER = 4
_MOST = 3 * LEVELS
"""A link that sinks by more than half a scale sinks this many times faster from there on, and by `_MOST` levels at most. So
links that bring nothing come behind those below the strategy's threshold, which bring little and lie more than a scale
below the others."""


class Harvests(NamedTuple):
    """What the pages of each group of URLs, and of each host, have brought: where little comes from, links stand back."""

    credit: Credit
    penalty: HostPenalty


@dataclass(eq=False)
class Sinking:
    """Tells the store how far links and hosts stand back, and joins links whose URLs differ by an idle parameter.

    Stats: ``focused/frontier/sunk_count``, ``focused/frontier/idle_parameters_count``,
    ``focused/frontier/idle_dropped_count``.
    """

    store: LinkStore
    requests: LinkRequests
    harvests: Harvests
    stats: StatsCollector

    def __post_init__(self) -> None:
        self.credit, self.penalty = self.harvests
        #: Which query parameters change nothing.
        self.idle = IdleParameters()
        #: How much new text a page brings.
        self.new_text = NewText()
        #: Which places have one title for all their pages.
        self.one_title = OneTitle()
        #: Which groups of URLs keep leading to no page; a recorded web, which lacks pages, does not tell.
        self.dead_links, self.learns_errors = DeadLinks(), True
        self.store.standing_back.leads_nowhere = self.dead_links.leads_nowhere
        self.store.standing_back.link_levels = self._link_levels
        self.store.standing_back.host_levels = self._host_levels
        self.store.standing_back.is_of_one_form = self.one_title.is_of_one_form
        #: Which hosts repeat others page by page.
        self.mirrors = Mirrors()
        #: Which pages are soft 404s; to be set where hosts may be asked for what does not exist.
        self.soft_404s = Soft404s()
        self.requests.form = lambda url: self.idle.form(url, host_of(url)) if self.idle else url
        self._n_pages = 0

    def _link_levels(self, url: str, referrer: str) -> int:
        by_place = self.one_title.levels(url) + round(LEVELS * self.dead_links.shortfall(url))
        levels = min(LEVELS, self.credit.link_levels(url, referrer) + by_place)
        if levels <= LEVELS // 2:
            return levels
        # Where a link was found says less than what its group has brought.
        by_group = min(LEVELS, self.credit.link_levels(url, "") + by_place)
        return min(_MOST, levels + max(0, 2 * by_group - LEVELS) * _STEEPER)

    def _host_levels(self, host: str) -> int:
        by_yield = self.credit.host_levels(host) + (self.penalty.levels(host) if self.penalty.strength else 0)
        return max(by_yield, self.mirrors.levels(host))

    def changed(self) -> dict[str, Any]:
        """Return what a resumed crawl cannot learn again from pages, if it has changed since the last call."""
        if not self.soft_404s.is_changed:
            return {}
        self.soft_404s.is_changed = False
        return {SOFT_404S: self.soft_404s.state()}

    def restore(self, pages: Iterable[tuple[str, str, str, int, bytes]]) -> None:
        """Learn again from the pages of an earlier run: URL, copy of, referrer, relevant, sketch."""
        for url, copy_of, referrer, relevant, sketch in pages:
            self._learn(url, copy_of, referrer, bool(relevant), sketch)

    def learn_answer(self, url: str, form: bytes, terms: Collection[int]) -> bool:
        """Learn a host's answer to one of two probes; tell whether its soft 404s can now be recognised."""
        found = self.soft_404s.answered(url, form, terms)
        for each in found or ():
            self.credit.count_as_copy(each)
        return found is not None

    def merge_answers(self, state: Mapping[str, Any]) -> None:
        """Learn the answers to other workers' probes; ``state`` as of `Soft404s.state`."""
        for each in self.soft_404s.merge(state):
            self.credit.count_as_copy(each)

    def _learn(
        self, url: str, copy_of: str, referrer: str, relevant: bool, sketch: bytes
    ) -> tuple[str, str, str] | None:
        """Learn from a page; return host, path (empty: all) and parameter if one of its query has proved idle by it."""
        copy_of = copy_of or self.soft_404s.proved(url)
        title_form, newness = form_and_newness(sketch)
        amount = None if copy_of else self.new_text.amount(sketch)
        if amount is not None:
            newness *= amount
        if (brought := brought_by_links(sketch)) is not None:
            newness = min(newness, brought)
        # A list that says nothing itself may lead to new pages: its group sinks a little at most.
        self.credit.add_page(
            url, copy_of, referrer, relevant, _OF_A_LIST if is_list(sketch) else newness, is_collage=brought is not None
        )
        self.one_title.add_page(url, title_form, referrer, newness * (relevant and not copy_of), bool(copy_of))
        self.mirrors.add_page(url, copy_of)
        self.dead_links.add_page(url)
        self.soft_404s.count_ended(copy_of)
        # Of the same text again no sketch is kept. An excerpt is another text: the parameter that makes it does something.
        return self.idle.note(url, "" if sketch else copy_of)

    def add_page(self, url: str, copy_of: str, referrer: str, relevant: bool, sketch: bytes) -> None:
        """Learn from a page that ended; arguments as of `Credit.add_page`, and its sketch as it is stored."""
        found = self._learn(url, copy_of, referrer, relevant, sketch)
        if found is not None:
            self._join(*found)
        self._n_pages += 1
        if self._n_pages % _REVIEW_EVERY_PAGES == 0:
            self.store.standing_back.review_hosts()
        if n_sunk := self.store.standing_back.n_sunk:
            self.stats.set_value("focused/frontier/sunk_count", n_sunk)

    def note_redirect(self, url: str, target: str) -> None:
        """Learn from a link that only led to a known page: links like it sink. It is not learnt again when a crawl resumes.

        A twin that differs by its scheme, host or query alone says nothing of other links.
        """
        with suppress(ValueError):  # a URL without a path, which a server may well name
            if urlsplit(url).path != urlsplit(target).path:
                self.credit.count_redirect(url)

    def note_dead(self, url: str) -> None:
        """Learn from a link that led to no page: links like it sink. It is not learnt again when a crawl resumes."""
        if self.learns_errors:
            self.dead_links.add_dead(url, self.credit.n_pages_of)

    def _join(self, host: str, path: str, parameter: str) -> None:
        why = f"same page as another link: parameter {parameter} changes nothing"
        form, fingerprint = self.requests.form, self.requests.url_fingerprint
        n_dropped = self.store.forms.join(host, form, fingerprint, why)
        self.stats.inc_value("focused/frontier/idle_parameters_count")
        self.stats.inc_value("focused/frontier/idle_dropped_count", n_dropped)
        logger.info(
            "The query parameter %s of %s changes nothing and is ignored in comparing URLs. Waiting links dropped: %d",
            parameter,
            host + path,
            n_dropped,
        )
