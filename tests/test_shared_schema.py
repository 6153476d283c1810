"""The shared frontier's tables, on a real server."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

pytest.importorskip("psycopg")

from focused.frontier.shared.schema import N_PARTITIONS, SharedFrontierError, connect, make_tables


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
        with pytest.raises(SharedFrontierError, match="are of version 0, this program needs 1"):
            make_tables(connection)
