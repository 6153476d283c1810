"""Writes a worker's pages and its final figures to the database of its crawl."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from focused.collection.page import COLUMNS

if TYPE_CHECKING:
    from focused.collection.page import CollectedPage
    from focused.items import PageItem

_OWN = ("number",)
"""Columns that a page has in a file only."""


def page_row(page: CollectedPage, item: PageItem, n_waiting: int) -> tuple[str, dict[str, Any]]:
    """Return the statement that adds a page's row to the database, and its parameters."""
    from focused.frontier.shared.outputs import INSERT, clean  # psycopg is an extra of the package

    values = {name: clean(value) for name, value in zip(COLUMNS, page.to_row(), strict=True) if name not in _OWN}
    for name in ("relevant", "noindex", "text_left_out"):
        values[name] = bool(values[name])
    return INSERT, {
        **values,
        "delivered": bool(item.is_delivered),
        "irrelevant_on_path": item.irrelevant_on_path,
        "link_model_version": item.link_model_version,
        "n_waiting": min(n_waiting, 2**31 - 1),
    }
