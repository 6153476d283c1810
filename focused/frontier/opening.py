"""Open the links of a crawl as its settings and its task ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from focused.frontier.rediscovery import Rediscovery
from focused.frontier.store.store import FrontierStore

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy.settings import BaseSettings

    from focused.frontier.interface import FrontierTask


def open_store(path: Path, task: FrontierTask, settings: BaseSettings) -> FrontierStore:
    """Open the file of links, or make it; a `FrontierFileError` if it cannot be used."""
    return FrontierStore(
        path,
        order=task.order,
        max_links=settings.getint("FOCUSED_FRONTIER_MAX_LINKS"),
        max_per_host=settings.getint("FOCUSED_FRONTIER_MAX_PER_HOST"),
        max_per_domain=settings.getint("FOCUSED_FRONTIER_MAX_PER_DOMAIN"),
        max_tunnel=settings.getint("FOCUSED_FRONTIER_MAX_TUNNEL"),
        merge=task.merge or _first,
    )


def open_links(store: FrontierStore, task: FrontierTask, settings: BaseSettings) -> Rediscovery:
    """Return what takes links into the file."""
    # A limit on tunnels knows nothing of scores: every page has a say on how far a link lies.
    max_tunnel = settings.getint("FOCUSED_FRONTIER_MAX_TUNNEL")
    return Rediscovery(
        store,
        joins=task.merge is not None or bool(max_tunnel),
        is_mean=task.is_mean and not max_tunnel,
        depth_priority=settings.getint("DEPTH_PRIORITY"),
    )


def _first(known: Any, new: Any) -> Any:
    """The first page's evidence stands (D43)."""
    return known
