"""A person works with the dashboard in a real browser, while crawls and the dashboard are killed."""

from __future__ import annotations

import json
import os
import signal
import time
from typing import Any

import pytest
from dashboard_browser import VIEWS, browser, dashboard, judge, new_page, own_link

from focused.dashboard.crawls import holder
from focused.dashboard.runs import Runs

pytestmark = pytest.mark.slow


def wait_until(what: Any) -> None:
    deadline = time.monotonic() + 180
    while not what():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_person_crawls_judges_searches_and_takes_pages_away_though_crawl_and_dashboard_are_killed(tmp_path):
    faults: list[str] = []
    runs = Runs(tmp_path / "runs")
    with browser() as opened:
        with dashboard(tmp_path) as (process, _):
            page = new_page(opened, faults)
            page.goto(own_link(tmp_path))
            assert "token" not in page.url
            page.click("text=Start a crawl")
            page.select_option("[name=topic]", "demo")
            page.fill("[name=max_pages]", "100000")
            page.click("button:has-text('Start')")
            page.wait_for_selector("#curve canvas")
            [run] = runs.all()
            wait_until(lambda: runs.get(run.key).n_pages >= 60)
            os.kill(holder(run.path), signal.SIGKILL)
            wait_until(lambda: not runs.get(run.key).is_live)
            page.click("text=Runs")
            page.wait_for_selector(".state:has-text('killed')")
            page.click("tbody a")
            page.click("text=Manage")
            page.fill("[name=max_pages]", str(runs.get(run.key).n_pages + 20))
            page.click("text=Resume this crawl")
            page.wait_for_selector("#curve canvas")
            page.click("text=Judge >> nth=0")
            page.fill("input[name=as]", "ann")
            page.keyboard.press("Enter")
            page.wait_for_url("**/judge?as=ann")
            judge(page, "yyyyn")
            process.kill()
        with dashboard(tmp_path):
            page, link = new_page(opened, faults), own_link(tmp_path)
            page.goto(link)
            page.goto(f"{link.partition('?')[0]}runs/{run.key}/judge?as=ann")
            before = page.inner_text("#asked ul")
            judge(page, "yyyyn")
            assert page.inner_text("#asked ul") != before  # the figure has moved
            assert "verdict" in page.inner_text("#asked ul")
            wait_until(lambda: runs.get(run.key).state == "max_pages")
            said = [json.loads(line) for line in (run.path / "verdicts" / "ann.jsonl").read_text().splitlines()]
            assert [each["relevant"] for each in said] == [True] * 4 + [False] + [True] * 4 + [False]
            page.click("text=Pages")
            page.fill("[name=words]", "star")
            page.click("button:has-text('Show')")
            page.click("ol.list a >> nth=0")
            page.wait_for_selector("mark:has-text('star')")
            page.click("text=Export")
            with page.expect_download() as download:
                page.click("text=Take away")
            taken = {json.loads(line)["url"] for line in download.value.path().read_text().splitlines()}
            assert {each["url"] for each in said if each["relevant"]} <= taken
            assert not {each["url"] for each in said if not each["relevant"]} & taken
            look_for_barriers(opened, page, link.partition("?")[0], run.key)
    assert faults == []


def look_for_barriers(opened: Any, page: Any, root: str, key: str) -> None:
    """Every view, in light and in dark, on a screen and on a phone, is without serious faults of accessibility."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    everything, by_drawing = {}, {"runOnly": ["color-contrast", "link-in-text-block", "scrollable-region-focusable"]}
    views = ["", "start", "topics", "topics/demo", *(f"runs/{key}{view}" for view in VIEWS)]
    found = []
    # No style hides anything by scheme or width: only what is drawn can be another fault.
    for scheme, width, rules in (("light", 390, everything), ("dark", 1280, by_drawing)):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 800})
        for view in views:
            page.goto(f"{root}{view}", wait_until="load")
            wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            if wide > 0:
                found.append((width, view, f"{wide} pixels stand out at the side", []))
            for fault in axe.run(page, options={"resultTypes": ["violations"], **rules}).response["violations"]:
                if fault["impact"] in ("serious", "critical"):
                    found.append((scheme, view, fault["id"], [node["html"] for node in fault["nodes"]][:3]))
    assert found == []
