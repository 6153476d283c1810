"""Keeps this worker's latest changes, so that an older read of the database does not undo them in memory.

The keeper reads links while the committer writes pages: what it has read may lack a link of which the worker has been told
since. Each change holds a mark: how many transactions were written when it was known to be durable. A read that began when
as many, or more, were written shows it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from focused.frontier.store.ranks import moved_to
from focused.method.scoring.priority import to_priority

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from focused.frontier.shared.link_rows import WaitingLink
    from focused.frontier.shared.page import Move

_NOT_DURABLE = -1


class _RecentMove(NamedTuple):
    move: Move
    mark: int


class RecentChanges:
    """Ends, new places and moves of links that a read of the database may not show yet."""

    def __init__(self) -> None:
        self._ended: dict[int, int] = {}
        # Links that wait as a transaction left them, with its mark; by the names of their hosts, which may have no owner yet.
        self._waiting: dict[str, dict[int, tuple[WaitingLink, int]]] = {}
        self._moved: dict[int, _RecentMove] = {}

    def __len__(self) -> int:
        return len(self._ended) + sum(map(len, self._waiting.values())) + len(self._moved)

    # --- Ends

    def has_ended(self, number: int) -> bool:
        """Tell whether a link has ended, though the database may say that it waits."""
        return number in self._ended

    def end(self, number: int) -> None:
        """Note the end of a link; it is not durable yet. Where it has been moved to matters no more."""
        self._ended[number] = _NOT_DURABLE
        self._moved.pop(number, None)

    def end_written(self, number: int, n_written: int) -> None:
        """Note that the end of a link is durable, or that it will never be."""
        if number in self._ended:
            self._ended[number] = n_written

    # --- Places

    def written(self, links: Iterable[WaitingLink], n_written: int) -> None:
        """Note links as a transaction has left them."""
        for link in links:
            self._waiting.setdefault(link.host_name, {})[link.number] = link, n_written
            moved = self._moved.get(link.number)
            if moved is not None and moved.mark != _NOT_DURABLE:
                del self._moved[link.number]

    def waiting(self, host: str) -> list[WaitingLink]:
        """Return the links of a host that a read may lack."""
        return [link for link, _ in self._waiting.get(host, {}).values()]

    def leave(self, host: str) -> None:
        """Forget the places of a host's links: another worker owns it."""
        self._waiting.pop(host, None)

    def leave_all(self) -> None:
        """Forget the places of all links."""
        self._waiting.clear()

    # --- Moves

    def note_move(self, move: Move) -> None:
        """Note a move; it is not durable yet."""
        self._moved[move.fingerprint] = _RecentMove(move, _NOT_DURABLE)

    def moves_written(self, moves: Iterable[Move], n_written: int) -> None:
        """Note that moves are durable; those that have been moved again since are not."""
        for move in self._latest(moves):
            self._moved[move.fingerprint] = _RecentMove(move, n_written)

    def moves_refused(self, moves: Iterable[Move]) -> None:
        """Note that moves will never be durable."""
        for move in self._latest(moves):
            del self._moved[move.fingerprint]

    def apply(self, link: WaitingLink) -> None:
        """Put a link that was read where this worker has moved it."""
        moved = self._moved.get(link.number)
        if moved is not None:
            place(link, moved.move)

    def _latest(self, moves: Iterable[Move]) -> Iterator[Move]:
        for move in moves:
            known = self._moved.get(move.fingerprint)
            if known is not None and known.move is move:
                yield move

    # ---

    def forget(self, n_written: int) -> None:
        """Forget what any read shows that begins when so many transactions were written."""
        for number in [number for number, mark in self._ended.items() if 0 <= mark <= n_written]:
            del self._ended[number]
        for number in [number for number, (_, mark) in self._moved.items() if 0 <= mark <= n_written]:
            del self._moved[number]
        for host, links in list(self._waiting.items()):
            left = {number: each for number, each in links.items() if each[1] > n_written}
            if left:
                self._waiting[host] = left
            else:
                del self._waiting[host]


def place(link: WaitingLink, move: Move) -> None:
    """Change the score of a waiting link; a spider's own request keeps its priority."""
    if link.request is None:
        link.put_at(moved_to(link.rank, to_priority(move.score, move.admitted) + link.extra))
        link.evidence = link.evidence.with_score(move.score, move.admitted)
