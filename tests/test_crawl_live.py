"""Crawls over real sockets: budget, politeness, precedence."""

from __future__ import annotations

import gzip
import itertools
import threading
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

import hand_made
import pytest
from commands import crawl
from observers import SETTINGS, observed
from scrapy.downloadermiddlewares.downloadtimeout import DownloadTimeoutMiddleware
from sites import HTML, Reply, Site, redirect

from focused.frontier.store.view import FrontierView

if TYPE_CHECKING:
    from scrapy import Request

pytestmark = pytest.mark.slow

FAST = {
    "DOWNLOAD_DELAY": 0,
    "AUTOTHROTTLE_ENABLED": 0,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
    "FOCUSED_METRICS_INTERVAL_SECS": 0,
}

OF_TOPIC = {"FOCUSED_PRIVATE_ADDRESSES": "allow"}
"""Settings with which a topic's seeds may be on this machine."""


class Busy:
    """A site of endless pages of which some redirect, some are missing, some fail, some are pictures, some slow."""

    def __init__(self) -> None:
        self.n_pages = 0
        self.n_at_once = self.most_at_once = 0
        self._lock = threading.Lock()

    def __call__(self, path: str) -> Reply | None:
        if path == "/robots.txt":
            return None
        number = int(path.rpartition("/")[2] or 0)
        if number % 7 == 3:
            return redirect(f"/to/{number * 10}")
        if number % 11 == 5:
            return None
        if number % 13 == 6:
            return Reply(b"<p>Broken.", 500)
        if number % 17 == 8:
            return Reply(b"\x89PNG\r\n\x1a\n\0\0", headers={"Content-Type": "image/png"})
        if number % 19 == 9:
            return Reply(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" * 50)
        with self._lock:
            self.n_pages += 1
        links = [(f"/to/{number * 5 + k}", "nebula" if k % 2 else "soup") for k in range(1, 6)]
        body = hand_made.html(hand_made.STARS if number % 2 else hand_made.FOOD, *links)
        return Reply(body, wait=lambda: self.linger(0.03 if number % 3 else 0.0))

    def linger(self, seconds: float) -> None:
        with self._lock:
            self.n_at_once += 1
            self.most_at_once = max(self.most_at_once, self.n_at_once)
        time.sleep(seconds)
        with self._lock:
            self.n_at_once -= 1


@pytest.mark.parametrize("max_pages", [1, 16, 60])
def test_the_budget_is_exact_whatever_is_under_way(models, tmp_path, max_pages):
    busy = Busy()
    numbers = (1, 3, 5, 6, 8, 9, 19) if max_pages == 60 else (1,)  # one of each kind, and two that lead on
    with Site(busy) as site:
        seeds = ",".join(f"{site.url}/to/{number}" for number in numbers)
        result = crawl(models, tmp_path, seeds=seeds, max_pages=max_pages, settings=FAST)
    assert result.exit_code == 0, result.err
    assert result.stats["finish_reason"] == "max_pages"
    assert result.stats["focused/pages/fetched_count"] == max_pages
    assert busy.n_pages == max_pages  # not one page was asked for in vain
    if max_pages == 60:
        assert busy.most_at_once > 1
        assert {302, 404, 500} <= set(site.answered)
        assert result.stats["focused/pages/not_text_count"] >= 2
        assert result.stats["httperror/response_ignored_count"] >= 1
        assert "with an HTTP error" in result.err
    assert Counter(site.asked)["/robots.txt"] == 1


@pytest.fixture(scope="module")
def polite(tmp_path_factory):
    """A crawl with a topic that has settings of its own, at Scrapy's full talkativeness."""
    folder = tmp_path_factory.mktemp("polite")
    pages = {
        "/robots.txt": Reply(b"User-agent: *\nDisallow: /private/\n", headers={"Content-Type": "text/plain"}),
        "/": hand_made.html("Welcome.", ("/private/1", "a nebula"), ("/a", "a star"), ("/b", "soup")),
        "/private/1": hand_made.html(hand_made.STARS),
        "/a": hand_made.html(hand_made.STARS),
        "/b": hand_made.html(hand_made.FOOD),
    }
    with Site(pages) as site:
        settings = {"DOWNLOAD_DELAY": 0.03, "AUTOTHROTTLE_ENABLED": False}
        hand_made.topic(seeds=[f"{site.url}/"], settings=settings).save(folder / "models")
        options = {
            "USER_AGENT": "stars/1",
            "FOCUSED_CONTACT": "me@example.org",
            "LOG_LEVEL": "DEBUG",
            **OF_TOPIC,
            **SETTINGS,
        }
        result = crawl(folder / "models", folder, settings=options)
    assert result.exit_code == 0, result.err
    return result, site


def test_settings_of_the_topic_reach_the_crawl(polite):
    result, site = polite
    assert observed(result.run_dir)["delays"] == [0.03]
    assert result.run["settings"]["DOWNLOAD_DELAY"] == 0.03
    assert site.agents == {"stars/1 (+me@example.org)"}


def test_robots_txt_is_obeyed(polite):
    result, site = polite
    assert sorted(site.asked) == ["/", "/a", "/b", "/robots.txt"]
    assert result.stats["robotstxt/forbidden"] == 1


def test_no_port_is_opened_for_anyone(polite):
    """Telnet console and remote control run Python for whoever connects; Scrapy would say that they listen."""
    result, _ = polite
    assert "DEBUG" in result.err
    assert "listening" not in result.err.lower()
    assert "RemoteControl" not in result.err
    assert "TelnetConsole" not in result.err


def test_the_project_is_polite_by_default(tmp_path):
    with Site({"/": hand_made.html("Welcome.", ("/a", "a star")), "/a": hand_made.html(hand_made.STARS)}) as site:
        hand_made.topic(seeds=[f"{site.url}/"]).save(tmp_path / "models")
        result = crawl(tmp_path / "models", tmp_path, max_pages=1, settings=SETTINGS | OF_TOPIC)
    assert result.exit_code == 0, result.err
    assert observed(result.run_dir)["delays"] == [1.0]
    assert all(agent.startswith("focused/") for agent in site.agents)
    assert "Set -s FOCUSED_CONTACT=you@example.org" in result.err
    assert "DOWNLOAD_DELAY" not in result.run["settings"]


def test_a_server_that_is_not_there_is_no_success_in_silence(models, tmp_path):
    with Site({}) as site:
        url = site.url
    result = crawl(models, tmp_path, seeds=f"{url}/", settings=FAST | {"FOCUSED_HOST_REST_SECS": 0.05})
    assert result.exit_code == 1
    assert result.run["finish_reason"] == "finished"
    assert "No page was fetched. Answers: 3 x connection refused.\n" in result.err
    assert f"did not answer: {url.partition('//')[2]} (robots.txt: connection refused; 1 link)" in result.err
    assert result.stats["focused/hosts/unreachable_links_count"] == 1
    assert "Traceback" not in result.err


@pytest.mark.parametrize("there", [{"/b": redirect("/a")}, {f"/{n}": redirect(f"/{n + 1}") for n in range(9)}])
def test_a_crawl_that_got_no_page_for_redirects_without_end_says_so_once_and_fails(models, tmp_path, there):
    with Site({"/a": redirect("/b" if "/b" in there else "/0"), **there}) as site:
        result = crawl(models, tmp_path, seeds=f"{site.url}/a", settings=FAST)
    assert result.exit_code == 1
    [line] = [line for line in result.err.splitlines() if "No page was fetched" in line]
    assert line.endswith("ERROR: No page was fetched. Answers: 1 x redirected in a circle or without end.")
    assert result.run["finish_reason"] == "finished"
    assert result.stats["focused/pages/endless_redirects_count"] == 1


@pytest.mark.parametrize("cookies", [False, True])
def test_a_page_that_wants_a_cookie_back_is_fetched_where_cookies_are_sent(models, tmp_path, cookies):
    asked = Counter()

    def pages(path: str) -> Reply | None:
        """Each page redirects to itself, or to a page that redirects back, once."""
        asked[path] += 1
        if path == "/":
            return Reply(hand_made.html("Welcome.", ("/a", "a star"), ("/b", "a star"), ("/c", "a star")))
        if path in ("/a", "/b") and asked[path] == 1:
            return redirect(path if path == "/a" else "/cookie")
        return {"/cookie": redirect("/b"), "/c": redirect("/c")}.get(path, Reply(hand_made.html(hand_made.STARS)))

    with Site(pages) as site:
        settings = FAST | {"COOKIES_ENABLED": cookies, "ROBOTSTXT_OBEY": False}
        result = crawl(models, tmp_path, seeds=f"{site.url}/", settings=settings)
    assert result.exit_code == 0, result.err
    # Both have one text, so the one that comes later is a copy.
    delivered = {page["url"].rpartition("/")[2] for page in result.pages}
    assert len(delivered & {"a", "b"}) == cookies
    assert (asked["/a"], asked["/b"], asked["/c"]) == ((2, 2, 6) if cookies else (1, 1, 1))
    n_circles = 1 if cookies else 3
    assert result.stats["focused/pages/endless_redirects_count"] == n_circles
    assert f"{n_circles} page{'s' * (n_circles > 1)} redirected in a circle or without end, as hosts do" in result.err
    with FrontierView(result.run_dir) as view:
        assert (view.find(f"{site.url}/a").state, view.find(f"{site.url}/b").note) == (
            ("done", "redirect") if cookies else ("dropped", "redirects to a known link")
        )


def wait_a_second_for_late() -> None:
    """Let one page time out, and the others have all the time that this machine needs."""
    set_timeout = DownloadTimeoutMiddleware.process_request

    def set_own(self: DownloadTimeoutMiddleware, request: Request, *about: Any) -> Any:
        if request.url.endswith("/late"):
            request.meta["download_timeout"] = 1
        return set_timeout(self, request, *about)

    DownloadTimeoutMiddleware.process_request = set_own


def test_it_says_in_words_why_a_page_could_not_be_fetched(models, tmp_path):
    is_over = threading.Event()
    packed = {"Content-Type": HTML, "Content-Encoding": "gzip"}
    notes = {
        "/large": (Reply(b"x" * 5_001), "too large (DOWNLOAD_MAXSIZE)"),
        "/broken": (Reply(b"<p>Half a page", hangs_up_after=5), "connection broken"),
        "/late": (Reply(wait=lambda: is_over.wait(300)), "timed out"),
        "/unpacked": (Reply(b"<p>No gzip", headers=packed), "cannot be unpacked"),
        "/no-zstd": (Reply(b"<p>No zstd", headers=packed | {"Content-Encoding": "zstd"}), "cannot be unpacked"),
        "/nowhere": (redirect("http://[::1"), "redirected to what is no URL"),
        "/gone": (Reply(b"", 410), "HTTP 410"),
    }
    home = hand_made.html(hand_made.STARS, *((path, "a star") for path in notes))
    with Site({"/": home, **{path: reply for path, (reply, _) in notes.items()}}) as site:
        settings = FAST | {"DOWNLOAD_MAXSIZE": 5_000, "RETRY_TIMES": 0}
        result = crawl(models, tmp_path, seeds=f"{site.url}/", settings=settings, before=wait_a_second_for_late)
        is_over.set()
    assert result.exit_code == 0, result.err
    with FrontierView(result.run_dir) as view:
        found = {path: view.find(f"{site.url}{path}").note for path in notes}
    assert found == {path: note for path, (_, note) in notes.items()}


def test_a_crawl_without_a_page_fails_whatever_came_instead_and_one_with_a_page_does_not(models, tmp_path):
    pages = {"/": hand_made.html(hand_made.STARS), "/loop": redirect("/loop"), "/binary": Reply(b"\0\1\2", headers={})}
    with Site(pages) as site:
        for name, paths, code in (("none", "gone binary", 1), ("one", "gone loop binary /", 0)):
            seeds = " ".join(f"{site.url}/{path.strip('/')}" for path in paths.split())
            done = crawl(models, tmp_path, seeds=seeds, settings=FAST, run_dir=tmp_path / name)
            assert done.exit_code == code, done.err


class TwoHosts:
    """One host redirects all that it is asked for to pages of the other; a root links to both. Notes when the other was asked."""

    def __init__(self, n_pages: int, *, is_flaky: bool = False) -> None:
        self.n_pages, self.is_flaky = n_pages, is_flaky
        self.site: Site | None = None
        self.asked: list[tuple[float, str]] = []
        self._broken: set[str] = set()

    def url(self, host: int, path: str) -> str:
        return f"http://127.0.3.{host}:{self.site.url.rpartition(':')[2]}/{path}"

    def __call__(self, path: str) -> Reply | bytes | None:
        host, _, name = path[2:].partition("/")
        if name == "robots.txt":
            return None
        if host.startswith("127.0.3.1") and name:
            if self.is_flaky and name not in self._broken:
                self._broken.add(name)
                return Reply(b"try again", 500)
            return redirect(self.url(2, name))
        if not name:
            targets = [*(f"moved-{n}" for n in range(self.n_pages)), "twice"]
            links = [(self.url(1, each), "nebula") for each in targets]
            return hand_made.html(
                hand_made.STARS, *links, *((self.url(2, f"own-{n}"), "star") for n in range(self.n_pages))
            )
        self.asked.append((time.monotonic(), name))
        return hand_made.html(f"{hand_made.STARS} {name}", (self.url(2, "twice"), "nebula"))


def test_a_backslash_in_a_redirect_is_a_slash_as_in_a_link(models, tmp_path):
    targets = {"/0": "\\stars\\a", "/1": "/stars\\b?x=\\", "/2": "\\\\{}\\stars\\c"}

    def pages(path: str) -> bytes | Reply | None:
        if path == "/":
            return hand_made.html(hand_made.STARS, *((each, "a star") for each in targets))
        if path in targets:
            return redirect(targets[path].format(site.url.removeprefix("http://")))
        return hand_made.html(f"{hand_made.STARS} {path}") if path.startswith("/stars/") else None

    with Site(pages) as site:
        crawl(models, tmp_path, seeds=f"{site.url}/", settings=FAST)
    assert {path for path in site.asked if "stars" in path} == {"/stars/a", "/stars/b?x=%5C", "/stars/c"}


def test_the_header_refresh_is_followed_on_a_page_as_a_link_and_without_one_as_a_redirect(models, tmp_path):
    html, stars = {"Content-Type": HTML}, hand_made.html(hand_made.STARS)
    pages = {
        "/": Reply(hand_made.html(f"{hand_made.STARS} Welcome."), headers=html | {"Refresh": "5; url=/empty"}),
        "/empty": Reply(headers=html | {"Refresh": "0; URL='stars\\a'"}),
        "/stars/a": stars,
    }
    with Site(pages) as site:
        done = crawl(models, tmp_path, seeds=f"{site.url}/", settings=FAST)
    assert [page["url"].removeprefix(site.url) for page in done.pages] == ["/", "/stars/a"]


def test_the_target_of_a_redirect_waits_for_the_delay_of_its_own_host(models, tmp_path):
    web, delay = TwoHosts(6), 0.4
    settings = FAST | OF_TOPIC | {"DOWNLOAD_DELAY": delay, "RANDOMIZE_DOWNLOAD_DELAY": 0}
    with Site(web, "0.0.0.0", by_host=True) as web.site:
        done = crawl(models, tmp_path, seeds=web.url(1, ""), settings=settings)
    assert done.exit_code == 0, done.err
    times = [at for at, _ in web.asked]
    assert len(times) == 13
    assert min(later - at for at, later in itertools.pairwise(times)) > 0.75 * delay


def test_the_target_of_a_redirect_that_came_at_the_second_try_is_a_link_like_another(models, tmp_path):
    web = TwoHosts(1, is_flaky=True)
    with Site(web, "0.0.0.0", by_host=True) as web.site:
        done = crawl(models, tmp_path, seeds=web.url(1, ""), settings=FAST | OF_TOPIC)
        assert done.exit_code == 0, done.err
        with FrontierView(done.run_dir) as view:
            assert view.find(web.url(2, "moved-0")).state == "done"
    assert sorted(name for _, name in web.asked) == ["moved-0", "own-0", "twice"]


def test_meta_refresh_is_a_link_of_its_page(models, tmp_path):
    pages = {
        "/": Reply(b'<meta http-equiv="refresh" content="0; url=/next"><p>Stars and galaxies.'),
        "/next": Reply(b"<p>A nebula.", headers={"Content-Type": HTML}),
    }
    with Site(pages) as site:
        result = crawl(models, tmp_path, seeds=f"{site.url}/", settings=FAST)
    assert [page["url"] for page in result.pages] == [f"{site.url}/", f"{site.url}/next"]


def test_the_frontier_says_why_a_page_was_left(models, tmp_path):
    def page(path: str) -> Reply | bytes | None:
        name, _, number = path[1:].partition("/")
        if name == "robots.txt":
            return Reply(b"User-agent: *\nDisallow: /private", headers={"Content-Type": "text/plain"})
        if name == "on":
            return redirect(f"/on/{int(number) + 1}")
        if name == "bomb":
            return Reply(gzip.compress(bytes(7_000_000)), headers={"Content-Type": HTML, "Content-Encoding": "gzip"})
        links = [("/private", "a"), ("/on/0", "b"), ("/bomb", "c")]
        return hand_made.html(hand_made.FOOD, *links) if not name else None

    with Site(page) as site:
        done = crawl(models, tmp_path, seeds=f"{site.url}/", strategy="breadth_first", settings=FAST)
        assert done.exit_code == 0, done.err
        with FrontierView(done.run_dir) as view:
            notes = {name: view.find(f"{site.url}/{name}").note for name in ("private", "bomb")}
            last = [row.note for row in view.rows() if "/on/" in row.url and row.state == "failed"]
    assert notes["private"] == "forbidden by robots.txt"
    assert notes["bomb"] == "too large"
    assert set(last) == {"redirected without end"}


def test_links_of_a_folder_that_only_answers_with_errors_are_hardly_asked_for(models, tmp_path):
    def answer(path: str) -> Reply | None:
        if path.startswith("/broken/"):
            return Reply(b"<p>Broken.", 500)
        if not path.startswith("/to/"):
            return None
        number = int(path.rpartition("/")[2])
        pages = [(f"/to/{number * 2 + each}", "soup") for each in (1, 2)]
        dead = [(link, "nebula") for link in (f"/gone/a{number}", f"/gone/b{number}", f"/broken/{number}")]
        return Reply(hand_made.html(hand_made.STARS, *pages, *dead))

    settings = {**FAST, "FOCUSED_COPIES": "off", "FOCUSED_HOST_REST_SECS": 0.05}  # all pages have one text
    with Site(answer) as site:
        crawl(models, tmp_path, seeds=f"{site.url}/to/0", max_pages=60, settings=settings)
        # An error is asked for up to three times; how many answers are under way meanwhile depends on the machine.
        asked = Counter(path.split("/")[1] for path in set(site.asked))
    assert asked["to"] == 60
    assert 2 <= asked["gone"] <= 15
    assert 1 <= asked["broken"] <= 10
