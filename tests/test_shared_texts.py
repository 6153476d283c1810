"""What pages of other workers say of copies and traps, on a real server."""

from __future__ import annotations

import pytest

pytest.importorskip("psycopg")

from test_shared_store import a_link, a_store, until

from focused.frontier.shared.schema import connect

STARS, DUST = b"a sketch", b"another"


class Listening:
    """A worker that notes what it hears of the pages of others."""

    def __init__(self, database, *, max_pages=100):
        self.store, self.heard = a_store(database), []
        self.store.worker.texts.subscribe(lambda texts: self.heard.extend(map(tuple, texts)), max_pages)
        self.n_at_first = len(self.heard)

    def fetch(self, copy_of="", sketch=STARS):
        found = []
        until(lambda: self.store.worker.may_ask and found.append(self.store.next()) is None and found[-1], self.store)
        link = found[-1]
        said = link.url, copy_of, "http://h.example/", not copy_of
        self.store.texts(1).add(*said[:3], sketch, said[3])
        self.store.done(link.id, relevant=not copy_of)
        self.store.commit()
        until(lambda: not self.store.worker.exchange.n_pending, self.store)
        return (*said, sketch)

    def hears(self, *pages):
        until(lambda: len(self.heard) >= len(pages), self.store)
        assert sorted(self.heard) == sorted(pages)


@pytest.fixture
def listening(database):
    made = []

    def listen(**options):
        made.append(Listening(database, **options))
        return made[-1]

    yield listen
    for each in made:
        each.store.close()


def test_every_worker_hears_once_of_each_page_of_others_and_of_none_of_its_own(listening):
    first = listening()
    first.store.add([a_link(number) for number in range(4)])
    first.store.commit()
    one = first.fetch()
    second = listening()
    assert second.heard == [one]  # before it asks for anything
    two = first.fetch(copy_of=one[0], sketch=b"")
    second.hears(one, two)
    first.store.close()
    three, four = second.fetch(sketch=DUST), second.fetch()
    third = listening()
    third.hears(one, two, three, four)
    assert third.n_at_first == 4
    assert first.heard == []
    assert sorted(second.heard) == sorted([one, two])


def test_who_comes_late_hears_of_the_latest_pages_only(listening):
    first = listening()
    first.store.add([a_link(number) for number in range(3)])
    first.store.commit()
    pages = [first.fetch() for _ in range(3)]
    assert listening(max_pages=2).heard == pages[1:]


def test_a_server_that_breaks_off_while_a_worker_hears_of_earlier_pages_is_asked_again(listening, database):
    first = listening()
    first.store.add([a_link(number) for number in range(2)])
    first.store.commit()
    pages = [first.fetch() for _ in range(2)]
    second, heard = a_store(database), []

    def hear_and_break_off(texts):
        heard.extend(map(tuple, texts))
        with connect(database) as sql:
            sql.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )

    second.worker.texts.subscribe(hear_and_break_off, 10)
    second.close()
    assert heard == pages


def test_what_a_refused_page_says_is_heard_by_nobody(listening, database):
    first = listening()
    first.store.add([a_link(0)])
    first.store.commit()
    until(lambda: len(first.store.own) == 1, first.store)
    with connect(database) as sql:
        sql.execute("UPDATE links SET state = 2")  # another worker was first
    first.fetch()
    with connect(database) as sql:
        assert sql.execute("SELECT count(*) FROM texts").fetchone() == (0,)
