"""Exports pages as Markdown: a folder with a file for each page, and an index."""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING, Any

from focused.collection.joined import record_of
from focused.collection.view import host_of
from focused.utils.markdown import escaped

if TYPE_CHECKING:
    from pathlib import Path

    from focused.collection.joined import JoinedRuns

_FRONT = (
    "title",
    "url",
    "author",
    "date",
    "site_name",
    "language",
    "license",
    "description",
    "relevance",
    "verdict",
    "fetched_at",
)
_MAX_SLUG_CHARS = 60
_INDEX = "index.md"
_MARK = "<!-- written by scrapy export -->\n"
_FILE_OF_LINE = re.compile(r"- \[.*\]\(<(.+)>\) \S*\n").fullmatch


def write_markdown(runs: JoinedRuns, path: Path) -> list[str]:
    """Write a folder: ``HOST/TITLE-DIGEST.md`` for each page, with its fields as YAML before the text, and ``index.md``.

    The Markdown is that of the collection; where it has none, what was recorded is read again; else it is the text.
    """
    # Imported here: other exports, and the help of the command, need no page reader.
    from focused.collection.recorded_pages import RecordedPages

    path.mkdir()
    with (
        (path / _INDEX).open("w", encoding="utf-8", errors="replace", newline="\n") as index,
        RecordedPages(runs.run_dirs) as recorded,
    ):
        index.write(f"{_MARK}# {escaped(runs.topic)}\n\n")
        for run, row in runs.rows():
            record = record_of(row, run.name) | {"markdown": row["markdown"] or recorded.of(run, row)}
            name = file_name(record)
            (path / name).parent.mkdir(exist_ok=True)
            (path / name).write_text(page_text(record), encoding="utf-8", errors="replace", newline="\n")
            index.write(f"- [{escaped(record['title'] or record['url'])}](<{name}>) {host_of(record['url'])}\n")
    return []


def is_export(folder: Path) -> bool:
    """Whether a folder was written by `write_markdown`."""
    index = folder / _INDEX
    if not index.is_file():
        return False
    with index.open(encoding="utf-8", errors="replace") as file:
        return file.readline(len(_MARK)) == _MARK


def why_kept(folder: Path) -> str:
    """Say why a new export may not take the place of what is there; empty if it may: an earlier export, or nothing."""
    if not folder.is_dir():
        return "is there and no earlier export"
    found = [
        each.relative_to(folder).as_posix() for each in folder.rglob("*") if each.is_symlink() or not each.is_dir()
    ]
    if found and not is_export(folder):
        return "is there and no earlier export"
    written = {_INDEX}
    if found:
        with (folder / _INDEX).open(encoding="utf-8", errors="replace") as file:
            written |= {line[1] for line in map(_FILE_OF_LINE, file) if line}
    return next((f"holds {name}, which no export has written" for name in found if name not in written), "")


def file_name(record: dict[str, Any]) -> str:
    """Return where a page stands in the folder; no name of a stranger's leads out of it.

    >>> file_name({"url": "http://H.example/a", "title": "On  Pulsars, & more!"})
    'h.example/on-pulsars-more-298caad8.md'
    """
    host = re.sub(r"[^a-z0-9.-]+", "-", host_of(record["url"])).strip(".-") or "no-host"
    slug = re.sub(r"[^a-z0-9]+", "-", record["title"].lower())[:_MAX_SLUG_CHARS].strip("-") or "page"
    digest = hashlib.sha256(record["url"].encode("utf-8", "replace")).hexdigest()[:8]
    return f"{host[:200]}/{slug}-{digest}.md"


def page_text(record: dict[str, Any]) -> str:
    """Return a page as a Markdown document: its fields as YAML (each value is JSON, which YAML can read), then its text."""
    fields = {name: record[name] for name in _FRONT if record[name] not in (None, "")}
    front = "".join(f"{name}: {json.dumps(value, ensure_ascii=False)}\n" for name, value in fields.items())
    body = record.get("markdown") or marked_up(
        record["text"], [(each["level"], each["text"]) for each in record["headings"]]
    )
    return f"---\n{front}---\n\n{body}\n"


def marked_up(text: str, headings: list[tuple[int, str]]) -> str:
    r"""Return a text, a paragraph a line, as Markdown: lines that are the headings, in their order, are marked as such.

    >>> print(marked_up("Stars\nA star * is hot.\n# no heading", [(1, "Stars")]))
    # Stars
    <BLANKLINE>
    A star \* is hot.
    <BLANKLINE>
    \# no heading
    """
    found, left = [], list(headings)
    for line in filter(None, (line.strip() for line in text.split("\n"))):
        place = next((n for n, (_, heading) in enumerate(left[:5]) if heading == line), None)
        if place is None:
            found.append(escaped(line))
        else:
            found.append(f"{'#' * min(6, max(1, left[place][0]))} {escaped(line)}")
            del left[: place + 1]
    return "\n\n".join(found)
