"""Reads a recorded web with labels as a corpus: its pages, and the links among them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from corpus_documents import Documents
from tqdm import tqdm

from focused.method.page.reader import PageReader
from focused.method.text.analyzer import Analyzer
from focused.method.training.term_counting import Counts, count, counted_page
from focused.utils.url_forms import canonical_form
from focused.webs import open_web

if TYPE_CHECKING:
    from pathlib import Path

    from focused.method.page.page import Page

# Pages with more links than this are link lists: a sample of their links is enough.
_MAX_LINKS = 150


def read_labels(file: Path) -> dict[str, set[str]]:
    """Return the labels of each page of a recorded web."""
    lines = file.read_text(encoding="utf-8").splitlines()[1:]
    return {url: set(labels.split("|")) for url, labels in (line.split("\t") for line in lines if line)}


def web_corpus(file: Path) -> Documents:
    labels = read_labels(file.with_name(file.name.replace(".warc.gz", ".labels.tsv")))
    forms = {url: canonical_form(url) or url for url in labels}
    wanted = set(forms.values())
    web, reader, found = open_web(str(file), {}), PageReader(Analyzer("en")), Documents()
    row_of: dict[str, int] = {}
    waiting: list[tuple[int, Any]] = []
    for url in tqdm(sorted(labels), desc=f"reading {file.name}", unit="page"):
        answer = web.answer(url)
        if answer.status != 200:
            continue
        headers = {name.lower(): value for name, value in answer.headers}
        page = reader.read(answer.body, url, headers.get("content-type"))
        text = count(page.terms)
        if not len(text.ids):
            continue
        row = row_of[forms[url]] = len(found.names)
        found.add(url, labels[url], False, text, _parts(page))
        waiting += [(row, link) for link in counted_page(page, {forms[url]}, wanted).links[:_MAX_LINKS]]
    web.close()
    found.links = [
        (row, row_of[link.target], link.anchor, link.context) for row, link in waiting if link.target in row_of
    ]
    return found


def _parts(page: Page) -> dict[str, Counts]:
    marks = page.marks

    def part(*names: str) -> Counts:
        stretches = [page.terms[first:last] for name in names for first, last in marks[name]]
        return count(np.concatenate([page.terms[:0], *stretches]))

    return {"headline": part("title", "heading"), "keywords": part("keywords"), "anchor": part("anchor")}
