"""Checks Scrapy's own settings before a crawl: Scrapy itself finds a wrong one later, with a traceback."""

from __future__ import annotations

import codecs
import json
import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy.settings import BaseSettings, default_settings
from scrapy.utils.misc import load_object

from focused.crawl.arguments import PlanError
from focused.method.topic.settings import NUMBER_SETTINGS
from focused.utils.setting import Setting

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_LEVELS = ("CRITICAL", "ERROR", "WARNING", "INFO", "DEBUG")
_SCHEDULER_METHODS = ("has_pending_requests", "enqueue_request", "next_request")
# The defaults of these are whole numbers, but Scrapy takes any.
_FRACTIONS = {"AUTOTHROTTLE_MAX_DELAY", "CLOSESPIDER_TIMEOUT", "DNS_TIMEOUT", "DOWNLOAD_DELAY", "DOWNLOAD_TIMEOUT"}
# With none of these a crawl waits for ever.
_AT_LEAST_ONE = {
    *("CONCURRENT_ITEMS", "CONCURRENT_REQUESTS", "CONCURRENT_REQUESTS_PER_DOMAIN"),
    *("REACTOR_THREADPOOL_MAXSIZE", "SCRAPER_SLOT_MAX_ACTIVE_SIZE"),
}
# Of Scrapy's time-out 0 is no word for none: every request ends before its answer comes.
_ABOVE_0 = {"AUTOTHROTTLE_TARGET_CONCURRENCY", "DOWNLOAD_TIMEOUT"}


def _setting(name: str, default: Any) -> Setting:
    """Declare a setting of Scrapy's by its default."""
    if isinstance(default, bool) or (default == 1 and name.endswith("_ENABLED")):
        return Setting(name, bool(default))
    most = NUMBER_SETTINGS.get(name)
    if name in _ABOVE_0:
        return Setting(name, float(default), above=0, most=most)
    least = 1 if name in _AT_LEAST_ONE else 0 if name in NUMBER_SETTINGS else None
    return Setting(name, float(default) if name in _FRACTIONS else default, least=least, most=most)


_DEFAULTS = {name: value for name, value in vars(default_settings).items() if name.isupper()}
_DECLARED = [_setting(name, value) for name, value in _DEFAULTS.items() if isinstance(value, (bool, int, float))]
_OF_SLOT = {
    "delay": Setting("delay", 0.0, least=0, most=NUMBER_SETTINGS["DOWNLOAD_DELAY"]),
    "jitter": Setting("jitter", 0.0, least=0, most=NUMBER_SETTINGS["DOWNLOAD_DELAY_JITTER"]),
    "concurrency": Setting("concurrency", 1, least=1, most=NUMBER_SETTINGS["CONCURRENT_REQUESTS"]),
}
"""What DOWNLOAD_SLOTS may say of a host."""
_LISTS_OF_NUMBERS = ("HTTPCACHE_IGNORE_HTTP_CODES", "HTTPERROR_ALLOWED_CODES", "RETRY_HTTP_CODES", "TELNETCONSOLE_PORT")
_COMPONENTS = [name for name, value in _DEFAULTS.items() if isinstance(value, str) and value.startswith("scrapy.")]
_COMPONENTS.remove("REFERRER_POLICY")  # which may be a word


def check_values(settings: Any) -> None:
    """Refuse a value that Scrapy would stumble over when a crawl has begun, or with which no crawl can work.

    A ValueError names the setting, what it must be and what it is.
    """
    for setting in _DECLARED:
        if settings.get(setting.name) is not None:  # some have that meaning; from a command line it does not come
            setting.read(settings)
    _check_slots(settings)
    for name in filter(settings.getpriority, _LISTS_OF_NUMBERS):
        if not all(str(each).strip().isdecimal() for each in settings.getlist(name)):
            raise PlanError(f"{name} must be whole numbers, separated by commas. Got {settings.get(name)!r}.")
    scheduler_class(settings)
    # Only what somebody has set: the defaults are there, and to read a deprecated one is a warning.
    for name in filter(settings.getpriority, _COMPONENTS):
        value = settings.get(name)
        try:
            load_object(value)
        except (ImportError, NameError, ValueError, TypeError) as error:
            must = f"{name} must be a class that can be imported, with its module"
            raise PlanError(f"{must}. Got {value!r}: {error}. Leave it out for the default.") from None
    processor = settings.get("ITEM_PROCESSOR")
    is_durable = getattr(scheduler_class(settings), "is_durable", False)
    if is_durable and not getattr(load_object(processor), "ends_pages", False):
        raise PlanError(
            f"ITEM_PROCESSOR must be a subclass of focused.pipelines.page_end.PageEndItems, or links never reach "
            f"the frontier. Got {processor!r}. Leave it out for the default."
        )


def _check_slots(settings: Any) -> None:
    """Refuse delays of single hosts with which Scrapy could not work."""
    name, example = "DOWNLOAD_SLOTS", 'Example: {"slow.example": {"delay": 10}}'
    try:
        slots = settings.getdict(name)
    except (ValueError, TypeError):
        slots = None
    if not isinstance(slots, dict) or not all(isinstance(each, dict) for each in slots.values()):
        raise PlanError(f"{name} must be a table of tables, by host. Got {slots or settings.get(name)!r}. {example}")
    for host, slot in slots.items():
        for key, setting in _OF_SLOT.items():
            if key in slot:
                setting.check(slot[key], f"{key} of {host} in {name}")


def scheduler_class(settings: Any) -> type:
    """Return the class that SCHEDULER names; a PlanError says that there is none, or that it is no scheduler."""
    name = settings.get("SCHEDULER")
    try:
        found = load_object(name)
    except (ImportError, NameError, ValueError, TypeError):
        found = None
    if not isinstance(found, type) or not all(hasattr(found, method) for method in _SCHEDULER_METHODS):
        must = f"SCHEDULER must be a class that can be imported, with {', '.join(_SCHEDULER_METHODS)}"
        raise PlanError(f"{must}. Got {name!r}. Leave it out for the default.")
    return found


def readable_tables(given: list[str], settings: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """Return those of the texts NAME=VALUE of ``-s`` that Scrapy can read, and what is wrong with the others.

    Scrapy reads the value of a table as JSON, and ends with a traceback, or with advice that does not help, if it is none.
    """
    readable, wrong = [], []
    for each in given:
        name, _, value = each.partition("=")
        try:
            is_right = not (isinstance(settings.get(name), BaseSettings) and value) or isinstance(
                json.loads(value), dict
            )
        except (ValueError, RecursionError):
            is_right = False
        if is_right:
            readable.append(each)
        else:
            wrong.append(f"{name} must be a table, as a JSON object. Got {value!r}. Leave it out for the default.")
    return readable, wrong


def wrong_at_start(settings: Mapping[str, Any]) -> Iterator[tuple[str, Any, str]]:
    """Yield settings that Scrapy reads before any command and cannot use: name, a usable value, what is wrong."""
    level = settings.get("LOG_LEVEL")
    if not isinstance(level, int) and not isinstance(logging.getLevelName(str(level)), int):
        yield "LOG_LEVEL", "INFO", f"LOG_LEVEL must be one of {', '.join(_LEVELS)}. Got {level!r}."
    try:
        logging.Formatter(settings.get("LOG_FORMAT")).format(logging.makeLogRecord({}))
    except (ValueError, KeyError, TypeError) as error:
        must = "LOG_FORMAT must be made of fields of a log record, such as %(message)s"
        yield (
            "LOG_FORMAT",
            "%(asctime)s %(levelname)s: %(message)s",
            f"{must}. Got {settings.get('LOG_FORMAT')!r}: {error!r}.",
        )
    try:
        codecs.lookup(str(settings.get("LOG_ENCODING")))
    except (LookupError, ValueError):
        must = "LOG_ENCODING must be an encoding that Python knows, such as utf-8"
        yield "LOG_ENCODING", "utf-8", f"{must}. Got {settings.get('LOG_ENCODING')!r}."
    for setting in _DECLARED:
        try:
            if isinstance(setting.default, bool):
                setting.read(settings)
        except ValueError as error:
            yield setting.name, setting.default, str(error)
    file = settings.get("LOG_FILE")
    if file:
        try:
            Path(str(file)).open("ab").close()
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            yield "LOG_FILE", None, f"LOG_FILE cannot be written: {file}: {reason}. Name another: -s LOG_FILE=FILE"
