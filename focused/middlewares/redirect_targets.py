"""Reads the targets of redirects as browsers do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focused.utils.url_forms import with_slashes

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.http import Response


class RedirectTargetsMiddleware:
    """Turns backslashes in the path of a ``Location`` into slashes; Scrapy would quote them.

    Place: 605, before Scrapy's RedirectMiddleware (600) sees the response.
    """

    def process_response(self, request: Request, response: Response) -> Response:
        """Return a response whose header means to Scrapy what it means to browsers."""
        location = response.headers.get("Location")
        if location is None or b"\\" not in location:
            return response
        headers = response.headers.copy()
        headers["Location"] = with_slashes(location.decode("latin-1")).encode("latin-1")
        return response.replace(headers=headers)
