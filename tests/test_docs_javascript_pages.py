"""The recipe for pages that scripts make, as the documentation has it, with Debian's browser."""

from __future__ import annotations

import csv
import os
import re
import shutil
import sys
import time
from importlib.util import find_spec
from typing import TYPE_CHECKING

import hand_made
import pytest
from commands import ROOT, Finished, crawl_argv, scrapy, started
from sites import Reply, Site

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("scrapy_playwright") is None, reason="scrapy-playwright is not installed"),
    pytest.mark.skipif(shutil.which("chromium") is None, reason="there is no chromium"),
]

N_PAGES = 3
SCRIPT = """<title>{number}</title><div id="app"></div><script>
const links = {links}.map(path => `<p><a href="${{path}}">a nebula</a></p>`).join("");
document.getElementById("app").innerHTML = "<p>{text}</p>" + links;
</script>"""


def page(path: str) -> Reply | None:
    """A plain portal, pages that a script makes, and plain ones beside them."""
    if path == "/":
        return Reply(hand_made.html("Welcome.", ("/made/0", "telescopes"), ("/plain", "more"), title="Home"))
    if path == "/plain":
        return Reply(hand_made.html(f"{hand_made.STARS} Plain.", ("/", "home")))
    number = path.removeprefix("/made/")
    if not number.isdigit() or int(number) >= N_PAGES:
        return None
    links = [f"/made/{n}" for n in (2 * int(number) + 1, 2 * int(number) + 2) if n < N_PAGES]
    return Reply(
        SCRIPT.format(number=number, links=links, text=hand_made.STARS).encode(), wait=lambda: time.sleep(0.05)
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the recipe."""
    text = (ROOT / "docs" / "how-to" / "javascript-pages.md").read_text()
    [recipe] = re.findall(r"<!-- with_browser.py -->\n```python\n(.*?)```", text, re.DOTALL)
    if os.geteuid() == 0:
        recipe = recipe.replace('"/usr/bin/chromium"', '"/usr/bin/chromium", "args": ["--no-sandbox"]')
    (tmp_path / "with_browser.py").write_text(recipe)
    return tmp_path


def command(site: Site) -> list[str]:
    settings = {"DOWNLOAD_DELAY": 0, "AUTOTHROTTLE_ENABLED": 0, "CONCURRENT_REQUESTS_PER_DOMAIN": 2}
    return crawl_argv(settings, seeds=f"{site.url}/", web="live")


def environment(models: Path) -> dict[str, str]:
    return {"FOCUSED_MODELS_DIR": str(models), "SCRAPY_SETTINGS_MODULE": "with_browser"}


def import_from_here() -> None:
    sys.path.append("")


def check(done: Finished, site: Site) -> None:
    assert done.exit_code == 0, done.err
    assert done.run["finish_reason"] == "finished", done.err
    with (done.run_dir / "fetched.csv").open(newline="") as file:
        relevant = {row["url"].removeprefix(site.url): row["relevant"] for row in csv.DictReader(file)}
    assert relevant == dict.fromkeys(("/", "/plain", *(f"/made/{number}" for number in range(N_PAGES))), "1")


def test_only_pages_that_scripts_make_go_to_the_browser(folder, models):
    with Site(page) as site:
        done = scrapy(*command(site), cwd=folder, env=environment(models), before=import_from_here)
    check(done, site)
    assert done.stats["playwright/request_count/navigation"] == N_PAGES
    assert "/robots.txt" in site.asked


def test_a_crawl_with_a_browser_that_is_killed_is_resumed(folder, models):
    with Site(page) as site:
        with started(*command(site), cwd=folder, env=environment(models), before=import_from_here) as process:
            while len({path for path in site.asked if path.startswith("/made/")}) < 2:
                time.sleep(0.01)
            process.kill()
            process.join()
        done = scrapy(*command(site), cwd=folder, env=environment(models), before=import_from_here)
    check(done, site)
