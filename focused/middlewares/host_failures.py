"""Tells the frontier which hosts answer and which do not, by the answers and failures of the network."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    NotConfigured,
    ResponseDataLossError,
)
from twisted.internet.error import ConnectError, ConnectionDone, ConnectionLost

from focused.crawl.failures import LinkWaitsError, why_unanswered
from focused.frontier.crawl_interface import crawl_of, frontier_of
from focused.frontier.unreachable import TOO_MANY_FILES
from focused.middlewares.robots_download import ASKED

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from typing_extensions import Self

_SURE = (CannotResolveHostError, DownloadConnectionRefusedError, ConnectError)
_DOUBTFUL = (DownloadFailedError, DownloadTimeoutError, ConnectionDone, ConnectionLost, ResponseDataLossError)
_TOO_MANY_REQUESTS, _UNAVAILABLE = 429, 503


class HostFailuresMiddleware:
    """Puts the link of a request back among those that wait if the host is to blame; that costs no retry and no page.

    The host is to blame at once if there is no connection, or if it answers 429 or 503. If a request timed out, broke off or
    was answered by another 5xx, the host is to blame once that has happened several times (`focused.frontier.host_failures`).
    A request that handles such a status itself (``handle_httpstatus_list``, ``handle_httpstatus_all``) gets its answer.

    Place: 610, so that it sees all answers and exceptions before they become redirects and retries. On live webs only.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Stay out of crawls that ask no network."""
        crawl = crawl_of(crawler)
        if crawl is None or not crawl.task.is_live:
            raise NotConfigured
        return cls(crawler)

    def process_response(self, request: Request, response: Response) -> Response:
        """Note an answer; end a request whose link waits."""
        status, frontier = response.status, frontier_of(self.crawler)
        if status < 500 and status != _TOO_MANY_REQUESTS:
            # A robots.txt may still be garbled, or lead to where nobody answers: its own middleware tells.
            if not request.meta.get(ASKED):
                frontier.host_answered(request)
        elif not _is_handled(request, status):
            is_sure = status in (_TOO_MANY_REQUESTS, _UNAVAILABLE)
            if frontier.host_failed(request, f"HTTP {status}", is_sure=is_sure):
                raise LinkWaitsError(f"HTTP {status}")
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        """End a request whose link waits."""
        why = why_unanswered(exception)
        is_network = why == TOO_MANY_FILES or isinstance(exception, (*_SURE, *_DOUBTFUL))
        if not is_network or request.meta.get(ASKED):
            return
        if frontier_of(self.crawler).host_failed(request, why, is_sure=isinstance(exception, _SURE)):
            raise LinkWaitsError(why) from exception


def _is_handled(request: Request, status: int) -> bool:
    """Tell whether a request's own callback takes an answer of this status, or the robots.txt middleware does."""
    meta = request.meta
    return bool(
        meta.get(ASKED) or meta.get("handle_httpstatus_all") or status in (meta.get("handle_httpstatus_list") or ())
    )
