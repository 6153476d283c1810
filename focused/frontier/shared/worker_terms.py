"""`WorkerTerms`: how a worker takes part in a crawl; `Database`: where the crawl is."""

from __future__ import annotations

from dataclasses import dataclass, field

LEASE_SECS = 20.0
"""How long a worker lives that does not renew its lease."""
PATIENCE_SECS = 120.0
"""How long a worker waits for a database that is away."""


@dataclass(frozen=True)
class Database:
    """Where crawls are, and how long it is waited for when it is away."""

    url: str
    patience_secs: float = PATIENCE_SECS


@dataclass(frozen=True)
class WorkerTerms:
    """A worker by its name, and on what terms it gets hosts and pages."""

    #: For people.
    name: str
    #: Of the crawl; 0: no limit.
    max_pages: int = 0
    #: As of `Leasing`.
    by_domain: bool = False
    #: How long its lease lasts if it is not renewed.
    lease_secs: float = field(default_factory=lambda: LEASE_SECS)
