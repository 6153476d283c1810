"""What is there when a crawl begins is left out of garbage collections, and nothing that comes later is."""

from __future__ import annotations

import gc
import weakref
from typing import TYPE_CHECKING

import pytest
from scrapy import signals
from scrapy.utils.test import get_crawler

from focused import settings
from focused.extensions.frozen_start import FrozenStart

if TYPE_CHECKING:
    from collections.abc import Iterator


class Ring:
    def __init__(self) -> None:
        self.ring = self


@pytest.fixture
def nothing_frozen(monkeypatch) -> Iterator[None]:
    """No crawl has begun in this process."""
    monkeypatch.setattr(FrozenStart, "_is_frozen", False)
    gc.unfreeze()
    before = gc.get_threshold()
    yield
    gc.unfreeze()
    gc.set_threshold(*before)


def test_the_project_uses_it():
    assert f"{FrozenStart.__module__}.{FrozenStart.__qualname__}" in settings.EXTENSIONS


@pytest.mark.usefixtures("nothing_frozen")
def test_what_is_there_when_a_crawl_begins_is_not_searched_and_what_comes_later_is():
    n_before = len(gc.get_objects())
    extension = FrozenStart()
    extension.spider_opened()
    assert gc.get_freeze_count() > 0.9 * n_before
    assert len(gc.get_objects()) < 0.1 * n_before
    later = weakref.ref(Ring())
    gc.collect()
    assert later() is None


@pytest.mark.usefixtures("nothing_frozen")
def test_what_a_first_crawl_leaves_behind_is_found_in_a_second():
    FrozenStart().spider_opened()
    left = weakref.ref(Ring())
    FrozenStart().spider_opened()
    gc.collect()
    assert left() is None


@pytest.mark.usefixtures("nothing_frozen")
def test_it_waits_for_the_spider():
    crawler = get_crawler(settings_dict={})
    extension = FrozenStart.from_crawler(crawler)
    assert gc.get_freeze_count() == 0
    crawler.signals.send_catch_log(signals.spider_opened)
    assert gc.get_freeze_count() > 0
    del extension


@pytest.mark.usefixtures("nothing_frozen")
def test_while_a_crawl_goes_on_new_objects_are_searched_less_often_and_then_as_before():
    gc.set_threshold(700, 11, 12)
    crawler = get_crawler(settings_dict={})
    extension = FrozenStart.from_crawler(crawler)
    crawler.signals.send_catch_log(signals.spider_opened, spider=None)
    assert gc.get_threshold() == (10_000, 11, 2)
    FrozenStart().spider_closed()  # of another crawl, which came second
    assert gc.get_threshold() == (10_000, 11, 2)
    crawler.signals.send_catch_log(signals.spider_closed, spider=None, reason="finished")
    assert gc.get_threshold() == (700, 11, 12)
    extension.spider_closed()
    assert gc.get_threshold() == (700, 11, 12)


@pytest.mark.usefixtures("nothing_frozen")
@pytest.mark.parametrize("wanted", [0, 50_000])
def test_who_searches_even_less_or_not_at_all_is_not_overruled(wanted: int):
    gc.set_threshold(wanted, 10, 10)
    FrozenStart().spider_opened()
    assert gc.get_threshold() == (wanted, 10, 2)
