"""Lets links sink if their group of URLs brings nothing new, or has taken more than its share.

Pure: no Scrapy, no file. Levels are those of `focused.method.scoring.priority`.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from dataclasses import dataclass
from typing import TypeVar

from focused.frontier.collage_groups import CollageGroups
from focused.frontier.links_about_their_page import LinksAboutTheirPage
from focused.frontier.url_groups import N_OF_HOST, SISTERS, groups_of, path_group
from focused.method.scoring.priority import LEVELS
from focused.utils.registered_domain import registered_domain

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")

_PRIOR_PAGES, _PRIOR_PAGES_OF_A_HOST = 2.0, 4.0
"""A group is taken to be like the one that it lies in until so many of its pages are known. A host has many groups, and each
costs pages before it is known."""
_DECAY = 0.99
"""Each further page of a group leaves this much of what is known of it: some 100 pages count."""
_DECAY_BY_COLLAGE = 0.8
"""The same, where most of its latest pages are collages, as this one is: so were the ones before, but their parts had not been
met elsewhere yet."""
_NEW_ENOUGH = 0.7
"""Share of new texts from which a group does not sink."""
_BEHIND_COPY = 0.5
"""How far a link sinks that was found on a copy, as a part of a scale."""
_MAX_GROUPS, _MAX_COPIES, _MAX_PATHS, _MAX_DOMAINS = 50_000, 100_000, 100_000, 50_000

_FREE_PAGES = 40
"""Pages of a domain that are never too many."""
_MOST_BY_SHARE = 0.3
"""How far a domain that has had more than its share sinks at most, as a part of a scale: links of other domains come first if
they are worth so much less, but poorer ones do not."""
_PAGES_FOR_ONE = 40
"""Pages that a domain may have for each relevant one that was found on a page of another owner, even beyond its share. Of
large sites one page in 2 to 50 was; of a farm its entry."""
_RAMP = 0.03
"""A domain has sunk that far when it is beyond its share by this part of all pages."""
_LEAST_RATE = 0.1
"""The least harvest rate that domains are compared with: otherwise a trap that has taken most pages from the start would be
compared with its own rate."""
_MAX_ANCESTORS = 6
_FURTHER = 0.3
"""What a page counts for a domain that led to it, with each domain between them."""
_PATIENCE = 10.0
"""Pages of a domain, in which it is taken for like the one that led to it."""


@dataclass(slots=True)
class _Domain:
    """Pages of a registered domain, and those of the domains that it led to, or that these led to."""

    #: The domain that led to it.
    source: str
    #: The first domain behind a seed's in the chain that led to it: those that lie behind it may have the same owner.
    owner: str
    n_pages: int = 0
    n_relevant: int = 0
    n_led: float = 0.0
    n_led_relevant: float = 0.0
    #: Relevant pages, no copies, that were found on a page of another owner.
    n_recommended: int = 0
    #: Whether a seed lies on it: somebody asked for it.
    is_named: bool = False


class Credit:
    """Says how many levels a link or a host stands back, by what the groups that it belongs to have brought.

    ``share``: of the pages fetched, in [0, 1], from which a registered domain with all its subdomains stands back behind good
    links of others; 0: it never does.
    """

    def __init__(self, share: float = 0.2) -> None:
        self._share = share
        #: Of each group: pages, and new ones among them; the latest count most.
        self._groups: OrderedDict[str, tuple[float, float]] = OrderedDict()
        #: What pages brought that are about the page that led to them.
        self.about = LinksAboutTheirPage()
        self._collages = CollageGroups()
        self._copies: OrderedDict[int, None] = OrderedDict()
        #: URLs that were met, without their queries.
        self._paths: OrderedDict[int, None] = OrderedDict()
        self._domains: OrderedDict[str, _Domain] = OrderedDict()
        self._n_pages = 0
        #: Texts that were met before: a copy is one, another page the part of it that is not new.
        self._n_met_before = 0.0
        #: Pages of domains within their share, and relevant ones: a farm is no measure for others.
        self._n_rated = self._n_relevant = 0

    # --- What pages bring

    def add_page(
        self, url: str, copy_of: str, referrer: str, relevant: bool, newness: float = 1.0, *, is_collage: bool = False
    ) -> None:
        """Count a page that was fetched. ``copy_of``: URL of the page that it repeats, or empty; ``referrer``: or empty.

        ``newness``: how new its text is, in [0, 1]. ``is_collage``: whether it is put together of parts of other pages.
        """
        self._n_pages += 1
        if copy_of:
            newness = 0.0
            _remember(self._copies, hash(url), None, _MAX_COPIES)
        self._n_met_before += 1 - newness
        for nth, group in enumerate(self._groups_of(url)):
            n_pages, n_new = self._groups.get(group, (0.0, 0.0))
            is_told = nth >= N_OF_HOST and self._collages.count(group, is_collage=is_collage)
            decay = _DECAY_BY_COLLAGE if is_told and self._collages.are_most(group) else _DECAY
            _remember(self._groups, group, (decay * n_pages + 1, decay * n_new + newness), _MAX_GROUPS)
        self.about.add_page(url, referrer, newness)
        _remember(self._paths, hash(url.partition("?")[0]), None, _MAX_PATHS)
        domain, source = domain_of(url), domain_of(referrer)
        own = self._domain(domain, source)
        own.n_pages += 1
        own.n_relevant += relevant
        own.is_named = own.is_named or not referrer
        if source and source != domain:
            leading = self._domain(source, "")
            own.n_recommended += relevant and not copy_of and leading.owner != own.owner
        if own.n_pages <= self._allowed(own):
            self._n_rated += 1
            self._n_relevant += relevant
        weight = 1.0
        for led in self._ancestors(own):
            led.n_led += weight
            led.n_led_relevant += weight * relevant
            weight *= _FURTHER

    def count_redirect(self, url: str) -> None:
        """Count a link that only led to a page that is known: the groups of its path have brought nothing new by it.

        It says nothing of its host, where each page may have such a link.
        """
        self._n_met_before += 1
        for group in self._groups_of(url)[N_OF_HOST:]:
            n_pages, n_new = self._groups.get(group, (0.0, 0.0))
            _remember(self._groups, group, (_DECAY * n_pages + 1, _DECAY * n_new), _MAX_GROUPS)

    def count_as_copy(self, url: str) -> None:
        """Count a page as a copy that was counted as new before."""
        self._n_met_before += 1
        _remember(self._copies, hash(url), None, _MAX_COPIES)
        for group in self._groups_of(url):
            if (known := self._groups.get(group)) is not None:
                self._groups[group] = known[0], max(0.0, known[1] - 1)

    def _ancestors(self, domain: _Domain) -> list[_Domain]:
        """Return the domain that led to a domain, the one that led to that, and so on; a few."""
        found: list[_Domain] = []
        while (
            len(found) < _MAX_ANCESTORS
            and (known := self._domains.get(domain.source))
            and all(known is not each for each in found)
        ):
            found.append(known)
            domain = known
        return found

    def _domain(self, domain: str, source: str) -> _Domain:
        known = self._domains.get(domain)
        if known is None:
            leading = self._domains.get(source)
            known = _Domain(source, domain if leading is None or leading.is_named else leading.owner)
        _remember(self._domains, domain, known, _MAX_DOMAINS)
        return known

    # --- What has come of it

    def groups(self) -> list[tuple[str, float, float]]:
        """Return each group with its pages and the new ones among them; the latest count most, so that 100 are the most."""
        return [(group, n_pages, n_new) for group, (n_pages, n_new) in self._groups.items()]

    def n_pages_of(self, group: str) -> float:
        """Return how many pages a group has had; the latest count most, so that 100 are the most."""
        return self._groups.get(group, (0.0, 0.0))[0]

    def domains_that_stand_back(self) -> list[tuple[str, int, int, bool]]:
        """Return the domains that do: pages, relevant ones, and whether that is because they have had too many pages."""
        return [
            (domain, known.n_pages, known.n_relevant, self._over_share(known) > 0)
            for domain, known in self._domains.items()
            if self.host_levels(domain)
        ]

    # --- How far links sink

    def link_levels(self, url: str, referrer: str) -> int:
        """Return how many levels a link stands back for what its own groups have brought, from 0 to LEVELS.

        A link to a domain that no page is known of stands back for what the domain of its page has led to.
        """
        by_copies = 0.0
        if self._n_met_before >= 1:
            behind = _BEHIND_COPY if hash(referrer) in self._copies else 0.0
            by_copies = behind + 1 - min(1.0, self.new_share(url, referrer) / _NEW_ENOUGH)
        by_source = 0.0 if domain_of(url) in self._domains else self._led_to_nothing(domain_of(referrer))
        return round(LEVELS * min(1.0, by_copies + by_source))

    def new_share(self, url: str, referrer: str = "") -> float:
        """Return the share of new texts that is expected of a URL, in (0, 1]: from its widest group to its narrowest.

        Of several query parameters the one counts that has brought least, until links with just these parameters are known.
        ``referrer``: the page that it stands on, or empty.
        """
        share, n_known, is_of_collages = 1.0, 0.0, False
        of_parameters: list[float] = []
        for nth, group in enumerate(self._groups_of(url)):
            known = self._groups.get(group)
            n_known = known[0] if known else 0.0  # of the last one, which is the narrowest
            if known is None:
                continue
            prior = _PRIOR_PAGES_OF_A_HOST if nth < N_OF_HOST else _PRIOR_PAGES
            is_of_all_parameters = group.endswith("&")
            expected = min(of_parameters, default=share) if is_of_all_parameters else share
            here = (known[1] + prior * expected) / (known[0] + prior)
            if is_of_all_parameters:
                of_parameters = [here]
            elif "?" in group:
                of_parameters.append(here)
            elif SISTERS in group or is_of_collages:
                share = min(share, here)
            else:
                share = here
            is_of_collages = is_of_collages or self._collages.are_most(group)
        return self.about.expected(url, referrer, min(of_parameters, default=share), n_known)

    def _groups_of(self, url: str) -> tuple[str, ...]:
        """Return the groups of a URL; if its path was met before, with another query, the last one is that of such URLs.

        A page that is met for the first time may be new where the same page with another mark of its referrer is not.
        """
        groups = groups_of(url)
        is_met = groups and hash(url.partition("?")[0]) in self._paths
        return (*groups, path_group(url)) if is_met else groups

    def host_levels(self, host: str) -> int:
        """Return how many levels a host stands back with its domain: for the pages it has had, and what they brought.

        The domain of a seed does not: somebody asked for it.
        """
        known = self._domains.get(registered_domain(host))
        if known is None or known.is_named:
            return 0
        by_yield = self._below(known.n_pages, known.n_relevant, 1 - self._led_to_nothing(known.source))
        return round(LEVELS * min(1.0, self._over_share(known) + by_yield))

    def _allowed(self, domain: _Domain) -> float:
        """Return how many pages a domain may have before it has more than its share."""
        return max(_FREE_PAGES, self._share * self._n_pages, _PAGES_FOR_ONE * domain.n_recommended)

    def _over_share(self, domain: _Domain) -> float:
        if not self._share:
            return 0.0
        n_over = domain.n_pages - self._allowed(domain)
        return _MOST_BY_SHARE * min(1.0, max(0.0, n_over) / (_RAMP * self._n_pages + 5))

    def _led_to_nothing(self, source: str, depth: int = 4) -> float:
        """Return how far pages elsewhere that a domain led to fall short; of a new one, those of the domain that led to it."""
        known = self._domains.get(source)
        if known is None or not depth:
            return 0.0
        return self._below(known.n_led, known.n_led_relevant, 1 - self._led_to_nothing(known.source, depth - 1))

    def _below(self, n_pages: float, n_relevant: float, prior: float) -> float:
        """Return by which share pages fall short of the crawl's harvest rate even at best, in [0, 1]: see HostPenalty.

        ``prior``: what is expected of them beforehand, in parts of that rate.
        """
        rate = max(_LEAST_RATE, (self._n_relevant + 1) / (self._n_rated + 2))
        n_seen = n_pages + _PATIENCE
        mean = (n_relevant + _PATIENCE * prior * rate) / n_seen
        allowance = math.sqrt(rate * (1 - rate) * math.log1p(self._n_pages) / n_seen) / 2
        return max(0.0, 1 - (mean + allowance) / rate)


def domain_of(url: str) -> str:
    """Return the registered domain of a URL's host; empty if it has none."""
    groups = groups_of(url)
    return groups[0] if groups else ""


def _remember(table: OrderedDict[_Key, _Value], key: _Key, value: _Value, most: int) -> None:
    table[key] = value
    table.move_to_end(key)
    if len(table) > most:
        table.popitem(last=False)
