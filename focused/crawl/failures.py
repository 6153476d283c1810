"""Why Scrapy ignored a request or an answer, in words."""

from __future__ import annotations

_WORDS = {
    "redirections": "redirected without end",
    "robots.txt": "forbidden by robots.txt",
    "MAXSIZE": "too large",
}


def why_ignored(message: str) -> str:
    """Return in our words what one of Scrapy's downloader middlewares says of a request that it ignored.

    >>> why_ignored("Forbidden by robots.txt"), why_ignored("not in cache"), why_ignored("")
    ('forbidden by robots.txt', 'not in cache', 'ignored')
    """
    return next((words for sign, words in _WORDS.items() if sign in message), message or "ignored")
