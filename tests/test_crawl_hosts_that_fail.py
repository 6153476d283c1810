"""Hosts that do not answer, in crawls over real sockets: their links wait and are not lost, and the crawl ends."""

from __future__ import annotations

import resource
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

import hand_made
import pytest
from commands import crawl
from sites import Reply, Site, redirect

from focused.frontier.store.view import FrontierView
from focused.utils.origins import host_of

pytestmark = pytest.mark.slow

FAST = {
    "FOCUSED_COPIES": "off",  # the sites' pages are alike
    "DOWNLOAD_DELAY": 0,
    "AUTOTHROTTLE_ENABLED": 0,
    "FOCUSED_METRICS_INTERVAL_SECS": 0,
    "FOCUSED_HOST_REST_SECS": 0.05,
}
STARS = hand_made.html(hand_made.STARS)


def a_refusing_address() -> str:
    """The URL of a server that is not there any more."""
    with Site({}, "127.0.2.1") as site:
        return site.url


class Troubled:
    """A host whose home page links to six pages; then it answers so many requests in another way."""

    def __init__(self, n_bad: int, bad: Reply) -> None:
        self.n_bad, self.bad = n_bad, bad

    def __call__(self, path: str) -> Reply | bytes | None:
        if path == "/robots.txt":
            return None
        if path == "/":
            return hand_made.html(hand_made.STARS, *((f"/{number}", "a star") for number in range(6)))
        if self.n_bad > 0:
            self.n_bad -= 1
            return self.bad
        return STARS


def test_hosts_that_do_not_answer_when_the_budget_is_spent_are_named(models, tmp_path):
    dead = a_refusing_address()
    with Site({"/": STARS}) as site:
        seeds = ",".join([f"{dead}/1", f"{site.url}/"])
        done = crawl(models, tmp_path, seeds=seeds, max_minutes=0.05, settings={"DOWNLOAD_DELAY": 0})
    assert done.exit_code == 0, done.err
    assert done.run["finish_reason"] == "max_minutes"
    host, why = dead.partition("//")[2], "robots.txt: connection refused"
    assert done.run["hosts_failing"] == [{"host": host, "why": why}]
    assert f"Did not answer: {host} ({why}). A resumed crawl asks them again" in done.err


def test_hosts_that_do_not_answer_are_given_up_named_and_tried_again_when_the_crawl_is_resumed(models, tmp_path):
    dead = a_refusing_address()
    seeds = [f"{dead}/{number}" for number in range(4)]
    with Site({"/": STARS}) as site:
        done = crawl(models, tmp_path, seeds=",".join([*seeds, f"{site.url}/"]), settings=FAST)
        assert done.exit_code == 0, done.err
        assert done.run["finish_reason"] == "finished"
        assert [page["url"] for page in done.pages] == [f"{site.url}/"]
        with FrontierView(done.run_dir) as view:
            assert {view.find(url).note for url in seeds} == {"host not reachable"}
        assert done.stats["focused/hosts/unreachable_links_count"] == 4
        assert "focused/pages/failed_count" not in done.stats
        assert done.run["hosts_given_up"] == [
            {"host": dead.partition("//")[2], "why": "robots.txt: connection refused", "links": 4}
        ]
        assert "Given up because they did not answer: 127.0.2.1:" in done.err
        assert " (robots.txt: connection refused; 4 links)" in done.err
        assert "All remaining hosts have failed. Waiting until " in done.err
        assert "  to go on   " in done.err
    port = int(dead.rpartition(":")[2])
    with Site({f"/{number}": STARS for number in range(4)}, "127.0.2.1", port):
        again = crawl(models, tmp_path, seeds=",".join(seeds), run_dir="run", settings=FAST)
    assert again.exit_code == 0, again.err
    assert "Retrying 4 links of hosts that were unreachable, or not to be asked." in again.err
    assert again.stats["focused/pages/fetched_count"] == 5
    assert again.stats["focused/hosts/unreachable_links_count"] == 0


def test_only_of_links_that_wait_it_is_said_that_a_resumed_crawl_asks_them_again(models, tmp_path):
    with Site({"/": STARS}) as site, Site({"/": Reply(b"", 503)}, "127.0.2.1") as busy:
        settings = FAST | {"FOCUSED_HOST_REST_SECS": 0.01}
        done = crawl(models, tmp_path, seeds=f"{site.url}/,{busy.url}/", settings=settings)
        n_asked = len(busy.asked)
        again = crawl(models, tmp_path, run_dir="run", seeds=f"{site.url}/,{busy.url}/", settings=settings)
    assert f"Did not answer: {busy.url.partition('//')[2]} (HTTP 503)\n" in done.err
    assert again.exit_code == 0, again.err
    assert len(busy.asked) == n_asked


# Of each host: what it answers to the first requests after its home page, how often, and how many of its links fail for it.
TROUBLES = {
    "too many requests": (Reply(b"", 429), 7, 0),
    "unavailable": (Reply(b"", 503), 7, 0),
    "error": (Reply(b"", 500), 9, 1),
    "hangs up": (Reply(b"x", headers={"Content-Length": "10"}, hangs_up_after=0), 9, 1),
}


def test_a_host_in_trouble_loses_no_more_than_the_page_that_may_be_to_blame(models, tmp_path):
    """One link has its retry and fails; from the third request on the host is to blame, and nothing counts as a retry."""
    with ExitStack() as stack:
        sites = {
            name: stack.enter_context(Site(Troubled(n_bad, bad), f"127.0.2.{number}"))
            for number, (name, (bad, n_bad, _)) in enumerate(TROUBLES.items(), 2)
        }
        seeds = ",".join(f"{site.url}/" for site in sites.values())
        done = crawl(models, tmp_path, seeds=seeds, settings=FAST | {"FOCUSED_HOST_REST_SECS": 0.01})
    assert done.exit_code == 0, done.err
    with FrontierView(done.run_dir) as view:
        n_failed = Counter(row.host for row in view.rows() if row.state == "failed")
        assert {row.state for row in view.rows()} == {"done", "failed"}
    expected = {name: n_lost for name, (_, _, n_lost) in TROUBLES.items()}
    assert {name: n_failed[host_of(site.url)] for name, site in sites.items()} == expected
    assert done.stats["retry/count"] == 2
    assert done.stats["focused/hosts/rests_count"] == 4 * 7
    assert "focused/hosts/given_up_count" not in done.stats


N_HOSTS, N_FILES = 40, 40


def allow_few_files() -> None:
    """Let the process open few files more than it has, for ever."""
    n_files = len(list(Path("/proc/self/fd").iterdir())) + N_FILES
    resource.setrlimit(resource.RLIMIT_NOFILE, (n_files, n_files))


def test_links_wait_where_this_process_has_too_many_files_open_and_none_is_lost(models, tmp_path):
    with Site(lambda path: Reply(STARS, wait=lambda: time.sleep(0.05)) if path == "/" else None, "0.0.0.0") as site:
        port = site.url.rpartition(":")[2]
        seeds = ",".join(f"http://127.0.3.{number}:{port}/" for number in range(1, N_HOSTS + 1))
        done = crawl(
            models,
            tmp_path,
            seeds=seeds,
            max_pages=0,
            settings=FAST | {"CONCURRENT_REQUESTS": 32},
            before=allow_few_files,
        )
    assert done.exit_code == 0, done.err
    assert done.stats["focused/pages/fetched_count"] == N_HOSTS
    assert done.stats["focused/hosts/no_descriptor_count"] > 0
    assert "focused/hosts/rests_count" not in done.stats
    assert done.err.count("Too many open files") == 1


def test_pages_that_always_fail_fail_alone_and_take_no_healthy_host_with_them(models, tmp_path):
    """Two may be asked for in turn after each rest, before the others of their host."""
    bad = {"/0": Reply(b"", 503), "/1": Reply(b"x", headers={"Content-Length": "10"}, hangs_up_after=0)}
    others = Troubled(0, Reply(b""))
    with Site(lambda path: bad.get(path) or others(path)) as site:
        done = crawl(models, tmp_path, seeds=f"{site.url}/", settings=FAST | {"CONCURRENT_REQUESTS": 1})
    assert done.exit_code == 0, done.err
    assert done.stats["focused/pages/fetched_count"] == 5
    assert "focused/hosts/given_up_count" not in done.stats
    assert max(site.asked.count(path) for path in bad) <= 12


def test_what_was_not_to_be_asked_waits_again_when_the_next_start_allows_it(models, tmp_path):
    with Site({"/": STARS}) as site:
        seeds = f"{site.url}/,http://nowhere.invalid/"
        refused = crawl(models, tmp_path, seeds=seeds, settings={**FAST, "FOCUSED_PRIVATE_ADDRESSES": "refuse"})
        assert (refused.exit_code, site.asked) == (1, [])
        assert refused.stats["focused/addresses/refused_count"] == 1
        done = crawl(models, tmp_path, seeds=seeds, settings={**FAST, "FOCUSED_PRIVATE_ADDRESSES": "allow"})
    assert done.stats["focused/pages/fetched_count"] == 1
    assert done.stats["focused/addresses/refused_count"] == 0
    assert "of hosts that were unreachable, or not to be asked." in done.err


@pytest.mark.parametrize("kind", ["error", "hangs up"])
def test_pages_that_always_fail_keep_a_host_no_longer_than_it_takes_to_ask_for_another_of_its_pages(
    models, tmp_path, kind
):
    """Five of its best links: after each rest another link is asked for, and the first good one tells whose fault it is."""
    bad = TROUBLES[kind][0]
    links = [(f"/bad/{n}", "a star, a planet and a telescope") for n in range(5)]
    links += [(f"/good/{n}", "nothing else") for n in range(12)]

    def answer(path: str) -> Reply | bytes | None:
        if path == "/robots.txt":
            return None
        if path == "/":
            return hand_made.html(hand_made.STARS, *links)
        return bad if path.startswith("/bad/") else STARS

    with Site(answer, "127.0.2.1") as site:
        settings = FAST | {"CONCURRENT_REQUESTS_PER_DOMAIN": 1}
        done = crawl(models, tmp_path, seeds=f"{site.url}/", strategy="best_first", settings=settings)
        n_asked = Counter(site.asked)
    assert done.exit_code == 0, done.err
    assert done.stats["focused/pages/fetched_count"] == 13
    assert "focused/hosts/given_up_count" not in done.stats
    assert done.stats["focused/hosts/rests_count"] <= 4
    assert max(n_asked[f"/bad/{n}"] for n in range(5)) <= 3


def test_a_folder_whose_pages_are_known_to_fail_takes_no_healthy_host_with_it(models, tmp_path):
    links = [(f"/{'good' if n % 2 else 'bad'}/{n}", "a star") for n in range(24)]
    links += [(f"/bad/{n}", "a star") for n in range(100, 112)]

    def answer(path: str) -> Reply | bytes | None:
        if path == "/":
            return hand_made.html(hand_made.STARS, *links)
        return Reply(b"<p>Broken.", 500) if path.startswith("/bad/") else None if path == "/robots.txt" else STARS

    with Site(answer, "127.0.2.1") as site:
        settings = FAST | {"CONCURRENT_REQUESTS_PER_DOMAIN": 1, "FOCUSED_COPIES": "off"}
        done = crawl(models, tmp_path, seeds=f"{site.url}/", strategy="best_first", settings=settings)
    assert done.exit_code == 0, done.err
    assert done.stats["focused/pages/fetched_count"] == 13
    assert "focused/hosts/given_up_count" not in done.stats
    with FrontierView(done.run_dir) as view:
        assert {view.find(f"{site.url}/bad/{n}").note for n in range(100, 112)} == {"HTTP 500"}


def test_a_page_that_always_says_too_many_requests_keeps_no_other_page_of_its_host_waiting(models, tmp_path):
    links = [("/busy", "a star, a planet and a telescope"), *((f"/{n}", "nothing else") for n in range(12))]

    def answer(path: str) -> Reply | bytes | None:
        if path == "/":
            return hand_made.html(hand_made.STARS, *links)
        return Reply(b"<p>Slow.", 429) if path == "/busy" else None if path == "/robots.txt" else STARS

    with Site(answer, "127.0.2.1") as site:
        settings = FAST | {"CONCURRENT_REQUESTS_PER_DOMAIN": 1}
        done = crawl(models, tmp_path, seeds=f"{site.url}/", strategy="best_first", settings=settings)
        last_good = max(n for n, path in enumerate(site.asked) if path != "/busy")
    assert done.stats["focused/pages/fetched_count"] == 13
    assert site.asked[:last_good].count("/busy") <= 2


PATIENT_WITH_PORTS = {"FOCUSED_HOST_REST_SECS": 60, "FOCUSED_PRIVATE_ADDRESSES": "allow"}


def of_two_ports(open_port: str, closed_port: str) -> bytes:
    """A page with links to six pages of one port, and to thirty of another, the better ones by far."""
    closed = [(f"{closed_port}/{n}", "a star, a planet and a telescope") for n in range(30)]
    return hand_made.html(hand_made.STARS, *closed, *((f"{open_port}/{n}", "nothing else") for n in range(6)))


def crawled_for_seven_pages(models, tmp_path, site):
    """A patient crawl that finds seven pages where it asks for nothing that does not answer."""
    options = {"max_pages": 7, "max_minutes": 0.5, "strategy": "best_first", "settings": FAST | PATIENT_WITH_PORTS}
    done = crawl(models, tmp_path, seeds=f"{site.url}/", **options)
    assert done.exit_code == 0, done.err
    assert done.run["finish_reason"] == "max_pages"
    return done


def test_a_port_that_is_closed_keeps_no_other_port_of_its_host_from_its_turn(models, tmp_path):
    pages: dict[str, bytes | Reply] = {f"/{n}": STARS for n in range(6)}
    with Site(pages, "127.0.2.1") as site:
        pages["/"] = of_two_ports(site.url, a_refusing_address())
        done = crawled_for_seven_pages(models, tmp_path, site)
    assert done.stats["focused/hosts/rests_count"] == 1
    with FrontierView(done.run_dir) as view:
        assert Counter(row.state for row in view.rows()) == {"done": 7, "waiting": 30}


def test_pages_that_redirect_to_a_closed_port_wait_there_and_take_none_of_the_budget(models, tmp_path):
    """As from http to https that is refused: the first such page lets the port rest, and the others ask it no more."""
    closed = a_refusing_address()
    pages: dict[str, bytes | Reply] = {f"/{n}": STARS for n in range(6)}
    pages |= {f"/moved/{n}": redirect(f"{closed}/{n}") for n in range(12)}
    links = [(f"/moved/{n}", "a star, a planet and a telescope") for n in range(12)]
    pages["/"] = hand_made.html(hand_made.STARS, *links, *((f"/{n}", "nothing else") for n in range(6)))
    with Site(pages, "127.0.2.1") as site:
        done = crawled_for_seven_pages(models, tmp_path, site)
    assert done.stats["focused/pages/fetched_count"] == 7
    with FrontierView(done.run_dir) as view:
        assert {row.state for row in view.rows() if row.url.startswith(closed)} == {"waiting"}
