"""Reads a run's frontier: the next links, and the pages of each host. An unreadable frontier shows nothing."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Any

from focused.frontier.store.view import FrontierView
from focused.utils.sqlite_files import VIEW_SECS, done_within

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from focused.frontier.store.view import LinkView

N_LINKS, N_HOSTS = 8, 12


def best_links(run_dir: Path) -> list[LinkView]:
    """Return the best waiting links, the best first."""
    return _read(run_dir, lambda view: view.best_of_hosts(N_LINKS))


def hosts(run_dir: Path) -> list[dict[str, Any]]:
    """Return the hosts with most pages."""
    return _read(run_dir, lambda view: view.busiest_hosts(N_HOSTS))


def _read(run_dir: Path, read: Callable[[FrontierView], list[Any]]) -> list[Any]:
    try:
        with done_within(VIEW_SECS), FrontierView(run_dir) as view:
            return read(view)
    except (ValueError, OSError, sqlite3.Error):
        return []
