"""Crawls of a site that answers whatever it is asked for, and of one that does not, over real sockets."""

from __future__ import annotations

import csv
import random
import re

import hand_made
import pytest
from commands import crawl
from sites import Reply, Site
from test_crawl_live import FAST

pytestmark = pytest.mark.slow

# So that the pages come in one order, whatever else the machine does.
ONE_BY_ONE = {**FAST, "CONCURRENT_REQUESTS": 1}
N_ARTICLES = 60
ADDRESS = re.compile(r"/[a-z]{24}(?=[./]|$)")


def text(path: str) -> str:
    """Some fifty words about stars, of each page others."""
    source = random.Random(path)
    return f"{hand_made.STARS} {' '.join(f'word{source.randrange(10**6)}a' for _ in range(40))}"


def article(path: str) -> bytes | None:
    """Articles, each of which links to others and to two pages that are gone."""
    number = re.fullmatch(r"/(?:a/([0-9]+))?", path)
    if number is None or int(number[1] or 0) >= N_ARTICLES:
        return None
    source = random.Random(path)
    others = "".join(f"<li><a href=/a/{source.randrange(N_ARTICLES)}>a star</a>" for _ in range(6))
    gone = "".join(
        f"<td><a href=/{source.choice(('b', 'c'))}/{source.randrange(9**9)}.htm>a galaxy</a>" for _ in range(2)
    )
    body = f"<h1>{path}</h1><p>{text(path)}</p><ul>{others}</ul><table><tr>{gone}</table>"
    return f"<!DOCTYPE html><title>{path}</title><body><main>{body}</main>".encode()


def whatever(path: str) -> bytes | None:
    """The articles, and for any other path a page that leads to more of its kind."""
    if path == "/robots.txt":
        return None
    source = random.Random(path)
    links = [(f"{source.choice('xyz')}/{source.randrange(9**9)}.htm", "a star and its planet") for _ in range(5)]
    return article(path) or hand_made.html(text(path), *links, title=text(path)[70:100])


def rows(run_dir) -> list[dict[str, str]]:
    with (run_dir / "fetched.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def addresses(site: Site) -> list[str]:
    return list(filter(ADDRESS.search, site.asked))


def test_a_host_that_answers_whatever_it_is_asked_for_is_asked_and_its_soft_404s_are_no_pages_after_a_resume_too(
    models, tmp_path
):
    with Site(whatever) as site:
        first = crawl(models, tmp_path, seeds=f"{site.url}/", max_pages=40, settings=ONE_BY_ONE)
        second = crawl(models, tmp_path, seeds=f"{site.url}/", max_pages=80, settings=ONE_BY_ONE)
    assert (first.exit_code, second.exit_code) == (0, 0), second.err
    asked, *others = addresses(site)
    assert len(others) % 2 == 1  # two addresses each time, and beside its articles once more
    assert len(others) < 10
    fetched = rows(second.run_dir)
    assert len(fetched) == 80
    assert {asked, *others}.isdisjoint(row["url"].removeprefix(site.url) for row in fetched)
    answers = {f"{site.url}{each}" for each in (asked, *others)}
    soft = [row for row in fetched if row["duplicate_of"] in answers]
    assert soft
    assert all(article(row["url"].removeprefix(site.url)) is None for row in soft)
    # Those that came before the answer count as pages.
    gone = [row for row in fetched if article(row["url"].removeprefix(site.url)) is None]
    assert len(gone) < 40
    assert {row["url"] for row in gone if row in fetched[40:]} <= {row["url"] for row in soft}
    delivered = {page["url"] for page in second.pages}
    assert delivered.isdisjoint(row["url"] for row in soft)
    assert len([row for row in fetched if row not in gone]) == len(delivered - {row["url"] for row in gone})
    assert second.stats["focused/soft_404/pages_count"] == len(soft)
    assert second.stats["focused/soft_404/asked_count"] == len({asked, *others})
    assert second.stats["focused/soft_404/hosts_count"] >= 1
    assert "answers made-up addresses" in first.err
    assert f"127.0.0.1 ({len(gone)} soft 404s: it answers any address with a page)" in second.err


def test_a_host_that_says_what_it_does_not_have_is_asked_twice_and_nothing_is_a_soft_404(models, tmp_path):
    with Site(article) as site:
        result = crawl(models, tmp_path, seeds=f"{site.url}/", max_pages=30, settings=FAST)
    assert result.exit_code == 0, result.err
    assert len(addresses(site)) == result.stats["focused/soft_404/asked_count"] == 2
    assert "focused/soft_404/pages_count" not in result.stats
    assert "focused/sources/failed_count" not in result.stats
    assert all(row["duplicate_of"] == "" for row in rows(result.run_dir))
    assert len(rows(result.run_dir)) == 30


def test_short_articles_are_no_soft_404s_where_the_host_says_the_same_of_whatever_it_does_not_have(models, tmp_path):
    """All of them have the form of the answer, and are as short."""

    def wiki(path: str) -> bytes | None:
        if path == "/robots.txt":
            return None
        number = re.fullmatch(r"/(?:s/([0-9]+))?", path)
        if number is None or int(number[1] or 0) >= N_ARTICLES:
            said = f"There is no article named {path[1:]} here. Look for it, or write it: all about the stars"
            return hand_made.html(said, ("/s/1", "a star"), title="No article")
        if number[1] is None:
            links = [(f"/s/{each}", f"star {each}") for each in range(N_ARTICLES)]
            return hand_made.html(f"<table><tr><td><b>{text(path)}</b></table>", *links)
        words = text(path).split()[-16:]
        return hand_made.html(f"stars {' '.join(words)}", ("/gone", "a planet"), title=path)

    with Site(wiki) as site:
        result = crawl(models, tmp_path, seeds=f"{site.url}/", max_pages=50, settings=FAST)
    assert result.exit_code == 0, result.err
    assert len(addresses(site)) == result.stats["focused/soft_404/asked_count"] == 2
    assert "focused/soft_404/hosts_count" not in result.stats
    assert not [row for row in rows(result.run_dir) if "/s/" in row["url"] and row["duplicate_of"]]


def test_a_site_that_breaks_on_an_address_that_nobody_made_is_not_asked_again(models, tmp_path):
    def breaks(path: str) -> bytes | Reply | None:
        return Reply(b"<p>Sorry.", hangs_up_after=3) if ADDRESS.search(path) else article(path)

    with Site(breaks) as site:
        result = crawl(models, tmp_path, seeds=f"{site.url}/", max_pages=30, settings=FAST)
    assert result.exit_code == 0, result.err
    assert len(addresses(site)) == 2
    assert len(rows(result.run_dir)) == 30
