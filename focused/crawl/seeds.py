"""The requests that a crawl begins with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy import Request

from focused.method.scoring.priority import SEED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from twisted.python.failure import Failure

    from focused.crawl.plan import CrawlPlan


def seed_requests(plan: CrawlPlan, errback: Callable[[Failure], None]) -> Iterator[Request]:
    """Yield the requests for the seeds, which come before all links."""
    for seed in plan.seeds:
        meta = {"focused_link_score": 1.0, "focused_link_reason": "seed"}
        yield Request(seed, errback=errback, priority=SEED, meta=meta)
