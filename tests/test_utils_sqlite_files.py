"""SQLite files of strangers: nothing in them acts by itself, and no statement that somebody waits for lasts for ever."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from focused.collection.schema import CollectionFileError, open_collection
from focused.frontier.store.schema import FrontierFileError, open_file
from focused.utils.sqlite_files import INTERRUPTED, done_within, guard

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
OPENED = {
    "collection": (open_collection, CollectionFileError, "pages"),
    "frontier": (open_file, FrontierFileError, "links"),
}


def test_a_statement_that_does_not_end_is_ended_in_time_and_the_connection_lives_on():
    with closing(sqlite3.connect(":memory:")) as sql:
        with done_within(0.05):
            guard(sql, {})
            with pytest.raises(sqlite3.OperationalError, match=INTERRUPTED):
                sql.execute(ENDLESS).fetchone()
        with done_within(30):  # each block counts anew
            assert sql.execute("SELECT 1").fetchone() == (1,)
            assert sql.execute(f"{ENDLESS.replace('FROM n)', 'FROM n WHERE i < 100000)')}").fetchone() == (100_000,)


def test_who_does_not_wait_has_no_deadline():
    with closing(sqlite3.connect(":memory:")) as sql:
        guard(sql, {})
        with done_within(-1):
            assert sql.execute(f"{ENDLESS.replace('FROM n)', 'FROM n WHERE i < 100000)')}").fetchone() == (100_000,)


@pytest.mark.parametrize("name", OPENED)
@pytest.mark.parametrize("is_disguised", [False, True])
def test_a_file_with_a_trigger_is_refused_before_anything_is_written(tmp_path, name, is_disguised):
    opened, error, table = OPENED[name]
    path = tmp_path / f"{name}.sqlite"
    opened(path).close()
    with closing(sqlite3.connect(path)) as sql:
        sql.execute(f"CREATE TRIGGER t BEFORE INSERT ON {table} BEGIN DELETE FROM {table}; END")
        if is_disguised:
            sql.execute("PRAGMA writable_schema = ON")
            sql.execute("UPDATE sqlite_master SET type = 'TRIGGER' WHERE name = 't'")
        sql.commit()
    before = path.read_bytes()
    for read_only in (True, False):
        with pytest.raises(error, match="holds a trigger"):
            opened(path, read_only=read_only)
    assert path.read_bytes() == before


@pytest.mark.parametrize("name", OPENED)
@pytest.mark.parametrize("kind", ["VIEW {} AS", "VIRTUAL TABLE {} USING fts5(a) --"])
def test_a_file_with_something_else_in_the_place_of_a_table_is_refused(tmp_path, name, kind):
    opened, error, table = OPENED[name]
    path = tmp_path / f"{name}.sqlite"
    opened(path).close()
    with closing(sqlite3.connect(path)) as sql:
        sql.execute(f"ALTER TABLE {table} RENAME TO other")
        sql.execute(f"CREATE {kind.format(table.upper())} {ENDLESS}")
        sql.commit()
    for read_only in (True, False):
        with pytest.raises(error, match="in the place of a table"):
            opened(path, read_only=read_only)


def test_a_view_of_the_users_own_changes_nothing_and_words_are_found_still(tmp_path):
    with closing(open_collection(tmp_path / "a.sqlite")) as sql:
        sql.execute("CREATE VIEW mine AS SELECT url FROM pages")
        sql.execute("CREATE VIEW broken AS SELECT * FROM absent")
    with closing(open_collection(tmp_path / "a.sqlite")) as sql:
        assert sql.execute("PRAGMA page_size").fetchone() == (8192,)
        assert sql.execute("SELECT * FROM mine").fetchall() == []
        sql.execute("INSERT INTO pages_fts (rowid, title, text) VALUES (1, 'a', 'star')")
        assert sql.execute("SELECT rowid FROM pages_fts WHERE pages_fts MATCH 'star'").fetchall() == [(1,)]
