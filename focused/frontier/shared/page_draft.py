"""`PageDraft`: collects what the page that ends next changes in the database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from focused.frontier.shared.held_moves import HeldMoves
from focused.frontier.shared.page import Output, PageCommit

if TYPE_CHECKING:
    from collections.abc import Mapping

    from focused.frontier.shared.exchange import Exchange
    from focused.frontier.shared.own_hosts import OwnHosts


class PageDraft:
    """Collects what a page does, and hands it to the committer: see `PageOutputs`."""

    def __init__(self, exchange: Exchange, own: OwnHosts) -> None:
        self._exchange, self._own = exchange, own
        self.page = PageCommit()
        #: Moves of links, which are written apart from pages.
        self.moves = HeldMoves()
        self._outputs: list[Output] = []

    def __bool__(self) -> bool:
        """Tell whether there is anything to write."""
        return bool(self.page or self.moves)

    def add_output(self, statement: str, parameters: Mapping[str, Any]) -> None:
        """Add a statement to the transaction of the page that passes the pipelines now."""
        self._outputs.append((statement, dict(parameters)))

    def commit(self) -> None:
        """Hand over a page, with the outputs if it has ended."""
        if self.page.ended:
            self.page.outputs, self._outputs = self._outputs, []
        self.send()

    def send(self, *, all_moves: bool = False) -> None:
        """Hand over what has changed so far; of moves those that have been held long enough, or all."""
        page = self.page
        if page:
            page.worker = self._exchange.worker
            if page.given_up or page.capped:
                page.under_way = list(self._own.under_way)
            self._exchange.write(page)
            self.page = PageCommit()
        if moves := self.moves.take(all_at_once=all_moves):
            self._exchange.write(PageCommit(self._exchange.worker, moves=moves))
