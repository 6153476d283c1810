"""A page may say that it has another URL than the one it was fetched by: a crawl that goes on knows it by both."""

from __future__ import annotations

import csv
from collections import Counter
from typing import TYPE_CHECKING

import hand_made
import pytest
from commands import crawl
from sites import HTML, Reply, Site

from focused.frontier.resumption import read_aliases

if TYPE_CHECKING:
    from pathlib import Path

FAST = {"DOWNLOAD_DELAY": 0, "AUTOTHROTTLE_ENABLED": 0, "CONCURRENT_REQUESTS": 1}


def named(url: str, *links: tuple[str, str]) -> Reply:
    return Reply(hand_made.html(hand_made.STARS, *links), headers={"Content-Type": HTML, "Content-Location": url})


def fetched(run_dir: Path) -> Counter[str]:
    with (run_dir / "fetched.csv").open(newline="") as file:
        return Counter("/" + row["url"].rpartition("/")[2] for row in csv.DictReader(file))


@pytest.mark.slow
@pytest.mark.parametrize("strategy", ["adaptive", "breadth_first", "best_first"])
def test_a_page_with_two_urls_is_counted_once_by_a_crawl_that_goes_on(models, tmp_path, strategy):
    pages = {
        "/": hand_made.html(hand_made.STARS, ("/a", "a star")),
        "/a": named("/a.en.html", ("/next", "a star")),
        # Its own URL, and a third one.
        "/next": hand_made.html(f"{hand_made.STARS} 2", ("/a.en.html", "a star"), ("/a.en", "a star")),
        "/a.en.html": named("/a.en.html"),
        "/a.en": named("/a.en.html"),
    }
    with Site(pages) as site:
        options = {"seeds": f"{site.url}/", "strategy": strategy, "settings": FAST}
        whole = crawl(models, tmp_path / "whole", **options)
        crawl(models, tmp_path, max_pages=2, **options)
        more = crawl(models, tmp_path, **options)
    assert whole.exit_code == more.exit_code == 0, more.err
    assert fetched(whole.run_dir) == Counter(["/", "/a", "/next"])
    assert fetched(more.run_dir) == fetched(whole.run_dir)
    assert more.stats["focused/pages/fetched_count"] == 3
    assert more.stats["focused/pages/repeated_count"] == whole.stats["focused/pages/repeated_count"] == 1


@pytest.mark.slow
def test_pages_that_all_name_one_script_are_pages_of_their_own(models, tmp_path):
    def page(path: str) -> Reply | None:
        """Apache's MultiViews names the script that answers, for /show/1 as for /show?page=2."""
        if path in ("/", "/robots.txt"):
            links = [(each, "a star") for each in ("/show/1", "/show/2", "/show?page=2", "/show?page=3", "/show.php")]
            return Reply(hand_made.html("Welcome.", *links)) if path == "/" else None
        text = f"{hand_made.STARS} {path}"
        return Reply(hand_made.html(text), headers={"Content-Type": HTML, "Content-Location": "/show.php"})

    with Site(page) as site:
        result = crawl(models, tmp_path, seeds=f"{site.url}/", settings={**FAST, "FOCUSED_COPIES": "off"})
    assert result.stats["focused/pages/fetched_count"] == 6
    assert "focused/pages/repeated_count" not in result.stats


def test_only_pages_fetched_by_another_url_are_named(tmp_path):
    path = tmp_path / "fetched.csv"
    assert list(read_aliases(path)) == []
    path.write_text('number,url,location\n1,http://h.org/,http://h.org/\n2,"http://h.org/a,b",http://h.org/c\n3,http')
    assert list(read_aliases(path)) == ["http://h.org/c"]
    path.write_text("number,url\n1,http://h.org/\n")
    assert list(read_aliases(path)) == []


def test_a_file_that_cannot_be_read_to_its_end_is_said(tmp_path, caplog):
    path = tmp_path / "fetched.csv"
    limit = csv.field_size_limit()
    path.write_text(f"number,url,location\n1,a,b\n2,a,{'x' * (limit + 1)}\n3,a,c\n")
    assert list(read_aliases(path)) == ["b"]
    assert "fetched.csv cannot be read to its end: field larger than field limit" in caplog.text
