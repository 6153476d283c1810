"""The last statement of the transaction of pages, on a real server: all of it is done, or nothing."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from test_shared_store import a_link

from focused.frontier.known_links import KnownLinks
from focused.frontier.link_levels import FetchedUrls
from focused.frontier.shared.commit_result import KnownPageError, LeaseLostError
from focused.frontier.shared.events import LEASE_LOST
from focused.frontier.shared.link_writing import LinkRules
from focused.frontier.shared.page import EndedLink, PageCommit
from focused.frontier.shared.schema import connect, make_tables
from focused.frontier.shared.writer import PageWriter
from focused.frontier.shared_scheduler import SharedScheduler
from focused.frontier.store.ranks import Ranks
from focused.frontier.store.schema import DONE
from focused.method.scoring.evidence import better

_ALL = (
    "SELECT (SELECT jsonb_agg(pages.url ORDER BY pages.id) FROM pages), (SELECT sum(n_pages) FROM hosts), "
    "(SELECT jsonb_agg(state ORDER BY url) FROM links), (SELECT sum(n_pages) FROM workers)"
)


@pytest.fixture
def crawl(database):
    with connect(database) as sql:
        make_tables(sql)
        sql.execute("INSERT INTO crawls (name, about) VALUES ('stars', '{}')")
        sql.execute("INSERT INTO workers (crawl, name, alive_until) VALUES (1, 'w', now() + interval '1 day')")
        writer = PageWriter(LinkRules(1, Ranks(), better, lambda n_links: range(1, 1 + n_links)))
        writer.write(sql, 1, [PageCommit(1, links=[a_link(each) for each in range(1, 5)])])
        sql.execute("UPDATE hosts SET owner = 1")
        yield sql, writer


def ends(*numbers: int) -> PageCommit:
    links = map(a_link, numbers)
    return PageCommit(1, [EndedLink(each.fingerprint, each.host, each.url, DONE, None, True) for each in links])


def url(number: int) -> str:
    return a_link(number).url


def test_pages_are_numbered_in_the_order_in_which_they_ended(crawl):
    sql, writer = crawl
    writer.write(sql, 1, [ends(3), ends(1), ends(2)])
    assert sql.execute(_ALL).fetchone() == ([url(3), url(1), url(2)], 3, [DONE, DONE, DONE, 0], 3)


@pytest.mark.parametrize("has_more", [False, True])
def test_a_link_that_had_ended_before_undoes_all_and_names_its_page(crawl, has_more):
    sql, writer = crawl
    writer.write(sql, 1, [ends(2)])
    before = sql.execute(_ALL).fetchone()
    pages = [ends(1), ends(4, 2), ends(3)]
    if has_more:  # then it is a transaction of several statements
        pages[0].links = [a_link(9)]
    with pytest.raises(KnownPageError) as refused:
        writer.write(sql, 1, pages)
    assert refused.value.index == 1
    assert sql.execute(_ALL).fetchone() == before
    writer.write(sql, 1, [pages[0], pages[2]])
    assert sql.execute("SELECT count(*) FROM pages").fetchone() == (3,)


def test_a_link_that_ends_twice_at_once_refuses_the_second_page(crawl):
    sql, writer = crawl
    with pytest.raises(KnownPageError) as refused:
        writer.write(sql, 1, [ends(1), ends(2), ends(1)])
    assert refused.value.index == 2
    assert sql.execute("SELECT count(*) FROM pages").fetchone() == (0,)


@pytest.mark.parametrize("has_more", [False, True])
def test_a_worker_that_has_ended_changes_nothing(crawl, has_more):
    sql, writer = crawl
    sql.execute("UPDATE workers SET ended_at = now()")
    before = sql.execute(_ALL).fetchone()
    pages = [ends(1)]
    if has_more:
        pages[0].links = [a_link(9)]
    with pytest.raises(LeaseLostError):
        writer.write(sql, 1, pages)
    assert sql.execute(_ALL).fetchone() == before


def test_a_page_that_was_refused_with_its_worker_s_lease_is_a_page_when_the_worker_fetches_it_again():
    links = SimpleNamespace(_fetched=FetchedUrls())
    links.forget = lambda url: None
    links.forget_fetched = lambda url: KnownLinks.forget_fetched(links, url)
    scheduler = SimpleNamespace(_stats=SimpleNamespace(inc_value=lambda name: None), _links=links)
    for why, is_known in (("known", True), (LEASE_LOST, False)):
        links._fetched.note(url(1))
        SharedScheduler._refused(scheduler, ends(1), why)
        assert links._fetched.note(url(1)) == is_known
