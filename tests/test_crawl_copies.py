"""Crawls of sites that repeat themselves, over real sockets."""

from __future__ import annotations

import csv
import json
import random
import sqlite3
from urllib.parse import parse_qs, urlsplit

import hand_made
import pytest
from commands import crawl
from sites import Reply, Site, redirect
from test_crawl_live import FAST

pytestmark = pytest.mark.slow

N_ARTICLES = 12


def text(number: int) -> str:
    """Some sixty words about stars, of each article others."""
    source = random.Random(number)
    words = [f"word{source.randrange(500)}a" for _ in range(50)]
    return f"{hand_made.STARS} {' '.join(words)}"


def article(path: str) -> bytes | None:
    """A forum that gives every link a new session id."""
    split = urlsplit(path)
    if split.path not in ("/", "/topic"):
        return None
    number = int(parse_qs(split.query).get("id", ["0"])[0])
    source = random.Random(path)
    links = [(f"/topic?id={source.randrange(N_ARTICLES)}&sid={source.randrange(10**9)}", "a star") for _ in range(8)]
    return hand_made.html(text(number), *links)


def rows(run_dir) -> list[dict[str, str]]:
    with (run_dir / "fetched.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_a_session_id_is_learnt_and_its_pages_are_fetched_once_more_at_most_a_few_times(models, tmp_path):
    with Site(article) as site:
        result = crawl(models, tmp_path, seeds=f"{site.url}/", max_pages=100, settings=FAST)
    assert result.exit_code == 0, result.err
    fetched = rows(result.run_dir)
    assert result.stats["focused/frontier/idle_parameters_count"] == 1
    assert len(fetched) < 2.5 * N_ARTICLES  # endless without
    originals = [row for row in fetched if not row["duplicate_of"]]
    assert len({parse_qs(urlsplit(row["url"]).query).get("id", ["0"])[0] for row in originals}) == N_ARTICLES
    assert len(originals) == N_ARTICLES
    assert all(row["relevant"] == "0" for row in fetched if row["duplicate_of"])
    assert {page["url"] for page in result.pages} == {row["url"] for row in originals if row["relevant"] == "1"}
    assert all(page["duplicate_of"] == "" for page in result.pages)
    assert "copies (duplicate_of in fetched.csv)" in result.err
    notes = sqlite3.connect(result.run_dir / "frontier.sqlite").execute(
        "SELECT DISTINCT note FROM links WHERE state = 4"
    )
    assert notes.fetchall() == [("same page as another link: parameter sid changes nothing",)]


def test_a_resumed_crawl_knows_the_texts_and_the_idle_parameters_of_the_first(models, tmp_path):
    with Site(article) as site:
        first = crawl(models, tmp_path, seeds=f"{site.url}/", max_pages=16, settings=FAST)
        second = crawl(models, tmp_path, seeds=f"{site.url}/", max_pages=100, settings=FAST)
    assert (first.exit_code, second.exit_code) == (0, 0), second.err
    fetched = rows(second.run_dir)
    originals = [row["url"] for row in fetched if not row["duplicate_of"]]
    assert len(originals) == N_ARTICLES
    assert {row["duplicate_of"] for row in fetched} <= {"", *originals}
    assert second.stats["focused/pages/copy_count"] == len(fetched) - N_ARTICLES
    assert len(fetched) < 2.5 * N_ARTICLES


def test_switched_off_every_page_counts_and_no_link_stands_back(models, tmp_path):
    settings = FAST | {"FOCUSED_COPIES": "off", "FOCUSED_TRAPS": "off"}
    with Site(article) as site:
        result = crawl(models, tmp_path, seeds=f"{site.url}/", max_pages=40, settings=settings)
    assert len(rows(result.run_dir)) == 40
    assert len(result.pages) == 40
    assert not [name for name in json.loads((result.run_dir / "run.json").read_text())["stats"] if "copy" in name]


def test_what_is_redirected_to_the_log_in_page_stops_there_once_its_parameter_changes_nothing(models, tmp_path):
    n_links = 40

    def pages(path: str) -> bytes | Reply | None:
        if path == "/":
            return hand_made.html("Welcome.", *((f"/wish/{n}", "a star") for n in range(n_links)))
        if path.startswith("/wish/"):
            return redirect(f"/login?next={path}")
        return hand_made.html(text(0)) if path.startswith("/login") else None

    with Site(pages) as site:
        result = crawl(models, tmp_path, seeds=f"{site.url}/", settings=FAST | {"CONCURRENT_REQUESTS": 1})
    assert result.stats["focused/frontier/idle_parameters_count"] == 1
    assert sum(path.startswith("/wish/") for path in site.asked) == n_links
    assert sum(path.startswith("/login?") for path in site.asked) <= 5
    assert result.stats["focused/pages/fetched_count"] <= 6
