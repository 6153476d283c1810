"""A crawl of the live web obeys what pages ask of robots; its own web it reads as it is."""

from __future__ import annotations

import hand_made
import pytest
from commands import crawl
from sites import HTML, Reply, Site
from test_crawl_live import FAST
from test_crawl_offline import ORIGIN, web_of

pytestmark = pytest.mark.slow

TO_ALL = b"<meta name=robots content=noindex>"
TO_GOOGLE = b"<meta name=googlebot content=noindex>"
PAGES_ALIKE = {"FOCUSED_COPIES": "off"}
NO_LINKS = b"<meta name=robots content=nofollow>"


def star(*links: str, head: bytes = b"", **headers: str) -> Reply:
    body = hand_made.html(hand_made.STARS + "".join(links), *((link, "a star") for link in links))
    return Reply(head + body, headers={"Content-Type": HTML, **headers})


PAGES = {
    "/": star("/meta", "/header", "/other", "/ends"),
    "/meta": star("/behind", head=TO_ALL),
    "/header": star("/named", **{"X-Robots-Tag": "googlebot: nofollow, focused: noindex"}),
    "/named": star(),
    "/other": star(head=TO_GOOGLE),
    "/behind": star(),
    "/ends": star("/never", head=NO_LINKS),
    "/never": star(),
}


def test_a_page_that_asks_not_to_be_indexed_is_counted_and_not_delivered_and_its_links_are_followed(models, tmp_path):
    with Site(PAGES) as site:
        result = crawl(models, tmp_path, seeds=f"{site.url}/", settings=FAST | PAGES_ALIKE, feed="out.jsonl")
    assert result.exit_code == 0, result.err
    paths = [page["url"].removeprefix(site.url) for page in result.pages]
    assert sorted(paths) == ["/", "/behind", "/ends", "/named", "/other"]
    assert len((tmp_path / "out.jsonl").read_text().splitlines()) == 5
    stats = result.stats
    assert stats["focused/pages/fetched_count"] == 7
    assert stats["focused/pages/relevant_count"] == 5  # what counts as harvest is what is delivered
    assert stats["focused/pages/noindex_count"] == stats["focused/pages/noindex_relevant_count"] == 2
    assert stats["focused/links/nofollow_count"] == 1
    assert stats["item_dropped_reasons_count/DropItem"] == 2
    assert "2 relevant pages not delivered because they ask for it (noindex)" in result.err
    rows = (result.run_dir / "fetched.csv").read_text().splitlines()[1:]
    assert sum(row.split(",")[5] == "0" for row in rows) == 2
    assert "/never" not in site.asked


def test_what_a_recorded_web_asks_of_robots_changes_nothing(models, tmp_path):
    web = web_of(tmp_path, {path: reply.body for path, reply in PAGES.items()})
    result = crawl(models, tmp_path, web=web, seeds=f"{ORIGIN}/", settings=PAGES_ALIKE)
    assert len(result.pages) == result.stats["focused/pages/fetched_count"] == len(PAGES)
    assert "focused/pages/noindex_count" not in result.stats
