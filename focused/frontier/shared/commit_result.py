"""`CommitResult`: what a transaction of pages has changed; and the errors that say why one was refused."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from focused.frontier.shared.link_rows import WaitingLink
    from focused.method.scoring.evidence import Evidence


class LeaseLostError(Exception):
    """The worker has ended: another has noticed that its time had run out. Nothing of the transaction was done."""


class KnownPageError(Exception):
    """A link had ended before; ``index``: of the page that brought it once more. Nothing of the transaction was done."""

    def __init__(self, index: int) -> None:
        super().__init__(index)
        self.index = index


@dataclass(slots=True)
class CommitResult:
    """What a transaction has changed, for the worker's memory."""

    #: Links that were taken in, and those that wait and whose rank is another now, as they wait.
    new: list[WaitingLink] = field(default_factory=list)
    joined: list[tuple[WaitingLink, Evidence]] = field(default_factory=list)
    #: Links that were moved: fingerprint, host, and rank now.
    moved: list[tuple[int, str, int]] = field(default_factory=list)
    #: How many links were known already, and not changed.
    n_known: int = 0
    #: Origins that were given up, with the number of their links that failed.
    given_up: dict[str, int] = field(default_factory=dict)
    #: How many links were dropped because their host or domain had reached a cap, by the cap.
    n_capped: dict[str, int] = field(default_factory=dict)
