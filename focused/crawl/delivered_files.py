"""Corrects files of delivered pages: refused pages are removed, and pages that become wanted are added."""

from __future__ import annotations

import csv
import json
import logging
from typing import TYPE_CHECKING, Any

from focused.utils.csv_fields import long_fields

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping
    from pathlib import Path

    from focused.collection.verdict_rows import Delivered

logger = logging.getLogger(__name__)

FEED_FORMATS = ("jsonlines", "jsonl", "jl", "json", "csv")
"""Formats of Scrapy's feeds that can be corrected."""


def correct_pages(
    path: Path,
    delivered: Mapping[str, Delivered],
    missing: Callable[[str], dict[str, Any] | None],
    stays: Callable[[str], bool] = lambda url: False,
) -> tuple[int, int]:
    """Correct a file of JSON Lines so that it holds each delivered page once; return how many lines were removed and added.

    Of several lines of a URL the last stays. Lines that are no objects with a URL are removed, such as half a line of a crawl
    that was killed. If something is to change, the file is written under another name, which then replaces it.

    Parameters
    ----------
    delivered : mapping
        What is said of each delivered page, by its URL, in the order of the pages. The lines are corrected by it.
    missing : callable
        Returns the object of a delivered page that is not in the file; None if nothing is known of the page.
    stays : callable
        Tells whether the line of a page that is not in ``delivered`` stays as it is, because nothing is known of the page.

    Raises
    ------
    OSError
        If the file cannot be read or written.
    """
    last, n_lines, is_right = _lines_that_stay(path, delivered, stays) if path.exists() else ({}, 0, True)
    added = [value for url in delivered if url not in last and (value := missing(url)) is not None]
    if is_right and not added:
        return 0, 0
    wanted = set(last.values())
    temporary = path.with_name(f"{path.name}.part")
    with temporary.open("w", encoding="utf-8", errors="replace") as out:
        if wanted:
            out.writelines(_corrected(path, wanted, delivered))
        out.writelines(json.dumps(value, ensure_ascii=False, default=str) + "\n" for value in added)
    temporary.replace(path)
    return n_lines - len(wanted), len(added)


def _lines_that_stay(
    path: Path, delivered: Mapping[str, Delivered], stays: Callable[[str], bool]
) -> tuple[dict[str, int], int, bool]:
    """Return the number of the line that stays of each URL, how many lines there are, and whether nothing is to change."""
    last: dict[str, int] = {}
    n_lines = 0
    is_right = True
    with path.open(encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file):
            n_lines += 1
            value = _object(line)
            url = str(value.get("url", "")) if value is not None else ""
            said = delivered.get(url)
            if value is None or not (said or (url and stays(url))):
                is_right = False
                continue
            is_right = is_right and url not in last and (said is None or value == value | said._asdict())
            last[url] = number
    return last, n_lines, is_right


def _corrected(path: Path, numbers: Container[int], delivered: Mapping[str, Delivered]) -> Iterator[str]:
    """Yield the lines with these numbers, as what is said of their pages now has them."""
    with path.open(encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file):
            if number in numbers:
                value = json.loads(line)
                if (said := delivered.get(value["url"])) is not None:
                    value |= said._asdict()
                yield json.dumps(value, ensure_ascii=False) + "\n"


def remove_refused(path: Path, kind: str, refused: Callable[[str], bool], once: Container[str] = ()) -> int:
    """Remove the items from a feed's file whose URLs are refused; return how many there were.

    ``kind``: one of `FEED_FORMATS`. Items without a URL stay. Of several items with one of the URLs ``once`` the last stays.

    Raises
    ------
    OSError, ValueError
        If the file cannot be read or written, or is not of its format.
    """
    text = path.read_text(encoding="utf-8")
    if kind == "csv":
        kept, n_out = _of_rows(text, refused, once)
    elif kind == "json":
        items = json.loads(text or "[]")
        good = [items[place] for place in _places(map(_url, items), refused, once)]
        n_out = len(items) - len(good)
        kept = "[\n" + ",\n".join(json.dumps(item, ensure_ascii=False) for item in good) + "\n]"
    else:
        lines = text.split("\n")  # not at U+2028 and the like, which stand in texts
        good_lines = [lines[place] for place in _places((_url(_object(line)) for line in lines), refused, once)]
        n_out, kept = len(lines) - len(good_lines), "\n".join(good_lines)
    if n_out:
        temporary = path.with_name(f"{path.name}.part")
        temporary.write_text(kept, encoding="utf-8", newline="")
        temporary.replace(path)
    return n_out


def _places(urls: Iterable[str], refused: Callable[[str], bool], once: Container[str]) -> list[int]:
    """Return the places of the items that stay, by their URLs, in order."""
    known = list(urls)
    last = {url: place for place, url in enumerate(known)}
    return [place for place, url in enumerate(known) if not refused(url) and not (url in once and last[url] != place)]


def _of_rows(text: str, refused: Callable[[str], bool], once: Container[str]) -> tuple[str, int]:
    from io import StringIO

    try:
        with long_fields():
            rows = list(csv.reader(StringIO(text, newline="")))
    except csv.Error as error:
        raise ValueError(f"it is no CSV: {error}") from None
    column = rows[0].index("url") if rows and "url" in rows[0] else -1
    if column < 0:
        return text, 0
    urls = (row[column] if len(row) > column else "" for row in rows[1:])
    kept = [rows[0], *(rows[1 + place] for place in _places(urls, refused, once))]
    out = StringIO(newline="")
    csv.writer(out).writerows(kept)
    return out.getvalue(), len(rows) - len(kept)


def _object(line: str) -> dict[str, Any] | None:
    try:
        value = json.loads(line)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _url(item: Any) -> str:
    return str(item.get("url", "")) if isinstance(item, dict) else ""
