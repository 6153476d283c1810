"""How many links a frontier keeps and fetches at most."""

from __future__ import annotations

from typing import NamedTuple


class StoreLimits(NamedTuple):
    """Limits on the links that are kept, and on those that are fetched; 0: no limit."""

    #: Links of a host, and of a registered domain, that are ever fetched.
    max_per_host: int = 0
    max_per_domain: int = 0
    #: Irrelevant pages in a row that a link may lie behind.
    max_tunnel: int = 0
    #: Links that may wait; the worst beyond are forgotten.
    max_links: int = 0
