"""The protocol of a store's transaction."""

from __future__ import annotations

from typing import Protocol


class StoreTransaction(Protocol):
    """What becomes durable together."""

    def begin(self) -> None:
        """Begin a transaction: what changes from now on is part of the next commit."""

    def abandon(self) -> None:
        """Undo what was not committed, and commit nothing from now on."""
