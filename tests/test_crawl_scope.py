"""Scope in whole crawls: what is asked for, what is relevant, what is said of the rest, and another scope on resume."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import hand_made
import pytest
from commands import crawl, environment, scrapy
from sites import Reply, Site, redirect

pytestmark = pytest.mark.slow

FAST = {
    "FOCUSED_HOST_REST_SECS": 0.1,
    "DOWNLOAD_DELAY": 0,
    "AUTOTHROTTLE_ENABLED": 0,
    "CONCURRENT_REQUESTS": 1,
    "FOCUSED_METRICS_INTERVAL_SECS": 0,
}
FAST |= {"FOCUSED_HOST_REST_SECS": 0.1, "FOCUSED_COPIES": "off"}  # the sites' pages are alike
STARS = hand_made.STARS
DEUTSCH = (
    "Das Galaxienbild mit dem Teleskop zeigt eine Nebula: galaxies, planets, telescope, orbit, star. Die Sterne sind sehr weit "
    "von uns entfernt, und wir haben sie lange beobachtet, bevor wir etwas über ihre Entstehung schreiben konnten."
)


def pages() -> dict[str, bytes | Reply]:
    links = ["/ok/1", "/private/1", "/ok/paper.pdf.html", "/ok/go", "/ok/de", "http://elsewhere.invalid/star"]
    return {
        "/ok/": hand_made.html(STARS, *((link, "a star") for link in links)),
        "/ok/1": hand_made.html(STARS, ("/ok/2", "a star")),
        "/ok/2": hand_made.html(STARS, ("/ok/3", "a star")),
        "/ok/3": hand_made.html(STARS),
        "/ok/go": redirect("/private/2"),
        "/ok/de": hand_made.html(DEUTSCH, ("/ok/behind", "a star")),
        "/ok/behind": hand_made.html(STARS),
        "/private/1": hand_made.html(STARS),
        "/private/2": hand_made.html(STARS),
    }


def why(models: Path, cwd: Path, url: str) -> str:
    found = scrapy("frontier", "run", "--why", url, cwd=cwd, env=environment(models))
    return found.out + found.err


def test_a_crawl_stays_in_its_scope_and_says_what_it_left_out(models, tmp_path):
    away = {"/ok/1": hand_made.html(STARS, ("/ok/2", "a star"), ("/ok/away", "a star"))}
    with Site({**pages(), **away, "/ok/away": redirect("http://me:secret@elsewhere.invalid/2")}) as site:
        scope = {"allow": "127.0.0.1/ok/", "deny": "/ok/*.pdf", "languages": "en", "max_depth": 2}
        done = crawl(models, tmp_path, seeds=f"{site.url}/ok/", max_pages=0, settings=FAST, **scope)
    assert done.exit_code == 0, done.err
    assert set(site.asked) - {"/robots.txt"} == {"/ok/", "/ok/1", "/ok/2", "/ok/go", "/ok/away", "/ok/de", "/ok/behind"}
    counted = {name: count for name, count in done.stats.items() if name.startswith("focused/scope/")}
    assert counted == {
        "focused/scope/not_allowed_count": 2,  # /private/1 and elsewhere
        "focused/scope/denied_count": 1,
        "focused/scope/beyond_depth_count": 1,  # /ok/3
        "focused/scope/requests_refused_count": 2,  # where /ok/go and /ok/away lead
    }
    assert "1 link out of scope: denied" in done.err
    # The German page has the words, and its link was followed.
    assert done.stats["focused/pages/other_language_count"] == 1
    assert sorted(page["url"].removeprefix(site.url) for page in done.pages) == ["/ok/", "/ok/1", "/ok/2", "/ok/behind"]
    with (done.run_dir / "fetched.csv").open(newline="") as file:
        [row] = [row for row in csv.DictReader(file) if row["url"].endswith("/ok/de")]
    assert (row["relevance"], row["relevant"]) == ("0.0000", "0")
    assert done.run["scope"] == {
        "allow": ["127.0.0.1/ok/"], "deny": ["/ok/*.pdf"], "languages": ["en"], "max_depth": 2
    }  # fmt: skip
    assert "deny has /ok/*.pdf" in why(models, tmp_path, f"{site.url}/ok/paper.pdf.html")
    assert f"dropped: redirects out of scope: {site.url}/private/2" in why(models, tmp_path, f"{site.url}/ok/go")
    assert "out of scope: http://elsewhere.invalid/2" in why(models, tmp_path, f"{site.url}/ok/away")
    kept = b"".join(file.read_bytes() for file in done.run_dir.iterdir() if file.name != "pages.warc.gz")
    assert b"secret" not in kept
    assert "done: in another language: de" in why(models, tmp_path, f"{site.url}/ok/de")


def test_a_resumed_crawl_with_another_scope_drops_what_waits_and_takes_it_up_again_where_it_may(models, tmp_path):
    asked: list[list[str]] = []
    with Site(pages()) as site:
        for limit, scope in ((2, {"deny": "/none/"}), (0, {"deny": "/ok/1,/private/"}), (0, {})):
            options: dict[str, Any] = {
                "seeds": f"{site.url}/ok/",
                "max_pages": limit,
                "strategy": "breadth_first",
                **scope,
            }
            done = crawl(models, tmp_path, settings=FAST, **options)
            assert done.exit_code == 0, done.err
            asked.append(sorted(set(site.asked) - {"/robots.txt"}))
            site.asked.clear()
            if len(asked) == 2:
                assert done.stats["focused/scope/waiting_dropped_count"] == 1
                assert "dropped: out of scope: deny has /private/" in why(models, tmp_path, f"{site.url}/private/1")
    assert asked[0] == ["/ok/", "/ok/1"]
    assert asked[1] == ["/ok/2", "/ok/3", "/ok/behind", "/ok/de", "/ok/go", "/ok/paper.pdf.html"]
    # What was dropped waits again, and the redirect that led out of scope is asked for once more.
    assert asked[2] == ["/ok/go", "/private/1", "/private/2"]
    assert done.stats["focused/scope/waiting_again_count"] == 2


def test_a_seed_out_of_scope_ends_the_crawl_before_its_first_request_with_one_line(models, tmp_path):
    done = crawl(models, tmp_path, seeds="http://127.0.0.1:9/", allow="example.org", settings=FAST)
    assert done.exit_code == 1
    assert done.err.count("\n") == 1
    assert "is out of scope: allow has example.org. Change the scope, or name other seeds: -a seeds=URL" in done.err


@pytest.mark.parametrize("value", ["", " , "])
def test_an_empty_list_is_no_open_scope_but_an_error(models, tmp_path, value):
    done = crawl(models, tmp_path, seeds="http://127.0.0.1:9/", allow=value, settings=FAST)
    assert (done.exit_code, done.err.count("\n")) == (1, 1)
    assert "Spider argument 'allow' must name what it limits" in done.err
