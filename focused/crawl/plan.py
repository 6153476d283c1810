"""`CrawlPlan`: what a crawl is going to do, as plain data, checked before its first request."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from focused.crawl.private_addresses import PrivateAddresses
from focused.crawl.saturation import BUDGETS
from focused.utils.scope import Scope

if TYPE_CHECKING:
    from pathlib import Path

    from focused.method.page.reader import PageReader
    from focused.method.scoring import Strategy
    from focused.method.topic import Topic
    from focused.method.topic.judge import Judge


@dataclass
class CrawlPlan:
    """A crawl that can be started."""

    topic: Topic
    strategy: Strategy
    reader: PageReader
    judge: Judge
    seeds: list[str]
    max_pages: int
    max_relevant: int
    drops_below_threshold: bool
    web: str
    run_dir: Path
    #: Which pages it may ask for, and which can be relevant.
    scope: Scope = field(default_factory=Scope)
    #: 0: no limit.
    max_minutes: float = 0.0
    #: What ends it beside its budgets: `BUDGETS` or `SATURATED` of `focused.crawl.saturation`.
    stop_when: str = BUDGETS
    #: Pages that the crawl is meant to fetch, where that is not ``max_pages``.
    goal_pages: int = 0
    #: What makes the demo web the one it is: its settings. Of other webs the name says it.
    web_options: dict[str, Any] = field(default_factory=dict)
    #: Name of the preset in force; empty: none.
    preset: str = ""
    #: Settings that preset, topic and web bring; weaker than the command line, stronger than the project's.
    settings: dict[str, Any] = field(default_factory=dict)
    #: Settings that follow from the arguments; stronger than the command line.
    decided: dict[str, Any] = field(default_factory=dict)
    #: Which addresses may be asked.
    addresses: PrivateAddresses = field(default_factory=PrivateAddresses)
    #: Why the crawl could not go on, if it could not: its command fails.
    error: str = ""
