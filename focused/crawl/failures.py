"""Says in words why a page could not be fetched."""

from __future__ import annotations

import errno

from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    IgnoreRequest,
    ResponseDataLossError,
)
from scrapy.spidermiddlewares.httperror import HttpError

from focused.frontier.unreachable import CONNECTION_BROKEN, TOO_MANY_FILES

WITHOUT_END = "redirected without end"
"""What the frontier notes of a link whose redirects were followed as far as they may be."""
TOO_LARGE = "too large (DOWNLOAD_MAXSIZE)"
_NO_TARGET = "redirected to what is no URL"
_WORDS = {
    "redirections": WITHOUT_END,
    "robots.txt cannot be fetched": "robots.txt cannot be fetched",
    "robots.txt": "forbidden by robots.txt",
    "MAXSIZE": "too large",
}
_UNANSWERED = {
    CannotResolveHostError: "name not found",
    DownloadConnectionRefusedError: "connection refused",
    DownloadTimeoutError: "timed out",
    DownloadFailedError: CONNECTION_BROKEN,
    ResponseDataLossError: CONNECTION_BROKEN,
}


_OTHERS = {
    "AddressRefusedError": "address that may not be asked (FOCUSED_PRIVATE_ADDRESSES)",
    "ConnectionRefusedError": "connection refused",
    "DNSLookupError": "name not found",
    "HeadersTooLongError": "headers too long",
    "IgnoreRequest": "not asked",
    "LinkWaitsError": "host that does not answer",
}
"""By the names of classes."""


class LinkWaitsError(IgnoreRequest):
    """The host of a request does not answer, and the request's link waits again: nothing has failed for good."""


def why_ignored(message: str) -> str:
    """Return in our words what one of Scrapy's downloader middlewares says of a request that it ignored.

    >>> why_ignored("Forbidden by robots.txt"), why_ignored("not in cache"), why_ignored("")
    ('forbidden by robots.txt', 'not in cache', 'ignored')
    """
    return next((words for sign, words in _WORDS.items() if sign in message), message or "ignored")


def why_unanswered(error: BaseException) -> str:
    """Return in our words why a host did not answer.

    >>> why_unanswered(DownloadTimeoutError("Getting http://h.org/ took longer than 30 seconds.")), why_unanswered(OSError())
    ('timed out', 'OSError')
    """
    number = getattr(error, "errno", None) or getattr(error, "osError", None)  # of Python's errors, of Twisted's
    if number in (errno.EMFILE, errno.ENFILE):
        return TOO_MANY_FILES
    return why_failed(error)


def words_of_exception(path: str) -> str:
    """Return in our words what an exception is, by the path of its class, as Scrapy's stats name it; else the class's name.

    >>> words_of_exception("scrapy.exceptions.CannotResolveHostError"), words_of_exception("mypackage.OddError")
    ('name not found', 'OddError')
    """
    name = path.rpartition(".")[2]
    by_name = {kind.__name__: words for kind, words in _UNANSWERED.items()}
    return (by_name | _OTHERS).get(name, name)


def why_failed(error: BaseException | None) -> str:
    """Return what the frontier is to note of why a page could not be fetched."""
    if isinstance(error, IgnoreRequest):
        return why_ignored(str(error))
    if isinstance(error, HttpError):
        return f"{type(error).__name__} {error.response.status}"
    name = type(error).__name__
    if isinstance(error, DownloadCancelledError) and "max size" in str(error):
        return TOO_LARGE
    # The exceptions of zlib and brotli have no other name.
    if name in ("error", "BadGzipFile", "ZstdError"):
        return "cannot be unpacked"
    # Of a ValueError: a redirect whose target no request can be made for.
    found = _NO_TARGET if isinstance(error, ValueError) else ""
    return found or next((words for kind, words in _UNANSWERED.items() if isinstance(error, kind)), "") or name
