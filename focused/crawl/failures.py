"""Why a page could not be fetched, in words."""

from __future__ import annotations

from scrapy.exceptions import IgnoreRequest
from scrapy.spidermiddlewares.httperror import HttpError

_WORDS = {"redirections": "redirected without end", "robots.txt": "forbidden by robots.txt", "MAXSIZE": "too large"}


def why_ignored(message: str) -> str:
    """Return in our words what one of Scrapy's downloader middlewares says of a request that it ignored.

    >>> why_ignored("Forbidden by robots.txt"), why_ignored("not in cache"), why_ignored("")
    ('forbidden by robots.txt', 'not in cache', 'ignored')
    """
    return next((words for sign, words in _WORDS.items() if sign in message), message or "ignored")


def why_failed(error: BaseException | None) -> str:
    """Return what the frontier is to note of why a page could not be fetched."""
    if isinstance(error, IgnoreRequest):
        return why_ignored(str(error))
    status = f" {error.response.status}" if isinstance(error, HttpError) else ""
    name = type(error).__name__
    # The exceptions of zlib and brotli have no other name.
    return f"{type(error).__module__}.{name}" if name == "error" else f"{name}{status}"
