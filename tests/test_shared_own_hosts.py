"""What a worker holds of its hosts in memory, when reads of the database and what it writes there cross."""

from __future__ import annotations

from stores import link

from focused.frontier.shared import own_host
from focused.frontier.shared.leasing import LeasedHost
from focused.frontier.shared.link_rows import waiting_from
from focused.frontier.shared.links_wanted import AHEAD, LinksWanted
from focused.frontier.shared.own_host import OwnHost
from focused.frontier.shared.own_hosts import OwnHosts
from focused.frontier.shared.page import EndedLink, Move, PageCommit
from focused.frontier.store.ranks import Ranks, priority_of
from focused.frontier.store.schema import DONE
from focused.method.scoring.priority import LEVELS, to_priority

HOST = "a.example"
RANKS = Ranks()


def waiting(name: str, score: float = 0.5, turn: int = 1):
    """A link of the host, as a read of the database, or a transaction, brings it."""
    found = link(f"{HOST}/{name}", score)
    return waiting_from(found, found.host, RANKS.rank(to_priority(score, True), turn))


def owned(*links) -> OwnHosts:
    """The hosts of a worker that has taken one, of which these links are all that wait."""
    own = OwnHosts()
    own.add(LeasedHost(HOST, 0, 0.0, 0.0, 0, 0))
    own.links_read(HOST, list(links), LinksWanted())
    return own


def best(own: OwnHosts) -> str | None:
    """The URL of the host's best link, less its host."""
    found = own.get(HOST).best()
    return None if found is None else found.url.rpartition("/")[2]


def moved(own: OwnHosts, number: int, score: float) -> PageCommit:
    """What is to be written of a link's move that the worker has made."""
    page = PageCommit(moves=[Move(number, HOST, score)])
    own.move(page.moves)
    return page


def test_a_link_written_after_a_host_was_read_and_before_it_was_taken_is_not_lost():
    own = OwnHosts()
    own.written([waiting("new")], [], 5)  # the host is nobody's, for all that is known here
    own.add(LeasedHost(HOST, 0, 0.0, 0.0, 0, 0))
    own.read_since(4)
    own.links_read(HOST, [], LinksWanted())
    assert best(own) == "new"


def test_a_link_beyond_the_horizon_is_not_lost_when_an_older_read_moves_the_horizon():
    own = owned(*(waiting(str(number), 0.9, number) for number in range(AHEAD)))
    own.written([waiting("poor", 0.1)], [], 5)
    assert "poor" not in {each.url.rpartition("/")[2] for each in own.get(HOST).links.values()}
    own.read_since(4)
    own.links_read(HOST, [waiting("0", 0.9, 0)], LinksWanted())
    assert {each.url.rpartition("/")[2] for each in own.get(HOST).links.values()} >= {"0", "poor"}


def test_what_a_later_read_does_not_show_waits_no_more():
    own = OwnHosts()
    own.written([waiting("new")], [], 5)
    own.add(LeasedHost(HOST, 0, 0.0, 0.0, 0, 0))
    own.read_since(5)
    own.links_read(HOST, [], LinksWanted())
    assert best(own) is None


def test_a_score_that_is_not_durable_yet_is_not_undone_by_a_read():
    own = owned(waiting("a", 0.6), waiting("b", 0.5))
    page = moved(own, waiting("b").number, 0.9)
    own.links_read(HOST, [waiting("a", 0.6), waiting("b", 0.5)], LinksWanted())
    assert best(own) == "b"
    own.page_written(page, 7)
    own.read_since(6)
    own.links_read(HOST, [waiting("a", 0.6), waiting("b", 0.5)], LinksWanted())
    assert best(own) == "b"
    assert priority_of(own.get(HOST).best().rank) == to_priority(0.9, True)


def test_a_move_of_a_link_that_is_not_in_memory_counts_when_an_older_read_brings_it():
    own = owned(waiting("a", 0.6))
    moved(own, waiting("b").number, 0.9)
    own.links_read(HOST, [waiting("a", 0.6), waiting("b", 0.5)], LinksWanted())
    assert best(own) == "b"


def test_a_move_that_was_refused_counts_no_more():
    own = owned(waiting("a", 0.6), waiting("b", 0.5))
    own.page_refused(moved(own, waiting("b").number, 0.9), 7)
    own.links_read(HOST, [waiting("a", 0.6), waiting("b", 0.5)], LinksWanted())
    assert best(own) == "a"


def test_the_last_of_two_moves_counts_when_the_first_is_durable():
    own = owned(waiting("a", 0.6), waiting("b", 0.5))
    first = moved(own, waiting("b").number, 0.9)
    moved(own, waiting("b").number, 0.1)
    own.page_written(first, 7)
    own.read_since(7)
    own.links_read(HOST, [waiting("a", 0.6), waiting("b", 0.9)], LinksWanted())
    assert best(own) == "a"


def test_a_link_moved_up_from_beyond_the_horizon_is_fetched():
    own = owned(*(waiting(str(number), 0.6, number) for number in range(AHEAD)))
    assert not own.get(HOST).wants_links
    risen = waiting("risen", 0.9)
    own.written([], [(risen.number, HOST, waiting("beyond", 0.3).rank)], 5)
    assert not own.get(HOST).wants_links
    own.written([], [(risen.number, HOST, risen.rank)], 6)
    assert own.get(HOST).wants_links


def test_a_link_that_has_ended_does_not_wait_again_whatever_is_read():
    own = owned(waiting("a"))
    own.written([waiting("a")], [], 5)
    ended = own.get(HOST).best()
    own.lease(ended)
    own.end(ended.number)
    page = PageCommit(ended=[EndedLink(ended.number, HOST, ended.url, DONE, None, True)])
    for n_written in (5, 6):
        own.links_read(HOST, [waiting("a")], LinksWanted())
        assert best(own) is None
        own.page_written(page, 7)
        own.read_since(n_written)
    assert own.get(HOST).is_idle


def test_nothing_is_kept_of_what_any_later_read_shows():
    own = owned(waiting("a"))
    own.written([waiting("a"), waiting("b")], [], 5)
    ended = own.get(HOST).best()
    own.lease(ended)
    own.end(ended.number)
    page = moved(own, waiting("b").number, 0.9)
    page.ended.append(EndedLink(ended.number, HOST, ended.url, DONE, None, True))
    own.page_written(page, 6)
    assert len(own._recent) == 4
    own.read_since(6)
    assert not len(own._recent)


def names(own: OwnHosts) -> set[str]:
    """The host's links in memory, less its host."""
    return {each.url.rpartition("/")[2] for each in own.get(HOST).links.values()}


def test_only_news_up_to_the_horizon_are_wanted_while_memory_has_enough():
    own = owned(*(waiting(str(number), 0.6, number) for number in range(AHEAD)))
    host = own.get(HOST)
    wanted = host.begin_reading()
    assert wanted.horizon == host.horizon
    assert wanted.known == tuple(sorted(each.number ^ each.rank for each in host.links.values()))
    own.links_read(HOST, [waiting("new", 0.9)], wanted)
    assert best(own) == "new"
    assert host.horizon == wanted.horizon
    assert len(names(own)) == AHEAD + 1


def with_few_links_left() -> tuple[OwnHosts, OwnHost]:
    """Return a host of which so many links were leased that more are wanted, among its worker's own."""
    own = owned(*(waiting(str(number), 0.6, number) for number in range(AHEAD)))
    host = own.get(HOST)
    while not host.wants_links:
        own.lease(host.best())
    return own, host


def test_where_few_are_left_those_beyond_the_horizon_are_wanted_too():
    own, host = with_few_links_left()
    wanted = host.begin_reading()
    assert wanted.horizon is None
    own.links_read(HOST, [waiting("beyond", 0.3)], wanted)
    assert "beyond" in names(own)
    assert host.horizon is None


def test_a_known_link_that_memory_has_let_go_while_others_were_read_is_not_lost():
    own, host = with_few_links_left()
    wanted = host.begin_reading()
    moved(own, host.best().number, 0.1)  # beyond the horizon
    own.links_read(HOST, [], wanted)
    assert host.horizon is not None
    assert host.wants_links


def test_a_link_is_known_by_its_place_in_the_database_wherever_memory_has_it():
    own = owned(waiting("a", 0.6))
    host = own.get(HOST)
    before = waiting("a", 0.6)
    moved(own, before.number, 0.9)
    assert host.begin_reading().known == (before.number ^ before.rank,)
    own.written([], [(before.number, HOST, host.best().rank)], 5)
    assert host.begin_reading().known == (before.number ^ host.best().rank,)
    assert host.best().rank < before.rank


def test_a_host_lies_aside_only_where_all_links_of_it_do_and_none_is_still_to_be_fetched():
    """What rests with all its links is given back with that rest; of another host only its own delay."""
    own = owned(waiting("rests"), waiting("other", 0.4))
    host = own.get(HOST)
    assert not host.is_all_aside
    host.put_aside(lambda url: url.endswith("rests"), 10)
    assert host.aside
    assert not host.is_all_aside  # the other one waits
    host.is_leaving = True
    own.refresh(host)
    assert not host.is_all_aside  # no link of it may be handed out now, and one waits all the same
    host.put_aside(lambda _: True, 10)
    assert host.is_all_aside
    host.horizon = 0
    assert not host.is_all_aside


def let_stand_back(own: OwnHosts, names: range) -> None:
    """Put links of the host far back in memory, as the worker's credit of folders does."""
    for name in names:
        known = own.get(HOST).known(waiting(str(name)).number)
        known.put_at(RANKS.rank(priority_of(known.rank) - 3 * LEVELS, 1))
        known.extra = -3 * LEVELS
        own.get(HOST).put(known)


def test_links_that_stand_back_stay_in_memory_and_others_are_read_beside_them():
    """Else the database brings them again and again, and the host is never asked."""
    own = owned(*(waiting(str(number), 0.9, number) for number in range(AHEAD)))
    let_stand_back(own, range(AHEAD))
    host = own.get(HOST)
    assert (len(host.links), best(own), host.wants_links) == (AHEAD, None, True)
    wanted = host.begin_reading()
    assert len(wanted.known) == AHEAD
    own.links_read(HOST, [waiting("poor", 0.1)], wanted)
    assert (len(host.links), best(own), host.wants_links) == (AHEAD + 1, "poor", False)
    host.drop(waiting("poor").number)
    assert best(own) is not None


def test_a_host_of_which_more_links_stand_back_than_memory_holds_is_asked_for_those(monkeypatch):
    monkeypatch.setattr(own_host, "MOST_BACK", 20)
    own = owned(*(waiting(str(number), 0.9, number) for number in range(AHEAD)))
    let_stand_back(own, range(AHEAD))
    host = own.get(HOST)
    assert (len(host.links), host.wants_links) == (20, False)
    assert best(own) is not None


def test_where_memory_lets_links_go_those_that_stand_back_stay():
    own = owned(*(waiting(str(number), 0.5, number) for number in range(3)))
    let_stand_back(own, range(3))
    host = own.get(HOST)
    own.offer([waiting(f"new {number}", 0.4, number) for number in range(5 * AHEAD)])
    assert host.back == {waiting(str(number)).number for number in range(3)} <= set(host.links)
    assert len(host.links) < 5 * AHEAD
    assert best(own) == "new 0"
