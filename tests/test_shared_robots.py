"""A robots.txt, and what is wrong with a host, go with it from one worker to the next, on a real server."""

from __future__ import annotations

import asyncio

import pytest
from scrapy import Request, signals
from scrapy.exceptions import IgnoreRequest
from scrapy.utils.test import get_crawler

pytest.importorskip("psycopg")

from test_shared_store import a_link, a_store, until

from focused.frontier.shared.boot_clock import now
from focused.frontier.shared.robots import read_robots, write_robots
from focused.frontier.shared.schema import connect, make_tables
from focused.middlewares.robots_txt import RobotsTxtMiddleware
from focused.utils.origins import host_of

DAY = 24 * 3600.0
RULES = b"User-agent: *\nDisallow: /private\nCrawl-delay: 7\n"


def own_with(store, heard, n_hosts):
    store.worker.robots.on_known = lambda origin, text, age: heard.append((origin, text, age))
    until(lambda: len(store.worker.own_hosts) == n_hosts, store)
    return heard


def test_who_takes_a_host_over_hears_what_its_last_owner_read_before_it_has_a_link_of_it(database):
    first, heard = a_store(database), []
    first.add([a_link(0), a_link(1)])
    first.commit()
    own_with(first, heard, 2)
    assert heard == []
    first.worker.robots.hand_on("http://h0.example:8080", RULES)
    first.worker.robots.hand_on("https://h1.example", b"")
    first.close()  # at once: the keeper may not have written them yet
    second = a_store(database)
    try:
        order = []
        second.worker.robots.on_known = lambda origin, text, age: order.append((origin, len(second.worker.own_hosts)))
        until(lambda: len(second.worker.own_hosts) == 2, second)
        assert sorted(order) == [("http://h0.example:8080", 0), ("https://h1.example", 0)]
    finally:
        second.close()
    third = a_store(database)
    try:
        found = {origin: (text, 0 <= age < 60) for origin, text, age in own_with(third, [], 2)}
        assert found == {"http://h0.example:8080": (RULES, True), "https://h1.example": (b"", True)}
    finally:
        third.close()


def test_who_takes_a_host_over_goes_on_with_the_failures_that_its_last_owner_has_met(database):
    first, heard = a_store(database), []
    first.add([a_link(0), a_link(1)])
    first.commit()
    until(lambda: len(first.worker.own_hosts) == 2, first)
    first.worker.troubles.hand_on("http://h0.example", 1, "refused", False)
    first.worker.troubles.hand_on("http://h0.example", 2, "\0timed out", True)
    first.worker.troubles.hand_on("http://h1.example", 0, "", True)
    first.close()
    second = a_store(database)
    try:
        second.worker.troubles.on_known = lambda *about: heard.append((*about, len(second.worker.own_hosts)))
        until(lambda: len(second.worker.own_hosts) == 2, second)
        assert sorted(heard) == [
            ("http://h0.example", 2, "timed out", True, 0),
            ("http://h1.example", 0, "", True, 0),
        ]
    finally:
        second.close()


def test_of_two_texts_of_an_origin_the_one_stays_that_was_read_later_whoever_writes_last(database):
    origin = "http://stars.example"
    with connect(database) as sql:
        make_tables(sql)
        for text, age in ((b"old", 500.0), (b"new", 100.0), (b"older", 900.0)):
            write_robots(sql, 1, {origin: (text, now() - age)})
        write_robots(sql, 2, {origin: (b"another crawl's", now())})
        [known] = read_robots(sql, 1, [host_of(origin), "other.example"])
    assert (known.origin, known.text) == (origin, b"new")
    assert 99 < known.age_secs < 160


@pytest.mark.parametrize("age", [DAY - 60, DAY + 60])
def test_a_robots_txt_of_another_worker_is_obeyed_and_is_asked_for_again_when_it_is_a_day_old(age):
    crawler = get_crawler(settings_dict={"ROBOTSTXT_OBEY": True})
    robots = RobotsTxtMiddleware(crawler, clock=lambda: 1e6)
    asked, parsed = [], []

    async def cannot_be_had(url):
        asked.append(url)
        raise OSError

    def note(robotparser, request):
        parsed.append((request.url, robotparser.rp.crawl_delay("focused")))

    crawler.signals.connect(note, signals.robots_parsed)
    robots._download.answer = cannot_be_had
    robots._was_handed_on("http://stars.example", RULES, age)
    robots._was_handed_on("http://stars.example", b"", age + 1)  # older

    async def ask():
        for _ in range(2):
            await robots.process_request(Request("http://stars.example/open"))
            with pytest.raises(IgnoreRequest, match=r"Forbidden by robots\.txt"):
                await robots.process_request(Request("http://stars.example/private"))

    asyncio.run(ask())
    assert asked == ["http://stars.example/robots.txt"] * (age > DAY)
    # Said once, so that delay and sitemaps are known here, too.
    assert parsed == [("http://stars.example/open", 7)]
    assert crawler.stats.get_value("focused/robots/handed_on_count") == 1
