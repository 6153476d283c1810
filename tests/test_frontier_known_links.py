"""Links that are found again: every page that links to one has its say, cheaply, and the order is that of the means."""

from __future__ import annotations

import csv
import json
import os
import random
import signal
import sqlite3
import threading
import time
from contextlib import closing
from pathlib import Path

import hand_made
import pytest
from commands import crawl, crawl_argv, environment, finished, started
from sites import Reply, Site

from focused.frontier.known_links import KnownLinks, LaterPages
from focused.frontier.link_levels import SETTLED, UNKNOWN, LinkLevels
from focused.frontier.store.answers import MERGED, NEW
from focused.frontier.store.limits import StoreLimits
from focused.frontier.store.link import FrontierLink, fingerprint_of
from focused.frontier.store.link_order import LinkOrder
from focused.frontier.store.store import FrontierStore
from focused.method.page.reader import PageReader
from focused.method.scoring import Evidence, Visit
from focused.method.scoring.priority import to_priority
from focused.method.scoring.sorted_links import UpdatedLink
from focused.method.strategies import make_strategy
from focused.method.topic.judge import Judge

FAST = {"CONCURRENT_REQUESTS": 1, "DOWNLOAD_DELAY": 0, "AUTOTHROTTLE_ENABLED": 0, "FOCUSED_METRICS_INTERVAL_SECS": 0}
STRATEGIES = ["best_first", "cbp_slc", "lpe"]


# --- The table in memory --------------------------------------------------------------------------------------------
def test_a_table_that_grows_loses_next_to_nothing_and_mistakes_nothing():
    table = LinkLevels(max_links=100_000)
    urls = [f"http://h.org/{number}" for number in range(20_000)]
    for number, url in enumerate(urls):
        table.put(url, number, number % 1000, score=number / 20_000, n_pages=number)
    places = table.find([*urls, "http://h.org/unknown"])
    assert places[-1] == -1
    found = [(number, place) for number, place in enumerate(places[:-1].tolist()) if place >= 0]
    assert len(found) == len(table) > 19_500
    for number, place in found:
        assert (table.numbers[place], table.levels[place], table.n_pages[place]) == (number, number % 1000, number)
        assert table.scores[place] == number / 20_000
        assert table.place_of(urls[number]) == place


def test_a_full_table_forgets_and_stays_as_large_as_it_is():
    table = LinkLevels(max_links=1000)
    for number in range(5000):
        table.put(f"http://h.org/{number}", number, 1)
    assert len(table) <= 1024
    latest = f"http://h.org/{4999}"
    assert table.numbers[table.place_of(latest)] == 4999


def test_when_scores_change_the_file_is_asked_of_all_that_wait():
    table = LinkLevels()
    table.put("http://h.org/a", 1, 700)
    table.put("http://h.org/b", 2, SETTLED)
    table.unsaved_scores[table.place_of("http://h.org/a")] = 0.5
    table.forget_levels()
    [a, b] = table.find(["http://h.org/a", "http://h.org/b"]).tolist()
    assert (table.levels[a], table.unsaved_scores[a], table.levels[b]) == (UNKNOWN, 0.0, SETTLED)


# --- With a frontier ------------------------------------------------------------------------------------------------
class Means:
    """What the frontier should do, in the plainest way: all that was said of each link, and a search from end to end."""

    def __init__(self) -> None:
        self.said: dict[str, list[tuple[float, bool]]] = {}

    def level(self, url: str) -> int:
        said = self.said[url]
        return to_priority(sum(score for score, _ in said) / len(said), any(admitted for _, admitted in said))

    def best(self) -> str:
        return max(self.said, key=self.level)  # of equals the first: dicts keep their order


@pytest.fixture
def open_store(tmp_path):
    opened = []

    def open_it(strategy: str) -> FrontierStore:
        for store in opened:
            store.close()
        opened[:] = [FrontierStore(tmp_path / "f.sqlite", order=LinkOrder(make_strategy(strategy).merge))]
        return opened[0]

    yield open_it
    opened[0].close()


class Says:
    """What a page says of its links."""

    def __init__(self, *rows: tuple[str, float, bool], referrer: str, carried: float | None = None) -> None:
        self.links = {url: number for number, (url, _, _) in enumerate(rows)}
        self.scores = [score for _, score, _ in rows]
        self.admitted = [admitted for _, _, admitted in rows]
        self._about = {"referrer": referrer, "carried": carried}

    def evidence(self, number: int) -> Evidence:
        return Evidence(self.scores[number], 2, self.admitted[number], **self._about)


def meet(links: KnownLinks, says: Says, *, drops: bool = False) -> tuple[list[str], list[UpdatedLink]]:
    """What is new of a page's links, and what is to be joined."""
    met, _ = links.sort_links(says.links, says, drops=drops)
    return met.new, list(met.updated_links)


@pytest.mark.parametrize("max_links", [1_000_000, 64])
@pytest.mark.parametrize("steps", [2, 100_000])
def test_the_order_is_that_of_the_means_whatever_is_remembered_in_memory(open_store, steps, max_links):
    """With scores that often repeat and ones that never do."""
    generator = random.Random(steps)
    store = open_store("cbp_slc")
    links = KnownLinks(store, LaterPages(are_averaged=True), max_links)
    means, ended, n_joined, n_said = Means(), set(), 0, 0
    for page in range(300):
        found = {f"http://h.org/{int(generator.expovariate(0.02))}": None for _ in range(generator.randrange(1, 40))}
        rows = [(url, generator.randrange(steps + 1) / steps) for url in found if url not in ended]
        says = Says(*((url, score, score > 0.3) for url, score in rows), referrer=f"http://r/{page}")
        met, n_in_memory = links.sort_links(says.links, says, drops=False)
        for url in met.new:
            links.add(FrontierLink(fingerprint_of(url, "h.org"), url, says.evidence(says.links[url])))
        for joined in met.updated_links:
            assert links.update_evidence(joined, 0) is not None
        assert n_in_memory + len(met.updated_links) + len(met.new) == len(rows)
        n_joined, n_said = n_joined + len(met.updated_links), n_said + len(rows) - len(met.new)
        for url, score in rows:
            means.said.setdefault(url, []).append((score, score > 0.3))
        for _ in range(generator.randrange(3)):
            if means.said:
                best = means.best()
                leased = links.next(lambda host: 0.0, 0.0)
                assert (leased.url, leased.priority) == (best, means.level(best))
                assert leased.evidence.n_referrers == len(means.said[best])
                assert leased.evidence.score == pytest.approx(
                    sum(score for score, _ in means.said.pop(best)) / leased.evidence.n_referrers
                )
                ended.add(best)
                store.done(leased.id)
        store.commit()
    assert len(ended) > 100
    assert n_said > 500
    if steps == 2:  # what changes nothing stays in memory
        assert n_joined < n_said


@pytest.mark.parametrize("ends_in_peace", [True, False])
def test_after_a_restart_the_file_knows_half_of_the_pages_at_least_and_all_if_it_was_closed(open_store, ends_in_peace):
    store = open_store("lpe")
    links = KnownLinks(store, LaterPages(are_averaged=True))
    url = "http://h.org/a"
    assert links.add(FrontierLink(1, url, Evidence(0.5, 1, True, referrer="http://r/1"))) == NEW
    n_joined = 0
    for page in range(2, 101):
        for joined in meet(links, Says((url, 0.5, True), referrer=f"http://r/{page}"))[1]:
            n_joined += 1
            links.update_evidence(joined, 0)
    assert n_joined < 10
    if ends_in_peace:
        links.close()
    store.commit()
    store = open_store("lpe")
    links = KnownLinks(store, LaterPages(are_averaged=True))
    # Nothing is remembered: the link comes as if it were new, and is joined to what the file knows.
    assert meet(links, Says((url, 1.0, True), referrer="http://r/101")) == ([url], [])
    assert links.add(FrontierLink(1, url, Evidence(1.0, 1, True, referrer="http://r/101"))) == MERGED
    evidence = links.next(lambda host: 0.0, 0.0).evidence
    assert evidence.n_referrers == 101 if ends_in_peace else 51 <= evidence.n_referrers < 101
    assert evidence.score == pytest.approx((0.5 * (evidence.n_referrers - 1) + 1) / evidence.n_referrers)


def test_what_an_own_rule_says_is_asked_for_each_page(open_store):
    links = KnownLinks(open_store("fish_search"))
    url = "http://h.org/a"
    links.add(FrontierLink(1, url, Evidence(0.5, 1, True, referrer="http://r/1", carried=1.0)))
    new, [joined] = meet(links, Says((url, 0.1, True), referrer="http://r/2", carried=3.0))
    assert (new, joined.url, joined.number) == ([], url, 1)
    known, merged = links.update_evidence(joined, 0)
    assert (known.carried, merged.carried, merged.score) == (1.0, 3.0, 0.5)


def test_a_link_that_was_handed_out_is_settled_under_whatever_spelling(open_store):
    links = KnownLinks(open_store("lpe"), LaterPages(are_averaged=True))
    for url in ("http://h.org/?a&b", "http://h.org/?b&a"):
        links.add(FrontierLink(1, url, Evidence(0.5, 1, True, referrer="http://r/1")))
    links.next(lambda host: 0.0, 0.0)
    assert meet(links, Says(("http://h.org/?a&b", 0.9, True), referrer="http://r/2")) == ([], [])
    [joined] = meet(links, Says(("http://h.org/?b&a", 0.9, True), referrer="http://r/2"))[1]
    assert links.update_evidence(joined, 0) is None


def test_where_links_are_dropped_a_page_below_the_threshold_says_nothing_of_a_known_link(open_store):
    links = KnownLinks(open_store("lpe"), LaterPages(are_averaged=True))
    url = "http://h.org/a"
    links.add(FrontierLink(1, url, Evidence(0.5, 1, True, referrer="http://r/1")))
    says = Says((url, 0.1, False), referrer="http://r/2")
    assert meet(links, says, drops=True) == ([], [])
    assert [joined.url for joined in meet(links, says)[1]] == [url]


def test_where_the_first_page_s_evidence_stands_known_links_are_left_alone_until_some_are_pruned(tmp_path):
    store = FrontierStore(tmp_path / "f.sqlite", limits=StoreLimits(max_links=100))
    links = KnownLinks(store, LaterPages(are_joined=False))
    rows = [(f"http://h.org/{number}", 0.5, True) for number in range(100)]
    for number, (url, score, admitted) in enumerate(rows):
        links.add(FrontierLink(number, url, Evidence(score, 1, admitted, referrer="http://r/1")))
    says = Says(*rows, referrer="http://r/2")
    assert meet(links, says) == ([], [])
    links.note_fetched(rows[0][0])
    number = 100
    while store.n_cut_rounds == 0:
        number += 1
        links.add(FrontierLink(number, f"http://h.org/more/{number}", Evidence(0.9, 1, True, referrer="http://r/3")))
    # Nobody knows which ones are gone: the file is asked about each that has not been fetched.
    assert meet(links, says)[0] == [url for url, _, _ in rows[1:]]
    store.close()


def test_a_fetched_page_is_noted_once_and_links_to_it_are_settled(open_store):
    links = KnownLinks(open_store("lpe"))
    assert [links.note_fetched("http://h.org/a") for _ in range(2)] == [False, True]
    links.resume(["http://h.org/b"])
    assert links.note_fetched("http://h.org/b")
    says = Says(("http://h.org/a", 0.5, True), ("http://h.org/b", 0.5, True), referrer="http://r/1")
    assert meet(links, says) == ([], [])


# --- From end to end ------------------------------------------------------------------------------------------------
def fetched(run_dir) -> list[dict[str, str]]:
    with (run_dir / "fetched.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def tangled(n: int = 80) -> dict[str, bytes]:
    """Pages about stars and food in all proportions, each with links to a dozen others."""
    generator = random.Random(7)
    pages = {}
    for number in range(n):
        words = generator.choices(["star", "galaxy", "planet", "orbit"], k=generator.randrange(6))
        words += generator.choices(["cook", "oven", "butter", "soup", "flour"], k=generator.randrange(5))
        targets = generator.sample(range(n), 12)
        anchors = generator.choices(["a star", "more", "a soup", "planet in orbit", "an oven for stars"], k=12)
        pages[f"/{number}"] = hand_made.html(
            f"Page {number}: {' '.join(words)}.", *zip([f"/{target}" for target in targets], anchors, strict=True)
        )
    return pages


def expected_order(pages: dict[str, bytes], origin: str, name: str) -> list[str]:
    """The crawl, as the method says it: one page after another, always the best of what is known."""
    topic = hand_made.topic()
    reader, judge, strategy = PageReader(topic.analyzer), Judge(topic), make_strategy(name)
    means, order = Means(), []
    url = f"{origin}/0"
    while url:
        order.append(url)
        page = reader.read(pages[url.removeprefix(origin)], url)
        scores = strategy.score(page, judge.judge(page, strategy.kinds), Visit())
        rows = zip(scores.scores.tolist(), scores.admitted.tolist(), strict=True)
        for target, said in zip(page.link_numbers, rows, strict=True):
            if target not in order:
                means.said.setdefault(target, []).append(said)
        url = means.best() if means.said else ""
        means.said.pop(url, None)
    return order


@pytest.mark.slow
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_order_of_a_crawl_is_that_of_the_means_of_all_that_was_said(tmp_path, strategy):
    pages = tangled()
    with Site(pages) as site:
        hand_made.topic(seeds=[f"{site.url}/0"]).save(tmp_path / "models")
        options = {"strategy": strategy, "seeds": f"{site.url}/0"}
        plain = {**FAST, "FOCUSED_TRAPS": "off"}  # the order is that of the scores: these few words say little new
        result = crawl(tmp_path / "models", tmp_path / "1", settings=plain, max_pages=0, **options)
        of_papers = {**plain, "FOCUSED_MERGE_EVIDENCE": 0}
        first = crawl(tmp_path / "models", tmp_path / "2", settings=of_papers, max_pages=40, **options)
        expected = expected_order(pages, site.url, strategy)
    assert result.exit_code == 0, result.err
    assert [row["url"] for row in fetched(result.run_dir)] == expected
    assert len(expected) > 70
    assert result.stats["focused/frontier/moved_count"] > 30
    # The papers' own rule is another.
    assert [row["url"] for row in fetched(first.run_dir)] != expected[:40]
    assert "focused/frontier/merged_count" not in first.stats


def two_ways(slow: object) -> dict[str, object]:
    """The last link of the home page is found again on a page about stars."""
    soups = [(f"/soup/{number}", "soup") for number in range(8)]
    return {
        "/": hand_made.html("Welcome.", ("/stars", "a nebula"), *soups, ("/target", "soup")),
        "/stars": hand_made.html(hand_made.STARS, ("/slow", "a star"), ("/target", "a star")),
        "/slow": slow,
        "/target": hand_made.html(hand_made.STARS),
        **{path: hand_made.html(hand_made.FOOD) for path, _ in soups},
    }


def waiting(folder: Path) -> dict[str, int]:
    """Return how many pages refer to each link that waits, or is under way."""
    with closing(sqlite3.connect(folder / "run" / "frontier.sqlite")) as file:
        return dict(file.execute("SELECT url, n_referrers FROM links WHERE state IN (0, 1)").fetchall())


@pytest.mark.slow
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_link_found_again_by_a_better_page_moves_and_what_was_merged_outlives_a_kill(models, tmp_path, strategy):
    gate = threading.Event()
    slow = Reply(hand_made.html(hand_made.STARS), wait=lambda: gate.wait(400))
    with Site(two_ways(slow)) as site:
        argv = crawl_argv(FAST, seeds=f"{site.url}/", strategy=strategy)
        with started(*argv, cwd=tmp_path, env=environment(models)) as process:
            deadline = time.monotonic() + 180
            while "/slow" not in site.asked:
                assert time.monotonic() < deadline, (tmp_path / "err").read_text()
                assert process.is_alive(), (tmp_path / "err").read_text()
                time.sleep(0.01)
            # What has ended is durable a moment later, though nothing else ends: the home page, then the page about stars.
            while waiting(tmp_path).get(f"{site.url}/target") != 2:
                assert time.monotonic() < deadline, waiting(tmp_path)
                time.sleep(0.01)
            os.kill(process.pid, signal.SIGKILL)
        gate.set()
        with started(*argv, cwd=tmp_path, env=environment(models)) as process:
            pass
        origin = site.url
    result = finished(process, tmp_path)
    assert result.exit_code == 0, result.err
    order = [row["url"].removeprefix(origin) for row in fetched(result.run_dir)]
    assert order[:4] == ["/", "/stars", "/slow", "/target"]
    assert len(order) == len(set(order)) == 12


@pytest.mark.slow
def test_what_is_below_the_threshold_on_one_page_and_above_it_on_another_is_taken_in_where_such_links_are_dropped(
    models, tmp_path
):
    with Site(two_ways(hand_made.html(hand_made.STARS))) as site:
        settings = {**FAST, "FOCUSED_BELOW_THRESHOLD": "drop"}
        result = crawl(models, tmp_path, seeds=f"{site.url}/", strategy="cbp_slc", settings=settings)
        origin = site.url
    assert [row["url"].removeprefix(origin) for row in fetched(result.run_dir)] == ["/", "/stars", "/slow", "/target"]
    assert json.loads((result.run_dir / "run.json").read_text())["stats"]["focused/links/dropped_count"] == 9


@pytest.mark.slow
@pytest.mark.parametrize("strategy", ["adaptive", "breadth_first", "best_first"])
def test_of_several_ways_to_a_link_the_shortest_tunnel_counts(models, tmp_path, strategy):
    stars, food = hand_made.STARS, hand_made.FOOD
    pages = {
        "/": hand_made.html(stars, ("/food1", "a star"), ("/stars1", "soup")),
        "/food1": hand_made.html(f"{food} 1", ("/food2", "a star"), ("/waits", "soup")),
        "/food2": hand_made.html(f"{food} 2", ("/deep", "a star")),  # two irrelevant pages before it
        "/stars1": hand_made.html(f"{stars} 1", ("/waits", "soup"), ("/stars2", "soup")),
        "/waits": hand_made.html(f"{food} 3", ("/behind", "soup")),
        "/behind": hand_made.html(f"{food} 4"),
        "/stars2": hand_made.html(f"{stars} 2", ("/stars3", "soup")),
        "/stars3": hand_made.html(f"{stars} 3", ("/deep", "soup")),
        "/deep": hand_made.html(f"{food} 5"),
    }
    with Site(pages) as site:
        settings = {**FAST, "FOCUSED_FRONTIER_MAX_TUNNEL": 1}
        done = crawl(models, tmp_path, seeds=f"{site.url}/", strategy=strategy, settings=settings)
    assert done.exit_code == 0, done.err
    with (done.run_dir / "fetched.csv").open(newline="") as file:
        assert sorted(row["url"].removeprefix(site.url) for row in csv.DictReader(file)) == sorted(pages)
