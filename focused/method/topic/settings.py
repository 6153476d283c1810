"""Which Scrapy settings a topic may set: a list, for a topic may come from a stranger."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from focused.method.topic.names import TopicError
from focused.utils.plugins import is_class_path

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

ALLOWED_SETTINGS = frozenset(
    "AUTOTHROTTLE_ENABLED AUTOTHROTTLE_MAX_DELAY AUTOTHROTTLE_START_DELAY AUTOTHROTTLE_TARGET_CONCURRENCY "
    "CLOSESPIDER_ERRORCOUNT CLOSESPIDER_TIMEOUT CONCURRENT_REQUESTS CONCURRENT_REQUESTS_PER_DOMAIN COOKIES_ENABLED "
    "DEPTH_LIMIT DNS_TIMEOUT DOWNLOAD_DELAY DOWNLOAD_DELAY_JITTER DOWNLOAD_MAXSIZE DOWNLOAD_TIMEOUT DOWNLOAD_WARNSIZE "
    "REDIRECT_MAX_TIMES RETRY_TIMES".split()
)
"""Scrapy's settings that a topic may set: how fast, how much, how deep. Not who the crawl says it is, nor whether it obeys
robots.txt: whoever runs the crawl answers for these."""

SCHEDULERS = ("durable", "scrapy")
"""Where a topic may have its links wait: in the frontier that survives a crash, or in Scrapy's own priority queue."""

SCOPE_SETTINGS = {
    "allow": "FOCUSED_SCOPE_ALLOW",
    "deny": "FOCUSED_SCOPE_DENY",
    "languages": "FOCUSED_SCOPE_LANGUAGES",
    "max_depth": "DEPTH_LIMIT",
    "max_pages_per_host": "FOCUSED_FRONTIER_MAX_PER_HOST",
    "max_pages_per_domain": "FOCUSED_FRONTIER_MAX_PER_DOMAIN",
}
"""What limits a crawl, by its names as spider arguments and in the table ``[scope]`` of a topic; the settings that hold it."""
SCOPE_LISTS = frozenset({"allow", "deny", "languages"})
_MOST = 10**12

_SWITCHES = frozenset({"AUTOTHROTTLE_ENABLED", "COOKIES_ENABLED"})

_DAY_SECS = 86_400
_MOST_OF = {
    **dict.fromkeys(("DOWNLOAD_DELAY", "AUTOTHROTTLE_MAX_DELAY", "AUTOTHROTTLE_START_DELAY"), _DAY_SECS),
    **dict.fromkeys(("DOWNLOAD_TIMEOUT", "DNS_TIMEOUT"), _DAY_SECS),
    "DOWNLOAD_DELAY_JITTER": 1,
    **dict.fromkeys(("CONCURRENT_REQUESTS", "CONCURRENT_REQUESTS_PER_DOMAIN"), 10_000),
    "AUTOTHROTTLE_TARGET_CONCURRENCY": 10_000,
    **dict.fromkeys(("REDIRECT_MAX_TIMES", "RETRY_TIMES"), 1000),
}
"""Delays and time-outs, in seconds, with which a crawl would seem to hang; more of the others than any crawl can use."""

NUMBER_SETTINGS = {name: _MOST_OF.get(name, _MOST) for name in sorted(ALLOWED_SETTINGS - _SWITCHES)}
"""Those of Scrapy's that are numbers of at least 0, and the most that each may be."""


def is_topic_setting(name: str) -> bool:
    """Tell whether a topic may set a Scrapy setting. What it may set of the project's own, their declarations say."""
    return name.startswith("FOCUSED_") or name in ALLOWED_SETTINGS


def check_setting(key: str, value: Any, path: Path) -> None:
    """Refuse a setting that a topic may not set, and a value that Scrapy would stumble over later."""
    if not is_topic_setting(key):
        raise TopicError(
            f"A topic may not set {key}, as {path} does. It may set FOCUSED_* that docs/reference/settings.md opens "
            f"to topics, and {', '.join(sorted(ALLOWED_SETTINGS))}. Use -s {key}=... on the command line instead."
        )
    if key == "FOCUSED_STRATEGY":
        refuse_class_path(value, path)
    if key in _SWITCHES:
        right, kind = isinstance(value, bool), "true or false"
    elif key in ALLOWED_SETTINGS:
        most = NUMBER_SETTINGS[key]
        right = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= most
        kind = f"a number from 0 to {most:,}"
    else:
        right, kind = isinstance(value, (bool, int, float, str)), "a number, a text, true or false"
    if not right:
        raise TopicError(f"{key} in {path} must be {kind}. Got {value!r}.")


def check_scope(scope: Any, settings: Mapping[str, Any], path: Path) -> dict[str, str | int]:
    """Return the table ``[scope]`` of a topic with lists as texts separated by commas; refuse what is none."""
    if not isinstance(scope, dict):
        raise TopicError(f"scope in {path} must be a table. Got {scope!r}. Example: [scope]")
    found: dict[str, str | int] = {}
    for key, value in scope.items():
        if key not in SCOPE_SETTINGS:
            raise TopicError(f"[scope] in {path} has the unknown key {key!r}. Known keys: {', '.join(SCOPE_SETTINGS)}.")
        if SCOPE_SETTINGS[key] in settings:
            raise TopicError(
                f"{path} says {key} in [scope] and {SCOPE_SETTINGS[key]} in [settings]. Take one of them out."
            )
        entries = value if isinstance(value, list) else [value]
        if key in SCOPE_LISTS:
            right, kind = all(isinstance(each, str) for each in entries), "a text or a list of texts"
            found[key] = ", ".join(map(str, entries))
        else:
            right, kind = type(value) is int and 0 <= value < _MOST, "a whole number of at least 0"
            found[key] = value
        if not right:
            raise TopicError(f"{key} in [scope] of {path} must be {kind}. Got {value!r}.")
    return found


def refuse_class_path(strategy: Any, path: Path) -> None:
    """Refuse a strategy that would have to be imported: a topic may come from a stranger, and names what is installed."""
    if is_class_path(strategy):
        raise TopicError(
            f"The strategy in {path} must be a name, not the path of a class: a topic's file imports nothing. Got "
            f"{strategy!r}. Use -a strategy={strategy} on the command line instead."
        )
