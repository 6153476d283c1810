"""The connections of a worker's threads: where the server allows too few, one serves all of them, and that is said."""

from __future__ import annotations

import os
import re
import threading
from contextlib import contextmanager
from types import SimpleNamespace

import psycopg
import pytest
from commands import ROOT, crawl, crawl_argv, environment, scrapy
from test_shared_store import (  # noqa: F401
    LEASE_SECS,
    N_PAGES,
    Fetcher,
    a_link,
    a_store,
    delivered,
    loses_lease,
    prepared,
    run,
    until,
)

from focused.crawl import shared_trainer
from focused.crawl.shared_trainer import SharedTrainer
from focused.frontier.shared import committer, connections, keeper, outage
from focused.frontier.shared import lease_statements as statements
from focused.frontier.shared.boot_clock import now
from focused.frontier.shared.committer import Committer
from focused.frontier.shared.connections import COMMITTER, KEEPER, Connections
from focused.frontier.shared.events import DatabaseGone, EventBox
from focused.frontier.shared.leasing import Leasing
from focused.frontier.shared.page import PageCommit
from focused.frontier.shared.schema import connect
from focused.frontier.shared.worker_terms import Database

LONG_STARTED = statements.OVERDUE.replace("pg_postmaster_start_time()", "'-infinity'::timestamptz")
"""As of a server that has run for long."""


@contextmanager
def few_connections(database: str, limit: int):
    """Yield the URL of the same database for a role that may have only so many connections."""
    role = f"few_{os.getpid()}"
    with connect(database) as sql:
        sql.execute(f"CREATE ROLE {role} LOGIN CONNECTION LIMIT {limit}")
        try:
            sql.execute(f"GRANT ALL ON SCHEMA focused TO {role}")
            sql.execute(f"GRANT ALL ON ALL TABLES IN SCHEMA focused TO {role}")
            name = sql.info.dbname
            sql.execute(f'GRANT ALL ON DATABASE "{name}" TO {role}')
            yield re.sub(r"^postgresql://[^@]*@", f"postgresql://{role}@", database)
        finally:
            sql.execute("SELECT pg_terminate_backend(pid, 10_000) FROM pg_stat_activity WHERE usename = %s", (role,))
            sql.execute(f"DROP OWNED BY {role} CASCADE")
            sql.execute(f"DROP ROLE {role}")


@pytest.mark.parametrize("limit", [3])
def test_workers_that_get_fewer_connections_than_they_have_threads_fetch_every_page_once_and_say_so(
    prepared,  # noqa: F811
    caplog,
    limit,
):
    a_store(prepared).close()  # makes the tables
    with few_connections(prepared, limit) as url, connect(prepared) as sql:
        sql.execute(f"GRANT ALL ON ALL TABLES IN SCHEMA focused TO few_{os.getpid()}")
        workers = [Fetcher(store=a_store(url), fetched=[]) for _ in range(2)]
        workers[0].store.add([a_link(0)])
        run(workers)
        for fetcher in workers:
            assert fetcher.store.close() == 0
    assert delivered(prepared) == list(range(N_PAGES))
    said = [each for each in caplog.messages if "gives this worker too few connections" in each]
    assert 1 <= len(said) <= 2
    assert "Allow three for each worker" in said[0]


def test_a_committer_without_a_connection_says_so_before_its_patience_ends(monkeypatch, caplog):
    monkeypatch.setattr(outage, "_SAID_AFTER_SECS", 0.05)
    monkeypatch.setattr(committer, "TRY_AGAIN_SECS", 0.01)

    def refuse(url):
        raise psycopg.OperationalError('FATAL: too many connections for role "few"')

    monkeypatch.setattr(connections, "connect", refuse)
    box = EventBox()
    made = Committer(Connections(Database("", 60.0)), SimpleNamespace(crawl=1), box)  # type: ignore[arg-type]
    made.write(PageCommit(1))
    made.start()
    until(lambda: caplog.messages)
    assert not any(isinstance(event, DatabaseGone) for event in box.take())
    assert caplog.messages == [
        'The crawl\'s database cannot be used: FATAL: too many connections for role "few". This worker waits for it, 60 s in '
        "all. Allow more: three for each worker and some (max_connections, ALTER ROLE ... CONNECTION LIMIT), or crawl with "
        "fewer workers"
    ]
    monkeypatch.setattr(committer, "LAST_SECS", 0.0)
    made.stop()
    made.join()


def test_a_server_that_hangs_is_said_and_ends_a_worker_as_one_that_is_away(prepared, monkeypatch, caplog):  # noqa: F811
    """No error comes from it: its machine is frozen, or a proxy keeps the connection."""
    store, gone = a_store(prepared), []
    store.worker.on_gone = gone.append
    exchange, hangs, is_asked = store.worker.exchange, threading.Event(), threading.Event()
    keep = exchange.keeper._keep

    def hang(*about):
        is_asked.set()
        hangs.wait(60)
        return keep(*about)

    exchange.keeper._keep = hang
    assert is_asked.wait(60)
    exchange.keeper.asked_at = now() - 50.0
    store.worker.process_events()
    assert (gone, len(caplog.messages)) == ([], 1)
    assert caplog.messages[0].startswith(
        "The crawl's database cannot be used: the server does not answer. This worker waits"
    )
    exchange.keeper.asked_at = now() - 300.0
    exchange._connections.outage._since.clear()
    store.worker.process_events()
    assert [str(error) for error in gone] == ["the server does not answer"]
    hangs.set()
    caplog.set_level("INFO")
    until(lambda: "The crawl's database can be used again" in caplog.messages, store)
    store.close()


def test_a_thread_that_shares_a_connection_has_it_alone_and_takes_its_own_when_there_is_one(monkeypatch):
    made, allowed = [], 1

    def limited(url):
        if len(made) >= allowed:
            raise psycopg.OperationalError("too many connections")
        made.append(SimpleNamespace(closed=False, close=lambda: None))
        return made[-1]

    monkeypatch.setattr(connections, "connect", limited)
    monkeypatch.setattr(connections, "_AGAIN_SECS", 0.0)
    pair = Connections(Database(""))
    with pair.of(KEEPER) as first:
        used, is_asking = [], threading.Event()

        def commit() -> None:
            is_asking.set()
            with pair.of(COMMITTER) as sql:
                used.append(sql)

        thread = threading.Thread(target=commit)
        thread.start()
        assert is_asking.wait(60)
        thread.join(0.2)
        assert not used  # it waits
    thread.join()
    assert used == [first]
    pair.fail(COMMITTER)  # what is the keeper's stays
    allowed = 2
    with pair.of(KEEPER) as again, pair.of(COMMITTER) as own:
        assert (again is first, own is made[1]) == (True, True)


def test_a_worker_that_gets_no_connection_to_train_with_says_so_once(monkeypatch, caplog):
    n_tries = 0

    def refuse(url):
        nonlocal n_tries
        n_tries += 1
        raise psycopg.OperationalError("FATAL: sorry, too many clients already")

    monkeypatch.setattr(shared_trainer, "connect", refuse)
    monkeypatch.setattr(shared_trainer, "_LOOK_SECS", 0.01)
    training = SimpleNamespace(url="", crawl=1, options=SimpleNamespace(timeout_secs=1.0), is_against_met=True)
    trainer = SharedTrainer(training, lambda attempt: None)  # type: ignore[arg-type]
    trainer.start()
    until(lambda: n_tries > 2)
    trainer.stop()
    trainer.join()
    [said] = caplog.messages
    assert said.startswith(
        "This worker trains no model while it gets no connection for that: FATAL: sorry, too many clients"
    )
    assert "Allow more: three for each worker" in said


def test_no_connection_at_all_is_the_servers_answer(monkeypatch):
    def refuse(url):
        raise psycopg.OperationalError("the server has gone")

    monkeypatch.setattr(connections, "connect", refuse)
    with pytest.raises(psycopg.OperationalError, match="the server has gone"), Connections(Database("")).of(KEEPER):
        pass


@pytest.mark.parametrize("hangs", [False, True])
def test_a_worker_that_was_without_its_database_leaves_the_others_time_to_renew_their_leases(
    prepared,  # noqa: F811
    monkeypatch,
    hangs,
):
    """Else the first that is back ends all others, and what they had fetched meanwhile is fetched again."""
    monkeypatch.setattr(keeper, "_OVERDUE_SECS", 0.0)
    monkeypatch.setattr(keeper, "GRACE_SECS", 3600.0)
    monkeypatch.setattr(statements, "OVERDUE", LONG_STARTED)
    back, late = a_store(prepared), a_store(prepared)
    waiting = back.worker.exchange._connections.outage

    def is_back() -> bool:
        if hangs:  # a statement that took its time, and succeeded
            back.worker.exchange.keeper._renewed = now() - 0.5 * LEASE_SECS
        else:
            waiting.failed(KEEPER, psycopg.OperationalError("away"))
        return bool(waiting._ended_at)

    until(is_back, back)
    until(lambda: waiting.is_over_since(0.0), back)
    n_looks, renew = 0, Leasing.renew

    def counted(self, worker, **about):
        nonlocal n_looks
        n_looks += worker == back.worker.exchange.worker
        return renew(self, worker, **about)

    loses_lease(late, prepared)
    monkeypatch.setattr(Leasing, "renew", counted)
    until(lambda: n_looks > 3, back)
    ended = f"SELECT count(*) FROM workers WHERE ended_at IS NOT NULL AND id = {late.worker.exchange.worker}"
    with connect(prepared) as sql:
        assert sql.execute(ended).fetchone() == (0,)
        waiting._ended_at = -3600.0  # an hour later
        until(lambda: sql.execute(ended).fetchone() == (1,), back)
    for store in (back, late):
        store.close()


def test_leases_that_ended_while_the_server_was_down_may_be_renewed_and_older_ones_are_over(prepared):  # noqa: F811
    a_store(prepared).close()
    just_started = statements.OVERDUE.replace("pg_postmaster_start_time()", "clock_timestamp()")
    with connect(prepared) as sql:
        for secs in (-10.0, 10.0, 1000.0):
            sql.execute(statements.JOIN, (7, f"{secs:.0f}", -secs))
        names = "SELECT name FROM workers WHERE id = ANY(%s) ORDER BY id"

        def overdue(statement: str) -> list[str]:
            found = [number for (number,) in sql.execute(statement, (7,)).fetchall()]
            return [name for (name,) in sql.execute(names, (found,))]

        assert (overdue(just_started), overdue(LONG_STARTED)) == (["1000"], ["10", "1000"])


def _break_each_part_s_first_connection() -> None:
    """Let the first connection be lost that each part of a worker opens for itself, beside those of its threads."""
    import inspect

    from focused.crawl.shared_run import SharedRun

    opened, lost = SharedRun.opened.__func__, set()  # type: ignore[attr-defined]

    def sometimes(cls, url, name):
        parts = {frame.function for frame in inspect.stack()} & {"_join", "open_spider", "save"}
        if parts - lost:
            lost.update(parts)
            print("lost", *parts)
            raise psycopg.OperationalError("server closed the connection unexpectedly")
        return opened(cls, url, name)

    SharedRun.opened = classmethod(sometimes)  # type: ignore[method-assign,assignment]


def test_one_lost_connection_at_its_start_or_end_ends_no_worker_and_loses_no_figures(database, tmp_path):
    settings = {"FOCUSED_DATABASE": database, "FOCUSED_RETRAINING": "interactive"}
    arguments = {"topic": "demo", "crawl": "shared", "strategy": "best_first", "max_pages": 10, "run_dir": "run"}
    done = crawl(ROOT / "models", tmp_path, settings=settings, before=_break_each_part_s_first_connection, **arguments)
    assert done.exit_code == 0, done.err
    assert sorted(done.out.split()) == sorted(["lost", "_join", "lost", "open_spider", "lost", "save"])
    assert "could not be written" not in done.err
    assert "Finished (max_pages)" in done.err
    with connect(database) as sql:
        [(said,)] = sql.execute("SELECT run->>'finish_reason' FROM runs").fetchall()
    assert said == "max_pages"


def _let_the_database_go() -> None:
    """Let the database be away, and soon for too long, from when a worker's part asks for it that the environment names."""
    import inspect

    import focused.frontier.shared_scheduler
    from focused.crawl.shared_run import SharedRun
    from focused.frontier.shared import worker_terms

    part, opened = os.environ["GOES_WHERE"], SharedRun.opened.__func__  # type: ignore[attr-defined]
    focused.frontier.shared_scheduler.Database = lambda url: Database(url, 0.1)  # type: ignore[misc,assignment]
    worker_terms.PATIENCE_SECS = 0.1

    def refused(*about, **more):
        raise psycopg.OperationalError("connection failed: no route to host")

    def sometimes(cls, url, name):
        return refused() if any(frame.function == part for frame in inspect.stack()) else opened(cls, url, name)

    if part == "open":
        connections.connect = refused
    SharedRun.opened = classmethod(sometimes)  # type: ignore[method-assign,assignment]


@pytest.mark.parametrize("part", ["open", "_join", "open_spider"])
def test_a_worker_whose_database_goes_for_good_while_it_begins_says_so_in_a_line_and_ends(database, tmp_path, part):
    settings = {"FOCUSED_DATABASE": database, "FOCUSED_RETRAINING": "interactive"}
    argv = crawl_argv(settings, topic="demo", crawl="shared", strategy="best_first", max_pages=10)
    env = environment(ROOT / "models") | {"GOES_WHERE": part}
    done = scrapy(*argv, cwd=tmp_path, env=env, before=_let_the_database_go)
    assert done.exit_code == 1
    assert "Traceback" not in done.err
    said = (
        "ERROR: The database of FOCUSED_DATABASE cannot be used: connection failed: no route to host. See that it runs"
    )
    assert done.err.count(said) == 1
    assert "Finished (frontier_not_readable)" in done.err
