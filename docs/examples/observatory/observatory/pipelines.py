"""The project's own pipeline."""

from __future__ import annotations

from urllib.parse import urlsplit

from observatory.items import Observation


class SitePipeline:
    """Notes the site that a page comes from. It sees relevant pages only."""

    def process_item(self, item: object) -> object:
        """Fill in the site."""
        if isinstance(item, Observation):
            item.site = urlsplit(item.url).hostname or ""
        return item
