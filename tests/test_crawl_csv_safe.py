"""No page brings a formula into a file that people open in a spreadsheet, unless the user wants texts as they are."""

from __future__ import annotations

import csv

import hand_made
import pytest
from commands import crawl
from warcs import Warc

from focused.crawl.fetched_rows import fetched_row
from focused.items import PageItem

TITLES = {
    "/": '=HYPERLINK("http://evil.example/","stars")',
    "/1": "@SUM(1+1)*cmd|' /C calc'!A0",
    "/2": "-2 degrees",
    "/3": "-2.5",
    "/4": "Stars = suns",
}


@pytest.mark.parametrize("is_safe", [True, False])
def test_a_title_is_no_formula_in_a_csv_feed(models, tmp_path, is_safe):
    warc = Warc(tmp_path / "site.warc.gz")
    links = [(path, "a nebula") for path in TITLES]
    for path, title in TITLES.items():
        warc.page(f"http://h.example{path}", hand_made.html(f"{hand_made.STARS} {path}", *links, title=title))
    settings = {} if is_safe else {"FOCUSED_CSV_SAFE": False}
    done = crawl(models, tmp_path, settings=settings, feed="found.csv", web=warc.indexed(), seeds="http://h.example/")
    assert done.exit_code == 0, done.err
    with (tmp_path / "found.csv").open(newline="", encoding="utf-8") as file:
        found = {row["url"].removeprefix("http://h.example"): row["title"] for row in csv.DictReader(file)}
    marked = {"/", "/1", "/2"} if is_safe else set()
    assert found == {path: f"'{title}" if path in marked else title for path, title in TITLES.items()}
    assert {page["title"] for page in done.pages} == set(TITLES.values())


def test_a_reason_is_no_formula_in_fetched_csv():
    item = PageItem(url="http://h.example/", link_reason="=1+1", relevance=0.5, relevant=True)
    assert ",'=1+1," in fetched_row(1, item)
    assert ",=1+1," in fetched_row(1, item, is_safe=False)
