"""The interface of a web: it answers URLs without a network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

# How the page was found: by the URL itself, by its canonical form, as a tolerant server would, or not at all.
Match = Literal["exact", "canonical", "tolerant", "missing"]


class WebError(ValueError):
    """A web that cannot be opened or read; the message names the file and the remedy in one line."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a web to one URL, as a server would give it.

    ``status``: HTTP status. ``headers``: in the order sent; repeated names stay repeated. Values are text whose characters
    are the bytes of the header (Latin-1), as HTTP has them. ``body``: decoded: without chunks and compression, and without
    their headers. ``latency_secs``: time that the server takes before it answers. ``match``: how the page was found. ``cut``:
    True if the body was longer than the web reads, so that the end is missing.
    """

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    latency_secs: float = 0.0
    match: Match = "exact"
    cut: bool = False


class Web(Protocol):
    """Answers requests instead of the network."""

    def answer(self, url: str) -> Answer:
        """Answer a URL (without fragment); a page that is not there is a 404 with match "missing".

        No URL, however hostile, raises. A `WebError` means that the web itself can no longer be read.
        """

    def close(self) -> None:
        """Close files. Closing twice is harmless."""


def missing() -> Answer:
    """Return the answer of a server without such a page."""
    body = b"<!DOCTYPE html><title>404 Not Found</title><h1>Not Found</h1>"
    headers = (("Content-Type", "text/html; charset=utf-8"), ("Content-Length", str(len(body))))
    return Answer(404, headers, body, match="missing")
