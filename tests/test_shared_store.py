"""The frontier that many workers share, on a real server: nothing lost, nothing twice, whatever a worker does."""

from __future__ import annotations

import threading
import time
from collections import Counter, deque
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest
from stores import PostgreSQLStore, link, quick_threads

from focused.frontier.known_links import KnownLinks, LaterPages
from focused.frontier.shared import committer, connections, keeper, outage, retrying_connection
from focused.frontier.shared.commit_result import CommitResult
from focused.frontier.shared.committer import Committer
from focused.frontier.shared.connections import Connections
from focused.frontier.shared.events import EventBox
from focused.frontier.shared.exchange import Exchange
from focused.frontier.shared.link_writing import LinkWriting
from focused.frontier.shared.page import EndedLink, Move, PageCommit
from focused.frontier.shared.schema import connect
from focused.frontier.shared.store import SharedStore
from focused.frontier.shared.worker import Worker
from focused.frontier.shared.worker_terms import Database, WorkerTerms
from focused.frontier.shared.writer import PageWriter
from focused.frontier.shared_scheduler import SharedScheduler
from focused.frontier.store.caps import DOMAIN_CAP
from focused.frontier.store.limits import StoreLimits
from focused.frontier.store.link import FrontierLink, fingerprint_of
from focused.frontier.store.link_order import LinkOrder
from focused.frontier.store.schema import FAILED
from focused.method.scoring.evidence import Evidence

N_HOSTS, N_PAGES = 8, 240
LEASE_SECS = 20.0


def a_link(number: int, score: float = 0.5, **options: Any) -> FrontierLink:
    url = f"http://h{number % N_HOSTS}.example/{number}"
    return FrontierLink(fingerprint_of(url, f"h{number % N_HOSTS}.example"), url, Evidence(score, 0, True), **options)


def a_store(
    database: str, *, max_pages: int = 0, max_relevant: int = 0, max_hosts: int = 64, **options: Any
) -> SharedStore:
    order = LinkOrder()
    terms = WorkerTerms("test", max_pages=max_pages, lease_secs=LEASE_SECS)
    connection = Exchange(Database(database), "stars", terms=terms, order=order)
    return SharedStore(
        Worker(connection, max_pages=max_pages, max_relevant=max_relevant, max_hosts=max_hosts),
        order.ranks,
        StoreLimits(**options),
    )


def until(true: Any, *stores: SharedStore, secs: float = 60.0) -> None:
    end = time.monotonic() + secs
    while not true():
        assert time.monotonic() < end, "not in time"
        for store in stores:
            store.worker.process_events()
        time.sleep(0.01)


@pytest.mark.parametrize("fails_at", [1, 2])
def test_a_database_that_goes_away_while_a_worker_begins_is_waited_for(database, monkeypatch, fails_at):
    n_calls = 0

    def sometimes(url, **options):
        nonlocal n_calls
        n_calls += 1
        if fails_at <= n_calls < fails_at + 2:
            raise psycopg.OperationalError("the server has gone")
        return connect(url, **options)

    monkeypatch.setattr(connections, "connect", sometimes)
    monkeypatch.setattr(retrying_connection, "TRY_AGAIN_SECS", 0.01)
    store = a_store(database)
    assert store.worker.exchange.worker
    assert n_calls >= 4  # the threads connect, too
    store.close()


def test_a_worker_says_once_that_its_database_is_away_and_that_it_is_back(database, monkeypatch, caplog):
    is_away, has_connected = threading.Event(), threading.Event()

    def sometimes(url, **options):
        if is_away.is_set():
            raise psycopg.OperationalError("no server\n\tthere")
        made = connect(url, **options)
        has_connected.set()
        return made

    monkeypatch.setattr(connections, "connect", sometimes)
    monkeypatch.setattr(outage, "_SAID_AFTER_SECS", 0.1)
    monkeypatch.setattr(keeper, "TRY_AGAIN_SECS", 0.02)
    caplog.set_level("INFO", logger="focused.frontier.shared.outage")
    store = a_store(database)
    assert has_connected.wait(60)  # a connection that is about to be made would outlive the others
    is_away.set()
    with connect(database) as sql:
        sql.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    until(lambda: caplog.messages, store)
    time.sleep(0.3)
    is_away.clear()
    until(lambda: len(caplog.messages) > 1, store)
    store.close()
    assert caplog.messages == [
        "The crawl's database cannot be used: no server there. This worker waits for it, 120 s in all",
        "The crawl's database can be used again",
    ]


def test_a_page_that_the_committer_has_just_taken_is_pending(monkeypatch):
    """Whoever looks at that moment; else a worker would be at rest, or its budget larger, while a page is on its way."""
    monkeypatch.setattr(connections, "connect", lambda url: SimpleNamespace(closed=False, close=lambda: None))
    seen, has_seen = [], threading.Event()

    def look() -> None:
        seen.append(made.n_pending)
        has_seen.set()

    class Pages(deque):
        def popleft(self) -> PageCommit:
            page = super().popleft()
            threading.Thread(target=look).start()
            has_seen.wait(0.2)  # it may have to wait
            return page

    def write(*about: Any) -> CommitResult:
        assert has_seen.wait(60)
        return CommitResult()

    made = Committer(Connections(Database("", 1.0)), SimpleNamespace(write=write), EventBox())  # type: ignore[arg-type]
    made._pages = Pages()
    made.write(PageCommit(1))
    made.start()
    assert has_seen.wait(60)
    made.stop()
    made.join()
    assert (seen, made.n_pending) == ([1], 0)


class Fetcher(SimpleNamespace):
    """Fetches pages of a made web: page n links to 2n + 1, 2n + 2 and some that are known."""

    def step(self) -> bool:
        store = self.store
        store.worker.process_events()
        if not store.worker.may_ask or (store.worker.pages_left is not None and store.worker.pages_left <= 0):
            return not store.worker.end_reason
        link = store.next()
        if link is None:
            return not store.worker.end_reason
        number = int(link.url.rpartition("/")[2])
        self.fetched.append(number)
        store.add(
            [
                a_link(each, score=(each % 97) / 97)
                for each in (2 * number + 1, 2 * number + 2, number // 2)
                if each < N_PAGES
            ]
        )
        store.done(link.id, relevant=number % 3 == 0)
        store.draft.add_output("INSERT INTO delivered VALUES (%(page)s, %(number)s)", {"number": number})
        store.commit()
        return True


def loses_lease(store: SharedStore, database: str) -> None:
    """Let a worker's keeper do nothing more, as if the process was stopped, until its lease is over.

    That much time passes at once, by both clocks: a short lease could end before its time on a slow machine.
    """
    exchange, is_asleep = store.worker.exchange, threading.Event()

    def sleep(leasing: Any, tasks: Any) -> bool:
        is_asleep.set()
        return False

    exchange.keeper._keep = sleep  # type: ignore[method-assign]
    assert is_asleep.wait(60)  # else a renewal that is under way would undo it
    with connect(database) as sql:
        late = "UPDATE workers SET alive_until = alive_until - make_interval(secs => %s) WHERE id = %s"
        sql.execute(late, (LEASE_SECS, exchange.worker))
    exchange.keeper.valid_until -= LEASE_SECS


def run(workers: list[Fetcher], secs: float = 60.0) -> None:
    end = time.monotonic() + secs
    going = list(workers)
    while going:
        assert time.monotonic() < end, "not in time"
        going = [fetcher for fetcher in going if fetcher.step()]
        time.sleep(0.001)


@pytest.fixture
def prepared(database):
    with connect(database) as sql:
        sql.execute("CREATE SCHEMA focused")
        sql.execute("CREATE TABLE delivered (page bigint PRIMARY KEY, number integer NOT NULL UNIQUE)")
    return database


def delivered(database: str) -> list[int]:
    with connect(database) as sql:
        return sorted(number for (number,) in sql.execute("SELECT number FROM delivered"))


def test_two_workers_fetch_every_page_once_and_both_have_their_share(prepared):
    workers = [Fetcher(store=a_store(prepared), fetched=[]) for _ in range(2)]
    workers[0].store.add([a_link(0)])
    first, second = workers
    until(lambda: not first.step() or len(first.fetched) >= N_PAGES // 8)
    # Its links wait, and it asks for none of them: on a slow machine it would have fetched all before the second began.
    until(lambda: not second.step() or second.fetched, first.store, second.store)
    run(workers)
    for fetcher in workers:
        assert fetcher.store.worker.end_reason == "finished"
        assert fetcher.store.close() == 0
    assert delivered(prepared) == list(range(N_PAGES))
    assert sorted(first.fetched + second.fetched) == list(range(N_PAGES))
    assert len(first.fetched) > 0
    assert len(second.fetched) > 0


@pytest.mark.parametrize("gives_up", [False, True], ids=["host cap", "origin given up"])
def test_pages_under_way_count_though_what_waits_of_their_host_is_dropped(prepared, gives_up):
    store = a_store(prepared, max_per_host=0 if gives_up else 3)
    refused = []
    store.worker.on_refused = lambda page, why: refused.append(why)
    store.add([a_link(N_HOSTS * number) for number in range(10)])
    under_way = []
    until(lambda: under_way.extend(filter(None, [store.next()])) or len(under_way) >= 3, store)
    if gives_up:
        store.give_up_origin("http://h0.example")
    assert store.next() is None
    dropped = lambda: store.n_unreachable if gives_up else sum(store.n_capped.values())  # noqa: E731
    until(dropped, store)
    for each in under_way:
        store.done(each.id, relevant=True)
        store.draft.add_output("INSERT INTO delivered VALUES (%(page)s, %(number)s)", {"number": each.id % 2**31})
        store.commit()
    until(lambda: not store.worker.exchange.n_pending, store)
    store.worker.process_events()
    assert (refused, len(delivered(prepared)), dropped()) == ([], 3, 7)
    store.close()


def test_a_link_that_waits_though_its_origin_is_given_up_fails_and_the_crawl_ends(prepared):
    store = a_store(prepared)
    store.add([a_link(0)])
    under_way = []
    until(lambda: under_way.extend(filter(None, [store.next()])) or under_way, store)
    store.give_up_origin("http://h0.example")  # which leaves out what is under way
    until(lambda: not store.draft.page and not store.worker.exchange.n_pending, store)
    store.give_back(under_way[0].id)
    store.worker.own_hosts.clear()  # its host goes, and comes again with the link
    until(lambda: store.worker.end_reason == "finished", store, secs=30.0)
    assert store.n_unreachable == 1
    store.close()


def test_why_a_crawl_ended_is_noted_though_its_database_is_away_at_that_moment(prepared, database_server):
    fetcher = Fetcher(store=a_store(prepared, max_pages=1), fetched=[])
    fetcher.store.add([a_link(0)])
    run([fetcher])
    until(lambda: not fetcher.store.worker.exchange.n_pending, fetcher.store)

    def let_in(is_open: bool) -> None:
        with connect(database_server) as sql:
            name = prepared.partition("?")[0].rpartition("/")[2]
            sql.execute(f'ALTER DATABASE "{name}" WITH ALLOW_CONNECTIONS {is_open}')
            if not is_open:
                sql.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (name,))

    let_in(False)
    back = threading.Timer(1.0, let_in, (True,))
    back.start()
    assert fetcher.store.close(fetcher.store.worker.end_reason) == 0
    back.join()
    with connect(prepared) as sql:
        assert sql.execute("SELECT reason FROM crawls").fetchall() == [("max_pages",)]
        assert sql.execute("SELECT count(*) FROM workers WHERE ended_at IS NULL").fetchone() == (0,)


def test_a_worker_ends_when_no_page_can_be_stored_and_no_link_fails_for_it(prepared):
    """A right that was taken away, here a table, is no fault of a page; whoever gives it back goes on with all links."""
    fetcher, gone = Fetcher(store=a_store(prepared), fetched=[]), []
    fetcher.store.worker.on_gone = gone.append
    fetcher.store.add([a_link(0)])
    until(lambda: fetcher.step() and len(delivered(prepared)) >= 20)
    with connect(prepared) as sql:
        sql.execute("ALTER TABLE delivered RENAME TO away")
    until(lambda: fetcher.step() and gone)
    fetcher.store.close()
    with connect(prepared) as sql:
        assert sql.execute("SELECT count(*) FROM links WHERE state = %s", (FAILED,)).fetchone() == (0,)
        sql.execute("ALTER TABLE away RENAME TO delivered")
    other = Fetcher(store=a_store(prepared), fetched=[])
    run([other])
    other.store.close()
    assert delivered(prepared) == list(range(N_PAGES))


@pytest.mark.parametrize("limit", ["max_pages", "max_relevant"])
def test_why_a_crawl_ended_is_noted_though_its_last_worker_closes_before_it_has_looked_again(prepared, limit):
    """A spider that has had its pages closes at once."""
    fetcher = Fetcher(store=a_store(prepared, **{limit: 1}), fetched=[])
    fetcher.store.add([a_link(0)])
    until(lambda: fetcher.step() and fetcher.fetched)
    fetcher.store.close()
    with connect(prepared) as sql:
        assert sql.execute("SELECT reason FROM crawls").fetchall() == [(limit,)]


def test_a_worker_that_may_have_found_enough_asks_for_nothing_until_the_database_has_counted(prepared):
    """What was refused is no page of the crawl: then it goes on."""
    store = a_store(prepared, max_relevant=2)
    until(lambda: store.worker.totals is not None and store.worker.may_ask, store)
    store.worker.goal.n_found = lambda: 2
    assert not store.worker.may_ask
    until(lambda: store.worker.may_ask, store)
    assert store.worker.end_reason != "max_relevant"
    store.close()


def test_pages_wait_while_the_disk_of_the_database_is_full_and_none_is_lost_or_twice(prepared, monkeypatch):
    monkeypatch.setattr("focused.frontier.shared.committer.TRY_AGAIN_SECS", 0.05)
    n_tries, write = 0, PageWriter.write

    def counted(*given: Any) -> Any:
        nonlocal n_tries
        n_tries += 1
        return write(*given)

    monkeypatch.setattr(PageWriter, "write", counted)
    with connect(prepared) as sql:
        sql.execute("CREATE TABLE disk (is_full boolean NOT NULL)")
        sql.execute("INSERT INTO disk VALUES (false)")
        sql.execute("""
            CREATE FUNCTION fails_if_full() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                IF (SELECT is_full FROM disk) THEN
                    RAISE 'could not extend file: No space left on device' USING ERRCODE = 'disk_full';
                END IF;
                RETURN NEW;
            END $$""")
        sql.execute("CREATE TRIGGER fills BEFORE INSERT ON delivered EXECUTE FUNCTION fails_if_full()")
    worker = Fetcher(store=a_store(prepared), fetched=[])
    worker.store.add([a_link(0)])
    until(lambda: worker.step() and len(delivered(prepared)) >= 20)
    with connect(prepared) as sql, sql.transaction():
        sql.execute("LOCK TABLE delivered IN SHARE ROW EXCLUSIVE MODE")  # pages that are being written come before
        sql.execute("UPDATE disk SET is_full = true")
        n_before, n_tries = len(delivered(prepared)), 0
    # Some are fetched meanwhile, and wait.
    until(lambda: worker.step() and n_tries > 5 and len(worker.fetched) > n_before)
    assert len(delivered(prepared)) == n_before
    with connect(prepared) as sql:
        sql.execute("UPDATE disk SET is_full = false")
    run([worker])
    worker.store.close()
    assert delivered(prepared) == sorted(worker.fetched) == list(range(N_PAGES))


@pytest.mark.parametrize(
    "error", [psycopg.errors.ReadOnlySqlTransaction, psycopg.errors.IdleInTransactionSessionTimeout]
)
def test_pages_wait_while_a_standby_takes_the_servers_place_or_a_process_slept_and_none_fails(
    prepared, monkeypatch, error
):
    """PostgreSQL counts these among internal errors: a server that is not the first one yet; a transaction that it has closed."""
    is_away, n_refused = threading.Event(), Counter()

    def refusing(method: Any) -> Any:
        def refuse(*given: Any) -> Any:
            if is_away.is_set():
                n_refused[method.__qualname__] += 1
                raise error("not now")
            return method(*given)

        return refuse

    for owner, name in ((PageWriter, "write"), (keeper.Keeper, "_keep")):
        monkeypatch.setattr(owner, name, refusing(getattr(owner, name)))
    for module in (committer, keeper):
        monkeypatch.setattr(module, "TRY_AGAIN_SECS", 0.05)
    worker = Fetcher(store=a_store(prepared), fetched=[])
    gone = []
    worker.store.worker.on_gone = gone.append
    worker.store.add([a_link(0)])
    until(lambda: worker.step() and len(delivered(prepared)) >= 20)
    is_away.set()
    until(lambda: worker.step() and len(n_refused) == 2 and min(n_refused.values()) > 3)
    is_away.clear()
    run([worker])
    worker.store.close()
    assert not gone
    assert delivered(prepared) == sorted(worker.fetched) == list(range(N_PAGES))


def test_two_pages_that_each_meet_the_link_that_the_other_moves_do_not_lock_each_other_out(prepared, monkeypatch):
    low, high = sorted((a_link(0), a_link(N_HOSTS)), key=lambda link: link.fingerprint)
    both_hold_locks = threading.Barrier(2)
    failed = []

    class Waits(LinkWriting):
        """Goes on when the other has its locks, too; where the other must wait for them, it goes on alone."""

        def _join(self, *about: Any) -> None:
            with suppress(threading.BrokenBarrierError):
                both_hold_locks.wait(0.3)
            super()._join(*about)

    def write(met: FrontierLink, moved: FrontierLink) -> None:
        exchange = a_store(prepared).worker.exchange
        page = PageCommit(exchange.worker, links=[met], moves=[Move(moved.fingerprint, moved.host, 0.75)])
        try:
            with connect(prepared) as sql:
                exchange.writer.write(sql, exchange.worker, [page])
        except psycopg.Error as error:
            failed.append(error)
        exchange.close({})

    store = a_store(prepared)
    store.add([low, high])
    until(lambda: store.worker.exchange.n_written, store)
    monkeypatch.setattr("focused.frontier.shared.writer.LinkWriting", Waits)
    threads = [threading.Thread(target=write, args=links) for links in ((low, high), (high, low))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    store.close()
    assert failed == []
    with connect(prepared) as sql:
        assert sql.execute("SELECT score FROM focused.links").fetchall() == [(0.75,), (0.75,)]


def with_many_links(database: str) -> tuple[SharedStore, list[FrontierLink]]:
    """Return a store with links enough for a plan by key, and these."""
    store, links = a_store(database), [a_link(number) for number in range(6_000)]
    store.add(links)
    until(lambda: store.worker.exchange.n_written, store)
    return store, links


def test_a_page_counts_though_another_worker_moves_its_link_at_that_moment(prepared):
    """PostgreSQL 18 leaves out what it has waited for, if the table is partitioned and large enough for a plan by key."""
    store, links = with_many_links(prepared)
    exchange = store.worker.exchange
    worker, writer, ended = exchange.worker, exchange.writer, links[: 2 * N_HOSTS]
    written = []
    with connect(prepared) as sql, connect(prepared) as other:
        sql.execute("ANALYZE links, hosts")
        page = PageCommit(
            worker, ended=[EndedLink(each.fingerprint, each.host, each.url, 2, None, True) for each in ended]
        )
        thread = threading.Thread(target=lambda: written.append(writer.write(sql, worker, [page])))
        with other.transaction():
            other.execute(
                "UPDATE links SET score = 0.75 WHERE fingerprint = ANY(%s)", ([each.fingerprint for each in ended],)
            )
            thread.start()
            thread.join(0.3)
            assert thread.is_alive()
        thread.join()
        assert len(written) == 1
        assert sql.execute("SELECT count(*), min(score) FROM links WHERE state = 2").fetchone() == (len(ended), 0.75)
    store.close()


def test_links_are_moved_though_another_worker_changes_them_at_that_moment(prepared):
    """Moves alone are locked by the statement that moves: what it has waited for is moved, too, but not what has ended."""
    store, links = with_many_links(prepared)
    exchange = store.worker.exchange
    moved, ended = links[: 2 * N_HOSTS], links[0].fingerprint
    page = PageCommit(exchange.worker, moves=[Move(each.fingerprint, each.host, 0.75) for each in moved])
    written = []
    with connect(prepared) as sql, connect(prepared) as other:
        sql.execute("ANALYZE links, hosts")
        thread = threading.Thread(target=lambda: written.append(exchange.writer.write(sql, exchange.worker, [page])))
        with other.transaction():
            other.execute(
                "UPDATE links SET tunnel = 7 WHERE fingerprint = ANY(%s)", ([each.fingerprint for each in moved],)
            )
            other.execute("UPDATE links SET state = 2 WHERE fingerprint = %s", (ended,))
            thread.start()
            thread.join(0.3)
            assert thread.is_alive()
        thread.join()
        assert len(written[0].moved) == len(moved) - 1
        query = "SELECT count(*), min(tunnel) FROM links WHERE score = 0.75 AND fingerprint <> %s"
        assert sql.execute(query, (ended,)).fetchone() == (len(moved) - 1, 7)
    store.close()


def test_a_free_hosts_row_is_locked_and_changed_only_by_a_link_that_is_its_best(prepared):
    exchange = a_store(prepared).worker.exchange
    first, poorer, better_one = (
        FrontierLink(fingerprint_of(url, "h.org"), url, Evidence(score, 0, True))
        for url, score in (("http://h.org/a", 0.5), ("http://h.org/b", 0.25), ("http://h.org/c", 0.75))
    )
    rows = []
    with connect(prepared) as sql, connect(prepared) as other:
        for link in (first, poorer, better_one):
            with sql.transaction():
                exchange.writer.write(sql, exchange.worker, [PageCommit(exchange.worker, links=[link])])
                free = other.execute("SELECT name FROM hosts FOR UPDATE SKIP LOCKED").fetchall()
            assert free == []
            rows += sql.execute("SELECT xmin::text, best FROM hosts").fetchall()
    exchange.close({})
    assert rows[0] == rows[1]
    assert rows[2][1] < rows[1][1]


def test_what_a_dead_worker_held_is_fetched_by_another_and_its_late_page_is_refused(prepared):
    dead = Fetcher(store=a_store(prepared), fetched=[])
    dead.store.add([a_link(0)])
    until(lambda: not dead.step() or len(dead.fetched) >= 60, dead.store)
    until(lambda: dead.store.next() is not None, dead.store)
    late, (_, link) = next(iter(dead.store.own.under_way.items()))
    until(lambda: not dead.store.draft and not dead.store.worker.exchange.n_pending, dead.store)
    loses_lease(dead.store, prepared)
    heir = Fetcher(store=a_store(prepared), fetched=[])
    run([heir])
    assert not dead.store.worker.may_ask
    refused = []
    dead.store.worker.on_refused = lambda page, why: refused.append(why)
    dead.store.done(late, relevant=True)
    dead.store.draft.add_output(
        "INSERT INTO delivered VALUES (%(page)s, %(number)s)", {"number": int(link.url.rpartition("/")[2])}
    )
    dead.store.commit()
    until(lambda: refused, dead.store)
    assert refused == ["lease lost"]
    assert delivered(prepared) == list(range(N_PAGES))
    assert not set(dead.fetched) & set(heir.fetched)
    heir.store.close()
    dead.store.close()


def ended_by_others(store: SharedStore, sql: psycopg.Connection[Any]) -> None:
    """Let a worker be ended, as by others whom its lease seemed to have run out."""
    sql.execute("UPDATE workers SET ended_at = now() WHERE id = %s", (store.worker.exchange.worker,))
    sql.execute("UPDATE hosts SET owner = NULL")


def a_refusing_scheduler(store: SharedStore) -> tuple[KnownLinks, list[str]]:
    """What a worker's scheduler does with pages that are refused; returns also why they were."""
    links, refused = KnownLinks(store, LaterPages(are_joined=False)), []
    scheduler = SimpleNamespace(_stats=SimpleNamespace(inc_value=lambda name: None), _links=links, store=store)

    def on_refused(page: PageCommit, why: str) -> None:
        refused.append(why)
        SharedScheduler._refused(scheduler, page, why)

    store.worker.on_refused = on_refused
    return links, refused


def test_links_of_a_page_that_was_refused_with_the_lease_are_sent_again_when_the_same_worker_fetches_it_again(prepared):
    """The worker remembers what it has sent, and sends nothing twice; these links nobody has."""
    store, found = a_store(prepared), a_link(N_HOSTS)
    links, refused = a_refusing_scheduler(store)
    links.add(a_link(0))
    with connect(prepared) as sql:
        for n_turn in range(2):
            leased: list[Any] = []
            until(lambda leased=leased: leased.extend(filter(None, [store.next()])) or leased, store)
            assert leased[0].url == a_link(0).url
            if not n_turn:
                ended_by_others(store, sql)
            for url in links.sort_links({found.url: 0}, None, drops=False)[0].new:
                assert url == found.url
                links.add(found)
            store.done(leased[0].id, relevant=True)
            store.commit()
            until(lambda: not store.worker.exchange.n_pending and not store.draft, store)
        assert refused == ["lease lost"]
        assert sql.execute("SELECT url FROM links WHERE state = 0").fetchall() == [(found.url,)]
    store.close()


def test_seeds_that_were_refused_with_the_lease_are_sent_again(prepared):
    store = a_store(prepared)
    _, refused = a_refusing_scheduler(store)
    with connect(prepared) as sql:
        ended_by_others(store, sql)
        store.add([a_link(0)])
        store.commit()
        until(lambda: refused, store)
        found = "SELECT url FROM links"
        until(lambda: sql.execute(found).fetchall() == [(a_link(0).url,)], store)
    store.close()


def test_a_domain_gives_no_more_pages_than_its_cap_over_all_workers(database, monkeypatch):
    with quick_threads(monkeypatch):
        workers = [PostgreSQLStore(database, max_per_domain=5, max_hosts=2) for _ in range(3)]
        workers[0].add(*(link(f"http://h{number}.trap.example/{turn}") for number in range(4) for turn in range(3)))
        workers[1].add(*(link(f"http://h{number}.fair.example/1") for number in range(3)))
        fetched: list[str] = []
        end = time.monotonic() + 60
        while not workers[0].worker.end_reason and time.monotonic() < end:
            for at in workers:
                at.worker.process_events()
                if (leased := at.store.next()) is not None:
                    fetched.append(leased.host.partition(".")[2])
                    at.store.done(leased.id, relevant=True)
                    at.store.commit()
        assert Counter(fetched) == {"trap.example": 5, "fair.example": 3}
        assert sum((at.worker.n_capped for at in workers), Counter()) == {DOMAIN_CAP: 7}
        for at in workers:
            at.close()


def test_the_budget_is_exact_over_all_workers_also_when_one_dies(prepared):
    workers = [Fetcher(store=a_store(prepared, max_pages=100), fetched=[]) for _ in range(3)]
    dead, *others = workers
    dead.store.add([a_link(0)])
    until(lambda: not dead.step() or len(dead.fetched) >= 20)
    until(
        lambda: not all(fetcher.step() for fetcher in others) or any(fetcher.fetched for fetcher in others), dead.store
    )
    loses_lease(dead.store, prepared)
    run(others)
    assert {fetcher.store.worker.end_reason for fetcher in others} == {"max_pages"}
    assert len(delivered(prepared)) == 100
    for fetcher in workers:
        fetcher.store.close()


def test_a_worker_without_pages_leaves_its_hosts_to_one_that_has_some_and_takes_hosts_again_when_it_gets_some(prepared):
    """Else one worker sat on the best links, and the other spent minutes on links that brought no page."""
    # Before the other one has shown itself, a worker takes all hosts that it may hold.
    spent, other = (Fetcher(store=a_store(prepared, max_pages=20, max_hosts=most), fetched=[]) for most in (1, 64))
    for each in (spent, other):  # so far each has one host, and the other one's are no better
        each.store.worker._overview.release_hosts = lambda *about, **more: None
    spent.store.add([a_link(N_HOSTS * number, 0.9) for number in range(30)])
    until(lambda: len(spent.store.worker.own_hosts) == 1, spent.store)
    other.store.add([a_link(N_HOSTS * number + 1, 0.1) for number in range(5)])
    until(
        lambda: other.store.worker.own_hosts.get("h1.example") and other.store.worker.pages_left,
        spent.store,
        other.store,
    )
    until(lambda: not spent.step() or len(spent.fetched) + other.store.worker.pages_left == 20, other.store)
    assert len(spent.fetched) < 20
    until(lambda: other.store.worker.own_hosts.get("h0.example"), spent.store, other.store, secs=20.0)
    assert not len(spent.store.worker.own_hosts)
    loses_lease(other.store, prepared)
    run([spent])
    assert (spent.store.worker.end_reason, len(delivered(prepared))) == ("max_pages", 20)
    for each in (spent, other):
        each.store.close()


def test_minutes_of_a_crawl_are_those_with_any_worker_and_two_at_once_count_once(prepared):
    store = a_store(prepared)
    at = store.worker.exchange.crawl
    store.close()
    with connect(prepared) as sql:
        sql.execute("DELETE FROM workers")
        for began, alive, ended in (("0:10", "0:09", "0:08"), ("0:09", "0:07", "0:07"), ("0:02", "-0:01", None)):
            sql.execute(
                "INSERT INTO workers (crawl, name, began_at, alive_until, ended_at) VALUES (%s, 'w', now() - %s::interval, "
                "now() - %s::interval, now() - %s::interval)",
                (at, began, alive, ended),
            )
    again = a_store(prepared)
    assert again.worker.exchange.spent_secs == pytest.approx((3 + 2) * 60, abs=30)
    again.close()
