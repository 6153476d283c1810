"""What becomes of links under way: done, failed or dropped; their hosts and the strategy learn of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from focused.frontier.host_penalty import HostPenalty
    from focused.frontier.learning import Learning
    from focused.frontier.leases import Lease
    from focused.frontier.store.store import FrontierStore


class Outcomes:
    """Notes in the store how links ended.

    Parameters
    ----------
    store : FrontierStore
    penalty : HostPenalty
        How far hosts sink whose pages prove irrelevant.
    learning : Learning or None
        Of a strategy that learns: it is told about each page.
    """

    def __init__(self, store: FrontierStore, penalty: HostPenalty, learning: Learning | None) -> None:
        self._store = store
        self._penalty = penalty
        self._learning = learning

    def resume(self) -> None:
        """Let the hosts of an earlier run sink as far as they had."""
        self._sink(self._penalty.load(self._store.host_pages()))

    def page(self, lease: Lease, relevant: bool | None, note: str = "") -> None:
        """Note the end of a link whose response is in.

        Parameters
        ----------
        lease : Lease
        relevant : bool or None
            Whether its page is relevant; None: there was no page.
        note : str
            Why it failed; empty if it did not.
        """
        last = self._end_redirects(lease)
        if note:
            self._store.failed(last, note)
        else:
            self._store.done(last, relevant, None if relevant is not None else "no page")
        if relevant is not None and self._penalty.strength:
            self._sink(self._penalty.judged(lease.link.host, relevant))
        if self._learning is not None:
            self._learning.page_ended(lease.link.url)
        self._store.wake_host(lease.link.host)

    def orphan(self, lease: Lease) -> None:
        """Note the end of a link that no request stands for any more."""
        if lease.is_elsewhere:
            for number in lease.numbers:
                self._store.dropped(number, "redirects to a known link")
        else:
            self._store.failed(self._end_redirects(lease), lease.note or "not fetched")
        self._store.wake_host(lease.link.host)

    def give_back(self, lease: Lease) -> None:
        """Let a link wait again that has not come to its turn."""
        for number in lease.numbers:
            self._store.give_back(number)

    def finish(self) -> None:
        """Move all waiting links that the strategy has scored anew and that have not moved yet."""
        if self._learning is not None:
            self._learning.finish()

    def _end_redirects(self, lease: Lease) -> int:
        """Note that all links of a chain of redirects but the last have done their part; return the last."""
        *earlier, last = lease.numbers
        for number in earlier:
            self._store.done(number, note="redirect")
        return last

    def _sink(self, levels_of: dict[str, int]) -> None:
        for host, levels in levels_of.items():
            self._store.sink(host, levels)
