"""Scrapy's own settings, as they come from a command line, checked before anything is read or trained."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from scrapy.settings import default_settings
from scrapy.utils.misc import load_object

from focused.crawl.arguments import PlanError, whole

if TYPE_CHECKING:
    from collections.abc import Iterable

# Their defaults are whole numbers, but Scrapy reads them as seconds.
_SECONDS = frozenset({"DNS_TIMEOUT", "DOWNLOAD_DELAY", "DOWNLOAD_TIMEOUT"})


def check_scrapy_settings(names: Iterable[str], settings: Any) -> None:
    """Refuse values that Scrapy could not read, by the kind of each setting's default; tables it reads at once.

    Scrapy reads them when a crawl begins: an evaluation has trained its topics by then, and every crawl would fail.

    Parameters
    ----------
    names : iterable of str
        Settings that were given; those that Scrapy does not know are passed over.
    settings : scrapy.settings.BaseSettings

    Raises
    ------
    PlanError
        It names the setting, what it must be, and what it is.
    """
    for name in names:
        if not hasattr(default_settings, name):
            continue
        default = getattr(default_settings, name)
        if isinstance(default, bool) or name.endswith("_ENABLED"):
            _switch(name, settings)
        elif isinstance(default, float) or name in _SECONDS:
            _seconds(name, settings)
        elif isinstance(default, int):
            whole(name, settings, 1 if name.startswith("CONCURRENT_") else None)
        elif isinstance(default, str) and default.startswith("scrapy."):
            _component(name, settings)


def _switch(name: str, settings: Any) -> None:
    try:
        settings.getbool(name)
    except ValueError:
        raise PlanError(f"{name} must be True or False. Got {settings.get(name)!r}.") from None


def _seconds(name: str, settings: Any) -> None:
    value = settings.get(name)
    try:
        found = float(value)
    except (TypeError, ValueError):
        found = math.nan
    if not (math.isfinite(found) and found >= 0):
        raise PlanError(f"{name} must be a number of at least 0. Got {value!r}.")


def _component(name: str, settings: Any) -> None:
    value = settings.get(name)
    try:
        load_object(value)
    except (ImportError, NameError, ValueError, TypeError) as error:
        raise PlanError(f"{name} must be the path of a class that can be imported. Got {value!r}: {error}.") from None
