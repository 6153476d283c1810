"""Strategies: each gives every link of a page a score, from the page's relevances. This module is their registry.

- The ordered method: `content_block` has CBP, CBP-SLC and JFE/LPE, and `link_text` what they fall back on.
- What learns while it crawls: `linkmodel` (the room of the default strategy, *adaptive*), and P15's clusters: `incremental`,
  `incremental_session`, `rbf_classifier` [I18] with `hybrid`, `context_record`.
- Clusters of link contexts [P15]: `clustering`, `page_clusters`, `cluster_merging`, `cfu_forest`, `cfu_insertion`.
- Trained before the crawl from the links of the examples: `training_links`, `link_counts`, `anchor_tree`.
- Older ones to compare with: `baselines`, `fish_search`, `shark_search`, `patel_schmidt`; `references` are chance and oracle.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from focused.method.scoring.base import BY_ADAPTIVE, BY_FEED, BY_SITEMAP, LinkScores, Strategy, Visit
from focused.method.scoring.evidence import Evidence
from focused.method.scoring.reasons import REASONS
from focused.method.strategies.anchor_tree import AnchorTree
from focused.method.strategies.baselines import BestFirst, BreadthFirst, DepthFirst
from focused.method.strategies.clustering import Clustering
from focused.method.strategies.content_block import (
    ContentBlock,
    ContentBlockSelectiveLinkContext,
    LinkPriorityEvaluation,
)
from focused.method.strategies.fish_search import FishSearch
from focused.method.strategies.hybrid import Hybrid
from focused.method.strategies.incremental import Incremental
from focused.method.strategies.link_text import AnchorText, LinkContext, SelectiveLinkContext
from focused.method.strategies.linkmodel.adaptive import Adaptive
from focused.method.strategies.linkmodel.page_links import PageLinks
from focused.method.strategies.patel_schmidt import PatelSchmidt
from focused.method.strategies.references import Oracle, Random
from focused.method.strategies.shark_search import SharkSearch
from focused.utils.parameters import read_parameters
from focused.utils.plugins import PlugInPlace

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "BY_ADAPTIVE",
    "BY_FEED",
    "BY_SITEMAP",
    "CHOICES",
    "PLUG_IN",
    "REASONS",
    "STRATEGIES",
    "Evidence",
    "LinkScores",
    "PageLinks",
    "Strategy",
    "Visit",
    "make_strategy",
    "strategy_class",
]

STRATEGIES: dict[str, type[Strategy]] = {
    strategy.name: strategy
    for strategy in (
        BreadthFirst,
        DepthFirst,
        BestFirst,
        FishSearch,
        SharkSearch,
        PatelSchmidt,
        AnchorText,
        AnchorTree,
        LinkContext,
        SelectiveLinkContext,
        ContentBlock,
        ContentBlockSelectiveLinkContext,
        LinkPriorityEvaluation,
        Clustering,
        Incremental,
        Hybrid,
        Adaptive,
        Random,
        Oracle,
    )
}

CHOICES = [name for name, strategy in STRATEGIES.items() if not strategy.is_reference]
"""The strategies that a crawl is meant to be run with; the others are references for evaluations."""

PLUG_IN = PlugInPlace("strategy", "focused.strategies", "focused.method.scoring.base.Strategy", ("score",))


def strategy_class(name: str | type) -> type[Strategy]:
    """Return the strategy of a name, or of the path of a class from outside; ValueError if there is none."""
    if name in STRATEGIES:
        return STRATEGIES[str(name)]
    kind: type[Strategy] = PLUG_IN.load(name, CHOICES)
    if not kind.name or kind.name in STRATEGIES:
        raise ValueError(
            f"The strategy {name!r} must have a name of its own, as a class attribute: it stands in the run's files. Got "
            f"{kind.name!r}."
        )
    return kind


def make_strategy(name: str | type, settings: Mapping[str, Any] | None = None, **parameters: Any) -> Strategy:
    """Return the strategy of a name; ``prepare(topic)`` of it is ready to crawl.

    The name is one of ``STRATEGIES``, or what `strategy_class` finds. Parameters that are given by name are stronger than
    those of the settings; others have their defaults. ValueError if there is no such strategy, or a parameter is out of its
    range.
    """
    kind = strategy_class(name)
    found = {} if settings is None else read_parameters(kind, settings)
    parameters = {**found, **parameters}
    return kind(**parameters) if kind.name in STRATEGIES else cast("Strategy", PLUG_IN.make(kind, **parameters))
