"""Page and topic to a score for every link. One family a file, one registry: this one."""

from __future__ import annotations

from focused.strategies.base import REASONS, LinkScores, Strategy
from focused.strategies.baselines import BestFirst, BreadthFirst
from focused.strategies.content_block import ContentBlock, ContentBlockSelectiveLinkContext, LinkPriorityEvaluation
from focused.strategies.link_text import AnchorText, LinkContext, SelectiveLinkContext

__all__ = ["DEFAULT_STRATEGY", "REASONS", "STRATEGIES", "LinkScores", "Strategy", "make_strategy"]

DEFAULT_STRATEGY = "cbp_slc"

STRATEGIES: dict[str, type[Strategy]] = {
    strategy.name: strategy
    for strategy in (
        BreadthFirst,
        BestFirst,
        AnchorText,
        LinkContext,
        SelectiveLinkContext,
        ContentBlock,
        ContentBlockSelectiveLinkContext,
        LinkPriorityEvaluation,
    )
}


def make_strategy(name: str, *, jfe_lambda: float = 0.5) -> Strategy:
    """Return the strategy of a name.

    Raises
    ------
    ValueError
        If there is none of that name, or a parameter is out of its range.
    """
    if name not in STRATEGIES:
        raise ValueError(f"strategy must be one of {', '.join(STRATEGIES)}. Got {name!r}.")
    return STRATEGIES[name](jfe_lambda=jfe_lambda)
