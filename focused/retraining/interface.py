"""The protocols of what retraining needs of the crawl: the model in use, which it replaces, and the counters of pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from focused.method.scoring import Strategy
    from focused.method.scoring.session import Session
    from focused.method.topic.judge import Judge
    from focused.utils.reactor import FifoLock


class ModelInUse(Protocol):
    """What judges the pages of a crawl: its `Judging`."""

    judge: Judge
    strategy: Strategy
    #: What scores the links where the strategy learns.
    session: Session | None
    version: int
    #: Held while a page is judged in several turns of the reactor.
    turn: FifoLock

    def replace(
        self, *, judge: Judge | None = None, strategy: Strategy | None = None, version: int | None = None
    ) -> None:
        """Replace the judge, the strategy or the version; pages are judged by them from now on."""


class PageCounts(Protocol):
    """The counters of a crawl's pages."""

    n_pages: int

    @property
    def rate(self) -> float:
        """Harvest rate of the whole crawl, in [0, 1]."""
