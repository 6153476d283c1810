"""A frontier's file that a stranger, or a fault of the disk, has changed: one line says so, and what is sound is saved."""

from __future__ import annotations

import json
import math
import sqlite3
import struct
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from commands import crawl, environment, scrapy

from focused.frontier.scheduler import FrontierScheduler
from focused.frontier.store.link import FrontierLink, fingerprint_of
from focused.frontier.store.link_order import LinkOrder
from focused.frontier.store.recovery import recover
from focused.frontier.store.schema import FrontierFileError, open_file
from focused.frontier.store.soundness import check_sound
from focused.frontier.store.store import FrontierStore
from focused.frontier.store.view import FrontierView
from focused.method.scoring.base import BY_ANCHOR
from focused.method.scoring.evidence import Evidence
from focused.method.strategies.patel_schmidt import PatelSchmidt

if TYPE_CHECKING:
    from pathlib import Path

N_LINKS = 50
HARVEST = {"pages": 1, "relevant": 1, "target_length": 1, "irrelevant_on_path": 0, "recent": "1", "secs": 0.5}
A_LINK = "WHERE id = (SELECT min(id) FROM links WHERE state = 0)"
# One link is dropped for each.
OF_LINKS = [
    f"UPDATE links SET {change} {A_LINK}"
    for change in (
        *(
            "score = 9e999",
            "score = 'abc'",
            "depth = 'x'",
            "depth = -1",
            "url = x'fffe'",
            "url = CAST(x'fffe' AS TEXT)",
        ),
        *("rank = 'zz'", "rank = 1.5", "rank = -9e999", "state = 77", "reason = 9999"),
        *(
            "parts = x'00112233'",
            "model_version = 'q'",
            "extra = 1 << 60",
            "found_at = 'x'",
            "request = x'80049542000000'",
        ),
        *("id = 1 << 62", "referrer = 'x'", "tunnel = 0.5", "callback = x'00'"),
    )
]
OF_CRAWL = [
    "UPDATE crawl SET value = '{'",
    "UPDATE crawl SET value = '1e999' WHERE key = 'counts'",
    "UPDATE crawl SET value = '[1, 2, 3, 4, -5]' WHERE key = 'counts'",
    "UPDATE crawl SET value = x'00' WHERE key = 'files'",
    "UPDATE crawl SET value = '[\"x\"]' WHERE key = 'leased'",
    "UPDATE crawl SET value = '{\"focused/pages/fetched_count\": Infinity}' WHERE key = 'stats'",
    "UPDATE crawl SET value = '{}' WHERE key = 'harvest'",
    "UPDATE crawl SET value = '[51, 0, 1, 0, 0]' WHERE key = 'counts'",
    "DELETE FROM crawl",
    "DELETE FROM crawl WHERE key = 'counts'",
    "UPDATE hosts SET n_pages = -5, n_relevant = 9e99",
    "UPDATE hosts SET n_relevant = 9000000",
    "UPDATE hosts SET id = 1 << 40 WHERE id = 1",
    "UPDATE hosts SET name = x'00' WHERE id = 1",
    f"UPDATE links SET host = 99999 {A_LINK}",
    f"UPDATE links SET host = 4e18 {A_LINK}",
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A frontier of links of five hosts; one page is in."""
    path = tmp_path / "frontier.sqlite"
    with closing(FrontierStore(path)) as store:
        urls = [f"http://host{number % 5}.example/{number}" for number in range(N_LINKS)]
        seen = Evidence(0.5, BY_ANCHOR, admitted=True, referrer="http://host0.example/", parts=(0.5, 0.25))
        store.add([FrontierLink(fingerprint_of(url, ""), url, seen) for url in urls])
        leased = store.next()
        assert leased is not None
        store.done(leased.id, relevant=True)
        store.commit(topic="stars", home="inside", files={}, harvest=HARVEST, stats={})
    return path


def change(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as sql:
        sql.execute(statement)
        sql.commit()


def check(path: Path) -> None:
    with closing(open_file(path, read_only=True)) as sql:
        check_sound(sql, path)


def test_what_a_crawl_writes_is_sound(path: Path) -> None:
    check(path)
    assert recover(path) is None


def test_a_frontier_that_has_just_been_made_is_sound(tmp_path: Path) -> None:
    path = tmp_path / "frontier.sqlite"
    open_file(path).close()
    check(path)


@pytest.mark.parametrize("statement", OF_LINKS)
def test_a_link_that_is_not_as_it_must_be_is_dropped_by_the_recovery_and_the_others_are_not(
    path: Path, statement: str
) -> None:
    change(path, statement)
    if "CAST" not in statement:  # a text of bytes that are none; it is met when it is read
        with pytest.raises(
            FrontierFileError, match=r"frontier.sqlite is damaged: row \d+ of its table links.* --recover"
        ):
            check(path)
    found = recover(path)
    assert found is not None
    assert (sum(found.counts.values()), found.n_unsound) == (N_LINKS - 1, 1)
    check(path)
    with closing(FrontierStore(path)) as store:
        assert len(store) == sum(store.next() is not None for _ in range(N_LINKS))


@pytest.mark.parametrize("statement", OF_CRAWL)
def test_what_the_crawl_remembered_and_hosts_are_checked_and_recovered(path: Path, statement: str) -> None:
    change(path, statement)
    with pytest.raises(FrontierFileError, match=r"frontier.sqlite is damaged: .* --recover"):
        check(path)
    found = recover(path)
    assert found is not None
    check(path)
    with closing(FrontierStore(path)) as store:
        assert len(store) == sum(store.next() is not None for _ in range(N_LINKS)) == found.counts["waiting"]
    assert recover(path) is None


def test_who_looks_at_what_cannot_be_read_is_told_the_file_and_the_remedy(path: Path) -> None:
    change(path, "UPDATE crawl SET value = '{'")
    with (
        FrontierView(path) as view,
        pytest.raises(FrontierFileError, match=r"frontier.sqlite is damaged: .* --recover"),
    ):
        view.counts()


@pytest.mark.parametrize("what", ["score = 'abc'", "url = x'fffe'", "depth = 'x'", "rank = 1.5"])
def test_who_looks_at_a_row_that_is_not_as_it_must_be_is_told_the_file_and_the_remedy(path: Path, what: str) -> None:
    change(path, f"UPDATE links SET {what} {A_LINK}")
    with (
        FrontierView(path) as view,
        pytest.raises(FrontierFileError, match=r"frontier.sqlite is damaged: .* --recover"),
    ):
        list(view.rows())


@pytest.mark.parametrize("parts", [(math.nan, 0.5), (0.5, math.inf), (1e300, 1e300), (0.5,)])
def test_a_link_whose_score_was_made_of_no_numbers_is_scored_by_what_other_pages_say_of_it(path: Path, parts) -> None:
    """SQL cannot look into a blob: such a frontier of a stranger is resumed, and nothing of it is NaN."""
    with closing(sqlite3.connect(path)) as sql:
        sql.execute("UPDATE links SET parts = ?", (struct.pack(f"<{len(parts)}d", *parts),))
        sql.commit()
    check(path)
    new = Evidence(0.75, BY_ANCHOR, admitted=True, referrer="http://other.example/", parts=(0.5, 1.0))
    with closing(FrontierStore(path, order=LinkOrder(merge=PatelSchmidt().merge))) as store:
        url = "http://host1.example/1"
        store.add([FrontierLink(fingerprint_of(url, ""), url, new)])
        store.commit(topic="stars", home="inside", files={}, harvest=HARVEST, stats={})
        leased = store.next()
        assert leased is not None
        assert (leased.url, leased.evidence.score) == (url, 0.75)


@pytest.mark.slow
def test_a_crawl_of_a_damaged_frontier_ends_with_one_line_and_goes_on_once_it_is_recovered(
    models, tmp_path, two_regions
) -> None:
    crawl(models, tmp_path, web=two_regions, max_pages=8)
    path = tmp_path / "run" / "frontier.sqlite"
    change(path, f"UPDATE links SET score = 'abc' {A_LINK}")
    refused = crawl(models, tmp_path, web=two_regions, max_pages=12)
    assert (refused.exit_code, len(refused.err.splitlines())) == (1, 1)
    assert f"scrapy frontier {path.parent} --recover" in refused.err
    recovered = scrapy("frontier", "run", "--recover", cwd=tmp_path, env=environment(models))
    assert recovered.exit_code == 0, recovered.err
    assert "1 link dropped for values that no link has" in recovered.out
    done = crawl(models, tmp_path, web=two_regions, max_pages=12)
    assert done.exit_code == 0, done.err
    assert done.stats["focused/pages/fetched_count"] == 12


@pytest.mark.slow
def test_a_kept_request_that_is_damaged_fails_its_link_and_no_more(models, tmp_path, two_regions) -> None:
    crawl(models, tmp_path, web=two_regions, max_pages=8)
    path = tmp_path / "run" / "frontier.sqlite"
    text = json.dumps({"url": "file:///etc/passwd"})
    change(path, f"UPDATE links SET request = '{text}', rank = -(1 << 54) {A_LINK}")
    done = crawl(models, tmp_path, web=two_regions, max_pages=12)
    assert (done.exit_code, "Traceback" in done.err) == (0, False), done.err
    assert "what was kept of the request is damaged" in done.err
    assert done.stats["focused/pages/fetched_count"] == 12


def fail_to_open() -> None:
    """Let a part of the frontier fail as a file does that no check has seen through."""

    def fails(*_: object) -> None:
        raise KeyError("target_length")

    FrontierScheduler._resume = fails  # type: ignore[method-assign, assignment]


@pytest.mark.slow
def test_whatever_fails_as_the_frontier_opens_is_one_line_and_exit_code_1(models, tmp_path, two_regions) -> None:
    crawl(models, tmp_path, web=two_regions, max_pages=8)
    pages = (tmp_path / "run" / "pages.jsonl").read_bytes()
    failed = crawl(models, tmp_path, web=two_regions, max_pages=12, before=fail_to_open)
    assert (failed.exit_code, "Traceback" in failed.err) == (1, False), failed.err
    [line] = [line for line in failed.err.splitlines() if "ERROR" in line]
    assert "frontier.sqlite is damaged: KeyError: 'target_length'. Save what can be read" in line
    assert (tmp_path / "run" / "pages.jsonl").read_bytes() == pages
    done = crawl(models, tmp_path, web=two_regions, max_pages=12)
    assert done.exit_code == 0, done.err
    assert done.stats["focused/pages/fetched_count"] == 12
