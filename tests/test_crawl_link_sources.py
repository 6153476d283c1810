"""Crawls over real sockets that find pages by sitemaps and feeds alone."""

from __future__ import annotations

import csv
import gzip
import os
import signal
import sqlite3
import time

import hand_made
import pytest
from commands import crawl, crawl_argv, environment, finished, started
from sites import HTML, Reply, Site
from test_crawl_live import FAST as LIVE
from test_frontier_crash import n_done

from focused.frontier.store.view import FrontierView

pytestmark = pytest.mark.slow

FAST = {**LIVE, "FOCUSED_COPIES": "off"}  # the sites' pages are alike

XML = {"Content-Type": "application/xml"}
HOME_FEEDS = '<link rel="alternate" type="application/rss+xml" href="/news.rss">'
N_LISTED = 40


def sitemap(*paths: str) -> bytes:
    return f"<urlset>{''.join(f'<url><loc>{{0}}{path}</loc></url>' for path in paths)}</urlset>".encode()


def stars(head: str = "", *links: tuple[str, str]) -> Reply:
    return Reply(head.encode() + hand_made.html(hand_made.STARS, *links), headers={"Content-Type": HTML})


class Sky:
    """A home page without a link to anything. Its robots.txt names an index of two sitemaps, the home page a feed."""

    def __init__(self, home: Reply | None = None, wait: float = 0.0) -> None:
        self.home, self.origin, self.wait = home or stars(HOME_FEEDS), "", wait

    def __call__(self, path: str) -> Reply | None:
        index = "<sitemapindex><sitemap><loc>/stars.xml</loc></sitemap><sitemap><loc>/more.xml.gz</loc></sitemap>"
        files = {
            "/robots.txt": f"User-agent: *\nDisallow:\nSitemap: {self.origin}/index.xml\n".encode(),
            "/index.xml": f"{index}</sitemapindex>".encode(),
            "/stars.xml": sitemap(*(f"/nebula/{n}" for n in range(N_LISTED // 2)), "/nebula.zip", "/"),
            "/more.xml.gz": gzip.compress(sitemap(*(f"/soup/{n}" for n in range(N_LISTED // 2))).replace(b"{0}", b"")),
            "/news.rss": b"<rss><channel><title>News</title><item><title>A telescope</title><link>/new</link>"
            b"<description>In orbit.</description></item></channel></rss>",
        }
        if path in files:
            return Reply(files[path].replace(b"{0}", self.origin.encode()), headers=XML)
        if path == "/":
            return self.home
        text = hand_made.FOOD if path.startswith("/soup") else hand_made.STARS
        body = HOME_FEEDS.encode() + hand_made.html(f"{text} {path}")
        return Reply(body, headers={"Content-Type": HTML}, wait=lambda: time.sleep(self.wait))


def rows_of(run_dir):
    with (run_dir / "fetched.csv").open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("strategy", ["adaptive", "cbp_slc"])
def test_pages_that_only_sitemaps_and_feeds_name_are_found_and_scored_by_what_these_say(models, tmp_path, strategy):
    sky = Sky()
    with Site(sky) as site:
        sky.origin = site.url
        settings = {**FAST, "CONCURRENT_REQUESTS": 1}
        result = crawl(models, tmp_path, seeds=f"{site.url}/", strategy=strategy, settings=settings)
    assert result.exit_code == 0, result.err
    stats, rows = result.stats, rows_of(result.run_dir)
    assert stats["focused/pages/fetched_count"] == len(rows) == N_LISTED + 2
    assert [stats[f"focused/sources/{kind}_count"] for kind in ("sitemaps", "feeds")] == [3, 1]
    assert stats["focused/links/refused_not_page_count"] == 1
    paths = [row["url"].removeprefix(site.url) for row in rows]
    assert max(map(paths.index, ("/new", *(f"/nebula/{n}" for n in range(N_LISTED // 2))))) < paths.index("/soup/0")
    kinds = {path: row["link_reason"].partition(",")[0] for path, row in zip(paths, rows, strict=True)}
    assert (kinds["/nebula/3"], kinds["/new"]) == ("sitemap", "feed")
    assert stats["focused/relevant/by_sitemap_count"] == N_LISTED // 2
    assert rows[paths.index("/new")]["referrer"] == f"{site.url}/news.rss"
    assert site.asked.count("/index.xml") == site.asked.count("/news.rss") == 1  # all pages name that feed
    assert "focused/sources/over_limit_count" not in stats
    assert f"Read: 3 sitemaps and 1 feed; {N_LISTED // 2 + 1} relevant pages came through" in result.err
    with FrontierView(result.run_dir) as view:
        feed, listed = view.find(f"{site.url}/news.rss"), view.find(f"{site.url}/stars.xml")
        assert (feed.state, feed.note, feed.referrer) == ("done", "feed", f"{site.url}/")
        assert (listed.note, listed.referrer) == ("sitemap", f"{site.url}/index.xml")
        assert view.is_own_request(feed)
        assert not view.is_own_request(view.find(f"{site.url}/new"))


def test_hosts_without_a_relevant_page_are_not_asked_and_settings_and_limits_of_pages_hold(models, tmp_path):
    sky, other = Sky(), Sky(home=Reply(hand_made.html(hand_made.FOOD)))
    with Site(sky) as site, Site(other, "127.0.0.2") as second:
        sky.origin, other.origin = site.url, second.url
        sky.home = stars(HOME_FEEDS, (f"{second.url}/", "a nebula"))
        settings = {**FAST, "FOCUSED_FEEDS": 0, "FOCUSED_PRIVATE_ADDRESSES": "allow"}
        # 25 pages of a host allow one sitemap.
        result = crawl(models, tmp_path, seeds=f"{site.url}/", max_pages_per_host=25, settings=settings)
    assert result.exit_code == 0, result.err
    assert second.asked == ["/robots.txt", "/"]
    assert "/index.xml" in site.asked
    assert not {"/stars.xml", "/more.xml.gz", "/news.rss"} & set(site.asked)
    assert result.stats["focused/sources/over_limit_count"] == 2
    assert "2 sitemaps and feeds beyond FOCUSED_SITEMAPS" in result.err


def test_a_long_sitemap_does_not_flood_the_frontier_and_the_best_of_it_are_kept(models, tmp_path):
    many = sitemap(
        *(f"/{kind}/{n}" for kind, most in (("soup", 3000), ("nebula", 10), ("no/star", 50)) for n in range(most))
    )

    def pages(path: str) -> Reply | None:
        if path == "/robots.txt":
            return Reply(f"Sitemap: {site.url}/all.xml".encode())
        if path == "/all.xml":
            return Reply(many.replace(b"{0}", b""), headers=XML)
        return Reply(hand_made.html(hand_made.FOOD if "soup" in path else hand_made.STARS))

    with Site(pages) as site:
        settings = {**FAST, "FOCUSED_SOURCE_MAX_LINKS": 20}
        # The sitemap lies beside the paths that are allowed.
        scope = {"allow": "/$,/soup/,/nebula/", "deny": "/no/"}
        options = {"seeds": f"{site.url}/", "strategy": "cbp_slc", "max_pages": 11, **scope}
        result = crawl(models, tmp_path, settings=settings, **options)
    assert result.exit_code == 0, result.err
    assert sorted(row["url"].rpartition("/")[0][-6:] for row in rows_of(result.run_dir)[1:]) == ["nebula"] * 10
    assert result.stats["focused/scope/denied_count"] == 50  # they take no place among the best
    assert result.stats["focused/sources/links_left_count"] == 2_990
    assert "2,990 links of sitemaps and feeds beyond FOCUSED_SOURCE_MAX_LINKS" in result.err


def test_what_comes_in_place_of_a_sitemap_costs_a_count(models, tmp_path):
    answers = {
        "/1": Reply(b"<p>No sitemap."),
        "/2": Reply(b"", 404),
        "/3": Reply(gzip.compress(bytes(30_000_000)), headers={"Content-Type": "application/gzip"}),
        "/4": Reply(b"<urlset><url><loc>/nebula</loc></url><url><loc>/cut"),
        "/5": Reply(b"<urlset><url><loc>/never</loc></url></urlset>", headers={"X-Robots-Tag": "nofollow", **XML}),
        "/6": Reply(
            b"<sitemapindex><sitemap><loc>/6</loc></sitemap><sitemap><loc>file:///etc</loc></sitemap></sitemapindex>"
        ),
        "/7": Reply(b"<urlset>", hangs_up_after=0),
    }

    def pages(path: str) -> Reply | None:
        if path == "/robots.txt":
            return Reply("\n".join(f"Sitemap: {site.url}{name}" for name in answers).encode())
        return answers.get(path) or stars()

    with Site(pages) as site:
        result = crawl(models, tmp_path, seeds=f"{site.url}/", settings=FAST)
    assert result.exit_code == 0, result.err
    assert [page["url"] for page in result.pages] == [f"{site.url}/", f"{site.url}/nebula"]
    counts = {
        name: result.stats.get(f"focused/sources/{name}_count") for name in ("no_source", "failed", "cut", "sitemaps")
    }
    assert counts == {"no_source": 2, "failed": 2, "cut": 1, "sitemaps": 3}
    assert "focused/pages/failed_count" not in result.stats
    assert "Traceback" not in result.err


def test_a_killed_crawl_keeps_what_sitemaps_and_feeds_named(models, tmp_path):
    sky = Sky(wait=0.03)
    with Site(sky) as site:
        sky.origin = site.url
        argv = crawl_argv({**FAST, "CONCURRENT_REQUESTS": 2}, seeds=f"{site.url}/", strategy="adaptive")
        # At its second kill the first sources have been read; what they named is known to the frontier alone.
        for target in (1, 8):
            with started(*argv, cwd=tmp_path, env=environment(models)) as process:
                while n_done(tmp_path / "run") < target:
                    assert process.is_alive(), (tmp_path / "err").read_text()
                    time.sleep(0.005)
                os.kill(process.pid, signal.SIGKILL)
        with started(*argv, cwd=tmp_path, env=environment(models)) as process:
            pass
    result = finished(process, tmp_path)
    assert result.exit_code == 0, result.err
    urls = [row["url"].removeprefix(site.url) for row in rows_of(result.run_dir)]
    listed = [f"/{kind}/{n}" for kind in ("nebula", "soup") for n in range(N_LISTED // 2)]
    assert sorted(urls) == sorted(["/", "/new", *listed])
    file = sqlite3.connect(tmp_path / "run" / "frontier.sqlite")
    states = dict(file.execute("SELECT url, state FROM links"))
    file.close()
    assert {states[f"{site.url}{path}"] for path in ("/index.xml", "/stars.xml", "/more.xml.gz", "/news.rss")} == {2}


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "packed"])
def test_a_sitemap_beyond_all_bounds_is_read_as_far_as_it_goes(models, tmp_path, packed):
    entry = b"<url><loc>{0}/nebula/%d</loc><!-- " + b"x" * 1_000 + b" --></url>"
    pages: dict[str, Reply | bytes] = {"/": stars()}
    with Site(pages) as site:
        named = [f"{site.url}/long.xml", f"{site.url}/longest.xml"]
        pages["/robots.txt"] = "".join(f"Sitemap: {url}\n" for url in named).encode()
        for path, n_entries in (("/long.xml", 8_000), ("/longest.xml", 30_000)):  # of 8 and 30 MB
            body = b"<urlset>" + b"".join(entry % n for n in range(n_entries)) + b"</urlset>"
            body = body.replace(b"{0}", site.url.encode())
            headers = {**XML, "Content-Encoding": "gzip"} if packed else XML
            pages[path] = Reply(gzip.compress(body, 1) if packed else body, headers=headers)
        pages |= {f"/nebula/{n}": stars() for n in range(40)}
        result = crawl(models, tmp_path, seeds=f"{site.url}/", max_pages=10, settings=FAST)
    assert result.exit_code == 0, result.err
    assert result.stats["focused/sources/sitemaps_count"] == 2
    assert result.stats["focused/sources/cut_count"] == 1
    assert "Traceback" not in result.err
    with FrontierView(result.run_dir) as view:
        assert {row.state for row in view.rows() if row.url in named} == {"done"}
