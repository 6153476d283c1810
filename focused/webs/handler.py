"""The download handler that asks a web instead of the network."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from scrapy import signals
from scrapy.core.downloader.handlers.base import BaseDownloadHandler
from scrapy.exceptions import DownloadCancelledError, DownloadTimeoutError, StopDownload
from scrapy.http import Headers
from scrapy.responsetypes import responsetypes
from scrapy.utils.httpobj import urlparse_cached
from twisted.python.failure import Failure

from focused.utils.clock import VIRTUAL_DELAY, VIRTUAL_LATENCY, VirtualClock, clock_of
from focused.utils.crawl_settings import WEB
from focused.webs import Answer, Web, open_web

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

logger = logging.getLogger(__name__)

# A crawl has one handler for http and one for https, but only one web.
_webs: WeakKeyDictionary[Crawler, Web] = WeakKeyDictionary()

METHOD_NOT_ALLOWED = Answer(405, (("Allow", "GET, HEAD"), ("Content-Length", "0")), b"")


class WebDownloadHandler(BaseDownloadHandler):
    """Answers requests from the demo web or a recorded web, as a server on the network would.

    It treats a request as Scrapy's own handlers do: the fragment is not sent, `headers_received` and `bytes_received`
    are signalled, a latency beyond the timeout is a timeout, and a body beyond the allowed size cancels the download. A
    web answers GET and HEAD; other methods get 405.

    Settings: FOCUSED_WEB, what `open_web` reads, FOCUSED_VIRTUAL_DELAY_SECS, FOCUSED_VIRTUAL_LATENCY_SECS,
    DOWNLOAD_TIMEOUT, DOWNLOAD_MAXSIZE, DOWNLOAD_WARNSIZE.

    Request meta: reads ``download_timeout``, ``download_maxsize``, ``download_warnsize``; sets
    ``download_latency``, in seconds.

    Response flags: ``canonical``, ``tolerant`` or ``missing`` if the URL itself was not found; ``cut`` if the body is longer
    than the web reads.

    Stats: ``focused/web/exact_count``, ``canonical_count``, ``tolerant_count``, ``missing_count`` of requests by how
    the page was found; ``cut_count``; ``method_refused_count``. Requests for robots.txt are included.
    """

    lazy = False  # the index of a WARC file is built before the crawl's clock starts

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        settings = crawler.settings
        self._timeout_secs = settings.getfloat("DOWNLOAD_TIMEOUT")
        self._max_size = settings.getint("DOWNLOAD_MAXSIZE")
        self._warn_size = settings.getint("DOWNLOAD_WARNSIZE")
        if crawler not in _webs:
            _webs[crawler] = open_web(WEB.read(settings), settings)
        self._web = _webs[crawler]
        self._clock = clock_of(crawler)
        is_virtual = self._clock.is_virtual
        self._delay_secs = VIRTUAL_DELAY.read(settings) if is_virtual else 0.0
        self._latency_secs = VIRTUAL_LATENCY.read(settings) if is_virtual else 0.0

    async def download_request(self, request: Request) -> Response:
        """Answer a request."""
        clock, start = self._clock, self._start(request)
        url = request.url.partition("#")[0]
        answer = self._answer(request, url)
        latency = answer.latency_secs + self._latency_secs
        timeout = request.meta.get("download_timeout") or self._timeout_secs
        is_late = bool(timeout and latency > timeout)
        if not self._is_at_once(request):
            await clock.sleep_until(start + (timeout if is_late else latency))
        if is_late:
            raise DownloadTimeoutError(f"Getting {url} took longer than {timeout} seconds.")
        request.meta["download_latency"] = clock.now() - start
        return self._respond(request, url, answer)

    async def close(self) -> None:
        """Close the web."""
        self._web.close()

    def _is_at_once(self, request: Request) -> bool:
        """Tell whether a request takes no virtual time: that for a robots.txt, for which requests for pages wait."""
        return self._clock.is_virtual and bool(request.meta.get("dont_obey_robotstxt"))

    def _start(self, request: Request) -> float:
        """Return when a request is sent. In virtual time a robots.txt takes a turn of its host, as on the live web."""
        clock = self._clock
        if not isinstance(clock, VirtualClock):
            return clock.now()
        host = urlparse_cached(request).hostname or ""
        turn = clock.turns.get(host, clock.now())
        if self._is_at_once(request):
            clock.turns[host] = turn + self._delay_secs
        return max(clock.now(), turn)

    def _answer(self, request: Request, url: str) -> Answer:
        if request.method not in ("GET", "HEAD"):
            self._count("method_refused_count")
            return METHOD_NOT_ALLOWED
        answer = self._web.answer(url)
        self._count(f"{answer.match}_count")
        return answer

    def _respond(self, request: Request, url: str, answer: Answer) -> Response:
        headers = Headers()
        for name, value in answer.headers:
            headers.appendlist(_bytes(name), _bytes(value))
        flags: list[str] = [] if answer.match == "exact" else [answer.match]
        body, cut = (b"", False) if request.method == "HEAD" else (answer.body, answer.cut)
        if stop := self._stop(signals.headers_received, request, headers=headers, body_length=len(body)):
            return self._response(url, answer.status, headers, b"", flags, stop)
        self._check_size(request, len(body) + cut)
        if cut:
            flags.append("cut")
            self._count("cut_count")
        stop = self._stop(signals.bytes_received, request, data=body) if body else None
        return self._response(url, answer.status, headers, body, flags, stop)

    def _check_size(self, request: Request, n_bytes: int) -> None:
        """Treat a large body as Scrapy's own handlers do."""
        max_size = request.meta.get("download_maxsize", self._max_size)
        if max_size and n_bytes > max_size:
            message = f"Received {n_bytes} bytes which is larger than download max size ({max_size}) in request"
            logger.warning("%s %s.", message, request)
            raise DownloadCancelledError(f"{message} {request}.")
        warn_size = request.meta.get("download_warnsize", self._warn_size)
        if warn_size and n_bytes > warn_size:
            logger.warning(
                "Received %d bytes which is larger than download warn size (%d) in request %s.",
                n_bytes,
                warn_size,
                request,
            )

    def _stop(self, signal: object, request: Request, **about: Any) -> StopDownload | None:
        """Send a signal whose receivers may stop the download."""
        results = self.crawler.signals.send_catch_log(
            signal=signal, request=request, spider=self.crawler.spider, **about
        )
        for _, result in results:
            if isinstance(result, Failure) and isinstance(result.value, StopDownload):
                return result.value
        return None

    def _response(
        self, url: str, status: int, headers: Headers, body: bytes, flags: list[str], stop: StopDownload | None
    ) -> Response:
        kind = responsetypes.from_args(headers=headers, url=url, body=body)
        response = kind(url=url, status=status, headers=headers, body=body, flags=flags, protocol="HTTP/1.1")
        if stop is not None:
            response.flags.append("download_stopped")
            if stop.fail:
                stop.response = response
                raise stop
        return response

    def _count(self, name: str) -> None:
        if self.crawler.stats is not None:
            self.crawler.stats.inc_value(f"focused/web/{name}")


def _bytes(text: str) -> bytes:
    """Undo the decoding of a header, whose characters stand for its bytes."""
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        return text.encode()
