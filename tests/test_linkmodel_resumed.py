"""A crawl that is killed and goes on keeps what the topic's examples taught it, and what it has learnt itself."""

from __future__ import annotations

import csv
import signal
import sqlite3
from functools import partial
from typing import TYPE_CHECKING

import hand_made
import numpy as np
import pytest
from commands import crawl, crawl_argv, environment, finished, scrapy, started
from failing import dies_with
from test_linkmodel_crawl import OPTIONS, n_done
from test_linkmodel_examples import examples
from warcs import Warc

from focused.method.topic import load_topic

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

ORIGIN = "http://h.org"
N = 60
FOLDERS, ANCHORS = ("right", "left"), ("alpha", "beta")
PATHS = {
    f"/{folder}/{anchor}{number * 37 % 1000}x.html": anchor
    for number in range(N)
    for folder in FOLDERS
    for anchor in ANCHORS
}
"""Of each page the text of the link to it. The examples say that the folder tells, the crawl that the text does."""


@pytest.fixture(scope="module")
def web(tmp_path_factory) -> Path:
    """On the host of the examples, in their folders."""
    warc = Warc(tmp_path_factory.mktemp("web") / "site.warc.gz")
    warc.page(f"{ORIGIN}/", hand_made.html("Welcome.", *PATHS.items()))
    for path, anchor in PATHS.items():
        text = hand_made.STARS if anchor == "alpha" else hand_made.FOOD
        warc.page(f"{ORIGIN}{path}", hand_made.html(f"{text} {path}", ("/home", "home")))
    return warc.indexed()


@pytest.fixture(scope="module")
def models(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    topic = hand_made.topic()
    topic.examples = examples(folders=True)
    topic.save(folder)
    loaded = load_topic("stars", folder).examples
    assert loaded is not None
    assert loaded.places is not None
    return folder


def waiting(run_dir: Path) -> dict[str, float]:
    file = sqlite3.connect(f"file:{run_dir / 'frontier.sqlite'}?mode=ro", uri=True)
    rows = file.execute("SELECT url, score FROM links WHERE state = 0").fetchall()
    file.close()
    return {url.removeprefix(ORIGIN): score for url, score in rows}


def fetched(run_dir: Path) -> list[str]:
    with (run_dir / "fetched.csv").open(newline="") as file:
        return [row["url"].partition("//")[2].partition("/")[2] for row in csv.DictReader(file)]


def kill_at(n_pages: int, argv: list[str], folder: Path, models: Path) -> None:
    killed = scrapy(*argv, cwd=folder, env=environment(models), before=partial(dies_with, n_pages))
    assert killed.exit_code == -signal.SIGKILL, killed.err
    assert n_done(folder / "run") == n_pages


def side(scores: dict[str, float], what: str) -> list[float]:
    return [score for path, score in scores.items() if what in path]


def test_a_killed_crawl_keeps_what_the_examples_taught_and_what_it_has_learnt(web, models, tmp_path):
    options = {**OPTIONS, "FOCUSED_ADAPTIVE_EVERY_PAGES": 5, "DOWNLOAD_DELAY": 0.05}
    arguments = {"web": web, "seeds": f"{ORIGIN}/", "strategy": "adaptive"}
    killed = tmp_path / "killed"
    killed.mkdir()
    # Before anything is learnt: the examples' word stands, now and after the crash.
    kill_at(2, crawl_argv(options, max_pages=40, **arguments), killed, models)
    few = crawl(models, killed, max_pages=n_done(killed / "run") + 1, settings=options, **arguments)
    assert "Resuming in" in few.err
    assert few.stats.get("focused/adaptive/fits_count", 0) == 0
    before = waiting(killed / "run")
    assert min(side(before, "/right/")) > max(side(before, "/left/")) + 0.02
    assert all(path.startswith("right/") for path in fetched(killed / "run")[1:])
    # When the crawl has learnt something else.
    kill_at(22, crawl_argv(options, max_pages=40, **arguments), killed, models)
    n_killed = n_done(killed / "run")
    with started(*crawl_argv(options, max_pages=40, **arguments), cwd=killed, env=environment(models)) as process:
        pass
    resumed = finished(process, killed)
    whole = crawl(models, tmp_path / "whole", max_pages=40, settings=options, **arguments)
    assert resumed.exit_code == whole.exit_code == 0, resumed.err
    assert 22 <= n_killed < 40
    # After the kill as if nothing had been: the same pages, and links that wait are worth the same.
    assert resumed.stats["focused/adaptive/outcomes_count"] >= 30
    assert all("/alpha" in path for path in fetched(resumed.run_dir)[n_killed:])
    found, expected = waiting(resumed.run_dir), waiting(whole.run_dir)
    both = sorted(found.keys() & expected.keys())
    assert len(both) > 150
    scores = np.array([[found[path], expected[path]] for path in both])
    assert scores[:, 0] == pytest.approx(scores[:, 1], abs=0.02)
    for anchor in ANCHORS:  # both are at work in one model: what was learnt and what was known before
        right, left = (side(found, f"/{folder}/{anchor}") for folder in FOLDERS)
        assert np.mean(right) > np.mean(left) + 0.02
    assert min(side(found, "/alpha")) > max(side(found, "/beta"))


def test_frontier_and_explain_say_what_an_adaptive_score_rests_on(web, models, tmp_path):
    run = crawl(
        *(models, tmp_path),
        web=web,
        seeds=f"{ORIGIN}/",
        strategy="adaptive",
        max_pages=20,
        settings=OPTIONS,
    )
    assert run.exit_code == 0, run.err
    shown = scrapy("frontier", "run", "--top", "1", cwd=tmp_path, env=environment(models)).out
    assert "adaptive            -  " in shown
    best = shown.split()[-1]
    why = scrapy("frontier", "run", "--why", best, cwd=tmp_path, env=environment(models)).out
    assert "referrers   1 page known to link to it" in why
    assert "they say    page 0.100, block" in why  # the home page has no known word
    assert "from 20 pages of this crawl" in why
    # Every page links to it, the first of them alone is in the frontier's table of links.
    home = scrapy("frontier", "run", "--why", f"{ORIGIN}/home", cwd=tmp_path, env=environment(models)).out
    assert "referrers   19 pages known to link to it" in home
    page = tmp_path / "page.html"
    page.write_bytes(hand_made.html("Welcome.", *PATHS.items()))
    explained = scrapy("explain", "stars", "page.html", "--strategy", "adaptive", cwd=tmp_path, env=environment(models))
    assert "it then knows what the links among the topic's examples teach" in explained.out
    hand_made.topic().save(tmp_path / "none")
    nothing = environment(tmp_path / "none")
    explained = scrapy("explain", "stars", "page.html", "--strategy", "adaptive", cwd=tmp_path, env=nothing)
    assert "it then knows nothing of links" in explained.out
    other = scrapy("explain", "stars", "page.html", "--strategy", "best_first", cwd=tmp_path, env=nothing)
    assert "it then knows" not in other.out
