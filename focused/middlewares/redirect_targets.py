"""Reads the targets of redirects as browsers do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focused.crawl.page_reading import refresh_of
from focused.utils.url_forms import with_slashes

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.http import Response

_OK, _FOUND = 200, 302


class RedirectTargetsMiddleware:
    """Turns backslashes in the path of a ``Location`` into slashes, which Scrapy would quote.

    An empty answer with the header ``Refresh`` is a redirect; of a page with text its target is a link.

    Place: 605, before Scrapy's RedirectMiddleware (600) sees the response.
    """

    def process_response(self, request: Request, response: Response) -> Response:
        """Return a response whose headers mean to Scrapy what they mean to browsers."""
        location = response.headers.get("Location")
        if location is not None:
            return _with_location(response, location.decode("latin-1")) if b"\\" in location else response
        if not response.body and response.status == _OK and (target := refresh_of(response)):
            return _with_location(response.replace(status=_FOUND), target)
        return response


def _with_location(response: Response, target: str) -> Response:
    headers = response.headers.copy()
    headers["Location"] = with_slashes(target).encode("latin-1")
    return response.replace(headers=headers)
