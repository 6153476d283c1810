"""A person makes a topic, corrects it and says yes to a page of her choice, by keyboard and on a phone, in a real browser."""

from __future__ import annotations

import json
from typing import Any

import pytest
from dashboard_browser import browser, dashboard, new_page

from focused.collection.page import CollectedPage
from focused.collection.store import CollectionStore
from focused.dashboard.runs import Runs
from focused.method.topic import load_topic

pytestmark = pytest.mark.slow
PHONE = {"viewport": {"width": 390, "height": 780}}
BEES = "Bees bring nectar to the hive, and their queen lays eggs. Honey is sweet, and wax makes combs."


def test_a_topic_is_made_and_corrected_and_a_chosen_page_gets_a_yes(tmp_path):
    faults: list[str] = []
    with browser() as opened, dashboard(tmp_path) as (_, link):
        run = tmp_path / "runs" / "one"
        run.mkdir()
        (run / "run.json").write_text(json.dumps({"topic": "demo", "finish_reason": "max_pages"}))
        store = CollectionStore(run / "collection.sqlite", max_irrelevant=10)
        store.add(
            CollectedPage(1, "http://a.example/", title="A star", text="A star.", terms={"star": 1}, relevance=0.2)
        )
        store.close()
        [known] = Runs(tmp_path / "runs").all()
        page, root = new_page(opened, faults, **PHONE), link.partition("?")[0]
        page.goto(link)
        page.goto(f"{root}topics")
        page.fill("[name=name]", "bees")
        page.fill("[name=keywords]", "bee honey hive queen nectar wax")
        files = [
            {"name": f"{n}.html", "mimeType": "text/html", "buffer": f"<title>Hive {n}</title><p>{BEES}".encode()}
            for n in range(3)
        ]
        page.set_input_files("[name=files]", files)
        page.click("button:has-text('Make the topic')")
        page.wait_for_selector("text=What it believes")
        page.focus("[name=threshold]")
        page.keyboard.type("0.7")
        page.keyboard.press("Enter")
        page.wait_for_selector("text=0.700 on, which a person has set")
        check(page)
        page.click("button[aria-label='Remove 2.html']")
        page.wait_for_selector("text=A training is under way", state="visible")
        page.wait_for_selector("text=A training is under way", state="detached")
        assert page.query_selector("text=2.html") is None
        bees = load_topic("bees", tmp_path / "models")
        assert (bees.settings["FOCUSED_RELEVANCE_THRESHOLD"], bees.manifest["figures"]["n_positive"]) == (0.7, 2)
        page.goto(f"{root}runs/{known.key}/pages?which=all&words=star")
        page.click("ol.list a")
        page.focus("[name=as]")
        page.keyboard.type("ann")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.wait_for_selector("text=yes (ann says yes)")
        assert page.url.endswith("?as=ann&words=star")
        check(page)
    assert faults == []


def check(page: Any) -> None:
    """Nothing stands out at the side, and there is no serious fault of accessibility."""
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    assert [
        each["id"] for each in axe.run(page).response["violations"] if each["impact"] in ("serious", "critical")
    ] == []
