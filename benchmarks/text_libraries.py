"""Have libraries extract the main text of pages, in an interpreter that has them; benchmarks/main_text.py runs it.

Read from standard input as JSON: a list of URL and text of the page. Written to standard output as JSON: for each library the
texts, the dates and the milliseconds of CPU time a page. The libraries are those of benchmarks/requirements.txt.
"""

from __future__ import annotations

import json
import logging
import sys
import time
from importlib.metadata import version
from typing import TYPE_CHECKING

import trafilatura
from htmldate import find_date
from lxml import html
from readability import Document
from resiliparse.extract.html2text import extract_plain_text

if TYPE_CHECKING:
    from collections.abc import Callable


def readability_text(body: str) -> str:
    return str(html.fromstring(Document(body).summary() or "<p>").text_content())


TEXTS: dict[str, Callable[[str], str | None]] = {
    "trafilatura": trafilatura.extract,
    "trafilatura, recall": lambda body: trafilatura.extract(body, favor_recall=True),
    "resiliparse": lambda body: extract_plain_text(body, main_content=True, alt_texts=False),
    "readability": readability_text,
}
PACKAGES = {"trafilatura, recall": "trafilatura", "readability": "readability-lxml"}


def main() -> None:
    logging.disable(logging.CRITICAL)
    pages = json.load(sys.stdin)
    found = {}
    for name, extract in TEXTS.items():
        texts, seconds = [], 0.0
        for _, body in pages:
            started = time.process_time()
            try:
                text = extract(body) or ""
            except Exception:  # noqa: BLE001 - a library that gives up has found nothing
                text = ""
            seconds += time.process_time() - started
            texts.append(text)
        package = PACKAGES.get(name, name)
        found[name] = {"version": version(package), "texts": texts, "ms": 1000 * seconds / len(pages)}
    dates, seconds = [], 0.0
    for url, body in pages:
        started = time.process_time()
        try:
            date = find_date(body, url=url, original_date=True) or ""
        except Exception:  # noqa: BLE001
            date = ""
        seconds += time.process_time() - started
        dates.append(date)
    found["htmldate"] = {"version": version("htmldate"), "dates": dates, "ms": 1000 * seconds / len(pages)}
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
