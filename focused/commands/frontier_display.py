"""Shows a frontier in `scrapy frontier`: its links by state and host, those that come next, and one link with its evidence."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from focused.method.strategies import BY_ADAPTIVE, BY_FEED, BY_SITEMAP, REASONS
from focused.utils.file_names import VERSIONS_FILE
from focused.utils.scope import Scope
from focused.utils.words import quantity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.settings import BaseSettings

    from focused.frontier.store.view import FrontierView, LinkView

_LEARNS = REASONS[BY_ADAPTIVE]
_MOST_WITH_PORTS = 500
_MOST_PORTS = 5
_BEYOND_DEPTH = "focused/scope/beyond_depth_count"
_LEFT_OUT = (
    (
        ("focused/links/refused_over_limit_count", "focused/page/cut_links_over_limit_count"),
        "were beyond FOCUSED_PAGE_MAX_LINKS of their pages",
    ),
    (("focused/links/dropped_count",), "were below the threshold (FOCUSED_BELOW_THRESHOLD=drop)"),
    (("focused/links/nofollow_count",), "are nofollow"),
    (("focused/frontier/too_deep_count",), "lay behind too many irrelevant pages (FOCUSED_FRONTIER_MAX_TUNNEL)"),
    (("focused/frontier/cut_count",), "were forgotten because too many waited (FOCUSED_FRONTIER_MAX_LINKS)"),
)
"""Stats of links that are in no frontier, and why they are not; docs/reference/stats.md lists them."""
_SOURCES = (REASONS[BY_SITEMAP], REASONS[BY_FEED])


def overview(view: FrontierView, n_hosts: int, n_links: int) -> Iterator[str]:
    """Yield the lines about a frontier: its links by state, the hosts with most links, and the links that come next."""
    counts = view.counts()
    scope = Scope.from_json(view.remembered("scope"))
    yield f"Topic {view.remembered('topic')} on web {view.remembered('web')}, {view.path}"
    if scope:
        yield f"Scope: {scope}"
    states = ", ".join(f"{count:,} {state}" for state, count in counts.items())
    yield f"{quantity(sum(counts.values()), 'links')}: {states}"
    if n_cut := view.remembered("n_cut"):
        yield f"{quantity(n_cut, 'links')} forgotten because too many waited (FOCUSED_FRONTIER_MAX_LINKS)"
    if hosts := view.hosts(n_hosts):
        widths = {"waiting": 9, "leased": 7, "done": 8, "failed": 7, "dropped": 8, "pages": 8, "relevant": 8}
        yield "\n" + " ".join(f"{name:>{width}}" for name, width in widths.items()) + "  host"
        ports = view.ports([host["host"] for host in hosts[:_MOST_WITH_PORTS]])
        for host in hosts:
            numbers = " ".join(f"{host[name]:>{width},}" for name, width in widths.items())
            yield f"{numbers}  {_with_ports(host['host'], ports.get(host['host'], []))}"
    if links := view.top(n_links):
        yield f"\n{'score':>6}  {'by':<15} {'pages':>5}  next, if all hosts may be asked"
        for link in links:
            # A strategy with a memory keeps the pages that link to it there; the frontier knows only the first.
            n_pages = "-" if link.reason == _LEARNS else _n_referrers(link)
            yield f"{link.score:>6.3f}  {link.reason:<15} {n_pages:>5}  {_printable(link.url)}"


def _with_ports(host: str, ports: list[str]) -> str:
    """Return a host with the ports that its links name: it has one delay, and one row, whatever the port."""
    if len(ports) < 2:
        return f"{host}:{ports[0]}" if ports else host
    more = f" and {len(ports) - _MOST_PORTS:,} more" if len(ports) > _MOST_PORTS else ""
    return f"{host} (ports {', '.join(ports[:_MOST_PORTS])}{more})"


def why(view: FrontierView, url: str, settings: BaseSettings) -> Iterator[str]:
    """Yield the lines about one link: where it is, how it got there, and how many come before it."""
    link = view.find(url)
    if link is None:
        raise ValueError(f"{url} is not known: {_why_unknown(view, url)}.")
    yield _printable(link.url)
    note, when = f": {link.note}" if link.note else "", f" ({_time(link.ended_at)})" if link.ended_at else ""
    yield f"  state       {link.state}{note}{when}"
    if view.is_own_request(link):
        by = "by the crawl itself: a sitemap, a feed or a request of the spider's own"
        yield f"  asked for   {by}; priority {link.priority}"
        yield f"  found on    {_printable(link.referrer) or 'no page'}{_when_found(link)}"
        return
    # Fits of a learning strategy are no versions of the model.
    version = f"{'found by ' if link.reason == _LEARNS else ''}model version {link.model_version}"
    yield f"  score       {link.score:.3f} by {link.reason}, priority {link.priority}, {version}"
    yield f"  found on    {_printable(link.referrer) or 'nothing: a seed'}{_when_found(link)}"
    if link.reason == _LEARNS:
        yield from _learnt(view, link, settings)
    else:
        n_pages = _n_referrers(link)
        of_source = "; it was found in a sitemap or feed" if link.reason in _SOURCES and not n_pages else ""
        yield f"  referrers   {quantity(n_pages, 'pages')} known to link to it{of_source}"
    yield (
        f"  path        {quantity(link.depth, 'links')} from a seed, {quantity(link.irrelevant_on_path, 'irrelevant pages')}, "
        f"{link.tunnel:,} since the last relevant one"
    )
    if link.state == "waiting":
        in_all, of_host = view.n_before(link)
        yield f"  before it   {quantity(in_all, 'links')}, {of_host:,} of them of its host"


def _why_unknown(view: FrontierView, url: str) -> str:
    """Say why a URL has no link in the frontier, as far as that can be known."""
    scope = Scope.from_json(view.remembered("scope"))
    if why := scope.why(url):
        return f"it is out of the crawl's scope ({why})"
    n_asked, cap = view.n_asked(url), scope.max_pages_per_host
    if cap and n_asked >= cap:
        return f"its host has had its {quantity(n_asked, 'pages')} (max_pages_per_host)"
    if (cap := scope.max_pages_per_domain) and (n_asked := view.n_asked(url, of_domain=True)) >= cap:
        return f"its domain has had its {quantity(n_asked, 'pages')} (max_pages_per_domain)"
    stats = view.remembered("stats")
    if stats is None:  # a shared frontier does not know
        deep = f", it lies more than {quantity(scope.max_depth, 'links')} from a seed" if scope.max_depth else ""
        return f"no page that was fetched links to it{deep}, or the link was refused or forgotten"
    deep = f"lie more than {quantity(scope.max_depth, 'links')} from a seed (max_depth)" if scope.max_depth else ""
    left_out = [(stats.get(_BEYOND_DEPTH, 0), deep or "lay beyond max_depth")]
    left_out += [(sum(stats.get(name, 0) for name in names), why) for names, why in _LEFT_OUT]
    found = [f"{quantity(n, 'links')} that {why}" for n, why in left_out if n]
    nowhere = "no page that was fetched links to it"
    # Which links these were is not kept: they can be as many as the web has.
    return f"it is one of {', or of '.join(found)}; else {nowhere}" if found else nowhere


def _n_referrers(link: LinkView) -> int:
    """Return the number of known pages that hold a link; a seed was found on none."""
    return link.n_referrers - (link.reason == "seed")


def _learnt(view: FrontierView, link: LinkView, settings: BaseSettings) -> Iterator[str]:
    # These imports take longer than the rest of the command.
    from focused.commands.link_evidence import evidence_of, strongest_evidence

    if link.state == "waiting" and (words := strongest_evidence(view, link.url, settings)):
        yield f"  because     {words} (strongest evidence)"
    evidence = evidence_of(view, link.url)
    yield f"  referrers   {quantity(max(evidence.n_referrers, link.n_referrers), 'pages')} known to link to it"
    if evidence.relevances:
        kinds = zip(("page", "block", "anchor text", "context"), evidence.relevances, strict=True)
        # A crawl with retraining has newer models later, which change the score only.
        has_versions = (view.path.parent / VERSIONS_FILE).exists()
        when = ", by the models in use when these pages were fetched" if has_versions else ""
        yield f"  they say    {', '.join(f'{kind} {value:.3f}' for kind, value in kinds)} (relevance, mean{when})"
    yield (
        f"  learnt      from {quantity(evidence.n_learnt, 'pages')} of this crawl and the topic's examples: what these\n"
        "              relevances, its URL and similar links are worth; its score changes with each fit while it waits"
    )


def _when_found(link: LinkView) -> str:
    """Return when a link was found; a shared frontier does not know."""
    return f" ({_time(link.found_at)})" if link.found_at else ""


def _time(seconds: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(seconds))


def _printable(text: str) -> str:
    """Replace control characters: a URL comes from strangers."""
    return "".join(each if each.isprintable() else "?" for each in text)
