"""Values of Scrapy's own settings, checked before a crawl: Scrapy finds a wrong one when it has begun, with a traceback."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy.settings import default_settings

from focused.crawl import arguments as given
from focused.crawl.arguments import PlanError
from focused.method.topic.settings import NUMBER_SETTINGS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_LEVELS = ("CRITICAL", "ERROR", "WARNING", "INFO", "DEBUG")
_SWITCH_VALUES = ("True", "true", "1", "False", "false", "0")
# The defaults of these are whole numbers, but Scrapy takes any.
_FRACTIONS = frozenset(
    {"AUTOTHROTTLE_MAX_DELAY", "CLOSESPIDER_TIMEOUT", "DNS_TIMEOUT", "DOWNLOAD_DELAY", "DOWNLOAD_TIMEOUT"}
)
# With none of these a crawl waits for ever.
_AT_LEAST_ONE = frozenset(
    {
        "CONCURRENT_ITEMS",
        "CONCURRENT_REQUESTS",
        "CONCURRENT_REQUESTS_PER_DOMAIN",
        "REACTOR_THREADPOOL_MAXSIZE",
        "SCRAPER_SLOT_MAX_ACTIVE_SIZE",
    }
)
_DEFAULTS = {name: value for name, value in vars(default_settings).items() if name.isupper()}
_SWITCHES = tuple(
    name for name, value in _DEFAULTS.items() if isinstance(value, bool) or (value == 1 and name.endswith("_ENABLED"))
)
_NUMBERS = tuple(name for name, value in _DEFAULTS.items() if type(value) in (int, float) and name not in _SWITCHES)


def check_values(settings: Mapping[str, Any]) -> None:
    """Refuse a value that Scrapy would stumble over when a crawl has begun, or with which no crawl can work.

    Parameters
    ----------
    settings : mapping
        All settings of the crawl, the topic's among them.

    Raises
    ------
    PlanError
        It names the setting, what it must be and what it is.
    """
    for name in _SWITCHES:
        _check_switch(name, settings)
    for name in _NUMBERS:
        if settings.get(name) is None:
            continue  # some have that meaning; from a command line it does not come
        least = 1 if name in _AT_LEAST_ONE else 0 if name in NUMBER_SETTINGS else None
        if type(_DEFAULTS[name]) is int and name not in _FRACTIONS:
            given.whole(name, settings, least)
        elif given.number(name, settings) < (least or 0) and least is not None:
            raise PlanError(f"{name} must be a number of at least {least}. Got {settings.get(name)!r}.")
    if given.number("AUTOTHROTTLE_TARGET_CONCURRENCY", settings) <= 0:
        value = settings.get("AUTOTHROTTLE_TARGET_CONCURRENCY")
        raise PlanError(f"AUTOTHROTTLE_TARGET_CONCURRENCY must be a number above 0. Got {value!r}.")


def wrong_at_start(settings: Mapping[str, Any]) -> Iterator[tuple[str, Any, str]]:
    """Yield what Scrapy reads before any command is run, and cannot use.

    Yields
    ------
    name, usable, message : str, Any, str
        The setting, a value with which Scrapy can start, and what is wrong.
    """
    level = settings.get("LOG_LEVEL")
    if not isinstance(level, int) and not isinstance(logging.getLevelName(str(level)), int):
        yield "LOG_LEVEL", "INFO", f"LOG_LEVEL must be one of {', '.join(_LEVELS)}. Got {level!r}."
    for name in _SWITCHES:
        try:
            _check_switch(name, settings)
        except PlanError as error:
            yield name, _DEFAULTS[name], str(error)
    file = settings.get("LOG_FILE")
    if file:
        try:
            Path(str(file)).open("ab").close()
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            yield "LOG_FILE", None, f"LOG_FILE cannot be written: {file}: {reason}. Name another: -s LOG_FILE=FILE"


def _check_switch(name: str, settings: Mapping[str, Any]) -> None:
    if str(settings.get(name)) not in _SWITCH_VALUES:
        raise PlanError(f"{name} must be True or False. Got {settings.get(name)!r}.")
