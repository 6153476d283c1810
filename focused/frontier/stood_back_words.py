"""Says in words which parts of the web stood back in a crawl, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focused.frontier.url_groups import SISTERS
from focused.method.scoring.reasons import plain
from focused.utils.registered_domain import registered_domain
from focused.utils.words import quantity

if TYPE_CHECKING:
    from focused.frontier.credit import Credit
    from focused.frontier.dead_links import DeadLinks
    from focused.frontier.idle_parameters import IdleParameters
    from focused.frontier.mirrors import Mirrors
    from focused.frontier.one_title import OneTitle
    from focused.frontier.soft_404s import Soft404s

_LEAST_PAGES = 5
_FEW_NEW = 0.6
"""Groups with at most this share of new texts are named. Links of others stand back a little, but are no traps."""
_FEW_ALIVE = 0.4
"""Groups of whose links at most this share led to a page are named."""
_FEW_RELEVANT = 0.25
_MOST_CHARS = 60


def stood_back(credit: Credit, idle: IdleParameters, mirrors: Mirrors, one_title: OneTitle) -> list[str]:
    """Return what stood back and why, that with most pages first; of groups within one another the widest.

    Then come mirrors, and query parameters that change nothing: links that differ by them are one.
    """
    found: list[tuple[float, str]] = []
    named = [f"{host}/" for host in mirrors.original]
    for group, n_pages, n_new in sorted(credit.groups(), key=lambda each: len(each[0])):
        group = group.rstrip("?&")  # paths that were met with another query
        domain = f"{registered_domain(group.partition('/')[0])}/"
        is_within = domain in named or any(f"{group}/".startswith(each) for each in named)
        if is_within or SISTERS in group or n_pages < _LEAST_PAGES or n_new > _FEW_NEW * n_pages:
            continue
        named.append(f"{group.removesuffix('/')}/")
        found.append((n_pages, f"{_name(group)} ({1 - n_new / n_pages:.0%} of what its last pages say was known)"))
    for host, n_pages, n_new in credit.about.hosts():
        if n_pages >= _LEAST_PAGES and n_new <= _FEW_NEW * n_pages and f"{host}/" not in named:
            known = f"{1 - n_new / n_pages:.0%} of what the last ones say was known"
            found.append((n_pages, f"{_name(host)} (pages about another page, which leads to them: {known})"))
    for place, n_known in sorted(one_title.places_that_stand_back(), key=lambda each: len(each[0])):
        if n_known >= _LEAST_PAGES and not any(f"{place}/".startswith(each) for each in named):
            named.append(place)
            found.append((n_known, f"{_name(place)} (its last pages have one title, and brought little)"))
    for domain, n_pages, n_relevant, is_too_many in credit.domains_that_stand_back():
        if f"{domain}/" in named or n_pages < _LEAST_PAGES:
            continue
        if is_too_many:
            found.append((n_pages, f"{_name(domain)} ({quantity(n_pages, 'pages')}: more than its share)"))
        elif n_relevant <= _FEW_RELEVANT * n_pages:
            found.append((n_pages, f"{_name(domain)} ({n_relevant:,} relevant of {quantity(n_pages, 'pages')})"))
    repeated = [f"{_name(host)} (mirror of {_name(first)})" for host, first in sorted(mirrors.original.items())]
    parameters = [
        f"parameter {_name(name)} of {_name(host)} (changes nothing)"
        for host, names in [
            *idle.of_host.items(),
            *((host + path, names) for (host, path), names in idle.of_path.items()),
        ]
        for name in sorted(names)
    ]
    return [words for _, words in sorted(found, reverse=True)] + repeated + parameters


def soft_404s_in_words(soft_404s: Soft404s) -> list[str]:
    """Return the hosts that answer whatever they are asked for, that with most soft 404s first."""
    found = sorted(soft_404s.found(), key=lambda each: -each[1])
    return [
        f"{_name(host)} ({quantity(n_pages, 'soft 404s')}: it answers any address with a page)"
        for host, n_pages in found
    ]


def dead_links_in_words(dead_links: DeadLinks) -> list[str]:
    """Return the groups few of whose links led to a page, that with most first; of groups within one another the widest."""
    named: list[str] = []
    found: list[tuple[float, str]] = []
    for group, n_links, n_alive in sorted(dead_links.groups(), key=lambda each: len(each[0])):
        is_within = SISTERS in group or any(map(group.startswith, named))
        if is_within or n_links < _LEAST_PAGES or n_alive > _FEW_ALIVE * n_links:
            continue
        named.append(group.rstrip("*"))
        found.append((n_links, f"{_name(group)} ({1 - n_alive / n_links:.0%} of its last links led to no page)"))
    return [words for _, words in sorted(found, reverse=True)]


def _name(text: str) -> str:
    """Return a stranger's text on one line."""
    return plain(text.removesuffix("/") if text.count("/") == 1 else text, _MOST_CHARS)
