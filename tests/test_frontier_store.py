"""The frontier's file, beyond what both stores do (test_frontier_stores.py): recovery, limits, versions of the file."""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from stores import link

from focused.frontier.store.answers import (
    KNOWN,
    NEW,
    OVER_DOMAIN_CAP,
    OVER_HOST_CAP,
    TAKEN_OVER,
)
from focused.frontier.store.caps import DOMAIN_CAP, HOST_CAP
from focused.frontier.store.limits import StoreLimits
from focused.frontier.store.link import FrontierLink
from focused.frontier.store.rescoring import NewScores, WaitingSlice, rescore_for
from focused.frontier.store.schema import FrontierFileError, open_file
from focused.frontier.store.store import FrontierStore
from focused.frontier.store.view import FrontierView
from focused.method.scoring import REASONS, reason_kind
from focused.method.scoring.base import BY_PAGE
from focused.method.scoring.priority import SEED, to_priority
from focused.utils.scope import Scope


@pytest.fixture
def open_store(tmp_path):
    opened = []

    def open_it(**limits) -> FrontierStore:
        opened.append(FrontierStore(tmp_path / "frontier.sqlite", limits=StoreLimits(**limits)))
        return opened[-1]

    yield open_it
    for store in opened:
        store.close()


def drain(store: FrontierStore, **options) -> list[str]:
    urls = []
    while (leased := store.next(**options)) is not None:
        store.done(leased.id)
        urls.append(leased.url.removeprefix("http://"))
    return urls


def test_what_was_committed_is_there_again_and_what_was_leased_waits(open_store):
    store = open_store()
    store.add([link(f"a/{number}", number / 10) for number in range(6)])
    done, failed, dropped, _ = (store.next() for _ in range(4))
    store.done(done.id, relevant=True)
    store.failed(failed.id, "HTTP 404")
    store.dropped(dropped.id, "elsewhere")
    store.commit(harvest={"pages": 1})
    store.add([link("a/lost", 1.0)])
    store.close()
    store = open_store()
    assert store.counts() == {"waiting": 3, "leased": 0, "done": 1, "failed": 1, "dropped": 1}
    assert store.remembered("harvest") == {"pages": 1}
    assert drain(store) == ["a/2", "a/1", "a/0"]
    assert store.add([link("a/5"), link("a/4")]) == [KNOWN, KNOWN]


def test_nothing_committed_is_lost_when_the_process_is_killed(tmp_path):
    """And nothing that was not committed is there."""
    program = f"""
import os, sys
sys.path[:0] = {sys.path!r}
from test_frontier_store import link
from focused.frontier.store.store import FrontierStore
store = FrontierStore(__import__("pathlib").Path({str(tmp_path / "f.sqlite")!r}))
for page in range(30):
    store.add([link(f"h{{page}}/{{number}}") for number in range(20)])
    leased = store.next()
    store.done(leased.id)
    store.commit(page=page)
store.add([link("uncommitted/1")])
store.next()
os.kill(os.getpid(), 9)
"""
    env = {**os.environ, "PYTHONPATH": os.path.dirname(__file__)}  # noqa: PTH120
    assert subprocess.run([sys.executable, "-c", program], env=env, check=False).returncode == -9
    store = FrontierStore(tmp_path / "f.sqlite")
    assert store.counts() == {"waiting": 570, "leased": 0, "done": 30, "failed": 0, "dropped": 0}
    assert store.remembered("page") == 29
    assert store._table.by_fingerprint(link("uncommitted/1").fingerprint) is None
    assert len(drain(store)) == 570
    store.close()


def test_the_text_of_a_page_is_durable_only_with_what_else_the_page_brought(open_store):
    store = open_store()
    store.commit()
    store.texts(10).add("http://h/a", "", "", b"sketch", True)  # the first change that a page without new links makes
    store.close()
    again = open_store()
    assert list(again.texts(10).pages()) == []
    again.texts(10).add("http://h/a", "", "", b"sketch", True)
    again.commit()
    again.close()
    assert list(open_store().texts(10).pages()) == [("http://h/a", "", "", 1, b"sketch")]


def test_the_target_of_a_redirect_is_leased_unless_it_is_known(open_store):
    store = open_store()
    store.add([link("a/1", 0.9), link("a/2", 0.1)])
    first = store.next()
    target = store.claim(link("b/target", 0.9))
    assert store.claim(link("b/target", 0.9)) is None
    assert store.claim(link("a/2", 0.7)) is None
    store.done(first.id)
    store.done(target)
    leased = store.next()
    assert (leased.url, leased.evidence.score) == ("http://a/2", 0.7)
    assert store.next() is None


def test_a_host_gives_no_more_pages_than_its_cap(open_store):
    store = open_store(max_per_host=2)
    store.add([link(f"a/{number}", 0.9) for number in range(5)] + [link("b/1", 0.1)])
    assert drain(store) == ["a/0", "a/1", "b/1"]
    assert store.add([link("a/more"), link("b/2")]) == [OVER_HOST_CAP, NEW]
    assert store.counts()["dropped"] == 3
    store.commit()
    store.close()
    store = open_store(max_per_host=2)
    assert store.add([link("a/more"), link("b/3")]) == [OVER_HOST_CAP, NEW]


def test_of_too_many_links_the_worst_are_forgotten_and_counted(open_store):
    store = open_store(max_links=1_000)
    generator = random.Random(1)
    scores = [generator.random() for _ in range(3_000)]
    for start in range(0, 3_000, 50):
        store.add([link(f"h{number % 40}/{number}", scores[number]) for number in range(start, start + 50)])
    assert len(store) <= 1_050
    assert store.n_cut == 3_000 - len(store)
    n_left = len(store)
    left = [scores[int(url.rpartition("/")[2])] for url in drain(store)]
    assert len(left) == n_left
    assert left == sorted(left, reverse=True) or max(np.diff(np.round(left, 3))) <= 0
    best = sorted(scores, reverse=True)
    assert left[:800] == pytest.approx(best[:800], abs=0.0011)  # ties of one level by age


def test_waiting_links_are_scored_anew_in_slices(open_store):
    store = open_store()
    store.add([link(f"h{number % 7}/{number}", 0.5, parts=(number / 100,)) for number in range(100)])
    store.add([link("s/seed", 1.0, extra=SEED), link("h1/no-parts", 0.5)])

    def by_parts(rows):
        scores = np.nan_to_num(rows.parts[:, 0], nan=0.001) if rows.parts.size else np.zeros(len(rows.urls))
        return NewScores(scores, np.full(len(scores), BY_PAGE), scores >= 0.5)

    work = store.rescore(by_parts, slice_links=15)
    assert next(work) == 15
    store.add([link("h1/later", 0.2)])  # scored by the new model
    store.done(store.next().id)  # the seed
    assert not rescore_for(work, 10.0)
    order = drain(store)
    assert order[:50] == [f"h{number % 7}/{number}" for number in range(99, 49, -1)]
    assert order[50] == "h1/later"
    assert order[51:101] == [f"h{number % 7}/{number}" for number in range(49, -1, -1)][:48] + order[99:101]
    assert set(order[99:101]) <= {"h1/no-parts", "h1/1", "h0/0"}


def test_a_link_names_the_version_of_the_model_that_its_score_comes_from(open_store):
    store = open_store()
    store.add([link("a/1", 0.5), link("a/2", 0.4), link("a/3", 0.3)])
    store.add([link("a/2", 0.1, model_version=2)])  # changes nothing
    store.add([link("a/3", 0.9, model_version=2)])

    def better_by_a_tenth(rows):
        scores = np.where([url.endswith("1") for url in rows.urls], rows.scores + 0.1, rows.scores)
        return NewScores(scores, rows.reasons, np.ones(len(scores), dtype=bool))

    assert not rescore_for(store.rescore(better_by_a_tenth, model_version=3), 10.0)
    found = {}
    while (leased := store.next()) is not None:
        found[leased.url] = leased.evidence.model_version
    assert found == {"http://a/1": 3, "http://a/2": 1, "http://a/3": 2}


def test_a_second_writer_is_refused_and_a_reader_is_not(open_store, tmp_path):
    store = open_store()
    store.add([link("a/1")])
    store.commit()
    store.add([link("a/2")])
    with pytest.raises(FrontierFileError, match="Another crawl is at work in"):
        open_store()
    reader = open_file(tmp_path / "frontier.sqlite", read_only=True)
    assert reader.execute("SELECT count(*) FROM links").fetchone() == (1,)
    reader.close()


@pytest.mark.parametrize(
    ("content", "is_said"),
    [(b"no database at all, " * 50, "no frontier of a crawl"), (b"", "empty: its links are lost")],
)
def test_a_file_that_is_no_frontier_is_refused(tmp_path, content, is_said):
    path = tmp_path / "frontier.sqlite"
    path.write_bytes(content)
    with pytest.raises(FrontierFileError, match=rf"frontier\.sqlite is {is_said}"):
        open_file(path, read_only=True)


def test_a_link_dropped_at_its_hosts_cap_is_counted_and_the_count_is_kept(open_store):
    store = open_store(max_per_host=1)
    store.add([link("a/1", 0.9), link("a/2"), link("a/3"), link("b/1")])
    assert drain(store) == ["a/1", "b/1"]
    store.commit()
    assert store.counts()["dropped"] == 2
    assert store.n_capped == {HOST_CAP: 2}
    store.close()
    assert open_store(max_per_host=1).n_capped == {HOST_CAP: 2}


def test_hosts_of_a_registered_domain_share_its_cap_also_when_it_is_opened_again(open_store):
    store = open_store(max_per_domain=2)
    store.add([link(f"http://{name}/1") for name in ("a.trap.co.uk", "b.trap.co.uk", "c.trap.co.uk", "fair.co.uk")])
    assert drain(store) == [f"{name}/1" for name in ("a.trap.co.uk", "b.trap.co.uk", "fair.co.uk")]
    assert store.add([link("http://d.trap.co.uk/1"), link("http://fair.co.uk/2")]) == [OVER_DOMAIN_CAP, NEW]
    store.commit()
    store.close()
    again = open_store(max_per_domain=2)
    assert again.n_capped == {DOMAIN_CAP: 1}
    assert again.add([link("http://e.trap.co.uk/1")]) == [OVER_DOMAIN_CAP]
    assert drain(again) == ["fair.co.uk/2"]


def test_with_a_larger_cap_what_the_smaller_one_dropped_waits_again(open_store):
    store = open_store(max_per_host=1)
    store.add([link("a/1", 0.9), link("a/2"), link("a/3")])
    assert drain(store) == ["a/1"]
    store.commit()
    store.close()
    again = open_store(max_per_host=2)
    assert again.rescope(Scope(max_pages_per_host=2)) == (0, 2)
    assert drain(again) == ["a/2"]
    assert again.counts()["dropped"] == 1


def test_where_a_commit_failed_nothing_of_what_follows_becomes_durable_whoever_ended_the_transaction(open_store):
    store = open_store()
    store.add([link("a/1")])
    store.commit()
    store.add([link("a/2")])
    store._sql.execute("ROLLBACK")  # as SQLite does where the disk is full
    store.transaction.abandon()
    store.add([link("b/1")])
    store.records(max_links=10).add(1, b"of a page")
    store.close()
    again = open_store()
    assert again.counts()["waiting"] == 1
    assert drain(again) == ["a/1"]
    assert again._sql.execute("SELECT count(*) FROM links").fetchone() == (1,)


def test_a_file_whose_transaction_sqlite_has_ended_is_closed_without_an_error(open_store):
    store = open_store()
    store.add([link("a/1")])
    store._sql.execute("ROLLBACK")
    store.close()
    assert len(open_store()) == 0


def all_better(rows: WaitingSlice) -> NewScores:
    return NewScores(np.full(len(rows.urls), 0.9), rows.reasons, np.ones(len(rows.urls), dtype=bool))


def own(url: str, priority: int) -> FrontierLink:
    """A request of a spider's own, with the priority that the spider gives it."""
    return replace(link(url, 1.0, extra=priority - to_priority(1.0, True)), request='{"method": "POST"}')


def test_a_request_of_the_spider_keeps_its_priority_whatever_pages_say_of_its_url(open_store):
    store = open_store()
    assert store.add([own("a/own", 700), link("a/1", 0.3), link("a/2", 0.1)]) == [NEW] * 3
    assert store.add([link("a/own", 0.9)]) == [KNOWN]
    assert store.update_evidence(1, link("a/own", 0.9)) is None
    for _ in store.rescore(all_better):
        pass
    assert [url for _, url, _ in store.waiting.scores()] == ["http://a/1", "http://a/2"]
    leased = [store.next() for _ in range(3)]
    assert [each.url for each in leased] == ["http://a/1", "http://a/2", "http://a/own"]
    assert [each.request for each in leased] == [None, None, '{"method": "POST"}']
    assert leased[2].priority == 700


def test_a_request_of_the_spider_takes_the_place_of_a_link_that_waits(open_store):
    store = open_store()
    store.add([link("a/1", 0.9), link("a/2", 0.3), link("b/1", 0.2)])
    assert store.add([own("a/1", 600), own("a/2", 2000)]) == [TAKEN_OVER] * 2
    assert store.add([own("a/1", 9000), link("a/2", 1.0)]) == [KNOWN] * 2
    # What a strategy has learnt of these URLs since changes nothing of them.
    assert sorted(store.waiting.place([(1, 0.99), (2, 0.99)])) == [1, 2]
    leased = [store.next() for _ in range(3)]
    assert [(each.url, each.priority) for each in leased] == [
        ("http://a/2", 2000),
        ("http://b/1", 700),
        ("http://a/1", 600),
    ]
    assert [each.request is None for each in leased] == [False, True, False]


def test_a_file_of_the_version_before_is_read_and_resumed(open_store, tmp_path):
    path = tmp_path / "frontier.sqlite"
    store = open_store()
    store.add([link("a/1")])
    store.commit()
    store.close()
    old = sqlite3.connect(path)
    old.executescript(
        "ALTER TABLE links DROP COLUMN callback; ALTER TABLE links DROP COLUMN request; DROP TABLE reasons;"
        "PRAGMA user_version = 2"
    )
    old.close()
    with FrontierView(path) as view:
        assert [(row.url, row.reason) for row in view.rows()] == [("http://a/1", "anchor")]
    again = open_store()
    assert again.add([own("a/own", 2000)]) == [NEW]
    assert drain(again) == ["a/own", "a/1"]


def test_kinds_of_reasons_from_outside_survive_though_their_numbers_change(open_store, tmp_path):
    path = tmp_path / "frontier.sqlite"
    store = open_store()
    mine = [reason_kind(f"of my package {name}") for name in "ba"]
    store.add([link(f"a/{number}", reason=reason) for number, reason in enumerate(mine)])
    store.commit()
    store.close()
    file = sqlite3.connect(path)  # as a process wrote it that has declared others
    file.execute("UPDATE reasons SET id = 99 WHERE kind = 'of my package a'")
    file.execute("UPDATE links SET reason = 99 WHERE url = 'http://a/1'")
    file.execute("INSERT INTO reasons VALUES (98, 'of another package')")
    file.commit()
    file.close()
    with FrontierView(path) as view:
        assert [row.reason for row in view.rows()] == ["of my package b", "of my package a"]
    again = open_store()
    assert [again.next().evidence.reason for _ in mine] == mine
    assert "of another package" in REASONS
