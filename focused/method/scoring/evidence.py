"""`Evidence`: what is known of a link that waits to be fetched."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Evidence:
    """What one page, or several together, say of a link. A frontier keeps it; ``Strategy.merge`` joins two.

    Referrer, depth and path are those of the page whose link would be followed.
    """

    #: In [0, 1].
    score: float
    #: Kind of reason, a number of `reason_kind`.
    reason: int
    #: Whether the link is not below the threshold.
    admitted: bool
    referrer: str = ""
    depth: int = 0
    irrelevant_on_path: int = 0
    #: What the page gives along to the linked one (``Visit.carried``).
    carried: float | None = None
    #: What the score was computed from, where the strategy needs it to merge.
    parts: tuple[float, ...] = ()
    #: How many pages are known to link there; 0: only a sitemap or a feed names it.
    n_referrers: int = 1
    #: Version of the topic's model that the score comes from; above 1 once the crawl has trained it again.
    model_version: int = 1

    def with_score(self, score: float, admitted: bool = True) -> Evidence:
        """Return the same evidence with another score; `dataclasses.replace` is slower."""
        about = self.referrer, self.depth, self.irrelevant_on_path, self.carried, self.parts, self.n_referrers
        return Evidence(score, self.reason, admitted, *about, self.model_version)

    @property
    def rank(self) -> tuple[bool, float]:
        """The key by which waiting links are ordered, largest first: all admitted links come before all others."""
        return self.admitted, self.score


def better(known: Evidence, new: Evidence) -> Evidence:
    """Return the better evidence of two, with the referrers of both."""
    return replace(max(known, new, key=lambda each: each.rank), n_referrers=known.n_referrers + new.n_referrers)


def better_with_most_carried(known: Evidence, new: Evidence) -> Evidence:
    """Return the better evidence of two, with the larger ``carried`` of both (None counts as 0)."""
    return replace(better(known, new), carried=max(known.carried or 0.0, new.carried or 0.0))
