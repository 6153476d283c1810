"""Under which other URLs the pages of an earlier run of a crawl are known, so that none is counted again."""

from __future__ import annotations

import csv
import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

logger = logging.getLogger(__name__)


def known_as(path: Path) -> Iterator[str]:
    """Yield the URLs that pages say they have (Content-Location) where they were fetched under others.

    They are no links, so the frontier's file does not hold them.

    Parameters
    ----------
    path : Path
        ``fetched.csv``; where there is none there are no pages.
    """
    try:
        with path.open(newline="", encoding="utf-8", errors="replace") as file:
            for row in csv.DictReader(file):
                url, location = row.get("url"), row.get("location")
                if location and location != url:
                    yield location
    except FileNotFoundError:
        return
    except (OSError, csv.Error) as error:
        logger.warning(
            "%s cannot be read to its end: %s. Pages that have two URLs may be fetched and counted twice.", path, error
        )
