"""Opens the parts of a frontier, by the settings and the task of its crawl."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from focused.frontier.allowance import Allowance, LinkSupply, RequestPace
from focused.frontier.budget import pages_left
from focused.frontier.completion import Outcomes
from focused.frontier.crawl_interface import crawl_of
from focused.frontier.credit import Credit
from focused.frontier.host_failures import MOST_FAILURES, REST_SECS, HostFailures
from focused.frontier.host_penalty import HostPenalty
from focused.frontier.known_links import KnownLinks, LaterPages
from focused.frontier.patience import PATIENCE, Patience
from focused.frontier.sinking import Harvests, Sinking
from focused.frontier.soft_404s import Soft404s
from focused.frontier.store.limits import StoreLimits
from focused.frontier.store.link_order import LinkOrder
from focused.frontier.store.ranks import Ranks
from focused.frontier.store.store import FrontierStore
from focused.frontier.store.worker_demand import OtherWorkers
from focused.frontier.unreachable import UnreachableHosts
from focused.utils.frontier_settings import (
    DOMAIN_SHARE,
    HOST_SINK,
    MAX_LINKS,
    MAX_PER_DOMAIN,
    MAX_PER_HOST,
    MAX_TUNNEL,
    SOFT_404_PROBES,
    TRAPS,
)
from focused.utils.origins import host_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

    from focused.frontier.crawl_interface import CrawlOfFrontier, FrontierTask
    from focused.frontier.leases import Leases
    from focused.frontier.link_requests import LinkRequests
    from focused.frontier.politeness import HostAvailability
    from focused.frontier.session_records import SessionRecords
    from focused.frontier.store.interface import LinkStore

_MEMORY_PAGES = 33
"""Over so many pages, or a fifteenth of all, patience counts what pages bring."""
_NO_LIMIT = 1000
_WEBS_TO_ASK = ("live", "hostile")
"""Webs whose hosts are asked for what does not exist."""


def open_store(path: Path, task: FrontierTask, settings: BaseSettings) -> FrontierStore:
    """Open the file of links, or make it; a `FrontierFileError` if it cannot be used."""
    return FrontierStore(path, order=link_order(task), limits=store_limits(settings))


def link_order(task: FrontierTask) -> LinkOrder:
    """Return in which order the links of a crawl come."""
    return LinkOrder(task.merge or keep_first_evidence, Ranks(is_newest_first=task.order == "newest"))


def store_limits(settings: BaseSettings) -> StoreLimits:
    """Return how many links are kept and fetched."""
    return StoreLimits(
        max_per_host=MAX_PER_HOST.read(settings),
        max_per_domain=MAX_PER_DOMAIN.read(settings),
        max_tunnel=MAX_TUNNEL.read(settings),
        max_links=MAX_LINKS.read(settings),
    )


def open_links(store: LinkStore, task: FrontierTask, settings: BaseSettings) -> KnownLinks:
    """Return what takes links into the file."""
    # A limit on tunnels knows nothing of scores: every page has a say on how far a link lies.
    max_tunnel = MAX_TUNNEL.read(settings)
    later_pages = LaterPages(
        are_joined=task.merge is not None or bool(max_tunnel),
        are_averaged=task.is_mean and not max_tunnel,
        depth_priority=settings.getint("DEPTH_PRIORITY"),
    )
    return KnownLinks(store, later_pages)


def open_unreachable(store: LinkStore, leases: Leases, crawler: Crawler) -> UnreachableHosts:
    """Return what decides about the links of hosts that do not answer."""

    def has_answered(origin: str) -> bool:
        """Tell whether an earlier run of this crawl has pages of an origin's host."""
        return bool(crawler.stats.get_value("focused/frontier/resumed_count")) and store.has_pages(host_of(origin))

    failures = HostFailures(REST_SECS.read(crawler.settings), MOST_FAILURES.read(crawler.settings), has_answered)
    unreachable = UnreachableHosts(store, leases, failures, crawler.stats)
    standing_back = store.standing_back
    standing_back.comes_last = unreachable.is_doubtful
    standing_back.rests_until, standing_back.host_rests = unreachable.rests_until, unreachable.host_rests
    leases.ready_at.resting_hosts = unreachable.resting_hosts
    return unreachable


def open_outcomes(
    store: LinkStore, requests: LinkRequests, session_records: SessionRecords | None, crawler: Crawler
) -> Outcomes:
    """Return what takes down how links have ended."""
    settings = crawler.settings
    penalty = HostPenalty(HOST_SINK.read(settings))
    sinking = None
    if TRAPS.read(settings) == "on":
        harvests = Harvests(Credit(DOMAIN_SHARE.read(settings)), penalty)
        sinking = Sinking(store, requests, harvests, crawler.stats)
        # A recorded web has no pages for made-up addresses, and lacks pages that the web has.
        if (crawl := crawl_of(crawler)) and crawl.task.web in _WEBS_TO_ASK:
            sinking.soft_404s = Soft404s(SOFT_404_PROBES.read(settings))
        else:
            sinking.learns_errors = False
    return Outcomes(store, penalty, session_records, sinking)


def open_patience(
    crawler: Crawler,
    crawl: CrawlOfFrontier,
    store: LinkStore,
    ready_at: HostAvailability,
    *,
    other_workers: OtherWorkers | None = None,
    n_left: Callable[[], int] | None = None,
) -> Patience | None:
    """Return what says which links are worth a page; None where a crawl never waits: without delays, or page limit.

    It goes on with the stats and the links of an earlier run, so these come first. ``others`` are the crawl's other workers;
    ``n_left`` returns how many pages are left to all of them, by default to this process.
    """
    task, session = crawl.task, crawl.session
    # Also without patience: what is still to come is foretold from them.
    if not (task.max_pages or task.max_minutes):
        return None
    by_level = store.count_waiting(max(_MEMORY_PAGES, task.max_pages / 15))
    factor = PATIENCE.read(crawler.settings)
    # AutoThrottle sets a delay when the spider has opened.
    has_delays = bool(ready_at.delay_of("")) or crawler.settings.getbool("AUTOTHROTTLE_ENABLED")
    if not (factor and task.max_pages and has_delays):
        return None
    pace = RequestPace(
        hosts=ready_at,
        concurrency=crawler.settings.getint("CONCURRENT_REQUESTS") or _NO_LIMIT,
        begins=lambda: session is not None and session.max_under_way() is not None,
    )
    allowance = Allowance(
        goal_pages=lambda: crawl.goal_pages,
        pages_left=n_left or (lambda: pages_left(crawler, crawl.goal_pages)),
        factor=factor,
        max_secs=60 * task.max_minutes,
        spent_secs=crawl.harvest.spent_secs,
    )
    return Patience(LinkSupply(store, by_level, other_workers or OtherWorkers()), pace, allowance, stats=crawler.stats)


def keep_first_evidence(known: Any, new: Any) -> Any:
    """Return what the first page says: that stands (D43)."""
    return known
