"""Keep Scrapy's messages about itself out of the log."""

from __future__ import annotations

import logging

# Lists of enabled components and the like: useful to developers, noise to users.
TALKATIVE = (
    *("scrapy.addons", "scrapy.core.engine", "scrapy.crawler", "scrapy.middleware"),
    *("scrapy.spidermiddlewares.httperror", "scrapy.utils.log"),
)
TLS = "scrapy.core.downloader.tls"
_MOST_SAID = 1_000
ROBOTS = "scrapy.downloadermiddlewares.robotstxt"


def quieten(level: str) -> None:
    """Filter Scrapy's messages about itself, unless the log's level is DEBUG.

    Scrapy resets the levels of its loggers when it sets up the log, so filters do this.
    """
    if level != "DEBUG":
        for name in TALKATIVE:
            logging.getLogger(name).addFilter(_is_warning)
        # Its messages are counted; for a dead host it would log forty lines of traceback.
        logging.getLogger(ROBOTS).addFilter(_is_never)
        # A host without a valid certificate: twice for each connection, and a host has many in a day.
        logging.getLogger(TLS).addFilter(Once())


class Once:
    """Lets each message pass once, and of many different ones the first thousand."""

    def __init__(self) -> None:
        self._said: set[str] = set()

    def filter(self, record: logging.LogRecord) -> bool:
        """Tell whether a message is new."""
        message = record.getMessage()
        if message in self._said or len(self._said) >= _MOST_SAID:
            return False
        self._said.add(message)
        return True


def _is_never(record: logging.LogRecord) -> bool:
    return False


def _is_warning(record: logging.LogRecord) -> bool:
    # Who presses Ctrl-C sees at once that it was heard: the crawl waits for what is under way.
    return record.levelno >= logging.WARNING or str(record.msg).startswith("Received ")
