"""Records of other workers, on a real server: none is skipped, whenever its transaction commits, and each is read once."""

from __future__ import annotations

import threading

import psycopg
import pytest
from test_shared_store import a_link

from focused.frontier.shared import records, rows_of_others
from focused.frontier.shared.link_writing import LinkRules
from focused.frontier.shared.page import LearntRecord, PageCommit
from focused.frontier.shared.page_statements import RECORD
from focused.frontier.shared.records import RecordReader
from focused.frontier.shared.schema import connect, make_tables
from focused.frontier.shared.writer import PageWriter
from focused.frontier.store.ranks import Ranks
from focused.method.scoring.evidence import better

LOCK = "UPDATE workers SET n_pages = n_pages WHERE id = %s AND ended_at IS NULL"


class Crawl:
    """A crawl with workers that write records, each on a connection of its own."""

    def __init__(self, database: str) -> None:
        self.database = database
        self.sql = connect(database)
        make_tables(self.sql)
        self.number = self.one("INSERT INTO crawls (name, about) VALUES ('stars', '{}') RETURNING id")
        self.workers: dict[int, psycopg.Connection] = {}

    def one(self, statement: str, *values: object) -> int:
        row = self.sql.execute(statement, values).fetchone()
        assert row is not None
        return row[0]

    def worker(self) -> int:
        joins = "INSERT INTO workers (crawl, name, alive_until) VALUES (%s, 'w', now() + interval '1 day') RETURNING id"
        number = self.one(joins, self.number)
        self.workers[number] = connect(self.database)
        return number

    def end(self, worker: int) -> None:
        self.sql.execute("UPDATE workers SET ended_at = now() WHERE id = %s", (worker,))

    def write(self, worker: int, *names: str, n_links: int = 1) -> None:
        """Write records as the transaction of a page does, within one if that is open."""
        sql = self.workers[worker]
        with sql.transaction():
            assert sql.execute(LOCK, (worker,)).rowcount
            for name in names:
                sql.execute(RECORD, (self.number, worker, n_links, 1, name.encode()))

    def read(self, reader: RecordReader, *own: int, n_most: int = 10) -> list[str]:
        return [each.record.decode() for each in reader.read(self.sql, own, n_most)]

    def close(self) -> None:
        for sql in (self.sql, *self.workers.values()):
            sql.close()


@pytest.fixture
def crawl(database):
    made = Crawl(database)
    yield made
    made.close()


def test_records_of_a_transaction_that_commits_late_are_read_after_those_with_higher_numbers(crawl):
    late, early = crawl.worker(), crawl.worker()
    reader = RecordReader(crawl.number)
    with crawl.workers[late].transaction():
        crawl.write(late, "late 1", "late 2")
        crawl.write(early, "early 1")
        assert crawl.read(reader) == ["early 1"]
        crawl.write(early, "early 2")
        assert crawl.read(reader) == ["early 2"]
    assert crawl.read(reader) == ["late 1", "late 2"]
    assert crawl.read(reader) == []
    numbers = "SELECT max(id) FROM records WHERE worker = %s"
    assert crawl.one(numbers, late) < crawl.one(numbers, early)


def test_of_one_worker_numbers_rise_in_the_order_of_its_commits(crawl):
    """Also if the end of a transaction was not heard, and the committer writes the next on another connection."""
    worker = crawl.worker()
    reader = RecordReader(crawl.number)
    writer = PageWriter(LinkRules(crawl.number, Ranks(), better, lambda n_links: range(1, 1 + n_links)))

    def write() -> None:
        with connect(crawl.database) as sql:
            writer.write(sql, worker, [PageCommit(worker, links=[a_link(1)], records=[LearntRecord(1, 1, b"second")])])

    second = threading.Thread(target=write)
    with crawl.workers[worker].transaction():
        crawl.workers[worker].execute(LOCK, (worker,))
        second.start()
        second.join(0.3)
        assert second.is_alive()  # it waits, before it has taken a number
        crawl.write(worker, "first")
        assert crawl.read(reader) == []
    second.join()
    assert crawl.read(reader, n_most=1) == ["first"]
    assert crawl.read(reader) == ["second"]


def test_own_records_are_left_out_and_those_of_the_others_come_in_the_order_of_their_numbers(crawl):
    mine, before, other, another = (crawl.worker() for _ in range(4))
    for name in "abc":
        for worker in (mine, another, before, other):
            crawl.write(worker, f"{name}{worker}")
    reader = RecordReader(crawl.number)
    expected = [f"{name}{worker}" for name in "abc" for worker in (another, other)]
    found = []
    while some := crawl.read(reader, mine, before, n_most=4):
        found.append(some)
    assert found == [expected[:4], expected[4:]]


def test_a_worker_that_has_ended_is_looked_at_until_its_last_record_was_read(crawl):
    ended, alive = crawl.worker(), crawl.worker()
    reader = RecordReader(crawl.number)
    crawl.write(ended, "1", "2", "3")
    crawl.end(ended)
    assert crawl.read(reader, n_most=2) == ["1", "2"]
    crawl.write(alive, "4")
    assert crawl.read(reader) == ["3", "4"]
    assert reader._finished == {ended}
    crawl.write(alive, "5")
    assert crawl.read(reader) == ["5"]


def test_no_crawl_reads_those_of_another(crawl):
    worker = crawl.worker()
    crawl.write(worker, "mine")
    assert crawl.read(RecordReader(crawl.number + 1)) == []
    assert crawl.read(RecordReader(crawl.number)) == ["mine"]


def test_of_more_than_can_be_remembered_the_latest_are_read(crawl, monkeypatch):
    monkeypatch.setattr(records, "_ROWS_AT_A_TIME", 2)
    one, other = crawl.worker(), crawl.worker()
    for number in range(5):
        crawl.write(one, f"one {number}", n_links=10)
        crawl.write(other, f"other {number}", n_links=20)
    for max_links, n_records in ((0, 0), (60, 4), (79, 4), (80, 5), (1_000, 10)):
        reader = RecordReader(crawl.number)
        assert reader.leave_out_old(crawl.sql, max_links) == n_records
        found = crawl.read(reader)
        assert found == [f"{who} {number}" for number in range(5) for who in ("one", "other")][10 - n_records :]


def test_who_begins_reads_and_counts_records_of_the_version_in_use_only(crawl):
    one = crawl.worker()
    for version in (2, 3):
        crawl.write(one, *(f"of {version - 1}, {number}" for number in range(3)))
        add_version(crawl.sql, crawl.number, version)
    crawl.write(one, "of 3, 0", "of 3, 1")
    reader = RecordReader(crawl.number)
    assert reader.leave_out_old(crawl.sql, 1_000) == 2
    assert crawl.read(reader) == ["of 3, 0", "of 3, 1"]


def add_version(sql, crawl: int, version: int) -> None:
    about = crawl, version, crawl
    sql.execute(
        "INSERT INTO versions (crawl, version, accepted, attempt, labels, floor) "
        "SELECT %s, %s, true, '{}', '{}', max(id) FROM records WHERE crawl = %s", about
    )  # fmt: skip


def test_who_is_far_behind_goes_on_with_the_latest(crawl, monkeypatch):
    monkeypatch.setattr(rows_of_others, "_LOOK_SECS", 0.0)
    monkeypatch.setattr(rows_of_others, "MOST_BEHIND", 5)
    worker = crawl.worker()
    crawl.write(worker, *map(str, range(20)))
    reader = RecordReader(crawl.number)
    assert crawl.read(reader, n_most=3) == ["0", "1", "2"]
    assert crawl.read(reader, n_most=3) == ["15", "16", "17"]
    assert crawl.read(reader, n_most=3) == ["18", "19"]
