"""What a host has answered to addresses that nobody made is known to all workers, on a real server."""

from __future__ import annotations

import pytest

pytest.importorskip("psycopg")

from test_shared_store import a_link, a_store, until

from focused.frontier.shared.schema import connect
from focused.frontier.store.interface import SOFT_404S
from focused.frontier.store.schema import DONE

ASKED = ["http://h0.example/\x00\ud800", "", [], [], None, [["http://h0.example/0", "00aa", ""]]]
ANSWERED = [*ASKED[:1], "00bb", ["00aa"], ["http://h0.example/1"], None, None]


def a_listening_store(database, heard, **options):
    store = a_store(database, **options)
    store.worker.answers.receive(store.worker.answers.subscribe(heard.append))
    return store


def fetch(store, state) -> None:
    """Fetch a link of the host; its page brings what the host has answered."""
    until(lambda: (link := store.next()) is not None and not store.done(link.id, True), store)
    store.commit(**{SOFT_404S: state})


def test_what_one_worker_learns_all_hear_once_and_none_hears_its_own(database):
    heard_by = [[], [], []]
    first, second = (a_listening_store(database, heard_by[number]) for number in (0, 1))
    try:
        first.add([a_link(0), a_link(8)])
        first.commit()
        fetch(first, {"h0.example": ASKED})
        until(lambda: len(heard_by[1]) == 2, first, second)
        fetch(first, {"h0.example": ANSWERED})
        until(lambda: len(heard_by[1]) == 3, first, second)
        third = a_listening_store(database, heard_by[2])
        third.close()
    finally:
        first.close()
        second.close()
    assert heard_by == [[{}], [{}, {"h0.example": ASKED}, {"h0.example": ANSWERED}], [{"h0.example": ANSWERED}]]


def test_who_takes_a_host_over_knows_its_answers_before_it_has_a_link_of_it(database):
    heard = []
    first, second = a_listening_store(database, []), None
    first.add([a_link(0), a_link(8)])
    first.commit()
    fetch(first, {})
    second = a_listening_store(database, [])
    second.worker.answers.on_received = lambda state: heard.append((state, len(second.worker.own_hosts)))
    try:
        first.commit(**{SOFT_404S: {"h0.example": ASKED}})  # nothing has ended, so it waits for the next page
        fetch(first, {"h0.example": ASKED, "h1.example": ANSWERED})
        first.add([a_link(16)])
        first.commit()
        first.close()
        until(lambda: second.worker.own_hosts.get("h0.example"), second)
        assert {name: answer for state, _ in heard for name, answer in state.items()} == {
            "h0.example": ASKED,
            "h1.example": ANSWERED,
        }
        assert {n_hosts for _, n_hosts in heard} == {0}
    finally:
        second.close()


def test_what_a_page_brings_that_is_refused_is_heard_by_nobody(database):
    first = a_listening_store(database, [])
    first.add([a_link(0)])
    first.commit()
    until(lambda: (link := first.next()) is not None and not first.done(link.id, True), first)
    with connect(database) as sql:
        sql.execute(f"UPDATE links SET state = {DONE}")  # another worker had it
    first.commit(**{SOFT_404S: {"h0.example": ASKED}})
    refused = []
    first.worker.on_refused = lambda page, why: refused.append(why)
    until(lambda: refused, first)
    first.close()
    with connect(database) as sql:
        assert sql.execute("SELECT name FROM soft_404s").fetchall() == []
