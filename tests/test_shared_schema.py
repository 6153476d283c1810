"""The shared frontier's tables, on a real server."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor

import pytest

pytest.importorskip("psycopg")

from focused.frontier.shared import page_statements, schema
from focused.frontier.shared.schema import N_PARTITIONS, VERSION, SharedFrontierError, connect, make_tables


def test_tables_are_made_once_by_whoever_comes_first_and_those_of_another_version_are_refused(database):
    def make(_: int) -> None:
        with connect(database) as connection:
            make_tables(connection)

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(make, range(4)))
    with connect(database) as connection:
        parts = "SELECT count(*) FROM pg_inherits WHERE inhparent = 'focused.links'::regclass"
        assert connection.execute(parts).fetchone() == (N_PARTITIONS,)
        connection.execute("UPDATE about SET value = '0' WHERE key = 'version'")
        with pytest.raises(SharedFrontierError, match=f"are of version 0, this program needs {VERSION}"):
            make_tables(connection)


def test_tables_of_the_first_version_become_those_of_this_one_when_no_worker_uses_them(database, monkeypatch):
    with monkeypatch.context() as patch, connect(database) as sql:
        patch.setattr(schema, "VERSION", 1)
        make_tables(sql)
        sql.execute("INSERT INTO crawls (name, about) VALUES ('old', '{}')")
        ended = (
            "INSERT INTO workers (crawl, name, alive_until, ended_at) VALUES (1, 'a', now() - interval '1 day', now())"
        )
        sql.execute(ended)
        sql.execute("INSERT INTO records (crawl, worker, record) VALUES (1, 1, 'x')")
        alive = "INSERT INTO workers (crawl, name, alive_until) VALUES (1, 'b', now() + interval '1 hour')"
        sql.execute(alive)
    with (
        connect(database) as sql,
        pytest.raises(SharedFrontierError, match="Now 1 worker at work: wait for the end"),
    ):
        make_tables(sql)
    with connect(database) as sql:
        sql.execute("UPDATE workers SET alive_until = now() - interval '1 day', ended_at = now()")
    for _ in range(2):
        with connect(database) as sql:
            make_tables(sql)
            rows = sql.execute("SELECT name, heir, began_at <= alive_until FROM workers ORDER BY id").fetchall()
            assert rows == [("a", None, True), ("b", None, True)]
            assert sql.execute("SELECT n_links, model_version, record FROM records").fetchall() == [(0, 1, b"x")]
            assert sql.execute("SELECT name FROM crawls").fetchall() == [("old",)]
            assert sql.execute("SELECT value FROM about").fetchall() == [(str(VERSION),)]


@pytest.mark.parametrize("name", ["READ", "LOCK", "CHANGE", "FINISH", "MOVE"])
def test_links_are_looked_up_by_their_whole_keys_before_the_table_has_statistics(database, name):
    statement, n_values = _with_numbers(getattr(page_statements, name))
    with connect(database) as sql:
        make_tables(sql)
        sql.execute(f"PREPARE looked_at AS {statement}")
        plan = sql.execute(f"EXPLAIN EXECUTE looked_at ({', '.join(['NULL'] * n_values)})").fetchall()
    conditions = [line for (line,) in plan if "Cond:" in line and "given" in line]
    assert len(conditions) == N_PARTITIONS
    assert all("(domain = given" in each and "(fingerprint = given" in each for each in conditions)


def _with_numbers(statement: str) -> tuple[str, int]:
    """Return a statement with the numbers of its parameters, and how many they are; those with a name have one each."""
    numbers: dict[str, int] = {}

    def number(found: re.Match[str]) -> str:
        return f"${numbers.setdefault(found[1] or str(len(numbers)), len(numbers) + 1)}"

    return re.sub(r"%(?:\((\w+)\))?s", number, statement), len(numbers)
