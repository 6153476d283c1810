"""The download handler of the live web: Scrapy's own, limited to allowed addresses and to headers of bounded size.

Twisted resolves a name and connects to what it got in one go. The check stands between: each connection is made by
:class:`_CheckedReactor`, which sees the address itself, so no spelling, redirect or second answer of a name server leads
around it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.core.downloader.handlers.http11 import (
    HTTP11DownloadHandler,
    _LenientHTTP11ClientFactory,
    _LenientHTTP11ClientProtocol,
    _TunnelingTCP4ClientEndpoint,
)
from scrapy.exceptions import DownloadCancelledError
from twisted.internet.abstract import isIPv6Address
from twisted.internet.endpoints import HostnameEndpoint, TCP6ClientEndpoint, wrapClientTLS
from twisted.internet.interfaces import IReactorPluggableNameResolver, IReactorTCP, IReactorTime, IStreamClientEndpoint
from twisted.python.failure import Failure
from twisted.web.client import HTTPConnectionPool
from zope.interface import implementer

from focused.crawl.private_addresses import AddressRefusedError, PrivateAddresses, addresses_of, count_refused

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.internet.defer import Deferred

MAX_HEADER_BYTES = 262_144
"""Of a response's status line and headers together, those of provisional responses (1xx) included; as in browsers. A single
line has at most 16,384: Twisted's limit."""


class HeadersTooLongError(DownloadCancelledError):
    """The headers of a response are longer than ``MAX_HEADER_BYTES``, or never end. It is not tried again."""


class LiveDownloadHandler(HTTP11DownloadHandler):
    """Scrapy's handler for http and https, with two limits.

    A direct connection is made only to an address that `PrivateAddresses` allows for the host and port of the URL. A proxy
    is the person's choice and is not checked, nor what it connects to. A response whose headers are longer than
    ``MAX_HEADER_BYTES`` is cut off.

    Settings: FOCUSED_PRIVATE_ADDRESSES, and those of Scrapy's handler.

    Stats: ``focused/addresses/refused_count`` and, by kind of address, ``focused/addresses/KIND_count``;
    ``focused/pages/headers_too_long_count``.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.crawler = crawler
        timeout = crawler.settings.getfloat("DOWNLOAD_TIMEOUT")
        pool = _CheckedPool(addresses_of(crawler), self._contextFactory, timeout)
        pool.maxPersistentPerHost = self._pool.maxPersistentPerHost
        self._pool = pool

    async def download_request(self, request: Request) -> Response:
        """Download a page; an `AddressRefusedError` says that no connection was made because of where it would lead."""
        try:
            return await super().download_request(request)
        except AddressRefusedError as refused:
            count_refused(self.crawler, request, refused)
            raise
        except HeadersTooLongError:
            assert self.crawler.stats is not None
            self.crawler.stats.inc_value("focused/pages/headers_too_long_count")
            raise


class _LimitedConnection(_LenientHTTP11ClientProtocol):
    """A connection that is closed when the headers of a response grow too long."""

    _answer: Deferred[Any] | None = None
    _n_header_bytes = 0
    _is_too_long = False

    def request(self, request: Any) -> Deferred[Any]:
        """Send a request; what it returns is called when the headers of the response are in."""
        self._n_header_bytes = 0
        answer = super().request(request)
        self._answer = answer
        return answer.addBoth(self._headers_are_in)

    def dataReceived(self, data: bytes) -> None:
        """Read on, unless the headers are too long."""
        super().dataReceived(data)  # type: ignore[no-untyped-call]
        if self._answer is not None:
            self._n_header_bytes += len(data)
            if self._n_header_bytes > MAX_HEADER_BYTES:
                self._is_too_long = True
                self._answer.cancel()

    def _headers_are_in(self, result: Any) -> Any:
        self._answer = None
        if self._is_too_long and isinstance(result, Failure):
            error = HeadersTooLongError(f"The headers have more than {MAX_HEADER_BYTES:,} bytes")
            return Failure(error)  # type: ignore[no-untyped-call]
        return result


class _LimitedConnections(_LenientHTTP11ClientFactory):
    """Makes connections that read no endless headers."""

    def buildProtocol(self, addr: Any) -> _LimitedConnection:
        return _LimitedConnection(self._quiescentCallback)  # type: ignore[no-untyped-call]


class _CheckedPool(HTTPConnectionPool):
    """Keeps connections for further requests, and checks each new one that leads to no proxy."""

    _factory = _LimitedConnections

    def __init__(self, addresses: PrivateAddresses, tls: Any, timeout_secs: float) -> None:
        from twisted.internet import reactor

        super().__init__(reactor, persistent=True)  # type: ignore[no-untyped-call]
        self.reactor: Any = reactor
        self.addresses = addresses
        #: Makes the TLS side of connections, as DOWNLOAD_TLS_MIN_VERSION and others say.
        self.tls = tls
        self.timeout_secs = timeout_secs

    def getConnection(self, key: Any, endpoint: Any) -> Any:
        """Return a connection. The key names scheme, host and port; Scrapy's agents for proxies have keys of their own."""
        if key[0] != b"http-proxy" and not isinstance(endpoint, _TunnelingTCP4ClientEndpoint):
            endpoint = _CheckedEndpoint(self, key)
        return super().getConnection(key, endpoint)


@implementer(IStreamClientEndpoint)
class _CheckedEndpoint:
    """Connects to a host, with or without TLS, by a reactor that checks the address."""

    def __init__(self, pool: _CheckedPool, key: Any) -> None:
        self._pool = pool
        self._scheme, self._host, self._port, self._bind_address = key

    def connect(self, factory: Any) -> Any:
        """Connect, or fail with an `AddressRefusedError`."""
        pool, host, port = self._pool, self._host, self._port
        name, limits = host.decode("ascii"), (port, pool.timeout_secs, self._bind_address)
        reactor = _CheckedReactor(pool.reactor, pool.addresses, name, port)
        # Scrapy's default resolver looks an IPv6 address up as if it were a name, and finds none.
        endpoint: Any
        if isIPv6Address(name):
            endpoint = TCP6ClientEndpoint(reactor, name, *limits)  # type: ignore[no-untyped-call]
        else:
            endpoint = HostnameEndpoint(reactor, host, *limits)
        if self._scheme == b"https":
            endpoint = wrapClientTLS(pool.tls.creatorForNetloc(host, port), endpoint)
        return endpoint.connect(factory)


@implementer(IReactorPluggableNameResolver, IReactorTCP, IReactorTime)
class _CheckedReactor:
    """The reactor, but that it connects only to addresses that may be asked for a URL's host and port."""

    def __init__(self, reactor: Any, addresses: PrivateAddresses, host: str, port: int) -> None:
        self._reactor, self._addresses, self._host, self._port = reactor, addresses, host, port

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reactor, name)

    def connectTCP(self, host: str, port: int, *args: Any, **kwargs: Any) -> Any:
        """Connect to an address, or raise an `AddressRefusedError`."""
        if kind := self._addresses.kind_at(self._host, self._port, host):
            raise AddressRefusedError(kind, host)
        return self._reactor.connectTCP(host, port, *args, **kwargs)
