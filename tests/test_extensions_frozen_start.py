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
def nothing_frozen() -> Iterator[None]:
    gc.unfreeze()
    yield
    gc.unfreeze()


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
