"""Adapts spider middlewares of the old synchronous kind, with which Scrapy would end the crawl with a traceback.

Such a class has ``def process_spider_output(self, response, result, spider)``, as ``scrapy startproject`` writes it.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from functools import update_wrapper
from inspect import isasyncgenfunction, signature
from typing import TYPE_CHECKING, Any

from scrapy.utils.misc import build_from_crawler, load_object
from scrapy.utils.python import global_object_name

from focused.crawl.arguments import PlanError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response

logger = logging.getLogger(__name__)

NO_RESULTS = "focused/middlewares/no_results_count"
"""Stat: responses for which a class of the old kind returned nothing that can be passed on."""
_SETTING = "SPIDER_MIDDLEWARES"


def with_old_middlewares(settings: Any) -> dict[str, Any]:
    """Return SPIDER_MIDDLEWARES with an :class:`OldMiddleware` in the place of each class of the old kind, or nothing.

    A PlanError names a class that cannot be imported.
    """
    found = {path: place for path, place in settings.getdict(_SETTING).items() if place is not None}
    classes = {path: _load(path) for path in found}
    old = {path for path, each in classes.items() if _is_old(each)}
    if not old:
        return {}
    return {_SETTING: {OldMiddleware(classes[path]) if path in old else path: place for path, place in found.items()}}


class OldMiddleware:
    """Makes an instance of an old class, and gives it the asynchronous method that Scrapy calls.

    The old method gets the results of a response as a list when all of them are there. Where it returns None, or anything
    else that is no iterable, they are passed on as they came: Scrapy would lose the page, with a traceback. The first such
    return is named in the log.

    Stats: ``focused/middlewares/no_results_count``.
    """

    def __init__(self, old: type) -> None:
        self._old = old
        update_wrapper(self, old, updated=())  # Scrapy tells components apart by their names

    def __repr__(self) -> str:
        return global_object_name(self)

    def __call__(self) -> None:
        """Scrapy takes callable objects only for components, and calls `from_crawler`."""
        raise NotImplementedError

    def from_crawler(self, crawler: Crawler) -> Any:
        """Return an instance of the old class that Scrapy can use."""
        made: Any = build_from_crawler(self._old, crawler)
        old_method = made.process_spider_output
        wants_spider = "spider" in signature(old_method).parameters

        async def process_spider_output(response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
            spider = {"spider": crawler.spider} if wants_spider else {}
            came = [each async for each in result]
            found = old_method(response=response, result=came, **spider)
            if not isinstance(found, Iterable):
                _count_no_results(crawler, made, found)
                found = came
            for each in found:
                yield each

        made.process_spider_output = process_spider_output
        return made


def _count_no_results(crawler: Crawler, middleware: Any, found: object) -> None:
    """Count a return that cannot be passed on, and name the first."""
    assert crawler.stats is not None
    if not crawler.stats.get_value(NO_RESULTS):
        logger.error(
            "%s.process_spider_output must return an iterable of items and requests. Got %s. What came is passed on as it "
            "is, and further ones are counted (%s). Let it end with: return result",
            global_object_name(type(middleware)),
            "None" if found is None else type(found).__name__,
            NO_RESULTS,
        )
    crawler.stats.inc_value(NO_RESULTS)


def _load(path: Any) -> Any:
    try:
        return load_object(path)
    except (ImportError, NameError, ValueError, TypeError) as error:
        raise PlanError(
            f"{_SETTING} must name classes that can be imported. Got {path!r}: {error}. Correct the name, or leave it out."
        ) from None


def _is_old(component: Any) -> bool:
    method = getattr(component, "process_spider_output", None)
    return not (method is None or isasyncgenfunction(method) or hasattr(component, "process_spider_output_async"))
