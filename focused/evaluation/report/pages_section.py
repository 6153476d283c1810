"""The delivered pages as a table that can be searched, without a network."""

from __future__ import annotations

import math
import shlex
from typing import TYPE_CHECKING

from focused.evaluation.report.delivered_pages import delivered_pages
from focused.evaluation.report.markup import UNKNOWN, Markup, element, joined, link, name, soft, table
from focused.utils.program import as_typed
from focused.utils.words import quantity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from focused.evaluation.report.delivered_pages import Delivered, DeliveredPage
    from focused.evaluation.report.run import Run

N_MOST = 1_000
"""Rows of the tables of a report in all: half a megabyte."""

SCRIPT = """
for (const section of document.querySelectorAll('.pages')) {
  const box = section.querySelector('input'), told = section.querySelector('output');
  const plain = text => text.normalize('NFD').replace(/\\p{M}/gu, '').toLowerCase();
  const rows = [...section.querySelectorAll('tbody tr')].map(row => [row, plain(row.textContent)]);
  box.addEventListener('input', () => {
    const words = plain(box.value).split(/\\s+/).filter(Boolean);
    let found = 0;
    for (const [row, text] of rows) {
      row.hidden = !words.every(word => text.includes(word));
      found += !row.hidden;
    }
    told.textContent = words.length ? found + ' of ' + rows.length : '';
  });
  section.querySelector('.search').hidden = false;
}
"""
"""It only hides rows; the texts of pages are never more than text to it."""


def pages(run: Run, n_most: int) -> Iterator[Markup]:
    """Show the delivered pages, the most relevant first; nothing if there are none."""
    found = delivered_pages(run.directory, n_most)
    if found.note:
        yield element("p", found.note, class_="note")
    if not found.pages:
        return
    yield element("h3", "The pages")
    shown = [(head, cell) for head, cell, is_said in _COLUMNS if is_said(found)]
    heads = ["page", *(head for head, _ in shown)]
    rows = [[_page(each), *(cell(each) for _, cell in shown)] for each in found.pages]
    # Without scripts there is the table, and no box that does nothing.
    box = element(
        "label", "Search in titles, addresses and excerpts: ", Markup('<input type="search" autocomplete="off"> '),
        element("output"), class_="search", hidden="",
    )  # fmt: skip
    n_text = len(rows[0]) - 1  # the relevance comes last
    yield element(
        "div",
        soft(*_caption(run, found)),
        box,
        table("Delivered pages", "", heads, rows, n_text=n_text),
        class_="pages",
    )


def _caption(run: Run, found: Delivered) -> Iterator[object]:
    if found.n_all > len(found.pages):
        yield f"The {len(found.pages):,} most relevant of {quantity(found.n_all, 'pages')}. "
    else:
        yield f"{quantity(found.n_all, 'pages')}, the most relevant first. "
    if found.n_all != run.n_relevant:
        yield f"When they came, {run.n_relevant:,} were called relevant; verdicts, copies or a later model have changed that. "
    yield "All with their texts: "
    yield element("code", as_typed(shlex.join(["scrapy", "export", str(run.directory), "--format", "jsonl"])))


def _page(page: DeliveredPage) -> Markup:
    excerpt = [element("div", element("bdi", page.excerpt), class_="excerpt")] if page.excerpt else []
    address = element("div", link(page.url), class_="url")
    return joined((element("div", name(page.title)) if page.title else "", address, *excerpt))


def _relevance(page: DeliveredPage) -> str:
    return UNKNOWN if math.isnan(page.relevance) else f"{page.relevance:.2f}"


_COLUMNS: tuple[tuple[str, Callable[[DeliveredPage], object], Callable[[Delivered], bool]], ...] = (
    ("date", lambda page: page.date, lambda found: any(page.date for page in found.pages)),
    ("author", lambda page: name(page.author), lambda found: any(page.author for page in found.pages)),
    ("language", lambda page: name(page.language), lambda found: len({page.language for page in found.pages}) > 1),
    ("people", lambda page: "yes" if page.is_judged else "", lambda found: any(page.is_judged for page in found.pages)),
    ("relevance", _relevance, lambda found: True),
)
"""Head, cell, and whether the column says anything."""
