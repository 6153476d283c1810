"""Items of a project's own class keep their fields when their pages are delivered late."""

from __future__ import annotations

from dataclasses import dataclass, field

from focused.crawl.own_fields import OwnFields
from focused.items import PageItem

ROW = {"content_type": "text/html", "location": "", "noindex": 0, "relevant": 1, "title": "Stars", "number": 7}


@dataclass
class Observation(PageItem):
    n_images: int = 0
    #: A column of the collection has this name, too.
    number: str = ""
    tags: list[str] = field(default_factory=list)


@dataclass
class Story(PageItem):
    section: str = ""


def row(url: str) -> dict[str, object]:
    return {**ROW, "url": url}


def test_a_late_page_has_the_class_and_the_fields_that_it_came_with():
    own = OwnFields()
    own.remember(Observation("http://h.org/1", n_images=3, number="IV", tags=["sky"]))
    own.remember(Story("http://h.org/2", section="news"))
    own.remember(PageItem("http://h.org/3"))
    first, second, third = (own.late(row(f"http://h.org/{number}")) for number in (1, 2, 3))
    assert isinstance(first, Observation)
    assert (first.n_images, first.number, first.tags) == (3, "IV", ["sky"])
    assert (first.title, first.relevant, first.is_late) == ("Stars", True, True)
    assert isinstance(second, Story)
    assert second.section == "news"
    assert type(third) is PageItem


def test_a_page_that_is_not_remembered_is_of_the_class_that_came_last_with_default_values():
    own = OwnFields(max_pages=1)
    assert type(own.late(row("http://h.org/0"))) is PageItem
    for number in (1, 2):
        own.remember(Observation(f"http://h.org/{number}", n_images=number))
    forgotten, kept = own.late(row("http://h.org/1")), own.late(row("http://h.org/2"))
    assert isinstance(forgotten, Observation)
    assert (forgotten.n_images, forgotten.number) == (0, "")
    assert isinstance(kept, Observation)
    assert kept.n_images == 2
