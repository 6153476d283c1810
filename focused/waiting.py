"""Links that wait and may still change their score, for schedulers that cannot change a request's priority.

A link that got better is pushed again, and whichever of its requests comes up later is passed over: it is stale. One
that got worse is pushed back when it comes up. So what comes up is always the best that is known, and nothing twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from focused.strategies import Evidence

MAX_LINKS = 1_000_000


class WaitingLinks:
    """What is known of each link that waits, and how many requests for it are in the queue.

    Parameters
    ----------
    max_links : int
        Links beyond it are not taken in: they keep the score they have.
    """

    def __init__(self, max_links: int = MAX_LINKS) -> None:
        self._max_links = max_links
        # Hash of the URL: evidence (None: it is being fetched), requests in the queue.
        self._links: dict[int, tuple[Evidence | None, int]] = {}

    def __len__(self) -> int:
        return len(self._links)

    def get(self, url: str) -> Evidence | None:
        """Return what is known of a link; None if it does not wait."""
        return self._links.get(hash(url), (None, 0))[0]

    def add(self, url: str, evidence: Evidence) -> bool:
        """Take in a link with its first request, and tell whether there was room."""
        if len(self._links) >= self._max_links:
            return False
        self._links[hash(url)] = evidence, 1
        return True

    def update(self, url: str, evidence: Evidence, *, is_pushed: bool) -> None:
        """Replace what is known of a link that waits, and count one request more if there is one."""
        key = hash(url)
        self._links[key] = evidence, self._links[key][1] + is_pushed

    def is_stale(self, url: str) -> bool:
        """Tell whether a request that comes up is one too many."""
        return self._links.get(hash(url), (self, 0))[0] is None

    def take(self, url: str) -> None:
        """Note that a request for a link has left the queue; from the first on, the link waits no more."""
        key = hash(url)
        n_left = self._links.pop(key, (None, 0))[1] - 1
        if n_left > 0:
            self._links[key] = None, n_left

    def forget(self, url: str) -> None:
        """Forget a link whose request was refused."""
        self._links.pop(hash(url), None)
