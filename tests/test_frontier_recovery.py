"""Of a damaged frontier what can be read is saved into a new one; the damaged one is kept, and the crawl goes on."""

from __future__ import annotations

import csv
import os
import random
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from commands import crawl, environment, scrapy

from focused.frontier.store.link import FrontierLink, fingerprint_of
from focused.frontier.store.recovery import recover
from focused.frontier.store.schema import FrontierFileError
from focused.frontier.store.store import FrontierStore
from focused.method.scoring.base import BY_ANCHOR
from focused.method.scoring.evidence import Evidence

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

N_LINKS = 2000
PAGE = 4096


@pytest.fixture
def store(tmp_path: Path) -> FrontierStore:
    """Links of 20 hosts; ten pages are in, three are under way."""
    store = FrontierStore(tmp_path / "frontier.sqlite")
    urls = [f"http://host{number % 20}.example/{number}" for number in range(N_LINKS)]
    seen = Evidence(0.5, BY_ANCHOR, admitted=True, referrer="http://host0.example/")
    store.add([FrontierLink(fingerprint_of(url, ""), url, seen) for url in urls])
    records = store.records(1000)
    for _ in range(10):
        leased = store.next()
        assert leased is not None
        store.done(leased.id, relevant=True)
        records.add(1, b"record" * 100)
    for _ in range(3):
        store.next()
    store.commit(topic="stars", home="inside", files={}, harvest={"pages": 10, "relevant": 10}, stats={})
    return store


@pytest.fixture
def path(store: FrontierStore, tmp_path: Path) -> Path:
    store.close()
    return tmp_path / "frontier.sqlite"


def all_of(path: Path) -> dict[str, tuple]:
    with closing(sqlite3.connect(path)) as sql:
        assert sql.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        query = "SELECT url, hosts.name, state, rank, score FROM links JOIN hosts ON hosts.id = links.host"
        return {row[0]: row[1:] for row in sql.execute(query)}


def overwrite(path: Path, start: int, data: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(start)
        file.write(data)


def place_of(path: Path, url: bytes) -> int:
    return path.read_bytes().index(url) // PAGE * PAGE


NOISE = random.Random(0).randbytes(PAGE)

KINDS: dict[str, tuple[Callable[[Path], None], int]] = {
    "header": (lambda path: overwrite(path, 0, NOISE[:100]), 0),
    "first page": (lambda path: overwrite(path, 0, NOISE), 0),
    "first page, now like a leaf": (lambda path: overwrite(path, 0, NOISE[:100] + b"\x0d" + NOISE[101:]), 0),
    "first page, now like a branch": (lambda path: overwrite(path, 0, NOISE[:100] + b"\x05" + NOISE[101:]), 0),
    "schema": (lambda path: overwrite(path, 100, NOISE[100:]), 0),
    "links": (lambda path: overwrite(path, place_of(path, b"example/1000"), bytes(PAGE)), 80),
    "two of links": (
        lambda path: [overwrite(path, place_of(path, b"example/%d" % n), NOISE) for n in (500, 1500)] and None,
        160,
    ),
    "hosts": (lambda path: overwrite(path, PAGE, bytes(PAGE)), 0),
    "an index": (lambda path: overwrite(path, 5 * PAGE, bytes(PAGE)), 0),
    "end": (lambda path: os.truncate(path, path.stat().st_size * 3 // 4 + 77), N_LINKS // 2),
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_the_damage_left_is_saved_as_it_was(path: Path, kind: str) -> None:
    before = all_of(path)
    damage, most_lost = KINDS[kind]
    damage(path)
    damaged = path.read_bytes()
    found = recover(path)
    assert found is not None
    assert found.kept.read_bytes() == damaged
    after = all_of(path)
    assert N_LINKS - most_lost <= len(after) == sum(found.counts.values()) <= N_LINKS - (most_lost > 0)
    assert found.counts["leased"] == 0
    for url, (host, state, rank, score) in after.items():
        assert (host, rank, score) == (before[url][0], *before[url][2:])
        assert state == (0 if before[url][1] == 1 else before[url][1])  # what was under way waits
    with closing(FrontierStore(path)) as store:
        assert len(store) == found.counts["waiting"]
        assert store.next() is not None
    assert recover(path) is None


def test_where_nothing_can_be_saved_nothing_is_changed(path: Path) -> None:
    path.write_bytes(garbage := b"\0garbage" * 10_000)
    with pytest.raises(FrontierFileError, match="Nothing can be saved"):
        recover(path)
    assert path.read_bytes() == garbage
    assert {each.name for each in path.parent.iterdir()} == {path.name, f"{path.name}.lock"}


def test_a_frontier_that_a_crawl_uses_is_left_alone(store: FrontierStore, tmp_path: Path) -> None:
    with pytest.raises(FrontierFileError, match="Another crawl is at work"):
        recover(tmp_path / "frontier.sqlite")
    store.close()


def test_a_crawl_goes_on_with_what_was_saved_and_fetches_no_page_again(models, tmp_path, two_regions) -> None:
    crawl(models, tmp_path, web=two_regions, max_pages=8)
    path = tmp_path / "run" / "frontier.sqlite"
    with closing(sqlite3.connect(path)) as sql:
        sql.execute("DELETE FROM links WHERE id = (SELECT max(id) FROM links WHERE state = 2)")  # a page that is in
        sql.commit()
        [(page,)] = sql.execute("SELECT rootpage FROM sqlite_master WHERE name = 'by_fingerprint'")
    overwrite(path, (page - 1) * PAGE, bytes(PAGE))
    refused = crawl(models, tmp_path, web=two_regions, max_pages=12)
    assert (refused.exit_code, len(refused.err.splitlines())) == (1, 1)
    assert f"scrapy frontier {path.parent} --recover" in refused.err
    recovered = scrapy("frontier", str(path.parent), "--recover", cwd=tmp_path, env=environment(models))
    assert recovered.exit_code == 0, recovered.err
    assert " saved, 1 lost" in recovered.out
    done = crawl(models, tmp_path, web=two_regions, max_pages=12)
    assert done.exit_code == 0, done.err
    with (path.parent / "fetched.csv").open(newline="") as file:
        urls = [row["url"] for row in csv.DictReader(file)]
    assert len(urls) == len(set(urls)) > 8
