"""Links that wait and may still change their score, for schedulers that cannot change a request's priority.

A link that got better is pushed again, and whichever of its requests comes up later is passed over: it is stale. One
that got worse is pushed back when it comes up. So what comes up is always the best that is known, and nothing twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from focused.method.scoring.priority import to_priority

if TYPE_CHECKING:
    from collections.abc import Callable

    from focused.method.scoring import Evidence

MAX_LINKS = 1_000_000


class WaitingLinks:
    """What is known of each link that waits, and which links have been asked for.

    A link is a fingerprint, for it may be spelt in several ways.

    Parameters
    ----------
    max_links : int
        Links beyond it are not taken in: they keep the score they have.
    merge : function, optional
        Joins what two pages say of a link; default: the better one.
    """

    def __init__(
        self, max_links: int = MAX_LINKS, *, merge: Callable[[Evidence, Evidence], Evidence] | None = None
    ) -> None:
        self._max_links = max_links
        self._merge = merge
        self._evidence: dict[bytes, Evidence] = {}
        self._asked: set[bytes] = set()
        # Hashes of URLs: most of a page's links are looked up, and a fingerprint costs much more.
        self._spelled: dict[int, bytes] = {}

    def __len__(self) -> int:
        return len(self._evidence)

    def get(self, link: bytes) -> Evidence | None:
        """Return what is known of a link; None if it does not wait."""
        return self._evidence.get(link)

    def best(self) -> Evidence | None:
        """Return what is known of the best link that waits."""
        return max(self._evidence.values(), key=lambda evidence: evidence.rank, default=None)

    def put(self, link: bytes, url: str, evidence: Evidence) -> bool:
        """Note what is known of a link and how it is spelt, and tell whether there was room."""
        if link not in self._evidence and len(self._evidence) >= self._max_links:
            return False
        if len(self._spelled) >= 2 * self._max_links:
            self._spelled.clear()  # links whose spelling is forgotten keep the score they have
        self._evidence[link] = evidence
        self._spelled[hash(url)] = link
        return True

    def improves(self, url: str, evidence: Evidence) -> bool | None:
        """Join what a page says of a link unless the link gets better by it; None if the link does not wait.

        A link that gets better is left as it is: it is to be requested again.
        """
        if not self.may_change(url):
            return None
        link = self._spelled[hash(url)]
        known = self._evidence[link]
        merged = self.merge(known, evidence)
        if to_priority(merged.score, merged.admitted) > to_priority(known.score, known.admitted):
            return True
        self._evidence[link] = merged
        return False

    def merge(self, known: Evidence, new: Evidence) -> Evidence:
        """Return what two pages together say of a link."""
        if self._merge is not None:
            return self._merge(known, new)
        return max(known, new, key=lambda evidence: evidence.rank)

    def may_change(self, url: str) -> bool:
        """Tell whether what another page says of a link may still change its score."""
        key = hash(url)
        link = self._spelled.get(key)
        if link is None:
            return False
        if link not in self._evidence:
            del self._spelled[key]
            return False
        return True

    def was_asked(self, link: bytes) -> bool:
        """Tell whether a request for a link has come up before."""
        return link in self._asked

    def take(self, link: bytes) -> None:
        """Note that a link is asked for; it waits no more."""
        self._evidence.pop(link, None)
        self._asked.add(link)
