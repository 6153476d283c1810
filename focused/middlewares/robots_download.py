"""Downloads robots.txt files: follows their redirects by itself, and reads no more than has to be obeyed."""

from __future__ import annotations

from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from scrapy import Request, signals
from scrapy.exceptions import IgnoreRequest, StopDownload
from scrapy.http.request import NO_CALLBACK

from focused.crawl.private_addresses import AddressRefusedError
from focused.crawl.source_requests import IN_PART
from focused.utils.url_forms import with_slashes

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

MAX_TEXT_BYTES = 512_000
"""Of a robots.txt; a longer one is obeyed as far as it is read [RFC 9309, 2.5]."""
MAX_REDIRECTS = 5
"""That are followed, to other hosts too; after more the file counts as missing [RFC 9309, 2.3.1.2]."""
_MOST_DECODED_BYTES = 20_000_000
ASKED = "focused_robots_txt"
"""In the meta of a request for a robots.txt."""
_META = {
    ASKED: True,
    "dont_obey_robotstxt": True,
    "allow_offsite": True,
    # Its redirects are counted apart, and it is tried again when the host has rested.
    "dont_redirect": True,
    "dont_retry": True,
    # A length that is announced does not matter: the rest is not read.
    "download_maxsize": 0,
    # A packed one is unpacked as far as it is obeyed.
    IN_PART: MAX_TEXT_BYTES,
}


class RobotsDownload:
    """Downloads the robots.txt files of a crawl.

    Stats: ``robotstxt/response_count``, ``robotstxt/response_status_count/N``, ``focused/robots/cut_count``.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self._stats = crawler.stats

    async def answer(self, url: str) -> Response:
        """Return what answers a URL, after redirects; where there are too many, or one leads nowhere, the last of them."""
        for n_redirects in range(MAX_REDIRECTS + 1):
            try:
                response = await self._download(url)
            except AddressRefusedError as error:
                if n_redirects:
                    raise IgnoreRequest(f"it leads where nothing is asked ({error})") from None
                raise
            self._stats.inc_value("robotstxt/response_count")
            self._stats.inc_value(f"robotstxt/response_status_count/{response.status}")
            target = _target(response)
            if target is None:
                break
            url = target
        return response

    async def _download(self, url: str) -> Response:
        """Download the first ``MAX_TEXT_BYTES`` of a URL."""
        headers = {"Accept-Encoding": "identity"}
        asked = Request(url, callback=NO_CALLBACK, priority=1000, headers=headers, meta=dict(_META))
        n_bytes = 0

        def read_enough(data: bytes, request: Request) -> None:
            nonlocal n_bytes
            if request is asked:
                n_bytes += len(data)
                # What is packed all the same is unpacked no further than this.
                request.meta["download_maxsize"] = _MOST_DECODED_BYTES
                if n_bytes > MAX_TEXT_BYTES:
                    raise StopDownload(fail=False)

        # Connected only meanwhile: else each piece of each page would cost 20 us.
        self.crawler.signals.connect(read_enough, signals.bytes_received)
        try:
            assert self.crawler.engine is not None
            return await self.crawler.engine.download_async(asked)
        finally:
            self.crawler.signals.disconnect(read_enough, signals.bytes_received)

    def as_far_as_read(self, response: Response) -> bytes:
        """Return the whole lines of a robots.txt up to the limit: half a line might forbid what no line does."""
        if len(response.body) <= MAX_TEXT_BYTES:
            return _in_utf8(response.body)
        self._stats.inc_value("focused/robots/cut_count")
        text = _in_utf8(response.body[:MAX_TEXT_BYTES])
        return text[: max(text.rfind(b"\n"), text.rfind(b"\r")) + 1]


def _in_utf8(text: bytes) -> bytes:
    """Return a robots.txt in UTF-8, as RFC 9309 wants it: some editors save it in UTF-16, with a byte order mark."""
    start = text[:200]
    is_wide = text.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) and start.count(0) > len(start) // 4
    return text.decode("utf-16", "replace").encode() if is_wide else text


def _target(response: Response) -> str | None:
    """Return where an answer redirects to; None if it is no redirect to a page of the web."""
    if response.status not in (301, 302, 303, 307, 308) or "Location" not in response.headers:
        return None
    location: Any = response.headers["Location"]
    try:
        url = urljoin(response.url, with_slashes(location.decode("utf-8", "replace").strip()))
        parts = urlsplit(url)
        return url if parts.scheme in ("http", "https") and parts.hostname else None
    except ValueError:
        return None
