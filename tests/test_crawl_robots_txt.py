"""What each answer to robots.txt allows, in one crawl over real sockets: a server with its own address for each answer."""

from __future__ import annotations

import gzip
from contextlib import ExitStack

import hand_made
import pytest
from commands import crawl
from sites import Reply, Site, redirect

from focused.frontier.store.view import FrontierView
from focused.middlewares.robots_download import MAX_TEXT_BYTES

pytestmark = pytest.mark.slow

FAST = {
    "FOCUSED_COPIES": "off",  # the sites' pages are alike
    "DOWNLOAD_DELAY": 0,
    "AUTOTHROTTLE_ENABLED": 0,
    "FOCUSED_METRICS_INTERVAL_SECS": 0,
    "FOCUSED_HOST_REST_SECS": 0.05,
    "FOCUSED_HOST_FAILURES": 5,
}
PLAIN = {"Content-Type": "text/plain"}
RULES = b"User-agent: *\nDisallow: /private\n"
PAGES = {f"/{name}": hand_made.html(hand_made.STARS) for name in ("open", "private", "later")}
ALL, OPEN, NONE = {"/open", "/private", "/later"}, {"/open", "/later"}, set()
_PADDING = b"# " + b"x" * 997 + b"\n"


def rules(body: bytes = RULES, **headers: str) -> Reply:
    return Reply(body, headers={**PLAIN, **headers})


def chain(n_redirects: int):
    """A robots.txt behind so many redirects."""
    found = {f"/hop/{number}": redirect(f"/hop/{number + 1}") for number in range(1, n_redirects)}
    return {"/robots.txt": redirect("/hop/1"), **found, f"/hop/{n_redirects}": rules()}


class Failing:
    """Answers with each of its replies once, and with the last for ever."""

    def __init__(self, *replies: Reply) -> None:
        self.replies = list(replies)

    def __call__(self) -> Reply:
        return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]


# Of each host: what answers for its robots.txt, and which of its three pages are fetched.
TABLE = {
    "rules": (rules(), OPEN),
    "empty": (rules(b""), ALL),
    "not found": (None, ALL),
    "unauthorized": (Reply(RULES, 401), ALL),
    "gone": (Reply(RULES, 410), ALL),
    "html that is no rules": (Reply(b"<html><p>Welcome"), ALL),
    "byte order mark": (rules(b"\xef\xbb\xbf" + RULES), OPEN),
    "utf-16": (rules(RULES.decode().encode("utf-16")), OPEN),
    "bytes that are no text": (rules(b"\xff\xfe\x00\n" + RULES), OPEN),
    "our group only": (rules(b"User-agent: focused\nDisallow: /later\n\n" + RULES), {"/open", "/private"}),
    "our group by a version": (rules(b"User-agent: Focused/1.0\nDisallow: /later\n\n" + RULES), {"/open", "/private"}),
    "five redirects": (chain(5), OPEN),
    "six redirects": (chain(6), ALL),
    "redirect to nowhere": (redirect("file:///etc/passwd"), ALL),
    "at the limit": (rules(_PADDING * 499 + RULES), OPEN),
    "beyond the limit": (rules(RULES + _PADDING * 6000 + b"Disallow: /open\n"), OPEN),
    "cut in a line": (rules(RULES + b"#" * (MAX_TEXT_BYTES - len(RULES) - 13) + b"\nDisallow: /later-not\n"), OPEN),
    "packed": (Reply(gzip.compress(RULES), headers={**PLAIN, "Content-Encoding": "gzip"}), OPEN),
    "a bomb": (Reply(gzip.compress(bytes(30_000_000), 1), headers={**PLAIN, "Content-Encoding": "gzip"}), ALL),
    "a packed one beyond all bounds": (
        Reply(gzip.compress(RULES + _PADDING * 25_000), headers={**PLAIN, "Content-Encoding": "gzip"}),
        OPEN,
    ),
    "redirect to an address that is not asked": (redirect("http://10.0.0.9/robots.txt"), NONE),
    "redirect to a host that is none": (redirect("http://loca%6chost/robots.txt"), NONE),
    "error, for ever": (Reply(RULES, 500), NONE),
    "busy, for ever": (Reply(RULES, 429), NONE),
    "hangs up, for ever": (Reply(RULES, hangs_up_after=5), NONE),
    "packed, but it is not, for ever": (Reply(RULES, headers={**PLAIN, "Content-Encoding": "gzip"}), NONE),
    "redirect to an error, for ever": ({"/robots.txt": redirect("/error"), "/error": Reply(b"", 500)}, NONE),
    "error, then rules": (Failing(Reply(b"", 503), Reply(b"", 500), rules()), OPEN),
    "error, then none": (Failing(Reply(b"", 502), Reply(b"", 404)), ALL),
}


@pytest.fixture(scope="module")
def crawled(tmp_path_factory):
    """One crawl of all hosts of the table, and of one whose robots.txt stands on another."""
    folder = tmp_path_factory.mktemp("robots")
    hand_made.topic().save(folder / "models")
    with ExitStack() as stack:
        sites: dict[str, Site] = {}

        def add(name: str, robots: object) -> Site:
            pages = {**PAGES, **(robots if isinstance(robots, dict) else {"/robots.txt": robots})}

            def answer(path: str) -> Reply | bytes | None:
                found = pages.get(path)
                return found() if isinstance(found, Failing) else found

            sites[name] = stack.enter_context(Site(answer, f"127.0.1.{len(sites) + 1}"))
            return sites[name]

        for name, (robots, _) in TABLE.items():
            add(name, robots)
        elsewhere = add("elsewhere", rules(b"User-agent: *\nDisallow: /open\n"))
        add("redirect to another host", redirect(f"{elsewhere.url}/robots.txt"))
        seeds = ",".join(f"{site.url}{path}" for path in PAGES for site in sites.values())
        yield crawl(folder / "models", folder, seeds=seeds, max_pages=0, settings=FAST), sites


@pytest.mark.parametrize("name", TABLE)
def test_an_answer_to_robots_txt_allows_what_rfc_9309_says(crawled, name):
    result, sites = crawled
    assert result.exit_code == 0, result.err
    fetched = [path for path in sites[name].asked if path in PAGES]
    assert set(fetched) == TABLE[name][1]
    assert len(fetched) == len(set(fetched))


def test_rules_that_stand_on_another_host_are_those_of_the_host_that_points_there(crawled):
    _, sites = crawled
    for name in ("elsewhere", "redirect to another host"):
        assert {path for path in sites[name].asked if path in PAGES} == {"/private", "/later"}


def test_a_robots_txt_is_asked_for_once_and_again_only_while_it_cannot_be_had(crawled):
    _, sites = crawled
    n_asked = {name: site.asked.count("/robots.txt") for name, site in sites.items()}
    never_answered = {name for name in TABLE if name.endswith(", for ever")}
    assert {name: n_asked[name] for name in never_answered} == dict.fromkeys(never_answered, 3)
    assert n_asked["error, then rules"] == 3
    assert n_asked["error, then none"] == n_asked["elsewhere"] == 2  # that one answers for another host, too
    others = n_asked.keys() - never_answered - {"error, then rules", "error, then none", "elsewhere"}
    assert {n_asked[name] for name in others} == {1}


def test_links_that_robots_txt_holds_back_for_want_of_an_answer_are_counted_and_kept(crawled):
    result, sites = crawled
    n_lost = 3 * sum(name.endswith(", for ever") for name in TABLE)
    with FrontierView(result.run_dir) as view:
        notes = {row.url: row.note for row in view.rows()}
    of_the_dead = [notes[f"{sites['error, for ever'].url}{path}"] for path in PAGES]
    assert of_the_dead == ["host not reachable"] * 3
    assert notes[f"{sites['rules'].url}/private"] == "forbidden by robots.txt"
    assert result.stats["focused/hosts/unreachable_links_count"] == n_lost
    assert result.stats["focused/hosts/given_up_count"] == n_lost / 3
    assert result.stats["focused/robots/cut_count"] == 4
    assert "focused/pages/failed_count" not in result.stats
