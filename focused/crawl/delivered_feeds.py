"""Corrects Scrapy's feeds in files: removes pages that are no longer delivered, and keeps each page once."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from focused.crawl.delivered_files import FEED_FORMATS, remove_refused
from focused.utils.words import quantity

if TYPE_CHECKING:
    from collections.abc import Callable, Container

logger = logging.getLogger(__name__)


class DeliveredFeeds:
    """The feeds that are written."""

    def __init__(self) -> None:
        self._feeds: list[tuple[str, str]] = []

    def slot_closed(self, slot: Any) -> None:
        """Note a feed that is written: the receiver of Scrapy's signal."""
        self._feeds.append((str(slot.uri), str(slot.format)))

    def correct(self, is_refused: Callable[[str], bool], once: Container[str]) -> None:
        """Take pages out of all feeds, by their URLs; of those that may stand there twice the last stays."""
        for uri, kind in self._feeds:
            parts = urlsplit(uri)
            if parts.scheme not in ("", "file") or kind not in FEED_FORMATS:
                logger.warning(
                    "%s cannot be corrected by verdicts and the last model: only local files (%s) can",
                    uri,
                    ", ".join(FEED_FORMATS),
                )
                continue
            try:
                n_out = remove_refused(Path(unquote(parts.path) if parts.scheme else uri), kind, is_refused, once)
            except (OSError, ValueError) as error:
                logger.error("%s cannot be corrected by verdicts and the last model: %s", uri, error)
            else:
                if n_out:
                    logger.info(
                        "Removed %s of pages that were refused later, or came again, from %s",
                        quantity(n_out, "lines"),
                        uri,
                    )
