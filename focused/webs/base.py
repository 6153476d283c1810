"""What a web is: something that answers URLs without a network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

# How the page was found: under the very URL, its canonical form, as a tolerant server would, or not at all.
Match = Literal["exact", "canonical", "tolerant", "missing"]


class WebError(ValueError):
    """A web that cannot be opened or read; the message names the file and the remedy in one line."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a web answers to one URL, as a server would have.

    Parameters
    ----------
    status : int
        HTTP status.
    headers : tuple of (name, value)
        In the order sent; repeated names stay repeated. Values are text whose characters are the bytes of the
        header (Latin-1), as HTTP has them.
    body : bytes
        Decoded: no chunks, no compression, and no header that says so.
    latency_secs : float
        How long the server thinks before it answers.
    match : "exact", "canonical", "tolerant" or "missing"
        How the page was found.
    cut : bool
        True if the body was longer than the web reads, so that the end is missing.
    """

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    latency_secs: float = 0.0
    match: Match = "exact"
    cut: bool = False


class Web(Protocol):
    """Where pages come from when not from the network."""

    def answer(self, url: str) -> Answer:
        """Answer a URL (without fragment); a page that is not there is a 404 with match "missing".

        No URL, however hostile, raises. A `WebError` means that the web itself cannot be read any more.
        """

    def close(self) -> None:
        """Let go of files. Closing twice is harmless."""


def missing() -> Answer:
    """Answer as a server does that has no such page."""
    body = b"<!DOCTYPE html><title>404 Not Found</title><h1>Not Found</h1>"
    headers = (("Content-Type", "text/html; charset=utf-8"), ("Content-Length", str(len(body))))
    return Answer(404, headers, body, match="missing")
