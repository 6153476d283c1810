"""What a store of links does, whichever it is: the file of one process, and a worker's on a real PostgreSQL server."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from databases import empty_database
from stores import AStore, PostgreSQLStore, SQLiteStore, drain, link, quick_threads

from focused.frontier.shared import store as shared_store_module
from focused.frontier.shared.links_wanted import AHEAD
from focused.frontier.store import store as store_module
from focused.frontier.store.answers import KNOWN, MERGED, NEW, TAKEN_OVER, TOO_DEEP
from focused.frontier.store.caps import DOMAIN_CAP, HOST_CAP
from focused.frontier.store.host_queue import BUSY
from focused.method.scoring.base import BY_ANCHOR
from focused.method.scoring.evidence import Evidence
from focused.method.scoring.priority import LEVELS, SEED, to_priority
from focused.utils.origins import origin_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from focused.frontier.store.link import FrontierLink


@pytest.fixture(scope="module")
def shared_tables(database_server) -> str:
    """The URL of a database for crawls of all tests here, each of its own name."""
    return empty_database(database_server)


@pytest.fixture(params=["SQLite", "PostgreSQL"])
def open_store(request, tmp_path, monkeypatch) -> Iterator[Callable[..., AStore]]:
    """Opens a store with options; what it was last is closed at the end."""
    opened: list[AStore] = []
    with quick_threads(monkeypatch):

        def open_it(**options: Any) -> AStore:
            if request.param == "SQLite":
                opened.append(SQLiteStore(tmp_path, **options))
            else:
                opened.append(PostgreSQLStore(request.getfixturevalue("shared_tables"), request.node.name, **options))
            return opened[-1]

        yield open_it
        for store in opened:
            store.close()


@pytest.fixture
def again(request) -> Iterator[Callable[[AStore], AStore]]:
    """Closes what it is given at the end, and returns it: for stores that were opened again."""
    opened: list[AStore] = []
    yield lambda store: opened.append(store) or store
    for store in opened:
        store.close()


def own(url: str, priority: int) -> FrontierLink:
    """A request of a spider's own, with the priority that the spider gives it."""
    return replace(link(url, 1.0, extra=priority - to_priority(1.0, True)), request='{"method": "POST"}')


def mean(known: Evidence, new: Evidence) -> Evidence:
    n_links = known.n_referrers + new.n_referrers
    score = (known.score * known.n_referrers + new.score * new.n_referrers) / n_links
    return replace(known, score=score, n_referrers=n_links)


# --- Order


def test_links_come_best_first_across_hosts_and_equals_by_age(open_store):
    at = open_store()
    at.add(link("a/1", 0.2), link("b/1", 0.9), link("a/2", 0.9), link("c/1", 0.5, admitted=False), link("b/2", 0.3))
    at.add(link("c/seed", 1.0, extra=SEED), link("a/3", 0.9))
    assert drain(at) == ["c/seed", "b/1", "a/2", "a/3", "b/2", "a/1", "c/1"]


def test_the_newest_of_equals_comes_first_where_the_strategy_says_so(open_store):
    at = open_store(order="newest")
    at.add(link("a/1"), link("b/1"), link("a/2", 0.9), link("a/3"))
    assert drain(at) == ["a/2", "a/3", "b/1", "a/1"]


def test_whatever_happens_the_best_waiting_link_is_next(open_store):
    """Against a list that is searched from end to end: random links, found again, ended and given back; hosts that rest."""
    at = open_store()
    generator = random.Random(5)
    waiting: dict[str, tuple[int, int]] = {}
    ended, under_way, age = set(), {}, 0
    for _ in range(3_000 if at.name == "SQLite" else 120):
        if generator.random() < 0.6:
            url = f"http://h{generator.randrange(12)}/{generator.randrange(150 if at.name == 'SQLite' else 15)}"
            found = link(url, generator.randrange(20) / 20, admitted=generator.random() < 0.7)
            [what] = at.add(found)
            priority = to_priority(found.evidence.score, found.evidence.admitted)
            if url in ended:
                assert what == KNOWN
            elif url in waiting:
                # A file says so though nothing changes; many workers' store says that it is known.
                assert what == MERGED or (what == KNOWN and at.store.is_shared and priority <= waiting[url][0])
                waiting[url] = max(waiting[url][0], priority), waiting[url][1]
            elif url not in under_way:
                assert what == NEW
                age += 1
                waiting[url] = priority, -age
        elif under_way and generator.random() < 0.5:
            leased, place = under_way.pop(generator.choice(sorted(under_way)))
            if generator.random() < 0.2:
                at.store.give_back(leased.id)
                waiting[leased.url] = place
            else:
                at.store.done(leased.id)
                ended.add(leased.url)
        else:
            resting = {f"h{generator.randrange(12)}": generator.choice([BUSY, 5.0]) for _ in range(6)}
            allowed = {url: rank for url, rank in waiting.items() if url.split("/")[2] not in resting}
            leased = at.next(lambda host, resting=resting: resting.get(host, 0.0), 1.0)
            for host in range(12):  # hosts that rest are woken by time alone: let it pass
                at.store.recheck_host(f"h{host}")
            if not allowed:
                assert leased is None
            else:
                best = max(allowed, key=allowed.__getitem__)
                assert leased.url == best
                assert leased.priority == waiting[best][0]
                under_way[best] = leased, waiting.pop(best)
    assert len(ended) > (300 if at.name == "SQLite" else 10)
    for leased, _ in under_way.values():
        at.store.done(leased.id)
    assert sorted(drain(at)) == sorted(url.removeprefix("http://") for url in waiting)


def test_a_host_that_rests_holds_back_nobody_and_is_back_in_time(open_store):
    at = open_store()
    at.add(link("slow/1", 0.9), link("slow/2", 0.8), link("fast/1", 0.3))
    ready = {"slow": 10.0}
    assert at.next(lambda host: ready.get(host, 0.0), 5.0).url == "http://fast/1"
    assert at.next(lambda host: ready.get(host, 0.0), 5.0) is None
    assert at.store.hosts.next_ready() == 10.0
    assert at.next(lambda host: ready.get(host, 0.0), 10.0).url == "http://slow/1"
    assert at.next(lambda host: BUSY, 11.0) is None
    assert at.next(lambda host: 0.0, 11.0).url == "http://slow/2"


def test_a_link_below_the_least_priority_is_held_back_and_its_priority_named(open_store):
    at = open_store()
    at.add(link("a/1", 0.9), link("a/2", 0.3))
    priorities = [to_priority(score, True) for score in (0.9, 0.3)]
    at.settle()
    assert at.store.best_priority() == priorities[0]
    assert at.next(None, 0.0, priorities[0]).url == "http://a/1"
    assert at.next(None, 0.0, priorities[0]) is None
    assert at.store.choice.held_back == priorities[1]
    assert at.next(None, 0.0, priorities[1]).url == "http://a/2"


def test_a_host_that_sinks_comes_later_and_not_never(open_store):
    at = open_store()
    at.add(link("bad/1", 0.9), link("good/1", 0.8), link("good/2", 0.2))
    at.settle()
    at.store.standing_back.sink_host("bad", 400)
    assert drain(at) == ["good/1", "bad/1", "good/2"]


def test_a_host_that_has_sunk_is_held_back_where_it_stands_and_changes_nothing_for_others(open_store):
    at = open_store()
    at.add(link("trap/1", 0.9), link("good/1", 0.8), link("poor/1", 0.3))
    at.settle()
    at.store.standing_back.sink_host("trap", 1000)
    least = to_priority(0.5, True)
    assert at.next(None, 0.0, least).url == "http://good/1"
    assert (
        at.next(None, 0.0, least) is None
    )  # neither the poor link, though a host has sunk by more than it falls short
    assert at.store.choice.held_back == to_priority(0.3, True)
    assert [at.next(None, 0.0).url for _ in range(2)] == ["http://poor/1", "http://trap/1"]


@pytest.mark.parametrize("levels", [1000, 400])
def test_no_page_is_spent_on_what_stands_far_back_while_a_better_host_is_busy(open_store, levels):
    at = open_store()
    at.add(link("trap/1", 0.9), link("good/1", 0.8), link("good/2", 0.8))
    at.settle()
    at.store.standing_back.sink_host("trap", levels)
    busy = {"good": BUSY}

    def spared(ready):
        return at.store.next(lambda host: ready.get(host, 0.0), 5.0, spares=True)

    assert spared({}).url == "http://good/1"
    found = spared(busy)
    if levels == 1000:
        assert found is None
        assert at.store.choice.held_back == to_priority(0.9, True) - levels
        assert spared({}).url == "http://good/2"
        assert spared({}).url == "http://trap/1"  # nothing better is left
    else:
        assert found.url == "http://trap/1"


def test_a_link_that_was_put_back_waits_for_a_better_host_that_is_busy(open_store):
    at = open_store()
    at.add(link("copies/1", 0.9, referrer="http://r/"), link("good/1", 0.8, referrer="http://r/"))
    at.store.standing_back.link_levels = lambda url, referrer: 900 if "copies" in url else 0
    at.settle()
    ready = {"good": BUSY}
    assert at.store.next(lambda host: ready.get(host, 0.0), 5.0, spares=True) is None
    assert at.next(lambda host: ready.get(host, 0.0), 5.0).url == "http://copies/1"  # where pages are not scarce


def test_links_that_stand_back_are_passed_over_and_come_in_their_turn(open_store):
    at = open_store()
    at.add(link("a/trap", 0.9, referrer="http://r/"), link("a/fair", 0.8, referrer="http://r/"), link("b/1", 0.2))
    at.store.standing_back.link_levels = lambda url, referrer: 400 if "trap" in url else 0
    assert drain(at) == ["a/fair", "a/trap", "b/1"]
    assert at.store.standing_back.n_sunk == 1


# --- Origins that rest


def test_a_host_is_asked_though_all_links_that_are_read_of_it_stand_back(open_store):
    """More than a worker reads at once; what does not stand back comes first, however poor it is."""
    at = open_store()
    n_back = AHEAD + 20
    at.add(*(link(f"h/back/{number}", 0.5) for number in range(n_back)), link("h/poor", 0.1))
    at.store.standing_back.link_levels = lambda url, referrer: LEVELS if "/back/" in url else 0
    found = []
    for _ in range(n_back + 1):
        leased = next(filter(None, (at.next() for _ in range(5))))  # a worker reads more between two looks
        found.append(leased.url)
        at.store.done(leased.id, relevant=False)
    assert found[0] == "http://h/poor"
    assert found[1:] == [f"http://h/back/{number}" for number in range(n_back)]


def test_links_of_an_origin_that_rests_lie_aside_until_they_are_taken_back_and_their_host_is_asked_for_others(
    open_store,
):
    """The closed port has the best links, more of them than many workers' store reads at a time."""
    at = open_store()
    n_closed, n_others = 300, 20
    at.add(*(link(f"http://a:81/{n}", 0.9 - n / 10_000) for n in range(n_closed)))
    at.add(link("http://a:81/seed", 1.0, extra=SEED), own("http://a:81/own", 20_000))
    at.add(*(link(f"http://a/{n}", 0.5 - n / 1000) for n in range(n_others)), link("http://b/1", 0.1))
    resting = {"http://a:81": 60.0}
    at.store.standing_back.rests_until = lambda url: resting.get(origin_of(url), 0.0)

    def leased() -> list[str]:
        """All that can be had. Many workers' store reads more after each time, until it comes to what may be asked for."""
        found: list[str] = []
        for _ in range(10):
            while (each := at.next(None, 1.0)) is not None:
                at.store.done(each.id)
                found.append(each.url)
        return found

    found = leased()
    found.remove("http://b/1")  # at once, while more is read
    assert found == [f"http://a/{n}" for n in range(n_others)]
    at.add(link("http://a/new", 0.1), link("http://a:81/new", 0.95))
    assert leased() == ["http://a/new"]
    at.commit()
    at.settle()
    assert at.counts()["waiting"] == n_closed + 3
    resting.clear()
    at.store.restore_origin("http://a:81")
    assert leased() == [f"http://a:81/{path}" for path in ("own", "seed", "new", *range(n_closed))]


def test_links_that_lie_aside_fail_with_their_origin_and_wait_in_their_places_in_a_run_that_goes_on(open_store, again):
    at = open_store()
    at.add(link("http://a:81/1", 0.9), link("http://a:82/1", 0.8), link("http://a/1", 0.5), link("http://a/2", 0.4))
    resting = {"http://a:81", "http://a:82"}
    at.store.standing_back.rests_until = lambda url: 60.0 if origin_of(url) in resting else 0.0
    first = at.next(None, 1.0)
    assert first.url == "http://a/1"
    at.store.done(first.id)
    at.store.give_up_origin("http://a:82")
    at.commit()
    at.settle()
    assert (at.counts()["failed"], at.counts()["waiting"]) == (1, 2)
    at = again(at.reopened())
    assert drain(at)[0] == "a:81/1"


def test_a_host_rests_as_a_whole_where_too_many_of_its_links_lie_aside(open_store, monkeypatch):
    for module in (store_module, shared_store_module):
        monkeypatch.setattr(module, "MOST_ASIDE", 5)
    at = open_store()
    at.add(*(link(f"http://a:81/{n}", 0.9) for n in range(10)), link("http://a/1", 0.5), link("http://b/1", 0.1))
    until: dict[str, float] = {}
    at.store.standing_back.rests_until = lambda url: 60.0 if ":81" in url else 0.0
    at.store.standing_back.host_rests = lambda host: until.update({host: 60.0})
    assert at.next(lambda host: until.get(host, 0.0), 1.0).url == "http://b/1"
    assert until == {"a": 60.0}
    at.store.standing_back.rests_until = lambda url: 0.0
    at.store.restore_origin("http://a:81")
    assert len(drain(at)) == 11


# --- Evidence


def test_a_link_seen_again_moves_as_its_evidence_does(open_store):
    at = open_store()
    at.add(link("a/1", 0.2, referrer="http://r/1", depth=3, parts=(0.5, 0.25)), link("a/2", 0.6))
    better = link("a/1", 0.9, referrer="http://r/2", depth=2, irrelevant_on_path=1, carried=0.25)
    assert at.add(better) == [MERGED]
    leased = at.next()
    assert leased.url == "http://a/1"
    assert leased.evidence == Evidence(0.9, BY_ANCHOR, True, "http://r/2", 2, 1, 0.25, (), 2)
    at.store.done(leased.id)
    assert at.add(link("a/1", 1.0)) == [KNOWN]


def test_the_strategy_says_how_evidence_combines(open_store):
    at = open_store(merge=mean)
    at.add(link("a/1", 0.9, parts=(1.0, 2.0)), link("a/2", 0.5))
    at.add(link("a/1", 0.0), link("a/1", 0.0))
    assert at.next().url == "http://a/2"  # it has sunk
    leased = at.next()
    assert leased.evidence.score == pytest.approx(0.3)
    assert leased.evidence.parts == (1.0, 2.0)
    assert leased.evidence.n_referrers == 3


def test_a_link_names_the_version_of_the_model_that_its_score_comes_from(open_store):
    at = open_store()
    at.add(link("a/2", 0.4), link("a/3", 0.3))
    at.add(link("a/2", 0.1, model_version=2))  # changes nothing
    at.add(link("a/3", 0.9, model_version=2))
    found = {leased.url: leased.evidence.model_version for leased in (at.next(), at.next())}
    assert found == {"http://a/2": 1, "http://a/3": 2}


def test_what_a_strategy_has_learnt_moves_waiting_links_and_nothing_else(open_store):
    at = open_store()
    links = [link("a/1", 0.9), link("a/2", 0.5), link("b/1", 0.2), link("b/under-way", 1.0), own("a/own", 700)]
    numbers = []
    for each in links:
        at.add(each)
        numbers.append(at.store.last_id)
    leased = at.next()
    at.store.waiting.place([(numbers[0], 0.1), (numbers[2], 0.95), (numbers[4], 0.99)])
    at.store.done(leased.id)
    assert drain(at) == ["b/1", "a/2", "a/own", "a/1"]


def test_a_request_of_the_spider_keeps_its_priority_whatever_pages_say_of_its_url(open_store):
    at = open_store()
    assert at.add(own("a/own", 700), link("a/1", 0.3), link("a/2", 0.1)) == [NEW] * 3
    assert at.add(link("a/own", 0.9)) == [KNOWN]
    leased = [at.next() for _ in range(3)]
    assert [each.url for each in leased] == ["http://a/1", "http://a/own", "http://a/2"]
    assert [each.request for each in leased] == [None, '{"method": "POST"}', None]
    assert leased[1].priority == 700


def test_a_request_of_the_spider_takes_the_place_of_a_link_that_waits(open_store):
    at = open_store()
    at.add(link("a/1", 0.9), link("a/2", 0.3), link("b/1", 0.2))
    assert at.add(own("a/1", 600), own("a/2", 2000)) == [TAKEN_OVER] * 2
    assert at.add(link("a/2", 1.0)) == [KNOWN]
    leased = [at.next() for _ in range(3)]
    places = [(each.url, each.priority, each.request is None) for each in leased]
    assert places == [("http://a/2", 2000, False), ("http://b/1", 700, True), ("http://a/1", 600, False)]


def test_a_host_is_its_name_whatever_the_case_and_a_url_may_have_none(open_store):
    at = open_store()
    at.add(link("http://A.example:80/1", 0.9), link("http://a.example/2", 0.8), link("http://[broken/", 0.1))
    first = at.next()
    assert first.host == "a.example"
    assert at.next(lambda host: BUSY if host == "a.example" else 0.0).host == ""


# --- Ends


def test_a_link_given_back_waits_again(open_store):
    at = open_store()
    at.add(link("a/1", 0.9), link("a/2", 0.8))
    at.store.give_back(at.next().id)
    assert drain(at) == ["a/1", "a/2"]


def test_links_can_be_drawn_and_leased_out_of_turn_and_are_not_leased_twice(open_store):
    at = open_store()
    at.add(*(link(f"h{number % 3}/{number}", number / 10, referrer="http://r/") for number in range(9)))
    at.settle()
    drawn = at.store.drawn(random.Random(1), 3)
    assert 0 < len({link.number for link in drawn}) == len(drawn) <= 3
    number, url, referrer = drawn[0]
    assert referrer == "http://r/"
    assert at.store.lease(number).url == url
    assert at.store.lease(number) is None
    at.store.done(number)
    assert len(drain(at)) == 8


def test_the_best_links_of_all_hosts_are_named_and_go_on_waiting(open_store):
    at = open_store()
    at.add(*(link(f"h{number % 3}/{number}", number / 10) for number in range(9)))
    at.settle()
    assert at.store.best(4) == [f"http://h{number % 3}/{number}" for number in (8, 7, 6, 5)]
    assert at.store.best(20)[4:] == [f"http://h{number % 3}/{number}" for number in (4, 3, 2, 1, 0)]
    assert len(drain(at)) == 9
    assert at.store.best(4) == []


@pytest.mark.parametrize("how", ["reopened", "crashed"])
def test_what_was_committed_is_there_again_and_what_was_leased_waits(open_store, again, how):
    at = open_store()
    at.add(*(link(f"a/{number}", number / 10) for number in range(6)))
    done, failed, dropped, _ = (at.next() for _ in range(4))
    at.store.done(done.id, relevant=True)
    at.store.failed(failed.id, "HTTP 404")
    at.store.dropped(dropped.id, "elsewhere")
    at.commit()
    if how == "crashed":
        at.store.add([link("a/lost", 1.0)])
    at = again(getattr(at, how)())
    assert at.counts() == {"waiting": 3, "done": 1, "failed": 1, "dropped": 1}
    assert drain(at) == ["a/2", "a/1", "a/0"]
    assert at.add(link("a/5"), link("a/4")) == [KNOWN, KNOWN]


def test_what_a_link_carries_survives_a_crash(open_store, again):
    at = open_store()
    at.add(replace(link("a/1", 0.9), callback="parse_story"), own("a/own", 700))
    at.commit()
    at.next()
    at = again(at.crashed())
    leased = [at.next(), at.next()]
    assert [(each.callback, each.request) for each in leased] == [("parse_story", None), (None, '{"method": "POST"}')]


# --- Limits


def test_links_too_far_from_relevant_pages_are_refused(open_store):
    at = open_store(max_tunnel=2)
    assert at.add(link("a/1", tunnel=2), link("a/2", tunnel=3)) == [NEW, TOO_DEEP]
    assert at.next().tunnel == 2


def test_a_host_gives_no_more_pages_than_its_cap_and_the_cap_is_kept_when_it_is_opened_again(open_store, again):
    at = open_store(max_per_host=2)
    at.add(*(link(f"a/{number}", 0.9) for number in range(5)), link("b/1", 0.1))
    assert drain(at) == ["a/0", "a/1", "b/1"]
    at.commit()
    assert at.store.n_capped == {HOST_CAP: 3}
    assert at.counts()["dropped"] == 3
    at = again(at.reopened())
    at.add(link("a/more"), link("b/2"))
    assert drain(at) == ["b/2"]


def test_hosts_of_a_registered_domain_share_its_cap_also_when_it_is_opened_again(open_store, again):
    at = open_store(max_per_domain=2)
    at.add(*(link(f"http://{name}/1") for name in ("a.trap.co.uk", "b.trap.co.uk", "c.trap.co.uk", "fair.co.uk")))
    assert drain(at) == [f"{name}/1" for name in ("a.trap.co.uk", "b.trap.co.uk", "fair.co.uk")]
    at.commit()
    assert at.store.n_capped == {DOMAIN_CAP: 1}
    at = again(at.reopened())
    at.add(link("http://d.trap.co.uk/1"), link("http://fair.co.uk/2"))
    assert drain(at) == ["fair.co.uk/2"]


@pytest.mark.parametrize("n_under_way", [0, 1])
def test_the_links_of_an_origin_that_is_given_up_fail_now_and_later(open_store, n_under_way):
    at = open_store()
    at.add(link("a/1", 0.9), link("a/2", 0.8), link("b/1", 0.2), link("http://a:8080/1", 0.1))
    leased = [at.next() for _ in range(n_under_way)]
    at.store.give_up_origin("http://a")
    at.commit()
    assert at.store.n_unreachable == at.store.n_unreachable_of("http://a") == 2 - n_under_way
    at.add(link("a/3", 1.0))
    for each in leased:
        at.store.wait_again(each.id)
    assert drain(at) == ["b/1", "a:8080/1"]
    at.commit()
    assert at.store.n_unreachable_of("http://a") >= 2


def test_a_store_knows_which_hosts_have_pages(open_store):
    at = open_store()
    at.add(link("a/1", 0.9), link("a/2", 0.8), link("b/1", 0.2))
    at.settle()
    assert not at.store.has_pages("a")
    at.store.done(at.next().id, relevant=True)
    assert (at.store.has_pages("a"), at.store.has_pages("b")) == (True, False)
