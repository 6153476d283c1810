"""What pages ask of robots, as sites write it."""

from __future__ import annotations

import hand_made
import pytest

from focused.method.page.reader import PageReader
from focused.method.page.robots_directives import Directives, agent_name, of_headers, of_metas

NOW = 1.7e9
OURS = {"focused"}
NOTHING, NOINDEX, NOFOLLOW, BOTH = (
    Directives(),
    Directives(noindex=True),
    Directives(nofollow=True),
    Directives(noindex=True, nofollow=True),
)


@pytest.mark.parametrize(
    ("headers", "asked"),
    [
        ([], NOTHING),
        (["all"], NOTHING),
        (["noindex"], NOINDEX),
        (["NoIndex , nofollow"], BOTH),
        (["none"], BOTH),
        (["noarchive, max-snippet: 50, noindex"], NOINDEX),
        (["nofollow", "noindex"], BOTH),
        (["focused: noindex"], NOINDEX),
        (["FOCUSED:noindex,nofollow"], BOTH),
        (["googlebot: noindex, nofollow"], NOTHING),
        (["googlebot: noindex", "nofollow"], NOFOLLOW),
        (["googlebot: noindex, focused: nofollow"], NOFOLLOW),
        (["unavailable_after: 25 Jun 2010 15:00:00 PST"], NOINDEX),
        (["unavailable_after: Sunday, 25-Jun-10 15:00:00 GMT, nofollow"], BOTH),
        (["unavailable_after: 2010-06-25T15:00:00Z"], NOINDEX),
        (["unavailable_after: 2010-06-25"], NOINDEX),
        (["focused: unavailable_after: Wed, 03 Jul 2019 13:00:00 GMT"], NOINDEX),
        (["otherbot: unavailable_after: Wed, 03 Jul 2019 13:00:00 GMT"], NOTHING),
        (["unavailable_after: 2100-01-01"], NOTHING),
        (["unavailable_after: soon"], NOTHING),
        (["unavailable_after:", ":", ",,;", "noindexing"], NOTHING),
        ([", " * 100_000 + "noindex"], NOTHING),
    ],
)
def test_headers_ask_what_they_say_of_all_robots_or_of_this_one(headers, asked):
    assert of_headers(headers, OURS, NOW) == asked


@pytest.mark.parametrize(
    ("html", "asked"),
    [
        ("<meta name=robots content=noindex>", NOINDEX),
        ("<META NAME=Robots CONTENT='NOINDEX NOFOLLOW'>", BOTH),
        ("<meta name=focused content=none>", BOTH),
        ("<meta name=googlebot content=noindex>", NOTHING),
        ("<meta name=description content='none of this, noindex'>", NOTHING),
        ("<meta name=robots content=follow><meta name=robots content=nofollow>", NOFOLLOW),
        ("<meta name=robots content='unavailable_after: 25-Aug-2007 15:00:00 EST'>", NOINDEX),
    ],
)
def test_a_page_asks_what_its_metas_say(html, asked):
    page = PageReader(hand_made.topic().analyzer).read(html.encode(), "http://h.example/")
    assert of_metas(page.marked_text.robots, OURS, NOW) == asked
    assert page.marked_text.nofollow == of_metas(page.marked_text.robots).nofollow


def test_a_page_of_a_million_metas_keeps_a_few():
    body = b"<meta name=robots content=noindex>" * 30_000
    page = PageReader(hand_made.topic().analyzer).read(body, "http://h.example/")
    assert len(page.marked_text.robots) == 20


def test_the_name_of_a_robot_is_its_product():
    assert agent_name("Mozilla/5.0 (compatible; x)") == "mozilla"
    assert agent_name("stars-of-bot/2") == "stars-of-bot"
