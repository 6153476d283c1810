"""Allows bodies that are useful in part to be cut off: robots.txt files, sitemaps, feeds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.exceptions import StopDownload

from focused.crawl.source_requests import IN_PART
from focused.utils.content_coding import DECODERS

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from typing_extensions import Self


class BodyInPartMiddleware:
    """Ends the download of a body when it is long enough, and unpacks no more of a packed one.

    Scrapy's own limit, DOWNLOAD_MAXSIZE, throws away all of what is longer. It does not hold for these requests. A body that
    is cut has more bytes than it was to have.

    Place: 600, before Scrapy's HttpCompressionMiddleware (590) sees the response.

    Meta: ``read_in_part``, the most bytes of a body, packed and unpacked.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._signals = crawler.signals
        # Bytes of what is being downloaded.
        self._received: dict[Request, int] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Take the crawler's signals."""
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        """Watch how much of a body comes."""
        if IN_PART not in request.meta:
            return
        # Also an announced length does not matter: the rest is not read.
        request.meta["download_maxsize"] = request.meta["download_warnsize"] = 0
        if not self._received:  # connected only meanwhile: else each piece of each page would cost 20 us
            self._signals.connect(self._bytes_received, signals.bytes_received)
        self._received[request] = 0

    def process_response(self, request: Request, response: Response) -> Response:
        """Unpack a body as far as it may be."""
        self._forget(request)
        most, body = request.meta.get(IN_PART), response.body
        if not most or not body or "Content-Encoding" not in response.headers:
            return response
        codings = b",".join(response.headers.getlist("Content-Encoding")).decode("latin-1").lower().split(",")
        while codings and (decode := DECODERS.get(codings[-1].strip())) is not None:
            unpacked = decode(body, most + 1)
            if unpacked is None:
                break
            body = unpacked
            codings.pop()
        headers = response.headers.copy()
        del headers["Content-Encoding"]
        if codings:
            headers["Content-Encoding"] = ",".join(codings)
        return response.replace(body=body, headers=headers)

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Watch no longer."""
        self._forget(request)

    def _bytes_received(self, data: bytes, request: Request) -> None:
        if request in self._received:
            self._received[request] += len(data)
            if self._received[request] > request.meta[IN_PART]:
                raise StopDownload(fail=False)

    def _forget(self, request: Request) -> None:
        if self._received.pop(request, None) is not None and not self._received:
            self._signals.disconnect(self._bytes_received, signals.bytes_received)
