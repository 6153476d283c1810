"""Requests that a spider makes itself, as text for the frontier's file and back. No pickle: what is no JSON is refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from scrapy.utils.request import request_from_dict

if TYPE_CHECKING:
    from scrapy import Request, Spider

# Said of the response that a request's meta was copied from.
_PASSING_META = frozenset({"is_start_request", "download_latency"})
_PROJECT_META = "focused_"
_SCRAPY = "scrapy."
"""Modules whose classes a file may name: it must not choose which other code is loaded."""


class NotDurableError(ValueError):
    """A request cannot be kept in the frontier's file; the message says what of it."""


def to_text(request: Request, spider: Spider) -> str:
    """Return all of a request but its priority, as JSON: the frontier keeps that beside it.

    Bytes (headers, body) are written as Latin-1, which gives each byte back as it was. Callback and errback are written as
    names of the spider's methods.

    Raises
    ------
    NotDurableError
        If a part would not come back as it was.
    """
    cls = type(request)
    if not cls.__module__.startswith(_SCRAPY):
        raise NotDurableError(f"its class is {cls.__module__}.{cls.__qualname__}, not one of Scrapy's")
    try:
        found = request.to_dict(spider=spider)
    except ValueError as error:
        raise NotDurableError(f"its callback or errback is no method of the spider ({error})") from None
    del found["priority"]
    found["headers"] = {
        name.decode("latin-1"): [each.decode("latin-1") for each in values] for name, values in found["headers"].items()
    }
    found["body"] = found["body"].decode("latin-1")
    found["meta"] = {
        key: value
        for key, value in request.meta.items()
        if key not in _PASSING_META and not str(key).startswith(_PROJECT_META)
    }
    for name, value in found.items():
        _check(name, value)
    return json.dumps(found)


def from_text(text: str, spider: Spider, *, priority: int) -> Request:
    """Return the request that ``to_text`` wrote.

    Raises
    ------
    ValueError
        If the spider has no method of a name that the text has, or the text names a class that is not Scrapy's.
    """
    found: dict[str, Any] = json.loads(text)
    if not found.get("_class", _SCRAPY).startswith(_SCRAPY):
        raise ValueError(f"The request is of the class {found['_class']}, which is not one of Scrapy's")
    found["headers"] = {
        name.encode("latin-1"): [each.encode("latin-1") for each in values] for name, values in found["headers"].items()
    }
    found["body"] = found["body"].encode("latin-1")
    return request_from_dict({**found, "priority": priority}, spider=spider)


def _check(name: str, value: Any) -> None:
    """Refuse a value that JSON gives back as another one, such as a tuple or a number as a key."""
    if isinstance(value, dict):
        for key, each in value.items():
            if not isinstance(key, str):
                raise NotDurableError(f"{name} has the key {key!r}, which is no text")
            _check(f"{name}[{key!r}]", each)
    elif isinstance(value, list):
        for each in value:
            _check(name, each)
    elif value is not None and not isinstance(value, (str, int, float)):
        raise NotDurableError(f"{name} holds a {type(value).__name__}, which JSON cannot keep")
