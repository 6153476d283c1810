"""Refuses settings that a client of Scrapyd may not choose: folders, and classes to import.

A topic's file may name no class either; it is refused where it is read, in :mod:`focused.method.topic.settings`.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from scrapy.settings import default_settings

from focused.crawl.arguments import PlanError
from focused.crawl.declared_settings import COMMAND_LINE, DECLARED
from focused.utils.plugins import is_class_path
from focused.utils.setting import SERVER

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from scrapy.settings import BaseSettings


def _names_classes(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_names_classes(each) for pair in value.items() for each in pair)
    if isinstance(value, (list, tuple)):
        return any(map(_names_classes, value))
    return isinstance(value, str) and value.startswith(("scrapy.", "twisted."))


# Scrapy's settings that name what is imported: those whose default does, what is merged with such a default, and some
# that are empty by default.
_CLASS_SETTINGS = {name for name, value in vars(default_settings).items() if name.isupper() and _names_classes(value)}
_CLASS_SETTINGS |= {name.removesuffix("_BASE") for name in _CLASS_SETTINGS}
_CLASS_SETTINGS |= {
    *(
        "ADDONS",
        "ASYNCIO_EVENT_LOOP",
        "FEED_URI_PARAMS",
        "HTTPCACHE_DBM_MODULE",
        "ITEM_PIPELINES",
        "ITEM_PIPELINES_BASE",
    ),
    *("COMMANDS_MODULE", "NEWSPIDER_MODULE", "REFERRER_POLICIES", "SPIDER_MODULES"),
}
_CLASS_OPTIONS_OF_FEEDS = {"item_classes", "item_filter", "postprocessing", "uri_params"}


def is_client(arguments: Mapping[str, Any]) -> bool:
    """Tell whether a client of Scrapyd has started this crawl."""
    return "_job" in arguments or "SCRAPY_JOB" in os.environ


def classes_of_client(settings: BaseSettings) -> Iterator[tuple[str, str]]:
    """Yield the settings of Scrapy by which a client would have the server import something, each with its refusal."""
    for name in sorted(name for name in _CLASS_SETTINGS if (settings.getpriority(name) or 0) == COMMAND_LINE):
        yield name, f"{name} cannot be set by a client of Scrapyd: it names classes. Set it in the server's settings."
    for options in settings.getdict("FEEDS").values():
        for option in sorted(_CLASS_OPTIONS_OF_FEEDS & set(options)) if isinstance(options, dict) else ():
            if settings.getpriority("FEEDS") == COMMAND_LINE:
                yield "FEEDS", f"The option {option} of FEEDS cannot be set by a client of Scrapyd: it names classes."


def check_client(arguments: Mapping[str, Any], settings: Any) -> None:
    """Refuse what a client of Scrapyd may not set, by a PlanError. Names of what is installed on the server are welcome."""
    for _, message in classes_of_client(settings):
        raise PlanError(message)
    by_client = {name: settings.get(name) for name in DECLARED if (settings.getpriority(name) or 0) >= COMMAND_LINE}
    for name, value in by_client.items():
        if DECLARED[name].set_by == SERVER:
            refused = f"{name} cannot be set by a client of Scrapyd. Got {value!r}"
            raise PlanError(f"{refused}. Set it in the server's environment.")
    classes = {name: value for name, value in by_client.items() if DECLARED[name].names_class}
    for what, value in {"Spider argument 'strategy'": arguments.get("strategy"), **classes}.items():
        if value and is_class_path(value):
            raise PlanError(
                f"{what} cannot be the path of a class for a client of Scrapyd. Got {value!r}. Name an entry point of a "
                "package that is installed on the server."
            )
