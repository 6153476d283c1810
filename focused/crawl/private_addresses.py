"""Decides which addresses may be asked: public ones, and others only if the person who crawls has named them."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from scrapy.exceptions import IgnoreRequest

from focused.frontier.dispatch import count_not_sent
from focused.utils.addresses import LINK_LOCAL, METADATA, address_of, kind_of, kind_of_host
from focused.utils.crawl_settings import PRIVATE_ADDRESSES
from focused.utils.url_lists import without_user

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from scrapy import Request
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

ALLOW, REFUSE, SEEDS = "allow", "refuse", "seeds"
REFUSED = "focused/addresses/refused_count"
_PORTS = {"http": 80, "https": 443}
_MOST_NAMED = 100_000
_REMEDIES = {
    SEEDS: "addresses that are not public are asked where they are seeds on the command line (-a seeds=URL), and with -s "
    "FOCUSED_PRIVATE_ADDRESSES=allow",
    REFUSE: "addresses that are not public are asked with FOCUSED_PRIVATE_ADDRESSES=allow only",
}
# What is against a URL itself, wherever it leads.
SCHEME, USER, HOST = "scheme", "user", "host"
_OF_URL = {
    SCHEME: "only http and https are",
    USER: "a URL with a user's name or password is never asked for",
    HOST: "only names of hosts and addresses can be asked",
}
_NEVER_BY_NAME = frozenset({LINK_LOCAL, METADATA})


class AddressRefusedError(IgnoreRequest):
    """A request is not sent, because of where it would go. It is not tried again, and nothing was connected."""

    def __init__(self, kind: str, where: str) -> None:
        super().__init__(f"not asked: {where}" if kind in _OF_URL else f"not asked: {kind} address {where}")
        self.kind = kind


class PrivateAddresses:
    """Says which addresses a crawl asks, by the host and port of the URL and the address that is about to be connected to.

    A host and port that the person has named may have an address that is not public. If it is a name, its first address
    counts: where that is public, it is a host of the web, and no later answer of its name server makes it a private one. No
    name stands for a link-local address, or for one where a cloud tells secrets.

    Parameters
    ----------
    mode : {"seeds", "refuse", "allow"}
        Setting FOCUSED_PRIVATE_ADDRESSES: those of ``named`` may be asked, none, or all.
    named : iterable of str
        URLs that the person who crawls has named.
    """

    def __init__(self, mode: str = SEEDS, named: Iterable[str] = ()) -> None:
        self.mode = mode
        self._named: set[tuple[str, int]] = set()
        self._is_private: dict[tuple[str, int], bool] = {}
        for url in named:
            self.name(url)

    def name(self, url: str) -> None:
        """Add the host and port of a URL to those that the person has named."""
        if self.mode == SEEDS and len(self._named) < _MOST_NAMED:
            self._named.add(origin(url))

    def kind_of_url(self, url: str) -> str:
        """Return why a URL is not asked for as far as its text tells: a kind of address; empty if nothing is against it."""
        if self.mode == ALLOW:
            return ""
        host, port = origin(url)
        return "" if (host, port) in self._named else kind_of_host(host)

    def kind_at(self, host: str, port: int, address: str) -> str:
        """Return why a connection for a URL's host and port is not made to an address; empty if nothing is against it."""
        if self.mode == ALLOW:
            return ""
        kind, place = kind_of(address), (host.lower(), port)
        if place not in self._named:
            return kind
        if address_of(host):
            return ""
        is_private = self._is_private.setdefault(place, bool(kind))
        return "" if is_private and kind not in _NEVER_BY_NAME else kind


_OF_CRAWLERS: WeakKeyDictionary[Crawler, PrivateAddresses] = WeakKeyDictionary()


def register_addresses(crawler: Crawler, addresses: PrivateAddresses) -> None:
    """Register the addresses that the requests of a crawler may go to."""
    _OF_CRAWLERS[crawler] = addresses


def addresses_of(crawler: Crawler) -> PrivateAddresses:
    """Return which addresses a crawler's requests may go to; by its settings alone if none were registered."""
    if crawler not in _OF_CRAWLERS:
        _OF_CRAWLERS[crawler] = PrivateAddresses(PRIVATE_ADDRESSES.read(crawler.settings))
    return _OF_CRAWLERS[crawler]


def count_refused(crawler: Crawler, request: Request, refused: AddressRefusedError) -> None:
    """Count a request that is not sent, and say so of the first."""
    assert crawler.stats is not None
    if not crawler.stats.get_value(REFUSED):
        remedy = _REMEDIES[SEEDS if addresses_of(crawler).mode == SEEDS else REFUSE]
        remedy = _OF_URL.get(refused.kind, remedy)
        logger.warning(
            "%s is %s; %s. Others like it are counted (%s).", without_user(request.url), refused, remedy, REFUSED
        )
    crawler.stats.inc_value(REFUSED)
    count_not_sent(crawler.stats, request)
    crawler.stats.inc_value(f"focused/addresses/{refused.kind}_count")


def about_seeds(seeds: Sequence[str], mode: str) -> str:
    """Say that no seed may be asked, in the given mode of `PrivateAddresses`, and what to do."""
    n_others = len(seeds) - 1
    others = "" if not n_others else ", nor is the other" if n_others == 1 else f", nor are the {n_others:,} others"
    return f"No seed is asked: {seeds[0]} is not{others}, for {_REMEDIES[SEEDS if mode == SEEDS else REFUSE]}."


def origin(url: str) -> tuple[str, int]:
    """Return the host, in lower case, and the port of a URL.

    >>> origin("https://A.example/x"), origin("http://[::1]:8080/")
    (('a.example', 443), ('::1', 8080))
    """
    parts = urlsplit(url)
    return parts.hostname or "", parts.port or _PORTS.get(parts.scheme, 0)
