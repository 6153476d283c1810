"""Values of the project's own settings, and of those that name its parts, checked before a crawl."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from focused.crawl import arguments as given
from focused.crawl.arguments import PlanError
from focused.crawl.settings_layers import COMMAND_LINE

_SWITCHES = (
    "FOCUSED_LINK_SCORING_ENABLED",
    "FOCUSED_MERGE_EVIDENCE",
    "FOCUSED_NOFOLLOW_ENABLED",
    "FOCUSED_WARC_ENABLED",
)
_SWITCH_VALUES = ("True", "true", "1", "False", "false", "0")
_SCHEDULER_METHODS = ("has_pending_requests", "enqueue_request", "next_request")
_SERVER_PATHS = (
    "FOCUSED_MODELS_DIR",
    "FOCUSED_RUNS_DIR",
    "FOCUSED_WEBS_DIR",
    "FOCUSED_CACHE_DIR",
    "FOCUSED_ORACLE_FILE",
    "FOCUSED_VERDICTS",
)


def check_components(settings: Any) -> None:
    """Refuse what the components would stumble over when the crawl starts, and settings that nothing would read."""
    module = import_module("focused.settings")  # late: it looks at the environment
    known = {"FOCUSED_WEB", *(name for name in vars(module) if name.startswith("FOCUSED_"))}
    for name in sorted(set(map(str, settings)) - known):
        if name.startswith("FOCUSED_"):
            raise PlanError(
                f"Unknown setting {name!r}.{given.did_you_mean(name, known, 'FOCUSED_')} docs/reference.md lists them."
            )
    for name in ("FOCUSED_HARVEST_WINDOW_PAGES", "FOCUSED_HARVEST_EVERY_PAGES"):
        given.whole(name, settings, least=1)
    if given.number("FOCUSED_METRICS_INTERVAL_SECS", settings) < 0:
        value = settings.get("FOCUSED_METRICS_INTERVAL_SECS")
        raise PlanError(f"FOCUSED_METRICS_INTERVAL_SECS must be a number of at least 0. Got {value!r}.")
    for name in ("FOCUSED_FRONTIER_MAX_LINKS", "FOCUSED_FRONTIER_MAX_PER_HOST", "FOCUSED_FRONTIER_MAX_TUNNEL"):
        given.whole(name, settings, least=0)
    if given.number("FOCUSED_FRONTIER_HOST_SINK", settings) < 0:
        value = settings.get("FOCUSED_FRONTIER_HOST_SINK")
        raise PlanError(f"FOCUSED_FRONTIER_HOST_SINK must be a number of at least 0. Got {value!r}.")
    for name in _SWITCHES:
        if str(settings.get(name)) not in _SWITCH_VALUES:
            raise PlanError(f"{name} must be True or False. Got {settings.get(name)!r}.")
    scheduler_class(settings)


def scheduler_class(settings: Any) -> type:
    """Return the class that SCHEDULER names.

    Raises
    ------
    PlanError
        If there is none, or it is no scheduler.
    """
    found = name = settings.get("SCHEDULER")
    if not isinstance(name, type):
        module, _, attribute = str(name or "").rpartition(".")
        try:
            found = getattr(import_module(module), attribute)
        except (ImportError, AttributeError, ValueError):
            raise PlanError(
                f"SCHEDULER must be a class that can be imported, with its module. Got {name!r}. Leave it out for the "
                f"default."
            ) from None
    if not isinstance(found, type) or not all(hasattr(found, method) for method in _SCHEDULER_METHODS):
        raise PlanError(
            f"SCHEDULER must be a class with {', '.join(_SCHEDULER_METHODS)}. Got {name!r}. Leave it out for the default."
        )
    return found


def check_paths(settings: Any) -> None:
    """Under Scrapyd, where things are is the server's business."""
    for name in _SERVER_PATHS:
        if (settings.getpriority(name) or 0) >= COMMAND_LINE:
            raise PlanError(
                f"{name} cannot be set by a client of Scrapyd. Got {settings.get(name)!r}. Set it in the server's "
                f"environment."
            )
