"""Kept pages come back from the frontier's file as they were."""

from __future__ import annotations

import hand_made
import numpy as np
import pytest

from focused.frontier.store import page_records
from focused.frontier.store.store import FrontierStore
from focused.items import PageItem
from focused.method.page.reader import PageReader
from focused.method.scoring import Visit
from focused.method.strategies import make_strategy
from focused.method.text.analyzer import Analyzer
from focused.method.topic.judge import Judge
from focused.retraining.kept_pages import KeptBodies, KeptPages

READER = PageReader(Analyzer("en"))
JUDGE = Judge(hand_made.topic())


def crawled(n: int) -> list[tuple[bytes, str, Visit]]:
    """Bodies with their content types and visits; one is no HTML, one is in an encoding that only its header tells."""
    bodies = [
        hand_made.html(
            (hand_made.STARS, hand_made.FOOD)[number % 2], (f"/{number + 1}", "a nebula"), (f"/{number * 7}", "soup")
        )
        for number in range(n)
    ]
    types = ["text/html"] * n
    bodies[1], types[1] = b"<p> Stars, a telescope and http://h.org/", "text/plain"
    bodies[2], types[2] = (
        hand_made.html("\u0433\u0430\u043b\u0430\u043a\u0442\u0438\u043a\u0430 star").decode().encode("koi8-r"),
        "text/html; charset=koi8-r",
    )
    visits = [Visit(k, None if k == 0 else k / 10, k, (f"http://h.org/{k}", f"http://h.org/to/{k}")) for k in range(n)]
    return list(zip(bodies, types, visits, strict=True))


def keep_all(store: FrontierStore, pages: KeptPages, found: list[tuple[bytes, str, Visit]]) -> KeptBodies:
    bodies = KeptBodies(store, pages)
    for body, content_type, visit in found:
        url = f"http://h.org/{visit.number}"
        page = READER.read(body, url, content_type)
        pages.keep(page, visit)
        bodies.keep(PageItem(url, page=page, body=body, content_type=content_type))
        store.commit()
    return bodies


@pytest.mark.parametrize("name", ["cbp_slc", "shark_search", "fish_search"])
def test_what_is_read_again_is_judged_and_scored_as_it_was(tmp_path, name):
    strategy = make_strategy(name, {})
    before, after = KeptPages(100), KeptPages(100)
    store = FrontierStore(tmp_path / "frontier.sqlite")
    keep_all(store, before, crawled(12))
    # A page whose end was not committed is not there: it will be fetched again.
    bodies = KeptBodies(store, before)
    body, url = hand_made.html(hand_made.STARS), "http://h.org/12"
    page = READER.read(body, url, "text/html")
    before.keep(page, Visit(1))
    bodies.keep(PageItem(url, page=page, body=body))
    store.close()
    again = FrontierStore(tmp_path / "frontier.sqlite")
    assert KeptBodies(again, after).restore(READER) == (12, 0)
    again.close()
    assert after.get(url) is None
    for number in range(12):
        old, new = (pages.get(f"http://h.org/{number}") for pages in (before, after))
        assert new.visit == old.visit
        assert new.page.encoding == old.page.encoding
        scores = []
        for kept in (old, new):
            relevance = JUDGE.judge(kept.page, strategy.kinds)
            found = strategy.score(kept.page, relevance, kept.visit)
            scores.append((list(kept.page.link_numbers), relevance.page, found))
        assert scores[0][:2] == scores[1][:2]
        for array in ("scores", "reasons", "carried"):
            one, other = (getattr(each[2], array) for each in scores)
            assert (one is None and other is None) or np.array_equal(one, other)


def test_as_many_are_stored_as_are_kept_and_no_more_bytes_than_may_be(tmp_path, monkeypatch):
    store = FrontierStore(tmp_path / "frontier.sqlite")
    keep_all(store, KeptPages(5), crawled(12))
    assert [page.url for page in store.pages(5)] == [f"http://h.org/{number}" for number in range(7, 12)]
    size = len(crawled(12)[8][0])
    monkeypatch.setattr(page_records, "MAX_BYTES", int(3.5 * size))
    keep_all(store, KeptPages(5), crawled(12))
    assert [page.url for page in store.pages(5)] == [f"http://h.org/{number}" for number in range(9, 12)]
    # A very large one is not worth it, and drives out no other.
    huge = (bytes(page_records._LARGEST + 1), "text/html", Visit(number=12))
    keep_all(store, KeptPages(5), [huge])
    assert len(list(store.pages(5))) == 3
    store.commit()
    assert len(store.pages(5)) == 3
    store.close()


def test_a_stored_page_that_cannot_be_read_is_counted(tmp_path):
    store = FrontierStore(tmp_path / "frontier.sqlite")
    keep_all(store, KeptPages(5), crawled(4))
    store._sql.execute("UPDATE pages SET visit = '[1, 2' WHERE id = 2")
    store._sql.execute("UPDATE pages SET visit = '3' WHERE id = 3")
    pages = KeptPages(5)
    assert KeptBodies(store, pages).restore(READER) == (2, 2)
    store.close()
