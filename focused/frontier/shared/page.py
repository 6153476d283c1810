"""What one page changes in the shared frontier: plain data, on its way from the reactor to the database."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from focused.frontier.store.link import FrontierLink

Output = tuple[str, "Mapping[str, Any]"]
"""A statement and its parameters. ``%(crawl)s``, ``%(worker)s`` and ``%(page)s`` are filled in: the last is the page's row in
``pages``, NULL where there was no page."""


class PageOutputs(Protocol):
    """Where other parts of the crawl put rows that become durable with the page that passes the pipelines, or not at all."""

    def add_output(self, statement: str, parameters: Mapping[str, Any]) -> None:
        """Add a statement to the page's transaction. It must not fail, whatever a page contains."""


class EndedLink(NamedTuple):
    """A link that waits no more."""

    fingerprint: int
    host: str
    url: str
    #: DONE, FAILED or DROPPED of focused.frontier.store.schema.
    state: int
    note: str | None
    #: Whether its page is relevant; None: there was no page.
    relevant: bool | None = None


class Move(NamedTuple):
    """Another score of a waiting link."""

    fingerprint: int
    host: str
    score: float
    #: Whether it is at or above the threshold; where a strategy knows none, all are.
    admitted: bool = True


class LearntRecord(NamedTuple):
    """What a strategy has learnt from a page: focused.method.scoring.session."""

    n_links: int
    #: The version of the model that judged the page.
    model_version: int
    record: bytes


@dataclass(slots=True)
class PageCommit:
    """All that one transaction has to hold."""

    #: The number of the worker that asked for the page: refused if that has ended.
    worker: int = 0
    #: Links under way that have ended; the transaction is refused if one of them had ended before.
    ended: list[EndedLink] = field(default_factory=list)
    #: Links of the page, known or not.
    links: list[FrontierLink] = field(default_factory=list)
    moves: list[Move] = field(default_factory=list)
    outputs: list[Output] = field(default_factory=list)
    #: What a strategy that learns has learnt.
    records: list[LearntRecord] = field(default_factory=list)
    #: Origins whose waiting links fail, with the number of the host's links that did.
    given_up: list[str] = field(default_factory=list)
    #: Hosts that have reached a cap, and which: their waiting links are dropped.
    capped: list[tuple[str, str]] = field(default_factory=list)
    #: Fingerprints of links under way. They wait in the database, too, so ``given_up`` and ``capped`` leave them out.
    under_way: list[int] = field(default_factory=list)
    #: Of each host asked: the seconds from now on that nobody may ask it, and its delay.
    rests: dict[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def only_moves(self) -> bool:
        """Whether scores of waiting links are all that is written."""
        return bool(self.moves) and not (
            self.ended or self.links or self.outputs or self.records or self.given_up or self.capped
        )

    def __bool__(self) -> bool:
        """Tell whether there is anything to write."""
        return bool(
            self.ended or self.links or self.moves or self.outputs or self.records or self.given_up or self.capped
        )
