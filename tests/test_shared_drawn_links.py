"""Links that a worker draws, on a real server: from all that wait of its hosts, wherever they stand in the order."""

from __future__ import annotations

import random

import pytest
from test_shared_store import a_store, until

pytest.importorskip("psycopg")

from focused.frontier.shared.events import LeaseLost, WorkerJoined
from focused.frontier.shared.own_host import _MOST
from focused.frontier.store.link import FrontierLink, fingerprint_of
from focused.method.scoring import Evidence

HOSTS = ("h.org", "x.org")
"""Fingerprints of one are positive, of the other negative."""
N_LINKS = 1_000


@pytest.fixture
def store(database):
    """A worker's store with two hosts of a thousand links each, the first ones with the best scores."""
    made = a_store(database)
    for host in HOSTS:
        links = []
        for number in range(N_LINKS):
            url = f"http://{host}/{number}"
            seen = Evidence(1 - number / N_LINKS, 3, True, referrer=f"http://{host}/")
            links.append(FrontierLink(fingerprint_of(url, host), url, seen))
        made.add(links)
        made.commit()
    until(lambda: len(made.own) == len(HOSTS) and made.best(1) and not made.worker.exchange.n_pending, made)
    yield made
    made.close()


def test_links_are_drawn_from_all_that_wait_and_not_from_the_best_that_are_in_memory(store):
    source, numbers = random.Random(0), {host: [] for host in HOSTS}
    in_memory = {link.url for own in store.own for link in own.links.values()}
    assert len(in_memory) <= len(HOSTS) * _MOST
    while min(map(len, numbers.values())) < 60:
        until(lambda: store.drawn(source, 1), store)
        [(number, url, _)] = store.drawn(source, 1)
        leased = store.lease(number)
        assert leased is not None
        assert leased.url == url
        host, _, place = url.removeprefix("http://").partition("/")
        numbers[host].append(int(place))
        store.done(leased.id, relevant=False)
        store.commit()
    for places in numbers.values():
        assert len(set(places)) == len(places)  # none twice
        assert 0.35 * N_LINKS < sum(places) / len(places) < 0.65 * N_LINKS
        assert min(places) < 0.15 * N_LINKS < 0.85 * N_LINKS < max(places)


def test_a_drawn_link_that_is_given_back_waits_again_and_comes_in_its_turn(store):
    source = random.Random(0)
    until(lambda: store.drawn(source, 1), store)
    [(number, url, _)] = store.drawn(source, 1)
    assert store.lease(number) is not None
    assert store.lease(number) is None
    store.give_back(number)
    found = []
    while (link := store.next()) is not None or len(found) < len(HOSTS) * N_LINKS:
        if link is None:
            until(lambda: store.own.best_ranks(), store)
            continue
        found.append(link.url)
        store.done(link.id, relevant=False)
        store.commit()
    assert sorted(found) == sorted(f"http://{host}/{number}" for host in HOSTS for number in range(N_LINKS))
    assert url in found


def test_a_link_that_was_asked_for_since_it_was_read_is_not_drawn(store):
    """The database has said that it waits; what the worker knows better it forgets as soon as a younger read is there."""
    source, pool = random.Random(0), store.worker.drawn
    in_memory = lambda: [number for own in store.own for number in own.links if number in pool._links]  # noqa: E731
    # The drawn ones may be there before the best of their hosts.
    until(lambda: store.drawn(source, 1) and in_memory(), store)
    asked = in_memory()[0]
    assert store.lease(asked) is not None
    store.done(asked, relevant=False)
    store.commit()
    until(lambda: not store.worker.exchange.n_pending and not store.own._recent.has_ended(asked), store)
    assert asked not in {link.number for link in store.drawn(source, 10_000)}
    assert store.lease(asked) is None


def test_links_of_a_host_that_was_given_back_are_not_drawn_when_it_comes_again(store):
    source = random.Random(0)
    until(lambda: store.drawn(source, 1), store)
    host = store.own.get("x.org")
    of_host = [number for number, link in store.worker.drawn._links.items() if link.host_name == "x.org"]
    assert of_host
    store.own.remove(host)
    assert not set(of_host) & set(store.worker.drawn._links)


def test_a_worker_that_has_lost_its_lease_draws_again_when_it_has_hosts(store):
    source, worker = random.Random(0), store.worker
    store.drawn(source, 1)
    assert worker.drawn.wanted()  # on its way to the thread that loses the lease
    worker._process(LeaseLost())
    assert store.drawn(source, 1) == []
    worker._process(WorkerJoined(worker.exchange.worker))
    until(lambda: store.drawn(source, 1), store)


def test_where_all_links_are_in_memory_they_are_drawn_there_at_once(database):
    made = a_store(database)
    made.add(
        [
            FrontierLink(
                fingerprint_of("http://h.org/1", "h.org"),
                "http://h.org/1",
                Evidence(0.5, 3, True, referrer="http://h.org/"),
            )
        ]
    )
    made.commit()
    until(lambda: made.best(1), made)
    own = made.own.get("h.org")
    until(lambda: own.horizon is None, made)
    assert [url for _, url, _ in made.drawn(random.Random(0), 9)] == ["http://h.org/1"]
    assert made.worker.drawn.wanted() == []
    made.close()


def test_a_link_that_ended_while_others_were_read_is_not_drawn_when_its_end_is_forgotten(store):
    """The read began before the link's end was durable, and is taken in after it: on a slow machine it was drawn again."""
    source, pool = random.Random(0), store.worker.drawn
    until(lambda: store.drawn(source, 1), store)
    read = list(pool._links.values())
    asked = read[0]
    assert store.lease(asked.number) is not None
    store.done(asked.number, relevant=False)
    pool.read(read)
    store.commit()
    until(lambda: not store.worker.exchange.n_pending and not store.own._recent.has_ended(asked.number), store)
    pool._read_at = float("inf")  # nothing else is read meanwhile
    assert asked.number not in {link.number for link in store.drawn(source, 10_000)}
