"""Draw the pictures of docs/how-to/dashboard.md: every view in light, in dark, and as wide as a phone.

A dashboard, a crawl of the demo web, two people who judge it, and Debian's Chromium; it takes two minutes.

Example:
  python scripts/dashboard_pictures.py            writes docs/figures/dashboard-{light,dark,phone}.jpg
"""

from __future__ import annotations

import base64
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from dashboard_browser import browser, dashboard, judge, new_page  # noqa: E402

WAYS: dict[str, dict[str, Any]] = {
    "light": {"viewport": {"width": 1100, "height": 800}, "color_scheme": "light"},
    "dark": {"viewport": {"width": 1100, "height": 800}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 780}, "color_scheme": "light"},
}
N_COLUMNS = {"phone": 7}
WIDTH = {"phone": 240}
_QUALITY = 55


def main() -> None:
    """Make a run, and draw each view."""
    with tempfile.TemporaryDirectory() as folder, browser() as opened, dashboard(Path(folder)) as (_, link):
        faults: list[str] = []
        page = new_page(opened, faults)
        page.goto(link)
        root = link.partition("?")[0]
        run = make_run(page, root)
        views = {
            "Runs": "",
            "Start": "start",
            "Crawl": run,
            "Pages": f"{run}/pages?words=star",
            "A page": f"{run}/pages/3?words=star",
            "Judge: who": f"{run}/judge",
            "Judge": f"{run}/judge?as=ann",
            "Learn": f"{run}/learn",
            "Export": f"{run}/export",
            "Manage": f"{run}/manage",
            "Topics": "topics",
            "A topic": "topics/demo",
            "An error": "runs/none",
        }
        for way, options in WAYS.items():
            page = new_page(opened, faults, **options)
            page.goto(link)
            shots = {}
            for name, path in views.items():
                page.goto(f"{root}{path}", wait_until="networkidle" if name != "Crawl" else "load")
                page.wait_for_timeout(300)
                wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
                if wide > 0:
                    print(f"{way}, {name}: {wide} pixels stand out at the side")
                shots[name] = page.screenshot(type="png")
            path = ROOT / "docs" / "figures" / f"dashboard-{way}.jpg"
            sheet(opened, shots, way, path)
            print(f"{path.relative_to(ROOT)} {path.stat().st_size / 1e3:.0f} kB")
    print("\n".join(fault for fault in faults if "404" not in fault))


def make_run(page: Any, root: str) -> str:
    """Crawl 300 pages, judge some as two people, and let the model learn; return the path of the run."""
    page.goto(f"{root}start?topic=demo")
    page.fill("[name=max_pages]", "300")
    page.click("button:has-text('Start')")
    page.wait_for_url("**/runs/*")
    run = page.url.removeprefix(root)
    page.wait_for_selector("text=In the end")
    for person, keys in (("ann", "yynyynyynyynyyyyyyynyyyy"), ("bob", "yynyy")):
        page.goto(f"{root}{run}/judge?as={person}")
        judge(page, keys)
    page.goto(f"{root}{run}/learn")
    page.click("text=What would it do?")
    page.wait_for_selector("text=What a training would do")
    if page.locator("summary:has-text('although it is worse')").count():
        page.click("summary:has-text('although it is worse')")
        page.check("[name=sure]")
        page.click("text=Take it all the same")
    else:
        page.click("button:has-text('Train demo')")
    page.wait_for_selector(".answer:has-text('Now for')")
    page.click("text=What would it do?")  # known already: a refusal is a view as well
    page.wait_for_selector("[role=alert]:not(#lost), #would")
    return run


def sheet(opened: Any, shots: dict[str, bytes], way: str, path: Path) -> None:
    """Draw all shots on one sheet."""
    width, columns = WIDTH.get(way, 460), N_COLUMNS.get(way, 3)
    paper, ink = ("#000", "#ddd") if way == "dark" else ("#ccd", "#222")
    cells = "".join(
        f"<figure><figcaption>{name}</figcaption><img width={width} src='data:image/png;base64,"
        f"{base64.b64encode(shot).decode()}'></figure>"
        for name, shot in shots.items()
    )
    page = opened.new_page(viewport={"width": columns * (width + 12) + 12, "height": 400})
    page.set_content(
        f"<style>body{{margin:6px;background:{paper};color:{ink};font:14px sans-serif;display:grid;"
        f"grid-template-columns:repeat({columns},{width}px);gap:12px}}figure{{margin:0}}img{{display:block}}</style>{cells}"
    )
    page.screenshot(path=path, type="jpeg", quality=_QUALITY, full_page=True)
    page.close()


if __name__ == "__main__":
    main()
