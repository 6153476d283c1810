"""The part of a waiting link that says where it waits; rows of the file and links in memory have it."""

from __future__ import annotations

from typing import Protocol, TypeVar


class WaitingRow(Protocol):
    """Says where a link waits, and why."""

    @property
    def number(self) -> int:
        """Its number in its store."""

    @property
    def rank(self) -> int:
        """Its place; the least is next."""

    @property
    def extra(self) -> int:
        """Priority besides what is known of it; below 0: it has sunk."""

    @property
    def url(self) -> str:
        """Where it leads."""

    @property
    def referrer(self) -> str | None:
        """URL of the page that says most of it."""

    @property
    def request(self) -> str | None:
        """The spider's own request; None: a link of a page, or a seed."""


Link = TypeVar("Link", bound=WaitingRow)
